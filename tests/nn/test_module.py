"""Module: attributes, registration, traversal, hooks, conversion, printing, copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn


class Net(nn.Module):
    """Two linear maps and a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2, bias=False)
        self.register_buffer("scale", tp.ones(2))
        self.register_buffer("seen", tp.zeros(()), persistent=False)

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return self.second(self.first(x)) * self.scale


def test_names_of_parameters_buffers_and_modules() -> None:
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["first.weight", "first.bias", "second.weight"]
    assert [name for name, _ in net.named_buffers()] == ["scale", "seen"]
    assert [name for name, _ in net.named_modules(prefix="net")] == ["net", "net.first", "net.second"]
    assert [name for name, _ in net.named_parameters(recurse=False)] == []
    assert list(net.state_dict()) == ["scale", "first.weight", "first.bias", "second.weight"]


def test_shared_members_are_listed_once_unless_asked() -> None:
    net = nn.Module()
    net.a = nn.Linear(2, 2)
    net.b = net.a
    net.weight = net.a.weight
    assert [name for name, _ in net.named_parameters()] == ["weight", "a.bias"]
    every = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert every == ["weight", "a.weight", "a.bias", "b.weight", "b.bias"]
    assert len(list(net.children())) == 1
    assert len(list(net.modules())) == 2
    assert len(list(net.modules(remove_duplicate=False))) == 3


def test_assignment_registers_and_moves_between_kinds() -> None:
    net = nn.Module()
    net.x = 3
    net.x = nn.Parameter(tp.ones(1))
    assert "x" not in net.__dict__
    assert dict(net.named_parameters()).keys() == {"x"}
    net.x = nn.Buffer(tp.ones(1), persistent=False)
    assert dict(net.named_parameters()) == {}
    assert dict(net.named_buffers()).keys() == {"x"}
    assert list(net.state_dict()) == []
    net.x = nn.Identity()
    assert dict(net.named_buffers()) == {}
    assert isinstance(net.x, nn.Identity)
    del net.x
    assert not hasattr(net, "x")


def test_registered_names_accept_what_they_are_for() -> None:
    net = Net()
    with pytest.raises(TypeError, match="weight is registered"):
        net.first.weight = tp.ones(4, 3)
    with pytest.raises(TypeError, match="first is registered"):
        net.first = 3
    with pytest.raises(TypeError, match="scale is registered"):
        net.scale = 3
    net.first.bias = None
    assert [name for name, _ in net.first.named_parameters()] == ["weight"]
    net.scale = tp.zeros(2)
    assert net.scale is dict(net.named_buffers())["scale"]


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("a.b", None, KeyError),
        ("", None, KeyError),
        (3, None, TypeError),
        ("forward", None, KeyError),
        ("w", 3, TypeError),
        ("w", tp.ones(1), TypeError),
    ],
)
def test_bad_parameters_are_refused(name: Any, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        nn.Module().register_parameter(name, value)


def test_a_computed_parameter_is_refused() -> None:
    computed = nn.Parameter(tp.ones(1)) * 2
    computed.__class__ = nn.Parameter
    with pytest.raises(ValueError, match="leaf"):
        nn.Module().register_parameter("w", computed)


def test_super_init_must_come_first() -> None:
    class Hasty(nn.Module):
        def __init__(self) -> None:
            self.w = nn.Parameter(tp.ones(1))

    with pytest.raises(AttributeError, match=r"super\(\).__init__"):
        Hasty()


def test_missing_attributes_and_forward_are_named() -> None:
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nothing'"):
        _ = Net().nothing
    with pytest.raises(NotImplementedError, match="Module has no forward"):
        nn.Module()(1)


def test_dir_lists_members() -> None:
    assert {"first", "scale", "forward"} <= set(dir(Net()))


def test_lookup_by_dotted_name() -> None:
    net = nn.Sequential(Net())
    assert net.get_submodule("0.first") is net[0].first
    assert net.get_submodule("") is net
    assert net.get_parameter("0.first.bias") is net[0].first.bias
    assert net.get_buffer("0.scale") is net[0].scale
    for target in ("1", "0.third", "0.scale"):
        with pytest.raises(AttributeError, match="get_submodule"):
            net.get_submodule(target)
    with pytest.raises(AttributeError, match="get_parameter"):
        net.get_parameter("0.scale")
    net.set_submodule("0.first", nn.Identity())
    assert isinstance(net[0].first, nn.Identity)
    with pytest.raises(AttributeError):
        net.set_submodule("0.third", nn.Identity(), strict=True)


def test_apply_goes_from_children_to_parents() -> None:
    seen: list[str] = []
    nn.Sequential(nn.Identity(), nn.Sequential(nn.Flatten())).apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Identity", "Flatten", "Sequential", "Sequential"]


def test_train_and_eval_reach_all_modules() -> None:
    net = nn.Sequential(Net())
    assert net.eval() is net
    assert not net[0].first.training
    net.train()
    assert net[0].second.training
    with pytest.raises(ValueError, match="bool"):
        net.train(1)  # type: ignore[arg-type]


def test_conversion_keeps_parameters_and_leaves_integers() -> None:
    net = nn.BatchNorm1d(3)
    weight = net.weight
    (net(tp.ones(2, 3)) ** 2).sum().backward()
    assert net.double() is net
    assert net.weight is weight
    assert weight.dtype == tp.float64
    assert weight.requires_grad
    assert weight.is_leaf
    assert weight.grad is not None
    assert weight.grad.dtype == tp.float64
    assert net.running_mean.dtype == tp.float64
    assert net.num_batches_tracked.dtype == tp.int64
    (net(tp.ones(2, 3, dtype=tp.float64)) ** 2).sum().backward()
    assert net.half().weight.dtype == tp.float16
    assert net.float().weight.dtype == tp.float32
    assert net.to(tp.ones(1, dtype=tp.float64)).weight.dtype == tp.float64
    assert net.to("cpu", dtype=tp.float32).bias.dtype == tp.float32
    assert net.type(tp.float64).num_batches_tracked.dtype == tp.float64
    with pytest.raises(TypeError, match="int64"):
        net.to(tp.int64)
    with pytest.raises(RuntimeError, match="cuda"):
        net.to("cuda")


def test_requires_grad_and_zero_grad() -> None:
    net = Net().requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    net.requires_grad_()
    net(tp.ones(3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert np.array_equal(net.first.bias.grad.numpy(), np.zeros(4))
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_forward_hooks() -> None:
    net = nn.Identity()
    calls: list[Any] = []
    before = net.register_forward_pre_hook(lambda m, args: calls.append(("pre", args)))
    changed = net.register_forward_pre_hook(lambda m, args: args[0] + 1)
    after = net.register_forward_hook(lambda m, args, out: out * 10)
    first = net.register_forward_hook(lambda m, args, out: out + 5, prepend=True)
    assert net(1) == 70
    assert calls == [("pre", (1,))]
    for handle in (before, changed, first):
        handle.remove()
    assert net(1) == 10
    with after:
        pass
    assert net(1) == 1
    assert net._hooks == {}


def test_hooks_with_keyword_arguments() -> None:
    class Power(nn.Module):
        def forward(self, x: int, exponent: int = 1) -> int:
            return x**exponent

    net = Power()
    net.register_forward_pre_hook(lambda m, args, kwargs: (args, {"exponent": 3}), with_kwargs=True)
    net.register_forward_hook(lambda m, args, kwargs, out: (out, kwargs), with_kwargs=True)
    assert net(2, exponent=2) == (8, {"exponent": 3})


def test_hooks_that_are_called_whatever_happens() -> None:
    class Broken(nn.Module):
        def forward(self) -> None:
            raise ArithmeticError

    net = Broken()
    outputs: list[Any] = []
    net.register_forward_hook(lambda m, args, out: outputs.append("skipped"))
    net.register_forward_hook(lambda m, args, out: outputs.append(out), always_call=True)
    with pytest.raises(ArithmeticError):
        net()
    assert outputs == [None]


def test_printing() -> None:
    assert repr(nn.Sequential(nn.Linear(3, 4), nn.ReLU())) == (
        "Sequential(\n  (0): Linear(in_features=3, out_features=4, bias=True)\n  (1): ReLU()\n)"
    )
    nested = repr(nn.Sequential(nn.Sequential(nn.Identity())))
    assert nested == "Sequential(\n  (0): Sequential(\n    (0): Identity()\n  )\n)"


def test_printing_of_extra_lines() -> None:
    class Chatty(nn.Module):
        def extra_repr(self) -> str:
            return "a=1\nb=2"

    assert repr(Chatty()) == "Chatty(\n  a=1\n  b=2\n)"


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_independent(duplicate: Any) -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2), nn.LSTM(2, 3))
    net.tied = net[0].weight
    made = duplicate(net)
    assert made.tied is made[0].weight
    assert isinstance(made.tied, nn.Parameter)
    assert made.tied.requires_grad
    with tp.no_grad():
        made.tied.zero_()
    assert bool((net[0].weight != 0).any())
    assert made[1].num_batches_tracked is not net[1].num_batches_tracked
    x = tp.ones(4, 2, 2)
    assert np.array_equal(made[2](x)[0].detach().numpy(), net[2](x)[0].detach().numpy())


def test_parameters_print_and_check_their_data() -> None:
    assert repr(nn.Parameter(tp.ones(1))).startswith("Parameter containing:\ntensor([1.], requires_grad=True)")
    data = tp.ones(2)
    with tp.no_grad():
        nn.Parameter(data).add_(1)
    assert np.array_equal(data.numpy(), [2, 2])
    assert not nn.Parameter(tp.ones(2), requires_grad=False).requires_grad
    assert nn.Parameter().shape == (0,)
    with pytest.raises(TypeError, match="must be a tensor"):
        nn.Parameter([1.0])
    with pytest.raises(RuntimeError, match="require grad"):
        nn.Parameter(tp.tensor([1]))
