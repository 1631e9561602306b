"""scan: a function along a dim, which carries something from slice to slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.errors import need_flags
from tensorplay.func.arguments import describe
from tensorplay.func.branches import called, handed, need_callables
from tensorplay.func.carry import Carry
from tensorplay.func.steps import Results, Slices, taken
from tensorplay.tensor.tensor import Tensor


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    *,
    dim: int = 0,
    reverse: bool = False,
    length: int | None = None,
    unroll: int | bool = 1,
) -> tuple[Any, Any]:
    """
    What a function carries along the slices of tensors, and what it gives for each of them.

    A loop ``for x in xs: carry, y = combine_fn(carry, x)``, with all ``y`` stacked.

    Parameters
    ----------
    combine_fn : callable
        Takes the carry and a slice of `xs`; returns a pair: the next carry, in the same structure, shapes and dtypes,
        and what to give for this slice, a pytree of Tensor (None for nothing).
    init : pytree of Tensor
        The carry at first.
    xs : pytree of Tensor, optional
        What to go along; all leaves have the same size along `dim`. None for `length` steps, whose slice is None.
    dim : int, default 0
        The dim to go along, of each leaf; it is dropped in the slices.
    reverse : bool, default False
        Whether to go from the last slice to the first. The results stand where their slices were.
    length : int, optional
        Number of steps, where `xs` is None.
    unroll : int or bool, default 1
        Accepted for JAX's sake and without effect: a step runs as it is.

    Returns
    -------
    carry : pytree of Tensor
        What was carried at the end, like `init`.
    ys : pytree of Tensor
        What was given for each slice, stacked along `dim`.

    Raises
    ------
    RuntimeError
        If the carry changes in structure, shape or dtype, or the results of steps differ in them (the key path is
        named), `combine_fn` returns no pair or writes in place to its arguments, or `xs` has leaves that cannot be
        sliced.
    ValueError
        If sizes along `dim` and `length` differ, or there is none of them.
    IndexError
        If `dim` is out of range.
    TypeError
        If `combine_fn` is not callable, or gives what cannot be stacked.

    Notes
    -----
    All transforms apply, with derivatives in both modes to any order, at a cost in proportion to the number of steps.
    Where there is no slice, `combine_fn` is called with zeros to find out the shapes of what it gives.

    Examples
    --------
    >>> def step(total, x):
    ...     total = total + x
    ...     return total, total * x
    >>> tp.scan(step, tp.tensor(0.0), tp.tensor([1.0, 2.0, 3.0]))
    (tensor(6.), tensor([ 1.,  6., 18.]))
    """
    need_callables("scan()", combine_fn=combine_fn)
    need_flags("scan()", reverse=reverse)
    slices = Slices("scan()", xs, dim, length)
    carry = Carry("scan()", "combine_fn", init)
    results = Results("scan()", "y")

    def step(x: list[Tensor | None]) -> Any:
        handles = handed(carry.leaves)
        args = (carry.tree(handles), slices.tree(x))
        new, y = _pair(called("scan()", "combine_fn", combine_fn, args, [*handles, *x]))
        leaves = carry.flat(new)
        carry.advance(leaves)
        return y

    taken(step, slices, results, reverse)
    if not slices.length:
        carry = Carry("scan()", "combine_fn", init)
    return carry.result(given=slices.values), results.stacked(dim, reverse, empty=not slices.length)


def _pair(out: Any) -> tuple[Any, Any]:
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise RuntimeError(f"scan(): combine_fn must return a pair (carry, y), got {describe(out)}")
    carry, y = out
    return carry, y
