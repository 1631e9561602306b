"""Products of vectors, matrices and tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def shapes(*groups: tuple[tuple[int, ...], ...], **kwargs: Any) -> Callable[[Random], list[Sample]]:
    """One sample per group of operand shapes."""
    return lambda random: [Sample(tuple([random.standard_normal(s) for s in group]), dict(kwargs)) for group in groups]


def _matmul(random: Random) -> list[Sample]:
    return shapes(
        ((2, 3), (3, 4)),
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (2, 3, 2)),
        ((2, 1, 2, 3), (4, 3, 2)),
        ((1, 2, 3), (2, 3, 2)),
        ((0, 3), (3, 2)),
        ((2, 0), (0, 3)),
    )(random)


def _einsum(random: Random) -> list[Sample]:
    cases = {
        "ij,jk->ik": ((2, 3), (3, 4)),
        "ii->": ((3, 3),),
        "iij->ji": ((2, 2, 3),),
        "...ij,...jk->...ik": ((2, 1, 2, 3), (2, 3, 2)),
        "bij,bjk,kl->bil": ((2, 3, 2), (2, 2, 3), (3, 2)),
        "i,j,k->kij": ((2,), (3,), (2,)),
        "ij,kj": ((2, 3), (2, 3)),
        "ab,cd->": ((2, 3), (2, 2)),
        "nd,nn->d": ((3, 2), (3, 3)),
        "ij,ij->ij": ((2, 3), (1, 3)),
    }
    n = random.standard_normal
    samples = [Sample((equation, *[n(s) for s in operands])) for equation, operands in cases.items()]
    return [*samples, Sample((n((2, 3)), [0, 1], n((3, 2)), [1, 2], [2, 0]))]


def _blend(*operands: tuple[int, ...]) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        args = tuple([random.standard_normal(s) for s in operands])
        return [Sample(args), Sample(args, {"beta": 2, "alpha": -3}), Sample(args, {"beta": 0})]

    return samples


def _blended(product: Callable[..., Any]) -> Callable[..., Any]:
    return lambda input, x, y, beta=1, alpha=1: beta * input + alpha * product(x, y)


def _kron(random: Random) -> list[Sample]:
    return shapes(((2, 3), (3, 2)), ((2,), (2, 2)), ((), (3,)), ((0, 2), (2, 2)))(random)


def _tensordot(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3, 2)), n((3, 2, 2)))),
        Sample((n((2, 3)), n((3, 2)), 1)),
        Sample((n((2, 3)), n(2), 0)),
        Sample((n((2, 3, 4)), n((4, 2)), ([2, 0], [0, 1]))),
    ]


def _cross(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), n((2, 3)))), Sample((n((3, 2)), n((3, 2)), 0)), Sample((n((1, 3)), n((2, 3)), -1))]


def _cross_reference(x: Any, y: Any, dim: int | None = None) -> Any:
    axis = -1 if dim is None else dim
    return np.cross(*np.broadcast_arrays(x, y), axis=axis)


def _linear_reference(x: Any, weight: Any, bias: Any = 0.0) -> Any:
    return x @ weight.T + bias


def _bilinear_reference(x: Any, y: Any, weight: Any, bias: Any = 0.0) -> Any:
    return np.einsum("...i,oij,...j->...o", x, weight, y) + bias


def _linear_samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), n((4, 3)), n(4))), Sample((n((2, 2, 3)), n((1, 3)))), Sample((n(3), n((2, 3)), n(2)))]


def _bilinear_samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), n((2, 2)), n((4, 3, 2)), n(4))),
        Sample((n((2, 1, 3)), n((2, 1, 2)), n((1, 3, 2)))),
        Sample((n(3), n(2), n((2, 3, 2)))),
    ]


records = [
    OpRecord("matmul", np.matmul, _matmul, complex=True, integer=True),
    OpRecord("mm", np.matmul, shapes(((2, 3), (3, 4)), ((2, 0), (0, 3))), complex=True, integer=True),
    OpRecord("bmm", np.matmul, shapes(((2, 2, 3), (2, 3, 2)), ((0, 2, 3), (0, 3, 2))), complex=True),
    OpRecord("mv", np.matmul, shapes(((2, 3), (3,))), complex=True),
    OpRecord("dot", np.dot, shapes(((3,), (3,)), ((0,), (0,))), complex=True),
    OpRecord("vdot", np.vdot, shapes(((3,), (3,))), complex=True),
    OpRecord("inner", np.inner, shapes(((2, 3), (4, 3)), ((3,), (3,)), ((), (2,))), complex=True),
    OpRecord("outer", np.outer, shapes(((2,), (3,)), ((0,), (3,))), complex=True),
    OpRecord("ger", np.outer, shapes(((2,), (3,)))),
    OpRecord("kron", np.kron, _kron, complex=True),
    OpRecord("tensordot", lambda a, b, dims=2: np.tensordot(a, b, dims), _tensordot, complex=True, method=False),
    OpRecord("einsum", np.einsum, _einsum, complex=True, method=False),
    OpRecord("cross", _cross_reference, _cross, complex=True),
    OpRecord("chain_matmul", lambda *m: np.linalg.multi_dot(m), shapes(((2, 3), (3, 2), (2, 4))), method=False),
    OpRecord("nn.functional.linear", _linear_reference, _linear_samples, complex=True, method=False),
    OpRecord("nn.functional.bilinear", _bilinear_reference, _bilinear_samples, complex=True, method=False),
    OpRecord("addmm", _blended(np.matmul), _blend((2, 4), (2, 3), (3, 4)), complex=True, inplace=True),
    OpRecord("addmv", _blended(np.matmul), _blend((2,), (2, 3), (3,)), complex=True, inplace=True),
    OpRecord("addr", _blended(np.outer), _blend((2, 3), (2,), (3,)), complex=True, inplace=True),
    OpRecord("baddbmm", _blended(np.matmul), _blend((2, 2, 2), (2, 2, 3), (2, 3, 2)), complex=True, inplace=True),
    OpRecord(
        "addbmm",
        _blended(lambda x, y: np.matmul(x, y).sum(0)),
        _blend((2, 2), (2, 2, 3), (2, 3, 2)),
        complex=True,
        inplace=True,
    ),
]
