"""From functions on values to functions on tensors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy import ndarray

from tensorplay.core.modes import paused_level, views_copied
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Traced, Value, ground
from tensorplay.dtypes import dtype
from tensorplay.errors import AnomalyError
from tensorplay.interpreters.record import root
from tensorplay.interpreters.watch import looked_at_whole
from tensorplay.ops.kernels import number
from tensorplay.ops.operands import Direct, Planned
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import copy, slice_key
from tensorplay.ops.stacking import slices
from tensorplay.tensor.calls import described, explain, explained, name_of, torch_names
from tensorplay.tensor.handle import Handle, check_dtype, requires_grad, wrap

F = TypeVar("F", bound=Callable[..., Any])


# Arguments that ops take as they are.
_PLAIN = frozenset({int, float, bool, complex, str, type(None), slice})
ABSENT: Any = object()  # in place of a first argument that is given by name


def to_value(arg: Any) -> Any:
    """An argument as ops take it: tensors as their values, also inside lists and tuples."""
    if isinstance(arg, Handle):
        return arg._value if arg._root is None else arg.value
    cls = arg.__class__
    if cls in _PLAIN:
        return arg
    if cls is tuple or cls is list:
        return cls([to_value(entry) for entry in arg])
    return arg.dtype if cls is dtype else arg


def to_tensor(out: Any) -> Any:
    """A result as users get it: values as tensors, also inside tuples, named tuples and lists."""
    if out.__class__ is np.ndarray or isinstance(out, Traced):
        return wrap(out)
    if isinstance(out, tuple):
        entries = [to_tensor(entry) for entry in out]
        return tuple(entries) if out.__class__ is tuple else out.__class__(*entries)
    if out.__class__ is list:
        return [to_tensor(entry) for entry in out]
    return out


def lift(function: F) -> F:
    """
    `function` on tensors. The result also takes `out=`, a tensor to write into.

    Where the op says that it is nothing but a primitive for operands of certain kinds (`ops.operands.direct`), such
    operands go to the primitive at once.
    """

    def general(*args: Any, **kwargs: Any) -> Any:
        try:
            if kwargs:
                named = {name: to_value(arg) for name, arg in kwargs.items() if name != "out"}
                result = function(*map(to_value, args), **named)
            else:
                result = function(*map(to_value, args))
        except AnomalyError as error:
            named = {name: to_value(arg) for name, arg in kwargs.items() if name != "out"}
            values = list(map(to_value, args))
            result = looked_at_whole(function.__name__, error, lambda: function(*values, **named))
        except Exception as error:
            names = torch_names(function, kwargs)
            if names is kwargs:
                names.pop("out", None)
                explain(function, args, names, error)
                raise
            return general(*args, **names)
        if kwargs and kwargs.get("out") is not None:
            return write_out(kwargs["out"], result, function.__name__)
        if result.__class__ is np.ndarray:
            return wrap(result if result.base is None else _with_own_memory(result, args))
        return wrap(result) if isinstance(result, Traced) else to_tensor(result)

    public = functools.wraps(function)(with_short_way(function, general))
    public.__name__ = name_of(function)
    return public  # type: ignore[return-value]


def with_short_way(function: Callable[..., Any], general: Callable[..., Any]) -> Callable[..., Any]:
    """`general`, which computes `function` on tensors, behind the short way that `ops.operands.direct` allows."""
    lane = getattr(function, "direct", None)
    if lane is None:
        return general
    if isinstance(lane, Planned):
        return _planned(lane, _names(function), general)
    if not lane.primitive.differentiable:
        return general
    return (_unary, _binary)[lane.arity - 1](lane.primitive, lane.kinds, general)


def operator_of(function: Callable[[Any, Any], Any], general: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The same for an operator: its first operand is a tensor, and it has no other arguments."""
    lane = getattr(function, "direct", None)
    if isinstance(lane, Direct) and lane.arity == 2 and lane.primitive.differentiable:
        return _of_two(lane.primitive, lane.kinds, general)
    return with_short_way(function, general)


def reflected_of(function: Callable[[Any, Any], Any], general: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The same for an operator whose first operand stands on its right."""
    lane = getattr(function, "direct", None)
    if not isinstance(lane, Direct):
        return general
    prim = lane.primitive

    def short(right: Any, left: Any) -> Any:
        value = right._value if right._root is None else right.value
        if value.dtype.kind != "f" or not (left.__class__ is float or left.__class__ is int):
            return general(right, left)
        operand = _operand(left, value.dtype.char)
        if operand is None:
            operand = left
        if value.__class__ is not ndarray and value.owner.alive:
            return wrap(value.owner.binary(prim, operand, value))
        return wrap(prim(operand, value))

    return short


def _with_own_memory(result: np.ndarray[Any, Any], args: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A result that can be written without changing an argument: only views may alias."""
    shared = not result.flags.writeable or any(
        [isinstance(arg, Handle) and np.may_share_memory(result, ground(arg.value)) for arg in args]
    )
    return result.copy() if shared else result


def _unary(prim: Primitive, kinds: str, general: Callable[..., Any]) -> Callable[..., Any]:
    def public(input: Any = ABSENT, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs or not isinstance(input, Handle):
            return general(*(() if input is ABSENT else (input, *args)), **kwargs)
        value = input._value if input._root is None else input.value
        if value.dtype.kind not in kinds:
            return general(input)
        if value.__class__ is not ndarray and value.owner.alive:
            return wrap(value.owner.unary(prim, value))
        return wrap(prim(value))

    return public


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The arguments that may be given by position."""
    parameters = inspect.signature(function).parameters.values()
    return tuple([p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD])


def _planned(lane: Planned, names: tuple[str, ...], general: Callable[..., Any]) -> Callable[..., Any]:
    plan, kinds = lane

    def public(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            count = len(args)
            if tuple(kwargs) != names[count : count + len(kwargs)]:
                return general(*args, **kwargs)
            args, kwargs = (*args, *kwargs.values()), {}
        values: list[Value] = []
        known: list[Any] = []
        for arg in args:
            if isinstance(arg, Handle):
                value = arg._value if arg._root is None else arg.value
                values.append(value)
                known.append(value.shape)
            elif arg.__class__ is int:
                known.append(arg)
            else:
                return general(*args)
        if not values or values[0].dtype.kind not in kinds:
            return general(*args)
        dtype = values[0].dtype
        for value in values:
            if value.dtype is not dtype:
                return general(*args)
        try:
            found = plan(*known)
        except Exception:  # the op explains what is wrong
            found = None
        if found is None:
            return general(*args)
        prim, params = found
        for value in values:
            if value.__class__ is not ndarray:
                level = value.owner
                if level.alive and all([other.__class__ is ndarray or other.owner is level for other in values]):
                    return wrap(level.planned(prim, values, params))
                break
        return wrap(prim(*values, **params))

    return public


def _binary(prim: Primitive, kinds: str, general: Callable[..., Any]) -> Callable[..., Any]:
    short = _of_two(prim, kinds, general)

    def public(input: Any = ABSENT, other: Any = ABSENT, *args: Any, **kwargs: Any) -> Any:
        if input is ABSENT or other is ABSENT or args or kwargs or not isinstance(input, Handle):
            if input is ABSENT:
                return general(**kwargs) if other is ABSENT else general(other=other, **kwargs)
            return general(input, *(() if other is ABSENT else (other, *args)), **kwargs)
        return short(input, other)

    return public


def _of_two(prim: Primitive, kinds: str, general: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The primitive on a tensor and another, or a number; `general` for what it does not take as it is."""

    def short(input: Any, other: Any) -> Any:
        value = input._value if input._root is None else input.value
        dtype = value.dtype
        if isinstance(other, Handle):
            operand = other._value if other._root is None else other.value
            if operand.dtype is not dtype or dtype.kind not in kinds:
                return general(input, other)
        elif dtype.kind == "f" and (other.__class__ is float or other.__class__ is int):
            operand = _operand(other, dtype.char)
            if operand is None:
                operand = other
        else:
            return general(input, other)
        try:
            if value.__class__ is not ndarray:
                level = value.owner
                if level.alive and (not isinstance(operand, Traced) or operand.owner is level):
                    return wrap(level.binary(prim, value, operand))
            return wrap(prim(value, operand))
        except ValueError:  # shapes that do not broadcast: let the op explain
            return general(input, other)

    return short


EXACT = 1 << 24  # integers below it are exact in single precision


@functools.lru_cache(maxsize=256)
def _operand(other: float, char: str) -> Any:
    """A number as an array; None where it should stay one: a large integer, and zero, of which there are two."""
    return number(other, char) if -EXACT < other < EXACT and other else None


def write_out(out: Any, result: Any, name: str) -> Any:
    """Write a result into the tensor (or the tuple of tensors) that the caller gave for it."""
    if isinstance(result, tuple | list):
        if not isinstance(out, tuple | list) or len(out) != len(result):
            raise TypeError(f"{name}(out=...): expected a tuple of {len(result)} tensors, got {described(out)}")
        written = [write_out(o, r, name) for o, r in zip(out, result, strict=True)]
        return result.__class__(*written) if hasattr(result, "_fields") else out.__class__(written)
    if not isinstance(out, Handle):
        raise TypeError(f"{name}(out=...): expected a tensor to write into, got {described(out)}")
    if paused_level.get() < root.level and (requires_grad(out.value) or requires_grad(result)):
        raise RuntimeError(
            f"{name}(out=...): ordinary autograd does not differentiate through out=, and a tensor here requires grad. "
            "Write the result with copy_, or call under tp.no_grad()."
        )
    check_dtype(f"{name}(out=...)", result, out.value)
    if out.value.size == 0 and out.value.shape != result.shape:
        return out._replace(cast(result, out.value.dtype), f"{name}(out=...)")
    if out.value.shape != result.shape:
        raise RuntimeError(
            f"{name}(out=...): a result of shape {list(result.shape)} does not fit into a tensor of shape "
            f"{list(out.value.shape)}"
        )
    return out._write(result, f"{name}(out=...)")


def lift_view(function: F) -> F:
    """`function`, which takes a view of its first argument (or several, as a tuple), on tensors."""
    return _on_view(function, take_view)


def lift_view_or_copy(function: F) -> F:
    """`function`, which takes a view of its first argument where the strides allow it and else copies, on tensors."""
    return _on_view(function, view_or_copy)


def _on_view(function: F, take: Callable[[Any, Callable[[Value], Any]], Any]) -> F:
    """`function` on tensors: `take` is given the first and the step that leads from its value to the view's."""

    def viewing(*args: Any, **kwargs: Any) -> Any:
        if not args:
            input, kwargs = _named_input(function, kwargs)
            args = (input,)
        rest = [to_value(arg) for arg in args[1:]]
        named = {name: to_value(arg) for name, arg in kwargs.items()}
        return take(args[0], lambda value: function(value, *rest, **named))

    return explained(function, viewing)


def _named_input(function: Callable[..., Any], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The first argument by position, where it was given by name, and the others."""
    names = torch_names(function, kwargs)
    if "input" not in names:
        try:
            function(**names)
        except TypeError as error:
            explain(function, (), names, error)
            raise
    return names.pop("input"), names


def view_or_copy(input: Any, step: Callable[[Value], Value], refusal: str = "") -> Any:
    """
    What `step` makes of a tensor: a view where it shares the memory, a tensor of its own where it does not.

    With a `refusal`, the second is an error that says so.
    """
    value = input.value
    out = step(value)
    if _is_view(input, value, out, step):
        return _one_view(input, value, out, step)
    if refusal:
        raise RuntimeError(f"{refusal} without a copy (strides {input.stride()}); use reshape or contiguous first")
    return wrap(out)


def _is_view(input: Handle, value: Value, out: Value, step: Callable[[Value], Value]) -> bool:
    """Whether `out`, which `step` made of a tensor, shares its memory, as the tensor's strides decide."""
    views_are_copied, array = views_copied.get(), ground(value)
    if not views_are_copied and value.shape == array.shape:
        return bool(np.may_share_memory(array, ground(out))) or not value.size
    layout = input.layout()
    if not layout.size or np.may_share_memory(layout, step(layout)):
        return True
    if views_are_copied or array is layout or not array.size:
        return False
    sample = array[(0,) * (array.ndim - layout.ndim)]
    return bool(np.may_share_memory(sample, step(sample)))


def take_view(input: Any, step: Callable[[Value], Any]) -> Any:
    """The view (or tuple of views) that `step` takes of a tensor."""
    value = input.value
    out = step(value)
    if out.__class__ is tuple or out.__class__ is list:
        return tuple([_one_view(input, value, piece, _entry_of(step, i)) for i, piece in enumerate(out)])
    return _one_view(input, value, out, step)


def take_rows(input: Any) -> list[Any]:
    """The views that indexing takes along dim 0, by one op for all, whose derivative costs no more than that of one."""
    value = input.value
    return [_one_view(input, value, row, _row(i)) for i, row in enumerate(slices(value, dim=0))]


def _row(i: int) -> Callable[[Value], Value]:
    return lambda value: slice_key(value, key=(i, *(slice(None),) * (value.ndim - 1)))


def _entry_of(step: Callable[[Value], Any], i: int) -> Callable[[Value], Value]:
    return lambda value: step(value)[i]


def _one_view(input: Handle, base: Value, out: Value, step: Callable[[Value], Value]) -> Any:
    if views_copied.get() and np.may_share_memory(ground(base), ground(out)):
        out = copy(out)
    return input._view(out, step)
