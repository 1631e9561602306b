"""
Contractions: one primitive, `contract`, from which every product of tensors is made.

A spec labels the dims of two operands and of the result, as einsum does: ``("ij", "jk", "ik")`` is a matrix product.
Its transposes and its batching rule are contractions again, so products nest under every transform without further
rules, and an operand that is not mapped simply lacks the batch label: the batch then folds into the rows of one GEMM.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.linear_map import LinearMap, Term
from tensorplay.core.primitive import NOTHING, Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.ops.families import FEW, add, bilinear, conj, expand, reshape, sum_of, sum_to
from tensorplay.ops.stacking import stacked

Spec = tuple[str, str, str]
Array = np.ndarray[Any, Any]
SMALL = 1 << 12  # elements of a cotangent that is worth a copy if that spares calls


class Plan(NamedTuple):
    """How a contraction is laid out for BLAS: as [batch, rows, inner] x [batch, inner, columns]."""

    swap: bool  # whether the second operand holds the rows, so that the result's last dim is one of the columns
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
    free = [label for label in out if not (label in x and label in y)]
    swap = bool(free) and free[-1] in x
    if swap:
        x, y = y, x
    batch = [label for label in out if label in x and label in y]
    inner = [label for label in x if label in y and label not in out]
    rows = [label for label in free if label in x]
    columns = [label for label in free if label in y]
    return Plan(
        swap,
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


def _contract_impl(x: Array, y: Array, spec: Spec) -> Any:
    p = plan(spec)
    swap, x_order, y_order, batch, rows, inner, columns, out_order = p
    if swap:
        x, y = y, x
    if x_order is not None:
        x = x.transpose(x_order)
    if y_order is not None:
        y = y.transpose(y_order)
    if inner == 1 and batch == 0 and rows < 2 and columns < 2:
        return np.dot(x, y)  # the common case, with nothing to arrange
    multiply = _outer if inner == 0 else _stacked if batch else _single
    out = multiply(x, y, p)
    return out if out_order is None else out.transpose(out_order)


def _outer(x: Array, y: Array, p: Plan) -> Any:
    """An outer product is a broadcast multiply, which is quicker than a GEMM of inner size 1."""
    if p.batch and p.rows and p.columns and x.size > FEW:
        left, right = _matrices(x, 0, p.batch), _matrices(y, 0, p.batch)
        return np.einsum("bi,bj->bij", left, right).reshape(x.shape + y.shape[p.batch :])  # the same, and quicker
    if p.columns:
        x = x.reshape(x.shape + (1,) * p.columns)
    if p.rows and p.batch:
        y = y.reshape(y.shape[: p.batch] + (1,) * p.rows + y.shape[p.batch :])
    return np.multiply(x, y)


def _single(x: Array, y: Array, p: Plan) -> Any:
    """One GEMM, or one product with a vector."""
    rows, columns = x.shape[: p.rows], y.shape[p.inner :]
    if p.rows > 1 or p.inner > 1:
        x = _matrices(x, 0, p.rows) if p.rows else x.reshape(-1)
    if p.inner > 1 or p.columns > 1:
        y = _matrices(y, 0, p.inner) if p.columns else y.reshape(-1)
    out = np.dot(x, y)
    return out.reshape(rows + columns) if p.rows > 1 or p.columns > 1 else out


def _stacked(x: Array, y: Array, p: Plan) -> Any:
    """A stack of GEMMs."""
    left = x if p.rows == p.inner == 1 else _matrices(x, p.batch, p.rows)
    right = y if p.columns == p.inner == 1 else _matrices(y, p.batch, p.inner)
    out = np.matmul(left, right)
    if p.rows == p.columns == 1:
        return out
    return out.reshape(x.shape[: p.batch + p.rows] + y.shape[p.batch + p.inner :])


def _matrices(x: Array, batch: int, rows: int) -> Array:
    """x [*batch, *rows, *columns] as matrices; where that takes a copy, it runs along the longer runs of x."""
    split = batch + rows
    shape = (*x.shape[:batch], math.prod(x.shape[batch:split]), math.prod(x.shape[split:]))
    if x.flags.c_contiguous or rows == 0 or split == x.ndim or _run(x, split - 1) <= _run(x, x.ndim - 1):
        return x.reshape(shape)
    turned = x.transpose((*range(batch), *range(split, x.ndim), *range(batch, split)))
    return turned.reshape((*shape[:-2], shape[-1], shape[-2])).swapaxes(-1, -2)


def _run(x: Array, dim: int) -> float:
    """How well a copy runs along a dim: elements of one cache line that it uses in a row."""
    stride = max(abs(x.strides[dim]) // x.itemsize, 1)
    length: int = x.shape[dim]
    return min(length, 16) / stride


def fresh_labels(used: str) -> Iterator[str]:
    """Labels that `used` does not contain."""
    return (label for label in map(chr, itertools.count(ord("A"))) if label.isalpha() and label not in used)


@functools.lru_cache(maxsize=4096)
def _batched_spec(spec: Spec, mapped: tuple[bool, bool]) -> Spec:
    b = next(fresh_labels("".join(spec)))
    x, y, out = spec
    return (b + x if mapped[0] else x, b + y if mapped[1] else y, b + out)


def _contract_batch(size: int, args: Sequence[Value], mapped: tuple[bool, bool], *, spec: Spec) -> tuple[Value, bool]:
    return contract(*args, spec=_batched_spec(spec, mapped)), True


class Product(Term):
    """A contraction that is a cotangent; a sum of such is one contraction of the stacked operands."""

    __slots__ = ("spec", "x", "y")

    def __init__(self, x: Value, y: Value, spec: Spec) -> None:
        self.x = x
        self.y = y
        self.spec = spec

    def value(self) -> Value:
        """The cotangent."""
        return contract(self.x, self.y, spec=self.spec)

    def kind(self) -> Hashable:
        """Spec and shapes, where to stack the operands costs no more than to add up results."""
        key = self.spec, self.x.shape, self.y.shape
        return (key, self.x.dtype) if _stacks_well(*key) else None

    def sum_with(self, others: Sequence[Product]) -> Value:
        """Sum of this one and of others of its kind."""
        if not others:
            return self.value()
        terms = (self, *others)
        x, y = stacked(*[term.x for term in terms], dim=0), stacked(*[term.y for term in terms], dim=0)
        return contract(x, y, spec=_summed_spec(self.spec))


@functools.lru_cache(maxsize=4096)
def _stacks_well(spec: Spec, x: Shape, y: Shape) -> bool:
    sizes = dict(zip(spec[0] + spec[1], x + y, strict=True))
    return math.prod(x) + math.prod(y) <= 2 * math.prod([sizes[label] for label in spec[2]])


@functools.lru_cache(maxsize=4096)
def _summed_spec(spec: Spec) -> Spec:
    label = next(fresh_labels("".join(spec)))
    return label + spec[0], label + spec[1], spec[2]


def _left_cotangent(ct: Value, y: Value, spec: Spec) -> Product:
    return Product(ct, y, (spec[2], spec[1], spec[0]))


def _right_cotangent(ct: Value, x: Value, spec: Spec) -> Product:
    return Product(x, ct, (spec[0], spec[2], spec[1]))


contract: Primitive = bilinear(
    "contract",
    _contract_impl,
    transposes=(
        lambda ct, _x, y, spec: _left_cotangent(ct, y, spec),
        lambda ct, x, _y, spec: _right_cotangent(ct, x, spec),
    ),
    batch=_contract_batch,
)


# ---- a contraction plus a term ---------------------------------------------------------------------------------------


class SumTo(Term):
    """The cotangent of what was broadcast; a sum of such is one sum over the stacked cotangents."""

    __slots__ = ("ct", "shape")

    def __init__(self, ct: Value, shape: Shape) -> None:
        self.ct = ct
        self.shape = shape

    def value(self) -> Value:
        """The cotangent."""
        return sum_to(self.ct, self.shape)

    def kind(self) -> Hashable:
        """Shapes, where the cotangents are so small that a copy costs less than calls."""
        shape = self.ct.shape
        small = shape != self.shape and math.prod(shape) <= SMALL
        return (shape, self.shape, self.ct.dtype) if small else None

    def sum_with(self, others: Sequence[SumTo]) -> Value:
        """Sum of this one and of others of its kind."""
        if not others:
            return self.value()
        return sum_to(stacked(self.ct, *[other.ct for other in others], dim=0), self.shape)


def _affine_impl(x: Array, y: Array, term: Array, spec: Spec) -> Any:
    out = _contract_impl(x, y, spec)
    out += term  # nobody else knows it
    return out


# contract(x, y, spec=spec) + term, of which the term broadcasts to the contraction: one pass less over the result.
contract_add = Primitive("contract_add", _affine_impl, "general", (frozenset({1}), frozenset({0}), NOTHING))


@contract_add.derivative
def _affine_derivative(_out: Value, x: Value, y: Value, term: Value, *, spec: Spec) -> LinearMap:
    def push(x_dot: Value | None, y_dot: Value | None, term_dot: Value | None) -> Value | None:
        return sum_of(
            None if term_dot is None else term_dot if term.shape == _out.shape else expand(term_dot, shape=_out.shape),
            None if x_dot is None else contract(x_dot, y, spec=spec),
            None if y_dot is None else contract(x, y_dot, spec=spec),
        )

    def pull(ct: Value) -> tuple[Any, ...]:
        return (
            lambda: _left_cotangent(ct, conj(y), spec),
            lambda: _right_cotangent(ct, conj(x), spec),
            lambda: SumTo(ct, term.shape),
        )

    return LinearMap(push, pull)


def _affine_pull_once(node: Any, ct: Value, _: Any) -> Sequence[Any]:
    x, y, term = node.args
    first, second, third = node.parents
    spec = node.params["spec"]
    return (
        None if first is None else _left_cotangent(ct, conj(y), spec),
        None if second is None else _right_cotangent(ct, conj(x), spec),
        None if third is None else SumTo(ct, term.shape),
    )


contract_add.pull_once = _affine_pull_once


@contract_add.batch
def _affine_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], *, spec: Spec) -> tuple[Value, bool]:
    x, y, term = args
    rank = len(spec[2])
    if mapped[2] and term.ndim <= rank:
        term = reshape(term, shape=(size, *(1,) * (rank + 1 - term.ndim), *term.shape[1:]))
    if not (mapped[0] or mapped[1]):
        return add(contract(x, y, spec=spec), term), True
    return contract_add(x, y, term, spec=_batched_spec(spec, (mapped[0], mapped[1]))), True
