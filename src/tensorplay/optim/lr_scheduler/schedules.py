"""Learning rates that are functions of the epoch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from tensorplay.optim.lr_scheduler.base import LRScheduler
from tensorplay.optim.optimizer import Optimizer

Rate = Callable[[int], float]


class LambdaLR(LRScheduler):
    """
    The initial learning rate times a function of the epoch.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    lr_lambda : callable or list of callable
        Factor by epoch, one for all groups or one each.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Rate | list[Rate], last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(lambdas) != count:
            raise ValueError(f"LambdaLR: expected {count} functions, one a group, got {len(lambdas)}")
        self.lr_lambdas = lambdas
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """
        Learning rate of each group in this epoch.

        Returns
        -------
        list of float
            One a group.
        """
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class MultiplicativeLR(LRScheduler):
    """
    The learning rate of the epoch before times a function of the epoch.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    lr_lambda : callable or list of callable
        Factor by epoch, one for all groups or one each.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Rate | list[Rate], last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(lambdas) != count:
            raise ValueError(f"MultiplicativeLR: expected {count} functions, one a group, got {len(lambdas)}")
        self.lr_lambdas = lambdas
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """
        Learning rate of each group in this epoch.

        Returns
        -------
        list of float
            One a group.
        """
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.last_epoch == 0:
            return rates
        return [lr * factor(self.last_epoch) for lr, factor in zip(rates, self.lr_lambdas, strict=True)]


class StepLR(LRScheduler):
    """
    The learning rate times a factor every few epochs.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    step_size : int
        How many epochs.
    gamma : float, default 0.1
        The factor.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.StepLR(optimizer, 1)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        return lr * self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else lr


class MultiStepLR(LRScheduler):
    """
    The learning rate times a factor at given epochs.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    milestones : iterable of int
        The epochs.
    gamma : float, default 0.1
        The factor.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.MultiStepLR(optimizer, [1, 4])
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        return lr * self.gamma ** self.milestones[self.last_epoch]


class ConstantLR(LRScheduler):
    """
    The learning rate times a factor until an epoch.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    factor : float, default 1.0 / 3
        The factor.
    total_iters : int, default 5
        The epoch.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.ConstantLR(optimizer, 0.5)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"ConstantLR: factor must lie in [0, 1], got {factor}")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        if self.last_epoch == 0:
            return lr * self.factor
        return lr / self.factor if self.last_epoch == self.total_iters else lr


class LinearLR(LRScheduler):
    """
    The learning rate times a factor that changes linearly until an epoch.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    start_factor : float, default 1.0 / 3
        Factor at the start.
    end_factor : float, default 1.0
        Factor at the end.
    total_iters : int, default 5
        The epoch of the end.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.75]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError(f"LinearLR: start_factor must lie in (0, 1], got {start_factor}")
        if not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR: end_factor must lie in [0, 1], got {end_factor}")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        if self.last_epoch == 0:
            return lr * self.start_factor
        if self.last_epoch > self.total_iters:
            return lr
        slope = self.end_factor - self.start_factor
        return lr * (1 + slope / (self.total_iters * self.start_factor + (self.last_epoch - 1) * slope))


class ExponentialLR(LRScheduler):
    """
    The learning rate times a factor every epoch.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    gamma : float
        The factor.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        return lr * self.gamma if self.last_epoch else lr


class CosineAnnealingLR(LRScheduler):
    """
    A learning rate that falls, and rises again, along a cosine.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    T_max : int
        Epochs until the smallest one.
    eta_min : float, default 0.0
        The smallest one.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.CosineAnnealingLR(optimizer, 2)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        epoch, half = self.last_epoch, self.T_max
        if epoch == 0:
            return lr
        if (epoch - 1 - half) % (2 * half) == 0:
            return lr + (base - self.eta_min) * (1 - math.cos(math.pi / half)) / 2
        ratio = (1 + math.cos(math.pi * epoch / half)) / (1 + math.cos(math.pi * (epoch - 1) / half))
        return ratio * (lr - self.eta_min) + self.eta_min


class PolynomialLR(LRScheduler):
    """
    A learning rate that falls to zero along a polynomial.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    total_iters : int, default 5
        Epochs until zero.
    power : float, default 1.0
        The exponent.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.PolynomialLR(optimizer, 2)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _next(self, lr: Any, base: Any) -> Any:
        epoch, total = self.last_epoch, self.total_iters
        if epoch == 0 or epoch > total:
            return lr
        return lr * ((1 - epoch / total) / (1 - (epoch - 1) / total)) ** self.power
