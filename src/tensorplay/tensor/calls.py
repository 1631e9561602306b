"""Calls: NumPy's names of arguments as torch's, and errors that name the argument at fault."""

from __future__ import annotations

import dis
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from tensorplay.core.value import Traced
from tensorplay.dtypes import dtype, from_numpy_dtype
from tensorplay.errors import AnomalyError, shown
from tensorplay.interpreters.batch import Batched
from tensorplay.tensor.handle import Handle

F = TypeVar("F", bound=Callable[..., Any])

# What torch takes besides its own names, for the sake of NumPy's.
ALIASES = {
    "axis": "dim",
    "axes": "dims",
    "keepdims": "keepdim",
    "x": "input",
    "a": "input",
    "x1": "input",
    "x2": "other",
}

# What Python and NumPy raise, who do not know which function the user called: the type of the error that says so.
UNSPEAKING: dict[type[Exception], type[Exception]] = {
    IndexError: IndexError,
    ValueError: RuntimeError,
    ArithmeticError: RuntimeError,
    MemoryError: RuntimeError,
    TypeError: TypeError,
    AttributeError: TypeError,
    KeyError: TypeError,
    AssertionError: TypeError,
}
_ARRAYS = "; make arrays tensors with tp.from_numpy"
OURS = ("tensorplay", "numpy", "scipy", "opt_einsum")
_RAISE = dis.opmap["RAISE_VARARGS"]


def explain(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], error: Exception, name: str = "") -> None:
    """
    Raise an error that says more than `error`, which a call of `function` ended in; return if there is no more to say.

    What this package raises on purpose stands, under the name of the function that was called. Errors of Python and
    NumPy within it tell which argument is wrong, or else what was given and what the function takes; they are the cause
    of what is raised.
    """
    room, on_purpose = _source(error)
    if room not in OURS or isinstance(error, AnomalyError):
        return  # of a function that the user passed, or what a transform or a finder of NaN says in its own words
    name = name or name_of(function)
    mapped = _mapped((args, kwargs))
    if not on_purpose or not _is_named(name, error):
        fault = _fault(function, args, kwargs, name)
        if fault is not None:
            raise TypeError(f"{name}(): {fault}{mapped}") from (None if on_purpose else error)
    if on_purpose:
        under_name(name, error)
        if mapped and "[" in str(error) and "vmap" not in str(error):
            error.args = (f"{error}{mapped}",)
        return
    kind = next((kind for cls, kind in UNSPEAKING.items() if isinstance(error, cls)), None)
    if kind is not None:
        raise kind(f"{name}(): {_reason(error)}: {_given(function, args, kwargs, name)}{mapped}") from error


def explain_accident(
    function: Callable[..., Any], args: Any, kwargs: dict[str, Any], error: Exception, name: str
) -> None:
    """As `explain`, of errors of Python alone."""
    if not _source(error)[1]:
        explain(function, args, kwargs, error, name)


def explained(function: F, on_tensors: Callable[..., Any] | None = None) -> F:
    """`function`, or what does its work on tensors, with NumPy's names of arguments and errors that say more."""
    compute = on_tensors or function

    @functools.wraps(function)
    def public(*args: Any, **kwargs: Any) -> Any:
        try:
            return compute(*args, **kwargs)
        except Exception as error:
            names = torch_names(function, kwargs)
            if names is kwargs:
                explain(function, args, kwargs, error)
                raise
            return public(*args, **names)

    return public  # type: ignore[return-value]


def explained_construction(cls: type) -> None:
    """Let errors of the construction of a class, though not of what derives from it, tell its name and arguments."""
    init: Any = cls.__init__  # type: ignore[misc]

    @functools.wraps(init)
    def public(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self) is not cls:
            init(self, *args, **kwargs)
            return
        try:
            init(self, *args, **kwargs)
        except Exception as error:
            explain(cls, args, kwargs, error)
            raise

    cls.__init__ = public  # type: ignore[misc]


def under_name(name: str, error: Exception) -> Exception:
    """`error`, whose message begins with the name of the function that was called."""
    if not _is_named(name, error):
        error.args = (f"{name}(): {error}",)
    return error


def _is_named(name: str, error: Exception) -> bool:
    return re.search(rf"\b{re.escape(name)} ?[(:]", str(error)) is not None


def name_of(function: Callable[..., Any]) -> str:
    """How a message calls a function."""
    name = getattr(function, "__name__", None) or getattr(function, "name", None)  # a primitive may be lifted too
    return name or type(function).__name__


def _source(error: Exception) -> tuple[str, bool]:
    """The package that an error comes from, and whether a statement of tensorplay raised it on purpose."""
    trace = error.__traceback__
    if trace is None:
        return "", False
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = str(trace.tb_frame.f_globals.get("__name__"))
    raised = trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE
    if raised and module.startswith("tensorplay.interpreters."):
        return "transforms", True
    room = module.partition(".")[0]
    accident = isinstance(error, AttributeError | KeyError)  # of an object that is no tensor
    return room, room == "tensorplay" and raised and not accident


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError) or "too big" in str(error) or "Maximum allowed" in str(error):
        return "not enough memory for a tensor of these sizes"
    return "these arguments do not fit together"


def _given(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], name: str) -> str:
    """What was given by the names of the parameters, and what the function takes."""
    bound = _signature(function).bind(*args, **kwargs).arguments
    given = ", ".join([f"{key}={_told(arg)}" for key, arg in bound.items()])
    arrays = any([isinstance(arg, np.ndarray) for arg in bound.values()])
    return f"{given}. Expected {usage(function, name)}{_ARRAYS if arrays else ''}"


def _told(arg: Any) -> str:
    """What was given, with its value where that is short."""
    if isinstance(arg, Handle | np.ndarray):
        return described(arg)
    return str(from_numpy_dtype(arg)) if isinstance(arg, np.dtype) else shown(arg)


def usage(function: Callable[..., Any], name: str) -> str:
    """A function's name with its parameters and their defaults, as a user would call it."""
    signature = _signature(function)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    shown = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return f"{name}{shown}"


def _mapped(args: Any) -> str:
    """That shapes are those of one sample, where an argument is mapped over; else nothing."""
    if isinstance(args, Handle):
        value = args.value
        while isinstance(value, Traced):
            if value.__class__ is Batched:
                return f" (inside {value.owner.title}; shapes are those of one sample)"
            value = value.inner
        return ""
    entries = args.values() if isinstance(args, dict) else args if isinstance(args, list | tuple) else ()
    return next(filter(None, map(_mapped, entries)), "")


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
    return hasattr(arg, "__index__") and (not isinstance(arg, np.ndarray) or (arg.ndim == 0 and arg.dtype.kind in "iu"))


def _is_number(arg: Any) -> bool:
    if isinstance(arg, Handle):
        return not arg.shape_tuple
    return isinstance(arg, int | float | complex | np.number | np.bool) or (_is_tensor(arg) and arg.ndim == 0)


def _all(is_one: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether an argument is a sequence, or a vector, of what `is_one` says."""

    def is_sequence(arg: Any) -> bool:
        if isinstance(arg, list | tuple | range):
            return all(map(is_one, arg))
        return _is_tensor(arg) and arg.ndim == 1 and (not len(arg) or is_one(arg[0]))

    return is_sequence


def _is_sizes(arg: Any) -> bool:
    return _is_int(arg) or _all(_is_int)(arg)


# by a parameter's annotation: what it takes, in words, and whether an argument is that
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "Value": ("a Tensor", _is_tensor),
    "Tensor": ("a Tensor", lambda arg: isinstance(arg, Handle)),
    "Handle": ("a Tensor", lambda arg: isinstance(arg, Handle)),
    "NumpyDtype": ("a dtype", lambda arg: isinstance(arg, dtype | np.dtype | type)),
    "Padding": ("an int, a sequence of ints or a str", lambda arg: isinstance(arg, str) or _is_sizes(arg)),
    "Tolerance": ("a number or a Tensor", lambda arg: arg is None or _is_number(arg) or _is_tensor(arg)),
    "Sequence[Value]": (
        "a sequence of Tensors",
        lambda arg: _is_tensor(arg) or (isinstance(arg, list | tuple) and all(map(_is_tensor, arg))),
    ),
    "int": ("an int", _is_int),
    "float": ("a real number", lambda arg: _is_number(arg) and not isinstance(arg, complex)),
    "complex": ("a number", _is_number),
    "bool": ("a bool", lambda arg: isinstance(arg, bool | int | np.bool)),
    "str": ("a str", lambda arg: isinstance(arg, str)),
    "Sequence[int]": ("a sequence of ints", _all(_is_int)),
    "Sequence[float]": ("a sequence of real numbers", _all(_is_number)),
    "Dims": ("an int or a sequence of ints", lambda arg: arg is None or _is_int(arg) or _all(_is_int)(arg)),
    "Sizes": ("an int or a sequence of ints", lambda arg: _is_sizes(arg)),
}


def _fault(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> str | None:
    """Which argument is of a wrong type; None if all are right, or there is no telling."""
    try:
        bound = _signature(function).bind(*args, **kwargs)
    except TypeError as error:
        return f"{error}. Expected {usage(function, name)}"
    for key, arg in bound.arguments.items():
        parameter = _signature(function).parameters[key]
        many = parameter.kind is parameter.VAR_POSITIONAL
        for entry in arg if many else (arg,):
            wanted = _mismatch(str(parameter.annotation), entry)
            if wanted:
                return f"argument {key!r} must be {wanted}, got {described(entry)}"
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
        return f"a {from_numpy_dtype(arg.value.dtype)} tensor of shape {list(arg.shape_tuple)}"
    if isinstance(arg, np.ndarray):
        return f"a NumPy array of shape {list(arg.shape)}"
    if isinstance(arg, list | tuple):
        others = sorted({type(entry).__name__ for entry in arg})
        return f"{type(arg).__name__} of {', '.join(others)}" if others else f"an empty {type(arg).__name__}"
    return type(arg).__name__
