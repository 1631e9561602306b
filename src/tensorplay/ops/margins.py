"""Losses of ranking and of similarity: what scores or distances lack to a margin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.ops.arithmetic import add, mul, neg, sub
from tensorplay.ops.comparison import eq, minimum, ne
from tensorplay.ops.distance import pairwise_distance
from tensorplay.ops.exponential import rsqrt
from tensorplay.ops.indexing import where
from tensorplay.ops.loss import positive_part, reduced, reduction_of, softplus
from tensorplay.ops.sums import sum


def hinge_embedding_loss(
    input: Value,
    target: Value,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    Distances of pairs that are alike, and what the distances of the others lack to a margin.

    Parameters
    ----------
    input : Tensor
        Distances.
    target : Tensor
        1 for pairs that are alike, -1 for the others.
    margin : float, default 1
        Distance that is enough.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or of the shape of `input` where nothing is reduced.

    Examples
    --------
    >>> tp.nn.functional.hinge_embedding_loss(tp.tensor([0.5, 0.25]), tp.tensor([1.0, -1.0]), reduction="none")
    tensor([0.5000, 0.7500])
    """
    how = reduction_of("hinge_embedding_loss", reduction, size_average, reduce)
    zero = np.zeros((), input.dtype)
    apart = where(ne(target, 1), positive_part(sub(margin, input)), zero)
    return reduced(add(apart, where(ne(target, -1), input, zero)), how)


def margin_ranking_loss(
    input1: Value,
    input2: Value,
    target: Value,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    What one score lacks to be larger than another by a margin.

    Parameters
    ----------
    input1, input2 : Tensor
        Scores.
    target : Tensor
        1 where `input1` should be the larger one, -1 where `input2` should be.
    margin : float, default 0
        By how much.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        ``max(0, margin - target * (input1 - input2))``, reduced.

    Raises
    ------
    RuntimeError
        If the numbers of dims differ.

    Examples
    --------
    >>> tp.nn.functional.margin_ranking_loss(tp.tensor([1.0]), tp.tensor([3.0]), tp.tensor([1.0]))
    tensor(2.)
    """
    how = reduction_of("margin_ranking_loss", reduction, size_average, reduce)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            f"margin_ranking_loss(): input1, input2 and target must have the same number of dims, got shapes "
            f"{list(input1.shape)}, {list(input2.shape)} and {list(target.shape)}"
        )
    return reduced(positive_part(add(mul(neg(target), sub(input1, input2)), margin)), how)


def soft_margin_loss(
    input: Value,
    target: Value,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    Logistic loss of scores for two classes.

    Parameters
    ----------
    input : Tensor
        Scores.
    target : Tensor
        1 or -1, of the same shape.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        ``log(1 + exp(-target * input))``, reduced.

    Examples
    --------
    >>> tp.nn.functional.soft_margin_loss(tp.tensor([0.0]), tp.tensor([1.0]))
    tensor(0.6931)
    """
    how = reduction_of("soft_margin_loss", reduction, size_average, reduce)
    return reduced(softplus(mul(neg(target), input)), how)


def cosine_embedding_loss(
    input1: Value,
    input2: Value,
    target: Value,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    One minus the cosine of pairs that are alike, and by how much the cosine of the others exceeds a margin.

    Parameters
    ----------
    input1, input2 : Tensor
        Shape ``[batch, size]``, or ``[size]`` for a single pair.
    target : Tensor
        1 for pairs that are alike, -1 for the others, of shape ``[batch]``, or 0-d.
    margin : float, default 0
        Cosine that is small enough.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or of the shape of `target` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If the numbers of dims do not fit together.

    Examples
    --------
    >>> tp.nn.functional.cosine_embedding_loss(tp.tensor([1.0, 0.0]), tp.tensor([0.0, 1.0]), tp.tensor(1))
    tensor(1.)
    """
    how = reduction_of("cosine_embedding_loss", reduction, size_average, reduce)
    if target.ndim not in (0, 1):
        raise RuntimeError(f"cosine_embedding_loss(): target must have at most 1 dim, got shape {list(target.shape)}")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(
            f"cosine_embedding_loss(): a target of shape {list(target.shape)} needs inputs with {target.ndim + 1} "
            f"dims, got {list(input1.shape)} and {list(input2.shape)}"
        )
    squares = mul(add(sum(mul(input1, input1), -1), 1e-12), add(sum(mul(input2, input2), -1), 1e-12))
    cosine = mul(sum(mul(input1, input2), -1), rsqrt(squares))
    zero = np.zeros((), cosine.dtype)
    apart = where(eq(target, -1), positive_part(sub(cosine, margin)), zero)
    return reduced(where(eq(target, 1), sub(1, cosine), apart), how)


def triplet_margin_loss(
    anchor: Value,
    positive: Value,
    negative: Value,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Value:
    """
    By how much positive examples are not nearer to an anchor, by a margin, than negative ones.

    Parameters
    ----------
    anchor, positive, negative : Tensor
        Shape ``[batch, size]``, or ``[size]`` for a single triplet.
    margin : float, default 1
        By how much they should be nearer; positive.
    p : float, default 2
        Order of the norm.
    eps : float, default 1e-6
        Added to differences, so that distances are smooth.
    swap : bool, default False
        Whether the distance of the positive from the negative example counts where it is the smaller one.
    size_average, reduce : bool, optional
        Deprecated forms of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or of shape ``[batch]`` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If the numbers of dims differ.
    ValueError
        If the margin is not positive.

    Examples
    --------
    >>> a, b = tp.tensor([[0.0, 0.0]]), tp.tensor([[3.0, 4.0]])
    >>> tp.nn.functional.triplet_margin_loss(a, b, a, eps=0.0)
    tensor(6.)
    """
    how = reduction_of("triplet_margin_loss", reduction, size_average, reduce)

    def distance(x: Value, y: Value) -> Value:
        return pairwise_distance(x, y, p, eps)

    check_triplet("triplet_margin_loss", anchor.shape, positive.shape, negative.shape, margin)
    return triplet(distance, anchor, positive, negative, margin, swap, how)


def check_triplet(name: str, anchor: Shape, positive: Shape, negative: Shape, margin: float) -> None:
    """Raise unless the shapes have the same length and the margin is positive."""
    if margin <= 0:
        raise ValueError(f"{name}(): margin must be positive, got {margin}")
    if not len(anchor) == len(positive) == len(negative):
        raise RuntimeError(
            f"{name}(): anchor, positive and negative must have the same number of dims, got shapes {list(anchor)}, "
            f"{list(positive)} and {list(negative)}"
        )


def triplet(
    distance: Callable[[Value, Value], Value],
    anchor: Value,
    positive: Value,
    negative: Value,
    margin: float,
    swap: bool,
    reduction: str,
) -> Value:
    """Triplet loss for any distance."""
    far = distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduced(positive_part(add(sub(distance(anchor, positive), far), margin)), reduction)
