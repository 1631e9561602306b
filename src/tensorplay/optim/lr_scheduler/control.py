"""Schedulers that depend on a metric, or on other schedulers."""

from __future__ import annotations

import math
from typing import Any

from tensorplay.optim.lr_scheduler.base import LRScheduler
from tensorplay.optim.optimizer import Optimizer


class SequentialLR(LRScheduler):
    """
    Several schedulers, one after the other.

    Parameters
    ----------
    optimizer : Optimizer
        Of all of them.
    schedulers : list of LRScheduler
        In order.
    milestones : list of int
        Epochs at which the next one takes over.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Raises
    ------
    ValueError
        If numbers do not match, or a scheduler has another optimiser.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> warm = tp.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
    >>> fall = tp.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler = tp.optim.lr_scheduler.SequentialLR(optimizer, [warm, fall], [2])
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                f"SequentialLR: needs one milestone less than schedulers, got {len(milestones)} and {len(schedulers)}"
            )
        if any(scheduler.optimizer is not optimizer for scheduler in schedulers):
            raise ValueError("SequentialLR: all schedulers must have the given optimizer")
        self.optimizer = optimizer
        self.last_epoch = last_epoch + 1
        self._schedulers = schedulers
        self._milestones = milestones
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        self._start(schedulers[0])

    def _start(self, scheduler: Any) -> None:
        """Let a scheduler set the learning rates of its first epoch."""
        scheduler.last_epoch = -1
        scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def step(self) -> None:
        """Go to the next epoch and set the learning rates."""
        self.last_epoch += 1
        position = sum(milestone <= self.last_epoch for milestone in self._milestones)
        scheduler = self._schedulers[position]
        if position and self._milestones[position - 1] == self.last_epoch:
            self._restart(scheduler)
        else:
            scheduler.step()
            self._last_lr = scheduler.get_last_lr()

    def _restart(self, scheduler: Any) -> None:
        for group, base in zip(self.optimizer.param_groups, scheduler.base_lrs, strict=True):
            group["lr"] = base
        self._start(scheduler)

    def state_dict(self) -> dict[str, Any]:
        """Own state and that of each scheduler."""
        own = {"last_epoch": self.last_epoch, "_milestones": self._milestones, "_last_lr": self._last_lr}
        return {**own, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take back what `state_dict` gave."""
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(state)


class ReduceLROnPlateau(LRScheduler):
    """
    The learning rate times a factor when a metric stops improving.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    mode : {"min", "max"}, default "min"
        Whether smaller or larger metrics are better.
    factor : float, default 0.1
        The factor.
    patience : int, default 10
        Epochs without improvement that are borne.
    threshold : float, default 1e-4
        How much better counts as improvement.
    threshold_mode : {"rel", "abs"}, default "rel"
        Whether the threshold is a fraction of the best metric.
    cooldown : int, default 0
        Epochs after a reduction in which nothing is counted.
    min_lr : float or list of float, default 0
        Smallest learning rate, one for all groups or one each.
    eps : float, default 1e-8
        Smaller changes are not made.

    Raises
    ------
    ValueError
        If an option is unknown or out of range.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    >>> for loss in (1.0, 2.0):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1:
            raise ValueError(f"ReduceLROnPlateau: factor must be smaller than 1, got {factor}")
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ValueError(
                f"ReduceLROnPlateau: mode must be 'min' or 'max' and threshold_mode 'rel' or 'abs', got {mode!r} and "
                f"{threshold_mode!r}"
            )
        count = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * count
        if len(self.min_lrs) != count:
            raise ValueError(
                f"ReduceLROnPlateau: expected {count} smallest rates, one a group, got {len(self.min_lrs)}"
            )
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> None:  # type: ignore[override]
        """
        Go to the next epoch, and reduce the learning rates if the metric has not improved for too long.

        Parameters
        ----------
        metrics : float or Tensor
            The metric of this epoch.
        """
        current = float(metrics)
        self.last_epoch += 1
        if self._is_better(current):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _is_better(self, metric: float) -> bool:
        sign = 1 if self.mode == "max" else -1
        margin = self.threshold if self.threshold_mode == "abs" or math.isinf(self.best) else self.threshold * self.best
        return metric > self.best + margin if sign > 0 else metric < self.best - margin

    def _reduce(self) -> None:
        for group, smallest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            lr = max(group["lr"] * self.factor, smallest)
            if group["lr"] - lr > self.eps:
                group["lr"] = lr
