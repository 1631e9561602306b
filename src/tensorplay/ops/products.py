"""Products of vectors, matrices and their stacks, by torch's names: each is one `contract`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.contraction import Spec, contract, fresh_labels
from tensorplay.ops.families import add, conj, kept_shape, mul, negative, sum_dims
from tensorplay.ops.indexing import take
from tensorplay.ops.operands import planned
from tensorplay.ops.promotion import of_one_dtype, promote
from tensorplay.ops.shape import broadcast_to, copy, one_dim, some_dims

# ---- matrix products -------------------------------------------------------------------------------------------------


def _matmul_plan(x: Shape, y: Shape) -> tuple[Primitive, dict[str, Any]] | None:
    spec, x_shape, y_shape = _matmul_layout(x, y)
    return (contract, {"spec": spec}) if x_shape is y_shape is None else None


@planned(_matmul_plan, "fc")
def matmul(input: Value, other: Value) -> Value:
    """
    Matrix product.

    Parameters
    ----------
    input, other : Tensor
        Vectors, matrices, or stacks of matrices whose leading dims broadcast. A vector is a row on the left and a
        column on the right; the result then lacks that dim.

    Returns
    -------
    Tensor
        In the common dtype.

    Raises
    ------
    RuntimeError
        If an operand is 0-d or sizes do not match.

    Examples
    --------
    >>> tp.matmul(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), tp.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    input, other = of_one_dtype("matmul", input, other)
    spec, x_shape, y_shape = _matmul_layout(input.shape, other.shape)
    if x_shape is not None:
        input = families.reshape(input, shape=x_shape)
    if y_shape is not None:
        other = families.reshape(other, shape=y_shape)
    return contract(input, other, spec=spec)


@functools.lru_cache(maxsize=4096)
def _matmul_layout(x: Shape, y: Shape) -> tuple[Spec, Shape | None, Shape | None]:
    """Spec of a product, and the operands' shapes without the dims of size 1 that the other one stretches."""
    if not x or not y:
        raise RuntimeError(f"matmul(): both operands need at least one dim, got shapes {list(x)} and {list(y)}")
    if x[-1] != y[-2:][0]:
        raise RuntimeError(
            f"matmul(): size {x[-1]} of the last dim of {list(x)} must equal size {y[-2:][0]} of dim "
            f"{max(len(y) - 2, 0)} of {list(y)}"
        )
    labels = [label for _, label in zip(range(max(len(x), len(y)) - 2), fresh_labels("XYZ"), strict=False)]
    lead_x, lead_y = x[:-2], y[:-2]
    x_kept, x_labels = _unstretched(lead_x, lead_y, labels)
    y_kept, y_labels = _unstretched(lead_y, lead_x, labels)
    out = "".join([label for label in labels if label in x_labels + y_labels])
    rows, columns = "Y" * (len(x) > 1), "Z" * (len(y) > 1)
    return (
        (x_labels + rows + "X", y_labels + "X" + columns, out + rows + columns),
        None if x_kept == lead_x else x_kept + x[-2:],
        None if y_kept == lead_y else y_kept + y[-2:],
    )


def _unstretched(lead: Shape, other: Shape, labels: Sequence[str]) -> tuple[Shape, str]:
    """Sizes and labels of leading dims, without those of size 1 that the other operand's leading dims stretch."""
    theirs = dict(zip(reversed(labels), reversed(other), strict=False))
    mine = list(zip(labels[len(labels) - len(lead) :], lead, strict=True))
    for label, length in mine:
        if length != 1 and theirs.get(label, length) not in (1, length):
            raise RuntimeError(f"matmul(): leading dims {list(lead)} and {list(other)} do not broadcast")
    kept = [(label, length) for label, length in mine if length != 1 or theirs.get(label, 1) == 1]
    return tuple([length for _, length in kept]), "".join([label for label, _ in kept])


def check_dims(name: str, **operands: tuple[Value, int]) -> None:
    """Raise unless each operand has its number of dims."""
    for operand, (value, ndim) in operands.items():
        if value.ndim != ndim:
            raise RuntimeError(f"{name}(): {operand} must have {ndim} dims, got shape {list(value.shape)}")


def check_sizes(name: str, x: Value, x_dim: int, y: Value, y_dim: int) -> None:
    """Raise unless a dim of one operand is as long as a dim of the other."""
    if x.shape[x_dim] != y.shape[y_dim]:
        raise RuntimeError(
            f"{name}(): size {x.shape[x_dim]} of dim {x_dim % x.ndim} of {list(x.shape)} must equal size "
            f"{y.shape[y_dim]} of dim {y_dim % y.ndim} of {list(y.shape)}"
        )


def _mm_plan(x: Shape, y: Shape) -> tuple[Primitive, dict[str, Any]] | None:
    return (contract, {"spec": ("ij", "jk", "ik")}) if len(x) == len(y) == 2 and x[1] == y[0] else None


@planned(_mm_plan, "fc")
def mm(input: Value, mat2: Value) -> Value:
    """
    Product of two matrices.

    Parameters
    ----------
    input : Tensor
        Of shape [n, k].
    mat2 : Tensor
        Of shape [k, m].

    Returns
    -------
    Tensor
        Of shape [n, m].

    Examples
    --------
    >>> tp.mm(tp.tensor([[1.0, 2.0]]), tp.tensor([[3.0], [4.0]]))
    tensor([[11.]])
    """
    check_dims("mm", input=(input, 2), mat2=(mat2, 2))
    check_sizes("mm", input, 1, mat2, 0)
    return contract(*of_one_dtype("mm", input, mat2), spec=("ij", "jk", "ik"))


def _bmm_plan(x: Shape, y: Shape) -> tuple[Primitive, dict[str, Any]] | None:
    fit = len(x) == len(y) == 3 and x[0] == y[0] and x[2] == y[1]
    return (contract, {"spec": ("bij", "bjk", "bik")}) if fit else None


@planned(_bmm_plan, "fc")
def bmm(input: Value, mat2: Value) -> Value:
    """
    Products of two stacks of matrices, one by one.

    Parameters
    ----------
    input : Tensor
        Of shape [b, n, k].
    mat2 : Tensor
        Of shape [b, k, m].

    Returns
    -------
    Tensor
        Of shape [b, n, m].

    Examples
    --------
    >>> tp.bmm(tp.ones(2, 1, 3), tp.ones(2, 3, 1)).shape
    tensorplay.Size([2, 1, 1])
    """
    check_dims("bmm", input=(input, 3), mat2=(mat2, 3))
    check_sizes("bmm", input, 0, mat2, 0)
    check_sizes("bmm", input, 2, mat2, 1)
    return contract(*of_one_dtype("bmm", input, mat2), spec=("bij", "bjk", "bik"))


def mv(input: Value, vec: Value) -> Value:
    """
    Product of a matrix with a vector.

    Parameters
    ----------
    input : Tensor
        Of shape [n, k].
    vec : Tensor
        Of shape [k].

    Returns
    -------
    Tensor
        Of shape [n].

    Examples
    --------
    >>> tp.mv(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), tp.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    check_dims("mv", input=(input, 2), vec=(vec, 1))
    check_sizes("mv", input, 1, vec, 0)
    return contract(*of_one_dtype("mv", input, vec), spec=("ij", "j", "i"))


# ---- vector products -------------------------------------------------------------------------------------------------


def dot(input: Value, tensor: Value) -> Value:
    """
    Sum of the products of the elements of two vectors; nothing is conjugated.

    Parameters
    ----------
    input, tensor : Tensor
        Of shape [n].

    Returns
    -------
    Tensor
        0-d.

    Examples
    --------
    >>> tp.dot(tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0]))
    tensor(11.)
    """
    check_dims("dot", input=(input, 1), tensor=(tensor, 1))
    check_sizes("dot", input, 0, tensor, 0)
    return contract(*of_one_dtype("dot", input, tensor), spec=("i", "i", ""))


def vdot(input: Value, other: Value) -> Value:
    """
    Inner product of two vectors: like `dot`, with the first one conjugated.

    Parameters
    ----------
    input, other : Tensor
        Of shape [n].

    Returns
    -------
    Tensor
        0-d.

    Examples
    --------
    >>> tp.vdot(tp.tensor([1j]), tp.tensor([1j]))
    tensor(1.+0.j)
    """
    check_dims("vdot", input=(input, 1), other=(other, 1))
    check_sizes("vdot", input, 0, other, 0)
    input, other = of_one_dtype("vdot", input, other)
    return contract(conj(input), other, spec=("i", "i", ""))


def vecdot(x: Value, y: Value, *, dim: int = -1) -> Value:
    """
    Inner products of vectors along a dim; the first operand is conjugated.

    Parameters
    ----------
    x, y : Tensor
        Their shapes broadcast.
    dim : int, default -1
        Of the broadcast shape.

    Returns
    -------
    Tensor
        The broadcast shape without `dim`.

    Examples
    --------
    >>> tp.linalg.vecdot(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), tp.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    x, y = of_one_dtype("linalg.vecdot", x, y)
    shape = broadcast_shape("linalg.vecdot", x.shape, y.shape)
    axis = one_dim(dim, len(shape), "linalg.vecdot") - len(shape)
    if -axis > min(x.ndim, y.ndim) or x.shape[axis] != y.shape[axis]:
        return sum_dims(mul(conj(x), y), dims=(axis + len(shape),))
    spec, x_shape, y_shape = _vecdot_layout(x.shape, y.shape, axis)
    return contract(families.reshape(conj(x), shape=x_shape), families.reshape(y, shape=y_shape), spec=spec)


@functools.lru_cache(maxsize=4096)
def _vecdot_layout(x: Shape, y: Shape, axis: int) -> tuple[Spec, Shape, Shape]:
    """Spec of inner products along a negative axis, and the operands' shapes without stretched dims."""
    labels = [label for _, label in zip(range(max(len(x), len(y))), fresh_labels(""), strict=False)]
    x_kept, x_labels = _unstretched(x, y, labels)
    y_kept, y_labels = _unstretched(y, x, labels)
    out = "".join([a for i, a in enumerate(labels) if i != axis + len(labels) and a in x_labels + y_labels])
    return (x_labels, y_labels, out), x_kept, y_kept


def broadcast_shape(name: str, x: Shape, y: Shape) -> Shape:
    """The shape to which two shapes broadcast."""
    rank = max(len(x), len(y))
    wide_x, wide_y = (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y
    if any([n != m and 1 not in (n, m) for n, m in zip(wide_x, wide_y, strict=True)]):
        raise RuntimeError(f"{name}(): shapes {list(x)} and {list(y)} do not broadcast")
    return tuple([m if n == 1 else n for n, m in zip(wide_x, wide_y, strict=True)])


def inner(input: Value, other: Value) -> Value:
    """
    Sums of products along the last dims of two tensors; nothing is conjugated.

    Parameters
    ----------
    input, other : Tensor
        With last dims of equal size; a 0-d tensor multiplies the other one.

    Returns
    -------
    Tensor
        Of shape ``input.shape[:-1] + other.shape[:-1]``.

    Examples
    --------
    >>> tp.inner(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), tp.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    if input.ndim == 0 or other.ndim == 0:
        return mul(*promote(input, other))
    input, other = of_one_dtype("inner", input, other)
    check_sizes("inner", input, -1, other, -1)
    return contract(input, other, spec=_tensordot_spec(input.ndim, other.ndim, (input.ndim - 1,), (other.ndim - 1,)))


def outer(input: Value, vec2: Value) -> Value:
    """
    Products of all pairs of elements of two vectors; nothing is conjugated.

    Parameters
    ----------
    input : Tensor
        Of shape [n].
    vec2 : Tensor
        Of shape [m].

    Returns
    -------
    Tensor
        Of shape [n, m].

    Examples
    --------
    >>> tp.outer(tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check_dims("outer", input=(input, 1), vec2=(vec2, 1))
    return contract(*promote(input, vec2), spec=("i", "j", "ij"))


def cross(input: Value, other: Value, dim: int | None = None) -> Value:
    """
    Cross products of vectors of three elements.

    Parameters
    ----------
    input, other : Tensor
        Their shapes broadcast.
    dim : int, optional
        Along which the vectors lie; by default the first dim of size 3.

    Returns
    -------
    Tensor
        The broadcast shape.

    Examples
    --------
    >>> tp.cross(tp.tensor([1.0, 0.0, 0.0]), tp.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if dim is None:
        shape = broadcast_shape("cross", input.shape, other.shape)
        if 3 not in shape:
            raise RuntimeError(f"cross(): no dim of size 3 in shape {list(shape)}")
        dim = shape.index(3)
    return _cross("cross", input, other, dim)


def linalg_cross(input: Value, other: Value, *, dim: int = -1) -> Value:
    """
    Cross products of vectors of three elements.

    Parameters
    ----------
    input, other : Tensor
        Of the same number of dims; their shapes broadcast.
    dim : int, default -1
        Along which the vectors lie.

    Returns
    -------
    Tensor
        The broadcast shape.

    Examples
    --------
    >>> tp.linalg.cross(tp.tensor([1.0, 0.0, 0.0]), tp.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if input.ndim != other.ndim:
        raise RuntimeError(
            f"linalg.cross(): both operands need the same number of dims, got {list(input.shape)} and "
            f"{list(other.shape)}"
        )
    return _cross("linalg.cross", input, other, dim)


def _cross(name: str, x: Value, y: Value, dim: int) -> Value:
    x, y = of_one_dtype(name, x, y)
    shape = broadcast_shape(name, x.shape, y.shape)
    axis = one_dim(dim, len(shape), name)
    lengths = [value.shape[axis - len(shape)] if value.ndim >= len(shape) - axis else 1 for value in (x, y)]
    if lengths != [3, 3]:
        raise RuntimeError(f"{name}(): dim {dim} must have size 3, got {list(x.shape)} and {list(y.shape)}")
    x, y = broadcast_to(x, shape), broadcast_to(y, shape)
    one_on, two_on = np.array([1, 2, 0]), np.array([2, 0, 1])
    forward = mul(take(x, one_on, start=axis), take(y, two_on, start=axis))
    return add(forward, negative(mul(take(x, two_on, start=axis), take(y, one_on, start=axis))))


# ---- products of tensors ---------------------------------------------------------------------------------------------


def tensordot(a: Value, b: Value, dims: Any = 2) -> Value:
    """
    Sum of products over pairs of dims of two tensors.

    Parameters
    ----------
    a, b : Tensor
        Of any shapes.
    dims : int or pair of sequences of int, default 2
        The dims of `a` and of `b` to sum over, pair by pair; an int n means the last n of `a` and the first n of `b`.

    Returns
    -------
    Tensor
        The remaining dims of `a`, then those of `b`.

    Examples
    --------
    >>> tp.tensordot(tp.ones(2, 3), tp.ones(3, 4), dims=1).shape
    tensorplay.Size([2, 4])
    """
    a, b = of_one_dtype("tensordot", a, b)
    a_dims, b_dims = _tensordot_dims(a, b, dims)
    for i, j in zip(a_dims, b_dims, strict=True):
        if a.shape[i] == b.shape[j]:
            continue
        if 1 not in (a.shape[i], b.shape[j]):
            check_sizes("tensordot", a, i, b, j)
        a, b = _shrunk(a, i, b.shape[j]), _shrunk(b, j, a.shape[i])
    return contract(a, b, spec=_tensordot_spec(a.ndim, b.ndim, a_dims, b_dims))


def _shrunk(value: Value, dim: int, partner: int) -> Value:
    """`value` summed along a dim, kept with size 1, where the partner that it is summed against has size 1."""
    if partner != 1 or value.shape[dim] == 1:
        return value
    return families.reshape(sum_dims(value, dims=(dim,)), shape=kept_shape(value.shape, (dim,)))


def _tensordot_dims(a: Value, b: Value, dims: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot(): dims must be between 0 and the operands' number of dims, got {dims} for shapes "
                f"{list(a.shape)} and {list(b.shape)}"
            )
        return tuple(range(a.ndim - dims, a.ndim)), tuple(range(dims))
    first, second = [(d,) if isinstance(d, int) else tuple(d) for d in dims]
    if len(first) != len(second):
        raise RuntimeError(f"tensordot(): dims must pair up, got {shown(first)} and {shown(second)}")
    return _named_dims(first, a), _named_dims(second, b)


def _named_dims(dims: tuple[int, ...], value: Value) -> tuple[int, ...]:
    return some_dims(dims, value.ndim, "tensordot") if dims else ()


@functools.lru_cache(maxsize=1024)
def _tensordot_spec(a_ndim: int, b_ndim: int, a_dims: tuple[int, ...], b_dims: tuple[int, ...]) -> Spec:
    labels = fresh_labels("")
    x = [next(labels) for _ in range(a_ndim)]
    y = [next(labels) for _ in range(b_ndim)]
    for i, j in zip(a_dims, b_dims, strict=True):
        y[j] = x[i]
    kept = [label for i, label in enumerate(x) if i not in a_dims] + [
        label for j, label in enumerate(y) if j not in b_dims
    ]
    return "".join(x), "".join(y), "".join(kept)


def kron(input: Value, other: Value) -> Value:
    """
    Kronecker product: each element of `input` times the whole of `other`.

    Parameters
    ----------
    input, other : Tensor
        Of any shapes; the shorter one gets leading dims of size 1.

    Returns
    -------
    Tensor
        Each dim as long as the product of the operands' dims.

    Examples
    --------
    >>> tp.kron(tp.eye(2), tp.tensor([[1.0, 2.0]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    x, y = promote(input, other)
    rank = max(x.ndim, y.ndim)
    x_shape, y_shape = [(1,) * (rank - value.ndim) + value.shape for value in (x, y)]
    wide = families.reshape(x, shape=tuple([n for size in x_shape for n in (size, 1)]))  # [n1, 1, n2, 1, ...]
    tall = families.reshape(y, shape=tuple([n for size in y_shape for n in (1, size)]))  # [1, m1, 1, m2, ...]
    return families.reshape(mul(wide, tall), shape=tuple([n * m for n, m in zip(x_shape, y_shape, strict=True)]))


def multi_dot(tensors: Sequence[Value]) -> Value:
    """
    Product of several matrices, multiplied in the order that costs least.

    Parameters
    ----------
    tensors : sequence of Tensor
        At least two; matrices, but the first and the last may be vectors (a row and a column).

    Returns
    -------
    Tensor
        The product, without the dims that a vector lacks.

    Examples
    --------
    >>> tp.linalg.multi_dot([tp.ones(2, 3), tp.ones(3, 4), tp.ones(4)])
    tensor([12., 12.])
    """
    if len(tensors) < 2:
        raise RuntimeError(f"linalg.multi_dot(): expected at least 2 tensors, got {len(tensors)}")
    for i, tensor in enumerate(tensors):
        if tensor.ndim not in ((1, 2) if i in (0, len(tensors) - 1) else (2,)):
            raise RuntimeError(f"linalg.multi_dot(): tensor {i} must be a matrix, got shape {list(tensor.shape)}")
    return _chain(of_one_dtype("linalg.multi_dot", *tensors))


def _chain(factors: Sequence[Value]) -> Value:
    lengths = [factors[0].shape[0] if factors[0].ndim == 2 else 1]
    lengths += [factor.shape[-1] if factor.ndim == 2 else 1 for factor in factors]
    cuts = _cheapest_cuts(tuple(lengths))

    def product(first: int, last: int) -> Value:
        if first == last:
            return factors[first]
        cut = cuts[first, last]
        return matmul(product(first, cut), product(cut + 1, last))

    return product(0, len(factors) - 1)


@functools.lru_cache(maxsize=256)
def _cheapest_cuts(lengths: Shape) -> dict[tuple[int, int], int]:
    """Where to cut each run of factors in two, so that the number of multiplications is least; factor i is [i, i+1]."""
    count = len(lengths) - 1
    cost = {(i, i): 0 for i in range(count)}
    cuts: dict[tuple[int, int], int] = {}
    for width in range(1, count):
        for i in range(count - width):
            j = i + width
            costs = [
                (cost[i, cut] + cost[cut + 1, j] + lengths[i] * lengths[cut + 1] * lengths[j + 1], cut)
                for cut in range(i, j)
            ]
            cost[i, j], cuts[i, j] = min(costs)
    return cuts


def chain_matmul(*matrices: Value) -> Value:
    """
    Product of several matrices, multiplied in the order that costs least.

    Parameters
    ----------
    *matrices : Tensor
        At least one matrix.

    Returns
    -------
    Tensor
        The product.

    Examples
    --------
    >>> tp.chain_matmul(tp.ones(2, 3), tp.ones(3, 4), tp.ones(4, 1))
    tensor([[12.],
            [12.]])
    """
    if len(matrices) == 1 and isinstance(matrices[0], list | tuple):
        matrices = tuple(matrices[0])
    if not matrices:
        raise ValueError("chain_matmul(): expected at least one matrix")
    for i, matrix in enumerate(matrices):
        if matrix.ndim != 2:
            raise RuntimeError(f"chain_matmul(): operand {i} must be a matrix, got shape {list(matrix.shape)}")
    return _chain(of_one_dtype("chain_matmul", *matrices)) if len(matrices) > 1 else copy(matrices[0])
