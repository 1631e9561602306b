"""
Five forms of primitive. State a derivative once; the family derives push, pull and, where it can, batching.

The last section holds the few ops that the derived rules themselves call, so that no circle of imports arises.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap, Term
from tensorplay.core.primitive import MANY, Primitive
from tensorplay.core.value import Shape, Value, ndim_of, shape_of
from tensorplay.ops.kernels import keeps_zeros, product
from tensorplay.ops.many import in_pieces
from tensorplay.ops.totals import sum_over

Partial = Callable[..., Value] | float | None
Product = Callable[[Any, Any], Any]  # of two arrays
FEW = 256  # elements; on so few, calls cost more than passes over memory
OUT = -1  # position of the output in `Primitive.reads`
_ALL_OTHERS = frozenset(range(1, 65))


# ---- elementwise -----------------------------------------------------------------------------------------------------


class ElementwiseMap(LinearMap):
    """Each argument's tangent is scaled by that argument's partial, which is evaluated when first needed and kept."""

    __slots__ = ("args", "out", "partials", "weights")

    def __init__(self, partials: Sequence[Partial], out: Value, *args: Value) -> None:
        self.partials = partials
        self.out = out
        self.args = args
        self.weights: list[Value] = [None] * len(partials)

    def weight(self, position: int) -> Value:
        """The partial with respect to one argument."""
        weight = self.weights[position]
        if weight is None:
            partial = self.partials[position]
            weight = partial(self.out, *self.args) if callable(partial) else partial
            self.weights[position] = weight
        return weight

    def push(self, *tangents: Value | None) -> Value | None:
        """Sum of the scaled tangents, in the output's shape."""
        total = None
        for position, tangent in enumerate(tangents):
            if tangent is not None and self.partials[position] is not None:
                term = _scaled(tangent, self.weight(position))
                total = term if total is None else add(total, term)
        if total is None or total.shape == self.out.shape:
            return total
        return expand(total, shape=self.out.shape)

    def pull_wanted(self, ct: Value, wanted: Sequence[Any]) -> Sequence[Value | None]:
        """The scaled cotangents, each summed back over what was broadcast."""
        return [
            None
            if w is None or self.partials[position] is None
            else _pulled(product, ct, self.weight(position), self.args[position].shape)
            for position, w in enumerate(wanted)
        ]


def _pulled(times: Product, ct: Value, weight: Value, shape: Shape) -> Value:
    """The cotangent of one argument of that shape, given its partial; `times` is the kernel of `scale` for few."""
    if weight.__class__ is np.ndarray and ct.__class__ is np.ndarray and ct.ndim and ct.size <= MANY:
        ct = times(ct, weight if weight.dtype.kind != "c" else weight.conj())
    elif weight.__class__ is not float and weight.__class__ is not int:
        ct = scale(ct, conj(weight))
    elif weight != 1:
        ct = negative(ct) if weight == -1 else (mul if weight else scale)(ct, weight)
    return ct if ct.shape == shape else sum_to(ct, shape)


def _scaled(value: Value, weight: Value) -> Value:
    if weight.__class__ in (int, float):
        return value if weight == 1 else negative(value) if weight == -1 else (mul if weight else scale)(value, weight)
    return scale(value, weight)


def _pull_once(partials: Sequence[Partial]) -> Callable[[Any, Value, Product], Sequence[Value | None]]:
    """Cotangents of an elementwise op whose derivative is used once: no weight is kept."""
    computed = [partial for partial in partials if callable(partial)]

    def pull_unary(node: Any, ct: Value, times: Product) -> Sequence[Value | None]:
        (x,) = node.args
        return (_pulled(times, ct, computed[0](node.out, x), x.shape),)

    def pull_binary(node: Any, ct: Value, times: Product) -> Sequence[Value | None]:
        x, y = args = node.args
        first, second = node.parents
        return (
            None if first is None else _pulled(times, ct, computed[0](node.out, *args), x.shape),
            None if second is None else _pulled(times, ct, computed[1](node.out, *args), y.shape),
        )

    def pull_any(node: Any, ct: Value, times: Product) -> Sequence[Value | None]:
        return [
            None
            if parent is None or partial is None
            else _pulled(times, ct, partial(node.out, *node.args) if callable(partial) else partial, arg.shape)
            for partial, parent, arg in zip(partials, node.parents, node.args, strict=True)
        ]

    if len(partials) == len(computed) <= 2:
        return (pull_unary, pull_binary)[len(partials) - 1]
    return pull_any


def elementwise(name: str, impl: Callable[..., Any], partials: Sequence[Partial] | None) -> Primitive:
    """
    A primitive that acts on each element, with NumPy's broadcasting.

    `partials` holds, per argument, ``partial(out, *args)``, a number, or None where there is no dependence; `partials`
    itself is None for an op that is constant almost everywhere. A parameter whose name starts with an underscore is not
    read, and what no partial reads is not kept for the derivative.
    """
    prim = Primitive(
        name, impl, "elementwise", _reads(partials or ()), differentiable=partials is not None, many=in_pieces(impl)
    )
    if partials is not None:
        prim.derivative(functools.partial(ElementwiseMap, partials))
        prim.pull_once = _pull_once(partials)
        prim.arity = len(partials) if len(partials) < 3 else 0
    prim.batch(lambda size, args, mapped: (prim(*align_ranks(args, mapped)), True))
    return prim


def _reads(partials: Sequence[Partial]) -> tuple[frozenset[int], ...]:
    return tuple([_read_by(partial) for partial in partials])


def _read_by(partial: Partial) -> frozenset[int]:
    if not callable(partial):
        return frozenset()
    parameters = list(inspect.signature(partial).parameters.values())
    if parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        raise TypeError("a partial names its parameters: (out, *args)")
    return frozenset(i + OUT for i, p in enumerate(parameters) if not p.name.startswith("_"))


def align_ranks(args: Sequence[Value], mapped: Sequence[bool]) -> Sequence[Value]:
    """Arguments with dims of size 1 after the batch dim, so that samples broadcast against each other's ends."""
    if len(args) == 1 or (len(args) == 2 and all(mapped) and args[0].ndim == args[1].ndim):
        return args
    rank = max([ndim_of(arg) - here for arg, here in zip(args, mapped, strict=True)])
    return [
        reshape(arg, shape=(arg.shape[0], *(1,) * (rank + 1 - arg.ndim), *arg.shape[1:]))
        if here and arg.ndim <= rank
        else arg
        for arg, here in zip(args, mapped, strict=True)
    ]


def all_mapped(size: int, args: Sequence[Value], mapped: Sequence[bool]) -> list[Value]:
    """Arguments that all have a batch dim: what the samples share is repeated along it, without a copy."""
    return [arg if here else expand(arg, shape=(size, *arg.shape)) for arg, here in zip(args, mapped, strict=True)]


# ---- reduction -------------------------------------------------------------------------------------------------------


Weight = Callable[[Value, Value, tuple[int, ...]], Value]


class ReductionMap(LinearMap):
    """Tangents are weighted and summed, cotangents spread by the same weights, which are evaluated once."""

    __slots__ = ("_weight", "_weights", "dims", "out", "x")

    def __init__(self, weight: Weight | None, out: Value, x: Value, *, dims: tuple[int, ...]) -> None:
        self._weight = weight
        self._weights: Value = None
        self.out = out
        self.x = x
        self.dims = dims

    def weights(self) -> Value:
        """Derivative of the result with respect to each element, in the shape of x."""
        if self._weights is None:
            assert self._weight is not None
            self._weights = self._weight(self.out, self.x, self.dims)
        return self._weights

    def push(self, x_dot: Value) -> Value:
        """Weighted sum of the tangent."""
        return sum_dims(x_dot if self._weight is None else scale(x_dot, self.weights()), dims=self.dims)

    def pull(self, ct: Value) -> tuple[Value]:
        """The cotangent, weighted, along the dims that were dropped."""
        if self._weight is None:
            return (unreduce(ct, self.x.shape, self.dims),)
        return (scale(reshape(ct, shape=kept_shape(self.x.shape, self.dims)), conj(self.weights())),)


def reduction(
    name: str,
    impl: Callable[..., Any],
    weight: Weight | None,
    *,
    differentiable: bool = True,
) -> Primitive:
    """
    A primitive ``op(x, dims=...)`` that combines the elements along `dims`, which it drops.

    ``weight(out, x, dims)`` is the derivative of the result with respect to each element, in the shape of x; None means
    one everywhere.
    """
    reads = (frozenset() if weight is None else frozenset({OUT, 0}),)
    prim = Primitive(name, impl, "reduction", reads, differentiable)

    if differentiable:
        prim.derivative(functools.partial(ReductionMap, weight))
        if weight is None:
            prim.pull_once = lambda node, ct, _: (unreduce(ct, node.args[0].shape, **node.params),)
    prim.batch(lambda size, args, mapped, dims: (prim(args[0], dims=tuple([d + 1 for d in dims])), True))
    return prim


def kept_shape(shape: Shape, dims: tuple[int, ...]) -> Shape:
    """`shape` with size 1 along `dims`."""
    return tuple([1 if i in dims else n for i, n in enumerate(shape)])


def unreduce(value: Value, shape: Shape, dims: tuple[int, ...]) -> Value:
    """`value`, which lacks `dims`, repeated along them to `shape`."""
    if value.ndim == 0:
        return (spread if math.prod(shape) <= FEW else expand)(value, shape=shape) if shape else value
    return expand(reshape(value, shape=kept_shape(shape, dims)), shape=shape)


# ---- structural ------------------------------------------------------------------------------------------------------


def structural(
    name: str,
    impl: Callable[..., Any],
    transpose: Callable[..., Value],
    batch: Callable[..., tuple[Any, Any]],
) -> Primitive:
    """
    A primitive that is linear in its first argument; any others (indices, masks) are not differentiated.

    ``transpose(ct, x, *others, **params)`` takes a cotangent back; of `x` only shape and dtype may be used.
    """
    prim = Primitive(name, impl, "structural", (_ALL_OTHERS,))

    def derivative(out: Value, x: Value, *rest: Value, **params: Any) -> LinearMap:
        def push(x_dot: Value | None, *_: Value | None) -> Value | None:
            return None if x_dot is None else prim(x_dot, *rest, **params)

        def pull(ct: Value) -> tuple[Value | None, ...]:
            return (transpose(ct, x, *rest, **params), *(None,) * len(rest))

        return LinearMap(push, pull)

    prim.derivative(derivative)
    prim.batch(batch)
    return prim


# ---- bilinear --------------------------------------------------------------------------------------------------------


def bilinear(
    name: str,
    impl: Callable[..., Any],
    transposes: tuple[Callable[..., Value | Term], Callable[..., Value | Term]],
    batch: Callable[..., tuple[Any, Any]],
) -> Primitive:
    """
    A primitive that is linear in each of two arguments.

    ``transposes[0](ct, x, y, **params)`` takes a cotangent back to x and reads y, of x only shape and dtype;
    ``transposes[1]`` the other way round; either may give a `Term`. Cotangents of complex operands are
    conjugate-linear: the family conjugates.
    """
    prim = Primitive(name, impl, "bilinear", (frozenset({1}), frozenset({0})))

    def derivative(out: Value, x: Value, y: Value, **params: Any) -> LinearMap:
        def push(x_dot: Value | None, y_dot: Value | None) -> Value | None:
            left = None if x_dot is None else prim(x_dot, y, **params)
            right = None if y_dot is None else prim(x, y_dot, **params)
            return sum_of(left, right)

        def pull(ct: Value) -> tuple[Any, ...]:
            return (
                lambda: transposes[0](ct, x, conj(y), **params),
                lambda: transposes[1](ct, conj(x), y, **params),
            )

        return LinearMap(push, pull)

    def pull_once(node: Any, ct: Value, _: Product) -> Sequence[Any]:
        x, y = node.args
        first, second = node.parents
        return (
            None if first is None else transposes[0](ct, x, conj(y), **node.params),
            None if second is None else transposes[1](ct, conj(x), y, **node.params),
        )

    prim.derivative(derivative)
    prim.pull_once = pull_once
    prim.batch(batch)
    return prim


def sum_of(*terms: Value | None) -> Value | None:
    """Sum of tangents or cotangents, of which None is zero."""
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else add(total, term)
    return total


# ---- the ops that derived rules call -------------------------------------------------------------------------------


add = elementwise("add", np.add, [1, 1])
mul = elementwise("mul", np.multiply, [lambda _out, _x, y: y, lambda _out, x, _y: x])
negative = elementwise("neg", np.negative, [-1])


# The product of a (co)tangent with a local derivative, in which zero wins over infinity and NaN: what a branch that was
# not taken would have given counts for nothing, in either mode.
scale = elementwise("scale", product, [lambda _out, _x, y: y, lambda _out, x, _y: x])
_with_a_look = scale.many
scale.many = lambda x, y: (mul.many if keeps_zeros(y) else _with_a_look)(x, y)


def _structural_conj() -> Primitive:
    prim = Primitive("conj", np.conjugate, "elementwise", (frozenset(),))

    def derivative(_out: Value, _x: Value) -> LinearMap:
        return LinearMap(lambda x_dot: conj(x_dot), lambda ct: (conj(ct),))

    prim.derivative(derivative)
    prim.batch(lambda size, args, mapped: (prim(args[0]), True))
    return prim


_conj = _structural_conj()


def conj(value: Value) -> Value:
    """Complex conjugate; a real value is returned as it is."""
    if value.__class__ is complex:
        return value.conjugate()
    return _conj(value) if hasattr(value, "dtype") and value.dtype.kind == "c" else value


sum_dims = reduction("sum", sum_over, weight=None)

reshape = structural(
    "reshape",
    lambda x, shape: np.reshape(x, shape),
    transpose=lambda ct, x, shape: reshape(ct, shape=x.shape),
    batch=lambda size, args, mapped, shape: (reshape(args[0], shape=(size, *shape)), True),
)


def _expand_batch(size: int, args: Sequence[Value], mapped: Sequence[bool], shape: Shape) -> tuple[Value, bool]:
    (x,) = args
    lifted = reshape(x, shape=(size, *(1,) * (len(shape) + 1 - x.ndim), *x.shape[1:]))
    return expand(lifted, shape=(size, *shape)), True


def _expand_impl(x: Any, shape: Shape) -> Any:
    if not x.flags.c_contiguous:
        view = np.broadcast_to(x, shape)
        return x.reshape(shape) if view.size == x.size else view
    # the same view in a fifth of the time
    lead = len(shape) - x.ndim
    strides = [0] * lead
    for size, wanted, stride in zip(x.shape, shape[lead:], x.strides, strict=True):
        strides.append(stride if size == wanted else 0)
    view = np.ndarray(shape, x.dtype, x, 0, strides)
    if view.size > x.size:
        view.flags.writeable = False
    return view


expand = structural(
    "expand",
    _expand_impl,
    transpose=lambda ct, x, shape: sum_to(ct, x.shape),
    batch=_expand_batch,
)


def _spread_impl(x: Any, shape: Shape) -> Any:
    filled = np.empty(shape, x.dtype)
    filled.fill(x)
    return filled


# a single element repeated: as `expand`, but few elements, which are quicker filled than viewed
spread = structural(
    "spread",
    _spread_impl,
    transpose=lambda ct, x, shape: sum_to(ct, x.shape),
    batch=_expand_batch,
)

permute = structural(
    "permute",
    lambda x, dims: x.transpose(dims),
    transpose=lambda ct, x, dims: permute(ct, dims=inverse_permutation(dims)),
    batch=lambda size, args, mapped, dims: (permute(args[0], dims=(0, *[d + 1 for d in dims])), True),
)


def inverse_permutation(dims: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes `dims`."""
    inverse = [0] * len(dims)
    for to, come_from in enumerate(dims):
        inverse[come_from] = to
    return tuple(inverse)


def sum_to(value: Value, shape: Shape) -> Value:
    """`value` summed over the dims along which `shape` was broadcast to it."""
    have = shape_of(value)
    if have == shape:
        return value
    lead = len(have) - len(shape)
    dims = tuple([i for i, n in enumerate(have) if i < lead or (shape[i - lead] == 1 and n != 1)])
    out = sum_dims(value, dims=dims) if dims else value
    return out if out.shape == shape else reshape(out, shape=shape)
