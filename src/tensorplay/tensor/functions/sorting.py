"""Order statistics, searching, and functions along a dim."""

from __future__ import annotations

from tensorplay.ops import differences, scan, searching, sorting
from tensorplay.tensor.lift import lift

__all__ = [
    "argsort",
    "bucketize",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "diff",
    "gradient",
    "isin",
    "kthvalue",
    "logcumsumexp",
    "median",
    "mode",
    "msort",
    "nanmedian",
    "nanquantile",
    "quantile",
    "searchsorted",
    "sort",
    "topk",
    "trapezoid",
    "trapz",
    "unique",
    "unique_consecutive",
]

argsort = lift(sorting.argsort)
kthvalue = lift(sorting.kthvalue)
median = lift(sorting.median)
mode = lift(sorting.mode)
msort = lift(sorting.msort)
nanmedian = lift(sorting.nanmedian)
nanquantile = lift(sorting.nanquantile)
quantile = lift(sorting.quantile)
sort = lift(sorting.sort)
topk = lift(sorting.topk)
bucketize = lift(searching.bucketize)
isin = lift(searching.isin)
searchsorted = lift(searching.searchsorted)
unique = lift(searching.unique)
unique_consecutive = lift(searching.unique_consecutive)
cummax = lift(scan.cummax)
cummin = lift(scan.cummin)
cumprod = lift(scan.cumprod)
cumsum = lift(scan.cumsum)
logcumsumexp = lift(scan.logcumsumexp)
cumulative_trapezoid = lift(differences.cumulative_trapezoid)
diff = lift(differences.diff)
gradient = lift(differences.gradient)
trapezoid = lift(differences.trapezoid)
trapz = lift(differences.trapz)
