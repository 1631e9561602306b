"""Linear algebra."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

import tensorplay as tp

from .contraction import shapes
from .record import OpRecord, Random, Sample

SQUARE = shapes(((3, 3),), ((2, 2, 2),), ((1, 1),), ((0, 0),))
ANY = shapes(((3, 2),), ((2, 3),), ((2, 2, 3),), ((1, 1),))


def adjoint(x: Any) -> Any:
    """Conjugate transpose of a tensor or an array."""
    return np.conj(np.swapaxes(x, -1, -2)) if isinstance(x, np.ndarray) else tp.transpose(tp.conj_physical(x), -1, -2)


def made_hermitian(a: Any, *rest: Any) -> tuple[Any, ...]:
    """A Hermitian first argument."""
    return (a + adjoint(a), *rest)


def made_definite(a: Any, *rest: Any) -> tuple[Any, ...]:
    """A Hermitian positive-definite first argument."""
    eye = np.eye(a.shape[-1], dtype=np.finfo(np.dtype(a.dtype)).dtype)
    return (a @ adjoint(a) + (eye if isinstance(a, np.ndarray) else tp.from_numpy(eye)), *rest)


def ranked(reference: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that also gives the zeros that say that nothing failed."""
    return lambda a, *args, **kwargs: (reference(a, *args, **kwargs), np.zeros(a.shape[:-2], np.int32))


def ranked_pair(reference: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a reference that gives two."""
    return lambda a: (*reference(a), np.zeros(a.shape[:-2], np.int32))


def _singular(random: Random) -> list[Sample]:
    n = random.standard_normal
    low_rank = n((3, 2)) @ n((2, 3))
    return [*SQUARE(random), Sample((low_rank,)), Sample((np.outer(n(3), n(3)),)), Sample((np.diag([2.0, 3.0, 0.0]),))]


def _solve(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((3, 3)), n((3, 2)))),
        Sample((n((3, 3)), n(3))),
        Sample((n((2, 2, 2)), n((2, 2)))),
        Sample((n((2, 2, 2)), n((2, 3)))),
        Sample((n((2, 1, 2, 2)), n((2, 2, 1)))),
        Sample((n((2, 2)), n((3, 2))), {"left": False}),
        Sample((n((0, 0)), n((0, 2)))),
    ]


def _solve_reference(a: Any, b: Any, left: bool = True) -> Any:
    if not left:
        return np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)
    if b.ndim == 1 or b.shape == a.shape[:-1]:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


def _triangular(random: Random) -> list[Sample]:
    n = random.standard_normal
    a = n((3, 3)) + 2 * np.eye(3)
    return [
        Sample((a, n((3, 2))), {"upper": True}),
        Sample((a, n((3, 2))), {"upper": False}),
        Sample((a, n((2, 3))), {"upper": False, "left": False}),
        Sample((a, n((3, 1))), {"upper": True, "unitriangular": True}),
        Sample((n((2, 2, 2)), n((2, 1))), {"upper": True}),
    ]


def _triangular_reference(a: Any, b: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        part = part - part * np.eye(a.shape[-1]) + np.eye(a.shape[-1])
    return _solve_reference(part, b, left)


def _powers(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal((3, 3)), n)) for n in (-2, 0, 1, 2, 5)]


def _vander_reference(x: Any, N: int | None = None) -> Any:
    return x[..., None] ** np.arange(x.shape[-1] if N is None else N)


def _norms(random: Random) -> list[Sample]:
    n = random.standard_normal
    orders = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    return [Sample((n((3, 2)), order)) for order in orders] + [Sample((n((2, 2, 3)), "nuc", (0, 2), True))]


def _norm_reference(a: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    return np.linalg.norm(a, ord, dim, keepdim)


def _cond(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal((3, 3)), p)) for p in (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)]


def _lstsq(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((4, 2)), n((4, 2)))),
        Sample((n((2, 4)), n((2, 1)))),
        Sample((n((3, 3)) + 3 * np.eye(3), n(3)), {"driver": "gels"}),
        Sample((n((4, 2)), n((4, 2))), {"driver": "gelsd"}),
    ]


def _lstsq_reference(a: Any, b: Any, driver: str = "gelsy") -> Any:
    x, residuals, rank, s = np.linalg.lstsq(a, b)
    empty = np.empty((0,))
    return (
        x,
        empty if driver == "gelsy" else residuals,
        np.empty((0,), np.int64) if driver == "gels" else np.asarray(rank, np.int64),
        s if driver == "gelsd" else empty,
    )


def _cdist(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((3, 2)), n((2, 2)), p)) for p in (1.0, 2.0, 3.0, float("inf"))] + [
        Sample((n((2, 1, 2, 2)), n((3, 2))))
    ]


def _cdist_reference(x: Any, y: Any, p: float = 2.0) -> Any:
    return np.linalg.norm(x[..., :, None, :] - y[..., None, :, :], p, axis=-1)


def _lu_reference(a: Any) -> Any:
    p, low, high = scipy.linalg.lu(a)
    return p.astype(a.dtype), low, high


def _packed_lu(a: Any) -> Any:
    if a.ndim > 2:
        return tuple([np.stack(parts) for parts in zip(*[_packed_lu(m) for m in a], strict=True)])
    packed, pivots, _ = scipy.linalg.lapack.get_lapack_funcs("getrf", (a,))(a)
    return packed, (pivots + 1).astype(np.int32)


def _eigh_free(out: Any) -> Any:
    """Eigenvalues, and projections on eigenvectors summed with weights."""
    w, v = out
    weighted = v * np.arange(1.0, v.shape[-1] + 1) if isinstance(v, np.ndarray) else v * tp.arange(1.0, v.shape[-1] + 1)
    return w, weighted @ adjoint(v)


def _svd_free(out: Any) -> Any:
    """Singular values and the polar factor."""
    u, s, vh = out
    k = s.shape[-1]
    return s, u[..., :k] @ vh[..., :k, :]


def _svd_reference(a: Any, full_matrices: bool = True) -> Any:
    return tuple(np.linalg.svd(a, full_matrices))


def _qr_reference(a: Any, mode: str = "reduced") -> Any:
    return tuple(np.linalg.qr(a, mode))


def _factors(random: Random) -> list[Sample]:
    """A well-conditioned lower triangle, and right-hand sides."""
    n = random.standard_normal
    return [
        Sample((n((3, 2)), np.tril(n((3, 3))) + 3 * np.eye(3))),
        Sample((n((2, 2, 1)), np.tril(n((2, 2))) + 3 * np.eye(2))),
    ]


def _one_factor(random: Random) -> list[Sample]:
    return [Sample(sample.args[1:]) for sample in _factors(random)]


def _from_factor(b: Any, factor: Any) -> Any:
    low = np.tril(factor)
    return np.linalg.solve(low @ adjoint(low), b)


def _triangular_pair(random: Random) -> list[Sample]:
    n = random.standard_normal
    a = n((3, 3)) + 3 * np.eye(3)
    return [Sample((n((3, 2)), a)), Sample((n((3, 2)), a, False, True)), Sample((n((3, 2)), a, True, False, True))]


def _triangular_pair_reference(
    b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        part = part * (1 - np.eye(a.shape[-1], dtype=a.dtype)) + np.eye(a.shape[-1], dtype=a.dtype)
    return np.linalg.solve(part.T if transpose else part, b), a


def _packed_factors(random: Random) -> list[Sample]:
    n = random.standard_normal
    pivots = np.array([3, 2, 3], np.int32)
    return [Sample((n((3, 3)) + 3 * np.eye(3), pivots)), Sample((n((2, 3, 3)), np.stack([pivots, pivots[::-1]])))]


def _unpacked_reference(packed: Any, pivots: Any) -> Any:
    if packed.ndim > 2:
        parts = zip(*[_unpacked_reference(*pair) for pair in zip(packed, pivots, strict=True)], strict=True)
        return tuple([np.stack(part) for part in parts])
    n = packed.shape[-1]
    swaps = np.eye(n, dtype=packed.dtype)
    for i, other in enumerate(pivots - 1):
        swaps[[i, other]] = swaps[[other, i]]
    return swaps.T, np.tril(packed, -1) + np.eye(n, dtype=packed.dtype), np.triu(packed)


def _packed_and_sides(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((*sample.args, n((3, 2)))) for sample in _packed_factors(random)[:1]]


def _lu_solve_reference(packed: Any, pivots: Any, b: Any) -> Any:
    swaps, low, high = _unpacked_reference(packed, pivots)
    return np.linalg.solve(swaps @ low @ high, b)


def _sides_and_packed(random: Random) -> list[Sample]:
    return [Sample((sample.args[2], *sample.args[:2])) for sample in _packed_and_sides(random)]


def _reflections(random: Random) -> list[Sample]:
    return shapes(((4, 2), (2,)), ((3, 3), (2,)), ((2, 3, 2), (2, 2)))(random)


def _product_of_reflections(a: Any, tau: Any) -> Any:
    if a.ndim > 2:
        return np.stack([_product_of_reflections(m, t) for m, t in zip(a, tau, strict=True)])
    q = np.eye(a.shape[0], dtype=a.dtype)
    for i, factor in enumerate(tau):
        v = np.concatenate([np.zeros(i), [1], a[i + 1 :, i]]).astype(a.dtype)
        q = q @ (np.eye(a.shape[0]) - factor * np.outer(v, v.conj()))
    return q[:, : a.shape[1]].astype(a.dtype)


def _ormqr(random: Random) -> list[Sample]:
    n = random.standard_normal
    a, tau = n((4, 2)), n(2)
    return [
        Sample((a, tau, n((4, 3)))),
        Sample((a, tau, n((4, 3)), True, True)),
        Sample((a, tau, n((3, 4)), False)),
    ]


def _ormqr_reference(a: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    wide = np.concatenate([a, np.zeros((a.shape[0], a.shape[0] - a.shape[1]), a.dtype)], axis=1)
    q = _product_of_reflections(wide, tau)
    q = adjoint(q) if transpose else q
    return q @ other if left else other @ q


def _geqrf_reference(a: Any) -> Any:
    if a.ndim > 2:
        return tuple([np.stack(parts) for parts in zip(*[_geqrf_reference(m) for m in a], strict=True)])
    return tuple(scipy.linalg.lapack.get_lapack_funcs("geqrf", (a,))(a)[:2])


def _ldl_reference(a: Any) -> Any:
    if a.ndim > 2:
        return tuple([np.stack(parts) for parts in zip(*[_ldl_reference(m) for m in a], strict=True)])
    packed, pivots, _ = scipy.linalg.lapack.get_lapack_funcs("sytrf", (a,))(a, lower=1)
    return np.tril(packed), pivots.astype(np.int32)


def _ldl_solve_reference(packed: Any, pivots: Any, b: Any) -> Any:
    """From the factors, put together one swap after the other."""
    n = packed.shape[-1]
    product, k = np.eye(n, dtype=packed.dtype), 0
    d = np.zeros((n, n), packed.dtype)
    while k < n:
        size = 1 if pivots[k] > 0 else 2
        block = slice(k, k + size)
        swaps, low = np.eye(n), np.eye(n, dtype=packed.dtype)
        here, other = k + size - 1, abs(pivots[k]) - 1
        swaps[[here, other]] = swaps[[other, here]]
        low[k + size :, block] = packed[k + size :, block]
        inner = np.tril(packed[block, block])
        d[block, block] = inner + np.tril(inner, -1).T
        product, k = product @ swaps @ low, k + size
    return np.linalg.solve(product @ d @ product.T, b)


def _ldl_factors(random: Random) -> list[Sample]:
    """Packed factors with blocks of size 1 alone, and with one of size 2."""
    n = random.standard_normal
    return [
        Sample((np.tril(n((3, 3))) + 3 * np.eye(3), np.array([1, 3, 3], np.int32), n((3, 2)))),
        Sample((np.tril(n((3, 3))) + np.eye(3), np.array([-3, -3, 3], np.int32), n((3, 1)))),
    ]


def _svd_of_old(a: Any, some: bool = True) -> Any:
    u, s, vh = np.linalg.svd(a, full_matrices=not some)
    return u, s, adjoint(vh)


def _old_svd_free(out: Any) -> Any:
    u, s, v = out
    return _svd_free((u, s, adjoint(v)))


def _with_rank(q: int) -> Callable[[Random], list[Sample]]:
    return lambda random: [Sample((random.standard_normal(shape), q)) for shape in ((4, 3), (2, 4, 3))]


def _centred(a: Any, q: int) -> Any:
    return _svd_of_old(a - a.mean(-2, keepdims=True))


def _rank_of(name: str, full: Callable[..., Any], q: int) -> list[OpRecord]:
    """Where nothing is left out, the draws do not matter, and there is a reference."""
    drawn = {"stage": "draws again, so that the last digits differ"}
    return [
        _record(name, full, _with_rank(q), variant="full", normalize=_old_svd_free, complex=False, xfail=drawn),
        OpRecord(name, None, _with_rank(2), normalize=_old_svd_free, method=False, rtol=1e-6),
    ]


def _eig_free(out: Any) -> Any:
    """Eigenvalues, and the moduli of the elements of eigenvectors."""
    w, v = out
    return _as_complex(w), abs(v)


def _as_complex(w: Any) -> Any:
    return w.astype(np.result_type(w, np.complex64)) if isinstance(w, np.ndarray) else w


def _record(
    name: str, reference: Callable[..., Any], samples: Callable[[Random], list[Sample]], **options: Any
) -> OpRecord:
    return OpRecord(name, reference, samples, complex=options.pop("complex", True), **{"method": False, **options})


records = [
    _record("linalg.solve", _solve_reference, _solve),
    _record("linalg.solve_ex", ranked(_solve_reference), _solve),
    _record("linalg.inv_ex", ranked(np.linalg.inv), SQUARE),
    _record("linalg.solve_triangular", _triangular_reference, _triangular),
    _record("linalg.inv", np.linalg.inv, SQUARE),
    _record("inverse", np.linalg.inv, SQUARE, method=True),
    _record("linalg.det", np.linalg.det, _singular),
    _record("det", np.linalg.det, SQUARE, method=True),
    _record("linalg.slogdet", lambda a: tuple(np.linalg.slogdet(a)), SQUARE),
    _record("slogdet", lambda a: tuple(np.linalg.slogdet(a)), SQUARE, method=True),
    _record("logdet", lambda a: np.log(np.linalg.det(a)), SQUARE, method=True, symmetrize=made_definite, complex=False),
    _record("linalg.cholesky_ex", ranked(np.linalg.cholesky), SQUARE, symmetrize=made_definite),
    _record("linalg.cholesky", np.linalg.cholesky, SQUARE, symmetrize=made_definite),
    _record("cholesky", np.linalg.cholesky, SQUARE, symmetrize=made_definite, method=True),
    _record("linalg.eigvalsh", np.linalg.eigvalsh, SQUARE, symmetrize=made_hermitian),
    _record("linalg.eigh", lambda a: tuple(np.linalg.eigh(a)), SQUARE, symmetrize=made_hermitian, normalize=_eigh_free),
    _record("linalg.svdvals", lambda a: np.linalg.svd(a, compute_uv=False), ANY),
    _record("linalg.svd", _svd_reference, ANY, normalize=_svd_free),
    _record("linalg.qr", _qr_reference, ANY),
    _record("qr", _qr_reference, ANY, method=True),
    _record("linalg.lu", _lu_reference, ANY),
    _record("linalg.lu_factor", _packed_lu, ANY),
    _record("linalg.pinv", np.linalg.pinv, ANY),
    _record("pinverse", np.linalg.pinv, ANY, method=True),
    _record("linalg.lstsq", _lstsq_reference, _lstsq),
    _record("linalg.matrix_rank", np.linalg.matrix_rank, ANY, differentiable=False),
    _record("linalg.matrix_norm", _norm_reference, _norms),
    _record("linalg.cond", np.linalg.cond, _cond),
    _record("linalg.matrix_power", np.linalg.matrix_power, _powers),
    _record("matrix_power", np.linalg.matrix_power, _powers, method=True),
    _record("linalg.matrix_exp", scipy.linalg.expm, shapes(((3, 3),), ((2, 2, 2),), ((1, 1),))),
    _record("matrix_exp", scipy.linalg.expm, shapes(((3, 3),)), method=True),
    _record("linalg.vander", _vander_reference, shapes(((3,),), ((2, 2),))),
    _record(
        "linalg.multi_dot",
        lambda m: np.linalg.multi_dot(m),
        lambda random: [Sample(([*shapes(((2, 3), (3, 2), (2, 4)))(random)[0].args],))],
    ),
    _record("linalg.vecdot", lambda x, y: np.sum(np.conj(x) * y, -1), shapes(((2, 3), (3,)), ((2, 3), (2, 3)))),
    _record("linalg.tensorinv", lambda a: np.linalg.tensorinv(a), shapes(((2, 3, 6),))),
    _record("linalg.tensorsolve", np.linalg.tensorsolve, shapes(((2, 3, 6), (2, 3)))),
    _record("cholesky_solve", _from_factor, _factors, method=True),
    _record("cholesky_inverse", lambda a: _from_factor(np.eye(a.shape[-1]), a), _one_factor, method=True),
    _record("linalg.householder_product", _product_of_reflections, _reflections),
    _record("orgqr", _product_of_reflections, _reflections, method=True),
    _record("ormqr", _ormqr_reference, _ormqr, method=True),
    _record("geqrf", _geqrf_reference, ANY, method=True),
    _record("linalg.ldl_factor", _ldl_reference, SQUARE),
    _record("linalg.ldl_factor_ex", ranked_pair(_ldl_reference), SQUARE),
    _record("linalg.ldl_solve", _ldl_solve_reference, _ldl_factors, map_indices=False),
    _record("linalg.lu_factor_ex", ranked_pair(_packed_lu), ANY),
    _record("svd", _svd_of_old, ANY, normalize=_old_svd_free, method=True),
    *_rank_of("svd_lowrank", lambda a, q: _svd_of_old(a), 3),
    *_rank_of("pca_lowrank", _centred, 3),
    _record("triangular_solve", _triangular_pair_reference, _triangular_pair, method=True),
    _record("lu_unpack", _unpacked_reference, _packed_factors),
    _record("linalg.lu_solve", _lu_solve_reference, _packed_and_sides),
    _record("lu_solve", lambda b, lu, pivots: _lu_solve_reference(lu, pivots, b), _sides_and_packed, method=True),
    _record("lu", _packed_lu, ANY, method=True),
    _record("vander", lambda x: np.vander(x), shapes(((3,),))),
    _record("linalg.norm", _norm_reference, _norms),
    _record("linalg.cross", lambda x, y: np.cross(x, y), shapes(((2, 3), (2, 3)))),
    _record("linalg.matmul", np.matmul, shapes(((2, 3), (3, 2)))),
    _record("linalg.diagonal", lambda a: np.diagonal(a, 0, -2, -1), shapes(((2, 3),), ((2, 2, 2),))),
    _record("linalg.eigvals", np.linalg.eigvals, shapes(((3, 3),)), normalize=_as_complex),
    _record("linalg.eig", lambda a: tuple(np.linalg.eig(a)), shapes(((3, 3),)), normalize=_eig_free),
    _record("cdist", _cdist_reference, _cdist, complex=False),
]
