"""Making tensors: the options that all factories share, and tensors on existing data and memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tensorplay.dtypes import device as Device
from tensorplay.dtypes import from_numpy_dtype, to_numpy_dtype
from tensorplay.ops.creation import array_from
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import copy
from tensorplay.tensor.handle import Handle, wrap
from tensorplay.tensor.lift import lift

F = TypeVar("F", bound=Callable[..., Any])


def factory(function: F) -> F:
    """`function`, which makes a value, on tensors, with torch's options `dtype`, `device`, `requires_grad` and `out`."""
    lifted = lift(function)

    @functools.wraps(function)
    def public(
        *args: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
        layout: Any = None,
        memory_format: Any = None,
        **kwargs: Any,
    ) -> Any:
        check_device(device)
        if dtype is not None:
            kwargs["dtype"] = to_numpy_dtype(dtype)
        made = lifted(*args, **kwargs)
        return made.requires_grad_() if requires_grad else made

    return public  # type: ignore[return-value]


def check_device(device: Any) -> None:
    """Raise unless `device` is None or the CPU."""
    if device is not None:
        Device(device)


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """
    New tensor with a copy of `data`.

    Parameters
    ----------
    data : array_like
        Number, nested sequence, NumPy array or tensor. Python floats get the default dtype, Python ints int64; an
        array keeps its dtype.
    dtype : dtype, optional
        Of the result.
    device : device or str, optional
        Only "cpu".
    requires_grad : bool, default False
        Whether ordinary autograd records what is computed from it.

    Returns
    -------
    Tensor
        A leaf; nothing shares its memory.

    Examples
    --------
    >>> tp.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    check_device(device)
    wanted = None if dtype is None else to_numpy_dtype(dtype)
    if isinstance(data, Handle):
        value = copy(data.detach().value)  # type: ignore[attr-defined]
        made = wrap(value if wanted is None else cast(value, wanted))
    elif isinstance(data, list | tuple) and _holds_tensors(data):
        made = _from_tensors(data, wanted)
    else:
        made = wrap(array_from(data, wanted))
        from_numpy_dtype(made.value.dtype)
    return made.requires_grad_() if requires_grad else made


def _holds_tensors(data: Any) -> bool:
    return any(isinstance(entry, Handle) or (isinstance(entry, list | tuple) and _holds_tensors(entry)) for entry in data)


def _from_tensors(data: Any, wanted: Any) -> Any:
    def plain(entry: Any) -> Any:
        return [plain(e) for e in entry] if isinstance(entry, list | tuple) else _number(entry)

    return wrap(array_from(plain(data), wanted))


def _number(entry: Any) -> Any:
    return entry.detach().numpy() if isinstance(entry, Handle) else entry  # type: ignore[attr-defined]


def from_numpy(ndarray: np.ndarray[Any, Any]) -> Any:
    """
    Tensor on the memory of a NumPy array.

    Parameters
    ----------
    ndarray : numpy.ndarray
        Of any shape and strides.

    Returns
    -------
    Tensor
        Writes through either are seen by the other.

    Raises
    ------
    TypeError
        If it is no array, or one whose dtype tensors cannot hold.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> t = tp.from_numpy(a)
    >>> a[0] = 7
    >>> t
    tensor([7., 0.], dtype=tensorplay.float64)
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy(): expected a numpy.ndarray, got {type(ndarray).__name__}")
    from_numpy_dtype(ndarray.dtype)
    return wrap(ndarray.view(np.ndarray))


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """
    Tensor with the elements of `data`, on its memory where that is possible.

    Parameters
    ----------
    data : array_like
        Tensor, NumPy array, number or nested sequence.
    dtype : dtype, optional
        Of the result; another one than `data` has means a copy.
    device : device or str, optional
        Only "cpu".

    Returns
    -------
    Tensor
        `data` itself where it is a tensor of that dtype.

    Examples
    --------
    >>> tp.as_tensor([1.0, 2.0])
    tensor([1., 2.])
    """
    check_device(device)
    if isinstance(data, Handle):
        return data if dtype is None else data.to(dtype)  # type: ignore[attr-defined]
    if isinstance(data, np.ndarray):
        made = from_numpy(data)
        return made if dtype is None else made.to(dtype)
    return tensor(data, dtype=dtype)


def from_dlpack(ext_tensor: Any) -> Any:
    """
    Tensor on the memory of any array that speaks DLPack.

    Parameters
    ----------
    ext_tensor : object
        With ``__dlpack__``, on the CPU.

    Returns
    -------
    Tensor
        Shares the memory.

    Examples
    --------
    >>> import numpy as np
    >>> tp.from_dlpack(np.ones(2))
    tensor([1., 1.], dtype=tensorplay.float64)
    """
    return from_numpy(np.from_dlpack(ext_tensor))
