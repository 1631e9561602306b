"""cond: one of two functions, as a condition says, for each sample where `vmap` maps over the condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorplay import tree
from tensorplay.core.value import Value, ground
from tensorplay.func.arguments import describe
from tensorplay.interpreters.watch import counting_where
from tensorplay.ops.indexing import where
from tensorplay.ops.shape import reshape
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
        If `pred` is no bool, or if samples may take both ways and the outputs differ in structure, shape or dtype.
    TypeError
        If a function is not callable or `operands` is no tuple or list.

    Notes
    -----
    Where `vmap` maps over the condition, both functions run on all samples, and each sample gets the result of its own.
    The one that was not chosen counts for nothing in derivatives, whatever it would have given.

    Examples
    --------
    >>> def safe_sqrt(x):
    ...     return tp.cond(x > 0, lambda x: x.sqrt(), lambda x: x * 0, (x,))
    >>> tp.func.vmap(tp.func.grad(safe_sqrt))(tp.tensor([0.0, 4.0]))
    tensor([0.0000, 0.2500])
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError(f"cond(): true_fn and false_fn must be callable, got {true_fn!r} and {false_fn!r}")
    if not isinstance(operands, tuple | list):
        raise TypeError(
            f"cond(): operands must be a tuple or list, got {describe(operands)}; write (x,) for a single one"
        )
    if not isinstance(pred, bool) and not _is_condition(pred):
        raise RuntimeError(f"cond(): pred must be a bool, or a tensor of a single bool, got {describe(pred)}")
    if isinstance(pred, Tensor) and pred.shape != ground(pred.value).shape:
        condition = reshape(pred.value, shape=())
        with counting_where(condition, True):
            yes = true_fn(*operands)
        with counting_where(condition, False):
            no = false_fn(*operands)
        return _chosen(condition, yes, no)
    return true_fn(*operands) if pred else false_fn(*operands)


def _is_condition(pred: Any) -> bool:
    return isinstance(pred, Tensor) and pred.value.dtype.kind == "b" and pred.value.size == 1


def _chosen(condition: Value, yes: Any, no: Any) -> Any:
    """Of two outputs the one that each sample's condition says."""
    (first, spec), (second, other) = tree.flatten(yes), tree.flatten(no)
    if spec != other:
        raise RuntimeError(f"cond(): true_fn and false_fn return different structures, {spec} and {other}")
    return tree.unflatten(spec, [_leaf(condition, a, b) for a, b in zip(first, second, strict=True)])


def _leaf(condition: Any, yes: Any, no: Any) -> Any:
    if isinstance(yes, Tensor) and isinstance(no, Tensor):
        if yes.value.shape != no.value.shape or yes.value.dtype != no.value.dtype:
            raise RuntimeError(f"cond(): true_fn returns {describe(yes)}, false_fn returns {describe(no)}")
        return wrap(where(condition, yes.value, no.value))
    if isinstance(yes, Tensor) or isinstance(no, Tensor) or yes != no:
        raise RuntimeError(
            f"cond(): the samples may disagree, and true_fn returns {describe(yes)}, false_fn {describe(no)}; "
            "return tensors"
        )
    return yes
