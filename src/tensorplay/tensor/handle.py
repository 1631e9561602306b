"""
A mutable handle on an immutable value: views, in-place writes, and what they mean under transforms.

A write to a plain array goes to its memory, so that NumPy aliases see it. A write that involves a traced value makes a
new value and re-points the root of the views; each view recomputes itself from the root when it is next read. So
aliasing lives here alone, and transforms see pure ops.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any
from typing import Self as Self  # the methods' files import it from here

import numpy as np

from tensorplay.core import writes
from tensorplay.core.hooks import HooksByKind
from tensorplay.core.modes import ALL_RECORD, paused_level, paused_up_to, views_copied
from tensorplay.core.stack import active, top_level
from tensorplay.core.value import Shape, Traced, Value, ground
from tensorplay.dtypes import category_of, from_numpy_dtype
from tensorplay.errors import user_place
from tensorplay.interpreters.batch import Batched
from tensorplay.interpreters.record import Leaf, Recorded, root
from tensorplay.interpreters.taken import Take, Taken, refuse
from tensorplay.ops.placing import overwrite, place_view, supplant
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import broadcast_to, copy, detach

new_object = object.__new__
Step = Callable[[Value], Value]  # how a view is taken from what it views
_outdated = itertools.count(-2, -1)  # editions of values that cannot be read, each unlike any other


class Pending:
    """Writes that `functionalize` holds back: memory stays as it is until the function has returned."""

    __slots__ = ("originals",)

    def __init__(self) -> None:
        self.originals: dict[Handle, Value] = {}

    def discard(self) -> None:
        """Forget the writes: every tensor has its value from before."""
        for handle, original in self.originals.items():
            handle._point_to(original)

    def commit(self, outer: Pending | None) -> None:
        """Give each tensor that was written its final value, once; an `outer` functionalize holds that back too."""
        for handle, original in self.originals.items():
            if outer is None:
                handle._settle_in(original)
            else:
                outer.originals.setdefault(handle, original)


held_back: ContextVar[Pending | None] = ContextVar("held_back", default=None)


# Level of a transform -> arguments that its function wrote, and what the tensors given for them have to get back.
taken: dict[int, list[tuple[Handle, Handle, Value, int]]] = {}


class Handle:
    """
    What `Tensor` is made of: a value, and if it is a view, its root and the steps that lead from there.

    A view that is `_apart` (`detach`) shares its root's elements, but has derivatives of its own; it is the root of the
    views taken of it.
    """

    _value: Value
    _root: Handle | None = None
    _steps: tuple[Step, ...] = ()
    _apart: bool = False
    _followed: bool = False  # whether a view that is apart has a value that writes to memory do not reach
    _seen: int = 0  # the root's version that `_value` was computed from
    _edition: int = 0  # how often `_value` was replaced
    _writes: int = 0  # how often this tensor, which has no root, was written, through views and bases too
    _home: int = 0  # level of the innermost transform when the tensor was made
    _grad: Any = None
    _hooks: HooksByKind | None = None
    _revalued: Callable[[], None] | None = None  # called when `_value` was replaced
    _given: Handle | None = None  # the tensor that the caller of a transformed function gave for this argument
    _leaves_memory: bool = False  # whether `functionalize` wrote it, which spares memory that cannot be written

    public: type[Any]  # the class of what public functions return

    @property
    def value(self) -> Value:
        """The value now, after all writes through other views."""
        base = self._root
        if base is None:
            return self._value
        if base._root is not None:
            if base._apart:
                _ = base.value  # brings its version up to date
            else:  # it has become a view itself, of what it was
                base = self._root = base._root
        if base._edition != self._seen:
            self._catch_up(base)
        return self._value

    def _catch_up(self, base: Handle) -> None:
        """Take the view anew, after a write through another handle."""
        value = base._value
        for step in self._steps:
            value = step(value)
        if self._apart:
            self._edition += 1
            if is_leaf(self._value):
                value = Recorded(root, value, self._value.link)
            elif isinstance(self._value, Traced):
                value = supplant(self._value, value)
        self._value = value
        self._seen = base._edition
        if self._revalued is not None:
            self._revalued()

    def _init(self, value: Value) -> None:
        self._value = value
        self._home = top_level()

    def _view(self, value: Value, step: Step) -> Any:
        """A view of this tensor that `step` takes from it."""
        view = wrap(value)
        base = self._root
        own = base is None or self._apart
        view._root = self if own else base
        view._steps = (step,) if own else (*self._steps, step)
        view._seen = view._root._edition
        view._home = view._root._home
        return view

    def _become_view(self: Self, step: Step, what: str) -> Self:
        """Turn, in place, into the view that `step` takes of this tensor; views taken before stay as they are."""
        value = self.value
        if is_leaf(value):
            raise RuntimeError(f"{what}: a leaf tensor that requires grad cannot be reshaped in place; use a view")
        new = step(value)
        if self._root is None or self._apart:
            self._root = self._moved_to_store()
            self._seen = self._root._edition
            self._apart, self._steps = False, ()
        self._steps = (*self._steps, step)
        self._value = new
        return self

    def _moved_to_store(self) -> Handle:
        """A root that takes the place of this one, for this tensor and for all views of it."""
        store: Handle = wrap(self._value)
        store._edition, store._home, store._followed = self._edition, self._home, self._followed
        store._writes, store._given, store._leaves_memory = self._writes, self._given, self._leaves_memory
        store._root, store._steps, store._seen, store._apart = self._root, self._steps, self._seen, self._apart
        pending = held_back.get()
        if pending is not None and self in pending.originals:
            pending.originals[store] = pending.originals.pop(self)
        return store

    def layout(self) -> np.ndarray[Any, Any]:
        """
        An array with the strides of this tensor, and the memory if it has one.

        What `vmap` maps over is laid out like a view of a contiguous tensor of one sample's shape.
        """
        value = self.value
        array = ground(value)
        if self._root is None or not views_copied.get():
            if value.shape == array.shape:
                return array
            if self._root is None:
                return np.empty(value.shape, value.dtype)
        array = self._root.layout()
        for step in self._steps:
            array = step(array)
        return array

    def _settle_in(self, original: Value) -> None:
        """Move the value into the memory of the `original` one; where it cannot be written, keep memory of its own."""
        memory, final = original, self._value
        if is_leaf(original):
            memory, final = original.inner, root.lower(final)
        if not isinstance(memory, np.ndarray) or not isinstance(final, np.ndarray):
            self._leaves_memory = True
        elif memory.flags.writeable and memory.shape == final.shape:
            writes.note_write(memory, "functionalize")
            memory[...] = final
            self._point_to(original)

    def _point_to(self, value: Value) -> None:
        self._value = value
        self._edition += 1
        if self._revalued is not None:
            self._revalued()

    def _write(self, new: Value, what: str) -> Self:
        """
        Replace the contents, in place.

        Parameters
        ----------
        new : Value
            Broadcast to this tensor's shape and cast to its dtype.
        what : str
            The operation as the user called it, for messages.
        """
        old = self.value
        if old.__class__ is Taken:
            refuse(old)
        new = self._fit(new, what)
        base = self if self._root is None or self._apart else self._root
        value_only = False
        if paused_level.get() >= root.level:
            old, new = root.lower(old), copy(new) if isinstance(new, Traced) else new
            value_only = isinstance(base._value, Traced) and base._value.owner.level <= paused_level.get()
        elif is_leaf(base._value):
            raise RuntimeError(
                f"{what}: a leaf tensor that requires grad cannot be written in place. Write under tp.no_grad(), or to "
                f"a copy (x.clone())."
            )
        base._check_level(new, what)
        base._store(() if base is self else self._steps, old, new, value_only, what)
        return self

    def _replace(self, new: Value, what: str) -> Self:
        """Hold a value of another shape, in memory of its own."""
        base = self if self._root is None or self._apart else self._root
        base._check_level(new, what)
        pending = held_back.get()
        if pending is not None and self._root is None:
            pending.originals.setdefault(self, self._value)
        self._root, self._steps, self._apart = None, (), False
        self._point_to(copy(new))
        self._writes += 1
        return self

    def _receive(self, final: Value, what: str, leaves_memory: bool) -> None:
        """Hold what a function wrote to the argument that this tensor was given for."""
        self._leaves_memory = self._leaves_memory or leaves_memory
        value = self.value
        fixed = isinstance(value, np.ndarray) and not value.flags.writeable and leaves_memory
        if self._root is None and (fixed or (value.size == 0 and value.shape != final.shape)):
            self._replace(final, what)
        else:
            self._write(final, what)

    def _check_level(self, new: Value, what: str) -> None:
        """Raise if this tensor, made outside of the transform that traces `new`, would outlive it."""
        level = new.owner.level if isinstance(new, Traced) else 0
        if level > self._home:
            raise RuntimeError(
                f"{what}: a value that {title_at(level)} traces cannot be written into a tensor of shape "
                f"{list(self._value.shape)} made outside of it. Return the value instead, or pass the tensor as an "
                f"argument (a module's buffers through functional_call)."
            )

    def _take_elements_of(self, given: Handle) -> None:
        """
        Make the elements of the caller's tensor unreadable, through all that shares them: this argument was written.

        They are given back when the function has returned.
        """
        here = taken.setdefault(self._home, [])
        if any([one is self for one, *_ in here]):
            return
        by = Take(title_at(self._home))
        caller: Handle | None = given
        while caller is not None:  # which may itself be an argument of an outer transform
            handle, steps = caller, list[Step]()
            while handle._root is not None:
                handle, steps = handle._root, [*handle._steps, *steps]
            here.append((self, handle, handle._value, handle._edition))
            places = _places_of(steps, handle._value, caller.value)
            handle._value, handle._edition = Taken(by, handle._value, places), next(_outdated)
            caller = handle._given

    def _store(self, steps: tuple[Step, ...], old: Value, new: Value, value_only: bool, what: str) -> None:
        """
        Let the view that `steps` take of this root, and that reads `old`, read `new`.

        With `value_only` (a write that derivatives do not see), the derivative stays what it was.
        """
        pending = held_back.get()
        if isinstance(old, np.ndarray) and isinstance(new, np.ndarray) and pending is None:
            self._memory_changes()
            _write_memory(old, new, what)
            return
        if pending is not None:
            pending.originals.setdefault(self, self._value)
        new = self._with_part(steps, new, what)
        if value_only:
            with paused_up_to(ALL_RECORD):
                shown = supplant(self._value, new)
        else:
            shown = overwrite(self._value, new) if requires_grad(self._value) and not requires_grad(new) else new
        self._point_to(shown)
        if self._given is not None:
            self._take_elements_of(self._given)
        if self._apart:
            self._share(shown, what)
        else:
            self._writes += 1

    def _memory_changes(self) -> None:
        """Count a write to memory, and let those views take notice that have a value besides it."""
        handle = self
        handle._edition += handle._followed
        while handle._root is not None:
            handle = handle._root
            handle._edition += handle._followed
        handle._writes += 1

    def _share(self, value: Value, what: str) -> None:
        """Give what this view, which is apart, now holds to those that it shares its elements with."""
        origin = self._root
        assert origin is not None
        old = origin.value
        for step in self._steps:
            old = step(old)
        origin._followed = True
        origin._store(self._steps, old, detach(value), True, what)
        # what is no derivative's business is read from the shared elements
        self._seen = origin._edition if isinstance(value, Traced) else -1

    def _fit(self, new: Value, what: str) -> Value:
        if not hasattr(new, "dtype"):
            new = np.asarray(new)
        shape = self.shape_tuple
        if new.shape != shape:
            try:
                new = broadcast_to(new, shape)
            except RuntimeError:
                raise RuntimeError(
                    f"{what}: a value of shape {list(new.shape)} does not fit into a tensor of shape {list(shape)}"
                ) from None
        return cast(new, self.value.dtype)

    def _with_part(self, steps: tuple[Step, ...], new: Value, what: str) -> Value:
        """This root's value with `new` where `steps` lead."""
        # an array that is kept must not be another tensor's memory, nor read-only
        new = new.copy() if isinstance(new, np.ndarray) else new
        values = [self._value]
        for step in steps[:-1]:
            values.append(step(values[-1]))
        for outer, step in zip(reversed(values), reversed(steps), strict=steps != ()):
            new = place_view(outer, step, new, what)
        return new

    @property
    def _version(self) -> int:
        """How often the elements were written in place, through views and bases too."""
        handle = self
        while handle._root is not None:
            handle = handle._root
        return handle._writes

    @property
    def shape_tuple(self) -> Shape:
        """The shape as a plain tuple."""
        shape: Shape = self.value.shape
        return shape


def _write_memory(old: np.ndarray[Any, Any], new: np.ndarray[Any, Any], what: str) -> None:
    if not old.flags.writeable:
        reason = "is read-only"
        if _overlaps_itself(old):
            reason = "is shared: more than one element refers to a single memory location (expand, unfold)"
        raise RuntimeError(f"{what}: the memory of this tensor {reason}; write to a copy (x.clone())")
    writes.note_write(old, what)
    np.copyto(old, new)


def give_back_elements() -> None:
    """Let the tensors whose elements arguments of the innermost transform have taken be what they were."""
    for _, handle, value, edition in reversed(taken.pop(top_level(), ())):
        handle._value, handle._edition = value, edition


def _places_of(steps: Sequence[Step], base: Value, view: Value) -> np.ndarray[Any, Any]:
    """Which elements of `base` are in the `view` that `steps` take of it; all, where these look into elements."""
    if not steps or "c" in (base.dtype.kind, view.dtype.kind) or base.dtype != view.dtype:
        return np.broadcast_to(np.True_, base.shape)
    places = seen = np.zeros(base.shape, bool)
    for step in steps:
        seen = step(seen)
    seen[...] = True
    return places


def _overlaps_itself(array: np.ndarray[Any, Any]) -> bool:
    """Whether two elements of an array lie at the same place."""
    places = np.zeros((), np.int64)
    for size, stride in zip(array.shape, array.strides, strict=True):
        places = np.add.outer(places, np.arange(size) * stride)
    return np.unique(places).size < array.size


def check_dtype(what: str, value: Value, target: Value) -> None:
    """Raise if the category of a result's dtype is higher than that of the tensor it is to be written into."""
    if category_of(value) > category_of(target):
        raise RuntimeError(
            f"{what}: the result has dtype {from_numpy_dtype(value.dtype)}, which does not fit into a tensor of dtype "
            f"{from_numpy_dtype(target.dtype)}"
        )


def requires_grad(value: Value) -> bool:
    """Whether ordinary autograd records what is computed from `value`."""
    while isinstance(value, Traced):
        if value.owner is root:
            return True
        value = value.inner
    return False


def is_leaf(value: Value) -> bool:
    """Whether `value` is a leaf of ordinary autograd."""
    return value.__class__ is Recorded and value.owner is root and value.link[0].__class__ is Leaf


def title_at(level: int) -> str:
    """How the user wrote the active transform of a level."""
    return next((interpreter.title for interpreter in active() if interpreter.level == level), "a transform")


def wrap(value: Value) -> Any:
    """A public tensor on `value`."""
    tensor: Any = new_object(Handle.public)
    tensor._value = value
    stack = active()
    if stack:
        tensor._home = stack[-1].level
        if value.__class__ is Batched:
            value.place = user_place(2)
    return tensor
