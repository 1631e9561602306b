"""RMSprop."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.rmsprop import rmsprop_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative


class RMSprop(ByTensor):
    """
    Steps scaled by a running average of squared gradients.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1e-2
        Step size.
    alpha : float, default 0.99
        Share of the average that is kept.
    eps : float, default 1e-8
        Added to the root of the average.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
    momentum : float, default 0
        Share of the last step that is kept.
    centered : bool, default False
        Scale by the variance of the gradients: subtract the square of their average.
    maximize : bool, default False
        Ascend.
    capturable, foreach, differentiable
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    Tieleman & Hinton, lecture 6.5 of Neural networks for machine learning, 2012; for `centered`, Graves, Generating
    sequences with recurrent neural networks, 2013.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.RMSprop([p], lr=0.05, alpha=0.75)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.9000])
    """

    _step = staticmethod(rmsprop_step)

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_non_negative("RMSprop", lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum)
        defaults = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        used = {"square_avg": True, "momentum_buffer": group["momentum"], "grad_avg": group["centered"]}
        return {name: 0.0 for name, wanted in used.items() if wanted}
