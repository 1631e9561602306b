"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.functions.shape import cat
from tensorplay.tensor.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """
    All elements of several tensors in one vector.

    Parameters
    ----------
    parameters : iterable of Tensor
        Of any shapes.

    Returns
    -------
    Tensor
        One after the other, flattened.

    Examples
    --------
    >>> tp.nn.utils.parameters_to_vector(tp.nn.Linear(3, 2).parameters()).shape
    tensorplay.Size([8])
    """
    vector: Tensor = cat([parameter.reshape(-1) for parameter in parameters])
    return vector


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """
    Fill several tensors, in place, from one vector.

    Parameters
    ----------
    vec : Tensor
        As `parameters_to_vector` gives it.
    parameters : iterable of Tensor
        What to fill.

    Raises
    ------
    TypeError
        If `vec` is no tensor.
    RuntimeError
        If it has too few or too many elements; nothing is filled then.

    Examples
    --------
    >>> m = tp.nn.Linear(1, 1)
    >>> tp.nn.utils.vector_to_parameters(tp.tensor([1.0, 2.0]), m.parameters())
    >>> m.bias.detach()
    tensor([2.])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"vector_to_parameters: expected a tensor, got {type(vec).__name__}")
    listed = list(parameters)
    count = sum(parameter.numel() for parameter in listed)
    if tuple(vec.shape) != (count,):
        raise RuntimeError(
            f"vector_to_parameters: expected a vector of {count} elements for these parameters, got shape "
            f"{list(vec.shape)}"
        )
    start = 0
    with no_grad():
        for parameter in listed:
            stop = start + parameter.numel()
            parameter.copy_(vec[start:stop].reshape(parameter.shape))
            start = stop
