"""Einstein sums: parsed into labels, then a chain of `contract` along a path that opt_einsum finds."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.contraction import contract, fresh_labels
from tensorplay.ops.families import permute, sum_dims
from tensorplay.ops.indexing import take
from tensorplay.ops.promotion import of_one_dtype, promote
from tensorplay.ops.shape import copy

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
Labelled = tuple[Value, str]  # an operand and a label for each of its dims


def einsum(equation: Any, *operands: Any) -> Value:
    """
    Sum of products of the elements of tensors along dims that labels name.

    Parameters
    ----------
    equation : str
        Labels (letters) of the dims of each operand, separated by commas, and of the result after ``->``. An
        ellipsis stands for dims that broadcast. A label that the result lacks is summed over, one that an operand
        repeats takes its diagonal. Without ``->`` the result has the labels that occur once, in alphabetical order
        (upper case first), after the ellipsis.
    *operands : Tensor
        The tensors, or one sequence of them. Instead of an equation, each operand may be followed by a list of ints
        below 52 (or ``...``) that label its dims; a last list then labels the result.

    Returns
    -------
    Tensor
        With the dims that the equation names, in the operands' common dtype.

    Raises
    ------
    RuntimeError
        If the equation is malformed or does not fit the operands.

    Examples
    --------
    >>> x = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tp.einsum("ij,jk->ik", x, x)
    tensor([[ 7., 10.],
            [15., 22.]])
    """
    if not isinstance(equation, str):
        equation, operands = _from_sublists((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, out, direct = _parse(equation, tuple([operand.shape for operand in operands]))
    # where nothing is summed, it is a product by `*`
    operands = of_one_dtype("einsum", *operands) if set("".join(terms)) - set(out) else promote(*operands)
    if direct:
        return contract(*operands, spec=(*terms, out))
    labelled = [_diagonal_of(value, term) for value, term in zip(operands, terms, strict=True)]
    for step in _path(labelled, out):
        group = [labelled.pop(i) for i in sorted(step, reverse=True)]
        while len(group) > 1:
            first, second = group.pop(), group.pop()
            group.append(_pair(first, second, out + "".join([labels for _, labels in labelled + group])))
        labelled += group
    arranged = _arranged(*labelled[0], out)
    return copy(arranged) if len(operands) == 1 else arranged


def _from_sublists(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Equation and operands of the form ``einsum(x, [0, 1], y, [1, 2], [0, 2])``."""
    pairs = len(args) // 2
    terms = ",".join([_letters(sublist) for sublist in args[1 : 2 * pairs : 2]])
    result = "->" + _letters(args[-1]) if len(args) % 2 else ""
    return terms + result, args[: 2 * pairs : 2]


def _letters(sublist: Any) -> str:
    if not isinstance(sublist, list | tuple):
        raise TypeError(f"einsum(): expected an equation or lists of dim labels, got {type(sublist).__name__}")
    for label in sublist:
        if label is not Ellipsis and not 0 <= int(label) < len(_LETTERS):
            raise RuntimeError(f"einsum(): a label in a list must be in [0, {len(_LETTERS)}), got {label}")
    return "".join(["..." if label is Ellipsis else _LETTERS[int(label)] for label in sublist])


# ---- the equation ----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def _parse(equation: str, shapes: tuple[Shape, ...]) -> tuple[tuple[str, ...], str, bool]:
    """Labels of each operand and of the result, ellipses spelled out; whether it is one contraction as it stands."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise RuntimeError(f"einsum(): {equation!r} names {len(terms)} operands, got {len(shapes)}")
    widest = max([_dotted_dims(term, shape) for term, shape in zip(terms, shapes, strict=True)])
    dots = "".join(itertools.islice(fresh_labels(_LETTERS), widest))
    spelled = [_spelled(term, dots, len(shape)) for term, shape in zip(terms, shapes, strict=True)]
    out = right.replace("...", dots) if arrow else dots + _once("".join(terms))
    _check_out(equation, right, out, "".join(spelled))
    return tuple(spelled), out, _is_direct(spelled, out, shapes)


def _is_direct(terms: Sequence[str], out: str, shapes: Sequence[Shape]) -> bool:
    """Whether two operands have no label to sum alone, to take the diagonal of or to stretch."""
    if len(terms) != 2 or any([len(set(term)) != len(term) for term in terms]):
        return False
    x, y = [dict(zip(term, shape, strict=True)) for term, shape in zip(terms, shapes, strict=True)]
    alone, shared = x.keys() ^ y.keys(), x.keys() & y.keys()
    return alone <= set(out) and all([x[label] == y[label] for label in shared])


def _dotted_dims(term: str, shape: Shape) -> int:
    """Number of dims that a term's ellipsis stands for."""
    if not re.fullmatch(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*", term):
        raise RuntimeError(f"einsum(): a term holds letters and at most one ellipsis, got {shown(term)}")
    named, ndim = len(term.replace("...", "")), len(shape)
    if named > ndim or (named < ndim and "..." not in term):
        raise RuntimeError(f"einsum(): {term!r} names {named} dims, but its operand has shape {list(shape)}")
    return ndim - named


def _spelled(term: str, dots: str, ndim: int) -> str:
    if "..." not in term:
        return term
    count = ndim - len(term) + 3
    return term.replace("...", dots[len(dots) - count :])


def _once(labels: str) -> str:
    return "".join([label for label in sorted(set(labels) - {"."}) if labels.count(label) == 1])


def _check_out(equation: str, right: str, out: str, known: str) -> None:
    if len(set(out)) != len(out) or not set(out) <= set(known):
        raise RuntimeError(
            f"einsum(): the result {right!r} of {equation!r} must name each label once, and only labels of the operands"
        )


# ---- the products ----------------------------------------------------------------------------------------------------


def _path(labelled: Sequence[Labelled], out: str) -> Sequence[Sequence[int]]:
    """Which operands to multiply, step by step; for more than two the order that opt_einsum finds cheap."""
    if len(labelled) < 3:
        return [(0, 1)] * (len(labelled) - 1)
    import opt_einsum  # type: ignore[import-untyped]  # loaded only when needed

    equation = ",".join([labels for _, labels in labelled]) + "->" + out
    steps, _ = opt_einsum.contract_path(equation, *[value.shape for value, _ in labelled], shapes=True)
    path: Sequence[Sequence[int]] = steps
    return path


def _diagonal_of(value: Value, labels: str) -> Labelled:
    """`value` with each repeated label reduced to its diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            _check_sizes(label, value.shape[first], value.shape[second])
            rest = [d for d in range(value.ndim) if d not in (first, second)]
            numbers = np.arange(value.shape[first])
            value = take(permute(value, dims=(first, second, *rest)), numbers, numbers, start=0)  # [n, *rest]
            labels = label + "".join([labels[d] for d in rest])
    return value, labels


def _check_sizes(label: str, n: int, m: int) -> None:
    if n != m:
        raise RuntimeError(f"einsum(): label {label!r} has sizes {n} and {m}")


def _pair(first: Labelled, second: Labelled, rest: str) -> Labelled:
    """Product of two operands; labels that nothing else needs are summed."""
    x, x_labels = _without_unshared(*first, second[1] + rest)
    y, y_labels = _without_unshared(*second, x_labels + rest)
    x, x_labels, y, y_labels = _without_stretched(x, x_labels, y, y_labels)
    out = "".join([a for a in dict.fromkeys(rest + x_labels + y_labels) if _survives(a, x_labels, y_labels, rest)])
    return contract(x, y, spec=(x_labels, y_labels, out)), out


def _survives(label: str, x_labels: str, y_labels: str, rest: str) -> bool:
    in_x, in_y = label in x_labels, label in y_labels
    return (in_x or in_y) and (label in rest or in_x != in_y)


def _without_unshared(value: Value, labels: str, needed: str) -> Labelled:
    dims = tuple([d for d, label in enumerate(labels) if label not in needed])
    return (sum_dims(value, dims=dims) if dims else value), "".join([label for label in labels if label in needed])


def _without_stretched(x: Value, x_labels: str, y: Value, y_labels: str) -> tuple[Value, str, Value, str]:
    """Drop a dim of size 1 where the other operand has a larger one under the same label."""
    for label in x_labels:
        if label not in y_labels:
            continue
        n, m = x.shape[x_labels.index(label)], y.shape[y_labels.index(label)]
        if n == 1 != m:
            x, x_labels = _squeezed(x, x_labels, label)
        elif m == 1 != n:
            y, y_labels = _squeezed(y, y_labels, label)
        else:
            _check_sizes(label, n, m)
    return x, x_labels, y, y_labels


def _squeezed(value: Value, labels: str, label: str) -> Labelled:
    d = labels.index(label)
    shape = value.shape
    return families.reshape(value, shape=shape[:d] + shape[d + 1 :]), labels[:d] + labels[d + 1 :]


def _arranged(value: Value, labels: str, out: str) -> Value:
    value, labels = _without_unshared(value, labels, out)
    order = tuple([labels.index(label) for label in out])
    return value if order == tuple(range(len(order))) else permute(value, dims=order)
