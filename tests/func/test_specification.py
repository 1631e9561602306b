"""The specification's examples as they stand, and the signatures, names and documentation it promises."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tensorplay as tp
from tensorplay import func
from tests.func.support import double, normal

FUNCTIONS = [
    "chunk_vmap",
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

SIGNATURES = {
    "vmap": "(func, in_dims=0, out_dims=0, randomness='error', *, chunk_size=None, progress=None, executor=None)",
    "chunk_vmap": "(func, in_dims=0, out_dims=0, randomness='error', chunks=2)",
    "grad": "(func, argnums=0, has_aux=False)",
    "grad_and_value": "(func, argnums=0, has_aux=False)",
    "vjp": "(func, *primals, has_aux=False, **kwargs)",
    "jvp": "(func, primals, tangents, *, strict=False, has_aux=False, **kwargs)",
    "jacrev": "(func, argnums=0, *, has_aux=False, chunk_size=None, progress=None, executor=None)",
    "jacfwd": (
        "(func, argnums=0, has_aux=False, *, randomness='error', chunk_size=None, progress=None, executor=None)"
    ),
    "hessian": "(func, argnums=0, *, has_aux=False, chunk_size=None, progress=None, executor=None)",
    "linearize": "(func, *primals, has_aux=False, **kwargs)",
    "functionalize": "(func, *, remove='mutations')",
    "rearrange": "(tensor, pattern, **axes_lengths)",
    "functional_call": (
        "(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False)"
    ),
    "stack_module_state": "(models)",
    "replace_all_batch_norm_modules_": "(root)",
    "debug_unwrap": "(tensor, *, recurse=True, sample=0)",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature(name: str) -> None:
    signature = inspect.signature(getattr(func, name))
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    assert str(inspect.Signature(bare)) == SIGNATURES[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_type_hints_and_documentation(name: str) -> None:
    function = getattr(func, name)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty, parameter.name
    for section in ("Parameters\n", "Returns\n", "Raises\n", "Examples\n"):
        assert section in function.__doc__, section


def test_public_names() -> None:
    assert set(FUNCTIONS) <= set(func.__all__)
    for name in func.__all__:
        assert hasattr(func, name)
    assert tp.func is func


@pytest.mark.parametrize(
    "transform",
    [
        "vmap",
        "chunk_vmap",
        "grad",
        "grad_and_value",
        "jacrev",
        "jacfwd",
        "hessian",
        "functionalize",
    ],
)
def test_result_carries_name_and_documentation(transform: str) -> None:
    def quadratic(x: tp.Tensor) -> tp.Tensor:
        """Sum of squares."""
        return (x**2).sum()

    made = getattr(func, transform)(quadratic)
    assert (made.__name__, made.__doc__, made.__wrapped__ is not None) == ("quadratic", "Sum of squares.", True)


def test_callables_without_a_name() -> None:
    class Scale:
        def __call__(self, x: tp.Tensor) -> tp.Tensor:
            return (x * 2).sum()

    for transform in (func.vmap, func.grad, func.jacrev, func.functionalize):
        transform(Scale())(normal(2, 2))
    with pytest.raises(ValueError, match=r"vmap\(Scale\)"):
        func.vmap(Scale())(double(1.0))


def test_overview_claims() -> None:
    """vmap(grad(f)) gives per-sample gradients, jacrev(jacrev(f)) a Hessian, vmap(vmap(f)) maps twice."""
    x = double([[1.0, 2.0], [3.0, 4.0]])
    assert func.vmap(func.grad(lambda a: (a**3).sum()))(x).tolist() == [[3.0, 12.0], [27.0, 48.0]]
    hessian = func.jacrev(func.jacrev(lambda a: (a**3).sum()))(x[0])
    assert hessian.tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert func.vmap(func.vmap(lambda a: a * 2))(x).tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_jacobian_of_a_module() -> None:
    from tensorplay.func import jacrev

    model = tp.nn.Linear(3, 3)

    def f(x: tp.Tensor) -> Any:
        return model(x)

    x = tp.randn(3)
    jacobian = jacrev(f)(x)
    assert jacobian.shape == (3, 3)
    assert tp.allclose(jacobian, model.weight)


def test_jacobian_of_parameters() -> None:
    from tensorplay.func import functional_call, jacrev

    model = tp.nn.Linear(3, 3)

    def f(params: Any, x: tp.Tensor) -> Any:
        return functional_call(model, params, (x,))

    x = tp.randn(3)
    jacobian = jacrev(f)(dict(model.named_parameters()), x)
    assert jacobian["weight"].shape == (3, 3, 3)
    assert jacobian["bias"].shape == (3, 3)
    assert tp.allclose(jacobian["bias"], tp.eye(3))
    assert tp.allclose(jacobian["weight"], tp.einsum("ij,k->ijk", tp.eye(3), x))


def test_ensemble() -> None:
    import tensorplay.nn as nn
    from tensorplay.func import functional_call, stack_module_state, vmap

    models = [nn.Linear(3, 3) for _ in range(4)]
    stacked_params, stacked_buffers = stack_module_state(models)
    x = tp.randn(5, 3)

    def call_one(params: Any, buffers: Any, x: tp.Tensor) -> Any:
        return functional_call(models[0], (params, buffers), (x,))

    ensemble_out = vmap(call_one, in_dims=(0, 0, None))(stacked_params, stacked_buffers, x)
    assert ensemble_out.shape == (4, 5, 3)
    assert tp.allclose(ensemble_out, tp.stack([model(x) for model in models]))


def test_debug_print(capsys: pytest.CaptureFixture[str]) -> None:
    from tensorplay.func import debug_unwrap, vmap

    def f(x: tp.Tensor) -> tp.Tensor:
        print(debug_unwrap(x).shape)  # noqa: T201
        return x * 2

    out = vmap(f)(tp.randn(2, 3))
    assert out.shape == (2, 3)
    assert "[3]" in capsys.readouterr().out
