"""Reductions, statistics and counts."""

from __future__ import annotations

from tensorplay.ops import bitwise, extremes, histograms, norms, statistics, sums
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
    "bincount",
    "corrcoef",
    "count_nonzero",
    "cov",
    "dist",
    "hash_tensor",
    "histc",
    "histogram",
    "histogramdd",
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
    "std",
    "std_mean",
    "sum",
    "trace",
    "var",
    "var_mean",
]

all = lift(sums.all)
any = lift(sums.any)
count_nonzero = lift(sums.count_nonzero)
mean = lift(sums.mean)
nanmean = lift(sums.nanmean)
nansum = lift(sums.nansum)
prod = lift(sums.prod)
sum = lift(sums.sum)
sum_to_size = lift(sums.sum_to_size)
trace = lift(sums.trace)
hash_tensor = lift(bitwise.hash_tensor)
amax = lift(extremes.amax)
amin = lift(extremes.amin)
aminmax = lift(extremes.aminmax)
argmax = lift(extremes.argmax)
argmin = lift(extremes.argmin)
max = lift(extremes.max)
min = lift(extremes.min)
dist = lift(norms.dist)
norm = lift(norms.norm)
renorm = lift(norms.renorm)
log_softmax = lift(_softmax.log_softmax)
logsumexp = lift(_softmax.logsumexp)
softmax = lift(_softmax.softmax)
corrcoef = lift(statistics.corrcoef)
cov = lift(statistics.cov)
std = lift(statistics.std)
std_mean = lift(statistics.std_mean)
var = lift(statistics.var)
var_mean = lift(statistics.var_mean)
bincount = lift(histograms.bincount)
histc = lift(histograms.histc)
histogram = lift(histograms.histogram)
histogramdd = lift(histograms.histogramdd)
