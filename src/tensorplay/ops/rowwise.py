"""Kernels on rows, of many elements: some rows at a time, which stay in the cache and which threads share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.threads import in_steps, share
from tensorplay.ops.many import BLOCK, COSTLY

Array = Any


def by_rows(impl: Callable[..., Any]) -> Callable[..., Any]:
    """
    A kernel ``impl(*arrays, dims=..., **params)`` as it is best called on many elements.

    Its results, one array or a tuple, keep the dims, and elements that differ in dims before the first of `dims` have
    nothing to do with each other.
    """

    def many(*arrays: Array, dims: tuple[int, ...], **params: Any) -> Any:
        before = min(dims, default=0)
        lead = arrays[0].shape[:before]
        count = math.prod(lead)
        if count < 2 or not all([a.shape[:before] == lead and a.flags.c_contiguous for a in arrays]):
            return impl(*arrays, dims=dims, **params)
        rows = [a.reshape(count, *a.shape[before:]) for a in arrays]

        def call(here: slice) -> Sequence[Array]:
            found = impl(*[a[here] for a in rows], dims=tuple([1 + d - before for d in dims]), **params)
            return found if found.__class__ is tuple else (found,)

        outs = [np.empty((count, *out.shape[1:]), out.dtype) for out in call(slice(0, 1))]
        _fill_rows(call, outs, rows[0][0].size)
        whole = tuple([out.reshape(*lead, *out.shape[1:]) for out in outs])
        return whole if len(whole) > 1 else whole[0]

    return many


def _fill_rows(call: Callable[[slice], Sequence[Array]], outs: Sequence[Array], row: int) -> None:
    step = max(BLOCK // row, 1)

    def work(start: int, stop: int) -> None:
        for here in in_steps(start, stop, step):
            for out, found in zip(outs, call(here), strict=True):
                out[here] = found

    share(work, len(outs[0]), -(-COSTLY // row))
