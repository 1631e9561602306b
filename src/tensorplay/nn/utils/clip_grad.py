"""Gradients kept within bounds, in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorplay import linalg
from tensorplay.tensor.factories import tensor
from tensorplay.tensor.functions.elementwise import clamp, isfinite
from tensorplay.tensor.functions.shape import stack
from tensorplay.tensor.tensor import Tensor

Parameters = Iterable[Tensor] | Tensor


def _grads(parameters: Parameters) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [parameter.grad for parameter in listed if parameter.grad is not None]


def get_total_norm(
    tensors: Parameters, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """
    Norm of all elements of several tensors, as if they were one vector.

    Parameters
    ----------
    tensors : iterable of Tensor
        Of any shapes.
    norm_type : float, default 2.0
        Order of the norm; infinity is the largest magnitude.
    error_if_nonfinite : bool, default False
        Raise if the norm is infinite or NaN.
    foreach : bool, optional
        Accepted; it does not change the result.

    Returns
    -------
    Tensor
        A scalar; zero for no tensors.

    Raises
    ------
    RuntimeError
        If the norm is not finite and `error_if_nonfinite` is set.

    Examples
    --------
    >>> tp.nn.utils.get_total_norm([tp.tensor([3.0]), tp.tensor([4.0])])
    tensor(5.)
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not listed:
        return tensor(0.0)
    norms = stack([linalg.vector_norm(tensor, norm_type) for tensor in listed])
    total: Tensor = linalg.vector_norm(norms, norm_type)
    if error_if_nonfinite and not bool(isfinite(total)):
        raise RuntimeError(
            f"the total norm of order {norm_type} of the gradients is {total.item()}, so they cannot be clipped. Pass "
            f"error_if_nonfinite=False to scale them all the same."
        )
    return total


def clip_grads_with_norm_(
    parameters: Parameters, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """
    Scale gradients in place, all by one factor, so that a norm they have gets no larger than a bound.

    Parameters
    ----------
    parameters : iterable of Tensor
        Those without gradient are left out.
    max_norm : float
        The bound.
    total_norm : Tensor
        The norm they have.
    foreach : bool, optional
        Accepted; it does not change the result.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.zeros(1))
    >>> p.grad = tp.tensor([4.0])
    >>> tp.nn.utils.clip_grads_with_norm_([p], 1.0, tp.tensor(4.0))
    >>> p.grad
    tensor([1.0000])
    """
    factor = clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
    for grad in _grads(parameters):
        grad.detach().mul_(factor)


def clip_grad_norm_(
    parameters: Parameters,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """
    Norm of all gradients, which are then scaled in place so that it gets no larger than a bound.

    Parameters
    ----------
    parameters : iterable of Tensor
        Those without gradient are left out.
    max_norm : float
        The bound.
    norm_type : float, default 2.0
        Order of the norm; infinity is the largest magnitude.
    error_if_nonfinite : bool, default False
        Raise if the norm is infinite or NaN.
    foreach : bool, optional
        Accepted; it does not change the result.

    Returns
    -------
    Tensor
        The norm before scaling.

    Raises
    ------
    RuntimeError
        If the norm is not finite and `error_if_nonfinite` is set.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.zeros(2))
    >>> p.grad = tp.tensor([3.0, 4.0])
    >>> tp.nn.utils.clip_grad_norm_([p], 1.0)
    tensor(5.)
    """
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    total = get_total_norm(_grads(listed), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(listed, max_norm, total)
    return total


def clip_grad_value_(parameters: Parameters, clip_value: float, foreach: bool | None = None) -> None:
    """
    Clamp every element of the gradients to ±`clip_value`, in place.

    Parameters
    ----------
    parameters : iterable of Tensor
        Those without gradient are left out.
    clip_value : float
        The bound.
    foreach : bool, optional
        Accepted; it does not change the result.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.zeros(2))
    >>> p.grad = tp.tensor([3.0, -0.5])
    >>> tp.nn.utils.clip_grad_value_([p], 1.0)
    >>> p.grad
    tensor([ 1.0000, -0.5000])
    """
    bound: Any = float(clip_value)
    for grad in _grads(parameters):
        grad.detach().clamp_(-bound, bound)
