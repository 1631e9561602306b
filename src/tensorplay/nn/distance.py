"""Distances of vectors, and losses that compare them."""

from __future__ import annotations

from collections.abc import Callable

from tensorplay.nn import functional as F
from tensorplay.nn.loss import _Loss
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class CosineSimilarity(Module):
    """
    Cosine of the angle between two vectors along a dim.

    Parameters
    ----------
    dim : int, default 1
        Dim of the vectors.
    eps : float, default 1e-8
        Smallest product of norms to divide by.

    Examples
    --------
    >>> tp.nn.CosineSimilarity(0)(tp.tensor([1.0, 0.0]), tp.tensor([2.0, 0.0]))
    tensor(1.)
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """
    Norm of the difference of two vectors along the last dim.

    Parameters
    ----------
    p : float, default 2.0
        Order of the norm.
    eps : float, default 1e-6
        Added to the difference.
    keepdim : bool, default False
        Keep the last dim, with size 1.

    Examples
    --------
    >>> tp.nn.PairwiseDistance(eps=0.0)(tp.tensor([[3.0, 0.0]]), tp.tensor([[0.0, 4.0]]))
    tensor([5.])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class HingeEmbeddingLoss(_Loss):
    """
    The input where the target is 1, and how far it falls short of a margin where it is -1.

    Parameters
    ----------
    margin : float, default 1.0
        The margin.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.HingeEmbeddingLoss()(tp.tensor([0.5]), tp.tensor([-1.0]))
    tensor(0.5000)
    """

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """
    How far two inputs fall short of being ranked as the target (±1) says.

    Parameters
    ----------
    margin : float, default 0.0
        By how much they should differ.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.MarginRankingLoss()(tp.tensor([1.0]), tp.tensor([3.0]), tp.tensor([1.0]))
    tensor(2.)
    """

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """
    One minus the cosine of two inputs where the target is 1, its excess over a margin where it is -1.

    Parameters
    ----------
    margin : float, default 0.0
        The margin.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.CosineEmbeddingLoss()(tp.tensor([[1.0, 0.0]]), tp.tensor([[0.0, 1.0]]), tp.tensor([1.0]))
    tensor(1.)
    """

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """
    How far an anchor is not closer to a positive than to a negative by a margin.

    Parameters
    ----------
    margin : float, default 1.0
        The margin.
    p : float, default 2.0
        Order of the norm.
    eps : float, default 1e-6
        Added to differences, so that the norm has a derivative.
    swap : bool, default False
        Take the distance of positive and negative where it is smaller.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.TripletMarginLoss()(tp.tensor([[0.0]]), tp.tensor([[0.0]]), tp.tensor([[0.5]]))
    tensor(0.5000)
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """
    `TripletMarginLoss` with a distance of one's own.

    Parameters
    ----------
    distance_function : callable, optional
        Of two batches of vectors; `PairwiseDistance` by default.
    margin : float, default 1.0
        The margin.
    swap : bool, default False
        Take the distance of positive and negative where it is smaller.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> loss = tp.nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: (a - b).abs().sum(-1))
    >>> loss(tp.tensor([[0.0]]), tp.tensor([[0.0]]), tp.tensor([[0.5]]))
    tensor(0.5000)
    """

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: margin must be positive, got {margin}")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )
