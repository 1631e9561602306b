"""Branches and loops inside of each other, under every transform, are the Python they stand for."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, hessian, jacfwd, jacrev, jvp, linearize, vmap
from tests.func.support import check_like, close, double, normal

# Each program twice: with the functions, and in plain Python.


def scan_of_cond(x: tp.Tensor) -> Any:
    def step(c: tp.Tensor, row: tp.Tensor) -> Any:
        c = tp.cond(row.sum() > c.sum(), lambda c, r: c * r.sin(), lambda c, r: r / (1 + c * c), (c, row))
        return c, c.sum()

    carry, ys = tp.scan(step, x[0], x[1:])
    return (carry * carry).sum() + (ys * ys.cos()).sum()


def for_of_if(x: tp.Tensor) -> Any:
    c, total = x[0], tp.zeros((), dtype=tp.float64)
    for row in x[1:]:
        c = c * row.sin() if bool(row.sum() > c.sum()) else row / (1 + c * c)
        total = total + c.sum() * c.sum().cos()
    return (c * c).sum() + total


def cond_of_scan(x: tp.Tensor) -> Any:
    product = lambda x: tp.scan(lambda c, r: (c * r + 1, None), x[0], x)[0].sum()  # noqa: E731
    maps = lambda x: tp.map(lambda r: (r * r).sum().sin(), x, batch_size=2).prod()  # noqa: E731
    return tp.cond(x.sum() > 0, product, maps, (x,))


def if_of_for(x: tp.Tensor) -> Any:
    if bool(x.sum() > 0):
        c = x[0]
        for row in x:
            c = c * row + 1
        return c.sum()
    return tp.stack([(row * row).sum().sin() for row in x]).prod()


def fori_of_associative_scan(x: tp.Tensor) -> Any:
    def step(i: int, x: tp.Tensor) -> Any:
        return tp.associative_scan(lambda p, q: p * q + 0 * i, x.sin() + 1.5)

    return tp.fori_loop(0, 2, step, x).sum()


def for_of_for(x: tp.Tensor) -> Any:
    for _ in range(2):
        rows = x.sin() + 1.5
        out = [rows[0]]
        for row in rows[1:]:
            out.append(out[-1] * row)
        x = tp.stack(out)
    return x.sum()


PROGRAMS = [(scan_of_cond, for_of_if), (cond_of_scan, if_of_for), (fori_of_associative_scan, for_of_for)]
TRANSFORMS: list[Any] = [
    lambda f: f,
    grad,
    jacrev,
    jacfwd,
    hessian,
    lambda f: jacrev(jacrev(f)),
    lambda f: jacfwd(jacfwd(f)),
    lambda f: lambda x: jvp(grad(f), (x,), (x.cos(),))[1],
    lambda f: lambda x: grad(lambda x: jvp(f, (x,), (x.cos(),))[1])(x),
    lambda f: lambda x: linearize(grad(f), x)[1](x.cos()),
    lambda f: functionalize(grad(f)),
]
BATCH = tp.stack([normal(4, 3, seed=i) for i in range(5)])


@pytest.mark.parametrize(("program", "python"), PROGRAMS)
def test_programs(program: Any, python: Any) -> None:
    assert len({bool(x.sum() > 0) for x in BATCH}) == 2, "samples take both ways"
    for x in BATCH[:2]:
        check_like(program, python, x)


@pytest.mark.parametrize(("program", "python"), PROGRAMS)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_programs_in_maps(program: Any, python: Any, transform: Any) -> None:
    expected = tp.stack([transform(python)(x) for x in BATCH])
    close(vmap(transform(program))(BATCH), expected)
    close(vmap(transform(program), 2, chunk_size=2)(tp.movedim(BATCH, 0, 2)), expected)
    nested = vmap(vmap(transform(program), 1), 0)(tp.stack([BATCH, BATCH.flip(0)]).movedim(1, 2))
    close(nested, tp.stack([expected, expected.flip(0)]))


@pytest.mark.parametrize(("program", "python"), PROGRAMS)
def test_programs_around_maps(program: Any, python: Any) -> None:
    mapped = lambda x: vmap(program)(x).cos().sum()  # noqa: E731
    looped = lambda x: tp.stack([python(row) for row in x]).cos().sum()  # noqa: E731
    close(grad(mapped)(BATCH), grad(looped)(BATCH))
    close(jvp(mapped, (BATCH,), (BATCH.sin(),))[1], jvp(looped, (BATCH,), (BATCH.sin(),))[1])
    along = lambda f: lambda x: jvp(grad(f), (x,), (x.sin(),))[1]  # noqa: E731
    close(along(mapped)(BATCH), along(looped)(BATCH))
    leaf, other = [BATCH.clone().requires_grad_() for _ in range(2)]
    mapped(leaf).backward()
    looped(other).backward()
    close(leaf.grad, other.grad)


def collatz(n: tp.Tensor) -> Any:
    """Steps to one: a loop around a branch."""
    even = lambda n: n // 2  # noqa: E731
    step = lambda n, i: (tp.cond(n % 2 == 0, even, lambda n: 3 * n + 1, (n,)), i + 1)  # noqa: E731
    return tp.while_loop(lambda n, i: n > 1, step, (n, tp.tensor(0)))[1]


def test_a_branch_in_a_loop() -> None:
    def by_python(n: int) -> int:
        steps = 0
        while n > 1:
            n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
        return steps

    n = tp.arange(1, 13)
    expected = [by_python(i) for i in range(1, 13)]
    assert vmap(collatz)(n).tolist() == expected
    assert vmap(vmap(collatz))(n.reshape(3, 4)).flatten().tolist() == expected
    assert tp.map(collatz, n).tolist() == tp.map(collatz, n, batch_size=5).tolist() == expected


def test_a_loop_in_a_loop_and_in_a_branch() -> None:
    """The inner loop runs a number of times that the outer one carries; forward mode goes through both."""

    def inner(x: tp.Tensor, n: Any) -> Any:
        return tp.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x.sin() * 1.5), (tp.tensor(0), x))[1]

    def nested(x: tp.Tensor) -> Any:
        loops = lambda x: tp.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, inner(x, n) + x), (tp.tensor(0), x))[1]  # noqa: E731
        return tp.cond(x > 0, loops, lambda x: x * x, (x,))

    def by_python(x: tp.Tensor) -> Any:
        if not bool(x > 0):
            return x * x
        for n in range(3):
            y = x
            for _ in range(n):
                y = y.sin() * 1.5
            x = y + x
        return x

    x = double([0.3, -1.0, 2.0])
    for transform in (lambda f: f, jacfwd, lambda f: jacfwd(jacfwd(f))):
        close(vmap(transform(nested))(x), tp.stack([transform(by_python)(row) for row in x]))
    for row in x:
        check_like(nested, by_python, row, reverse=False)
    with pytest.raises(RuntimeError, match="reverse mode"):
        vmap(grad(nested))(x)
