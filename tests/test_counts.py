"""
How many Python functions of the package small transforms call, and how many blocks of memory they hold.

Counts do not depend on the machine, so overhead that creeps back is noticed. The bounds are what was counted, and a
little more; where a change needs fewer, lower them: ``python -m tests.test_counts`` prints what there is now.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import functional_call, grad, jvp, vmap
from tensorplay.interpreters import programs, record, watch

PACKAGE = str(Path(tp.__file__).parent)
SLACK = 1.05

X = tp.tensor(np.linspace(0.1, 0.9, 8))
ROWS = tp.tensor(np.linspace(0.1, 0.9, 24).reshape(3, 8))
NET = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 2)).double()
WEIGHTS = {name: weight.detach() for name, weight in NET.named_parameters()}


def ten_ops(x: tp.Tensor) -> tp.Tensor:
    y = (x.sin() * x + 1).exp() / 2
    return ((y - x).tanh() * y).sum().log()


def third_derivative(x: tp.Tensor) -> tp.Tensor:
    return grad(lambda a: grad(lambda b: grad(lambda c: (c**4).sum())(b).sum())(a).sum())(x)


def loss(weights: Any, x: tp.Tensor) -> tp.Tensor:
    return (functional_call(NET, weights, (x,)) ** 2).sum()


# what is called, and the most functions of the package that it may call
CALLS: dict[str, tuple[Callable[[], Any], int]] = {
    "an op": (lambda: tp.sin(X), 3),
    "an operator": (lambda: X * X, 3),
    "grad of a sum": (lambda: grad(tp.sum)(X), 55),
    "grad of ten ops": (lambda: grad(ten_ops)(X), 99),
    "vmap of an op": (lambda: vmap(tp.sin)(ROWS), 43),
    "vmap of ten ops": (lambda: vmap(ten_ops)(ROWS), 100),
    "vmap of grad of ten ops": (lambda: vmap(grad(ten_ops))(ROWS), 183),
    "jvp of ten ops": (lambda: jvp(ten_ops, (X,), (X,)), 227),
    "third derivative": (lambda: third_derivative(X), 270),
    "functional_call": (lambda: functional_call(NET, WEIGHTS, (ROWS,)), 67),
    "gradient of a network": (lambda: grad(loss)(WEIGHTS, ROWS), 197),
    "per-sample gradients": (lambda: vmap(grad(loss), in_dims=(None, 0))(WEIGHTS, ROWS), 313),
    "backward": (lambda: ten_ops(X.detach().requires_grad_()).backward(), 318),
}

# a transform, and the most blocks that it may hold when the function has run
BLOCKS: dict[str, tuple[Callable[[Callable[[tp.Tensor], tp.Tensor]], Any], int]] = {
    "grad": (lambda f: grad(f)(X), 148),
    "vmap": (lambda f: vmap(f)(ROWS), 80),
    "vmap of grad": (lambda f: vmap(grad(f))(ROWS), 210),
    "jvp": (lambda f: jvp(f, (X,), (X,)), 70),
    "backward": (lambda f: f(X.detach().requires_grad_()).backward(), 147),
}


@pytest.fixture(autouse=True)
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods as they are in a process that has not switched anomaly detection on and off very often."""
    monkeypatch.setattr(watch, "_changes", 0)
    watch._replace_methods(False)


def functions_called(call: Callable[[], Any]) -> Counter[str]:
    """How often each function of the package is called; comprehensions, which newer Pythons inline, do not count."""
    called: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and not code.co_name.endswith(("comp>", "expr>")):
            called[f"{Path(code.co_filename).relative_to(PACKAGE)}: {code.co_qualname}"] += 1

    for _ in range(3 * programs.SIGHTINGS):  # of each of three nested levels, once the one within has its program
        call()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return called


def blocks_held(transform: Callable[[Callable[[tp.Tensor], tp.Tensor]], Any]) -> Counter[str]:
    """How many blocks of memory, by the line that asked for them, are alive when ten ops have run under a transform."""
    found: Counter[str] = Counter()

    def f(x: tp.Tensor) -> tp.Tensor:
        out = ten_ops(x)
        if tracemalloc.is_tracing():
            ours = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, f"{PACKAGE}/*")])
            for line in ours.statistics("lineno"):
                where = line.traceback[0]
                found[f"{Path(where.filename).relative_to(PACKAGE)}:{where.lineno}"] = line.count
        return out

    transform(f)
    gc.collect()  # which empties the interpreter's pools too
    tracemalloc.start()
    try:
        transform(f)
    finally:
        tracemalloc.stop()
    return found


def table(counts: Counter[str]) -> str:
    return "\n".join(f"{number:6} {what}" for what, number in counts.most_common(15))


@pytest.mark.parametrize("name", CALLS)
def test_functions_called(name: str) -> None:
    call, bound = CALLS[name]
    called = functions_called(call)
    assert 0 < called.total() <= bound * SLACK, (
        f"{name}: {called.total()} functions called where {bound} sufficed\n{table(called)}"
    )


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_held(name: str) -> None:
    transform, bound = BLOCKS[name]
    held = blocks_held(transform)
    assert 0 < held.total() <= bound * SLACK, (
        f"{name}: {held.total()} blocks held where {bound} sufficed\n{table(held)}"
    )


def test_more_calls_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counter sees a wrapper around what every recorded op passes."""
    call, _ = CALLS["grad of ten ops"]
    before = functions_called(call)
    source = "def slow(*args):\n    return plain(*args)\n"
    space: dict[str, Any] = {"plain": record.Record._recorded}
    exec(compile(source, f"{PACKAGE}/slow.py", "exec"), space)
    monkeypatch.setattr(record.Record, "_recorded", space["slow"])
    after = functions_called(call)
    assert after["slow.py: slow"] >= 10
    assert after.total() > before.total() * SLACK


if __name__ == "__main__":
    for name, (call, bound) in CALLS.items():
        sys.stdout.write(f"{functions_called(call).total():6} functions (at most {bound}): {name}\n")
    for name, (transform, bound) in BLOCKS.items():
        sys.stdout.write(f"{blocks_held(transform).total():6} blocks (at most {bound}): {name}\n")
