"""custom_derivative: a function with a derivative of its own, under every transform."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.value import Value, is_inexact
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.func.arguments import counted, describe, name_of, need_option, output_values, shown
from tensorplay.tensor.custom_call import Operation, Tensors, apart, as_tensor
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor

BATCHING = ("derived", "loop")


def custom_derivative(
    *, vjp: Callable[..., Any] | None = None, jvp: Callable[..., Any] | None = None, batching: str = "derived"
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    A decorator that gives a function a derivative of its own.

    One rule is enough: the other mode is its transpose, and `vmap` maps over function and rule. All transforms nest.

    Parameters
    ----------
    vjp : callable, optional
        ``vjp(args, output, cotangent)`` returns a tuple with one entry per argument, also where a default is taken: the
        cotangent of that argument, in its structure, or None where there is no dependence.
    jvp : callable, optional
        ``jvp(args, output, tangents)`` returns the tangent of the output, in its structure; `tangents` is a tuple with
        one entry per argument.
    batching : {"derived", "loop"}, default "derived"
        What `vmap` does with the function: run it on all samples at once, or (for functions that leave tensorplay, as
        for a SciPy solver) on each sample.

    Returns
    -------
    callable
        Takes a function of pytrees of Tensor (which may return NumPy arrays). What it returns is called as that
        function; derivatives flow to the tensors among the arguments.

    Raises
    ------
    TypeError
        If there is no rule, or the function returns what is no tensor.
    ValueError
        If `batching` is neither of the two. When a derivative is taken: if what a rule returns differs from what it is
        the (co)tangent of, in structure, shape or dtype.
    RuntimeError
        If the function uses a tensor that is traced and not among its positional arguments.

    Notes
    -----
    Rules are linear in the (co)tangent and made of tensorplay's operations. They must hold for each sample alone. In
    trees of (co)tangents, leaves that are no floating or complex tensors have None.

    Arguments that can be given by name only are constants; the rules are given them by name too.

    Examples
    --------
    >>> @tp.func.custom_derivative(jvp=lambda args, out, tangents: tangents[0] * tp.sigmoid(args[0]))
    ... def log1pexp(x):
    ...     return tp.log1p(tp.exp(x))
    >>> tp.func.vmap(tp.func.grad(log1pexp))(tp.tensor([0.0, 1000.0]))
    tensor([0.5000, 1.0000])
    """
    if vjp is None and jvp is None:
        raise TypeError("custom_derivative(): give a rule, vjp= or jvp=")
    for name, rule in (("vjp", vjp), ("jvp", jvp)):
        if rule is not None and not callable(rule):
            raise TypeError(f"custom_derivative(): expected a callable as {name}, got {describe(rule)}")
    need_option("custom_derivative()", "batching", batching, BATCHING)

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(f"custom_derivative(): expected a function to decorate, got {describe(func)}")
        bind = _binder(func)

        @functools.wraps(func)
        def public(*args: Any, **kwargs: Any) -> Any:
            return _CustomCall(func, vjp, jvp, batching, *bind(*args, **kwargs)).result()

        return public

    return decorate


def _binder(func: Callable[..., Any]) -> Callable[..., tuple[tuple[Any, ...], dict[str, Any]]]:
    """What tells a call's arguments that have a position from those that are given by name only."""
    try:
        signature = inspect.signature(func)
    except ValueError:  # a builtin that does not tell
        return lambda *args, **kwargs: (args, kwargs)

    def bind(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"custom_derivative({name_of(func)}): {error}") from None
        bound.apply_defaults()  # rules always get as many arguments, whichever of them were given by name
        return bound.args, {name: value for name, value in bound.kwargs.items() if name in kwargs}

    return bind


class _CustomCall(Operation):
    """One call of the function: its arguments, of which some leaves are no tensors."""

    def __init__(
        self,
        func: Callable[..., Any],
        vjp: Callable[..., Any] | None,
        jvp: Callable[..., Any] | None,
        batching: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        self.name = name_of(func)
        self.batching = batching
        self.has_pull, self.has_push = vjp is not None, jvp is not None
        self._func, self._vjp, self._jvp = func, vjp, jvp
        self._kwargs = kwargs
        self._leaves, self._spec = tree.flatten(args)
        self._positions = [i for i, leaf in enumerate(self._leaves) if isinstance(leaf, Tensor)]
        self._out_spec: tree.TreeSpec = tree.LEAF

    def result(self) -> Any:
        """What the user gets."""
        tensors = [wrap(value) for value in self.apply([self._leaves[i] for i in self._positions])]
        # values that are needed, the node has
        self._leaves = [None if isinstance(leaf, Tensor) else leaf for leaf in self._leaves]
        return tree.unflatten(self._out_spec, tensors)

    def _arguments(self, tensors: Tensors, others: Sequence[Any]) -> Any:
        leaves = list(others)
        for position, tensor in zip(self._positions, tensors, strict=True):
            leaves[position] = tensor
        return tree.unflatten(self._spec, leaves)

    def forward(self, inputs: Tensors) -> Tensors:
        """The outputs, in memory of their own."""
        out = tree.map_leaves(as_tensor, self._func(*self._arguments(inputs, self._leaves), **self._kwargs))
        title = f"custom_derivative({self.name})"
        _, self._out_spec = output_values(title, self._func, out, "Return tensors or NumPy arrays")
        return [apart(tensor, inputs) for tensor in tree.flatten(out)[0]]

    def push(self, inputs: Tensors, outputs: Tensors, tangents: Tensors) -> Tensors:
        """What the rule of forward mode says."""
        assert self._jvp is not None
        dots = self._arguments(_filled(tangents, inputs), [None] * len(self._leaves))
        out = tree.unflatten(self._out_spec, outputs)
        returned = self._jvp(self._arguments(inputs, self._leaves), out, dots, **self._kwargs)
        values = [output.value for output in outputs]
        return self._matching("jvp: the tangent of the output", returned, out, values)

    def pull(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors, wanted: Sequence[bool]) -> Tensors:
        """What the rule of reverse mode says."""
        assert self._vjp is not None
        out = tree.unflatten(self._out_spec, outputs)
        ct = tree.unflatten(self._out_spec, _filled(cotangents, outputs))
        args = self._arguments(inputs, self._leaves)
        returned = self._vjp(args, out, ct, **self._kwargs)
        if not isinstance(returned, tuple) or len(returned) != len(args):
            count = f"one entry per argument ({len(args)})"
            raise ValueError(
                f"custom_derivative({self.name})'s vjp must return a tuple with {count}, got "
                + (counted(len(returned), "entry", "entries") if isinstance(returned, tuple) else describe(returned))
                + ("; write (ct,) for a single one" if len(args) == 1 else "")
            )
        results: list[Any] = []
        for number, (entry, arg) in enumerate(zip(returned, args, strict=True)):
            values = [leaf.value if isinstance(leaf, Tensor) else None for leaf in tree.flatten(arg)[0]]
            results += self._matching(f"vjp: the cotangent of argument[{number}]", entry, arg, values)
        return [results[position] for position in self._positions]

    def _matching(self, what: str, given: Any, of: Any, values: Sequence[Value | None]) -> list[Any]:
        """Leaves of a (co)tangent that a rule returned, which must fit; None for a whole tree is zero."""
        if given is None:
            return [None] * len(values)
        leaves, spec = tree.flatten(given)
        expected = tree.flatten(of)[1]
        if spec != expected:
            raise ValueError(
                f"custom_derivative({self.name})'s {what} must have its structure, {shown(expected)}, got {shown(spec)}"
            )
        for position, (leaf, value) in enumerate(zip(leaves, values, strict=True)):
            if leaf is None or (value is not None and _fits(leaf, value)):
                continue
            wanted = "None" if value is None or not is_inexact(value) else f"a {_outline(value)} or None"
            raise ValueError(
                f"custom_derivative({self.name})'s {what}{tree.paths(given)[position]} must be {wanted}, got "
                f"{describe(leaf)}"
            )
        return leaves


def _fits(leaf: Any, value: Value) -> bool:
    return (
        isinstance(leaf, Tensor)
        and is_inexact(value)
        and leaf.value.shape == value.shape
        and leaf.value.dtype == value.dtype
    )


def _outline(value: Value) -> str:
    return f"{from_numpy_dtype(value.dtype)} tensor of shape {list(value.shape)}"


def _filled(tangents: Tensors, like: Tensors) -> list[Any]:
    """(Co)tangents with zeros in place of None, where there are derivatives."""
    return [
        None if not is_inexact(of.value) else wrap(np.zeros(of.value.shape, of.value.dtype)) if dot is None else dot
        for dot, of in zip(tangents, like, strict=True)
    ]
