"""Losses, distances and attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.nn.functional.linear import linear
from tensorplay.ops import attention, classification, ctc, distance, distances, loss, margins
from tensorplay.tensor.calls import explained
from tensorplay.tensor.lift import lift, to_tensor, to_value
from tensorplay.tensor.tensor import Tensor

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "linear_cross_entropy",
    "margin_ranking_loss",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "pairwise_distance",
    "pdist",
    "poisson_nll_loss",
    "scaled_dot_product_attention",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]

cosine_similarity = lift(distance.cosine_similarity)
pairwise_distance = lift(distance.pairwise_distance)
pdist = lift(distances.pdist)

cosine_embedding_loss = lift(margins.cosine_embedding_loss)
gaussian_nll_loss = lift(loss.gaussian_nll_loss)
hinge_embedding_loss = lift(margins.hinge_embedding_loss)
huber_loss = lift(loss.huber_loss)
kl_div = lift(loss.kl_div)
l1_loss = lift(loss.l1_loss)
margin_ranking_loss = lift(margins.margin_ranking_loss)
mse_loss = lift(loss.mse_loss)
poisson_nll_loss = lift(loss.poisson_nll_loss)
smooth_l1_loss = lift(loss.smooth_l1_loss)
soft_margin_loss = lift(margins.soft_margin_loss)
triplet_margin_loss = lift(margins.triplet_margin_loss)

binary_cross_entropy = lift(classification.binary_cross_entropy)
binary_cross_entropy_with_logits = lift(classification.binary_cross_entropy_with_logits)
cross_entropy = lift(classification.cross_entropy)
multi_margin_loss = lift(classification.multi_margin_loss)
multilabel_margin_loss = lift(classification.multilabel_margin_loss)
multilabel_soft_margin_loss = lift(classification.multilabel_soft_margin_loss)
nll_loss = lift(classification.nll_loss)

ctc_loss = lift(ctc.ctc_loss)

scaled_dot_product_attention = lift(attention.scaled_dot_product_attention)
multi_head_attention_forward = lift(attention.multi_head_attention_forward)


@explained
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """
    By how much positive examples are not nearer to an anchor, by a margin, than negative ones, for any distance.

    Parameters
    ----------
    anchor, positive, negative : Tensor
        Examples, one a row.
    distance_function : callable, optional
        Distances of the rows of two tensors; `pairwise_distance` by default.
    margin : float, default 1
        By how much they should be nearer; positive.
    swap : bool, default False
        Whether the distance of the positive from the negative example counts where it is the smaller one.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the elements.

    Returns
    -------
    Tensor
        0-d, or the loss of each row where nothing is reduced.

    Raises
    ------
    RuntimeError
        If the numbers of dims differ.
    ValueError
        If the margin is not positive.

    Examples
    --------
    >>> a, b = tp.tensor([[0.0]]), tp.tensor([[3.0]])
    >>> tp.nn.functional.triplet_margin_with_distance_loss(a, b, a, distance_function=lambda x, y: (x - y)[:, 0] ** 2)
    tensor(10.)
    """
    name = "triplet_margin_with_distance_loss"
    how = loss.reduction_of(name, reduction)
    margins.check_triplet(name, tuple(anchor.shape), tuple(positive.shape), tuple(negative.shape), margin)
    measure = pairwise_distance if distance_function is None else distance_function

    def distance_of(x: Any, y: Any) -> Any:
        return to_value(measure(to_tensor(x), to_tensor(y)))

    values = (to_value(anchor), to_value(positive), to_value(negative))
    return to_tensor(margins.triplet(distance_of, *values, margin, swap, how))


@explained
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Any:
    """
    Cross entropy of the logits that a linear map makes of features.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, features]``, or ``[features]`` for a single sample.
    linear_weight : Tensor
        Shape ``[classes, *dims, features]``.
    target : Tensor
        Classes, of shape ``[batch, *dims]``; or probabilities, of shape ``[batch, classes, *dims]``.
    linear_bias : Tensor, optional
        Shape ``[classes, *dims]``.
    weight, reduction, label_smoothing
        As in `cross_entropy`.
    ignore_index : int, optional
        Samples of this class do not count; -100 by default.
    options : object, optional
        Hints how to compute, which change nothing here.

    Returns
    -------
    Tensor
        0-d, or of shape ``[batch, *dims]`` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If shapes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.linear_cross_entropy(tp.tensor([[1.0]]), tp.tensor([[0.0], [0.0]]), tp.tensor([1]))
    tensor(0.6931)
    """
    name = "linear_cross_entropy"
    if input.ndim not in (1, 2) or linear_weight.ndim < 2 or input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError(
            f"{name}(): expected input [batch, features] and linear_weight [classes, *dims, features], got shapes "
            f"{list(input.shape)} and {list(linear_weight.shape)}"
        )
    outputs = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != outputs:
        raise RuntimeError(f"{name}(): linear_bias must have shape {list(outputs)}, got {list(linear_bias.shape)}")
    if len(outputs) > 1 and input.ndim == 1:
        raise RuntimeError(f"{name}(): a linear_weight of shape {list(linear_weight.shape)} needs input with a batch")
    shape = (*input.shape[:-1], *outputs)
    if ignore_index is not None and tuple(target.shape) == shape:
        raise RuntimeError(f"{name}(): ignore_index cannot be used with probabilities as target")
    table = linear_weight.reshape(-1, linear_weight.shape[-1])
    logits = linear(input, table, None if linear_bias is None else linear_bias.reshape(-1)).reshape(shape)
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )
