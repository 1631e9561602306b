"""Adamax."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.adamax import adamax_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative, check_shares


class Adamax(ByTensor):
    """
    Adam with the largest gradients, which fade, in place of second moments.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 2e-3
        Step size.
    betas : tuple of float, default (0.9, 0.999)
        Share of the average that is kept, and of the largest gradients.
    eps : float, default 1e-8
        Added to the absolute gradients.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
    maximize : bool, default False
        Ascend.
    foreach, differentiable, capturable
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    Kingma & Ba, Adam: a method for stochastic optimization, 2015.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.Adamax([p], lr=0.5)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.5000])
    """

    _step = staticmethod(adamax_step)

    def __init__(
        self,
        params: Params,
        lr: Number = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_non_negative("Adamax", lr=lr, eps=eps, weight_decay=weight_decay)
        check_shares("Adamax", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"exp_avg": 0.0, "exp_inf": 0.0}
