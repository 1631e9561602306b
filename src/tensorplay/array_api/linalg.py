"""The extension `linalg`, and the products of the main namespace."""

from __future__ import annotations

from typing import Any

import tensorplay as tp
from tensorplay.array_api.elementwise import common
from tensorplay.array_api.reducing import sum
from tensorplay.numpy_protocol.calling import mapped

# ---- products


def matmul(x1: Any, x2: Any, /) -> Any:
    return tp.matmul(*common(x1, x2))


def matrix_transpose(x: Any, /) -> Any:
    return x.mT


def tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    x1, x2 = common(x1, x2)
    return tp.tensordot(x1, x2, dims=axes)


def vecdot(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    x1, x2 = common(x1, x2)
    return tp.linalg.vecdot(x1, x2, dim=axis).to(x1.dtype)


def cross(x1: Any, x2: Any, /, *, axis: Any = -1) -> Any:
    return tp.linalg.cross(*common(x1, x2), dim=axis)


def outer(x1: Any, x2: Any, /) -> Any:
    return tp.outer(*common(x1, x2))


# ---- of one matrix


def cholesky(x: Any, /, *, upper: Any = False) -> Any:
    return tp.linalg.cholesky(x, upper=upper)


def det(x: Any, /) -> Any:
    return tp.linalg.det(x)


def diagonal(x: Any, /, *, offset: Any = 0) -> Any:
    return tp.linalg.diagonal(x, offset=offset)


def eigh(x: Any, /) -> Any:
    return tp.linalg.eigh(x)


def eigvalsh(x: Any, /) -> Any:
    return tp.linalg.eigvalsh(x)


def inv(x: Any, /) -> Any:
    return tp.linalg.inv(x)


def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return tp.linalg.matrix_norm(x, ord, keepdim=keepdims)


def matrix_power(x: Any, n: Any, /) -> Any:
    return tp.linalg.matrix_power(x, n)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Any:
    return tp.linalg.matrix_rank(x, rtol=rtol)


def pinv(x: Any, /, *, rtol: Any = None) -> Any:
    return tp.linalg.pinv(x, rtol=rtol)


def qr(x: Any, /, *, mode: Any = "reduced") -> Any:
    return tp.linalg.qr(x, mode)


def slogdet(x: Any, /) -> Any:
    return tp.linalg.slogdet(x)


def solve(x1: Any, x2: Any, /) -> Any:
    return mapped["linalg.solve"](*common(x1, x2))


def svd(x: Any, /, *, full_matrices: Any = True) -> Any:
    return tp.linalg.svd(x, full_matrices=full_matrices)


def svdvals(x: Any, /) -> Any:
    return tp.linalg.svdvals(x)


def trace(x: Any, /, *, offset: Any = 0, dtype: Any = None) -> Any:
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    return tp.linalg.vector_norm(x, ord, axis, keepdim=keepdims)
