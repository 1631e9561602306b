"""Factories: tensors made from shapes and ranges."""

from __future__ import annotations

from typing import Any

from tensorplay.ops import creation, tapers
from tensorplay.tensor.calls import explained
from tensorplay.tensor.factories import asarray, factory, frombuffer
from tensorplay.tensor.handle import Handle

__all__ = [
    "arange",
    "asarray",
    "bartlett_window",
    "blackman_window",
    "empty",
    "empty_like",
    "eye",
    "frombuffer",
    "full",
    "full_like",
    "hamming_window",
    "hann_window",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_tensor",
    "kaiser_window",
    "linspace",
    "logspace",
    "numel",
    "ones",
    "ones_like",
    "scalar_tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
    "zeros_like",
]

zeros = factory(creation.zeros)
ones = factory(creation.ones)
empty = factory(creation.empty)
full = factory(creation.full)
zeros_like = factory(creation.zeros_like)
ones_like = factory(creation.ones_like)
empty_like = factory(creation.empty_like)
full_like = factory(creation.full_like)
scalar_tensor = factory(creation.scalar_tensor)
eye = factory(creation.eye)
arange = factory(creation.arange)
linspace = factory(creation.linspace)
logspace = factory(creation.logspace)
tril_indices = factory(creation.tril_indices)
triu_indices = factory(creation.triu_indices)
hann_window = factory(tapers.hann_window)
hamming_window = factory(tapers.hamming_window)
bartlett_window = factory(tapers.bartlett_window)
blackman_window = factory(tapers.blackman_window)
kaiser_window = factory(tapers.kaiser_window)


def is_tensor(obj: Any) -> bool:
    """
    Whether an object is a tensor.

    Parameters
    ----------
    obj : object
        Anything.

    Returns
    -------
    bool
        True for tensors.

    Examples
    --------
    >>> tp.is_tensor(tp.zeros(2)), tp.is_tensor(2)
    (True, False)
    """
    return isinstance(obj, Handle)


@explained
def numel(input: Handle) -> int:
    """
    Number of elements of a tensor.

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    int
        The product of the sizes.

    Examples
    --------
    >>> tp.numel(tp.zeros(2, 3))
    6
    """
    return int(input.value.size)


@explained
def is_floating_point(input: Handle) -> bool:
    """
    Whether the elements of a tensor are real floating-point numbers.

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    bool
        False for integers, bools and complex numbers.

    Examples
    --------
    >>> tp.is_floating_point(tp.tensor([1.0]))
    True
    """
    kind: str = input.value.dtype.kind
    return kind == "f"


@explained
def is_complex(input: Handle) -> bool:
    """
    Whether the elements of a tensor are complex numbers.

    Parameters
    ----------
    input : Tensor
        Any shape.

    Returns
    -------
    bool
        True for complex64 and complex128.

    Examples
    --------
    >>> tp.is_complex(tp.tensor([1j]))
    True
    """
    kind: str = input.value.dtype.kind
    return kind == "c"


def is_nonzero(input: Any) -> bool:
    """
    Whether the only element of a tensor is not zero.

    Parameters
    ----------
    input : Tensor
        One element.

    Returns
    -------
    bool
        As ``bool(input)``.

    Raises
    ------
    RuntimeError
        If there is not exactly one element.

    Examples
    --------
    >>> tp.is_nonzero(tp.tensor([0.0]))
    False
    """
    return bool(input)
