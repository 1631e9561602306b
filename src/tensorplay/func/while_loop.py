"""while_loop: a function again and again while a condition holds, for each sample where `vmap` maps over it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value, ground, is_inexact
from tensorplay.func.branches import called, called_for_all, condition, handed, need_callables
from tensorplay.func.carry import Carry
from tensorplay.ops.comparison import logical_and
from tensorplay.ops.gates import forward_only
from tensorplay.ops.indexing import where
from tensorplay.ops.promotion import NUMBERS, as_value
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """
    What is carried when a condition no longer holds: ``while cond_fn(*carry): carry = body_fn(*carry)``.

    Parameters
    ----------
    cond_fn : callable
        Takes what is carried; returns a bool, or a tensor that holds a single one.
    body_fn : callable
        Takes what is carried; returns it for the next step, in the same structure, shapes and dtypes.
    carried_inputs : tuple, list, or other pytree of Tensor
        What is carried at first. The entries of a tuple or list are passed as arguments of their own, anything else as
        a single one. Leaves that are no tensors, such as Python counters, are carried as well.

    Returns
    -------
    pytree of Tensor
        Structure, shapes and dtypes of `carried_inputs`.

    Raises
    ------
    RuntimeError
        If `cond_fn` returns no bool, the carry changes in structure, shape or dtype (the key path is named), a function
        writes in place to what it is given, or reverse mode (`grad`, `vjp`, `jacrev`, `backward`) asks for the
        derivative of the result.
    TypeError
        If a function is not callable.

    Notes
    -----
    Where `vmap` maps over the condition, the loop runs until no sample goes on. A sample that is done keeps its carry:
    `body_fn` still runs on it with the others, but what it gives counts for nothing, in values and derivatives. It must
    not raise there, nor write in place to what was made outside. Python numbers among the carry become tensors then.

    Derivatives exist in forward mode only, as the number of steps depends on data; for both modes use `scan` or
    `fori_loop`.

    Examples
    --------
    >>> halve = lambda x: tp.while_loop(lambda x, n: x > 1, lambda x, n: (x / 2, n + 1), (x, tp.tensor(0)))
    >>> tp.vmap(halve)(tp.tensor([1.0, 5.0, 8.0]))
    (tensor([1.0000, 0.6250, 1.0000]), tensor([0, 3, 3]))
    """
    need_callables("while_loop()", cond_fn=cond_fn, body_fn=body_fn)
    return run(Carry("while_loop()", "body_fn", carried_inputs), cond_fn, body_fn)


def run(carry: Carry, cond_fn: Callable[..., Any], body_fn: Callable[..., Any]) -> Any:
    """The carry after the loop, whatever it is called."""
    going: Value = None  # where samples may disagree: which of them go on
    while True:
        handles = handed(carry.leaves)
        flag = condition(carry.title, "what cond_fn returns", _call(carry, "cond_fn", cond_fn, handles))
        if going is None and flag.__class__ is bool:
            if not flag:
                break
            carry.advance(carry.flat(_call(carry, carry.function, body_fn, handles)))
        else:
            going = flag if going is None else logical_and(going, flag)
            if not np.any(ground(going)):
                break
            _step_of_some(carry, body_fn, going)
    return carry.result(lambda value: forward_only(value, title=carry.title) if is_inexact(value) else value)


def _arguments(carry: Carry, leaves: Sequence[Any]) -> Sequence[Any]:
    args = carry.tree(leaves)
    return args if args.__class__ in (tuple, list) else (args,)


def _call(carry: Carry, name: str, function: Callable[..., Any], handles: Sequence[Any]) -> Any:
    return called(carry.title, name, function, _arguments(carry, handles), handles)


def _step_of_some(carry: Carry, body_fn: Callable[..., Any], going: Value) -> None:
    """A step for the samples that are still going; the others keep their carry."""
    carry.leaves = [_tensor(leaf) for leaf in carry.leaves]
    handles = handed(carry.leaves, going)
    out = called_for_all(carry.title, carry.function, body_fn, _arguments(carry, handles), going)
    old = carry.leaves
    new = [_tensor(leaf) for leaf in carry.flat(out)]
    carry.advance(new)
    carry.leaves = [
        o if n is handle else _chosen(carry, going, n, o) for n, o, handle in zip(new, old, handles, strict=True)
    ]


def _tensor(leaf: Any) -> Any:
    """A Python number as a tensor, which may differ between samples."""
    return wrap(as_value(leaf)) if leaf.__class__ in NUMBERS else leaf


def _chosen(carry: Carry, going: Value, new: Any, old: Any) -> Any:
    if isinstance(new, Tensor):
        return wrap(where(going, new.value, old.value))
    if new != old:
        raise RuntimeError(
            f"{carry.title}: the samples may disagree, and {carry.function} makes {new!r} of {old!r}; carry tensors"
        )
    return old
