"""Other dtypes, memory, and the way to other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay.core.stack import settle
from tensorplay.core.value import Traced
from tensorplay.dtypes import BOOL, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT64, from_numpy_dtype, to_numpy_dtype
from tensorplay.interpreters.record import Recorded, root
from tensorplay.ops.placing import supplant
from tensorplay.ops.promotion import cast
from tensorplay.tensor.factories import check_device
from tensorplay.tensor.functions import creation as functions
from tensorplay.tensor.handle import Handle, Self, Step, is_leaf, wrap
from tensorplay.tensor.strides import offset_in

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor

_FLOAT16, _INT8, _INT16, _INT32, _UINT8 = map(np.dtype, ("float16", "int8", "int16", "int32", "uint8"))
_TYPE_NAMES = {
    "float16": "Half",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint8": "Byte",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "bool": "Bool",
}


class InteropMethods(Handle):
    """Other dtypes, memory, and the way to other libraries."""

    # ---- other dtypes

    def _as(self, dtype: np.dtype[Any]) -> Tensor:
        value = self.value
        return self if value.dtype == dtype else wrap(cast(value, dtype))  # type: ignore[return-value]

    def half(self, memory_format: Any = None) -> Tensor:
        """This tensor in float16; itself where it is."""
        return self._as(_FLOAT16)

    def float(self, memory_format: Any = None) -> Tensor:
        """This tensor in float32; itself where it is."""
        return self._as(FLOAT32)

    def double(self, memory_format: Any = None) -> Tensor:
        """This tensor in float64; itself where it is."""
        return self._as(FLOAT64)

    def cfloat(self, memory_format: Any = None) -> Tensor:
        """This tensor in complex64; itself where it is."""
        return self._as(COMPLEX64)

    def cdouble(self, memory_format: Any = None) -> Tensor:
        """This tensor in complex128; itself where it is."""
        return self._as(COMPLEX128)

    def char(self, memory_format: Any = None) -> Tensor:
        """This tensor in int8; itself where it is."""
        return self._as(_INT8)

    def short(self, memory_format: Any = None) -> Tensor:
        """This tensor in int16; itself where it is."""
        return self._as(_INT16)

    def int(self, memory_format: Any = None) -> Tensor:
        """This tensor in int32; itself where it is."""
        return self._as(_INT32)

    def long(self, memory_format: Any = None) -> Tensor:
        """This tensor in int64; itself where it is."""
        return self._as(INT64)

    def byte(self, memory_format: Any = None) -> Tensor:
        """This tensor in uint8; itself where it is."""
        return self._as(_UINT8)

    def bool(self, memory_format: Any = None) -> Tensor:
        """This tensor in bool; itself where it is."""
        return self._as(BOOL)

    def type_as(self, other: Tensor) -> Tensor:
        """This tensor in the dtype of `other`; itself where it is."""
        return self._as(other.value.dtype)

    def cpu(self, memory_format: Any = None) -> Self:
        """This tensor, which is on the CPU."""
        return self

    def cuda(self, device: Any = None, non_blocking: Any = False, memory_format: Any = None) -> Self:
        """Raise: there is no GPU to move the tensor to."""
        check_device("cuda")
        return self

    def type(self, dtype: Any = None, non_blocking: Any = False) -> Any:
        """This tensor in another dtype; without one, the name of its type, such as "tensorplay.FloatTensor"."""
        if dtype is not None:
            return self._as(to_numpy_dtype(dtype))
        return f"tensorplay.{_TYPE_NAMES[self.value.dtype.name]}Tensor"

    # ---- what it holds

    @property
    def is_cpu(self) -> Any:
        """Whether it is on the CPU: always."""
        return True

    @property
    def is_cuda(self) -> Any:
        """Whether it is on a GPU: never."""
        return False

    def is_floating_point(self) -> Any:
        """Whether the elements are real floating-point numbers."""
        return functions.is_floating_point(self)

    def is_complex(self) -> Any:
        """Whether the elements are complex numbers."""
        return functions.is_complex(self)

    def is_signed(self) -> Any:
        """Whether the elements can be negative."""
        return from_numpy_dtype(self.value.dtype).is_signed

    def is_nonzero(self) -> Any:
        """Whether the only element is not zero."""
        return functions.is_nonzero(self)

    def is_same_size(self, other: Tensor) -> Any:
        """Whether `other` has the same shape."""
        return self.shape_tuple == other.shape_tuple

    def nelement(self) -> Any:
        """Number of elements."""
        return self.value.size

    def ndimension(self) -> Any:
        """Number of dims."""
        return self.value.ndim

    # ---- memory

    @property
    def data(self) -> Tensor:
        """This tensor as a constant that shares its memory. Assigning replaces the elements, unseen by derivatives."""
        return self.detach()  # type: ignore[attr-defined]

    @data.setter
    def data(self, new: Tensor) -> None:
        value = new.detach().value
        old = self.value
        if is_leaf(old):
            value = Recorded(root, value, old.link)
        elif isinstance(old, Traced) and old.shape == value.shape:
            value = supplant(old, cast(value, old.dtype))
        self._point_to(value)

    def stride(self, dim: Any = None) -> Any:
        """Elements from one position to the next, in each dim or in one."""
        layout = self.layout()
        strides = tuple([step // layout.itemsize for step in layout.strides])
        return strides if dim is None else strides[dim]

    def is_contiguous(self, memory_format: Any = None) -> Any:
        """Whether the elements lie in order in memory."""
        return self.layout().flags.c_contiguous

    def storage_offset(self) -> Any:
        """Elements between the start of the memory, that of the tensor of which this is a view, and the first one."""
        origin: Handle = self
        steps: list[Step] = []
        while origin._root is not None:
            origin, steps = origin._root, [*origin._steps, *steps]
        return offset_in(origin.layout(), steps)

    def untyped_storage(self) -> Any:
        """Raise: memory is that of NumPy arrays."""
        raise RuntimeError(
            "untyped_storage(): the memory of tensors is that of NumPy arrays, without storages of its own. x.numpy() "
            "shares it; data_ptr(), stride() and storage_offset() say where elements lie, as_strided() takes views"
        )

    def data_ptr(self) -> Any:
        """Address of the first element."""
        return self._memory("data_ptr()").ctypes.data

    def element_size(self) -> Any:
        """Bytes of one element."""
        return self.value.dtype.itemsize

    @property
    def itemsize(self) -> Any:
        """Bytes of one element."""
        return self.value.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements."""
        return self.value.size * self.value.dtype.itemsize

    def _memory(self, what: str) -> np.ndarray[Any, Any]:
        value = settle(self.value)
        if isinstance(value, Traced) and value.owner is root:
            value = value.inner
        if isinstance(value, Traced):
            raise RuntimeError(
                f"{what}: {value.owner.title} traces this tensor, which has no memory of its own; see "
                f"tp.func.debug_unwrap(x)"
            )
        return value

    # ---- other libraries

    def to_device(self, device: Any, /, *, stream: Any = None) -> Self:
        """This tensor, which is on the CPU: the array API standard's `to(device)`."""
        check_device(device)
        return self

    def to_numpy(self) -> np.ndarray[Any, Any]:
        """This tensor's memory as a NumPy array: `numpy()` under the name by which tables and plots ask."""
        return self.numpy()  # type: ignore[attr-defined]

    def __dlpack__(self, **options: Any) -> Any:
        if self.requires_grad:  # type: ignore[attr-defined]
            raise BufferError(
                "__dlpack__: this tensor requires grad, which another library would not see; use .detach()"
            )
        return self._memory("__dlpack__").__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return np.empty(0).__dlpack_device__()

    def __format__(self, spec: str) -> str:
        # a format such as ".3f" is for the number that a 0-d tensor holds
        plain = not isinstance(self.value, Traced)
        if not spec and not (plain and self.value.ndim == 0):
            return str(self)
        return format(self._concrete(f"format(x, {spec!r})").item(), spec)  # type: ignore[attr-defined]
