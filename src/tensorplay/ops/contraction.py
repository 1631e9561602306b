"""
Contractions: one primitive, `contract`, from which every product of tensors is made.

A spec labels the dims of two operands and of the result, as einsum does: ``("ij", "jk", "ik")`` is a matrix product.
Its transposes and its batching rule are contractions again, so products nest under every transform without further
rules, and an operand that is not mapped simply lacks the batch label: the batch then folds into the rows of one GEMM.
"""

from __future__ import annotations

import functools
import math
import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import opt_einsum

from tensorplay.core.value import Shape, Value
from tensorplay.ops import families
from tensorplay.ops.families import bilinear, permute, sum_dims
from tensorplay.ops.indexing import take
from tensorplay.ops.promotion import promote
from tensorplay.ops.shape import one_dim

Spec = tuple[str, str, str]


class Plan(NamedTuple):
    """How a contraction is laid out for BLAS: permutations to [batch, rows, inner] x [batch, inner, columns]."""

    x_order: tuple[int, ...] | None
    y_order: tuple[int, ...] | None
    batch: int  # number of dims of each kind
    rows: int
    inner: int
    columns: int
    out_order: tuple[int, ...] | None


@functools.lru_cache(maxsize=4096)
def plan(spec: Spec) -> Plan:
    """Layout of a contraction; every label of one operand stands in the other or in the result."""
    x, y, out = spec
    batch = [label for label in out if label in x and label in y]
    inner = [label for label in x if label in y and label not in out]
    rows = [label for label in out if label in x and label not in y]
    columns = [label for label in out if label in y and label not in x]
    return Plan(
        _order(x, [*batch, *rows, *inner]),
        _order(y, [*batch, *inner, *columns]),
        len(batch),
        len(rows),
        len(inner),
        len(columns),
        _order("".join([*batch, *rows, *columns]), list(out)),
    )


def _order(have: str, wanted: Sequence[str]) -> tuple[int, ...] | None:
    order = tuple([have.index(label) for label in wanted])
    return None if order == tuple(range(len(order))) else order


def _contract_impl(x: Any, y: Any, spec: Spec) -> Any:
    p = plan(spec)
    if p.x_order is not None:
        x = x.transpose(p.x_order)
    if p.y_order is not None:
        y = y.transpose(p.y_order)
    batch, rows = x.shape[: p.batch], x.shape[p.batch : p.batch + p.rows]
    columns = y.shape[p.batch + p.inner :]
    if p.inner == 0:
        # an outer product is a broadcast multiply, which is quicker than a GEMM of inner size 1
        out = np.multiply(x.reshape(x.shape + (1,) * p.columns), y.reshape((*batch, *(1,) * p.rows, *columns)))
    else:
        left = x if p.rows == p.inner == 1 else _matrices(x, p.batch, p.rows)
        right = y if p.columns == p.inner == 1 else _matrices(y, p.batch, p.inner)
        out = np.matmul(left, right)
        if p.rows != 1 or p.columns != 1:
            out = out.reshape((*batch, *rows, *columns))
    return out if p.out_order is None else out.transpose(p.out_order)


def _matrices(x: Any, batch: int, rows: int) -> Any:
    """x [*batch, *rows, *columns] as a stack of matrices; where that takes a copy, it runs along the longer runs of x."""
    split = batch + rows
    shape = (*x.shape[:batch], math.prod(x.shape[batch:split]), math.prod(x.shape[split:]))
    if x.flags.c_contiguous or rows == 0 or split == x.ndim or _run(x, split - 1) <= _run(x, x.ndim - 1):
        return x.reshape(shape)
    turned = x.transpose((*range(batch), *range(split, x.ndim), *range(batch, split)))
    return turned.reshape((*shape[:-2], shape[-1], shape[-2])).swapaxes(-1, -2)


def _run(x: Any, dim: int) -> float:
    """How well a copy runs along a dim: elements of one cache line that it uses in a row."""
    stride = abs(x.strides[dim]) // x.itemsize
    return min(x.shape[dim], 16) / max(stride, 1)


def _fresh_label(spec: Spec) -> str:
    used = set().union(*spec)
    return next(label for label in string.ascii_letters if label not in used)


def _contract_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, spec: Spec) -> tuple[Value, bool]:
    b = _fresh_label(spec)
    x, y, out = spec
    return contract(*args, spec=(b + x if mapped[0] else x, b + y if mapped[1] else y, b + out)), True


contract = bilinear(
    "contract",
    _contract_impl,
    transposes=(
        lambda ct, _x, y, spec: contract(ct, y, spec=(spec[2], spec[1], spec[0])),
        lambda ct, x, _y, spec: contract(x, ct, spec=(spec[0], spec[2], spec[1])),
    ),
    batch=_contract_batch,
)


# ---- products of torch -----------------------------------------------------------------------------------------------


def matmul(input: Value, other: Value) -> Value:
    input, other = promote(input, other)
    if input.ndim == 0 or other.ndim == 0:
        raise RuntimeError(f"matmul(): both operands need at least one dim, got {list(input.shape)} and {list(other.shape)}")
    _check_inner("matmul", input, input.ndim - 1, other, max(other.ndim - 2, 0))
    if input.ndim <= 2 and other.ndim <= 2:
        x, y = "ij"[2 - input.ndim :], "jk"[: other.ndim]
        return contract(input, other, spec=(x, y, (x + y).replace("j", "")))
    return _batched_matmul(input, other)


def _batched_matmul(x: Value, y: Value) -> Value:
    """Product of stacks of matrices (or of one vector), whose leading dims broadcast."""
    labels = string.ascii_letters[: max(x.ndim, y.ndim) - 2]
    x_shape, y_shape = x.shape, y.shape
    x_labels, x = _lead_labels(x, y_shape, labels)
    y_labels, y = _lead_labels(y, x_shape, labels)
    out = "".join([label for label in labels if label in x_labels or label in y_labels])
    rows, columns = "Y" * (len(x_shape) > 1), "Z" * (len(y_shape) > 1)
    return contract(x, y, spec=(x_labels + rows + "X", y_labels + "X" + columns, out + rows + columns))


def _lead_labels(x: Value, other: Shape, labels: str) -> tuple[str, Value]:
    """Labels of the leading dims, and `x` without the dims of size 1 that the other operand stretches."""
    lead = x.shape[:-2]
    theirs = dict(zip(reversed(labels), reversed(other[:-2]), strict=False))
    kept, shape = "", []
    for label, length in zip(labels[len(labels) - len(lead) :], lead, strict=True):
        stretched = theirs.get(label, length)
        if length == 1 and stretched != 1:
            continue
        if stretched not in (1, length):
            raise RuntimeError(f"matmul(): leading dims of {list(x.shape)} and {list(other)} do not broadcast")
        kept += label
        shape.append(length)
    return kept, x if len(kept) == len(lead) else families.reshape(x, shape=(*shape, *x.shape[-2:]))


def _check_inner(name: str, x: Value, x_dim: int, y: Value, y_dim: int) -> None:
    if x.shape[x_dim] != y.shape[y_dim]:
        raise RuntimeError(
            f"{name}(): size {x.shape[x_dim]} of dim {x_dim} of {list(x.shape)} and size {y.shape[y_dim]} of dim {y_dim} of "
            f"{list(y.shape)} must be equal"
        )


def outer(input: Value, vec2: Value) -> Value:
    return contract(*promote(input, vec2), spec=("i", "j", "ij"))


# ---- einsum ----------------------------------------------------------------------------------------------------------


def einsum(equation: str, *operands: Any) -> Value:
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, out = _parse_equation(equation, operands)
    labelled = [_diagonal_of(value, term) for value, term in zip(promote(*operands), terms, strict=True)]
    if len(labelled) > 2:
        for i, j in _path(labelled, out):
            later, first = labelled.pop(max(i, j)), labelled.pop(min(i, j))
            rest = out + "".join([term for _, term in labelled])
            labelled.append(_pair(first, later, rest))
    while len(labelled) > 1:
        later, first = labelled.pop(), labelled.pop()
        labelled.append(_pair(first, later, out))
    return _arranged(*labelled[0], out)


def _parse_equation(equation: str, operands: Sequence[Value]) -> tuple[list[str], str]:
    """Labels of each operand and of the result, ellipses spelled out."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(f"einsum(): {equation!r} names {len(terms)} operands, got {len(operands)}")
    free = [label for label in string.ascii_letters if label not in equation]
    widest = 0
    for term, operand in zip(terms, operands, strict=True):
        named = len(term.replace("...", ""))
        if named > operand.ndim or (named < operand.ndim and "..." not in term):
            raise RuntimeError(
                f"einsum(): {term!r} names {named} dims, but the operand has shape {list(operand.shape)}"
            )
        widest = max(widest, operand.ndim - named if "..." in term else 0)
    dots = "".join(free[:widest])
    spelled = [
        term.replace("...", dots[widest - (operand.ndim - len(term) + 3) :] if "..." in term else "")
        for term, operand in zip(terms, operands, strict=True)
    ]
    if not arrow:
        letters = sorted(left.replace("...", "").replace(",", ""))
        right = ("..." if "..." in left else "") + "".join([a for a in dict.fromkeys(letters) if letters.count(a) == 1])
    out = right.replace("...", dots)
    unknown = [label for label in out if not any([label in term for term in spelled])]
    if unknown or len(set(out)) != len(out):
        raise RuntimeError(f"einsum(): output {right!r} must name each label once, and only labels of the operands")
    return spelled, out


def _diagonal_of(value: Value, labels: str) -> tuple[Value, str]:
    """`value` with each repeated label reduced to its diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            length = value.shape[first]
            if value.shape[second] != length:
                raise RuntimeError(f"einsum(): label {label!r} has sizes {length} and {value.shape[second]}")
            rest = [d for d in range(value.ndim) if d not in (first, second)]
            numbers = np.arange(length)
            value = take(permute(value, dims=(first, second, *rest)), numbers, numbers, start=0)  # [n, *rest]
            labels = label + "".join([labels[d] for d in rest])
    return value, labels


def _pair(first: tuple[Value, str], second: tuple[Value, str], rest: str) -> tuple[Value, str]:
    """Product of two operands; labels that nothing else needs are summed."""
    x, x_labels = _without_unshared(*first, second[1] + rest)
    y, y_labels = _without_unshared(*second, x_labels + rest)
    x, x_labels, y, y_labels = _without_stretched(x, x_labels, y, y_labels)
    out = "".join([label for label in dict.fromkeys(x_labels + y_labels) if label in rest or not (label in x_labels and label in y_labels)])
    return contract(x, y, spec=(x_labels, y_labels, out)), out


def _without_unshared(value: Value, labels: str, needed: str) -> tuple[Value, str]:
    dims = tuple([d for d, label in enumerate(labels) if label not in needed])
    return (sum_dims(value, dims=dims) if dims else value), "".join([label for label in labels if label in needed])


def _without_stretched(x: Value, x_labels: str, y: Value, y_labels: str) -> tuple[Value, str, Value, str]:
    """Drop a dim of size 1 where the other operand has a larger one under the same label."""
    for label in x_labels:
        if label not in y_labels:
            continue
        n, m = x.shape[x_labels.index(label)], y.shape[y_labels.index(label)]
        if n == m:
            continue
        if 1 not in (n, m):
            raise RuntimeError(f"einsum(): label {label!r} has sizes {n} and {m}")
        if n == 1:
            x, x_labels = _squeezed(x, x_labels, label)
        else:
            y, y_labels = _squeezed(y, y_labels, label)
    return x, x_labels, y, y_labels


def _squeezed(value: Value, labels: str, label: str) -> tuple[Value, str]:
    d = labels.index(label)
    shape: Shape = value.shape
    return families.reshape(value, shape=shape[:d] + shape[d + 1 :]), labels[:d] + labels[d + 1 :]


def _arranged(value: Value, labels: str, out: str) -> Value:
    value, labels = _without_unshared(value, labels, out)
    order = tuple([labels.index(label) for label in out])
    return value if order == tuple(range(len(order))) else permute(value, dims=order)


def _path(labelled: Sequence[tuple[Value, str]], out: str) -> list[tuple[int, int]]:
    """Order of pairwise products that opt_einsum finds cheap."""
    equation = ",".join([labels for _, labels in labelled]) + "->" + out
    steps, _ = opt_einsum.contract_path(equation, *[value.shape for value, _ in labelled], shapes=True)
    return [(step[0], step[1]) for step in steps if len(step) == 2]


def diagonal_dims(ndim: int, dim1: int, dim2: int, name: str) -> tuple[int, int]:
    """The two dims of a diagonal, which must differ."""
    first, second = one_dim(dim1, ndim, name), one_dim(dim2, ndim, name)
    if first == second:
        raise RuntimeError(f"{name}(): dim1 and dim2 must differ, got {dim1} and {dim2}")
    return first, second
