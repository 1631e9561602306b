"""The memory of elements read in another way: complex numbers as pairs, bytes as another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import NumpyDtype, complex_dtype, real_dtype
from tensorplay.ops import families
from tensorplay.ops.families import structural


def _as_real_impl(x: Any) -> Any:
    return x[..., None].view(real_dtype(x.dtype))


def _as_complex_impl(x: Any) -> Any:
    if x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    return x.view(complex_dtype(x.dtype))[..., 0]


as_real = structural(
    "view_as_real",
    _as_real_impl,
    transpose=lambda ct, x: as_complex(ct),
    batch=lambda size, args, mapped: (as_real(args[0]), True),
)
as_complex = structural(
    "view_as_complex",
    _as_complex_impl,
    transpose=lambda ct, x: as_real(ct),
    batch=lambda size, args, mapped: (as_complex(args[0]), True),
)


def view_as_real(input: Value) -> Value:
    """
    Real and imaginary parts as a last dim of size 2.

    Parameters
    ----------
    input : Tensor
        Complex.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the tensor is not complex.

    Examples
    --------
    >>> tp.view_as_real(tp.tensor([1 + 2j]))
    tensor([[1., 2.]])
    """
    if input.dtype.kind != "c":
        raise RuntimeError(f"view_as_real(): expected a complex tensor, got {input.dtype}")
    return as_real(input)


def view_as_complex(input: Value) -> Value:
    """
    Complex numbers from a last dim that holds real and imaginary parts.

    Parameters
    ----------
    input : Tensor
        In float32 or float64, with a last dim of size 2 and stride 1.

    Returns
    -------
    Tensor
        A view of `input`.

    Raises
    ------
    RuntimeError
        If the tensor is no such.

    Examples
    --------
    >>> tp.view_as_complex(tp.tensor([[1.0, 2.0]]))
    tensor([1.+2.j])
    """
    if input.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"view_as_complex(): expected a float32 or float64 tensor, got {input.dtype}")
    if not input.ndim or input.shape[-1] != 2:
        raise RuntimeError(f"view_as_complex(): expected a last dim of size 2, got shape {list(input.shape)}")
    return as_complex(input)


def _view_dtype_impl(x: Any, dtype: NumpyDtype) -> Any:
    if x.ndim == 0:
        return x[None].view(dtype)[0, ...]
    if x.strides[-1] != x.itemsize and x.itemsize != dtype.itemsize:
        x = np.ascontiguousarray(x)
    return x.view(dtype)


read_as = structural(
    "view_dtype",
    _view_dtype_impl,
    transpose=lambda ct, x, dtype: None,
    batch=lambda size, args, mapped, dtype: (read_as(args[0], dtype=dtype), True),
)
read_as.differentiable, read_as.constant = False, True


def view_dtype(input: Value, dtype: NumpyDtype) -> Value:
    """The same memory read as elements of another type; no derivative flows through."""
    if dtype == input.dtype:
        return families.reshape(input, shape=input.shape)
    have, want = input.dtype.itemsize, dtype.itemsize
    if have != want and not input.ndim:
        raise RuntimeError(f"view(dtype): a 0-d tensor of {input.dtype} cannot be read as {dtype}: the sizes differ")
    if have < want and input.shape[-1] * have % want:
        raise RuntimeError(
            f"view(dtype): the last dim of shape {list(input.shape)} in {input.dtype} does not divide into elements of "
            f"{dtype}"
        )
    return read_as(input, dtype=dtype)
