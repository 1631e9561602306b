"""Reductions."""

from __future__ import annotations

from tensorplay.ops import reduction
from tensorplay.ops import softmax as _softmax
from tensorplay.tensor.lift import lift

__all__ = [
    "all",
    "amax",
    "amin",
    "aminmax",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "dist",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "min",
    "nanmean",
    "nansum",
    "norm",
    "prod",
    "renorm",
    "softmax",
    "sum",
    "trace",
]

sum = lift(reduction.sum)
nansum = lift(reduction.nansum)
mean = lift(reduction.mean)
nanmean = lift(reduction.nanmean)
prod = lift(reduction.prod)
amax = lift(reduction.amax)
amin = lift(reduction.amin)
aminmax = lift(reduction.aminmax)
max = lift(reduction.max)
min = lift(reduction.min)
argmax = lift(reduction.argmax)
argmin = lift(reduction.argmin)
any = lift(reduction.any)
all = lift(reduction.all)
count_nonzero = lift(reduction.count_nonzero)
norm = lift(reduction.norm)
dist = lift(reduction.dist)
renorm = lift(reduction.renorm)
trace = lift(reduction.trace)
sum_to_size = lift(reduction.sum_to_size)
softmax = lift(_softmax.softmax)
log_softmax = lift(_softmax.log_softmax)
logsumexp = lift(_softmax.logsumexp)
