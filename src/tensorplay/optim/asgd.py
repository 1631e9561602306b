"""ASGD."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.asgd import asgd_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative


class ASGD(ByTensor):
    """
    Gradient descent with steps that shrink, and the average of the parameters on the way.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1e-2
        Step size.
    lambd : float, default 1e-4
        Factor, times the step size, by which the parameters shrink.
    alpha : float, default 0.75
        Power of the shrinking of steps.
    t0 : float, default 1e6
        Step from which on the parameters are averaged.
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
    Polyak & Juditsky, Acceleration of stochastic approximation by averaging, 1992. The size of each step follows
    from `lr` as it is then.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.ASGD([p], lr=0.25, lambd=0.0)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.5000])
    """

    _step = staticmethod(asgd_step)

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_non_negative("ASGD", lr=lr, weight_decay=weight_decay)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"ax": 0.0}
