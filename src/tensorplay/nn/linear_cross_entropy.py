"""A linear map to logits together with the cross entropy of the classes."""

from __future__ import annotations

import math
from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.linear import Linear
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class LinearCrossEntropyLoss(Module):
    """
    Cross entropy of classes, from logits that a learned linear map makes of the input.

    Parameters
    ----------
    in_features : int
        Size of the last dim of the input.
    num_classes : int
        Number of classes.
    out_features : tuple of int, default ()
        Dims of the target after the batch; each of their positions has logits of its own.
    bias : bool, default False
        Whether the linear map has a bias.
    device, dtype
        Of the parameters.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the losses of the elements.
    weight : Tensor, optional
        Weight of each class.
    ignore_index : int, optional
        Targets of this class do not count; -100 by default.
    label_smoothing : float, default 0.0
        Share of every target that is spread evenly over the classes.
    options : object, optional
        Accepted; it does not change the result.

    Examples
    --------
    >>> tp.nn.LinearCrossEntropyLoss(3, 2)(tp.zeros(4, 3), tp.tensor([0, 1, 0, 1])).detach()
    tensor(0.6931)
    """

    weight: Tensor | None

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        self.bias = bias
        self.reduction = reduction
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.options = options
        self.linear = Linear(in_features, num_classes * math.prod(self.out_features), bias, device, dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        logits = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape(*logits, self.in_features),
            target,
            linear_bias=None if bias is None else bias.reshape(logits),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        sizes = f"in_features={self.in_features}, num_classes={self.num_classes}, out_features={self.out_features}"
        loss = f"reduction={self.reduction}, ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}"
        return f"{sizes}, bias={self.bias}, {loss}, options={self.options}"
