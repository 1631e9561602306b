"""Calls: NumPy's names of arguments as torch's, and errors that name the argument at fault."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tensorplay.tensor.handle import Handle

F = TypeVar("F", bound=Callable[..., Any])

# What torch takes besides its own names, for the sake of NumPy's.
ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

# What Python and NumPy raise, who do not know which function the user called.
UNSPEAKING = (TypeError, ValueError, IndexError, AttributeError, KeyError, AssertionError, ArithmeticError)


def explain(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], error: Exception) -> None:
    """Raise an error that says more than `error`, which a call of `function` ended in; return if there is no more."""
    name = getattr(function, "__name__", repr(function))  # a primitive may be lifted too
    if not isinstance(error, UNSPEAKING) or f"{name}()" in str(error):
        return
    fault = _fault(function, args, kwargs)
    if fault is not None:
        raise TypeError(f"{name}(): {fault}") from None
    kind = type(error) if isinstance(error, ValueError | IndexError) else TypeError
    given = [*map(described, args), *[f"{key}={described(arg)}" for key, arg in kwargs.items()]]
    raise kind(f"{name}(): {error} (called with {', '.join(given)})") from error


def with_torch_names(method: F) -> F:
    """A method that takes NumPy's names of arguments too."""

    @functools.wraps(method)
    def public(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = torch_names(method, kwargs)
        return method(*args, **kwargs)

    return public  # type: ignore[return-value]


def torch_names(function: Callable[..., Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments under the names that `function` knows; the same dict where it knows all."""
    if not any([name in ALIASES for name in kwargs]):
        return kwargs
    known = _signature(function).parameters.keys()
    free = known - kwargs.keys()
    renamed = {
        ALIASES[name] if name not in known and ALIASES.get(name) in free else name: kwargs[name] for name in kwargs
    }
    return kwargs if renamed.keys() == kwargs.keys() else renamed


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


# ---- arguments of a wrong type ---------------------------------------------------------------------------------------


def _is_tensor(arg: Any) -> bool:
    return isinstance(arg, Handle | np.ndarray)


def _is_int(arg: Any) -> bool:
    if isinstance(arg, Handle):
        return not arg.shape_tuple and arg.value.dtype.kind in "iu"
    return hasattr(arg, "__index__") and not isinstance(arg, np.ndarray)


def _is_number(arg: Any) -> bool:
    return isinstance(arg, int | float | complex | np.number | np.bool) or _is_tensor(arg)


def _all(is_one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda arg: (isinstance(arg, list | tuple | range) and all(map(is_one, arg))) or _is_tensor(arg)


# by a parameter's annotation: what it takes, in words, and whether an argument is that
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "Value": ("a Tensor", _is_tensor),
    "Sequence[Value]": ("a sequence of Tensors", _all(_is_tensor)),
    "int": ("an int", _is_int),
    "float": ("a number", _is_number),
    "complex": ("a number", _is_number),
    "bool": ("a bool", lambda arg: isinstance(arg, bool | int | np.bool)),
    "str": ("a str", lambda arg: isinstance(arg, str)),
    "Sequence[int]": ("a sequence of ints", _all(_is_int)),
    "Sequence[float]": ("a sequence of numbers", _all(_is_number)),
    "Dims": ("an int or a sequence of ints", lambda arg: arg is None or _is_int(arg) or _all(_is_int)(arg)),
    "Sizes": ("an int or a sequence of ints", lambda arg: _is_int(arg) or _all(_is_int)(arg)),
}


def _fault(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Which argument is of a wrong type; None if all are right, or there is no telling."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except TypeError:
        return None
    for name, arg in bound.arguments.items():
        parameter = _signature(function).parameters[name]
        many = parameter.kind is parameter.VAR_POSITIONAL
        for entry in arg if many else (arg,):
            wanted = _mismatch(str(parameter.annotation), entry)
            if wanted:
                return f"argument {name!r} must be {wanted}, got {described(entry)}"
    return None


def _mismatch(annotation: str, arg: Any) -> str:
    """What an argument should be, in words; empty if it is that, or the annotation tells nothing."""
    kinds = [KINDS.get(kind) for kind in annotation.split(" | ") if kind != "None"]
    if None in kinds or (arg is None and "None" in annotation):
        return ""
    known = [kind for kind in kinds if kind is not None]
    if any([is_one(arg) for _, is_one in known]):
        return ""
    return " or ".join([words for words, _ in known]) + (" or None" if "None" in annotation else "")


def described(arg: Any) -> str:
    """Type of an argument, for a message."""
    if isinstance(arg, Handle):
        return f"a tensor of shape {list(arg.shape_tuple)}"
    if isinstance(arg, list | tuple):
        others = sorted({type(entry).__name__ for entry in arg})
        return f"{type(arg).__name__} of {', '.join(others)}" if others else f"an empty {type(arg).__name__}"
    return type(arg).__name__
