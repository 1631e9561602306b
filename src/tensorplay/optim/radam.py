"""RAdam."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.radam import radam_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative, check_shares


class RAdam(ByTensor):
    """
    Adam that takes plain steps until the second moments are well known.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1e-3
        Step size.
    betas : tuple of float, default (0.9, 0.999)
        Shares of the first and second moments that are kept.
    eps : float, default 1e-8
        Added to the root of the second moments.
    weight_decay : float, default 0
        Factor of the parameters that is added to the gradient.
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
    Liu et al., On the variance of the adaptive learning rate and beyond, 2020.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.RAdam([p], lr=0.25)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.5000])
    """

    _step = staticmethod(radam_step)

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_non_negative("RAdam", lr=lr, eps=eps, weight_decay=weight_decay)
        check_shares("RAdam", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"exp_avg": 0.0, "exp_avg_sq": 0.0}
