"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.sgd import sgd_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import Optimizer, Params, check_non_negative
from tensorplay.tensor.tensor import Tensor


class SGD(Optimizer):
    """
    Gradient descent, with momentum if asked for.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1e-3
        Step size.
    momentum : float, default 0
        Share of the last direction that is kept.
    dampening : float, default 0
        Share of the gradient that is left out of the momentum.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
    nesterov : bool, default False
        Look ahead along the momentum.
    maximize : bool, default False
        Ascend.
    foreach, differentiable, fused
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.

    Raises
    ------
    ValueError
        If an option is out of range.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.SGD([p], lr=0.5)
    >>> (p * 3).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([-0.5000])
    """

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Number = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_non_negative("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                f"SGD: nesterov needs a momentum and no dampening, got momentum={momentum}, dampening={dampening}"
            )
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _updated(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> Tensor:
        new, buffer = sgd_step(
            param,
            grad,
            state.get("momentum_buffer"),
            group["lr"],
            group["momentum"],
            1 - group["dampening"],
            group["weight_decay"],
            group["nesterov"],
            group["maximize"],
        )
        if group["momentum"]:
            # the first momentum may be the gradient itself, which the next backward adds to
            state["momentum_buffer"] = buffer.clone() if buffer is grad else buffer
        return new
