"""The base of all schedulers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorplay.optim.optimizer import Optimizer


class LRScheduler:
    """
    Base of schedulers that compute each group's learning rate from the one before.

    Parameters
    ----------
    optimizer : Optimizer
        Whose groups get new learning rates.
    last_epoch : int, default -1
        Epoch to resume from; -1 starts anew.

    Raises
    ------
    KeyError
        If it resumes and a group has no `initial_lr`.

    Examples
    --------
    >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
    >>> scheduler = tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(self).__name__}: expected an Optimizer, got {type(optimizer).__name__}")
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"{type(self).__name__}: group {number} needs an 'initial_lr' to resume from an epoch")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def get_lr(self) -> list[Any]:
        """
        Learning rate of each group in this epoch.

        Returns
        -------
        list of float
            One a group.

        Examples
        --------
        >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
        >>> tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5).get_lr()
        [1.0]
        """
        return [
            self._next(group["lr"], base)
            for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True)
        ]

    def _next(self, lr: Any, base: Any) -> Any:
        """The learning rate that follows `lr`; `base` is where it started."""
        raise NotImplementedError(f"{type(self).__name__} does not say how the learning rate changes")

    def get_last_lr(self) -> list[Any]:
        """
        Learning rate of each group as it was last set.

        Returns
        -------
        list of float
            One a group.

        Examples
        --------
        >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
        >>> tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5).get_last_lr()
        [1.0]
        """
        return self._last_lr

    def step(self) -> None:
        """
        Go to the next epoch and set the learning rates.

        Examples
        --------
        >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
        >>> tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5).step()
        >>> optimizer.param_groups[0]["lr"]
        0.5
        """
        self.last_epoch += 1
        self._set(self.get_lr())

    def _set(self, rates: Sequence[Any]) -> None:
        for group, lr in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = lr
        self._last_lr = list(rates)

    def state_dict(self) -> dict[str, Any]:
        """
        Everything but the optimiser and functions.

        Returns
        -------
        dict
            For `load_state_dict`.

        Examples
        --------
        >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
        >>> tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5).state_dict()["last_epoch"]
        0
        """
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """
        Take back what `state_dict` gave.

        Parameters
        ----------
        state_dict : dict
            Of a scheduler of this kind.

        Examples
        --------
        >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=1.0)
        >>> scheduler = tp.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> scheduler.load_state_dict(scheduler.state_dict())
        """
        self.__dict__.update(state_dict)
