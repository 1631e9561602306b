"""How a call of one of NumPy's functions reaches tensorplay: its arguments, `out=`, and what is refused."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

import tensorplay as tp
from tensorplay.core.stack import settle
from tensorplay.core.value import Traced
from tensorplay.dtypes import dtype as Dtype
from tensorplay.dtypes import from_numpy_dtype, result_dtype
from tensorplay.errors import user_line
from tensorplay.tensor.lift import write_out

Implementation = Callable[..., Any]
F = TypeVar("F", bound=Implementation)

# by the name after "np.": what computes the function on tensors, with NumPy's argument names
mapped: dict[str, Implementation] = {}
# by the name after "np.", or by that of a module: what to do where tensorplay has no such function
unmapped: dict[str, str] = {}

# Arguments that say how NumPy should store or compute a result, not which.
_INDIFFERENT = {
    "subok",
    "casting",
    "kind",
    "optimize",
    "overwrite_input",
    "assume_unique",
    "copy",
    "max_work",
    "device",
}
_ORDERS = ("C", "K", "A", None)


def numpys(*names: str) -> Callable[[F], F]:
    """Let a function compute those of NumPy's of these names."""

    def register(implementation: F) -> F:
        for name in names:
            mapped[name] = implementation
        return implementation

    return register


def name_of(function: Any) -> str:
    """What a user writes after "np." for one of NumPy's functions."""
    module = function.__module__.removeprefix("numpy").removeprefix(".")
    return f"{module}.{function.__name__}" if module else str(function.__name__)


# ---- the call --------------------------------------------------------------------------------------------------------


def call_function(function: Any, types: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What one of NumPy's functions gives for tensors; NotImplemented where another library's arrays take part."""
    if not all(issubclass(cls, tp.Tensor | np.ndarray) for cls in types):
        return NotImplemented
    name = name_of(function)
    if name not in mapped:
        return on_arrays(function, f"np.{name}", args, kwargs, advice(name))
    positional, named = _arguments(function, name, args, kwargs)
    out = named.pop("out", None)
    result = mapped[name](*positional, **named)
    return result if out is None else write(out, result, f"np.{name}")


def _arguments(
    function: Any, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments as the implementation takes them: by name, without those that say what goes without saying."""
    signature = _signature(function)
    if signature is None:
        return args, {key: arg for key, arg in kwargs.items() if not _goes_without_saying(key, arg, None)}
    positional, named = _by_name(signature, signature.bind(*args, **kwargs))
    known = _parameters(mapped[name])
    defaults = signature.parameters
    wanted = {key: arg for key, arg in named.items() if not _goes_without_saying(key, arg, defaults.get(key))}
    for key, arg in wanted.items():
        if key not in known and key != "out" and not _takes_any_name(known):
            raise TypeError(f"np.{name}(): {key}={arg!r} is not supported for tensors")
    return positional, wanted


def _by_name(signature: inspect.Signature, bound: inspect.BoundArguments) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """All arguments by name; only where a function takes any number of them, those by position."""
    kinds = {parameter.kind: key for key, parameter in signature.parameters.items()}
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return bound.args, dict(bound.kwargs)
    named = dict(bound.arguments)
    return (), named | named.pop(kinds.get(inspect.Parameter.VAR_KEYWORD, ""), {})


def _takes_any_name(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())


def _goes_without_saying(key: str, arg: Any, parameter: inspect.Parameter | None) -> bool:
    if key in _INDIFFERENT or (key == "order" and isinstance(arg, str | None) and arg in _ORDERS):
        return True
    return arg is np._NoValue or (parameter is not None and arg is parameter.default)


@functools.cache
def _signature(function: Any) -> inspect.Signature | None:
    """How one of NumPy's functions is called; None where NumPy, as it did in the past, does not say."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


@functools.cache
def _parameters(implementation: Implementation) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(implementation).parameters


# ---- what tensorplay does not have -----------------------------------------------------------------------------------


def on_arrays(call: Implementation, name: str, args: Any, kwargs: Mapping[str, Any], instead: str) -> Any:
    """What NumPy itself computes from the memory of plain tensors; an error where one is traced."""
    for tensor in tensors_in([*args, *kwargs.values()]):
        title = tracer(tensor)
        if title:
            raise NotImplementedError(
                f"{name}(): tensorplay has no such function, and at {user_line()} {title} traces a tensor of shape "
                f"{list(tensor.shape)} that it was given. {instead or 'It computes on constants: x.detach().'}"
            )
    return call(*map(_array, args), **{key: _array(arg) for key, arg in kwargs.items()})


def advice(name: str) -> str:
    """What to do instead of a function, or of those of its module."""
    return unmapped.get(name) or unmapped.get(name.rpartition(".")[0], "")


def tracer(tensor: tp.Tensor) -> str:
    """Title of the transform that traces a tensor, or of autograd; empty for a plain tensor."""
    value = settle(tensor.value)
    return str(value.owner.title) if isinstance(value, Traced) else ""


def tensors_in(arg: Any) -> Iterator[tp.Tensor]:
    """The tensors in lists, tuples and dicts."""
    if isinstance(arg, tp.Tensor):
        yield arg
    elif isinstance(arg, list | tuple | dict):
        for entry in arg.values() if isinstance(arg, dict) else arg:
            yield from tensors_in(entry)


def _array(arg: Any) -> Any:
    if isinstance(arg, tp.Tensor):
        return arg.numpy()
    if isinstance(arg, dict):
        return {key: _array(entry) for key, entry in arg.items()}
    return arg.__class__(map(_array, arg)) if arg.__class__ in (list, tuple) else arg


# ---- out= ------------------------------------------------------------------------------------------------------------


def write(out: Any, result: Any, name: str) -> Any:
    """Write a result into the tensor or array that the caller gave for it."""
    if isinstance(result, tuple | list):
        return tuple([write(one, entry, name) for one, entry in zip(out, result, strict=True)])
    if isinstance(out, tuple):
        (out,) = out
    if out is None:
        return result
    if isinstance(out, tp.Tensor):
        return write_out(out, result.value, name)
    title = tracer(result)
    if title:
        raise RuntimeError(
            f"{name}(out=...): {title} traces the result at {user_line()}, and a NumPy array cannot hold it. Give a "
            "tensor that is made inside of the function (tp.empty), or no out="
        )
    np.copyto(out, result.numpy(), casting="same_kind")
    return out


# ---- arguments -------------------------------------------------------------------------------------------------------


def tensor(arg: Any) -> tp.Tensor:
    """An argument as a tensor, in the dtype that NumPy would give it; NumPy's arrays share their memory."""
    if isinstance(arg, tp.Tensor):
        return arg
    if isinstance(arg, list | tuple) and any(True for _ in tensors_in(arg)):
        return tp.stack([tensor(entry) for entry in arg])
    array = np.asarray(arg)
    return tp.as_tensor(array)


def like(arg: Any, other: tp.Tensor) -> tp.Tensor:
    """An argument as a tensor; a Python number in the dtype that arithmetic with `other` gives it."""
    if isinstance(arg, int | float | complex) and not isinstance(arg, np.generic):
        return tp.tensor(arg, dtype=tp.result_type(other, arg))
    return tensor(arg)


def alike(*args: Any) -> list[tp.Tensor]:
    """Arguments of a product as tensors, in the dtype that NumPy brings them to."""
    found = [tensor(arg) for arg in args]
    dtype = from_numpy_dtype(result_dtype([entry.value for entry in found]))
    return [entry.to(dtype) for entry in found]


def weak(arg: Any) -> Any:
    """An operand of a ufunc: NumPy's scalars as Python's numbers, which do not decide the dtype; lists as arrays."""
    if isinstance(arg, np.generic):
        return arg.item()
    return tensor(arg) if isinstance(arg, list | tuple | np.ndarray) else arg


def dtype_of(wanted: Any) -> Any:
    """A dtype as tensorplay's."""
    return wanted if wanted is None or isinstance(wanted, Dtype) else from_numpy_dtype(np.dtype(wanted))


def cast(a: tp.Tensor, wanted: Any) -> tp.Tensor:
    """A tensor in the dtype that an argument names, if any."""
    return a if wanted is None else a.to(dtype_of(wanted))


def inexact(a: Any, wanted: Any = None) -> tp.Tensor:
    """A tensor of floating or complex numbers, as means and roots need them."""
    a = cast(tensor(a), wanted)
    return a if a.is_floating_point() or a.is_complex() else a.to(tp.get_default_dtype())


def axes_of(a: tp.Tensor, axis: Any) -> tuple[int, ...]:
    """Dims that an argument `axis` names, counted from the front; all of them for None."""
    if axis is None:
        return tuple(range(a.ndim))
    axes: tuple[int, ...] = np.lib.array_utils.normalize_axis_tuple(axis, a.ndim, "axis")
    return axes
