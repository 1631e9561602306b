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
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tensorplay.core.blas import dot
from tensorplay.core.linear_map import LinearMap, Term
from tensorplay.core.primitive import NOTHING, Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.ops.families import FEW, add, bilinear, conj, expand, reshape, sum_of, sum_to
from tensorplay.ops.gemm import BLOCK, fill_products, outer_products, product, sum_of_products
from tensorplay.ops.many import CHEAP, fill
from tensorplay.ops.stacking import stacked

Spec = tuple[str, str, str]
TINY = 1 << 18  # multiplications that no kernel of ours is worth
MANY = 1 << 16  # elements, of which a copy is worth to be made in parts
SMALL = 1 << 12  # multiplications that are not worth a call of BLAS
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
    spread: Spread | None


class Spread(NamedTuple):
    """How the second operand lies as a stack [*lead, inner, columns] without a copy of the first one for each item."""

    x_order: tuple[int, ...]
    x_missing: tuple[int, ...]  # places of the leading dims that the first operand lacks
    y_order: tuple[int, ...]
    lead: int


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
        _spread(x, y, out, rows, inner),
    )


def _spread(x: str, y: str, out: str, rows: list[str], inner: list[str]) -> Spread | None:
    """For a result that begins with dims which the second operand has, and ends with rows and columns."""
    lead = list(itertools.takewhile(lambda label: label not in rows, out))
    columns = out[len(lead) + len(rows) :]
    if lead and rows and columns and out.startswith("".join(rows), len(lead)) and not set(columns) & set(x):
        here = [label for label in lead if label in x]
        missing = tuple([place for place, label in enumerate(lead) if label not in x])
        x_order = [x.index(label) for label in [*here, *rows, *inner]]
        return Spread(
            tuple(x_order), missing, tuple([y.index(label) for label in [*lead, *inner, *columns]]), len(lead)
        )
    return None


def _order(have: str, wanted: Sequence[str]) -> tuple[int, ...] | None:
    order = tuple([have.index(label) for label in wanted])
    return None if order == tuple(range(len(order))) else order


def _contract_impl(x: Array, y: Array, spec: Spec) -> Any:
    p = plan(spec)
    swap, x_order, y_order, batch, rows, inner, columns, out_order, spread = p
    if swap:
        x, y = y, x
    left = x if x_order is None else x.transpose(x_order)
    right = y if y_order is None else y.transpose(y_order)
    if inner == 1 and batch == 0 and rows < 2 and columns < 2:
        # the common case, with nothing to arrange
        if left.size * right.shape[-1] <= TINY:
            return np.dot(left, right)
        return product(left, right) if rows and columns else dot(left, right)
    if inner and x.size and y.size > MANY and not _folds(right, batch, inner):
        if spread is not None and _is_worth_a_stack(x, y, spread, math.prod(right.shape[batch : batch + inner])):
            return _spread_out(x, y, spread, rows, inner)
        if batch == 0 and rows and columns and right.shape[0] > 1:
            return _summed(left, right, p)
    multiply = _outer if inner == 0 else _stacked if batch else _single
    out = multiply(left, right, p)
    return out if out_order is None else out.transpose(out_order)


def _outer(x: Array, y: Array, p: Plan) -> Any:
    """An outer product is a broadcast multiply, which is quicker than a GEMM of inner size 1."""
    if p.batch and p.rows and p.columns and x.size > FEW:
        left, right = _matrices(x, 0, p.batch), _matrices(y, 0, p.batch)
        return outer_products(left, right).reshape(x.shape + y.shape[p.batch :])
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
    out = product(x, y) if p.rows and p.columns else dot(x, y)
    return out.reshape(rows + columns) if p.rows > 1 or p.columns > 1 else out


def _stacked(x: Array, y: Array, p: Plan) -> Any:
    """A stack of GEMMs."""
    left = x if p.rows == p.inner == 1 else _matrices(x, p.batch, p.rows)
    right = y if p.columns == p.inner == 1 else _matrices(y, p.batch, p.inner)
    out = product(left, right)
    if p.rows == p.columns == 1:
        return out
    return out.reshape(x.shape[: p.batch + p.rows] + y.shape[p.batch + p.inner :])


# ---- operands that are no matrices without a copy --------------------------------------------------------------------


def _folds(x: Array, batch: int, rows: int) -> bool:
    """Whether x [*batch, *rows, *columns] is a stack of matrices as it lies."""
    split = batch + rows
    return _is_one_dim(x, range(batch, split)) and _is_one_dim(x, range(split, x.ndim))


def _is_one_dim(x: Array, dims: Sequence[int]) -> bool:
    dims = [d for d in dims if x.shape[d] != 1]
    return all([x.strides[d] == x.strides[e] * x.shape[e] for d, e in itertools.pairwise(dims)])


def _is_worth_a_stack(x: Array, y: Array, spread: Spread, length: int) -> bool:
    """Whether a product of the stack, with sums of some length, is large enough for a call of BLAS."""
    sizes = [y.shape[d] for d in spread.y_order[: spread.lead]]
    shared = math.prod([n for place, n in enumerate(sizes) if place not in spread.x_missing])
    return x.size * y.size >= SMALL * shared * math.prod(sizes) * length


def _spread_out(x: Array, y: Array, spread: Spread, rows: int, inner: int) -> Any:
    """A product per item of the leading dims; what must be copied for it is copied by the thread that multiplies."""
    lead = spread.lead
    x = np.expand_dims(x.transpose(spread.x_order), spread.x_missing)
    y = y.transpose(spread.y_order)
    shape = y.shape[:lead]
    out = np.empty((*shape, *x.shape[lead : lead + rows], *y.shape[lead + inner :]), np.result_type(x, y))
    axis = max(range(lead), key=shape.__getitem__)
    x, y, places = [np.moveaxis(a, axis, 0) for a in (x, y, _matrices(out, lead, rows))]
    fill_products(
        _matrices_of(x, lead, rows),
        _matrices_of(y, lead, inner),
        places,
        places[0].size * math.prod(y.shape[lead : lead + inner]),
        None if _folds(y, lead, inner) else _step(y),
    )
    return out


def _matrices_of(x: Array, batch: int, rows: int) -> Callable[[slice], Array]:
    """The matrices of some items of x; of all, where there is one for all."""
    alike = _matrices(x, batch, rows) if len(x) == 1 else None
    return lambda at: _matrices(x[at], batch, rows) if alike is None else alike


def _summed(x: Array, y: Array, p: Plan) -> Any:
    """The sum over the first inner dim of products over the others."""
    x = np.moveaxis(x, p.rows, 0)
    out = sum_of_products(
        lambda at: _matrices(np.moveaxis(x[at], 0, p.rows), 0, p.rows),
        lambda at: _matrices(y[at], 0, p.inner),
        len(y),
        x[0].size * math.prod(y.shape[p.inner :]),
        _step(y),
    )
    out = out.reshape(x.shape[1 : p.rows + 1] + y.shape[p.inner :])
    return out if p.out_order is None else out.transpose(p.out_order)


def _step(x: Array) -> int:
    """Of how many items a copy stays in the cache."""
    return max(BLOCK * len(x) // x.size, 1)


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
    # nobody else knows it
    if out.size < 2 * CHEAP:
        out += term
    else:
        fill(np.add, (out, term), out, CHEAP)
    return out


# contract(x, y, spec=spec) + term, of which the term broadcasts to the contraction: one pass less over the result.
contract_add = Primitive(
    "contract_add", _affine_impl, "general", (frozenset({1}), frozenset({0}), NOTHING), formal=True
)


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
