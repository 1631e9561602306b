"""Products, `np.linalg` and `np.einsum`."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.numpy_protocol.calling import alike, axes_of, cast, dtype_of, inexact, numpys, tensor

# ---- products --------------------------------------------------------------------------------------------------------


@numpys("dot")
def dot(a: Any, b: Any) -> Any:
    a, b = alike(a, b)
    if not a.ndim or not b.ndim:
        return a * b
    if b.ndim == 1:
        return tp.matmul(a, b)
    return tp.tensordot(a, b, dims=([a.ndim - 1], [b.ndim - 2]))


@numpys("inner")
def inner(a: Any, b: Any) -> Any:
    return tp.inner(*alike(a, b))


@numpys("vdot")
def vdot(a: Any, b: Any) -> Any:
    return tp.vdot(*[entry.reshape(-1) for entry in alike(a, b)])


@numpys("outer")
def outer(a: Any, b: Any) -> Any:
    return tp.outer(tensor(a).reshape(-1), tensor(b).reshape(-1))


@numpys("linalg.outer")
def linalg_outer(x1: Any, x2: Any) -> Any:
    return tp.outer(tensor(x1), tensor(x2))


@numpys("linalg.matmul")
def matmul(x1: Any, x2: Any) -> Any:
    return tp.matmul(*alike(x1, x2))


@numpys("linalg.vecdot")
def vecdot(x1: Any, x2: Any, axis: int = -1) -> Any:
    return tp.linalg.vecdot(*alike(x1, x2), dim=axis)


@numpys("tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if not hasattr(axes, "__index__"):
        axes = [[pair] if isinstance(pair, int) else list(pair) for pair in axes]
    a, b = alike(a, b)
    return tp.tensordot(a, b, dims=axes)


@numpys("linalg.tensordot")
def linalg_tensordot(x1: Any, x2: Any, axes: Any = 2) -> Any:
    return tensordot(x1, x2, axes)


@numpys("kron")
def kron(a: Any, b: Any) -> Any:
    return tp.kron(tensor(a), tensor(b))


@numpys("cross")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = alike(a, b)
    a, b = tp.broadcast_tensors(tp.movedim(a, axisa, -1), tp.movedim(b, axisb, -1))
    return tp.movedim(tp.linalg.cross(a, b), -1, axisc)


@numpys("linalg.cross")
def linalg_cross(x1: Any, x2: Any, axis: int = -1) -> Any:
    return cross(x1, x2, axis=axis)


@numpys("einsum")
def einsum(*operands: Any, dtype: Any = None) -> Any:
    if isinstance(operands[0], str):
        subscripts, *factors = operands
        return tp.einsum(subscripts, *[cast(factor, dtype) for factor in alike(*factors)])
    last = [operands[-1]] if len(operands) % 2 else []
    pairs = zip(alike(*operands[: len(operands) - len(last) : 2]), operands[1::2], strict=False)
    return tp.einsum(*[part for factor, dims in pairs for part in (cast(factor, dtype), list(dims))], *last)


# ---- parts and numbers of a matrix -----------------------------------------------------------------------------------


@numpys("trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    return cast(tp.diagonal(tensor(a), offset, axis1, axis2), dtype).sum(-1)


@numpys("linalg.trace")
def linalg_trace(x: Any, offset: int = 0, dtype: Any = None) -> Any:
    return trace(x, offset, -2, -1, dtype)


@numpys("linalg.det")
def det(a: Any) -> Any:
    return tp.linalg.det(inexact(a))


@numpys("linalg.slogdet")
def slogdet(a: Any) -> Any:
    return tp.linalg.slogdet(inexact(a))


@numpys("linalg.cond")
def cond(x: Any, p: Any = None) -> Any:
    return tp.linalg.cond(inexact(x), p)


@numpys("linalg.norm")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = inexact(x)
    if axis is None and ord is None:
        return tp.linalg.vector_norm(x, dim=axes_of(x, None) or None, keepdim=keepdims)
    if axis is None and x.ndim > 2:
        raise ValueError(f"np.linalg.norm(): with ord= give axis= for a tensor of {x.ndim} dims")
    return tp.linalg.norm(x, ord, axis, keepdims)


@numpys("linalg.vector_norm")
def vector_norm(x: Any, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    return tp.linalg.vector_norm(inexact(x), ord, axis, keepdims)


@numpys("linalg.matrix_norm")
def matrix_norm(x: Any, keepdims: bool = False, ord: Any = "fro") -> Any:
    return tp.linalg.matrix_norm(inexact(x), ord, keepdim=keepdims)


@numpys("linalg.matrix_rank")
def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, rtol: Any = None) -> Any:
    A = inexact(A)
    if A.ndim < 2:
        return (A != 0).any().long()
    return tp.linalg.matrix_rank(A, hermitian=hermitian, atol=_tolerance(tol), rtol=_tolerance(rtol))


def _tolerance(tol: Any) -> Any:
    return tensor(tol) if isinstance(tol, list | tuple | np.ndarray) else tol


@numpys("linalg.matrix_power")
def matrix_power(a: Any, n: int) -> Any:
    return tp.linalg.matrix_power(tensor(a), n)


# ---- solutions -------------------------------------------------------------------------------------------------------


@numpys("linalg.inv")
def inv(a: Any) -> Any:
    return tp.linalg.inv(inexact(a))


@numpys("linalg.pinv")
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, rtol: Any = None) -> Any:
    a = inexact(a)
    cutoff = rcond if rtol is None else rtol
    if cutoff is None:  # NumPy's default differs from torch's
        cutoff = 1e-15 if rtol is None else tp.finfo(a.dtype).eps * max(a.shape[-2:])
    return tp.linalg.pinv(a, hermitian=hermitian, rtol=_tolerance(cutoff))


@numpys("linalg.solve")
def solve(a: Any, b: Any) -> Any:
    a, b = alike(inexact(a), inexact(b))
    if b.ndim == 1:
        return tp.linalg.solve(a, b.unsqueeze(-1)).squeeze(-1)
    batch = tp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return tp.linalg.solve(a, b.expand(*batch, *b.shape[-2:]))


@numpys("linalg.lstsq")
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = alike(inexact(a), inexact(b))
    rows, columns = a.shape
    singular = tp.linalg.svdvals(a)
    cutoff = tp.finfo(a.dtype).eps * max(rows, columns) if rcond is None else rcond
    x = tp.matmul(tp.linalg.pinv(a, rtol=cutoff), b)
    rank = (singular > cutoff * singular[:1]).sum()
    # NumPy gives none where the rank is not full; a shape cannot depend on that
    left = ((tp.matmul(a, x) - b).abs() ** 2).sum(0, keepdim=b.ndim == 1) if rows > columns else b.new_zeros(0)
    return x, left, rank, singular


@numpys("linalg.tensorinv")
def tensorinv(a: Any, ind: int = 2) -> Any:
    return tp.linalg.tensorinv(inexact(a), ind)


@numpys("linalg.tensorsolve")
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    a, b = alike(inexact(a), inexact(b))
    return tp.linalg.tensorsolve(a, b, axes)


@numpys("linalg.multi_dot")
def multi_dot(arrays: Any) -> Any:
    return tp.linalg.multi_dot(alike(*arrays))


# ---- decompositions --------------------------------------------------------------------------------------------------


@numpys("linalg.cholesky")
def cholesky(a: Any, upper: bool = False) -> Any:
    return tp.linalg.cholesky(inexact(a), upper=upper)


@numpys("linalg.qr")
def qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise TypeError(f"np.linalg.qr(): mode must be 'reduced', 'complete' or 'r' for tensors, got {mode!r}")
    out = tp.linalg.qr(inexact(a), mode)
    return out.R if mode == "r" else out


@numpys("linalg.svd")
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    a = inexact(a)
    return tp.linalg.svd(a, full_matrices) if compute_uv else tp.linalg.svdvals(a)


@numpys("linalg.svdvals")
def svdvals(x: Any) -> Any:
    return tp.linalg.svdvals(inexact(x))


@numpys("linalg.eig")
def eig(a: Any) -> Any:
    return tp.linalg.eig(inexact(a))


@numpys("linalg.eigvals")
def eigvals(a: Any) -> Any:
    return tp.linalg.eigvals(inexact(a))


@numpys("linalg.eigh")
def eigh(a: Any, UPLO: str = "L") -> Any:
    return tp.linalg.eigh(inexact(a), UPLO)


@numpys("linalg.eigvalsh")
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    return tp.linalg.eigvalsh(inexact(a), UPLO)


# ---- polynomials and filters -----------------------------------------------------------------------------------------


@numpys("polyval")
def polyval(p: Any, x: Any) -> Any:
    p, x = tensor(p), tensor(x)
    out = tp.zeros_like(x)
    for coefficient in p:
        out = out * x + coefficient
    return out


@numpys("convolve")
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    a, v = [entry.reshape(-1) for entry in alike(a, v)]
    if len(v) > len(a):
        a, v = v, a
    cut = {"full": 0, "same": (len(v) - 1) // 2, "valid": len(v) - 1}
    if mode not in cut:
        raise ValueError(f"np.convolve(): mode must be one of {list(cut)}, got {mode!r}")
    full = _full_convolution(a, v)
    length = {"full": len(full), "same": len(a), "valid": len(a) - len(v) + 1}[mode]
    return full[cut[mode] : cut[mode] + length]


def _full_convolution(a: tp.Tensor, v: tp.Tensor) -> tp.Tensor:
    """All sums of products of entries whose positions sum to the same."""
    none = a.new_zeros(len(v) - 1)
    windows = tp.cat([none, a, none]).unfold(0, len(v), 1)
    return tp.matmul(windows, tp.flip(v, (0,)))


@numpys("correlate")
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    a, v = tensor(a).reshape(-1), tensor(v).reshape(-1).conj()
    if len(v) > len(a):
        return tp.flip(convolve(tp.flip(a, (0,)), v, mode), (0,))
    return convolve(a, tp.flip(v, (0,)), mode)


@numpys("poly")
def poly(seq_of_zeros: Any) -> Any:
    zeros = tensor(seq_of_zeros)
    zeros = tp.linalg.eigvals(zeros) if zeros.ndim == 2 else zeros
    out: tp.Tensor = zeros.new_ones(1)
    for zero in zeros:
        out = convolve(out, tp.stack([tp.ones_like(zero), -zero]))
    return out


@numpys("polymul")
def polymul(a1: Any, a2: Any) -> Any:
    return convolve(a1, a2)


@numpys("polyadd")
def polyadd(a1: Any, a2: Any) -> Any:
    a1, a2 = tensor(a1), tensor(a2)
    length = max(len(a1), len(a2))
    return _filled(a1, length) + _filled(a2, length)


@numpys("polysub")
def polysub(a1: Any, a2: Any) -> Any:
    return polyadd(a1, -tensor(a2))


def _filled(p: tp.Tensor, length: int) -> tp.Tensor:
    """Coefficients with zeros in front."""
    return tp.cat([p.new_zeros(length - len(p)), p])


@numpys("polyder")
def polyder(p: Any, m: int = 1) -> Any:
    p = tensor(p)
    for _ in range(m):
        p = p[:-1] * tp.arange(len(p) - 1, 0, -1, dtype=dtype_of(p.dtype))
    return p


@numpys("polyint")
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    p = inexact(p)
    constants = [0.0] * m if k is None else [k] * m if isinstance(k, int | float) else list(k)
    for constant in constants:
        p = tp.cat([p / tp.arange(len(p), 0, -1, dtype=dtype_of(p.dtype)), p.new_full((1,), constant)])
    return p
