"""Normalisation: of layers, batches, groups and instances, by the root mean square, and to unit length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.linear_map import LinearMap
from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arithmetic import add, div, mul
from tensorplay.ops.comparison import clamp_min
from tensorplay.ops.exponential import pow, rsqrt
from tensorplay.ops.families import OUT, elementwise, kept_shape, permute, reshape
from tensorplay.ops.kernels import product
from tensorplay.ops.norms import vector_norm
from tensorplay.ops.promotion import cast, promote, wide
from tensorplay.ops.rowwise import by_rows
from tensorplay.ops.shape import detach
from tensorplay.ops.sums import mean
from tensorplay.ops.totals import sum_over
from tensorplay.ops.windows import Windows, window_sum

# ---- standardize -----------------------------------------------------------------------------------------------------
#
# `standardize(x, dims=, eps=)` gives y = (x - m) / sqrt(v + eps) with the mean m and the (biased) variance v of x over
# `dims`, and m and v themselves, with size 1 along `dims`. With r = 1 / sqrt(v + eps), a tangent t of x gives
# r·(t - mean(t) - y·mean(y·t)), mean(t) and 2·mean(y·t) / r; the first map is its own transpose.


def _mean_over(x: Any, dims: tuple[int, ...]) -> Any:
    count = math.prod([x.shape[d] for d in dims])
    return sum_over(x, dims, keep=True) / x.dtype.type(count)


def _standardize_impl(x: Any, dims: tuple[int, ...], eps: float) -> Any:
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    mean = _mean_over(wide, dims)
    out = wide - mean
    var = _mean_over(np.square(out), dims)
    out *= 1 / np.sqrt(var + wide.dtype.type(eps))
    return tuple([each.astype(x.dtype, copy=False) for each in (out, mean, var)])


standardize = Primitive(
    "standardize", _standardize_impl, "general", (frozenset({OUT}),), many=by_rows(_standardize_impl), formal=True
)


@standardize.derivative
def _standardize_derivative(outs: Any, x: Value, *, dims: tuple[int, ...], eps: float) -> LinearMap:
    y, _, var = outs
    weight = _share(x.shape, dims)
    kept: list[Value] = []

    def r() -> Value:
        if not kept:
            kept.append(rsqrt(families.add(var, eps)))
        return kept[0]

    def push(x_dot: Value) -> tuple[Value, ...]:
        along = _average(families.mul(y, x_dot), dims)
        return _project(x_dot, y, r(), dims=dims), _average(x_dot, dims), div(families.mul(along, 2.0), r())

    def pull(cts: Any) -> tuple[Value | None]:
        ct, ct_mean, ct_var = cts
        parts = [
            None if ct is None else _project(ct, y, r(), dims=dims),
            None if ct_mean is None else families.expand(families.mul(ct_mean, weight), shape=x.shape),
            None if ct_var is None else families.mul(y, div(families.mul(ct_var, 2.0 * weight), r())),
        ]
        return (families.sum_of(*parts),)

    return LinearMap(push, pull)


@standardize.batch
def _standardize_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...], eps: float
) -> tuple[Any, bool]:
    return standardize(args[0], dims=tuple([d + 1 for d in dims]), eps=eps), True


def _share(shape: Shape, dims: tuple[int, ...]) -> float:
    count = math.prod([shape[d] for d in dims])
    return 1.0 / count if count else 0.0


def _average(value: Value, dims: tuple[int, ...]) -> Value:
    sums = families.sum_dims(value, dims=dims)
    return families.mul(reshape(sums, shape=kept_shape(value.shape, dims)), _share(value.shape, dims))


def _project_impl(vector: Any, y: Any, r: Any, dims: tuple[int, ...]) -> Any:
    share = vector.dtype.type(_share(vector.shape, dims))
    out = np.asarray(vector * y)
    along = sum_over(out, dims, keep=True) * share
    np.multiply(y, along, out=out)
    np.subtract(vector, out, out=out)
    out -= sum_over(vector, dims, keep=True) * share
    return product(out, r)


# r·(vector - mean(vector) - y·mean(y·vector)): the part of a (co)tangent that no change of x by a constant, or by a
# multiple of y, makes.
_project = Primitive("standardize_derivative", _project_impl, many=by_rows(_project_impl), formal=True)


@_project.derivative
def _project_derivative(_out: Value, vector: Value, y: Value, r: Value, *, dims: tuple[int, ...]) -> LinearMap:
    def along(value: Value) -> Value:
        return _average(families.mul(y, value), dims)

    def rest() -> Value:
        centred = families.add(vector, families.negative(_average(vector, dims)))
        return families.add(centred, families.negative(families.mul(y, along(vector))))

    def push(vector_dot: Value | None, y_dot: Value | None, r_dot: Value | None) -> Value | None:
        moved = None
        if y_dot is not None:
            turned = families.mul(y, _average(families.mul(y_dot, vector), dims))
            moved = families.scale(families.add(families.mul(y_dot, along(vector)), turned), families.negative(r))
        return families.sum_of(
            None if vector_dot is None else _project(vector_dot, y, r, dims=dims),
            moved,
            None if r_dot is None else families.scale(rest(), r_dot),
        )

    def pull_y(ct: Value) -> Value:
        scaled = families.scale(ct, r)
        turned = families.mul(vector, along(scaled))
        return families.negative(families.add(families.mul(scaled, along(vector)), turned))

    def pull(ct: Value) -> tuple[Any, ...]:
        return (
            lambda: _project(ct, y, r, dims=dims),
            lambda: pull_y(ct),
            lambda: families.sum_to(families.scale(ct, rest()), r.shape),
        )

    return LinearMap(push, pull)


@_project.batch
def _project_batch(
    size: int, args: Sequence[Value], mapped: Sequence[bool], *, dims: tuple[int, ...]
) -> tuple[Value, bool]:
    return _project(*families.all_mapped(size, args, mapped), dims=tuple([d + 1 for d in dims])), True


# ---- arguments -------------------------------------------------------------------------------------------------------


def _check_floating(name: str, input: Value) -> None:
    if input.dtype.kind != "f":
        raise RuntimeError(f"{name}(): input must be floating-point, got {input.dtype}")


def _check_channels(name: str, count: int, **values: Value | None) -> None:
    for title, value in values.items():
        if value is not None and value.shape != (count,):
            raise RuntimeError(
                f"{name}(): {title} must have shape [{count}], one element a channel of input, got {list(value.shape)}"
            )


def _per_channel(value: Value, ndim: int) -> Value:
    """A value of shape [channels] as it broadcasts against [batch, channels, *spatial]."""
    return reshape(value, shape=(value.shape[0], *(1,) * (ndim - 2)))


def _scaled_and_shifted(x: Any, weight: Any, bias: Any) -> Any:
    out = x * weight
    return np.add(out, bias, out=out if out.ndim and np.broadcast(out, bias).shape == out.shape else None)


# x · weight + bias: one op, and one pass less over its result
_scale_shift = elementwise(
    "scale_shift",
    _scaled_and_shifted,
    [lambda _out, _x, weight, _bias: weight, lambda _out, x, _weight, _bias: x, 1],
)


def _affine(value: Value, weight: Value | None, bias: Value | None) -> Value:
    if weight is not None and bias is not None and value.dtype is weight.dtype is bias.dtype:
        return _scale_shift(value, weight, bias)
    if weight is not None:
        value = families.mul(*promote(value, weight))
    return value if bias is None else families.add(*promote(value, bias))


def _channel_affine(value: Value, weight: Value | None, bias: Value | None) -> Value:
    return _affine(value, *[None if each is None else _per_channel(each, value.ndim) for each in (weight, bias)])


# ---- over the last dims ----------------------------------------------------------------------------------------------


def _normalized_dims(name: str, input: Value, normalized_shape: Any, **values: Value | None) -> tuple[int, ...]:
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    if not shape:
        raise RuntimeError(f"{name}(): normalized_shape must have at least one dim")
    if input.shape[max(input.ndim - len(shape), 0) :] != shape:
        raise RuntimeError(
            f"{name}(): normalized_shape={shown(list(shape))} must be the last dims of input, which has shape "
            f"{list(input.shape)}"
        )
    for title, value in values.items():
        if value is not None and value.shape != shape:
            raise RuntimeError(
                f"{name}(): {title} must have the shape of normalized_shape, {list(shape)}, got {list(value.shape)}"
            )
    return tuple(range(input.ndim - len(shape), input.ndim))


def native_layer_norm(
    input: Value, normalized_shape: int | Sequence[int], weight: Value | None, bias: Value | None, eps: float
) -> tuple[Value, Value, Value]:
    """
    Layer normalisation, with the statistics that it used.

    Parameters
    ----------
    input, normalized_shape, weight, bias, eps
        As in `tensorplay.nn.functional.layer_norm`.

    Returns
    -------
    tuple of Tensor
        The result, the mean, and one over the standard deviation, the last two with size 1 along the normalised dims.

    Examples
    --------
    >>> tp.native_layer_norm(tp.tensor([1.0, 3.0]), (2,), None, None, 0.0)[0]
    tensor([-1.,  1.])
    """
    _check_floating("native_layer_norm", input)
    dims = _normalized_dims("native_layer_norm", input, normalized_shape, weight=weight, bias=bias)
    out, mean, var = standardize(input, dims=dims, eps=eps)
    return _affine(out, weight, bias), mean, rsqrt(families.add(var, eps))


def layer_norm(
    input: Value,
    normalized_shape: int | Sequence[int],
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-05,
) -> Value:
    """
    Layer normalisation: mean 0 and variance 1 over the last dims, then scaled and shifted.

    Parameters
    ----------
    input : Tensor
        Floating-point, of any shape that ends in `normalized_shape`.
    normalized_shape : int or sequence of int
        Sizes of the dims to normalise over.
    weight, bias : Tensor, optional
        Of shape `normalized_shape`.
    eps : float, default 1e-5
        Added to the variance, which is the biased one.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If shapes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.layer_norm(tp.tensor([1.0, 3.0]), (2,), eps=0.0)
    tensor([-1.,  1.])
    """
    _check_floating("layer_norm", input)
    dims = _normalized_dims("layer_norm", input, normalized_shape, weight=weight, bias=bias)
    return _affine(standardize(input, dims=dims, eps=eps)[0], weight, bias)


def rms_norm(
    input: Value, normalized_shape: int | Sequence[int], weight: Value | None = None, eps: float | None = None
) -> Value:
    """
    Input divided by its root mean square over the last dims, then scaled.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex, of any shape that ends in `normalized_shape`.
    normalized_shape : int or sequence of int
        Sizes of the dims to normalise over.
    weight : Tensor, optional
        Of shape `normalized_shape`.
    eps : float, optional
        Added to the mean square; by default the machine epsilon of the dtype, for float16 that of float32.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If shapes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.rms_norm(tp.tensor([1.0, 1.0]), (2,), eps=0.0)
    tensor([1., 1.])
    """
    dims = _normalized_dims("rms_norm", input, normalized_shape, weight=weight)
    x = wide(input)
    eps = float(np.finfo(x.dtype).eps) if eps is None else eps
    mean_square = mean(families.mul(x, x), dims, True)
    out = cast(families.mul(x, rsqrt(families.add(mean_square, eps))), input.dtype)
    return _affine(out, weight, None)


# ---- over the batch --------------------------------------------------------------------------------------------------


def _check_batch(name: str, input: Value, **values: Value | None) -> None:
    if input.ndim < 2:
        if input.shape == (0,):
            return
        raise RuntimeError(f"{name}(): input must have at least 2 dims, got shape {list(input.shape)}")
    _check_floating(name, input)
    _check_channels(name, input.shape[1], **values)


def batch_norm(
    input: Value,
    running_mean: Value | None,
    running_var: Value | None,
    weight: Value | None = None,
    bias: Value | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> tuple[Value, Value | None, Value | None]:
    """The result, and what the running mean and variance become, None where they stay."""
    _check_batch("batch_norm", input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not training:
        return _by_running("batch_norm", input, running_mean, running_var, weight, bias, eps), None, None
    if input.size == 0:
        return _channel_affine(input, weight, bias), None, None
    dims = (0, *range(2, input.ndim))
    count = math.prod([input.shape[d] for d in dims])
    if count == 1:
        raise ValueError(
            f"batch_norm(): expected more than 1 value per channel when training, got input of shape "
            f"{list(input.shape)}. Use eval mode, or a norm that needs one sample only, as group_norm or layer_norm."
        )
    out, mean, var = standardize(input, dims=dims, eps=eps)
    new = _running(running_mean, running_var, mean, var, count, momentum)
    return _channel_affine(out, weight, bias), *new


def _by_running(
    name: str,
    input: Value,
    running_mean: Value | None,
    running_var: Value | None,
    weight: Value | None,
    bias: Value | None,
    eps: float,
) -> Value:
    if running_mean is None or running_var is None:
        raise RuntimeError(
            f"{name}(): running_mean and running_var are needed where the input's statistics are not used"
        )
    if input.size == 0:
        return _channel_affine(input, weight, bias)
    factor = rsqrt(families.add(running_var, eps))
    if weight is not None:
        factor = families.mul(*promote(factor, weight))
    shift = families.negative(families.mul(*promote(running_mean, factor)))
    if bias is not None:
        shift = families.add(*promote(shift, bias))
    return _channel_affine(input, factor, shift)


def _running(
    running_mean: Value | None, running_var: Value | None, mean: Value, var: Value, count: int, momentum: float
) -> tuple[Value | None, Value | None]:
    """Running statistics moved towards those of a batch, of which the variance is made unbiased."""
    unbiased = families.mul(var, count / (count - 1) if count > 1 else float("nan"))
    return _moved(running_mean, mean, momentum), _moved(running_var, unbiased, momentum)


def _moved(old: Value | None, new: Value, momentum: float) -> Value | None:
    if old is None:
        return None
    flat = detach(reshape(new, shape=old.shape))
    return families.add(families.mul(detach(old), 1 - momentum), families.mul(flat, momentum))


def native_batch_norm(
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[tuple[Value, Value, Value], Value | None, Value | None]:
    """What `tensorplay.native_batch_norm` returns, and what the running mean and variance become."""
    _check_batch("native_batch_norm", input, weight=weight, bias=bias)
    if not training:
        out = _by_running("native_batch_norm", input, running_mean, running_var, weight, bias, eps)
        empty = np.zeros(0, input.dtype)
        return (out, empty, empty), None, None
    dims = (0, *range(2, input.ndim))
    out, mean, var = standardize(input, dims=dims, eps=eps)
    count = math.prod([input.shape[d] for d in dims])
    new = _running(running_mean, running_var, mean, var, count, momentum)
    channels = (input.shape[1],)
    rstd = rsqrt(families.add(reshape(var, shape=channels), eps))
    return (_channel_affine(out, weight, bias), reshape(mean, shape=channels), rstd), *new


# ---- per sample ------------------------------------------------------------------------------------------------------


def instance_norm(
    input: Value,
    running_mean: Value | None = None,
    running_var: Value | None = None,
    weight: Value | None = None,
    bias: Value | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> tuple[Value, Value | None, Value | None]:
    """The result, and what the running mean and variance become, None where they stay."""
    _check_batch("instance_norm", input, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not use_input_stats:
        return _by_running("instance_norm", input, running_mean, running_var, weight, bias, eps), None, None
    dims = tuple(range(2, input.ndim))
    count = math.prod(input.shape[2:])
    if count == 1:
        raise ValueError(
            f"instance_norm(): expected more than 1 spatial element when training, got input of shape "
            f"{list(input.shape)}"
        )
    out, each_mean, each_var = standardize(input, dims=dims, eps=eps)
    if running_mean is None and running_var is None:
        return _channel_affine(out, weight, bias), None, None
    new = _running(running_mean, running_var, mean(each_mean, 0), mean(each_var, 0), count, momentum)
    return _channel_affine(out, weight, bias), *new


def _groups(name: str, input: Value, num_groups: int, weight: Value | None, bias: Value | None) -> Any:
    """What `standardize` gives for groups of channels, [batch, groups, rest]."""
    _check_batch(name, input, weight=weight, bias=bias)
    channels = input.shape[1]
    if num_groups < 1 or channels % num_groups:
        raise RuntimeError(
            f"{name}(): the number of channels must be divisible by num_groups={num_groups}, got input of shape "
            f"{list(input.shape)}"
        )
    size = channels // num_groups * math.prod(input.shape[2:])
    return reshape(input, shape=(input.shape[0], num_groups, size))


def group_norm(
    input: Value, num_groups: int, weight: Value | None = None, bias: Value | None = None, eps: float = 1e-05
) -> Value:
    """
    Group normalisation: mean 0 and variance 1 over groups of channels of each sample, then scaled and shifted.

    Parameters
    ----------
    input : Tensor
        Floating-point, of shape ``[batch, channels, *spatial]``.
    num_groups : int
        Number of groups, a divisor of the number of channels.
    weight, bias : Tensor, optional
        Of shape ``[channels]``.
    eps : float, default 1e-5
        Added to the variance, which is the biased one.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    RuntimeError
        If shapes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.group_norm(tp.tensor([[1.0, 3.0, 5.0, 9.0]]), 2, eps=0.0)
    tensor([[-1.,  1., -1.,  1.]])
    """
    grouped = _groups("group_norm", input, num_groups, weight, bias)
    out = standardize(grouped, dims=(2,), eps=eps)[0]
    return _channel_affine(reshape(out, shape=input.shape), weight, bias)


def native_group_norm(
    input: Value, weight: Value | None, bias: Value | None, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Value, Value, Value]:
    """
    Group normalisation, with the statistics that it used.

    Parameters
    ----------
    input, weight, bias, eps
        As in `tensorplay.nn.functional.group_norm`.
    N, C, HxW : int
        Number of samples, channels and positions of `input`.
    group : int
        Number of groups.

    Returns
    -------
    tuple of Tensor
        The result, the mean, and one over the standard deviation, the last two of shape ``[N, group]``.

    Raises
    ------
    RuntimeError
        If sizes do not fit together.

    Examples
    --------
    >>> tp.native_group_norm(tp.tensor([[1.0, 3.0, 5.0, 9.0]]), None, None, 1, 4, 1, 2, 0.0)[1]
    tensor([[2., 7.]])
    """
    if N * C * HxW != input.size or input.shape[:2] != (N, C):
        raise RuntimeError(
            f"native_group_norm(): N={N}, C={C} and HxW={HxW} do not fit input of shape {list(input.shape)}"
        )
    grouped = _groups("native_group_norm", input, group, weight, bias)
    out, mean, var = standardize(grouped, dims=(2,), eps=eps)
    rstd = rsqrt(families.add(var, eps))
    out = _channel_affine(reshape(out, shape=input.shape), weight, bias)
    return out, reshape(mean, shape=(N, group)), reshape(rstd, shape=(N, group))


# ---- by neighbours, by length ----------------------------------------------------------------------------------------


def local_response_norm(input: Value, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Value:
    """
    Each element divided by a power of the mean square over neighbouring channels.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, channels, *spatial]``, with at least one spatial dim.
    size : int
        Number of neighbouring channels.
    alpha, beta, k : float
        The divisor is ``(k + alpha * mean_square) ** beta``.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    ValueError
        If `input` has less than 3 dims.

    Examples
    --------
    >>> tp.nn.functional.local_response_norm(tp.ones(1, 1, 2), 1, alpha=1.0, beta=1.0)
    tensor([[[0.5000, 0.5000]]])
    """
    if input.ndim < 3:
        raise ValueError(f"local_response_norm(): input must have at least 3 dims, got shape {list(input.shape)}")
    if input.size == 0:
        return input
    order = (0, *range(2, input.ndim), 1)
    squares = permute(mul(input, input), dims=order)
    w = Windows((size,), (1,), (1,), (size // 2,), (input.shape[1],))
    sums = permute(window_sum(squares, w=w), dims=families.inverse_permutation(order))
    return div(input, pow(add(mul(sums, alpha / size), k), beta))


def normalize(input: Value, p: float = 2.0, dim: int | Sequence[int] = 1, eps: float = 1e-12) -> Value:
    """
    Input divided by its p-norm along a dim.

    Parameters
    ----------
    input : Tensor
        Floating-point or complex.
    p : float, default 2
        Order of the norm.
    dim : int or tuple of int, default 1
        Dims to take the norm over.
    eps : float, default 1e-12
        The least divisor.

    Returns
    -------
    Tensor
        Shape of `input`.

    Examples
    --------
    >>> tp.nn.functional.normalize(tp.tensor([3.0, 4.0]), dim=0)
    tensor([0.6000, 0.8000])
    """
    norm = vector_norm(input, p, dim, True)
    return div(input, clamp_min(norm, eps))
