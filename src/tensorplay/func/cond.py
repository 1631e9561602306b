"""cond: one of two functions, as a condition says, for each sample where `vmap` maps over the condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorplay import tree
from tensorplay.core.value import Value
from tensorplay.func.arguments import describe
from tensorplay.func.branches import called_for_all, condition, handed, need_callables, need_structure, unlike
from tensorplay.ops.indexing import logical_not, where
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()) -> Any:
    """
    Result of one of two functions, as a condition says.

    Parameters
    ----------
    pred : bool or Tensor
        The condition: a bool, or a tensor that holds a single one.
    true_fn, false_fn : callable
        Take the operands and return pytrees of Tensor.
    operands : tuple or list, default ()
        Arguments of the function that is called.

    Returns
    -------
    pytree of Tensor
        ``true_fn(*operands)`` or ``false_fn(*operands)``.

    Raises
    ------
    RuntimeError
        If `pred` is no bool, or if samples may take both ways and the outputs differ in structure, shape or dtype, or a
        function writes in place to what was made outside.
    TypeError
        If a function is not callable or `operands` is no tuple or list.

    Notes
    -----
    A condition that holds, or not, for all samples decides as ``if`` does. Where `vmap` maps over the condition, both
    functions run on all samples, and each sample gets the result of its own. The one that was not chosen counts for
    nothing in derivatives, whatever it gives, with respect to the operands; pass what a function depends on as
    operands. It must not raise for the samples that do not choose it, as `linalg.inv` does of a singular matrix, and
    must not write in place to what was made outside.

    Examples
    --------
    >>> def safe_sqrt(x):
    ...     return tp.cond(x > 0, lambda x: x.sqrt(), lambda x: x * 0, (x,))
    >>> tp.func.vmap(tp.func.grad(safe_sqrt))(tp.tensor([0.0, 4.0]))
    tensor([0.0000, 0.2500])
    """
    need_callables("cond()", true_fn=true_fn, false_fn=false_fn)
    if not isinstance(operands, tuple | list):
        raise TypeError(
            f"cond(): operands must be a tuple or list, got {describe(operands)}; write (x,) for a single one"
        )
    chosen = condition("cond()", "pred", pred)
    if chosen is True:
        return true_fn(*operands)
    if chosen is False:
        return false_fn(*operands)
    yes = _branch("true_fn", true_fn, chosen, operands)
    return _per_sample(chosen, yes, _branch("false_fn", false_fn, logical_not(chosen), operands))


def _branch(name: str, function: Callable[..., Any], flag: Value, operands: Sequence[Any]) -> Any:
    leaves, spec = tree.flatten(tuple(operands))
    return called_for_all("cond()", name, function, tree.unflatten(spec, handed(leaves, flag)), flag)


def _per_sample(flag: Value, yes: Any, no: Any) -> Any:
    """Of two outputs the one that each sample's condition says."""
    (first, spec), (second, other) = tree.flatten(yes), tree.flatten(no)
    need_structure("cond()", "the outputs of true_fn and false_fn", spec, other)
    pairs = zip(first, second, strict=True)
    return tree.unflatten(spec, [_leaf(flag, a, b, yes, position) for position, (a, b) in enumerate(pairs)])


def _leaf(flag: Value, yes: Any, no: Any, out: Any, position: int) -> Any:
    if isinstance(yes, Tensor) or isinstance(no, Tensor):
        if unlike(yes, no):
            raise RuntimeError(
                f"cond(): the outputs of true_fn and false_fn must have the same shape and dtype, got {describe(yes)} "
                f"and {describe(no)} at output{tree.paths(out)[position]}"
            )
        return wrap(where(flag, yes.value, no.value))
    if yes != no:
        raise RuntimeError(
            f"cond(): the samples may disagree, and true_fn returns {yes!r}, false_fn {no!r} at "
            f"output{tree.paths(out)[position]}; return tensors"
        )
    return yes
