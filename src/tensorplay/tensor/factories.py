"""Making tensors: the options that all factories share, and tensors on existing data and memory."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tensorplay.dtypes import default_float, from_numpy_dtype, result_dtype, to_numpy_dtype
from tensorplay.dtypes import device as Device
from tensorplay.ops.creation import array_from
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import copy
from tensorplay.tensor.calls import described, name_of, under_name
from tensorplay.tensor.handle import Handle, wrap
from tensorplay.tensor.lift import lift

F = TypeVar("F", bound=Callable[..., Any])


def factory(function: F) -> F:
    """`function`, which makes a value, on tensors, with the options `dtype`, `device`, `requires_grad` and `out`."""
    lifted = lift(function)
    takes_dtype = "dtype" in inspect.signature(function).parameters
    # f(2, 3) is also written f(size=(2, 3))
    spread = any([p.kind is p.VAR_POSITIONAL for p in inspect.signature(function).parameters.values()])

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
        try:
            check_device(device)
            if takes_dtype and isinstance(kwargs.get("out"), Handle):
                dtype = _dtype_for(name_of(function), kwargs["out"], dtype)
            if dtype is not None:
                kwargs["dtype"] = to_numpy_dtype(dtype)
            if requires_grad is not False and not isinstance(requires_grad, bool | int):
                raise TypeError(f"requires_grad must be a bool, got {described(requires_grad)}")
        except (TypeError, RuntimeError) as error:
            raise under_name(name_of(function), error) from None
        if spread and "size" in kwargs:
            args = (kwargs.pop("size"),)
        made = lifted(*args, **kwargs)
        return made.requires_grad_() if requires_grad else made

    return public  # type: ignore[return-value]


def _dtype_for(name: str, out: Handle, dtype: Any) -> Any:
    """The dtype to make elements in that go into `out`; one that was asked for must be that of `out`."""
    have = from_numpy_dtype(out.value.dtype)
    if dtype is not None and to_numpy_dtype(dtype) != out.value.dtype:
        raise RuntimeError(f"{name}(out=...): the dtype asked for, {dtype}, is not that of out, {have}")
    return have


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

    Raises
    ------
    ValueError
        If sequences side by side have different lengths.
    TypeError
        If an entry is no number.
    RuntimeError
        If a number does not fit into the dtype.

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
    return any(
        isinstance(entry, Handle) or (isinstance(entry, list | tuple) and _holds_tensors(entry)) for entry in data
    )


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


def result_type(tensor1: Any, tensor2: Any) -> Any:
    """
    Data type of what two operands become when they are combined.

    Parameters
    ----------
    tensor1, tensor2 : Tensor or number
        A number, or a 0-d tensor beside one with dims, counts only by its category.

    Returns
    -------
    dtype
        Of their sum, say.

    Raises
    ------
    TypeError
        If one of them is neither.

    Examples
    --------
    >>> tp.result_type(tp.tensor([1, 2]), 1.0)
    tensorplay.float32
    """
    for operand in (tensor1, tensor2):
        if not isinstance(operand, Handle | bool | int | float | complex):
            raise TypeError(f"result_type(): expected tensors or numbers, got {type(operand).__name__}")
    operands = [operand.value if isinstance(operand, Handle) else operand for operand in (tensor1, tensor2)]
    return from_numpy_dtype(result_dtype(operands))


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Any:
    """
    Tensor with the elements of an object, on its memory where that is possible.

    Parameters
    ----------
    obj : object
        Tensor, NumPy array or scalar, object that speaks DLPack or the buffer protocol, number or nested sequence.
    dtype : dtype, optional
        Of the result; another one than `obj` has means a copy.
    device : device or str, optional
        Only "cpu".
    copy : bool, optional
        True: always new memory. False: an error where the memory cannot be shared.
    requires_grad : bool, default False
        Whether ordinary autograd records what is computed from it.

    Returns
    -------
    Tensor
        On the memory of `obj`, or new memory.

    Raises
    ------
    ValueError
        If `copy` is False and a copy is needed.

    Examples
    --------
    >>> tp.asarray([1.0, 2.0])
    tensor([1., 2.])
    """
    shared = _on_its_memory(obj, dtype)
    made = tensor(obj, dtype=dtype) if shared is None else as_tensor(shared, dtype, device)
    copied = shared is None or made is not shared
    if copy is False and copied:
        raise ValueError("asarray(): copy=False, but this object's elements cannot be shared without a copy")
    if copy is True and not copied:
        made = made.clone()
    if isinstance(obj, Handle) and requires_grad != made.requires_grad:
        made = made.detach()
    return made.requires_grad_() if requires_grad else made


def _on_its_memory(obj: Any, dtype: Any) -> Any:
    """A tensor on the memory of an object, or None if it has no memory to share."""
    if isinstance(obj, Handle):
        return obj
    if isinstance(obj, np.ndarray):
        return from_numpy(obj)
    if hasattr(obj, "__dlpack__"):
        return from_dlpack(obj)
    if isinstance(obj, bytes | bytearray | memoryview):
        return frombuffer(obj, dtype=default_float() if dtype is None else dtype)
    return None


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Any:
    """
    Tensor on the memory of an object with the buffer protocol.

    Parameters
    ----------
    buffer : bytes-like
        The memory.
    dtype : dtype
        What its bytes are read as.
    count : int, default -1
        How many elements; -1 is all.
    offset : int, default 0
        How many bytes to skip.
    requires_grad : bool, default False
        Whether ordinary autograd records what is computed from it.

    Returns
    -------
    Tensor
        A vector. It cannot be written to if the buffer cannot.

    Raises
    ------
    ValueError
        If the buffer is too short or holds no whole number of elements.

    Examples
    --------
    >>> tp.frombuffer(bytearray([1, 2]), dtype=tp.uint8)
    tensor([1, 2], dtype=tensorplay.uint8)
    """
    made = wrap(np.frombuffer(buffer, to_numpy_dtype(dtype), count, offset))
    return made.requires_grad_() if requires_grad else made
