"""Rprop."""

from __future__ import annotations

from typing import Any

from tensorplay.optim.functional.rprop import rprop_step
from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.optimizer import ByTensor, Params, check_non_negative


class Rprop(ByTensor):
    """
    Steps whose sizes grow while the sign of the gradient stays, and shrink when it changes.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise.
    lr : float or Tensor, default 1e-2
        Size of the first step.
    etas : tuple of float, default (0.5, 1.2)
        By what sizes shrink and grow.
    step_sizes : tuple of float, default (1e-6, 50)
        Smallest and largest size.
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
    Riedmiller & Braun, A direct adaptive method for faster backpropagation learning, 1993.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0]))
    >>> optimizer = tp.optim.Rprop([p], lr=0.25)
    >>> (p * 2).sum().backward()
    >>> optimizer.step()
    >>> p.detach()
    tensor([0.7500])
    """

    _step = staticmethod(rprop_step)
    _only_first = ("lr",)

    def __init__(
        self,
        params: Params,
        lr: Number = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_non_negative("Rprop", lr=lr)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Rprop: etas must lie on both sides of 1, and be positive, got {etas}")
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        return {"prev": 0.0, "step_size": group["lr"]}
