"""Order statistics and cumulative functions."""

from __future__ import annotations

from tensorplay.ops import scan, sorting
from tensorplay.tensor.lift import lift

__all__ = [
    "argsort",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "kthvalue",
    "msort",
    "sort",
    "topk",
]

sort = lift(sorting.sort)
argsort = lift(sorting.argsort)
msort = lift(sorting.msort)
topk = lift(sorting.topk)
kthvalue = lift(sorting.kthvalue)
cumsum = lift(scan.cumsum)
cumprod = lift(scan.cumprod)
cummax = lift(scan.cummax)
cummin = lift(scan.cummin)
