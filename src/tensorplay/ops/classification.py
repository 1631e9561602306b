"""Losses of classification: cross entropies of classes or of probabilities, and margins between classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value, ground
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.arithmetic import add, div, mul, neg, reciprocal, sub
from tensorplay.ops.comparison import clamp_min, eq, ge, gt, logical_and, logical_not, ne
from tensorplay.ops.cross_entropy import cross_entropy_of, number_counted
from tensorplay.ops.exponential import log, log1p
from tensorplay.ops.families import elementwise, reshape, structural
from tensorplay.ops.indexing import take, take_along, where
from tensorplay.ops.loss import reduced, reduction_of, softplus
from tensorplay.ops.promotion import cast, promote
from tensorplay.ops.scan import cumprod
from tensorplay.ops.scatter import at_least_1d
from tensorplay.ops.softmax import log_softmax
from tensorplay.ops.sums import any as any_of
from tensorplay.ops.sums import mean, sum

# ---- one class a sample ----------------------------------------------------------------------------------------------


def _class_dim(name: str, input: Value) -> int:
    if input.ndim == 0:
        raise ValueError(f"{name}(): input needs a dim of classes, got a 0-d tensor")
    return 0 if input.ndim == 1 else 1


def _check_classes(name: str, input: Value, target: Value, dim: int, ignore_index: int | None = None) -> None:
    expected = input.shape[:dim] + input.shape[dim + 1 :]
    if target.shape != expected:
        error = ValueError if target.shape[:1] != expected[:1] else RuntimeError
        raise error(
            f"{name}(): an input of shape {list(input.shape)} needs a target of shape {list(expected)}, got "
            f"{list(target.shape)}"
        )
    if target.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): target must hold integers, the classes, got {target.dtype}")
    classes = ground(target)
    if (classes.view(f"u{classes.dtype.itemsize}") < input.shape[dim]).all():  # no negative one is, either
        return
    outside = (classes < 0) | (classes >= input.shape[dim])
    if ignore_index is not None:
        outside &= classes != ignore_index
    if outside.any():
        raise IndexError(f"{name}(): target {classes[outside].flat[0]} is out of bounds for {input.shape[dim]} classes")


def _check_weight(name: str, weight: Value | None, classes: int) -> None:
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"{name}(): weight must have one element for each of {classes} classes, got shape {list(weight.shape)}"
        )


def _pick_impl(x: Any, classes: Any, dim: int) -> Any:
    return np.take_along_axis(x, np.expand_dims(classes, dim), dim).squeeze(dim)


def _place_impl(ct: Any, classes: Any, dim: int, count: int) -> Any:
    out = np.zeros((*ct.shape[:dim], count, *ct.shape[dim:]), ct.dtype)
    np.put_along_axis(out, np.expand_dims(classes, dim), np.expand_dims(ct, dim), dim)
    return out


# The element of each sample at its class: x [*lead, count, *rest], classes [*lead, *rest] -> [*lead, *rest].
_pick: Primitive = structural(
    "pick",
    _pick_impl,
    transpose=lambda ct, x, classes, dim: _place(ct, classes, dim=dim, count=x.shape[dim]),
    batch=lambda size, args, mapped, dim: (_pick(*families.all_mapped(size, args, mapped), dim=dim + 1), True),
)

# Zeros but for the element of each sample at its class.
_place: Primitive = structural(
    "place",
    _place_impl,
    transpose=lambda ct, x, classes, dim, count: _pick(ct, classes, dim=dim),
    batch=lambda size, args, mapped, dim, count: (
        _place(*families.all_mapped(size, args, mapped), dim=dim + 1, count=count),
        True,
    ),
)


def nll_loss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    Negative log-likelihood of classes.

    Parameters
    ----------
    input : Tensor
        Logarithms of probabilities, of shape ``[batch, classes, *dims]``, or ``[classes]`` for a single sample.
    target : Tensor
        Classes, of shape ``[batch, *dims]``, or 0-d.
    weight : Tensor, optional
        Weight of each class; the mean is divided by the sum of the weights of the targets.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    ignore_index : int, default -100
        Samples of this class do not count.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the samples.

    Returns
    -------
    Tensor
        0-d, or of the shape of `target` where nothing is reduced.

    Raises
    ------
    IndexError
        If a class is out of bounds.
    RuntimeError, ValueError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> tp.nn.functional.nll_loss(tp.tensor([[-1.0, -0.5]]), tp.tensor([1]))
    tensor(0.5000)
    """
    how = reduction_of("nll_loss", reduction, size_average, reduce)
    dim = _class_dim("nll_loss", input)
    _check_weight("nll_loss", weight, input.shape[dim])
    _check_classes("nll_loss", input, target, dim, ignore_index)
    return _nll(input, target, dim, weight, ignore_index, how)


def _nll(input: Value, target: Value, dim: int, weight: Value | None, ignore_index: int, reduction: str) -> Value:
    counted, classes, weights = _counted(input, target, weight, ignore_index)
    gain = _pick(input, classes, dim=dim)
    if weight is not None:
        gain = mul(gain, weights)
    gain = where(counted, gain, np.zeros((), input.dtype))
    return div(sum(gain), neg(sum(weights))) if reduction == "mean" else neg(reduced(gain, reduction))


def _counted(input: Value, target: Value, weight: Value | None, ignore_index: int) -> tuple[Value, Value, Value]:
    """Which samples count, the classes with 0 for the other samples, and the weights, with 0 for them too."""
    counted = ne(target, ignore_index)
    classes = where(counted, target, np.zeros((), target.dtype))
    if weight is None:
        return counted, classes, cast(counted, input.dtype)
    return counted, classes, where(counted, take(weight, classes, start=0), np.zeros((), weight.dtype))


def cross_entropy(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Value:
    """
    Cross entropy of logits and classes, or probabilities of classes.

    Parameters
    ----------
    input : Tensor
        Logits, of shape ``[batch, classes, *dims]``, or ``[classes]`` for a single sample.
    target : Tensor
        Classes, of shape ``[batch, *dims]`` or 0-d; or probabilities, of the shape of `input`.
    weight : Tensor, optional
        Weight of each class; with classes as target, the mean is divided by the sum of the weights of the targets.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    ignore_index : int, default -100
        Samples of this class do not count.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the samples.
    label_smoothing : float, default 0
        Share of the uniform distribution that the target is mixed with.

    Returns
    -------
    Tensor
        0-d, or of the shape ``[batch, *dims]`` where nothing is reduced.

    Raises
    ------
    IndexError
        If a class is out of bounds.
    RuntimeError, ValueError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> tp.nn.functional.cross_entropy(tp.tensor([[0.0, 0.0]]), tp.tensor([1]))
    tensor(0.6931)
    """
    how = reduction_of("cross_entropy", reduction, size_average, reduce)
    dim = _class_dim("cross_entropy", input)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"cross_entropy(): label_smoothing must lie between 0 and 1, got {label_smoothing}")
    _check_weight("cross_entropy", weight, input.shape[dim])
    if target.shape == input.shape:
        return _of_probabilities(input, target, dim, weight, ignore_index, how, label_smoothing)
    _check_classes("cross_entropy", input, target, dim, ignore_index)
    if weight is None and label_smoothing == 0:
        losses = cross_entropy_of(input, target, dim=dim, ignore=ignore_index)
        if how != "mean":
            return reduced(losses, how)
        dims = tuple(range(target.ndim))
        return div(sum(losses), number_counted(target, ignore=ignore_index, dims=dims, dtype=losses.dtype))
    logs = log_softmax(input, dim)
    loss = _nll(logs, target, dim, weight, ignore_index, how)
    if label_smoothing == 0:
        return loss
    uniform = _uniform(logs, target, dim, weight, ignore_index, how)
    return add(mul(loss, 1 - label_smoothing), mul(uniform, label_smoothing / input.shape[dim]))


def _uniform(logs: Value, target: Value, dim: int, weight: Value | None, ignore_index: int, reduction: str) -> Value:
    """Negative log-likelihood of all classes, added up."""
    counted, _, weights = _counted(logs, target, weight, ignore_index)
    total = neg(sum(_times_weight(logs, weight, dim), dim))
    loss = where(counted, total, np.zeros((), logs.dtype))
    return div(sum(loss), sum(weights)) if reduction == "mean" else reduced(loss, reduction)


def _times_weight(value: Value, weight: Value | None, dim: int) -> Value:
    if weight is None:
        return value
    return mul(value, reshape(weight, shape=(weight.shape[0], *(1,) * (value.ndim - dim - 1))))


def _of_probabilities(
    input: Value,
    target: Value,
    dim: int,
    weight: Value | None,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> Value:
    if target.dtype.kind != "f":
        raise RuntimeError(
            f"cross_entropy(): a target of the shape of input holds probabilities and must be floating-point, got "
            f"{target.dtype}"
        )
    if ignore_index >= 0:
        raise RuntimeError(f"cross_entropy(): ignore_index={ignore_index} cannot be used with probabilities as target")
    if label_smoothing:
        target = add(mul(target, 1 - label_smoothing), label_smoothing / input.shape[dim])
    # what has no probability costs nothing, even if its logarithm is infinite
    terms = families.scale(*promote(target, _times_weight(log_softmax(input, dim), weight, dim)))
    loss = neg(sum(terms, dim))
    return div(sum(loss), loss.size) if reduction == "mean" else reduced(loss, reduction)


# ---- two classes -----------------------------------------------------------------------------------------------------


def _bce_impl(x: Any, t: Any) -> Any:
    return -(t * np.maximum(np.log(x), -100) + (1 - t) * np.maximum(np.log1p(-x), -100)).astype(x.dtype, copy=False)


def _bce_by_input(_out: Value, x: Value, t: Value) -> Value:
    # the logarithms end at -100, but the derivative goes on to grow up to 1e12
    return mul(sub(x, t), reciprocal(clamp_min(mul(x, sub(1, x)), 1e-12)))


def _bce_by_target(_out: Value, x: Value, _t: Value) -> Value:
    return sub(clamp_min(log1p(neg(x)), -100), clamp_min(log(x), -100))


_bce = elementwise("binary_cross_entropy", _bce_impl, [_bce_by_input, _bce_by_target])


def _check_binary(name: str, input: Value, target: Value) -> None:
    if target.shape != input.shape:
        raise ValueError(
            f"{name}(): target must have the shape of input, {list(input.shape)}, got {list(target.shape)}"
        )


def binary_cross_entropy(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    Cross entropy of probabilities of the second of two classes.

    Parameters
    ----------
    input : Tensor
        Probabilities.
    target : Tensor
        Probabilities or classes 0 and 1, of the same shape.
    weight : Tensor, optional
        Weights, of a shape that broadcasts.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced. Logarithms are at least -100.

    Raises
    ------
    ValueError
        If the shapes differ.
    RuntimeError
        If `input` is no probability.

    Examples
    --------
    >>> tp.nn.functional.binary_cross_entropy(tp.tensor([0.5]), tp.tensor([1.0]))
    tensor(0.6931)
    """
    how = reduction_of("binary_cross_entropy", reduction, size_average, reduce)
    _check_binary("binary_cross_entropy", input, target)
    numbers = ground(input)
    if numbers.size and not (numbers.min() >= 0 and numbers.max() <= 1) and not np.isnan(numbers).any():
        raise RuntimeError("binary_cross_entropy(): all elements of input should be between 0 and 1")
    loss = _bce(*promote(input, target))
    return reduced(loss if weight is None else mul(loss, weight), how)


def binary_cross_entropy_with_logits(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Value | None = None,
) -> Value:
    """
    Cross entropy of logits of the second of two classes.

    Parameters
    ----------
    input : Tensor
        Logits.
    target : Tensor
        Probabilities or classes 0 and 1, of the same shape.
    weight : Tensor, optional
        Weights, of a shape that broadcasts.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.
    pos_weight : Tensor, optional
        Weight of the second class, of a shape that broadcasts.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> tp.nn.functional.binary_cross_entropy_with_logits(tp.tensor([0.0]), tp.tensor([1.0]))
    tensor(0.6931)
    """
    how = reduction_of("binary_cross_entropy_with_logits", reduction, size_average, reduce)
    _check_binary("binary_cross_entropy_with_logits", input, target)
    soft = softplus(neg(input))
    if pos_weight is not None:
        soft = mul(soft, add(mul(sub(pos_weight, 1), target), 1))
    loss = add(mul(sub(1, target), input), soft)
    return reduced(loss if weight is None else mul(loss, weight), how)


def multilabel_soft_margin_loss(
    input: Value,
    target: Value,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    Mean over the classes of the binary cross entropies of logits.

    Parameters
    ----------
    input : Tensor
        Logits, of shape ``[*, classes]``.
    target : Tensor
        0 or 1 for each class, of the same shape.
    weight : Tensor, optional
        Weight of each class.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the samples.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` without the classes where nothing is reduced.

    Examples
    --------
    >>> tp.nn.functional.multilabel_soft_margin_loss(tp.tensor([[0.0, 0.0]]), tp.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """
    how = reduction_of("multilabel_soft_margin_loss", reduction, size_average, reduce)
    loss = add(mul(target, softplus(neg(input))), mul(sub(1, target), softplus(input)))
    if weight is not None:
        loss = mul(loss, weight)
    return reduced(mean(loss, -1), how)


# ---- margins between classes -----------------------------------------------------------------------------------------


def multi_margin_loss(
    input: Value,
    target: Value,
    p: int = 1,
    margin: float = 1.0,
    weight: Value | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    What the score of a class lacks to exceed those of the other classes by a margin.

    Parameters
    ----------
    input : Tensor
        Scores, of shape ``[batch, classes]``, or ``[classes]`` for a single sample.
    target : Tensor
        Classes, of shape ``[batch]``, or 0-d.
    p : {1, 2}, default 1
        Power of what is lacking.
    margin : float, default 1
        By how much.
    weight : Tensor, optional
        Weight of each class.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the samples.

    Returns
    -------
    Tensor
        0-d, or of the shape of `target` where nothing is reduced.

    Raises
    ------
    ValueError
        If `p` is neither 1 nor 2.
    RuntimeError, IndexError
        If shapes, dtypes or classes do not fit.

    Examples
    --------
    >>> tp.nn.functional.multi_margin_loss(tp.tensor([[0.0, 1.0]]), tp.tensor([0]))
    tensor(1.)
    """
    how = reduction_of("multi_margin_loss", reduction, size_average, reduce)
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss(): p must be 1 or 2, got {shown(p)}")
    if input.ndim < 2 and target.size == 1:
        input, target = at_least_1d(input), reshape(target, shape=())
    dim = input.ndim - 1
    if dim not in (0, 1):
        raise RuntimeError(f"multi_margin_loss(): input must have 1 or 2 dims, got shape {list(input.shape)}")
    _check_weight("multi_margin_loss", weight, input.shape[dim])
    _check_classes("multi_margin_loss", input, target, dim)
    gap = add(sub(input, _last(_pick(input, target, dim=dim))), margin)
    others = ne(np.arange(input.shape[dim]), _last(target))
    lacking = where(logical_and(others, gt(gap, 0)), gap, np.zeros((), gap.dtype))
    loss = mean(lacking if p == 1 else mul(lacking, lacking), dim)
    return reduced(loss if weight is None else mul(loss, take(weight, target, start=0)), how)


def _last(value: Value) -> Value:
    """`value` with a last dim of size 1."""
    return reshape(value, shape=(*value.shape, 1))


def multilabel_margin_loss(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    What the scores of several classes lack to exceed those of all others by one.

    Parameters
    ----------
    input : Tensor
        Scores, of shape ``[batch, classes]``, or ``[classes]`` for a single sample.
    target : Tensor
        Classes of each sample, followed by -1, of the same shape.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the samples.

    Returns
    -------
    Tensor
        0-d, or of shape ``[batch]`` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If shapes or classes do not fit.

    Examples
    --------
    >>> tp.nn.functional.multilabel_margin_loss(tp.tensor([0.0, 1.0]), tp.tensor([0, -1]))
    tensor(1.)
    """
    how = reduction_of("multilabel_margin_loss", reduction, size_average, reduce)
    if input.ndim not in (0, 1, 2) or target.size != input.size:
        raise RuntimeError(
            f"multilabel_margin_loss(): input must have 1 or 2 dims and target its shape, got {list(input.shape)} and "
            f"{list(target.shape)}"
        )
    if target.dtype.kind not in "iu":
        raise RuntimeError(f"multilabel_margin_loss(): target must hold integers, got {target.dtype}")
    shape: Shape = input.shape or (1,)
    input, target = reshape(input, shape=shape), reshape(target, shape=shape)
    count = shape[-1]
    numbers = ground(target)
    if numbers.size and (numbers.min() < -1 or numbers.max() >= count):
        raise RuntimeError(f"multilabel_margin_loss(): target must lie between -1 and {count - 1}")
    given = ge(cumprod(cast(ge(target, 0), np.dtype("int64")), -1), 1)  # classes after the first -1 do not count
    classes = where(given, target, np.zeros((), target.dtype))
    named = logical_and(eq(_last(classes), np.arange(count)), _last(given))  # [batch, place, class]
    others = logical_not(any_of(named, -2))
    scores = take_along(input, classes, dim=input.ndim - 1)
    gap = add(sub(_before_last(input), _last(scores)), 1)  # [batch, place, class]
    counts = logical_and(logical_and(_last(given), _before_last(others)), gt(gap, 0))
    loss = div(sum(where(counts, gap, np.zeros((), gap.dtype)), (-2, -1)), count)
    return reduced(loss, how)


def _before_last(value: Value) -> Value:
    """`value` with a dim of size 1 before the last one."""
    return reshape(value, shape=(*value.shape[:-1], 1, value.shape[-1]))
