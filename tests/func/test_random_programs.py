"""Random programs of views and in-place writes: every transform agrees with the plain run, a loop, and the others."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jacfwd, jvp, linearize, make_graph, vjp, vmap
from tests.func.support import array, close, double

VIEWS: list[Callable[[tp.Tensor], tp.Tensor]] = [
    lambda a: a[0],
    lambda a: a[1:],
    lambda a: a[::2],
    lambda a: a[..., 0],
    lambda a: a[None],
    lambda a: a.transpose(0, -1),
    lambda a: a.reshape(-1),
    lambda a: a.flatten(),
    lambda a: a.contiguous(),
    lambda a: a.unsqueeze(-1),
    lambda a: a.squeeze(),
    lambda a: a.diagonal(),
    lambda a: a.narrow(-1, 0, 1),
    lambda a: a.unbind(0)[-1],
    lambda a: a.chunk(2, -1)[0],
    lambda a: a.movedim(0, -1),
    lambda a: a.unfold(-1, 1, 1),
    lambda a: a.detach()[:1],
]
NEW: list[Callable[[tp.Tensor], tp.Tensor]] = [
    tp.zeros_like,
    lambda a: a.new_zeros(a.shape),
    lambda a: tp.ones(2, 3, dtype=tp.float64),
    tp.sin,
    lambda a: a * a,
    lambda a: a.clone(),
    lambda a: a.sum(),
    lambda a: tp.where(a > 0, a, a * 2),
    lambda a: tp.stack([a, a * 2]),
]
WRITES: list[Callable[[tp.Tensor, tp.Tensor], Any]] = [
    lambda a, b: a.add_(b),
    lambda a, b: a.mul_(b),
    lambda a, b: a.copy_(b),
    lambda a, b: a.sin_(),
    lambda a, b: a.fill_(0.5),
    lambda a, b: a.zero_(),
    lambda a, b: a.lerp_(b, 0.3),
    lambda a, b: a.addcmul_(b, b, value=0.5),
    lambda a, b: a.__setitem__(0, b.mean()),
    lambda a, b: a.__setitem__(slice(None, None, 2), 2.5),
    lambda a, b: a.__setitem__(tp.tensor([0]), b.mean()),
    lambda a, b: a.__setitem__(a > 0.3, 0.25),
    lambda a, b: a.index_fill_(0, tp.tensor([0]), 0.7),
    lambda a, b: tp.cos(b.expand(a.shape), out=a),
]


def program(seed: int) -> Callable[[tp.Tensor, tp.Tensor], tp.Tensor]:
    """A function of two tensors that writes to them, to views of them, and to tensors of its own."""

    def run(x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
        draw = random.Random(seed)
        pool = [x, y]
        for _ in range(draw.randrange(3, 10)):
            kind, a, b = draw.random(), draw.choice(pool), draw.choice(pool)
            if kind < 0.4:
                view = draw.choice(VIEWS)
                pool.append(view(a) if a.ndim > 1 else a)
            elif kind < 0.6:
                pool.append(draw.choice(NEW)(a))
            else:
                write = draw.choice(WRITES)
                write(a if a.ndim else x, b if a.ndim and b.shape == a.shape else b.mean())
        return sum([(0.3 + 0.1 * i) * (p * p).sum() + p.sum() for i, p in enumerate(pool)])

    return run


def arguments(*lead: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Random numbers for the arguments, away from the masks' thresholds."""
    rng = np.random.default_rng(3)
    return rng.normal(size=(*lead, 3, 4)), rng.normal(size=(*lead, 4))


SEEDS = pytest.mark.parametrize("seed", range(60))


@SEEDS
def test_values_and_arguments(seed: int) -> None:
    f = program(seed)
    given = arguments()
    plain = [tp.tensor(a) for a in given]
    expected = f(*plain)
    for g in (
        functionalize(f),
        functionalize(f, remove="mutations_and_views"),
        lambda *args: vjp(f, *args)[0],
        lambda *args: jvp(f, args, args)[0],
        lambda *args: linearize(f, *args)[0],
        lambda *args: make_graph(f)(*args)(*map(double, given)),
    ):
        args = [tp.tensor(a) for a in given]
        close(g(*args), array(expected))
        for got, wanted in zip(args, plain, strict=True):
            close(got, array(wanted))


@SEEDS
def test_a_batch_is_a_loop(seed: int) -> None:
    f = program(seed)
    x, y = arguments(3)
    samples = [(tp.tensor(a), tp.tensor(b)) for a, b in zip(x, y, strict=True)]
    slopes = [grad(f, (0, 1))(*map(tp.clone, sample)) for sample in samples]
    expected = [f(*sample).item() for sample in samples]
    for mapped in (vmap(f, (2, 1)), vmap(f, (2, 1), chunk_size=2), functionalize(vmap(f, (2, 1)))):
        args = tp.tensor(np.moveaxis(x, 0, 2)), tp.tensor(np.moveaxis(y, 0, 1))
        close(mapped(*args), expected)
        close(args[0].movedim(2, 0), np.stack([array(a) for a, _ in samples]))
        close(args[1].T, np.stack([array(b) for _, b in samples]))
    for got in (
        vmap(grad(f, (0, 1)))(tp.tensor(x), tp.tensor(y)),
        grad(lambda *args: vmap(f)(*args).sum(), (0, 1))(tp.tensor(x), tp.tensor(y)),
    ):
        for position in (0, 1):
            close(got[position], np.stack([array(slope[position]) for slope in slopes]))


@SEEDS
def test_derivatives_agree(seed: int) -> None:
    f = program(seed)
    given = arguments()
    tangents = [double(np.random.default_rng(i).normal(size=a.shape)) for i, a in enumerate(given)]
    fresh = lambda: [tp.tensor(a) for a in given]  # noqa: E731
    pulled = grad(f, (0, 1))(*fresh())
    slope = sum((array(g) * array(t)).sum() for g, t in zip(pulled, tangents, strict=True))
    close(jvp(f, tuple(fresh()), tuple(tangents))[1], slope)
    close(linearize(f, *fresh())[1](*tangents), slope)
    leaves = [a.requires_grad_() for a in fresh()]
    (f(*[a * 1 for a in leaves]) + 0 * sum(a.sum() for a in leaves)).backward()
    for other in (vjp(f, *fresh())[1](double(1.0)), jacfwd(f, (0, 1))(*fresh()), [a.grad for a in leaves]):
        for got, wanted in zip(other, pulled, strict=True):
            close(got, array(wanted))
