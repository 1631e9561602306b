"""Adagrad."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.adagrad import adagrad_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative


class Adagrad(ByTensor):
    """
    Steps scaled by the sum of all squared gradients.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1e-2
        Step size.
    lr_decay : float, default 0
        By how much of itself the step size shrinks with each step.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
    initial_accumulator_value : float, default 0
        What the sum starts from.
    eps : float, default 1e-10
        Added to the root of the sum.
    maximize : bool, default False
        Ascend.
    foreach, differentiable, fused
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.

    Raises
    ------
    ValueError
        If an option is out of range.

    Notes
    -----
    Duchi, Hazan & Singer, Adaptive subgradient methods for online learning and stochastic optimization, 2011.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.Adagrad([p], lr=0.5)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.5000])
    """

    _step = staticmethod(adagrad_step)
    _only_first = ("initial_accumulator_value",)

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_non_negative(
            "Adagrad",
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"sum": group["initial_accumulator_value"]}
