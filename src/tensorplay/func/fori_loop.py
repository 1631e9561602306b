"""fori_loop: a function for each integer of a range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.func.arguments import describe
from tensorplay.func.branches import called, handed, need_callables
from tensorplay.func.carry import Carry
from tensorplay.func.while_loop import run
from tensorplay.ops.indexing import is_mapped
from tensorplay.tensor.tensor import Tensor


def fori_loop(lower: Any, upper: Any, body_fn: Callable[[Any, Any], Any], init: Any) -> Any:
    """
    What is carried after a step for each integer: ``for i in range(lower, upper): carry = body_fn(i, carry)``.

    Parameters
    ----------
    lower, upper : int or Tensor
        The first integer, and the one behind the last; a tensor holds a single integer.
    body_fn : callable
        Takes the integer and the carry; returns the next carry, in the same structure, shapes and dtypes.
    init : pytree of Tensor
        The carry at first.

    Returns
    -------
    pytree of Tensor
        Structure, shapes and dtypes of `init`.

    Raises
    ------
    RuntimeError
        If the carry changes in structure, shape or dtype (the key path is named), or `body_fn` writes to it in place.
    TypeError
        If `body_fn` is not callable or a bound is no integer.

    Notes
    -----
    All transforms apply. Where `vmap` maps over a bound, the samples take different numbers of steps, and this is a
    `while_loop`: the integer is a tensor, and derivatives exist in forward mode only.

    Examples
    --------
    >>> power = lambda x: tp.fori_loop(0, 3, lambda i, y: y * x, tp.ones_like(x))
    >>> tp.func.grad(power)(tp.tensor(2.0))
    tensor(12.)
    """
    need_callables("fori_loop()", body_fn=body_fn)
    for name, bound in (("lower", lower), ("upper", upper)):
        if not _is_integer(bound):
            raise TypeError(f"fori_loop(): {name} must be an int, or a tensor of a single one, got {describe(bound)}")
    if _differs(lower) or _differs(upper):
        start = lower.reshape(()) if isinstance(lower, Tensor) else lower
        return _counted(start, upper, body_fn, init)
    carry = Carry("fori_loop()", "body_fn", init)
    for i in range(int(lower), int(upper)):
        handles = handed(carry.leaves)
        carry.advance(carry.flat(called(carry.title, "body_fn", body_fn, (i, carry.tree(handles)), handles)))
    return carry.result()


def _is_integer(bound: Any) -> bool:
    if isinstance(bound, Tensor):
        return bool(bound.value.dtype.kind in "iu" and bound.value.size == 1)
    return isinstance(bound, int) and not isinstance(bound, bool)


def _differs(bound: Any) -> bool:
    return isinstance(bound, Tensor) and is_mapped(bound.value)


def _counted(lower: Any, upper: Any, body_fn: Callable[[Any, Any], Any], init: Any) -> Any:
    """The loop where samples take different numbers of steps."""
    carry = Carry("fori_loop()", "body_fn", (lower, init))
    return run(carry, lambda i, _: i < upper, lambda i, value: (i + 1, body_fn(i, value)))[1]
