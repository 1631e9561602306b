"""Order, search, sets and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.numpy_protocol.calling import numpys, tensor, weak


@numpys("sort")
def sort(a: Any, axis: Any = -1, stable: Any = None) -> Any:
    a, dim = (tensor(a).reshape(-1), 0) if axis is None else (tensor(a), axis)
    return tp.sort(a, dim).values


@numpys("argsort")
def argsort(a: Any, axis: Any = -1, stable: Any = None) -> Any:
    a, dim = (tensor(a).reshape(-1), 0) if axis is None else (tensor(a), axis)
    return tp.argsort(a, dim, stable=True)


@numpys("partition")
def partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    return sort(a, axis)  # which is a partition at any position


@numpys("argpartition")
def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    return argsort(a, axis)


@numpys("lexsort")
def lexsort(keys: Any, axis: int = -1) -> Any:
    order = None
    for key in [tensor(key) for key in keys]:
        if order is None:
            order = argsort(key, axis)
        else:
            order = tp.take_along_dim(order, argsort(tp.take_along_dim(key, order, axis), axis), axis)
    return order


@numpys("searchsorted")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    sorter = None if sorter is None else tensor(sorter)
    return tp.searchsorted(tensor(a), weak(v), side=side, sorter=sorter)


@numpys("digitize")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    bins = tensor(bins)
    if len(bins) > 1 and bool(bins[-1] < bins[0]):
        return len(bins) - tp.bucketize(tensor(x), tp.flip(bins, (0,)), right=not right)
    return tp.bucketize(tensor(x), bins, right=not right)


@numpys("bincount")
def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    return tp.bincount(tensor(x), None if weights is None else tensor(weights), minlength)


@numpys("nonzero")
def nonzero(a: Any) -> Any:
    return tp.nonzero(tensor(a), as_tuple=True)


@numpys("flatnonzero")
def flatnonzero(a: Any) -> Any:
    return nonzero(tensor(a).reshape(-1))[0]


@numpys("argwhere")
def argwhere(a: Any) -> Any:
    return tp.argwhere(tensor(a))


@numpys("extract")
def extract(condition: Any, arr: Any) -> Any:
    return tensor(arr).reshape(-1)[tensor(condition).reshape(-1) != 0]


@numpys("compress")
def compress(condition: Any, a: Any, axis: Any = None) -> Any:
    a, dim = (tensor(a).reshape(-1), 0) if axis is None else (tensor(a), axis)
    return tp.index_select(a, dim, flatnonzero(condition))


@numpys("isin")
def isin(element: Any, test_elements: Any, invert: bool = False) -> Any:
    return tp.isin(tensor(element), tensor(test_elements), invert=invert)


@numpys("unique")
def unique(ar: Any, return_inverse: bool = False, return_counts: bool = False, axis: Any = None) -> Any:
    return tp.unique(tensor(ar), return_inverse=return_inverse, return_counts=return_counts, dim=axis)


@numpys("unique_values")
def unique_values(x: Any) -> Any:
    return unique(x)


@numpys("unique_counts")
def unique_counts(x: Any) -> Any:
    return np.lib._arraysetops_impl.UniqueCountsResult(*unique(x, return_counts=True))


@numpys("unique_inverse")
def unique_inverse(x: Any) -> Any:
    return np.lib._arraysetops_impl.UniqueInverseResult(*unique(x, return_inverse=True))


@numpys("ravel_multi_index")
def ravel_multi_index(multi_index: Any, dims: Any) -> Any:
    positions = [tensor(part) for part in multi_index]
    out = positions[0]
    for part, length in zip(positions[1:], dims[1:], strict=True):
        out = out * length + part
    return out


@numpys("unravel_index")
def unravel_index(indices: Any, shape: Any) -> Any:
    return tp.unravel_index(tensor(indices), shape)
