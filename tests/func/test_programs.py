"""Pulls that are written down give what pulls along nodes give, whatever changes between calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, jacfwd, jacrev, jvp, vjp, vmap
from tensorplay.interpreters import programs, structure
from tensorplay.tensor.custom_call import Call
from tests.func.support import array


@pytest.fixture(autouse=True)
def written() -> Iterator[dict[Any, Any]]:
    """Programs are written at once; those of other tests are put aside."""
    with patch.object(programs, "SIGHTINGS", 1), patch.dict(programs._programs, clear=True):
        yield programs._programs


def pulled(f: Any, *args: tp.Tensor) -> list[Any]:
    """What goes the other way: `vjp` writes no programs."""
    out, pull = vjp(f, *args)
    return [array(ct) for ct in pull(tp.ones_like(out))]


def double(*numbers: float) -> tp.Tensor:
    return tp.tensor(numbers, dtype=tp.float64)


def check(f: Any, *args: tp.Tensor) -> None:
    got = grad(f, tuple(range(len(args))))(*args)
    for one, expected in zip(got, pulled(f, *args), strict=True):
        np.testing.assert_allclose(array(one), expected, rtol=1e-12)


def test_one_program_serves_all_values(written: dict[Any, Any]) -> None:
    def f(x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
        return ((x * y).sin() / (x + 2.0) - y**2).sum()

    for shift in (0.0, 1.0, -5.0, 1e3):
        check(f, double(0.1, 0.2) + shift, double(1.0, -1.0) * shift)
    assert len(written) == 1
    assert callable(next(iter(written.values())))


def test_shapes_dtypes_links_and_numbers_tell_structures_apart(written: dict[Any, Any]) -> None:
    x, y = double(0.3, 0.4), double(1.0, 2.0)
    row = tp.tensor([[1.0], [2.0]], dtype=tp.float64)
    check(lambda a, b: (a * b).sum(), x, y)
    check(lambda a, b: (a * b).sum(), x, row)
    check(lambda a, b: (a * b).sum(), x, double(2.0)[0])
    check(lambda a, b: (a * a).sum() + 0.0 * b.sum(), x, y)
    check(lambda a, b: (b * a).sum(), x, y)
    assert len(written) == 5
    for exponent in (2, 3, 2.0, 0.5):
        check(lambda a, e=exponent: (a**e).sum(), x)
    gradient = grad(lambda a: (a * a).sum())(x.float())
    assert gradient.dtype is tp.float32


def test_two_operands_alike_or_the_same() -> None:
    def same(x: tp.Tensor) -> tp.Tensor:
        a = x.sin()
        return (a * a).sum()

    def alike(x: tp.Tensor) -> tp.Tensor:
        return (x.sin() * x.sin()).sum()

    x = double(0.5, 0.7)
    for _ in range(2):
        check(same, x)
        check(alike, x)


def test_python_may_decide() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        for _ in range(int(x[0])):
            x = x * x.cos()
        return x.sum() if x[1] > 0 else (-x).exp().sum()

    for first in (1.5, 2.5, 3.5, 1.5):
        for second in (1.0, -1.0):
            check(f, double(first, second))


def test_shapes_that_elements_decide() -> None:
    x = double(1.0, -2.0, 3.0)
    for shown in (x, -x, x * 0):
        check(lambda a: (a[a > 0] * 2.0).sin().sum(), shown)


def test_zero_wins_over_infinity() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return tp.where(x > 0, x.sqrt(), x * 0.0).sum()

    for _ in range(2):
        assert array(grad(f)(double(0.0, 4.0))).tolist() == [0.0, 0.25]


def test_gradients_are_the_callers_own() -> None:
    """What the caller writes to a result does not come back in the next one."""
    x = double(1.0, 2.0)
    for f in (lambda a: a.sum(), lambda a: (a + 1.0).sum(), lambda a: a.expand(3, 2).sum(), lambda a: a.prod()):
        expected = pulled(f, x)[0]
        for _ in range(3):
            got = grad(f)(x)
            np.testing.assert_allclose(array(got), expected)
            got += 100.0


def test_a_write_to_what_a_derivative_reads_is_seen() -> None:
    def f(x: tp.Tensor, c: tp.Tensor) -> tp.Tensor:
        y = x * c
        c += 1.0
        return y.sum()

    x = double(1.0, 2.0)
    with pytest.raises(RuntimeError, match="modified"):
        grad(f)(x, double(3.0, 4.0))


def test_samples_of_one_map(written: dict[Any, Any]) -> None:
    """Under one `vmap` the lines of a program are those for all samples."""
    w = double(0.5, -1.0)
    xs = tp.tensor(np.random.default_rng(0).standard_normal((5, 2)))

    def loss(w: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
        return ((w * x).sum().tanh() - 1) ** 2 + (w @ x) * w.sum()

    for samples in (xs, xs * 2.0):
        for dims in ((None, 0), (0, 0), (0, None)):
            ws = w if dims[0] is None else w + xs
            got = vmap(grad(loss, (0, 1)), dims)(ws, samples[0] if dims[1] is None else samples)
            for i in range(5):
                one = pulled(loss, ws if dims[0] is None else ws[i], samples[0] if dims[1] is None else samples[i])
                for g, e in zip(got, one, strict=True):
                    np.testing.assert_allclose(array(g[i]), e, rtol=1e-12)
    assert sum(map(callable, written.values())) == 3
    nested = vmap(vmap(grad(loss), (None, 0)), (0, None))(w + xs, xs)
    np.testing.assert_allclose(array(nested[1, 2]), pulled(loss, (w + xs)[1], xs[2])[0], rtol=1e-12)


def test_what_other_levels_trace(written: dict[Any, Any]) -> None:
    """Programs of an inner level are made of primitives, which outer levels see."""

    def f(x: tp.Tensor) -> tp.Tensor:
        return ((x[0] * x).sin().exp() / (x @ x + 1.0)).sum()

    def along(x: tp.Tensor, v: tp.Tensor) -> tp.Tensor:
        return grad(lambda x: (grad(f)(x) * v).sum())(x)

    xs = tp.tensor(np.random.default_rng(0).standard_normal((4, 3)))
    v = double(1.0, -2.0, 0.5)
    for x in xs:
        expected = array(jacfwd(jacrev(f))(x)) @ array(v)
        np.testing.assert_allclose(array(along(x, v)), expected, rtol=1e-10)
        np.testing.assert_allclose(array(jvp(grad(f), (x,), (v,))[1]), expected, rtol=1e-10)
    rows = vmap(along, (0, None))(xs, v)
    swapped = grad(lambda xs: (vmap(grad(f))(xs) @ v).sum())(xs)
    for row, other, x in zip(rows, swapped, xs, strict=True):
        np.testing.assert_allclose(array(row), array(jacfwd(jacrev(f))(x)) @ array(v), rtol=1e-10)
        np.testing.assert_allclose(array(other), array(row), rtol=1e-10)
    assert any(traced and callable(program) for (_, _, traced), program in written.items())


def test_maps_of_two_levels_are_not_taken_for_one() -> None:
    """Values of which each is mapped once, but by different maps."""
    a, b = double(1.0, 2.0), double(0.5, -1.0, 3.0)
    for _ in range(2):
        one = vmap(lambda a: grad(lambda a, b: (a * b).sin(), (0, 1))(a, b[0]))(a)
        two = vmap(lambda a: vmap(lambda b: grad(lambda a, b: (a * b).sin(), (0, 1))(a, b))(b))(a)
        outer = np.cos(np.multiply.outer(array(a), array(b)))
        np.testing.assert_allclose(array(two[0]), outer * array(b), rtol=1e-12)
        np.testing.assert_allclose(array(two[1]), outer * array(a)[:, None], rtol=1e-12)
        np.testing.assert_allclose(array(one[0]), (outer * array(b))[:, 0], rtol=1e-12)


def test_what_is_not_mapped_has_a_gradient_for_all(written: dict[Any, Any]) -> None:
    w, xs = double(0.5, -1.0), tp.ones(3, 2, dtype=tp.float64)
    for _ in range(3):
        got = vmap(grad(lambda w, x: (w * 2.0).sin().sum()), (None, 0))(w, xs)
        np.testing.assert_allclose(array(got), np.tile(2 * np.cos(2 * array(w)), (3, 1)), rtol=1e-12)
    assert written


def test_many_elements_are_freed_or_written_to() -> None:
    x = tp.tensor(np.random.default_rng(0).standard_normal((8, 100)))

    def f(x: tp.Tensor) -> tp.Tensor:
        y = (x.sin() * x + x.exp()).t()
        z = (y @ y.t()).tanh()
        return (z * z.t() + y[:, :1]).sum() + x.log1p().nan_to_num().mean()

    for factor in (1.0, 0.5, 2.0):
        check(f, x * factor)


def test_nothing_is_remembered_of_what_comes_only_once(written: dict[Any, Any]) -> None:
    """Operators of one's own, and values that outer transforms trace, enter no table."""

    class Twice(tp.autograd.Function):
        @staticmethod
        def forward(x: tp.Tensor) -> tp.Tensor:
            return 2.0 * x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, ct: tp.Tensor) -> tp.Tensor:
            return 2.0 * ct

    x = double(1.0, 2.0)
    vmap(vmap(grad(lambda a: a * a)))(x.expand(3, 2))
    grad(grad(lambda a: a**3))(x[0])
    known = len(structure._known)
    for _ in range(5):
        vmap(vmap(grad(lambda a: a * a)))(x.expand(3, 2))
        grad(grad(lambda a: a**3))(x[0])
    assert len(structure._known) == known
    grad(lambda a: Twice.apply(a).sum())(x)
    known = len(structure._known)
    for _ in range(5):
        grad(lambda a: Twice.apply(a).sum())(x)
    assert len(structure._known) == known
    assert not any(isinstance(part, Call) for key in structure._known for part in key)


def test_tables_are_bounded(written: dict[Any, Any]) -> None:
    with patch.object(programs, "MOST_PROGRAMS", 4), patch.object(structure, "MOST", 20):
        for size in range(1, 12):
            check(lambda a: (a * a).sin().sum(), tp.ones(size, dtype=tp.float64))
            assert len(written) <= 4
            assert len(structure._known) <= 20
