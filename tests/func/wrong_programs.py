"""What the programs of ``wrong_programs.txt`` use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import func
from tensorplay.autograd import Function
from tensorplay.core.primitive import Primitive, registry
from tensorplay.func import checkpoint, progress, shipping, vmap
from tensorplay.library import custom_op, register_autograd
from tensorplay.tensor.lift import lift
from tests.func.support import AtOnce

NAMES: dict[str, Any] = {name: getattr(func, name) for name in func.__all__}  # of the programs, with all of this module
NAMES |= {"custom_op": custom_op, "register_autograd": register_autograd, "np": np}

X, Y = tp.ones(3, 4), tp.ones(2, 4)
STEP = tp.ones(3, 4)  # what programs try to write to
ONE, FLAGS, NUMBERS = tp.tensor(1.0), tp.tensor([True, False, True]), tp.tensor([1, 2, 3])


def f(x: Any) -> Any:
    return x.sin()


def total(x: Any, *others: Any) -> Any:
    return x.sum()


def add(a: Any, b: Any) -> Any:
    return a + b


def leaf() -> Any:
    """A tensor that requires grad."""
    return tp.ones(3, requires_grad=True)


def bare_operator() -> Any:
    """An operator without any rule."""
    primitive = Primitive("bare", lambda x: x * 2.0)
    del registry["bare"]
    return lift(primitive)


class Rules(Function):
    """A Function whose methods tests replace."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keeps nothing."""

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        return ct * 2


def function(**methods: Any) -> Any:
    """`apply` of a Function with some methods of its own."""
    made = {name: staticmethod(method) if callable(method) else method for name, method in methods.items()}
    return type("Mine", (Rules,), made).apply


def one_forward(**methods: Any) -> Any:
    """`apply` of a Function whose forward keeps, in its context, what it computes."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.slope = x * 2
        return x * x

    def backward(ctx: Any, ct: Any) -> Any:
        return ct * ctx.slope

    methods = {"forward": forward, "backward": backward, **methods}
    made = {name: staticmethod(method) for name, method in methods.items()}
    return type("Mine", (Function,), {"generate_vmap_rule": "vmap" not in methods, **made}).apply


def kept_from_a_map() -> Any:
    kept: list[Any] = []
    vmap(lambda x: (kept.append(x), x)[1])(X)
    return kept[0]


def kept_from_a_checkpoint(x: Any) -> Any:
    kept: list[Any] = []
    checkpoint(lambda x: (kept.append(x * 2), x)[1])(x)
    return kept[0].sum()


def two_models(**changes: Any) -> list[Any]:
    models = [tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.ReLU()) for _ in range(2)]
    for name, change in changes.items():
        getattr(models[1], name)(*change)
    return models


LINEAR, MODEL = tp.nn.Linear(4, 2), tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.ReLU())
TIED = tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.Linear(2, 2))
TIED[1].weight = TIED[0].weight


def hooked(hook: Callable[..., Any]) -> Any:
    model = tp.nn.Linear(4, 2)
    model.register_forward_pre_hook(hook, with_kwargs=True)
    return model


def overwritten() -> Any:
    w, factor = leaf(), tp.ones(3)
    loss = (w * factor).sum()
    factor.add_(1.0)
    return loss


def backward_twice() -> None:
    loss = leaf().sin().sum()
    loss.backward()
    loss.backward()


def without(package: str, program: Callable[[], Any]) -> Any:
    """What a program gives where a package is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (progress, shipping):
            patch.setattr(module, "find_spec", lambda name: None if name == package else find_spec(name))
        return program()


class Lost(AtOnce):
    """An executor whose workers die."""

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Any:
        return super().submit(self._die)

    def _die(self) -> None:
        raise BrokenExecutor("a process was terminated")


LOCK = threading.Lock()  # no pickle holds it
HERE, POSTED, LOST = AtOnce(pickled=False), AtOnce(), Lost(pickled=False)


def watched(program: Callable[[], Any]) -> Any:
    with tp.autograd.detect_anomaly():
        return program()


@custom_op("mine::bare", mutates_args=())
def without_rules(x: Any) -> Any:
    return x * 2


NAMES |= {name: thing for name, thing in globals().items() if name != "NAMES"}
