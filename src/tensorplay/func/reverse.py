"""Reverse mode: vjp, grad, grad_and_value."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.modes import quiet
from tensorplay.core.value import Value, ground
from tensorplay.core.writes import owner_of
from tensorplay.errors import need_flags
from tensorplay.func.arguments import (
    Handles,
    argnums_tuple,
    check_inexact,
    describe,
    lowered_aux,
    matching_values,
    output_values,
    split_aux,
    title_of,
)
from tensorplay.interpreters.pull import pull_back, pull_single
from tensorplay.interpreters.record import Leaf, Link, Record, Recorded, ancestors
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor


class Recording:
    """
    One run of a function that was recorded: its outputs, and the leaves it was differentiated with respect to.

    It may be said that it will be pulled only `once`.
    """

    __slots__ = ("_handles", "_links", "aux", "leaves", "level", "output", "spec", "title", "values", "wanted_specs")

    def __init__(
        self,
        title: str,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        wanted: Sequence[int],
        has_aux: bool,
        once: bool = False,
    ) -> None:
        self.title = title
        self.level = level = Record(title, structured=once)
        self.aux: Any = None
        self._handles = handles = Handles(*tree.flatten(args))
        positions, self.wanted_specs = _differentiated(title, args, handles, wanted)
        self.leaves: list[Recorded] = []
        self._links: list[Link] = []
        with level:
            if len(positions) < len(handles.leaves):
                chosen = frozenset(positions)
                for position, leaf in enumerate(handles.leaves):
                    if isinstance(leaf, Tensor) and position not in chosen:
                        handles.wrap(position, leaf.value, level.lower)
            for position in positions:
                recorded = level.leaf(handles.leaves[position].value)
                self.leaves.append(recorded)
                self._links.append(recorded.link)
                handles.wrap(position, recorded, level.lower)
            out = handles.call(func, kwargs)
            self.output, self.aux = split_aux(title, func, out) if has_aux else (out, None)
            self.values, self.spec = output_values(title, func, self.output)
        if has_aux:
            self.aux = lowered_aux(level.lower, self.aux)

    def write_back(self, keep: bool = False) -> None:
        """
        Give the caller's tensors what the function wrote to its arguments.

        A transform that pulls or pushes within its call does that first: until here, memory holds what was recorded.
        One that goes on using the record asks to `keep` what it holds of that memory.
        """
        if keep:
            self._copy_what_is_written()
        self._handles.write_back(self.title)
        del self._handles

    def _copy_what_is_written(self) -> None:
        grounds = [ground(original.value) for original, _, _ in self._handles.written()]
        written = {id(owner_of(array)) for array in grounds}
        if not written:
            return

        def kept(value: Any) -> Any:
            shared = isinstance(value, np.ndarray) and id(owner_of(value)) in written
            return value.copy() if shared else value

        for node in ancestors([value.node for value in self.values if self.level.is_recorded(value)]):
            if node.__class__ is not Leaf:
                node.args = list(map(kept, node.args or ()))
                node.out = tuple(map(kept, node.out)) if node.arity else kept(node.out)

    def lowered(self) -> Any:
        """The function's output, one level below."""
        return tree.unflatten(self.spec, [wrap(self.level.lower(value)) for value in self.values])

    def pull(self, cotangents: Sequence[Value | None], *, last: bool = False) -> list[Value]:
        """Cotangents of the leaves, zeros where nothing depends; after the `last` pull there is no other."""
        level = self.level
        outputs: list[tuple[Recorded, Value]] = []
        for position, value in enumerate(self.values):
            ct = cotangents[position]
            if ct is not None and value.__class__ is Recorded and value.owner is level:
                outputs.append((value, ct))
        with quiet():
            pulled = list(pull_single(level, outputs, self._links) if last else pull_back(outputs, self._links))
        for position, leaf in enumerate(self.leaves):
            if pulled[position] is None:
                pulled[position] = np.zeros(leaf.shape, leaf.dtype)
        return pulled

    def arranged(self, results: Sequence[Any]) -> list[Any]:
        """One tree per differentiated argument, from one result per leaf."""
        trees, start = [], 0
        for spec in self.wanted_specs:
            stop = start + spec.num_leaves
            trees.append(results[start] if spec is tree.LEAF else tree.unflatten(spec, results[start:stop]))
            start = stop
        return trees


def _differentiated(
    title: str, args: tuple[Any, ...], handles: Handles, wanted: Sequence[int]
) -> tuple[Sequence[int], list[tree.TreeSpec]]:
    """Positions of the leaves to differentiate with respect to, and the structure of each argument among them."""
    if tree.of_bare_leaves(handles.spec, len(args)):
        for argnum in wanted:
            leaf = args[argnum]
            if not isinstance(leaf, Tensor) or leaf.value.dtype.kind not in "fc":
                check_inexact(title, "argument", args, argnum, (leaf,))
        return wanted, [tree.LEAF] * len(wanted)
    all_specs = tree.children(handles.spec)
    starts = [0, *itertools.accumulate([spec.num_leaves for spec in all_specs])]
    positions: list[int] = []
    for argnum in wanted:
        here = range(starts[argnum], starts[argnum + 1])
        check_inexact(title, "argument", args, argnum, handles.leaves[here.start : here.stop])
        positions.extend(here)
    return positions, [all_specs[argnum] for argnum in wanted]


def own_tensors(values: Sequence[Value], given: Sequence[Value] = ()) -> list[Tensor]:
    """
    A tensor for each value, with memory of its own.

    A linear map may hand the same array to several arguments, a view of it, or the cotangent it was given. A view of a
    part would keep the whole alive.
    """
    taken = {id(owner_of(value)) for value in given if isinstance(value, np.ndarray)} if given else set()
    tensors = []
    for value in values:
        if value.__class__ is np.ndarray:
            owner = value if value.base is None else owner_of(value)
            if id(owner) in taken or (owner is not value and (not value.flags.writeable or owner.size > value.size)):
                value = value.copy()
            taken.add(id(owner))
        tensors.append(wrap(value))
    return tensors


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False, **kwargs: Any) -> Any:
    """
    Output of `func` and the function that pulls cotangents back.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor.
    *primals : pytree of Tensor
        Arguments of `func`, all differentiated.
    has_aux : bool, default False
        Whether `func` returns ``(output, aux)``; then aux is returned too, undifferentiated.
    **kwargs : object
        Keyword arguments of `func`: constants, which are not differentiated. Bind one that is called as an option of
        this function with `functools.partial`.

    Returns
    -------
    output : pytree of Tensor
        ``func(*primals, **kwargs)``.
    vjp_fn : callable
        Takes cotangents of output's structure, shapes and dtypes; returns one entry per primal (a tuple). It may be
        called many times, under other transforms too.
    aux : object
        Only with `has_aux`.

    Raises
    ------
    RuntimeError, TypeError
        If a primal is no floating or complex tensor, or an output no tensor.
    ValueError
        By ``vjp_fn``, if cotangents do not match the output.

    Examples
    --------
    >>> y, pull = tp.func.vjp(tp.sin, tp.tensor(0.0))
    >>> pull(tp.tensor(2.0))
    (tensor(2.),)
    """
    title = title_of("vjp", func)
    need_flags(title, has_aux=has_aux)
    recording = Recording(title, func, primals, kwargs, range(len(primals)), has_aux)
    recording.write_back(keep=True)
    output = recording.lowered()
    like = [recording.level.lower(value) for value in recording.values]

    def vjp_fn(cotangents: Any) -> tuple[Any, ...]:
        """Cotangents of the primals, one entry each."""
        cts = matching_values(f"{title}'s function", "cotangent", cotangents, like, recording.spec, "output")
        return tuple(recording.arranged(own_tensors(recording.pull(cts), cts)))

    return (output, vjp_fn, recording.aux) if has_aux else (output, vjp_fn)


def grad(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False) -> Callable[..., Any]:
    """
    A function that returns the gradient of `func`.

    Parameters
    ----------
    func : callable
        Returns a scalar Tensor (or, with `has_aux`, a pair of that and anything).
    argnums : int or tuple of int, default 0
        Which positional arguments to differentiate with respect to; they may be pytrees of Tensor.
    has_aux : bool, default False
        Whether `func` returns ``(output, aux)``; then ``(gradient, aux)`` is returned.

    Returns
    -------
    callable
        Takes the arguments of `func`; returns the gradient in the structure of the argument, or a tuple of them.

    Raises
    ------
    RuntimeError, TypeError, IndexError
        If the output is no scalar real tensor, an argument cannot be differentiated, or `argnums` is out of
        range.

    Notes
    -----
    For a complex argument the result is twice the conjugate Wirtinger derivative: the direction of steepest ascent,
    as in torch.

    Examples
    --------
    >>> tp.func.grad(lambda x: (x**2).sum())(tp.tensor([1.0, 2.0]))
    tensor([2., 4.])
    """
    title = title_of("grad", func)
    need_flags(title, has_aux=has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        grads, _, aux = _grad_and_value(title, func, argnums, has_aux, args, kwargs)
        return (grads, aux) if has_aux else grads

    return gradient


def grad_and_value(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """
    A function that returns the gradient of `func` and its value, from one evaluation.

    Parameters
    ----------
    func, argnums, has_aux
        As for `grad`.

    Returns
    -------
    callable
        Returns ``(gradient, value)``, or ``(gradient, (value, aux))`` with `has_aux`.

    Raises
    ------
    RuntimeError, TypeError, IndexError
        As for `grad`.

    Examples
    --------
    >>> tp.func.grad_and_value(lambda x: x**3)(tp.tensor(2.0))
    (tensor(12.), tensor(8.))
    """
    title = title_of("grad_and_value", func)
    need_flags(title, has_aux=has_aux)

    @functools.wraps(func)
    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        grads, value, aux = _grad_and_value(title, func, argnums, has_aux, args, kwargs)
        return (grads, (wrap(value), aux)) if has_aux else (grads, wrap(value))

    return gradient_and_value


def _grad_and_value(
    title: str,
    func: Callable[..., Any],
    argnums: int | tuple[int, ...],
    has_aux: bool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    wanted = argnums_tuple(title, argnums, len(args))
    recording = Recording(title, func, args, kwargs, wanted, has_aux, once=True)
    value = _scalar_output(title, recording)
    lowered = recording.level.lower(value)
    cts = recording.pull([np.array(1, value.dtype)], last=True)
    recording.write_back()
    trees = recording.arranged(own_tensors(cts))
    return (trees[0] if isinstance(argnums, int) else tuple(trees)), lowered, recording.aux


def _scalar_output(title: str, recording: Recording) -> Value:
    """The value to differentiate, which must be a single real number."""
    output = recording.output
    if not isinstance(output, Tensor):
        raise RuntimeError(
            f"{title}: expected a scalar tensor as output, got {describe(output)}. Return other things with "
            "has_aux=True."
        )
    value = recording.values[0]
    if value.ndim:
        raise RuntimeError(
            f"{title}: expected a scalar output, got a tensor of shape {list(value.shape)}. Reduce it, e.g. with "
            ".sum(), or use tp.func.jacrev (all derivatives) or tp.func.vjp (a weighted sum of them)."
        )
    if value.dtype.kind not in "fc":
        raise RuntimeError(
            f"{title}: the output is {describe(output)}; derivatives exist only for floating-point outputs"
        )
    if value.dtype.kind == "c":
        raise RuntimeError(
            f"{title}: expected a real output, got {describe(output)}, which has no gradient. Return its .real or "
            ".abs(), or use tp.func.vjp with a cotangent."
        )
    return value
