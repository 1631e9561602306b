"""Plain NumPy code, run on arrays and on tensors: a case or more for each function that tensorplay computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_rng = np.random.default_rng(7)


def _normal(*shape: int) -> np.ndarray[Any, Any]:
    return _rng.normal(size=shape)


class Case(NamedTuple):
    """A function of arrays in plain NumPy; those of `smooth` cases have derivatives at the arrays."""

    name: str
    function: Callable[..., Any]
    arrays: tuple[np.ndarray[Any, Any], ...]
    smooth: bool = True
    mapped: bool = True  # whether it works on samples: shape and type do not depend on the elements
    anywhere: bool = True  # whether it has a value where rows are exchanged

    def __str__(self) -> str:
        return self.name


cases: list[Case] = []


def case(name: str, function: Callable[..., Any], *arrays: Any, **kinds: bool) -> None:
    cases.append(Case(name, function, arrays, **kinds))


A = _normal(2, 3, 4)
M, N = _normal(3, 4), _normal(4, 3)
V, W = _normal(5), _normal(5)
S = _normal(3, 3) + 3 * np.eye(3)
P = S @ S.T + np.eye(3)
STACK = _normal(2, 3, 3) + 3 * np.eye(3)
C = _normal(3, 4) + 1j * _normal(3, 4)
COUNTS = np.array([[3, 0, 2], [1, 0, 5]])
HOLES = A.copy()
HOLES[0, 1, 2] = HOLES[1, 2, 0] = np.nan
MASK = A > -0.3
UP = np.sort(V)

# ---- reductions ------------------------------------------------------------------------------------------------------

AXES: list[Any] = [None, 1, (0, -1)]  # others are drawn in test_protocol.py
for axis in AXES:
    for keepdims in (False, True):
        for name in ("sum", "prod", "mean", "max", "min", "amax", "amin", "ptp"):
            case(name, lambda a, n=name, k=keepdims, x=axis: getattr(np, n)(a, axis=x, keepdims=k), A)
        for name in ("std", "var"):
            if axis != ():
                case(name, lambda a, n=name, k=keepdims, x=axis: getattr(np, n)(a, axis=x, keepdims=k, ddof=1), A)
        for name in ("median", "nanmedian"):
            case(name, lambda a, n=name, k=keepdims, x=axis: getattr(np, n)(a, axis=x, keepdims=k), A)
        for name in ("nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanstd", "nanvar"):
            if axis not in ((), 0):  # where a column is all NaN, NumPy warns
                case(name, lambda a, n=name, k=keepdims, x=axis: getattr(np, n)(a, axis=x, keepdims=k), HOLES)
        for name in ("all", "any", "count_nonzero"):
            case(
                name,
                lambda a, n=name, k=keepdims, x=axis: getattr(np, n)(a > 0.2, axis=x, keepdims=k),
                A,
                smooth=False,
            )
    if not isinstance(axis, tuple):
        for name in ("argmax", "argmin"):
            case(name, lambda a, n=name, x=axis: getattr(np, n)(a, axis=x, keepdims=True), A, smooth=False)
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod"):
            case(name, lambda a, n=name, x=axis: getattr(np, n)(a, axis=x), HOLES if "nan" in name else A)
for name in ("nanargmax", "nanargmin"):
    case(name, lambda a, n=name: getattr(np, n)(a, axis=-1), HOLES, smooth=False)
case("std", np.std, A)
case("var", lambda a: np.var(a, axis=1, correction=1), A)
case("var", np.var, C)
case("sum", lambda a: np.sum(a, initial=2.5, where=MASK), A)
case("sum", lambda a: np.sum(a, axis=0, where=a > 0), A)
case("prod", lambda a: np.prod(a, axis=1, initial=2.5, where=MASK), A)
case("mean", lambda a: np.mean(a, axis=(0, 1), where=MASK, keepdims=True), A)
case("std", lambda a: np.std(a, axis=(0, 1), where=MASK, ddof=1), A)
case("var", lambda a: np.var(a, where=MASK), A)
case("max", lambda a: np.max(a, axis=0, initial=0.25), A)
case("min", lambda a: np.min(a, axis=0, initial=3.0, where=MASK), A)
case("all", lambda a: np.all(a, axis=0, where=MASK), A, smooth=False)
case("any", lambda a: np.any(a > 1, where=MASK), A, smooth=False)
case("sum", lambda a: np.sum(a, dtype=np.float32), COUNTS, smooth=False)
case("mean", lambda a: np.mean(a, axis=0, dtype=float), COUNTS, smooth=False)
case("average", np.average, A)
case("average", lambda a, w: np.average(a, axis=1, weights=np.exp(w)), A, _normal(3))
case("average", lambda a, w: np.average(a, axis=(2, 0), weights=np.exp(w), keepdims=True), A, _normal(4, 2))
case("average", lambda a: np.average(a, weights=MASK + 0.5, returned=True), A)
case("cumulative_sum", lambda a: np.cumulative_sum(a, axis=1, include_initial=True), A)
case("cumulative_prod", lambda v: np.cumulative_prod(v), V)
case("nanmax", lambda a: np.nanmax(a, axis=0, initial=0.1), HOLES)

# ---- statistics ------------------------------------------------------------------------------------------------------

for name in ("quantile", "nanquantile"):
    f = getattr(np, name)
    for method in ("linear", "lower", "higher", "midpoint", "nearest"):
        case(name, lambda a, f=f, m=method: f(a, 0.3, axis=1, method=m), A)
    case(name, lambda a, f=f: f(a, [0.25, 0.6], axis=(0, 2), keepdims=True), A)
for name in ("percentile", "nanpercentile"):
    f = getattr(np, name)
    case(name, lambda a, f=f: f(a, [[10, 50], [90, 99]], axis=-1), A)
    case(name, lambda a, f=f: f(a, 35), A)
case("cov", np.cov, M)
case("cov", lambda m: np.cov(m, rowvar=False, bias=True), M)
case("cov", lambda v, w: np.cov(v, w, ddof=0), V, W)
case("cov", np.cov, V)
case("cov", lambda m: np.cov(m, fweights=[1, 2, 1, 3], aweights=np.array([0.5, 1.0, 2.0, 1.0])), M)
case("corrcoef", np.corrcoef, M)
case("corrcoef", lambda m: np.corrcoef(m, rowvar=False), M)
case("diff", lambda a: np.diff(a, n=2, axis=1), A)
case("diff", lambda a: np.diff(a, prepend=0.5, append=a[..., :2]), A)
case("ediff1d", lambda m: np.ediff1d(m, to_end=[1.0, 2.0], to_begin=0.5), M)
case("gradient", np.gradient, M)
case("gradient", lambda a: np.gradient(a, 0.5, axis=1, edge_order=2), A)
case("gradient", lambda m: np.gradient(m, np.array([0.0, 1.0, 3.0]), 0.5), M)
case("gradient", np.gradient, V)
case("trapezoid", lambda m: np.trapezoid(m, dx=0.5, axis=0), M)
case("trapezoid", lambda v, w: np.trapezoid(v, w), V, UP)
case("interp", lambda x, fp: np.interp(x, np.arange(5.0), fp), 1.7 + _normal(7), V)
case("interp", lambda x, fp: np.interp(x, np.arange(5.0), fp, left=-1.0, right=2.0), 4 * _normal(7), V)
case("interp", lambda xp: np.interp([0.05, -0.11, 9.0], xp, np.arange(5.0) ** 2), UP, anywhere=False)
case("interp", lambda x, fp: np.interp(x, [0.5, 1.0, 2.5], fp, period=3.0), 5 * _normal(6), _normal(3))
case("histogram", lambda v: np.histogram(v, bins=4, range=(-2.0, 2.0)), V, smooth=False)
case("histogram", lambda v, w: np.histogram(v, [-3.0, -1.0, 0.0, 1.0, 3.0], weights=w)[0], V, W, smooth=False)

# ---- elementwise -----------------------------------------------------------------------------------------------------

case("clip", lambda a: np.clip(a, -0.5, 0.7), A)
case("clip", lambda a, b: np.clip(a, b, None), A, _normal(4))
case("clip", lambda a: np.clip(a, min=-0.3, max=np.full(4, 0.5)), A)
case("around", np.around, A, smooth=False)
case("round", lambda a: np.round(a, 1), A, smooth=False)
case("fix", np.fix, A, smooth=False)
case("sinc", np.sinc, A)
case("i0", np.i0, V)
case("nan_to_num", lambda a: np.nan_to_num(a, nan=0.5), HOLES)
case("real", np.real, C)
case("real", np.real, V)
case("imag", np.imag, C)
case("imag", np.imag, V)
case("angle", lambda c: np.angle(c, deg=True), C)
case("unwrap", lambda v: np.unwrap(v), np.array([0.1, 2.0, 6.1, 5.9, 12.3]))
case("unwrap", lambda a: np.unwrap(a, axis=0, period=2.0), 5 * A)
case("isclose", lambda a: np.isclose(a, np.round(a, 1), atol=0.02), A, smooth=False)
case("isclose", lambda a: np.isclose(a, HOLES, equal_nan=True), HOLES, smooth=False)
case("allclose", lambda a: np.allclose(a, A + 1e-9), A, smooth=False, mapped=False)
case("array_equal", lambda a: np.array_equal(a, A), A, smooth=False, mapped=False)
case("array_equal", lambda a: np.array_equal(a, HOLES, equal_nan=True), HOLES, smooth=False, mapped=False)
case("array_equal", lambda a: np.array_equal(a, V), A, smooth=False, mapped=False)
case("array_equiv", lambda v: np.array_equiv(v, np.stack([V, V])), V, smooth=False, mapped=False)
case("array_equiv", lambda v: np.array_equiv(v, A), V, smooth=False, mapped=False)
ODD = np.array([1.0, np.inf, -np.inf, np.nan])
for name in ("isposinf", "isneginf", "isreal", "iscomplex"):
    case(name, getattr(np, name), ODD, smooth=False)
case("iscomplex", np.iscomplex, np.array([1j, 2 + 0j]), smooth=False)
case("iscomplexobj", np.iscomplexobj, C, smooth=False, mapped=False)
case("isrealobj", np.isrealobj, C, smooth=False, mapped=False)
case("where", lambda a: np.where(a > 0, a, 0.1 * a), A)
case("where", lambda a, b: np.where(MASK, a, b), A, _normal(4))
case("where", lambda a: np.where(a > 0), A, smooth=False, mapped=False)
case("select", lambda a: np.select([a > 1, a > 0], [a**2, np.sin(a)], default=0.5), A)
case("choose", lambda a: np.choose([0, 1, 0, 1], [a, 2 * a]), A)
case("choose", lambda v: np.choose(np.array([0, 3, -1, 1, 2]), [v, 2 * v], mode="wrap"), V)
case("piecewise", lambda a: np.piecewise(a, [a < -0.5, a > 0.5], [np.exp, lambda t: t**2, 0.25]), A)
case("piecewise", lambda v: np.piecewise(v, v < 0, [np.sin, np.cos]), V)

# ---- shapes ----------------------------------------------------------------------------------------------------------

case("shape", np.shape, A, smooth=False, mapped=False)
case("ndim", np.ndim, A, smooth=False, mapped=False)
case("size", np.size, A, smooth=False, mapped=False)
case("size", lambda a: np.size(a, 1), A, smooth=False, mapped=False)
case("reshape", lambda a: np.reshape(a, (4, -1)), A)
case("reshape", lambda a: np.reshape(a, -1), A)
case("ravel", np.ravel, A)
case("transpose", np.transpose, A)
case("transpose", lambda a: np.transpose(a, (1, -1, 0)), A)
case("matrix_transpose", np.matrix_transpose, A)
case("linalg.matrix_transpose", np.linalg.matrix_transpose, A)
case("moveaxis", lambda a: np.moveaxis(a, [0, 1], [-1, 0]), A)
case("rollaxis", lambda a: np.rollaxis(a, 2), A)
case("rollaxis", lambda a: np.rollaxis(a, 0, 3), A)
case("rollaxis", lambda a: np.rollaxis(a, 2, -2), A)
case("swapaxes", lambda a: np.swapaxes(a, 0, -1), A)
case("squeeze", np.squeeze, A[:, None, :1])
case("squeeze", lambda a: np.squeeze(a, (1, -1)), A[:, None, :, :1])
case("expand_dims", lambda a: np.expand_dims(a, (0, -1)), A)
case("expand_dims", lambda a: np.expand_dims(a, 1), A)
case("broadcast_to", lambda a: np.broadcast_to(a, (2, 2, 3, 4)), A)
case("broadcast_arrays", np.broadcast_arrays, A, _normal(4))
for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    case(name, getattr(np, name), V)
    case(name, getattr(np, name), V, M)
    case(name, lambda v, n=name: getattr(np, n)(v[0]), V)
case("ix_", lambda v, w: np.ix_(v, w), V, _normal(3))
case("concatenate", lambda a, b: np.concatenate([a, b], axis=1), A, _normal(2, 1, 4))
case("concatenate", lambda a, m: np.concatenate((a, m), axis=None), A, M)
case("concatenate", lambda m: np.concatenate([m, np.ones((1, 4))]), M)
case("stack", lambda v, w: np.stack([v, w, V], axis=-1), V, W)
case("stack", lambda v: np.stack([v[0], v[2], 2.0]), V)
case("vstack", lambda v, m: np.vstack([v[:4], m]), V, M)
case("hstack", lambda v, w: np.hstack([v, w]), V, W)
case("hstack", lambda m, n: np.hstack([m, n.T]), M, N)
case("dstack", lambda m, n: np.dstack([m, n.T]), M, N)
case("column_stack", lambda v, w: np.column_stack([v, w]), V, W)
case("append", lambda v: np.append(v, [1.0, 2.0]), V)
case("append", lambda m: np.append(m, m, axis=1), M)
case("block", lambda s, v: np.block([[s, np.zeros((3, 1))], [v[:3], 1.0]]), S, V)
case("block", lambda v, w: np.block([v, w]), V, W)
case("array_split", lambda v: np.array_split(v, 3), V)
case("array_split", lambda a: np.array_split(a, [1, 3], axis=-1), A)
case("split", lambda a: np.split(a, 2, axis=-1), A)
case("split", lambda a: np.split(a, (1,), axis=1), A)
case("hsplit", lambda a: np.hsplit(a, 3), A)
case("hsplit", lambda v: np.hsplit(v, 5), V)
case("vsplit", lambda a: np.vsplit(a, 2), A)
case("dsplit", lambda a: np.dsplit(a, [2]), A)
case("unstack", lambda a: np.unstack(a, axis=1), A)
case("diagonal", lambda a: np.diagonal(a, 1, 0, 2), A)
case("linalg.diagonal", lambda a: np.linalg.diagonal(a, offset=-1), A)
case("diag", lambda v: np.diag(v, 1), V)
case("diag", lambda m: np.diag(m, -1), M)
case("diagflat", lambda m: np.diagflat(m, 1), M)
case("tril", lambda a: np.tril(a, 1), A)
case("triu", lambda a: np.triu(a, -1), A)
case("delete", lambda a: np.delete(a, [0, -1], axis=2), A)
case("delete", lambda a: np.delete(a, slice(None, None, 2)), A)
case("delete", lambda a: np.delete(a, 1, axis=1), A)
case("lib.stride_tricks.sliding_window_view", lambda v: np.lib.stride_tricks.sliding_window_view(v, 3), V)
case(
    "lib.stride_tricks.sliding_window_view",
    lambda a: np.lib.stride_tricks.sliding_window_view(a, (2, 3), axis=(1, 2)),
    A,
)
case("tile", lambda v: np.tile(v, 2), V)
case("tile", lambda m: np.tile(m, (2, 1, 3)), M)
case("repeat", lambda a: np.repeat(a, 2), A)
case("repeat", lambda a: np.repeat(a, [1, 0, 2], axis=1), A)
case("resize", lambda a: np.resize(a, (5, 7)), A)
case("resize", lambda a: np.resize(a, 3), A)
case("pad", lambda m: np.pad(m, 1), M)
case("pad", lambda m: np.pad(m, ((1, 0), (0, 2)), constant_values=((1.0, 2.0), (3.0, 4.0))), M)
case("pad", lambda m: np.pad(m, (1, 2), constant_values=0.5), M)
for mode in ("edge", "reflect", "symmetric", "wrap"):
    case("pad", lambda m, mode=mode: np.pad(m, ((2, 0), (1, 3)), mode=mode), M)
case("roll", lambda a: np.roll(a, 2), A)
case("roll", lambda a: np.roll(a, (1, 2), axis=(0, -1)), A)
case("roll", lambda a: np.roll(a, 1, axis=(0, 1)), A)
case("roll", lambda a: np.roll(a, -1, axis=1), A)
case("flip", np.flip, A)
case("flip", lambda a: np.flip(a, (0, -1)), A)
case("fliplr", np.fliplr, A)
case("flipud", np.flipud, A)
case("rot90", lambda a: np.rot90(a, 3, axes=(1, 2)), A)
case("take", lambda a: np.take(a, [0, -1, 2], axis=1), A)
case("take", lambda a: np.take(a, [[0, 23], [5, 5]]), A)
case("take", lambda v: np.take(v, [-7, 9], mode="clip"), V)
case("take", lambda v: np.take(v, [-7, 9], mode="wrap"), V)
case("take", lambda a: np.take(a, 1, axis=-1), A)
case("take_along_axis", lambda a: np.take_along_axis(a, np.argsort(a, axis=1), axis=1), A)
case("meshgrid", lambda v, w: np.meshgrid(v, w[:3]), V, W)
case("meshgrid", lambda v, w: np.meshgrid(v, w[:3], sparse=True, indexing="ij"), V, W)
case("meshgrid", lambda v, w: np.meshgrid(v, w[:3], w[:2], sparse=True), V, W)
case("vander", lambda v: np.vander(v, 3), V)
case("vander", lambda v: np.vander(v, increasing=True), V)

# ---- products and matrices -------------------------------------------------------------------------------------------

case("dot", np.dot, V, W)
case("dot", np.dot, A, N)
case("dot", lambda v: np.dot(2.0, v), V)
case("dot", lambda a, b: np.dot(a, b), A, _normal(2, 4, 3))
case("dot", lambda m: np.dot(m, [1.0, 2.0, 3.0, 4.0]), M)
case("inner", np.inner, A, _normal(3, 4))
case("vdot", np.vdot, M, N.T)
case("vdot", np.vdot, C, C[::-1])
case("outer", np.outer, M, V)
case("linalg.outer", np.linalg.outer, V, W)
case("linalg.matmul", np.linalg.matmul, A, N)
case("linalg.vecdot", lambda a: np.linalg.vecdot(a, A + 1, axis=0), A)
case("tensordot", lambda a, b: np.tensordot(a, b, axes=([0, 1], [1, 0])), A, _normal(3, 2))
case("tensordot", lambda a, m: np.tensordot(a, m, axes=(1, 0)), A, M)
case("tensordot", lambda a, m: np.tensordot(a, m, axes=2), A, M)
case("linalg.tensordot", lambda a, n: np.linalg.tensordot(a, n, axes=1), A, N)
case("kron", np.kron, M, _normal(2, 2))
case("cross", lambda s, v: np.cross(s, v), S, _normal(3))
case("cross", lambda s, t: np.cross(s, t, axisa=0, axisc=0), S, _normal(3, 3))
case("linalg.cross", lambda a: np.linalg.cross(a, A + 1, axis=1), A)
case("einsum", lambda a, m: np.einsum("abc,bc->ab", a, m), A, M)
case("einsum", lambda a, m: np.einsum(a, [0, 1, 2], m, [1, 2], [2, 0]), A, M)
case("einsum", lambda m, n, s: np.einsum("ij,jk,kl", m, n, s, optimize=True), M, N, S)
case("trace", lambda a: np.trace(a, 1, 0, 2), A)
case("linalg.trace", lambda a: np.linalg.trace(a, offset=-1), A)
case("linalg.det", np.linalg.det, STACK)
case("linalg.slogdet", np.linalg.slogdet, STACK)
for p in (None, "fro", 1, -2, np.inf):
    case("linalg.cond", lambda s, p=p: np.linalg.cond(s, p), S)
case("linalg.norm", np.linalg.norm, A)
for p in (None, 1, 2, 3, np.inf, -np.inf):
    case("linalg.norm", lambda v, p=p: np.linalg.norm(v, p), V)
    case("linalg.norm", lambda a, p=p: np.linalg.norm(a, p, axis=-1, keepdims=True), A)
for p in ("fro", "nuc", 1, 2, np.inf, -1):
    case("linalg.norm", lambda m, p=p: np.linalg.norm(m, p), M)
    case("linalg.norm", lambda a, p=p: np.linalg.norm(a, p, axis=(0, 2)), A)
case("linalg.norm", lambda a: np.linalg.norm(a, axis=(0, 2), keepdims=True), A)
case("linalg.norm", np.linalg.norm, C)
case("linalg.vector_norm", lambda a: np.linalg.vector_norm(a, axis=(0, 1), ord=3), A)
case("linalg.matrix_norm", lambda a: np.linalg.matrix_norm(a, ord="nuc", keepdims=True), A)
case("linalg.matrix_rank", np.linalg.matrix_rank, M, smooth=False)
case("linalg.matrix_rank", lambda v: np.linalg.matrix_rank(v), V, smooth=False)
case("linalg.matrix_rank", lambda s: np.linalg.matrix_rank(s, tol=3.0), S, smooth=False)
case("linalg.matrix_power", lambda s: np.linalg.matrix_power(s, 3), S)
case("linalg.matrix_power", lambda s: np.linalg.matrix_power(s, -2), S)
case("linalg.inv", np.linalg.inv, STACK)
case("linalg.pinv", np.linalg.pinv, M)
case("linalg.pinv", lambda m: np.linalg.pinv(m, rtol=1e-3), M)
case("linalg.solve", np.linalg.solve, S, _normal(3))
case("linalg.solve", np.linalg.solve, STACK, _normal(3, 2))
case("linalg.solve", np.linalg.solve, STACK, _normal(3))
case("linalg.lstsq", np.linalg.lstsq, N, _normal(4))
case("linalg.lstsq", lambda a, b: np.linalg.lstsq(a, b, rcond=1e-3), N, _normal(4, 2))
case("linalg.lstsq", np.linalg.lstsq, M, _normal(3))
case("linalg.tensorinv", lambda a: np.linalg.tensorinv(a, ind=1), _normal(6, 2, 3) + np.eye(6).reshape(6, 2, 3) * 3)
case("linalg.tensorsolve", np.linalg.tensorsolve, _normal(2, 3, 6), _normal(2, 3))
case("linalg.multi_dot", lambda m, n, s: np.linalg.multi_dot([m, n, s]), M, N, S)
case("linalg.cholesky", lambda p: np.linalg.cholesky((p + p.T) / 2), P, anywhere=False)
case("linalg.cholesky", lambda p: np.linalg.cholesky((p + p.T) / 2, upper=True), P, anywhere=False)
case("linalg.qr", np.linalg.qr, N)
case("linalg.qr", lambda s: np.linalg.qr(s, mode="complete"), S)
case("linalg.qr", lambda s: np.linalg.qr(s, mode="r"), S)
case("linalg.svd", lambda m: np.linalg.svd(m, full_matrices=False)[1], M)
case("linalg.svd", lambda m: np.linalg.svd(m, compute_uv=False), M)
case("linalg.svdvals", np.linalg.svdvals, A)
case("linalg.eig", lambda s: np.sort(np.real(np.linalg.eig(s)[0])), P)
case("linalg.eigvals", lambda s: np.sort(np.real(np.linalg.eigvals(s))), P)
case("linalg.eigh", lambda p: np.abs(np.linalg.eigh((p + p.T) / 2)[1]), P)
case("linalg.eigh", lambda p: np.linalg.eigh((p + p.T) / 2, UPLO="U").eigenvalues, P)
case("linalg.eigvalsh", lambda p: np.linalg.eigvalsh((p + p.T) / 2), P)
case("polyval", lambda p, x: np.polyval(p, x), V, W)
case("polymul", np.polymul, V, _normal(3))
case("polyadd", np.polyadd, V, _normal(3))
case("polysub", np.polysub, _normal(3), V)
case("polyder", lambda v: np.polyder(v, 2), V)
case("polyint", lambda v: np.polyint(v, 2, k=[1.0, 2.0]), V)
case("polyint", np.polyint, V)
case("poly", np.poly, V)
for mode in ("full", "same", "valid"):
    for name in ("convolve", "correlate"):
        case(name, lambda a, v, n=name, mode=mode: getattr(np, n)(a, v, mode=mode), V, _normal(3))
        case(name, lambda a, v, n=name, mode=mode: getattr(np, n)(a, v, mode=mode), _normal(2), V)
        case(name, lambda a, v, n=name, mode=mode: getattr(np, n)(a, v, mode=mode), _normal(6), _normal(4))
case("correlate", np.correlate, C[0], C[1, :2])

# ---- order and search ------------------------------------------------------------------------------------------------

case("sort", lambda a: np.sort(a, axis=1), A)
case("sort", lambda a: np.sort(a, axis=None, kind="stable"), A)
case("argsort", lambda a: np.argsort(a, axis=0), A, smooth=False)
case("partition", lambda v: np.partition(v, 0)[:1], V)
case("argpartition", lambda v: np.argpartition(v, 0)[:1], V, smooth=False)
case("lexsort", lambda v: np.lexsort((v, np.array([1, 0, 1, 0, 1]))), V, smooth=False)
case("searchsorted", lambda v: np.searchsorted(UP, v, side="right"), W, smooth=False)
case("searchsorted", lambda v: np.searchsorted(np.sort(v), 0.3), W, smooth=False)
case("searchsorted", lambda v: np.searchsorted(v, W, sorter=np.argsort(v)), V, smooth=False)
case("digitize", lambda v: np.digitize(v, [-1.0, 0.0, 1.0]), V, smooth=False)
case("digitize", lambda v: np.digitize(v, [1.0, 0.0, -1.0], right=True), np.array([1.0, 0.0, 0.5]), smooth=False)
case("digitize", lambda v: np.digitize(v, [1.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.5]), smooth=False)
case("digitize", lambda v: np.digitize(v, [-1.0, 0.0], right=True), np.array([-1.0, 0.0, 0.5]), smooth=False)
case("bincount", lambda v: np.bincount([0, 2, 2, 1, 0], weights=v, minlength=4), V)
case("bincount", lambda i: np.bincount(i, minlength=7), COUNTS[0], smooth=False)
for name in ("nonzero", "flatnonzero", "argwhere"):
    case(name, lambda a, n=name: getattr(np, n)(a > 0), A, smooth=False, mapped=False)
case("extract", lambda a: np.extract(a > 0, a), A, mapped=False)
case("compress", lambda a: np.compress([True, False, True], a, axis=1), A)
case("compress", lambda a: np.compress([False, True, True], a), A)
case("isin", lambda i: np.isin(i, [0, 5], invert=True), COUNTS, smooth=False)
case("unique", np.unique, COUNTS, smooth=False, mapped=False)
case(
    "unique",
    lambda i: np.unique(i, return_inverse=True, return_counts=True, axis=1),
    COUNTS,
    smooth=False,
    mapped=False,
)
case("unique_values", lambda i: np.sort(np.unique_values(i)), COUNTS, smooth=False, mapped=False)
for name in ("unique_counts", "unique_inverse"):
    case(name, getattr(np, name), COUNTS, smooth=False, mapped=False)
case("ravel_multi_index", lambda i: np.ravel_multi_index((i, i // 2), (6, 4)), COUNTS, smooth=False)
case("unravel_index", lambda i: np.unravel_index(i, (2, 3)), COUNTS, smooth=False)

# ---- new arrays ------------------------------------------------------------------------------------------------------

case("zeros_like", lambda a: a + np.zeros_like(a), A)
case("ones_like", lambda a: a + np.ones_like(a, shape=4), A)
case("ones_like", lambda a: np.ones_like(a, dtype=np.float32, shape=(2, 2)), A, smooth=False)
case("empty_like", lambda a: np.shape(np.empty_like(a)), A, smooth=False, mapped=False)
case("full_like", lambda a, v: np.full_like(a, v[0]), A, V)
case("full_like", lambda a: np.full_like(a, [1, 2, 3, 4]), A, smooth=False)
case("copy", np.copy, A)
case("astype", lambda a: np.astype(a, np.float32), A, smooth=False)
for name in ("zeros", "ones"):
    case(name, lambda v, n=name: v + getattr(np, n)(5, like=v), V)
case("empty", lambda v: np.shape(np.empty((2, 3), like=v)), V, smooth=False, mapped=False)
case("full", lambda v: np.full((2, 5), v, like=v), V)
case("eye", lambda v: v[0] * np.eye(3, 4, 1, like=v), V)
case("identity", lambda v: v[0] * np.identity(3, like=v), V)
case("tri", lambda v: v[0] * np.tri(3, 4, -1, like=v), V)
case("arange", lambda v: v + np.arange(5, like=v), V)
case("arange", lambda v: np.arange(1.0, 2.0, 0.25, like=v), V, smooth=False)
case("array", lambda v: np.array([[v[0], 1.0], [v[1], v[2]]], ndmin=3, like=v), V)
for name in ("asarray", "asanyarray", "ascontiguousarray", "require"):
    case(name, lambda v, n=name: getattr(np, n)([v[0], v[1]], like=v), V)
case("linspace", lambda v: np.linspace(v[0], 2.0, 7), V)
case("linspace", lambda m: np.linspace(m, m + 1, 4, endpoint=False, axis=1, retstep=True), M)
case("linspace", lambda i: np.linspace(i, 9, 3), COUNTS, smooth=False)
case("logspace", lambda v: np.logspace(v, 1.5, 4, base=2.0), V)
case("geomspace", lambda v: np.geomspace(np.exp(v), 3.0, 4, axis=-1), V)
case("diag_indices_from", np.diag_indices_from, S, smooth=False, mapped=False)
case("tril_indices_from", lambda m: np.tril_indices_from(m, 1), M, smooth=False, mapped=False)
case("triu_indices_from", lambda m: np.triu_indices_from(m, 1), M, smooth=False, mapped=False)
case("result_type", lambda a: str(np.result_type(a, np.float32)), A, smooth=False, mapped=False)
case("can_cast", lambda a: np.can_cast(a, np.float32), A, smooth=False, mapped=False)
case("common_type", lambda i: np.common_type(i) is np.float64, COUNTS, smooth=False, mapped=False)
case("apply_over_axes", lambda a: np.apply_over_axes(np.sum, a, [0, 2]), A)

# ---- Fourier ---------------------------------------------------------------------------------------------------------

for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    f = getattr(np.fft, name)
    case(f"fft.{name}", f, V)
    case(f"fft.{name}", lambda a, f=f: f(a, n=6, axis=1, norm="ortho"), A)
for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
    f = getattr(np.fft, name)
    case(f"fft.{name}", f, A)
    case(f"fft.{name}", lambda a, f=f: f(a, s=(3, 5), axes=(0, 1), norm="forward"), A)
for name in ("fftshift", "ifftshift"):
    case(f"fft.{name}", getattr(np.fft, name), M)
    case(f"fft.{name}", lambda a, n=name: getattr(np.fft, n)(a, axes=1), A)
