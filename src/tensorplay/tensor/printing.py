"""Printing: numbers laid out as torch does, and a traced value with its levels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.value import Traced, Value, ground
from tensorplay.dtypes import BOOL, INT64, complex_dtype, default_float, from_numpy_dtype
from tensorplay.interpreters.batch import Batched
from tensorplay.interpreters.forward import Dual
from tensorplay.interpreters.record import Recorded, root
from tensorplay.tensor.handle import Handle, is_leaf

# ---- options ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """How numbers are printed; `set_printoptions` explains the fields."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_profiles = {
    "default": Options(),
    "short": Options(precision=2, edgeitems=2),
    "full": Options(threshold=math.inf),
}
_options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """
    Set how tensors are printed.

    Parameters
    ----------
    precision : int, optional
        Digits after the point; 4 at first.
    threshold : int, optional
        Number of elements above which only the edges are shown; 1000 at first.
    edgeitems : int, optional
        How many elements are shown at each edge of a dim; 3 at first.
    linewidth : int, optional
        Characters per line; 80 at first.
    profile : {"default", "short", "full"}, optional
        Values for all of these, which the other arguments then change.
    sci_mode : bool, optional
        Whether to use scientific notation; None decides by the numbers.

    Raises
    ------
    ValueError
        If the profile is none of these.

    Examples
    --------
    >>> tp.set_printoptions(precision=2)
    >>> tp.tensor([1.23456])
    tensor([1.23])
    >>> tp.set_printoptions(profile="default")
    """
    global _options
    if profile is not None and profile not in _profiles:
        raise ValueError(f"set_printoptions(): profile must be one of {sorted(_profiles)}, got {profile!r}")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = replace(_options if profile is None else _profiles[profile], sci_mode=sci_mode, **changed)


# ---- numbers ---------------------------------------------------------------------------------------------------------


class Style(NamedTuple):
    """How to write each number of a tensor, and how wide the widest is."""

    write: Callable[[Any], str]
    width: int


def _style_of(numbers: np.ndarray[Any, Any]) -> Style:
    if numbers.dtype.kind == "c":
        return _complex_style(numbers)
    if numbers.dtype.kind == "f":
        return _float_style(numbers)
    return _aligned(str, numbers)


def _aligned(write: Callable[[Any], str], numbers: np.ndarray[Any, Any]) -> Style:
    """The style that pads what `write` gives to the width of the widest of some numbers."""
    width = max([len(write(number)) for number in numbers.ravel().tolist()], default=1)
    return Style(lambda number: write(number).rjust(width), width)


def _float_style(numbers: np.ndarray[Any, Any]) -> Style:
    """Integers with a bare point; else fixed digits, or exponents where the numbers are too far apart."""
    known = numbers[np.isfinite(numbers) & (numbers != 0)].astype(np.float64)
    if not known.size:
        return _aligned(_whole, known)
    low, high = float(np.abs(known).min()), float(np.abs(known).max())
    scientific = high / low > 1000 or high > 1e8 or low < 1e-4 if _options.sci_mode is None else _options.sci_mode
    if not scientific and np.all(known == np.ceil(known)):
        return _aligned(_whole, known)
    spec = f".{_options.precision}{'e' if scientific else 'f'}"
    return _aligned(lambda number: format(number, spec), known)


def _whole(number: float) -> str:
    return f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"


def _complex_style(numbers: np.ndarray[Any, Any]) -> Style:
    real, imag = _float_style(numbers.real), _float_style(numbers.imag)

    def write(number: complex) -> str:
        second = f"{imag.write(number.imag)}j".lstrip()
        return real.write(number.real) + ("" if second[0] in "+-" else "+") + second

    return Style(write, real.width + imag.width + 1)


# ---- arrays ----------------------------------------------------------------------------------------------------------


def _is_long(length: int) -> bool:
    return length > 2 * _options.edgeitems


def _edges(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Only the elements that a summary shows."""
    edge = _options.edgeitems
    for dim, length in enumerate(array.shape):
        if _is_long(length):
            array = np.take(array, [*range(edge), *range(length - edge, length)], axis=dim)
    return array


def _render(array: np.ndarray[Any, Any], style: Style, summary: bool, indent: int) -> str:
    """Nested brackets with the numbers; lines after the first start at `indent`."""
    if array.ndim == 0:
        return style.write(array.item())
    shown: list[int | None] = list(range(len(array)))
    if summary and _is_long(len(array)):
        edge = _options.edgeitems
        shown = [*shown[:edge], None, *shown[len(array) - edge :]]
    if array.ndim > 1:
        parts = ["..." if i is None else _render(array[i], style, summary, indent + 1) for i in shown]
        gap = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
        return f"[{gap.join(parts)}]"
    dots = " ..." if _options.edgeitems else "..."
    words = [dots if i is None else style.write(array[i].item()) for i in shown]
    fit = max(1, (_options.linewidth - indent) // (style.width + 2))
    lines = [", ".join(words[i : i + fit]) for i in range(0, len(words), fit)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _show_array(array: np.ndarray[Any, Any], indent: int, notes: list[str]) -> str:
    """``tensor(...)`` with the numbers, the dtype unless it goes without saying, and further notes."""
    start = indent + len("tensor(")
    own = []
    if not _options.edgeitems or (array.size == 0 and array.ndim != 1):
        own.append(f"size={array.shape}")
    plain = {default_float(), complex_dtype(default_float()), INT64, BOOL} if array.size else {default_float()}
    if array.dtype not in plain:
        own.append(f"dtype={from_numpy_dtype(array.dtype)}")
    summary = array.size > _options.threshold
    body = _render(array, _style_of(_edges(array) if summary else array), summary, start) if array.size else "[]"
    return _closed("tensor(" + body, [*own, *notes], start)


def _closed(text: str, notes: list[str], start: int) -> str:
    """`text` with notes after it, each on a new line where it does not fit, and the closing bracket."""
    last = text[text.rfind("\n") + 1 :]
    used = len(last) + 2 + (start - len("tensor(") if last is text else 0)
    for note in notes:
        if used + len(note) + 2 > _options.linewidth or "\n" in note:
            text += ",\n" + " " * start + note
            used = start + len(note)
        else:
            text += ", " + note
            used += len(note) + 2
    return text + ")"


# ---- levels ----------------------------------------------------------------------------------------------------------


def represent(tensor: Handle) -> str:
    """Text for a tensor at any level, also for one whose transform has returned."""
    try:
        value = tensor.value
    except RuntimeError:
        value = tensor._value  # a view that can no longer be brought up to date: what it was
    return _show(value, value.ndim, 0)


def _show(value: Value, ndim: int, indent: int) -> str:
    """Text for a value of which the function being transformed sees `ndim` dims; lines start at `indent`."""
    start = indent + len("tensor(")
    levels = []
    while isinstance(value, Traced) and value.owner is not root:
        levels.append(value)
        value = value.inner
    notes = _grad_notes(value)
    for level in levels:
        notes += _level_notes(level, ndim, start)
    array = ground(value)
    if not isinstance(array, np.ndarray):
        return _closed("tensor(...", [f"size={value.shape}", f"dtype={from_numpy_dtype(value.dtype)}", *notes], start)
    batch = array.shape[: array.ndim - ndim]
    if 0 in batch:
        return _closed("tensor([]", notes, start)
    return _show_array(array[(0,) * len(batch) + (...,)], indent, notes)


def _level_notes(value: Traced, ndim: int, start: int) -> list[str]:
    """What a level makes of a value: which sample is shown, or the tangent that goes along."""
    under = value.owner.title
    if not value.owner.alive:
        under += f"{value.owner.called_at() if isinstance(value, Batched) else ''}, which has returned"
    if isinstance(value, Batched):
        shape, count = list(value.shape[value.ndim - ndim :]), value.inner.shape[0]
        return [f"{f'sample 0 of {count}' if count else 'no sample'} of shape {shape} under {under}"]
    if isinstance(value, Dual):
        name = "tangent: "
        return [f"primal under {under}", name + _show(value.tangent, ndim, start + len(name))]
    return [f"{value.__class__.__name__.lower()} under {under}"]


def _grad_notes(value: Value) -> list[str]:
    if not isinstance(value, Recorded):
        return []
    if is_leaf(value):
        return ["requires_grad=True"]
    words = value.node.prim.name.split("_")
    return [f"grad_fn=<{''.join([word[:1].upper() + word[1:] for word in words])}Backward>"]
