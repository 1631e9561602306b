"""Plain NumPy code on tensors is what it is on arrays; its derivatives are finite differences, its map is the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import grad, jvp, vmap
from tensorplay.numpy_protocol.calling import mapped
from tests.numpy_protocol.cases import Case, cases

STEP = 1e-6


def leaves(out: Any) -> list[Any]:
    """Arrays and numbers in nested tuples and lists."""
    if isinstance(out, tuple | list):
        return [leaf for entry in out for leaf in leaves(entry)]
    return [out]


def arrays_of(out: Any) -> list[Any]:
    return [leaf.numpy() if isinstance(leaf, tp.Tensor) else leaf for leaf in leaves(out)]


def tensors(arrays: Any) -> list[tp.Tensor]:
    return [tp.tensor(array) for array in arrays]


def scalar(case: Case) -> Callable[..., Any]:
    """A weighted sum of all that a case gives, in plain NumPy."""

    def function(*args: Any) -> Any:
        total = 0.0
        for seed, leaf in enumerate(leaves(case.function(*args))):
            weights = np.random.default_rng(seed).normal(size=np.shape(leaf)) + 0.1
            if np.iscomplexobj(leaf):
                leaf = np.real(leaf) + 0.7 * np.imag(leaf)
            total = total + np.sum(weights * leaf)
        return total

    return function


def directions(case: Case) -> list[Any]:
    rng = np.random.default_rng(11)
    return [rng.normal(size=array.shape).astype(array.dtype) for array in case.arrays]


def along(case: Case, step: float) -> Any:
    moved = zip(case.arrays, directions(case), strict=True)
    return scalar(case)(*[array + step * direction for array, direction in moved])


@pytest.mark.parametrize("case", cases, ids=str)
def test_value(case: Case) -> None:
    expected, got = case.function(*case.arrays), case.function(*tensors(case.arrays))
    assert len(leaves(got)) == len(leaves(expected))
    for mine, theirs in zip(leaves(got), leaves(expected), strict=True):
        if isinstance(theirs, np.ndarray | np.generic):
            if not isinstance(theirs, np.bool) or not isinstance(mine, bool):
                assert isinstance(mine, tp.Tensor)
                assert mine.numpy().dtype.kind == theirs.dtype.kind
                # integers become numbers of the default dtype, where NumPy takes double precision
                single = mine.dtype is tp.float32
                assert mine.numpy().dtype == theirs.dtype or single or theirs.dtype.kind == "i"
                assert not single or theirs.dtype == np.float32 or case.arrays[0].dtype.kind == "i"
            assert np.shape(mine) == theirs.shape
            tolerance = 1e-6 if getattr(mine, "dtype", None) is tp.float32 else 1e-10
            np.testing.assert_allclose(np.asarray(mine), theirs, rtol=tolerance, atol=1e-12)
        else:
            assert mine == theirs


SMOOTH = [case for case in cases if case.smooth]


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_derivatives(case: Case) -> None:
    primals, tangents, function = tuple(tensors(case.arrays)), tuple(tensors(directions(case))), scalar(case)
    expected = (along(case, STEP) - along(case, -STEP)) / (2 * STEP)
    _, pushed = jvp(function, primals, tangents)
    np.testing.assert_allclose(np.asarray(pushed), expected, rtol=2e-5, atol=2e-6)
    gradients = grad(function, argnums=tuple(range(len(primals))))(*primals)
    pulled = sum((g.conj() * v).sum().real.item() for g, v in zip(gradients, tangents, strict=True))
    np.testing.assert_allclose(pulled, expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_second_derivatives(case: Case) -> None:
    primals, tangents, function = tuple(tensors(case.arrays)), tuple(tensors(directions(case))), scalar(case)

    def pushed(*args: tp.Tensor) -> tp.Tensor:
        gradients = grad(function, argnums=tuple(range(len(args))))(*args)
        parts = [(g.conj() * v).sum() for g, v in zip(gradients, tangents, strict=True)]
        return sum(part.real if part.is_complex() else part for part in parts)  # type: ignore[return-value]

    _, second = jvp(pushed, primals, tangents)
    h = 2e-4
    expected = (along(case, h) - 2 * along(case, 0) + along(case, -h)) / h**2
    size = 1 + abs(along(case, 0))
    np.testing.assert_allclose(np.asarray(second), expected, rtol=1e-3, atol=2e-5 * float(size))


@pytest.mark.parametrize("case", [case for case in cases if case.mapped], ids=str)
def test_mapped(case: Case) -> None:
    samples = [[array, array + 0, array[::-1] if case.anywhere else array] for array in case.arrays]
    loop = [leaves(case.function(*sample)) for sample in zip(*samples, strict=True)]
    got = vmap(lambda *args: tuple(tp.as_tensor(leaf) for leaf in leaves(case.function(*args))), randomness="error")(
        *[tp.tensor(np.stack(sample)) for sample in samples]
    )
    for i, mine in enumerate(got):
        theirs = np.stack([np.asarray(leaf[i]) for leaf in loop])
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine.numpy(), theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("case", [case for case in SMOOTH if case.mapped], ids=str)
def test_gradients_of_samples(case: Case) -> None:
    """`vmap(grad)`, and `grad` of a mapped function, are `grad` of each sample, which `test_derivatives` checks."""
    argnums, function = tuple(range(len(case.arrays))), scalar(case)
    samples = [tensors([array, array * 1.0, array]) for array in case.arrays]
    stacked = [tp.stack(sample) for sample in samples]
    one = grad(function, argnums=argnums)(*[sample[0] for sample in samples])
    each = vmap(grad(function, argnums=argnums))(*stacked)
    whole = grad(lambda *args: vmap(function)(*args).sum(), argnums=argnums)(*stacked)
    for mine, theirs, expected in zip(each, whole, one, strict=True):
        for i in range(3):
            np.testing.assert_allclose(mine[i].numpy(), expected.numpy(), rtol=1e-8, atol=1e-10)
            np.testing.assert_allclose(theirs[i].numpy(), expected.numpy(), rtol=1e-8, atol=1e-10)


def test_every_function_has_a_case() -> None:
    assert {case.name for case in cases} == set(mapped)
