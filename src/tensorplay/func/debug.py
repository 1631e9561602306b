"""debug_unwrap: a plain tensor to look at inside a transform."""

from __future__ import annotations

from typing import Any

from tensorplay.core.value import Traced, Value
from tensorplay.interpreters.batch import Batched
from tensorplay.ops.shape import slice_key
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor


def debug_unwrap(tensor: Any, *, recurse: bool = True, sample: int | None = 0) -> Any:
    """
    A plain tensor to look at, without the levels of the transforms around.

    Parameters
    ----------
    tensor : Tensor
        Inside a transformed function. Continue to compute with it, not with the result.
    recurse : bool, default True
        Strip all levels; otherwise the innermost only.
    sample : int or None, default 0
        Which sample to show of a tensor that `vmap` maps over; None for the whole batch, with the mapped dim first.

    Returns
    -------
    Tensor
        Under `grad` and `jvp` the primal, under `vmap` one sample. Anything else comes back as it is.

    Raises
    ------
    IndexError, TypeError
        If there is no such sample, or `sample` is no int.

    Examples
    --------
    >>> def f(x):
    ...     print(tp.func.debug_unwrap(x).shape)
    ...     return x * 2
    >>> tp.func.vmap(f)(tp.zeros(2, 3)).shape
    tensorplay.Size([3])
    tensorplay.Size([2, 3])
    """
    if sample is not None and not isinstance(sample, int):
        raise TypeError(f"debug_unwrap: sample must be an int or None, got {sample!r}")
    if not isinstance(tensor, Tensor) or not isinstance(tensor.value, Traced):
        return tensor
    value = _strip(tensor.value, sample)
    while recurse and isinstance(value, Traced):
        value = _strip(value, sample)
    return wrap(value)


def _strip(value: Traced, sample: int | None) -> Value:
    if not isinstance(value, Batched) or sample is None:
        return value.inner
    size = value.inner.shape[0]
    if not -size <= sample < size:
        raise IndexError(f"debug_unwrap: sample {sample} is out of range for a batch of {size}")
    return slice_key(value.inner, key=(sample % size, *(slice(None),) * value.ndim))
