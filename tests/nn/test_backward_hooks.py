"""Hooks of modules on gradients."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import functional_call, grad, jvp, vmap
from tests.func.support import close, normal


class Two(nn.Module):
    def forward(self, a: tp.Tensor, b: tp.Tensor, note: str = "") -> tuple[tp.Tensor, tp.Tensor, str]:
        return 2 * a * b, 3 * b, note


def test_hooks_see_gradients_of_inputs_and_outputs() -> None:
    module, seen = Two(), []
    module.register_full_backward_hook(lambda m, inputs, outputs: seen.append((m, inputs, outputs)))
    a, b = normal(2).requires_grad_(), normal(2, seed=1)
    out, unused, note = module(a, b, "kept")
    assert note == "kept"
    assert unused.requires_grad is False
    out.sum().backward()
    ((called, inputs, outputs),) = seen
    assert called is module
    close(inputs[0], 2 * b)
    assert inputs[1:] == (None, None)
    close(outputs[0], [1.0, 1.0])
    assert outputs[1:] == (None, None)
    close(a.grad, 2 * b)


def test_hooks_change_gradients_in_order_and_can_be_removed() -> None:
    module, order = nn.Identity(), []

    def hook(name: str, factor: float) -> Any:
        def call(_: nn.Module, grads: Any, *received: Any) -> Any:
            order.append((name, *[float(g) for gs in received for g in gs]))
            return (factor * grads[0],)

        return call

    handles = [
        module.register_full_backward_hook(hook("second", 2.0)),
        module.register_full_backward_hook(hook("first", 3.0), prepend=True),
        module.register_full_backward_pre_hook(hook("pre", 5.0)),
    ]
    x = tp.tensor(1.0, requires_grad=True)
    module(x).backward()
    assert order == [("pre",), ("first", 5.0), ("second", 5.0)]
    close(x.grad, 30.0)
    for handle in handles:
        handle.remove()
    module(x).backward()
    close(x.grad, 31.0)


def test_without_inputs_to_differentiate_the_gradient_of_the_output_is_enough() -> None:
    module, seen = nn.Linear(2, 1), []
    module.register_full_backward_hook(lambda m, inputs, outputs: seen.append((inputs, outputs[0].shape)))
    module(tp.ones(3, 2)).sum().backward()
    params = {name: p.detach() for name, p in module.named_parameters()}
    found = vmap(grad(lambda p, x: functional_call(module, p, (x,)).sum()), in_dims=(None, 0))(params, tp.ones(3, 2))
    assert seen == [((None,), (3, 1)), ((None,), (1,))]
    close(found["weight"], tp.ones(3, 1, 2))


def test_gradients_that_a_hook_changes_reach_parameters_below_and_second_derivatives() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.Tanh()).double()
    module[1].register_full_backward_hook(lambda m, inputs, outputs: (3 * inputs[0],))
    x = normal(2)

    def total(params: Any) -> tp.Tensor:
        return functional_call(module, params, (x,)).sum()

    params = {name: p.detach() for name, p in module.named_parameters()}
    plain = nn.Sequential(module[0], nn.Tanh())
    expected = grad(lambda p: functional_call(plain, p, (x,)).sum())(params)
    close(grad(total)(params)["0.bias"], 3 * expected["0.bias"])
    module(x).sum().backward()
    close(module[0].weight.grad, 3 * expected["0.weight"])

    def curvature(m: nn.Module) -> tp.Tensor:
        return jvp(grad(lambda p: functional_call(m, p, (x,)).sum()), (params,), (params,))[1]["0.weight"]

    close(curvature(module), 3 * curvature(plain))


def test_outputs_that_are_no_tensors_warn_and_wrong_returns_are_refused() -> None:
    class InDict(nn.Module):
        def forward(self, a: tp.Tensor) -> dict[str, tp.Tensor]:
            return {"out": 2 * a}

    module = InDict()
    module.register_full_backward_hook(lambda *_: pytest.fail("called"))
    x = tp.tensor(1.0, requires_grad=True)
    with pytest.warns(UserWarning, match="InDict: a backward hook is called only where .* got dict"):
        module(x)["out"].backward()
    wrong = nn.Identity()
    wrong.register_full_backward_hook(lambda m, inputs, outputs: (inputs[0], inputs[0]))
    with pytest.raises(RuntimeError, match="expected 1 grad_input"):
        wrong(x).backward()


def test_a_map_inside_of_the_derivative_is_refused() -> None:
    module = nn.Identity()
    module.register_full_backward_hook(lambda m, inputs, outputs: None)
    with pytest.raises(RuntimeError, match=r"a module's backward hook: vmap\(Identity.*\) traces this tensor"):
        grad(lambda x: vmap(module)(x).sum())(tp.ones(3))
    close(vmap(grad(module))(tp.ones(3)), [1.0, 1.0, 1.0])
    close(jvp(module, (tp.ones(3),), (tp.ones(3),))[1], tp.ones(3))
