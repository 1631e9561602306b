"""Losses of predictions against targets."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class _Loss(Module):
    """A loss with a reduction."""

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        old = size_average is not None or reduce is not None
        self.reduction = _old_reduction(size_average, reduce) if old else reduction


def _old_reduction(size_average: bool | None, reduce: bool | None) -> str:
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


class L1Loss(_Loss):
    """
    Mean absolute difference of input and target.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.L1Loss()(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(1.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """
    Mean squared difference of input and target.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.MSELoss()(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """
    Squared difference where it is small, absolute where it is large.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.
    beta : float, default 1.0
        Where the one passes into the other.

    Examples
    --------
    >>> tp.nn.SmoothL1Loss()(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(0.7500)
    """

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, beta=self.beta, reduction=self.reduction)


class HuberLoss(_Loss):
    """
    Squared difference where it is small, scaled absolute where it is large.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.
    delta : float, default 1.0
        Where the one passes into the other.

    Examples
    --------
    >>> tp.nn.HuberLoss()(tp.tensor([1.0, 2.0]), tp.tensor([1.0, 4.0]))
    tensor(0.7500)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(None, None, reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, delta=self.delta, reduction=self.reduction)


class NLLLoss(_Loss):
    """
    Negative log-likelihood of classes, from log-probabilities.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each class.
    size_average : bool, optional
        Old form of `reduction`.
    ignore_index : int, default -100
        Targets of this class do not count.
    reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Notes
    -----
    Input (N, C, ...) or (C), target class indices (N, ...) or ().

    Examples
    --------
    >>> tp.nn.NLLLoss()(tp.tensor([[-1.0, -2.0]]), tp.tensor([1]))
    tensor(2.)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(_Loss):
    """
    Cross entropy of classes, from unnormalised logits.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each class.
    size_average : bool, optional
        Old form of `reduction`.
    ignore_index : int, default -100
        Targets of this class do not count.
    reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.
    label_smoothing : float, default 0.0
        Share of every target that is spread evenly over the classes.

    Notes
    -----
    Input (N, C, ...) or (C); target class indices (N, ...) or (), or probabilities in the shape of the input.

    Examples
    --------
    >>> tp.nn.CrossEntropyLoss()(tp.zeros(1, 2), tp.tensor([1]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            reduction=self.reduction,
        )


class BCELoss(_Loss):
    """
    Binary cross entropy, from probabilities.

    Parameters
    ----------
    weight : Tensor, optional
        Factor of each element's loss.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.BCELoss()(tp.tensor([0.5]), tp.tensor([1.0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """
    Binary cross entropy, from logits.

    Parameters
    ----------
    weight : Tensor, optional
        Factor of each element's loss.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.
    pos_weight : Tensor, optional
        Weight of positive targets.

    Examples
    --------
    >>> tp.nn.BCEWithLogitsLoss()(tp.tensor([0.0]), tp.tensor([1.0]))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(
            input, target, weight=self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class KLDivLoss(_Loss):
    """
    Kullback-Leibler divergence, from the logarithm of the predicted distribution.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.
    log_target : bool, default False
        Whether the target is a logarithm too.

    Examples
    --------
    >>> tp.nn.KLDivLoss(reduction="sum")(tp.tensor([0.0]), tp.tensor([1.0]))
    tensor(0.)
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, log_target=self.log_target, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """
    Negative log-likelihood of counts under a Poisson distribution.

    Parameters
    ----------
    log_input : bool, default True
        Whether the input is the logarithm of the rate.
    full : bool, default False
        Add Stirling's approximation of the constant term.
    size_average : bool, optional
        Old form of `reduction`.
    eps : float, default 1e-8
        Keeps the logarithm of a rate finite.
    reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.PoissonNLLLoss()(tp.tensor([0.0]), tp.tensor([2.0]))
    tensor(1.)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(
            input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """
    Negative log-likelihood under a normal distribution of given mean and variance.

    Parameters
    ----------
    full : bool, default False
        Add the constant term.
    eps : float, default 1e-6
        Smallest variance.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.GaussianNLLLoss()(tp.tensor([1.0]), tp.tensor([2.0]), tp.tensor([1.0]))
    tensor(0.5000)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """
    Logistic loss of targets ±1.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.SoftMarginLoss()(tp.tensor([0.0]), tp.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_Loss):
    """
    Hinge loss of classes.

    Parameters
    ----------
    p : int, default 1
        Exponent, 1 or 2.
    margin : float, default 1.0
        By how much the right class should win.
    weight : Tensor, optional
        Weight of each class.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.MultiMarginLoss()(tp.tensor([[1.0, 0.5]]), tp.tensor([0]))
    tensor(0.2500)
    """

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.p = p
        self.margin = margin
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(_Loss):
    """
    Hinge loss of several right classes a sample.

    Parameters
    ----------
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Notes
    -----
    Targets list the right classes, ended by -1.

    Examples
    --------
    >>> tp.nn.MultiLabelMarginLoss()(tp.tensor([[1.0, 0.5]]), tp.tensor([[0, -1]]))
    tensor(0.2500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_Loss):
    """
    Binary cross entropy of every class, from logits, averaged over the classes.

    Parameters
    ----------
    weight : Tensor, optional
        Weight of each class.
    size_average, reduce : bool, optional
        Old form of `reduction`.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.

    Examples
    --------
    >>> tp.nn.MultiLabelSoftMarginLoss()(tp.zeros(1, 2), tp.ones(1, 2))
    tensor(0.6931)
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class CTCLoss(_Loss):
    """
    Connectionist temporal classification: negative log-likelihood of label sequences over all alignments.

    Parameters
    ----------
    blank : int, default 0
        Index of the blank label.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the sequences; "mean" first divides each by the length of its target.
    zero_infinity : bool, default False
        Zero the loss of targets that are too long for their input.

    Notes
    -----
    Graves et al., Connectionist temporal classification, 2006.

    Examples
    --------
    >>> log_probs = tp.zeros(2, 1, 2).log_softmax(-1)
    >>> tp.nn.CTCLoss()(log_probs, tp.tensor([[1]]), tp.tensor([2]), tp.tensor([1]))
    tensor(0.2877)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(None, None, reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
