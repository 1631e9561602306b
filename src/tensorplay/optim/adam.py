"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.adam import adam_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative, check_shares


class Adam(ByTensor):
    """
    Steps scaled by running averages of gradients and squared gradients.

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
    amsgrad : bool, default False
        Use the largest second moments so far.
    foreach
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.
    maximize : bool, default False
        Ascend.
    capturable, differentiable, fused
        Accepted; they do not change the result. To differentiate a step, see `tensorplay.optim.functional`.
    decoupled_weight_decay : bool, default False
        Shrink the parameters instead of changing the gradient, as `AdamW`.

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
    >>> optimizer = tp.optim.Adam([p], lr=0.5)
    >>> (p * 3).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.5000])
    """

    _step = staticmethod(adam_step)

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        name = type(self).__name__
        check_non_negative(name, lr=lr, eps=eps, weight_decay=weight_decay)
        check_shares(name, betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        kinds = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")[: 3 if group["amsgrad"] else 2]
        return dict.fromkeys(kinds, 0.0)


class AdamW(Adam):
    """
    Adam with decoupled weight decay.

    Parameters
    ----------
    params, lr, betas, eps
        As for `Adam`.
    weight_decay : float, default 1e-2
        Factor, times `lr`, by which the parameters shrink.
    amsgrad, maximize, foreach, capturable, differentiable, fused
        As for `Adam`.

    Notes
    -----
    Loshchilov & Hutter, Decoupled weight decay regularization, 2019.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.AdamW([p], lr=0.5, weight_decay=0.0)
    >>> (p * 3).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.5000])
    """

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True)
