"""What every matrix op needs: transposes, triangles, diagonals, argument checks, kernels over stacks of matrices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.blas import alone
from tensorplay.core.value import Shape, Value, ground
from tensorplay.dtypes import real_dtype
from tensorplay.errors import LinAlgError
from tensorplay.lazy import LazyModule
from tensorplay.ops import families
from tensorplay.ops.families import add, conj, mul, permute
from tensorplay.ops.indexing import take, where
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import slice_key

Array = np.ndarray[Any, Any]
blas, lapack = LazyModule("scipy.linalg.blas"), LazyModule("scipy.linalg.lapack")

# ---- matrices as values ----------------------------------------------------------------------------------------------


def transposed(x: Value) -> Value:
    """The transpose of each matrix."""
    n = x.ndim
    return permute(x, dims=(*range(n - 2), n - 1, n - 2))


def adjoint(x: Value) -> Value:
    """The conjugate transpose of each matrix."""
    return conj(transposed(x))


def hermitian(x: Value) -> Value:
    """The Hermitian part of each matrix."""
    return mul(add(x, adjoint(x)), 0.5)


def real_part(x: Value) -> Value:
    """The real part; a real value is returned as it is."""
    return cast(x, real_dtype(x.dtype))


def imaginary_part(x: Value) -> Value:
    """``x - real(x)``, in the dtype of x."""
    return minus(x, cast(real_part(x), x.dtype))


def minus(x: Value, y: Value) -> Value:
    """Difference of two values of one dtype."""
    return add(x, families.negative(y))


def masked(x: Value, mask: Array) -> Value:
    """`x` with zeros where `mask` is False."""
    return where(mask, x, np.zeros((), x.dtype))


def lower(x: Value, k: int = 0) -> Value:
    """The lower triangle of each matrix, up to diagonal `k`."""
    return masked(x, _triangle(x.shape[-2], x.shape[-1], k))


def upper(x: Value, k: int = 0) -> Value:
    """The upper triangle of each matrix, from diagonal `k`."""
    return masked(x, ~_triangle(x.shape[-2], x.shape[-1], k - 1))


@functools.lru_cache(maxsize=256)
def _triangle(rows: int, columns: int, k: int) -> Array:
    mask = np.tri(rows, columns, k, dtype=bool)
    mask.flags.writeable = False  # all calls share it
    return mask


def half_diagonal_lower(x: Value) -> Value:
    """The lower triangle of each matrix with half its diagonal."""
    n = x.shape[-1]
    weights = _triangle(n, n, 0).astype(x.dtype)
    np.fill_diagonal(weights, 0.5)
    return mul(x, weights)


def diagonal_of(x: Value) -> Value:
    """The diagonal of each matrix."""
    numbers = np.arange(min(x.shape[-2:]))
    return take(x, numbers, numbers, start=x.ndim - 2)


def diagonal_matrix(x: Value) -> Value:
    """For each vector the matrix with that diagonal."""
    return masked(as_row(x), np.eye(x.shape[-1], dtype=bool))


def as_column(x: Value) -> Value:
    """Each vector as a matrix with one column."""
    return families.reshape(x, shape=(*x.shape, 1))


def as_row(x: Value) -> Value:
    """Each vector as a matrix with one row."""
    return families.reshape(x, shape=(*x.shape[:-1], 1, x.shape[-1]))


def block(x: Value, rows: slice, columns: slice) -> Value:
    """A block of each matrix."""
    m, n = x.shape[-2:]
    key = (*(slice(None),) * (x.ndim - 2), slice(*rows.indices(m)), slice(*columns.indices(n)))
    return x if key[-2:] == (slice(0, m, 1), slice(0, n, 1)) else slice_key(x, key=key)


def trace_of(x: Value) -> Value:
    """The trace of each matrix."""
    return families.sum_dims(diagonal_of(x), dims=(x.ndim - 2,))


# ---- arguments -------------------------------------------------------------------------------------------------------


def check_matrices(name: str, x: Value, argument: str = "A") -> None:
    """Raise unless `x` holds matrices in a dtype that LAPACK knows."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions, got {list(x.shape)}")
    check_dtype(name, x)


def check_dtype(name: str, x: Value) -> None:
    """Raise unless LAPACK knows the dtype."""
    if x.dtype.kind not in "fc":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype}")
    if x.dtype.itemsize < 4:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {x.dtype}; cast to float32 first")


def check_square(name: str, x: Value, argument: str = "A") -> None:
    """Raise unless `x` holds square matrices in a dtype that LAPACK knows."""
    check_matrices(name, x, argument)
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"{name}: {argument} must be batches of square matrices, but got shape {list(x.shape)}")


def check_same_dtype(name: str, x: Value, y: Value) -> None:
    """Raise unless two operands have one dtype."""
    if x.dtype != y.dtype:
        raise RuntimeError(f"{name}: Expected tensors of the same dtype, got {x.dtype} and {y.dtype}")


def check_info(name: str, info: Value, failure: str) -> None:
    """Raise the error that a kernel noted for any of the matrices; `failure` says what went wrong, with ``{info}``."""
    numbers = np.atleast_1d(ground(info))
    if not numbers.any():
        return
    first = int(np.flatnonzero(numbers)[0])
    where_it_was = f"(Batch element {first}): " if numbers.size > 1 else ""
    raise LinAlgError(f"{name}: {where_it_was}" + failure.format(info=int(numbers.ravel()[first])))


# ---- kernels ---------------------------------------------------------------------------------------------------------


def lapack_kernel(name: str, *arrays: Array) -> Callable[..., Any]:
    """LAPACK's routine for the dtype of the arrays."""
    (found,) = lapack.get_lapack_funcs((name,), arrays)
    return alone(found)


def blas_kernel(name: str, *arrays: Array) -> Callable[..., Any]:
    """BLAS' routine for the dtype of the arrays."""
    (found,) = blas.get_blas_funcs((name,), arrays)
    return alone(found)


def over_stack(kernel: Callable[..., Any], *arrays: Array, core: Sequence[int]) -> Any:
    """
    A kernel on single matrices, applied to stacks of them.

    `core` says how many trailing dims of each array the kernel takes; the leading dims broadcast. The kernel returns an
    array or a tuple of arrays.
    """
    leads = [a.shape[: a.ndim - c] for a, c in zip(arrays, core, strict=True)]
    lead = np.broadcast_shapes(*leads)
    if not lead:
        return kernel(*arrays)
    if 0 in lead:
        return _of_none(kernel, lead, [a.shape[a.ndim - c :] for a, c in zip(arrays, core, strict=True)], arrays)
    flat = [_flattened(a, lead, c) for a, c in zip(arrays, core, strict=True)]
    results = [kernel(*matrices) for matrices in zip(*flat, strict=True)]
    if not isinstance(results[0], tuple):
        return _restacked(results, lead)
    return tuple([_restacked(entries, lead) for entries in zip(*results, strict=True)])


def _flattened(a: Array, lead: Shape, core: int) -> Array:
    inner = a.shape[a.ndim - core :]
    return np.broadcast_to(a, lead + inner).reshape((math.prod(lead), *inner))


def _restacked(results: Sequence[Any], lead: Shape) -> Array:
    stacked = np.stack(results)
    return stacked.reshape(lead + stacked.shape[1:])


def _of_none(kernel: Callable[..., Any], lead: Shape, cores: Sequence[Shape], arrays: Sequence[Array]) -> Any:
    """Empty results, of the shapes that the kernel gives for some matrices."""
    some = [
        np.eye(*c, dtype=a.dtype) if len(c) == 2 else np.ones(c, a.dtype) for c, a in zip(cores, arrays, strict=True)
    ]
    out = kernel(*some)
    if isinstance(out, tuple):
        return tuple([np.empty(lead + np.shape(o), np.asarray(o).dtype) for o in out])
    return np.empty(lead + np.shape(out), np.asarray(out).dtype)
