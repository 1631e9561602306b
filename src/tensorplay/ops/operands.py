"""How elementwise ops meet their operands: common dtype, shapes that broadcast, and one form of documentation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, shape_of
from tensorplay.dtypes import NumpyDtype, from_numpy_dtype, result_dtype
from tensorplay.lazy import LazyModule
from tensorplay.ops.families import OUT, ElementwiseMap, Partial, align_ranks, elementwise
from tensorplay.ops.many import in_pieces
from tensorplay.ops.promotion import NUMBERS, cast, promote, to_inexact

scipy_special = LazyModule("scipy.special")

F = TypeVar("F", bound=Callable[..., Any])
UnaryOp = Callable[[Value], Value]

# ---- operands --------------------------------------------------------------------------------------------------------


def common(name: str, input: Value, other: Value) -> tuple[Value, ...]:
    """Two operands in their common dtype; a real Python number beside floats stays as it is."""
    if other.__class__ is float or other.__class__ is int:
        if hasattr(input, "dtype") and input.dtype.kind == "f":
            return input, other
    elif input.__class__ is float or input.__class__ is int:
        if hasattr(other, "dtype") and other.dtype.kind == "f":
            return input, other
    elif hasattr(other, "dtype") and hasattr(input, "dtype") and input.dtype is other.dtype:
        return input, other
    return arrays(name, input, other)


def arrays(name: str, *operands: Value) -> tuple[Value, ...]:
    """Operands in their common dtype, Python numbers as 0-d arrays."""
    first = operands[0]
    if hasattr(first, "dtype") and first.dtype.kind == "f":
        dtype = first.dtype
        same = [_if_of_dtype(operand, dtype) for operand in operands]
        if all([operand is not None for operand in same]):
            return tuple(same)
    return _as_arrays(promote(*checked(name, *operands)))


def _if_of_dtype(operand: Value, dtype: NumpyDtype) -> Value:
    """An operand that needs no promotion beside floats of `dtype`, or None."""
    if hasattr(operand, "dtype"):
        return operand if operand.dtype is dtype else None
    return np.asarray(operand, dtype) if operand.__class__ is float or operand.__class__ is int else None


def inexact_arrays(name: str, *operands: Value) -> tuple[Value, ...]:
    """Operands in their common floating or complex dtype, Python numbers as 0-d arrays."""
    operands = arrays(name, *operands)
    return operands if operands[0].dtype.kind in "fc" else tuple([to_inexact(operand) for operand in operands])


def _as_arrays(operands: tuple[Value, ...]) -> tuple[Value, ...]:
    dtype = next(operand.dtype for operand in operands if hasattr(operand, "dtype"))
    return tuple([cast(operand, dtype) for operand in operands])


def checked(name: str, *operands: Value) -> tuple[Value, ...]:
    """The operands, at least one of them a tensor; anything but tensors and numbers is refused."""
    for position, operand in enumerate(operands):
        if operand.dtype.kind not in "bifcu" if hasattr(operand, "dtype") else not isinstance(operand, NUMBERS):
            kind = getattr(operand, "dtype", type(operand).__name__)
            raise TypeError(f"{name}(): operand {position + 1} must be a tensor or a number, got {kind}")
    if any([hasattr(operand, "dtype") for operand in operands]):
        return operands
    return (cast(operands[0], result_dtype(operands)), *operands[1:])


def tensor_argument(name: str, input: Value) -> Value:
    """`input`, which must be a tensor (a number is taken as a 0-d one)."""
    return checked(name, input)[0]


def floats(name: str, input: Value) -> Value:
    """`input` in floating or complex numbers."""
    if hasattr(input, "dtype") and input.dtype.kind in "fc":
        return input
    return to_inexact(checked(name, input)[0])


_KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "floating", "c": "complex"}


def only(kinds: str, name: str, *operands: Value) -> None:
    """Raise unless every operand's dtype is of one of NumPy's `kinds`."""
    for operand in operands:
        if operand.dtype.kind not in kinds:
            refuse(kinds, name, operand)


def refuse(kinds: str, name: str, operand: Value) -> NoReturn:
    """Error for an operand of the wrong kind of dtype."""
    wanted = " or ".join(dict.fromkeys([_KINDS[kind] for kind in kinds]))
    raise NotImplementedError(f"{name}(): needs {wanted} tensors, got {from_numpy_dtype(operand.dtype)}")


def call(prim: Primitive, *args: Value) -> Value:
    """`prim` on arguments that must broadcast against each other."""
    try:
        return prim(*args)
    except ValueError:
        check_broadcast(prim.name, *args)
        raise


def check_broadcast(name: str, *args: Value) -> None:
    """Raise unless the arguments broadcast against each other."""
    shapes = [shape_of(arg) for arg in args]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        given = ", ".join([str(list(shape)) for shape in shapes])
        raise RuntimeError(
            f"{name}(): shapes {given} do not broadcast: counted from the right, sizes must be equal or 1"
        ) from None


# ---- primitives ------------------------------------------------------------------------------------------------------


def parametric(
    name: str, impl: Callable[..., Any], partials: Sequence[Callable[..., Value] | None] | None
) -> Primitive:
    """Like `elementwise`, for a kernel and partials that take keyword parameters."""
    reads = tuple([_read_by(partial) for partial in partials or ()])
    prim = Primitive(name, impl, "elementwise", reads, differentiable=partials is not None, many=in_pieces(impl))
    prim.batch(lambda size, args, mapped, **params: (prim(*align_ranks(args, mapped), **params), True))
    if partials is not None:
        prim.derivative(
            lambda out, *args, **params: ElementwiseMap(
                [partial and functools.partial(partial, **params) for partial in partials], out, *args
            )
        )
    return prim


def _read_by(partial: Callable[..., Value] | None) -> frozenset[int]:
    """Positions that a partial reads: parameters that start with an underscore only show their place."""
    names = inspect.signature(partial).parameters if partial else ()
    return frozenset(position + OUT for position, name in enumerate(names) if not name.startswith("_"))


def scipy_kernel(name: str, op: str = "") -> Callable[..., Any]:
    """
    A ufunc of `scipy.special` on real numbers as a kernel that gives back the dtype of its first argument.

    `op` is what users call it, if that is another name.
    """

    def impl(x: Any, *rest: Any) -> Any:
        # float16 has no loops
        return np.asarray(getattr(scipy_special, name)(x, *rest)).astype(x.dtype, copy=False)

    return real_only(op or name, impl)


def real_only(op: str, impl: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that refuses complex numbers in the name of what users call."""

    def checked(x: Any, *rest: Any) -> Any:
        if x.dtype.kind == "c":
            refuse("f", op, x)
        return impl(x, *rest)

    return checked


class Direct(NamedTuple):
    """An op that is nothing but `primitive` for `arity` operands of one dtype whose kind is among `kinds`."""

    primitive: Primitive
    arity: int
    kinds: str


class Planned(NamedTuple):
    """
    An op that is nothing but a primitive for operands of one dtype whose kind is among `kinds`.

    ``plan(*shapes, *ints)``, of the shapes of its tensors and of other arguments, gives that primitive and its
    parameters; None or an error where the op is more than that.
    """

    plan: Callable[..., tuple[Primitive, dict[str, Any]] | None]
    kinds: str


def planned(plan: Callable[..., tuple[Primitive, dict[str, Any]] | None], kinds: str) -> Callable[[F], F]:
    """Decorator that says so of an op; its public form then goes the short way where it is given tensors and ints."""

    def decorate(op: F) -> F:
        op.direct = Planned(plan, kinds)  # type: ignore[attr-defined]
        return op

    return decorate


def direct(primitive: Primitive, arity: int, kinds: str) -> Callable[[F], F]:
    """Decorator that says so of an op; its public form then takes the short way."""

    def decorate(op: F) -> F:
        op.direct = Direct(primitive, arity, kinds)  # type: ignore[attr-defined]
        return op

    return decorate


# ---- documentation ---------------------------------------------------------------------------------------------------

_INPUT = "input : Tensor\n    Any shape."
_FLOAT_INPUT = (
    "input : Tensor\n    Any shape; integers and bools are taken as floating-point numbers of the default dtype."
)
_OTHER = "other : Tensor or number\n    Broadcasts against `input`; the two are brought to a common dtype."
_SAME = "Shape of `input`."
_BROADCAST = "Broadcast shape of the operands."


def documented(
    summary: str, example: str, *, returns: str = "", notes: str = "", takes_integers: bool = True
) -> Callable[[F], F]:
    """Decorator that gives an op on `input`, or on `input` and `other`, its docstring."""

    def decorate(op: F) -> F:
        names = list(inspect.signature(op).parameters)
        parameters = [_INPUT if takes_integers else _FLOAT_INPUT, *[_OTHER for name in names if name == "other"]]
        sections = [
            summary,
            "Parameters\n----------\n" + "\n".join(parameters),
            "Returns\n-------\nTensor\n    " + (returns or (_BROADCAST if "other" in names else _SAME)),
            *(["Notes\n-----\n" + notes] if notes else []),
            "Examples\n--------\n" + example,
        ]
        op.__doc__ = "\n\n".join(sections) + "\n"
        return op

    return decorate


def float_unary(
    name: str, impl: Callable[..., Any], partial: Partial, summary: str, example: str
) -> Callable[[Value], Value]:
    """An op on one tensor that computes in floating or complex numbers, with its documentation."""
    return on_floats(elementwise(name, impl, [partial]), name, summary, example)


def on_floats(prim: Primitive, name: str, summary: str, example: str) -> Callable[[Value], Value]:
    """`prim` as an op on one tensor whose integers and bools become floating-point numbers, with its documentation."""

    @direct(prim, 1, "fc")
    def op(input: Value) -> Value:
        if input.__class__ is np.ndarray and input.dtype.kind == "f":
            return prim(input)
        return prim(floats(name, input))

    op.__name__ = op.__qualname__ = name
    return documented(summary, example, takes_integers=False)(op)
