"""
The array API standard (2024.12) for tensors: what `x.__array_namespace__()` returns.

A table of adapters: the standard's names and arguments, computed by tensorplay's functions, so that transforms pass
through code that is written for any array library. Where the standard's promotion differs from torch's, the standard's
holds in these functions: a tensor without dims counts as any other. Operators (`x + y`) stay torch's.
"""

from math import e, inf, nan, pi

from tensorplay.array_api import fft, linalg
from tensorplay.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from tensorplay.array_api.elementwise import *
from tensorplay.array_api.info import __array_namespace_info__
from tensorplay.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from tensorplay.array_api.manipulation import (
    broadcast_arrays,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from tensorplay.array_api.reducing import (
    all,
    any,
    argmax,
    argmin,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from tensorplay.array_api.searching import (
    argsort,
    nonzero,
    searchsorted,
    sort,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from tensorplay.array_api.types import astype, can_cast, finfo, iinfo, isdtype, result_type
from tensorplay.dtypes import (
    bool,
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

newaxis = None
__array_api_version__ = "2024.12"
