"""Softmax over many classes, of which rare ones are clustered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tensorplay.nn import functional as F
from tensorplay.nn.containers import ModuleList, Sequential
from tensorplay.nn.linear import Linear
from tensorplay.nn.module import Module
from tensorplay.tensor.functions.shape import cat
from tensorplay.tensor.tensor import Tensor


class AdaptiveOutput(NamedTuple):
    """
    What `AdaptiveLogSoftmaxWithLoss` returns: log-probabilities of the targets, and their mean with the sign changed.

    Examples
    --------
    >>> model = tp.nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2])
    >>> out = model(tp.zeros(3, 4), tp.tensor([0, 2, 5]))
    >>> out.output.shape
    tensorplay.Size([3])
    """

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """
    Log-probabilities of many classes, of which rare ones share a cluster with fewer features.

    Parameters
    ----------
    in_features : int
        Features of the input.
    n_classes : int
        Number of classes, ordered from frequent to rare.
    cutoffs : sequence of int
        Increasing; classes below the first stand alone, classes between two of them form a cluster.
    div_value : float, default 4.0
        By how much the features shrink from cluster to cluster.
    head_bias : bool, default False
        Whether the head has a bias.
    device, dtype
        Of the parameters.

    Notes
    -----
    ``forward(input, target)`` gives `AdaptiveOutput`. Grave et al., Efficient softmax approximation for GPUs, 2017.

    Examples
    --------
    >>> tp.nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]).log_prob(tp.zeros(3, 4)).shape
    tensorplay.Size([3, 6])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        bounds = list(cutoffs)
        if not bounds or bounds != sorted(set(bounds)) or bounds[0] <= 0 or bounds[-1] > n_classes - 1:
            raise ValueError(
                f"AdaptiveLogSoftmaxWithLoss: cutoffs must increase from 1 to at most n_classes - 1, got {cutoffs}"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*bounds, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = bounds[0]
        self.n_clusters = len(bounds)
        self.head_size = self.shortlist_size + self.n_clusters
        options: dict[str, Any] = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **options)
        self.tail = ModuleList([self._cluster(number, options) for number in range(self.n_clusters)])

    def _cluster(self, number: int, options: dict[str, Any]) -> Sequential:
        hidden = int(self.in_features // self.div_value ** (number + 1))
        size = self.cutoffs[number + 1] - self.cutoffs[number]
        return Sequential(
            Linear(self.in_features, hidden, bias=False, **options), Linear(hidden, size, bias=False, **options)
        )

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        self.head.reset_parameters()
        for down, out in self.tail:
            down.reset_parameters()
            out.reset_parameters()

    def log_prob(self, input: Tensor) -> Tensor:
        """
        Log-probabilities of all classes.

        Parameters
        ----------
        input : Tensor
            Shape (N, in_features) or (in_features).

        Returns
        -------
        Tensor
            Shape (N, n_classes) or (n_classes).

        Examples
        --------
        >>> tp.nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]).log_prob(tp.zeros(4)).shape
        tensorplay.Size([6])
        """
        head = F.log_softmax(self.head(input), -1)
        pieces = [head[..., : self.shortlist_size]]
        for number, cluster in enumerate(self.tail):
            position = self.shortlist_size + number
            pieces.append(F.log_softmax(cluster(input), -1) + head[..., position : position + 1])
        return cat(pieces, -1)

    def predict(self, input: Tensor) -> Tensor:
        """
        The most likely class.

        Parameters
        ----------
        input : Tensor
            Shape (N, in_features) or (in_features).

        Returns
        -------
        Tensor
            Integers, shape (N) or ().

        Examples
        --------
        >>> tp.nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]).predict(tp.zeros(3, 4)).shape
        tensorplay.Size([3])
        """
        return self.log_prob(input).argmax(-1)

    def forward(self, input: Tensor, target: Tensor) -> AdaptiveOutput:
        if input.ndim - 1 != target.ndim or input.shape[:-1] != target.shape:
            raise RuntimeError(
                f"AdaptiveLogSoftmaxWithLoss: expected input (N, in_features) and target (N), got shapes "
                f"{list(input.shape)} and {list(target.shape)}"
            )
        output = self.log_prob(input).gather(-1, target.unsqueeze(-1)).squeeze(-1)
        return AdaptiveOutput(output, -output.mean())
