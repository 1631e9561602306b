"""The tensor class."""

from __future__ import annotations

import copy
import importlib
import math
import warnings
import weakref
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from tensorplay.core.stack import settle
from tensorplay.core.value import Traced, Value, ground
from tensorplay.dtypes import CPU, device, dtype, from_numpy_dtype, get_default_dtype, to_numpy_dtype
from tensorplay.errors import user_line
from tensorplay.interpreters.record import Leaf, Recorded, root
from tensorplay.lazy import LazyModule
from tensorplay.ops import indexing, promotion
from tensorplay.ops import key as keys
from tensorplay.ops.shape import copy as duplicate
from tensorplay.ops.shape import detach, slice_key
from tensorplay.tensor import autograd, factories, printing
from tensorplay.tensor.calls import with_torch_names
from tensorplay.tensor.handle import Handle, is_leaf, requires_grad, wrap
from tensorplay.tensor.lift import take_rows, take_view, to_value
from tensorplay.tensor.methods.arithmetic import ArithmeticMethods
from tensorplay.tensor.methods.contraction import ContractionMethods
from tensorplay.tensor.methods.creation import CreationMethods
from tensorplay.tensor.methods.elementwise import ElementwiseMethods
from tensorplay.tensor.methods.fourier import FourierMethods
from tensorplay.tensor.methods.hooks import HookMethods
from tensorplay.tensor.methods.indexing import IndexingMethods
from tensorplay.tensor.methods.inplace import InplaceMethods
from tensorplay.tensor.methods.interop import InteropMethods
from tensorplay.tensor.methods.random import RandomMethods
from tensorplay.tensor.methods.reduction import ReductionMethods
from tensorplay.tensor.methods.shape import ShapeMethods
from tensorplay.tensor.methods.sorting import SortingMethods
from tensorplay.tensor.size import Size

numpy_protocol = LazyModule("tensorplay.numpy_protocol")


class Tensor(
    ArithmeticMethods,
    ElementwiseMethods,
    ReductionMethods,
    SortingMethods,
    ShapeMethods,
    IndexingMethods,
    ContractionMethods,
    FourierMethods,
    RandomMethods,
    CreationMethods,
    InplaceMethods,
    InteropMethods,
    HookMethods,
):
    """
    A multi-dimensional array of elements of one dtype, with torch's methods.

    Make one with `tensorplay.tensor`, `tensorplay.zeros`, `tensorplay.from_numpy` and their like. It is a handle on an
    immutable value: in-place methods (``add_``) and indexed assignment change what the handle holds, for all views too.

    Parameters
    ----------
    *data : int, or Tensor or sequence of numbers
        The sizes of a tensor of zeros, or its elements; of the default dtype, unless they are a tensor.
    device : str, optional
        Must be the CPU.

    Examples
    --------
    >>> x = tp.tensor([1.0, 2.0])
    >>> (x * x).sum()
    tensor(5.)
    """

    __slots__ = ()
    __array_priority__ = 1000

    def __init__(self, *data: Any, device: Any = None) -> None:
        factories.check_device(device)
        if len(data) == 1 and not isinstance(data[0], int):
            (given,) = data
            self._init(
                given.detach().value
                if isinstance(given, Tensor)
                else factories.tensor(given, dtype=get_default_dtype()).value
            )
        else:
            self._init(np.zeros(data or 0, to_numpy_dtype(get_default_dtype())))

    # ---- what it is

    @property
    def shape(self) -> Size:
        """Size of each dim; inside `vmap`, that of one sample."""
        return Size(self.value.shape)

    def size(self, dim: int | None = None) -> Any:
        """Shape, or the size of one dim."""
        shape = self.shape
        return shape if dim is None else shape[dim]

    @property
    def ndim(self) -> int:
        """Number of dims."""
        ndim: int = self.value.ndim
        return ndim

    def dim(self) -> int:
        """Number of dims."""
        return self.ndim

    def numel(self) -> int:
        """Number of elements."""
        return int(self.value.size)

    @property
    def dtype(self) -> dtype:
        """Data type of the elements."""
        return from_numpy_dtype(self.value.dtype)

    @property
    def device(self) -> device:
        """Always the CPU."""
        return CPU

    # ---- autograd

    @property
    def requires_grad(self) -> bool:
        """Whether ordinary autograd records what is computed from this tensor."""
        return requires_grad(self.value)

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Switch recording for this tensor on or off, in place."""
        value = settle(self.value)
        if requires_grad == (value.__class__ is Recorded and value.owner is root):
            return self
        if isinstance(value, Traced) and value.owner is not root:
            raise RuntimeError(
                f"requires_grad_() was called on a tensor that {value.owner.title} traces; make the tensor an argument "
                "of tp.func.grad instead"
            )
        if not requires_grad:
            if not is_leaf(value):
                raise RuntimeError("requires_grad_(False): only leaf tensors can be switched off; use .detach()")
            self._value = value.inner
            return self
        if value.dtype.kind not in "fc":
            raise RuntimeError(
                f"requires_grad_(): only floating and complex tensors can require grad, got {self.dtype}"
            )
        self._value = Recorded(root, value, (Leaf(root, weakref.ref(self)), 0))
        self._apart = self._root is not None
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor."""
        return not self.requires_grad or is_leaf(self.value)

    @property
    def grad(self) -> Tensor | None:
        """Gradient that `backward` accumulated, or None."""
        grad: Tensor | None = self._grad
        if grad is None and self._revalued is None and not self.is_leaf:
            warnings.warn(
                f"the .grad of a tensor that is no leaf was read at {user_line()}, and backward does not fill it. Call "
                "retain_grad() on the tensor before backward, or take it from tp.autograd.grad.",
                stacklevel=2,
            )
        return grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None and grad.shape != self.shape:
            raise RuntimeError(
                f"a gradient of shape {list(grad.shape)} does not fit a tensor of shape {list(self.shape)}"
            )
        self._grad = grad

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Add the gradient of this tensor to the ``.grad`` of the leaves it was computed from."""
        autograd.backward(self, gradient, retain_graph, create_graph, inputs)

    def detach(self) -> Tensor:
        """This tensor as a constant: no derivative flows through the result, which shares its memory."""
        constant: Tensor = take_view(self, detach)
        constant._apart = True
        return constant

    def detach_(self) -> Tensor:
        """Make this tensor a constant, in place."""
        if self._root is not None and not self._apart:
            raise RuntimeError("detach_(): a view cannot be detached in place; use detach()")
        self._point_to(detach(self.value))
        return self

    @property
    def grad_fn(self) -> Any:
        """The recorded operation that made this tensor; None for a leaf and for what requires no grad."""
        value = settle(self.value)
        return value.node if isinstance(value, Recorded) and not is_leaf(value) else None

    # ---- conversion

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """This tensor's memory as a NumPy array."""
        value = settle(self.value)
        if isinstance(value, Traced):
            if not force:
                self._refuse_numpy(value)
            value = ground(value)
        array: np.ndarray[Any, Any] = value
        return array

    def _refuse_numpy(self, value: Traced) -> None:
        if value.owner is root:
            raise RuntimeError("numpy(): this tensor requires grad; use .detach().numpy()")
        raise RuntimeError(
            f"numpy() at {user_line()} on a tensor of shape {list(value.shape)}: {value.owner.title} traces this "
            "tensor, and NumPy would not see the transform. Use tensorplay's own functions, or "
            "tp.func.debug_unwrap(x) to look at it."
        )

    def _refuse_array(self, value: Traced) -> None:
        who = "autograd" if value.owner is root else value.owner.title
        raise RuntimeError(
            f"np.asarray(), or what else makes an array of numpy's, was called at {user_line()} with a tensor that "
            f"{who} traces. NumPy's functions of the tensor itself are differentiated and mapped (np.sin(x), "
            "np.stack([x, y])), and so are tensorplay's; x.detach() is a constant."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        value = settle(self.value)
        if isinstance(value, Traced):
            self._refuse_array(value)
        return np.array(value, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return numpy_protocol.call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return numpy_protocol.call_function(function, types, args, kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        if api_version not in (None, "2023.12", "2024.12"):
            raise ValueError(f"__array_namespace__(): versions 2023.12 and 2024.12 are supported, got {api_version!r}")
        return importlib.import_module("tensorplay.array_api")

    def item(self) -> Any:
        """The only element, as a Python number."""
        return self._concrete("item()").item()

    def tolist(self) -> Any:
        """Elements as nested lists of Python numbers."""
        return self._concrete("tolist()").tolist()

    def _concrete(self, what: str, way_out: str = indexing.CHOOSE) -> np.ndarray[Any, Any]:
        array = indexing.concrete(settle(self.value), what, way_out)
        if what != "tolist()" and array.size != 1:
            raise RuntimeError(f"{what}: needs a tensor of one element, got shape {list(array.shape)}")
        return array

    def __bool__(self) -> bool:
        return bool(self._concrete("bool() or a plain `if` or `while`").item())

    def __int__(self) -> int:
        return int(self._concrete("int()").item())

    def __float__(self) -> float:
        number = float(
            self._concrete("float()", f"For functions of `math` there are ours (tp.sin). {indexing.CHOOSE}").item()
        )
        if self._value.__class__ is not np.ndarray:
            autograd.warn_of_constant(self.value, "float() or a function of `math`")
        return number

    def __complex__(self) -> complex:
        number = complex(
            self._concrete("complex()", f"For functions of `cmath` there are ours (tp.exp). {indexing.CHOOSE}").item()
        )
        if self._value.__class__ is not np.ndarray:
            autograd.warn_of_constant(self.value, "complex() or a function of `cmath`")
        return number

    def __floor__(self) -> int:
        return math.floor(self._concrete("math.floor() (tp.floor is mapped)").item())

    def __ceil__(self) -> int:
        return math.ceil(self._concrete("math.ceil() (tp.ceil is mapped)").item())

    def __trunc__(self) -> int:
        return math.trunc(self._concrete("math.trunc() (tp.trunc is mapped)").item())

    def __index__(self) -> int:
        array = self._concrete("use as an index", indexing.POSITIONS)
        if array.dtype.kind not in "iub":
            raise TypeError(f"only integer tensors of one element can be used as an index, got {self.dtype}")
        return int(array.item())

    def to(self, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **_: Any) -> Tensor:
        """This tensor in another dtype; itself where nothing changes."""
        for arg in args:
            if isinstance(arg, Tensor):
                dtype = arg.dtype
            elif isinstance(arg, str | type(CPU)):
                device = arg
            elif arg is not None and not isinstance(arg, bool):
                dtype = arg
        factories.check_device(device)
        value = self.value
        wanted = value.dtype if dtype is None else to_numpy_dtype(dtype)
        if wanted == value.dtype:
            return self.clone() if copy else self
        return wrap(promotion.cast(value, wanted))

    # ---- indexing

    def __getitem__(self, key: Any) -> Tensor:
        key = to_value(key)
        basic = keys.basic_key(self.value.shape, key)
        if basic is None:
            return wrap(keys.index(self.value, key))
        return take_view(self, lambda value: slice_key(value, key=basic))

    def __setitem__(self, key: Any, new: Any) -> None:
        new = to_value(new)
        if not hasattr(new, "dtype"):
            new = np.asarray(new)
        self._assign(to_value(key), new, "indexed assignment")

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(take_rows(self))

    def __repr__(self) -> str:
        return printing.represent(self)

    # ---- copying

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError("deepcopy: only leaf tensors can be copied; use .detach().clone()")
        value = settle(self.value)
        if isinstance(value, Traced) and not is_leaf(value):  # a transform's, of what is a leaf without it
            return memo.setdefault(id(self), wrap(duplicate(value)))
        made = self.__class__.__new__(self.__class__)
        made._init(copy.deepcopy(ground(value), memo))
        memo[id(self)] = made
        if self._grad is not None:
            made._grad = copy.deepcopy(self._grad, memo)
        return made.requires_grad_(self.requires_grad)

    def __copy__(self) -> Tensor:
        if is_leaf(self.value):
            return self.detach().requires_grad_()
        return take_view(self, lambda value: value)

    def __reduce__(self) -> tuple[Any, ...]:
        value = settle(self.value)
        if isinstance(value, Traced) and not is_leaf(value):
            raise RuntimeError(
                f"pickle: {value.owner.title} traces this tensor, and only leaf tensors can be pickled; use .detach(), "
                "or tp.func.debug_unwrap(x) to look at it"
            )
        return (_rebuild, (self.__class__, ground(value), self.requires_grad))


def _rebuild(cls: type[Tensor], array: Value, requires_grad: bool) -> Tensor:
    made = cls.__new__(cls)
    made._init(array)
    return made.requires_grad_(requires_grad)


def _name_methods() -> None:
    """Let messages of Python call methods by the class that users know, and methods take NumPy's names of arguments."""
    for cls in Tensor.__mro__[:-2]:
        for name, method in list(vars(cls).items()):
            if not isinstance(method, FunctionType):
                continue
            method.__qualname__ = f"Tensor.{name}"
            if {"dim", "keepdim"} & method.__annotations__.keys():
                setattr(cls, name, with_torch_names(method))


_name_methods()
Handle.public = Tensor
