"""Adadelta."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.adadelta import adadelta_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative


class Adadelta(ByTensor):
    """
    Steps scaled by running averages of squared gradients and squared steps.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1.0
        Step size.
    rho : float, default 0.9
        Share of the averages that is kept.
    eps : float, default 1e-6
        Added to the averages.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
    maximize : bool, default False
        Ascend.
    foreach, capturable, differentiable
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    Zeiler, Adadelta: an adaptive learning rate method, 2012.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.Adadelta([p], rho=0.75, eps=1e-2)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.8010])
    """

    _step = staticmethod(adadelta_step)

    def __init__(
        self,
        params: Params,
        lr: Number = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_non_negative("Adadelta", lr=lr, eps=eps, weight_decay=weight_decay)
        if not 0 <= rho <= 1:
            raise ValueError(f"Adadelta: rho must lie in [0, 1], got {rho}")
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"square_avg": 0.0, "acc_delta": 0.0}
