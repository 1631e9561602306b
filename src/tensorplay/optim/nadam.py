"""NAdam."""

from __future__ import annotations

from typing import Any

from tensorplay.dtypes import float64
from tensorplay.optim.functional.nadam import nadam_step, nesterov_weights
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative, check_shares
from tensorplay.tensor.factories import tensor


class NAdam(ByTensor):
    """
    Adam with the momentum of Nesterov, which looks ahead.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 2e-3
        Step size.
    betas : tuple of float, default (0.9, 0.999)
        Shares of the first and second moments that are kept.
    eps : float, default 1e-8
        Added to the root of the second moments.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
    momentum_decay : float, default 4e-3
        How quickly the momentum grows to the first of `betas`.
    decoupled_weight_decay : bool, default False
        Shrink the parameters instead of changing the gradient.
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
    Dozat, Incorporating Nesterov momentum into Adam, 2016.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.NAdam([p], lr=0.25)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.7359])
    """

    _step = staticmethod(nadam_step)
    _only_first = ("momentum_decay",)

    def __init__(
        self,
        params: Params,
        lr: Number = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_non_negative("NAdam", lr=lr, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay)
        check_shares("NAdam", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0}

    def _options(self, count: float, state: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
        product = float(state.get("mu_product", 1.0))
        product, weights = nesterov_weights(count, product, group["betas"][0], group["momentum_decay"])
        state["mu_product"] = tensor(product, dtype=float64)
        return {**super()._options(count, state, group), "weights": weights}
