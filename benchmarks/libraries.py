"""The libraries that take part, as a worker uses them: how arrays get in and out, and how to wait for a result."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks import floor
from benchmarks.workloads.workload import Workload

OURS, TORCH, JAX, JITTED, FLOOR = "tensorplay", "torch", "jax", "jax, jitted", "floor"
LIBRARIES = (OURS, TORCH, JAX, JITTED, FLOOR)
MODULES = {OURS: "tensorplay", TORCH: "torch", JAX: "jax", JITTED: "jax", FLOOR: "numpy"}


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """`function` of every array in nested containers."""
    if isinstance(tree, dict):
        return {key: mapped(function, entry) for key, entry in tree.items()}
    if isinstance(tree, list | tuple):
        return [mapped(function, entry) for entry in tree]
    return function(tree)


def leaves(tree: Any) -> Iterator[Any]:
    """Arrays in nested containers, dictionaries in the order of their keys."""
    if isinstance(tree, dict):
        tree = [tree[key] for key in sorted(tree)]
    if isinstance(tree, list | tuple):
        for entry in tree:
            yield from leaves(entry)
    else:
        yield tree


class Library:
    """A library with torch's names."""

    def __init__(self, name: str) -> None:
        self.lib: Any = importlib.import_module(MODULES[name])
        for part in ("func", "nn.functional", "linalg"):
            importlib.import_module(f"{MODULES[name]}.{part}")

    def prepared(self, workload: Workload, result_bytes: int) -> Callable[[], Any]:
        """The work as a function without arguments, which returns when the result is there."""
        function, inputs = workload.in_torch(self.lib), mapped(self.lib.tensor, workload.inputs())
        return lambda: function(*inputs)


class Jax(Library):
    """JAX, op by op or compiled."""

    def __init__(self, name: str) -> None:
        self.lib = importlib.import_module("jax")
        self.jitted = name == JITTED

    def prepared(self, workload: Workload, result_bytes: int) -> Callable[[], Any]:
        jax, function = self.lib, workload.in_jax(self.lib)
        inputs = mapped(jax.numpy.asarray, workload.inputs())
        if self.jitted:
            function = jax.jit(function)
        return lambda: jax.block_until_ready(function(*inputs))


class Floor(Library):
    """What any implementation must at least do, in plain NumPy: see `floor`."""

    def __init__(self, name: str) -> None:
        floor.libraries()

    def prepared(self, workload: Workload, result_bytes: int) -> Callable[[], Any]:
        return floor.work(workload, sum(array.nbytes for array in leaves(workload.inputs())), result_bytes)


def library(name: str) -> Library:
    """The library of this process."""
    kinds: dict[str, type[Library]] = {JAX: Jax, JITTED: Jax, FLOOR: Floor}
    return kinds.get(name, Library)(name)
