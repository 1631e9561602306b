"""All reductions by name; they live in a file for each idea."""

from __future__ import annotations

from tensorplay.ops.extremes import amax, amin, aminmax, argmax, argmin, max, min, share_of_extreme
from tensorplay.ops.norms import dist, norm, renorm, vector_norm
from tensorplay.ops.reducing import Dims, count_along, keep, need_elements, need_inexact, need_order, real_reduction
from tensorplay.ops.sums import all, any, count_nonzero, mean, nanmean, nansum, prod, sum, sum_to_size, trace

__all__ = [
    "Dims",
    "all",
    "amax",
    "amin",
    "aminmax",
    "any",
    "argmax",
    "argmin",
    "count_along",
    "count_nonzero",
    "dist",
    "keep",
    "max",
    "mean",
    "min",
    "nanmean",
    "nansum",
    "need_elements",
    "need_inexact",
    "need_order",
    "norm",
    "prod",
    "real_reduction",
    "renorm",
    "share_of_extreme",
    "sum",
    "sum_to_size",
    "trace",
    "vector_norm",
]
