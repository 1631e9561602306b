"""Every function of NumPy's is accounted for; what is refused says why and what to do; plain tensors lose nothing."""

from __future__ import annotations

import inspect
import io
import re
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.fft
import numpy.lib.recfunctions
import numpy.polynomial
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import overrides

import tensorplay as tp
from tensorplay.func import grad, hessian, jacrev, vmap
from tensorplay.numpy_protocol.calling import advice, mapped, name_of, unmapped
from tensorplay.numpy_protocol.ufuncs import SPECIAL, UFUNCS, UNMAPPED_UFUNCS

# ---- the tables ------------------------------------------------------------------------------------------------------


def test_every_function_is_mapped_or_says_what_to_do() -> None:
    functions = {name_of(function) for function in overrides.get_overridable_numpy_array_functions()}
    assert not {name for name in functions if name not in mapped and not advice(name)}


def test_every_entry_is_a_function_of_numpys() -> None:
    functions = {name_of(function) for function in overrides.get_overridable_numpy_array_functions()}
    modules = {name.rpartition(".")[0] for name in functions}
    # some came or went with a version of NumPy
    assert len(set(mapped) - functions) <= 3
    assert len(set(unmapped) - functions - modules) <= 3
    assert not set(mapped) & set(unmapped)


def test_every_universal_function_is_mapped_or_says_what_to_do() -> None:
    ufuncs = overrides.get_overridable_numpy_ufuncs()
    public = {ufunc.__name__ for ufunc in ufuncs if getattr(np, ufunc.__name__, None) is ufunc}
    assert len(public) > 80
    assert public == {*UFUNCS} | ({*UNMAPPED_UFUNCS} & public)
    assert not set(UFUNCS) & set(UNMAPPED_UFUNCS)
    assert all(isinstance(getattr(scipy.special, name), np.ufunc) for name in SPECIAL)


def test_advice_names_what_exists() -> None:
    for text in [*unmapped.values(), *UNMAPPED_UFUNCS.values()]:
        for name in re.findall(r"\btp\.((?:\w+\.)*\w+)", text):
            found: Any = tp
            for part in name.split("."):
                found = getattr(found, part)
        for name in re.findall(r"\bx\.(\w+)", text):
            assert hasattr(tp.Tensor, name), text


def test_implementations_have_numpys_names_of_arguments() -> None:
    for function in overrides.get_overridable_numpy_array_functions():
        implementation = mapped.get(name_of(function))
        if implementation is None:
            continue
        theirs = inspect.signature(function).parameters
        flexible = any(parameter.kind is parameter.VAR_KEYWORD for parameter in theirs.values())
        mine = inspect.signature(implementation).parameters
        several = name_of(function) in ("array", "asarray", "asanyarray", "ascontiguousarray", "require")
        assert flexible or several or set(mine) <= set(theirs), name_of(function)


def test_importing_tensorplay_does_not_import_the_tables() -> None:
    code = "import sys, tensorplay; print('tensorplay.numpy_protocol' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "False"


# ---- refusals --------------------------------------------------------------------------------------------------------

x = tp.tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda a: np.polyfit(a, a, 1), r"np\.polyfit\(\).*test_protocol\.py:\d+ grad\(.*lstsq"),
        (lambda a: np.linalg.norm(np.fill_diagonal(a, 1)), r"np\.fill_diagonal\(\).*fill_diagonal_"),
        (lambda a: np.savetxt(io.StringIO(), a), r"np\.savetxt\(\).*debug_unwrap"),
        (lambda a: np.union1d(a, a), r"np\.union1d\(\).*tp\.unique"),
        (lambda a: np.emath.sqrt(a), r"scimath\.sqrt\(\).*cdouble"),
        (np.cbrt, r"np\.cbrt\(\).*tp\.sign"),
        (lambda a: scipy.special.jv(2, a), r"scipy\.special\.jv\(\).*bessel_j0"),
        (np.frompyfunc(lambda v: v, 1, 1), "has no such function"),
        (lambda a: np.add.reduceat(a, [0, 1]), r"np\.add\.reduceat\(\)"),
    ],
)
def test_what_is_refused_where_it_is_traced(call: Any, words: str) -> None:
    with pytest.raises(NotImplementedError, match=words):
        grad(call)(x)
    with pytest.raises(NotImplementedError, match="vmap"):
        vmap(call)(tp.stack([x, x]))


def test_arguments_that_are_refused() -> None:
    for call, words in [
        (lambda: np.reshape(x, (3, 1), order="F"), r"np\.reshape\(\): order='F'"),
        (lambda: np.unique(x, return_index=True), r"np\.unique\(\): return_index=True"),
        (lambda: np.quantile(x, 0.5, method="hazen"), "method"),
        (lambda: np.pad(x, 1, mode="linear_ramp"), "linear_ramp"),
        (lambda: np.linalg.svd(tp.eye(2), hermitian=True), "hermitian"),
    ]:
        with pytest.raises(TypeError, match=words):
            call()


def test_arrays_of_traced_tensors_say_what_to_do() -> None:
    for call in (np.asarray, np.array, lambda a: np.array([a[0], a[1]]), lambda a: np.random.normal(a)):
        with pytest.raises(RuntimeError, match=r"test_protocol\.py:\d+ .*grad\(.*np\.stack"):
            grad(call)(x)
        with pytest.raises(RuntimeError, match="vmap"):
            vmap(call)(tp.stack([x, x]))
    with pytest.raises(RuntimeError, match=r"autograd traces.*detach"):
        np.asarray(tp.ones(2, requires_grad=True))


# ---- plain tensors ---------------------------------------------------------------------------------------------------


def test_what_tensorplay_does_not_have_is_numpys_on_plain_tensors() -> None:
    np.testing.assert_allclose(np.cbrt(x), np.cbrt(x.numpy()))
    np.testing.assert_allclose(scipy.special.jv(2, x), scipy.special.jv(2, x.numpy()))
    np.testing.assert_allclose(np.polyfit(np.arange(3.0), x, 1), [1.0, 1.0])
    file = io.BytesIO()
    np.save(file, x)
    file.seek(0)
    assert np.load(file).tolist() == [1.0, 2.0, 3.0]
    assert np.array2string(x) == "[1. 2. 3.]"
    assert np.shares_memory(x, x.numpy())
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert not np.shares_memory(np.array(x), x.numpy())
    np.copyto(x[:0], [])
    assert not np.shares_memory(np.sin(x), x)


def test_results_have_memory_of_their_own_or_are_views() -> None:
    y = tp.arange(6.0)
    for view in (np.reshape(y, (2, 3)), np.transpose(np.reshape(y, (2, 3))), np.squeeze(y[None]), np.expand_dims(y, 0)):
        assert np.shares_memory(view, y)
    np.reshape(y, (2, 3))[0, 0] = 7.0
    assert y[0].item() == 7.0
    for copy in (np.copy(y), np.where(y > -1, y, y), np.clip(y, None, 99), np.full_like(y, y), np.array(y, like=y)):
        assert not np.shares_memory(copy, y)


def test_integers_become_numbers_of_the_default_dtype() -> None:
    n = tp.tensor([1, 2, 3])
    for got in (np.mean(n), np.std(n), np.sin(n), np.median(n), np.linalg.norm(n)):
        assert got.dtype is tp.float32
    assert np.sum(n).dtype is tp.int64
    assert np.float32(0.5) * n is not None


def test_parameters_take_part() -> None:
    linear = tp.nn.Linear(3, 2)
    loss = np.sum(np.tanh(np.matmul(linear.weight, np.ones(3, dtype=np.float32))) ** 2)
    loss.backward()
    gradient = linear.weight.grad
    assert gradient is not None
    y = np.tanh(linear.weight.detach().numpy() @ np.ones(3))
    np.testing.assert_allclose(gradient.numpy(), np.outer(2 * y * (1 - y**2), np.ones(3)), rtol=1e-5)


# ---- programs in plain NumPy -----------------------------------------------------------------------------------------


def network(params: Any, inputs: Any) -> Any:
    """A network as users of plain NumPy write it."""
    for i, (w, b) in enumerate(params):
        inputs = np.dot(inputs, w) + b
        inputs = np.tanh(inputs) if i < len(params) - 1 else inputs
    return inputs - np.log(np.sum(np.exp(inputs), axis=-1, keepdims=True))


def test_network_in_plain_numpy() -> None:
    rng = np.random.default_rng(0)
    params = [(rng.normal(size=(3, 4)), rng.normal(size=4)), (rng.normal(size=(4, 2)), rng.normal(size=2))]
    inputs, target = rng.normal(size=(5, 3)), np.array([0, 1, 1, 0, 1])

    def loss(params: Any, inputs: Any, target: Any) -> Any:
        return -np.mean(np.take_along_axis(network(params, inputs), target[:, None], axis=-1))

    here = [(tp.tensor(w), tp.tensor(b)) for w, b in params]
    gradients = grad(loss)(here, inputs, target)
    for i in range(2):
        for k in range(2):
            direction = rng.normal(size=params[i][k].shape)

            def moved(step: float, i: int = i, k: int = k, direction: Any = direction) -> Any:
                copy = [list(layer) for layer in params]
                copy[i][k] = copy[i][k] + step * direction
                return loss(copy, inputs, target)

            expected = (moved(1e-6) - moved(-1e-6)) / 2e-6
            assert (gradients[i][k] * direction).sum().item() == pytest.approx(expected, rel=1e-5)
    each = vmap(grad(loss), in_dims=(None, 0, 0))(here, tp.tensor(inputs[:, None]), tp.tensor(target[:, None]))
    np.testing.assert_allclose(each[0][0].mean(0).numpy(), gradients[0][0].numpy(), rtol=1e-9)


def test_nested_transforms_of_plain_numpy() -> None:
    def energy(q: Any) -> Any:
        steps = q[:, None, :] - q[None, :, :]
        distances = np.sqrt(np.sum(steps**2, axis=-1) + np.eye(len(q)))
        return np.sum(np.triu(1.0 / distances, 1))

    q = np.random.default_rng(1).normal(size=(3, 2))
    second = hessian(energy)(tp.tensor(q)).numpy()
    v, h = np.random.default_rng(2).normal(size=q.shape), 1e-4
    expected = (energy(q + h * v) - 2 * energy(q) + energy(q - h * v)) / h**2
    assert np.einsum("ij,ijkl,kl", v, second, v) == pytest.approx(expected, rel=1e-4)
    np.testing.assert_allclose(jacrev(jacrev(energy))(tp.tensor(q)).numpy(), second, rtol=1e-9, atol=1e-12)
    several = vmap(hessian(energy))(tp.tensor(np.stack([q, 2 * q])))
    np.testing.assert_allclose(several[0].numpy(), second, rtol=1e-9, atol=1e-12)


# ---- all arguments ---------------------------------------------------------------------------------------------------

REDUCTIONS = ["sum", "prod", "mean", "std", "var", "max", "min", "ptp", "median", "argmax", "any", "nansum", "nanmean"]


@st.composite
def reductions(draw: Any) -> tuple[str, np.ndarray[Any, Any], Any, bool]:
    name = draw(st.sampled_from(REDUCTIONS))
    shape = draw(st.lists(st.integers(1, 3), min_size=0, max_size=4))
    dims = range(-len(shape), len(shape))
    one: Any = st.sampled_from(dims) if shape else st.none()
    several = st.lists(st.sampled_from(range(len(shape))), unique=True).map(tuple) if shape else st.just(())
    axis = draw(st.none() | one if name == "argmax" else st.none() | one | several)
    if isinstance(axis, tuple) and draw(st.booleans()):
        axis = tuple(dim - len(shape) for dim in axis)
    array = np.random.default_rng(draw(st.integers(0, 99))).normal(size=shape)
    return name, array, axis, draw(st.booleans())


@settings(max_examples=200, deadline=None)
@given(reductions())
def test_reductions_along_any_axes(drawn: Any) -> None:
    name, array, axis, keepdims = drawn

    def f(a: Any) -> Any:
        return getattr(np, name)(a, axis=axis, keepdims=keepdims)

    expected = f(array)
    got = f(tp.tensor(array))
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)
    mapped_over = vmap(f)(tp.tensor(np.stack([array, 2 * array])))
    np.testing.assert_allclose(mapped_over.numpy(), np.stack([f(array), f(2 * array)]), rtol=1e-10, atol=1e-12)
    if name in ("argmax", "any", "std", "ptp"):  # which have kinks where a dim is of size 1
        return
    direction = np.cos(np.arange(array.size)).reshape(array.shape)
    moved = [np.sum(f(array + step * direction)) for step in (1e-6, -1e-6)]
    gradient = grad(lambda a: np.sum(f(a)))(tp.tensor(array))
    np.testing.assert_allclose((gradient * direction).sum().item(), (moved[0] - moved[1]) / 2e-6, rtol=1e-4, atol=1e-7)
