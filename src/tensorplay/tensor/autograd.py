"""Ordinary autograd: `backward` and `grad` over the record at level 0, and the modes that pause recording."""

from __future__ import annotations

import contextlib
import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Sequence
from contextvars import Token
from typing import Any, TypeVar

import numpy as np

from tensorplay.core.hooks import hooks_of
from tensorplay.core.modes import ALL_RECORD, paused_level, quiet
from tensorplay.core.stack import settle, top_level
from tensorplay.core.value import Traced, Value
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.errors import need_flags, user_line
from tensorplay.interpreters.forward import Dual
from tensorplay.interpreters.pull import pull_back
from tensorplay.interpreters.record import Leaf, Link, Recorded, ancestors, root, without_recording
from tensorplay.ops.families import add
from tensorplay.ops.promotion import cast
from tensorplay.tensor.handle import Handle, wrap

F = TypeVar("F", bound=Callable[..., Any])


class _Mode:
    """Context manager and decorator that sets which levels are paused."""

    _tokens: list[Token[int]]

    def __new__(cls, function: Any = None) -> Any:
        mode = super().__new__(cls)
        mode._tokens = []
        return mode if function is None else mode(function)

    def _level(self) -> int:
        raise NotImplementedError

    def __enter__(self) -> None:
        self._tokens.append(paused_level.set(self._level()))

    def __exit__(self, *_: object) -> None:
        paused_level.reset(self._tokens.pop())

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function):
            return self._generator(function)

        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            with type(self)():
                return function(*args, **kwargs)

        return inner  # type: ignore[return-value]

    def _generator(self, function: F) -> F:
        """The mode holds while the generator runs, and not while it waits."""

        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            resume: Callable[[], Any] = functools.partial(next, generator)
            while True:
                try:
                    with type(self)():
                        out = resume()
                except StopIteration as stop:
                    return stop.value
                try:
                    resume = functools.partial(generator.send, (yield out))
                except GeneratorExit:
                    with type(self)():
                        generator.close()
                    raise
                except BaseException as error:
                    resume = functools.partial(generator.throw, error)

        return inner  # type: ignore[return-value]


class no_grad(_Mode):
    """
    Context (or decorator) in which results do not depend, for derivatives, on what they were computed from.

    It holds for ordinary autograd and for every transform that was active when it was entered, in both modes.

    Parameters
    ----------
    function : callable, optional
        Decorated, where the parentheses are left out (``@no_grad``).

    Examples
    --------
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> with tp.no_grad():
    ...     y = x * x
    >>> y.requires_grad
    False
    """

    def _level(self) -> int:
        return top_level()


class enable_grad(_Mode):
    """
    Context (or decorator) in which derivatives are recorded again inside `no_grad`.

    Parameters
    ----------
    function : callable, optional
        Decorated, where the parentheses are left out (``@enable_grad``).

    Examples
    --------
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> with tp.no_grad(), tp.enable_grad():
    ...     y = x * x
    >>> y.requires_grad
    True
    """

    def _level(self) -> int:
        return ALL_RECORD


def inference_mode(mode: Any = True) -> Any:
    """
    Context (or decorator) for computing without derivatives: `no_grad` under the name that inference code uses.

    Parameters
    ----------
    mode : bool or callable, default True
        False records derivatives, as `enable_grad` does. A function is decorated (``@inference_mode``).

    Returns
    -------
    context manager or callable
        What is computed within are ordinary tensors, which may enter later computations that are differentiated.

    Examples
    --------
    >>> x = tp.tensor(2.0, requires_grad=True)
    >>> with tp.inference_mode():
    ...     y = x * x
    >>> y.requires_grad
    False
    """
    if callable(mode):
        return no_grad(mode)
    return no_grad() if mode else enable_grad()


class set_grad_enabled(contextlib.AbstractContextManager[None]):
    """
    Switch recording on or off, at once, and until the end of a ``with`` block where there is one.

    Parameters
    ----------
    mode : bool
        Whether derivatives are recorded.

    Examples
    --------
    >>> with tp.set_grad_enabled(False):
    ...     tp.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self._token = paused_level.set(ALL_RECORD if mode else top_level())

    def __exit__(self, *_: object) -> None:
        paused_level.reset(self._token)


def is_grad_enabled() -> bool:
    """
    Whether derivatives are recorded here.

    Returns
    -------
    bool
        False inside `no_grad`.

    Examples
    --------
    >>> tp.is_grad_enabled()
    True
    """
    return paused_level.get() < top_level()


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """
    Add to the ``.grad`` of leaf tensors the gradient of the sum of `tensors`, weighted by `grad_tensors`.

    Parameters
    ----------
    tensors : Tensor or sequence of Tensor
        What to differentiate; results of computations on tensors that require grad.
    grad_tensors : Tensor or sequence of Tensor, optional
        Cotangents, shapes of `tensors`; may be left out for tensors of one element.
    retain_graph : bool, optional
        Keep the graph for another call; by default as `create_graph`.
    create_graph : bool, default False
        Record the computation of the gradient, so that it can be differentiated.
    inputs : Tensor or sequence of Tensor, optional
        Accumulate into these only.

    Raises
    ------
    RuntimeError
        If a tensor requires no grad, is no scalar and has no cotangent, or belongs to a transform.

    Examples
    --------
    >>> x = tp.tensor(3.0, requires_grad=True)
    >>> tp.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
    """
    outputs = _with_cotangents("backward", tensors, grad_tensors)
    if inputs is None:
        leaves = [node for node in ancestors([value.node for value, _ in outputs]) if isinstance(node, Leaf)]
        links: list[Link] = [(node, 0) for node in leaves]
        targets = [None if node.target is None else node.target() for node in leaves]
    else:
        targets = _listed(inputs)
        links = [_recorded("backward", tensor).link for tensor in targets]
    need_flags("backward()", retain_graph=retain_graph, create_graph=create_graph)
    cts = _pull(outputs, links, retain_graph, create_graph)
    for target, ct in zip(targets, cts, strict=True):
        if target is not None and ct is not None:
            accumulate(target, ct, create_graph)
            for hook in hooks_of(target._hooks, "accumulated") if target._hooks else ():
                hook(target)


_accumulating = threading.RLock()  # threads may share leaves


def accumulate(target: Handle, ct: Value, create_graph: bool) -> None:
    """Add a cotangent to the ``.grad`` of a tensor."""
    with _accumulating:
        have = target._grad
        if have is None:
            # the cotangent may be a view of, or the same array as, another tensor's gradient
            target._grad = wrap(ct if create_graph or not isinstance(ct, np.ndarray) else ct.copy())
        elif create_graph or isinstance(ct, Traced):
            target._grad = wrap(add(have.value, ct))
        else:
            with without_recording():
                have._write(add(root.lower(have.value), ct), "backward")


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """
    Gradients of the sum of `outputs`, weighted by `grad_outputs`, with respect to `inputs`.

    Parameters
    ----------
    outputs, inputs : Tensor or sequence of Tensor
        What to differentiate, and with respect to what.
    grad_outputs : Tensor or sequence of Tensor, optional
        Cotangents, shapes of `outputs`; may be left out for tensors of one element.
    retain_graph : bool, optional
        Keep the graph for another call; by default as `create_graph`.
    create_graph : bool, default False
        Record the computation of the gradients, so that they can be differentiated.
    allow_unused : bool, optional
        Give None for an input that outputs do not depend on, instead of an error; by default as `materialize_grads`.
    materialize_grads : bool, default False
        Give zeros instead of None.

    Returns
    -------
    tuple of Tensor
        One per input, in its shape.

    Raises
    ------
    RuntimeError
        If an input is unused and `allow_unused` is not set, or as for `backward`.

    Examples
    --------
    >>> x = tp.tensor(3.0, requires_grad=True)
    >>> tp.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    flags = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
    need_flags("grad()", retain_graph=retain_graph, create_graph=create_graph, **flags)
    pairs = _with_cotangents("grad", outputs, grad_outputs)
    targets = [_recorded("grad", tensor) for tensor in _listed(inputs)]
    cts = _pull(pairs, [value.link for value in targets], retain_graph, create_graph)
    allow = materialize_grads if allow_unused is None else allow_unused
    results = []
    for position, (ct, value) in enumerate(zip(cts, targets, strict=True)):
        if ct is None and not allow:
            raise RuntimeError(
                f"grad: outputs do not depend on input {position} (shape {list(value.shape)}). Pass allow_unused=True "
                "to get None, or materialize_grads=True to get zeros."
            )
        if ct is None and materialize_grads:
            ct = np.zeros(value.shape, value.dtype)
        results.append(None if ct is None else wrap(ct))
    return tuple(results)


def _pull(
    outputs: Sequence[tuple[Recorded, Value]], wanted: Any, retain_graph: bool | None, create_graph: bool
) -> list[Value | None]:
    retain = create_graph if retain_graph is None else retain_graph
    with quiet(), contextlib.nullcontext() if create_graph else without_recording():
        cts = pull_back(outputs, wanted, consume=not retain)
    return cts if create_graph else [None if ct is None else root.lower(ct) for ct in cts]


def _listed(tensors: Any) -> list[Any]:
    return list(tensors) if isinstance(tensors, list | tuple) else [tensors]


def _value_of(name: str, tensor: Any) -> Value:
    if not isinstance(tensor, Handle):
        raise TypeError(f"{name}(): expected a tensor, got {type(tensor).__name__}")
    return tensor.value


def _recorded(name: str, tensor: Any) -> Recorded:
    value = _value_of(name, tensor)
    if isinstance(value, Traced) and value.owner is not root and value.owner.alive:
        raise RuntimeError(
            f"{name}() was called on a tensor that {value.owner.title} traces. Inside a transform, differentiate a "
            "function: use tp.func.grad or tp.func.vjp."
        )
    if not root.is_recorded(value):
        raise RuntimeError(
            f"{name}(): a tensor of shape {list(value.shape)} does not require grad and was not computed from one that "
            "does"
        )
    return value


def _with_cotangents(name: str, tensors: Any, cotangents: Any) -> list[tuple[Recorded, Value]]:
    outputs = [_recorded(name, tensor) for tensor in _listed(tensors)]
    given = [None] * len(outputs) if cotangents is None else _listed(cotangents)
    if len(given) != len(outputs):
        raise RuntimeError(f"{name}(): got {len(given)} cotangents for {len(outputs)} tensors; give one for each")
    return [(value, _cotangent(name, value, ct)) for value, ct in zip(outputs, given, strict=True)]


def _cotangent(name: str, value: Recorded, ct: Any) -> Value:
    if ct is None:
        if value.size != 1:
            raise RuntimeError(
                f"{name}(): a gradient is implicit only for a tensor of one element, got shape {list(value.shape)}. "
                "Reduce it, e.g. with .sum(), or pass a cotangent of that shape."
            )
        if value.dtype.kind == "c":
            raise RuntimeError(
                f"{name}(): a gradient is implicit only for real tensors, got {from_numpy_dtype(value.dtype)}. Take "
                "its .real or .abs(), or pass a cotangent."
            )
        return np.ones(value.shape, value.dtype)
    given = _value_of(name, ct)
    if given.shape != value.shape:
        raise RuntimeError(
            f"{name}(): a cotangent must have the shape of its tensor: expected {list(value.shape)}, got "
            f"{list(given.shape)}"
        )
    if given.dtype.kind == "c" and value.dtype.kind != "c":
        raise RuntimeError(
            f"{name}(): the cotangent of a real tensor must be real: expected {from_numpy_dtype(value.dtype)}, got "
            f"{from_numpy_dtype(given.dtype)}; take its .real"
        )
    return cast(given, value.dtype)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def warn_of_constant(value: Value, what: str) -> None:
    """
    Warn that a number, taken of a value that a transform differentiates, carries no derivative.

    Ordinary autograd is silent: there, numbers are taken of losses to be shown.
    """
    value = settle(value)
    while isinstance(value, Traced):
        owner = value.owner
        if isinstance(value, Recorded | Dual) and owner is not root and owner.level > paused_level.get():
            warnings.warn(
                f"{what} was called at {user_line()} with a tensor that {owner.title} differentiates: the number is a "
                "constant, through which no derivative flows. Use tensorplay's function (tp.sin for math.sin), or "
                "x.item() where a constant is meant.",
                stacklevel=3,
            )
            return
        value = value.inner
