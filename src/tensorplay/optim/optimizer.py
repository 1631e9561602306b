"""Optimizer: groups of parameters, their state, and how both are saved."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tensorplay.optim.functional.stepping import filled_like
from tensorplay.tensor.autograd import enable_grad, no_grad
from tensorplay.tensor.factories import tensor
from tensorplay.tensor.functions.creation import zeros_like
from tensorplay.tensor.tensor import Tensor


class Optimizer:
    """
    Base of all optimisers.

    Parameters
    ----------
    params : iterable of Tensor, of (str, Tensor), or of dict
        What to optimise; a dict is a group, with `params` and options of its own.
    defaults : dict
        Options of groups that do not name them.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.ones(1))
    >>> tp.optim.SGD([p], lr=0.5).param_groups[0]["lr"]
    0.5
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(f"{type(self).__name__}: params must be an iterable of tensors or dicts, got a tensor")
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError(f"{type(self).__name__}: got an empty list of parameters")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """
        Add parameters with options of their own.

        Parameters
        ----------
        param_group : dict
            `params`, and options that differ from the defaults.

        Raises
        ------
        TypeError, ValueError
            If a parameter is no leaf tensor, or is optimised already.

        Examples
        --------
        >>> optimizer = tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=0.5)
        >>> optimizer.add_param_group({"params": tp.nn.Parameter(tp.ones(1)), "lr": 0.1})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.5, 0.1]
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"{type(self).__name__}: a group must be a dict, got {type(param_group).__name__}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(f"{type(self).__name__}: parameters must be ordered, got a set; use a list")
        entries = [given] if isinstance(given, Tensor) else list(given)
        names = [entry[0] for entry in entries if isinstance(entry, tuple)]
        params = [entry[1] if isinstance(entry, tuple) else entry for entry in entries]
        self._check_parameters(params)
        group = {**self.defaults, **param_group, "params": params}
        self.param_groups.append({**group, "param_names": names} if names else group)

    def _check_parameters(self, params: list[Any]) -> None:
        name = type(self).__name__
        known = {id(param) for group in self.param_groups for param in group["params"]}
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"{name}: can only optimise tensors, got {type(param).__name__}")
            if not param.is_leaf:
                raise ValueError(f"{name}: can't optimise a non-leaf tensor of shape {list(param.shape)}")
            if id(param) in known:
                raise ValueError(f"{name}: some parameters appear in more than one group, or twice in one")
            known.add(id(param))

    def zero_grad(self, set_to_none: bool = True) -> None:
        """
        Forget the gradients of all parameters.

        Parameters
        ----------
        set_to_none : bool, default True
            None instead of zeros.

        Examples
        --------
        >>> p = tp.nn.Parameter(tp.ones(1))
        >>> p.sum().backward()
        >>> tp.optim.SGD([p]).zero_grad()
        >>> p.grad is None
        True
        """
        for group in self.param_groups:
            for param in group["params"]:
                if param.grad is not None:
                    param.grad = None if set_to_none else zeros_like(param.grad)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """
        Change all parameters that have a gradient, in place.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss and its gradients anew, and returns the loss.

        Returns
        -------
        object
            What `closure` returned, or None.

        Examples
        --------
        >>> p = tp.nn.Parameter(tp.ones(1))
        >>> p.sum().backward()
        >>> tp.optim.SGD([p], lr=0.25).step()
        >>> p.detach()
        tensor([0.7500])
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        param.copy_(self._updated(param.detach(), param.grad.detach(), self.state[param], group))
        return loss

    def _updated(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> Tensor:
        """The parameter after a step; `state` is brought up to date."""
        raise NotImplementedError(f"{type(self).__name__} does not say how a parameter is updated")

    def state_dict(self) -> dict[str, Any]:
        """
        State and options, with parameters as numbers in order.

        Returns
        -------
        dict
            With keys `state` and `param_groups`.

        Examples
        --------
        >>> tp.optim.SGD([tp.nn.Parameter(tp.ones(1))]).state_dict()["param_groups"][0]["params"]
        [0]
        """
        numbers = {id(param): number for number, param in enumerate(self._all_params())}
        groups = [{**group, "params": [numbers[id(param)] for param in group["params"]]} for group in self.param_groups]
        state = {numbers[id(param)]: dict(entry) for param, entry in self.state.items() if entry}
        return {"state": state, "param_groups": groups}

    def _all_params(self) -> list[Tensor]:
        return [param for group in self.param_groups for param in group["params"]]

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """
        Take back what `state_dict` gave.

        Parameters
        ----------
        state_dict : dict
            Of an optimiser with as many groups and parameters.

        Raises
        ------
        ValueError
            If groups or parameters differ in number.

        Examples
        --------
        >>> a, b = (tp.optim.SGD([tp.nn.Parameter(tp.ones(1))], lr=lr) for lr in (0.1, 0.2))
        >>> b.load_state_dict(a.state_dict())
        >>> b.param_groups[0]["lr"]
        0.1
        """
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError(
                f"load_state_dict: the state has {len(saved)} parameter groups, this optimiser {len(self.param_groups)}"
            )
        for number, (old, new) in enumerate(zip(self.param_groups, saved, strict=True)):
            if len(old["params"]) != len(new["params"]):
                raise ValueError(
                    f"load_state_dict: group {number} has {len(new['params'])} parameters in the state, "
                    f"{len(old['params'])} in this optimiser"
                )
        numbers = [number for group in saved for number in group["params"]]
        by_number = dict(zip(numbers, self._all_params(), strict=True))
        self.state = defaultdict(dict)
        for number, entry in state_dict["state"].items():
            param = by_number[int(number)]
            self.state[param] = {key: _fitted(key, value, param) for key, value in entry.items()}
        self.param_groups = [
            {**copy.deepcopy(dict(new)), "params": old["params"]}
            for old, new in zip(self.param_groups, saved, strict=True)
        ]

    def __repr__(self) -> str:
        blocks = []
        for number, group in enumerate(self.param_groups):
            options = [f"    {key}: {value}" for key, value in sorted(group.items()) if not key.startswith("param")]
            blocks.append("\n".join([f"Parameter Group {number}", *options]))
        return f"{type(self).__name__} (\n" + "\n\n".join(blocks) + "\n)"


class ByTensor(Optimizer):
    """Optimisers whose step changes each parameter by itself, by what they keep for it: a count, tensors like it."""

    _step: Callable[..., tuple[Tensor, dict[str, Any]]]
    _only_first: tuple[str, ...] = ()  # options that say what is kept at first, and mean nothing to the step

    def _first(self, group: dict[str, Any]) -> dict[str, Any]:
        """Names of what is kept, and the number that each is filled with at first."""
        raise NotImplementedError

    def _options(self, count: float, state: dict[str, Any], group: dict[str, Any]) -> dict[str, Any]:
        """What the step is told besides."""
        return {name: group[name] for name in self.defaults if name not in self._only_first}

    def _updated(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> Tensor:
        state["step"] = state["step"] + 1 if "step" in state else tensor(1.0)
        count = float(state["step"])
        first = self._first(group)
        kept = {name: state[name] if name in state else filled_like(param, first[name]) for name in first}
        new, after = self._step(param, grad, kept, count, **self._options(count, state, group))
        state.update(after)
        return new


def _fitted(key: str, value: Any, param: Tensor) -> Any:
    """A copy of an entry of a saved state, in the dtype of the parameter unless it belongs to the count of steps."""
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    return value.detach().clone() if key in ("step", "mu_product") else value.detach().clone().to(param.dtype)


def check_non_negative(name: str, **options: Any) -> None:
    """Raise unless every option is zero or positive."""
    for option, value in options.items():
        if not isinstance(value, Tensor) and value < 0:
            raise ValueError(f"{name}: {option} must not be negative, got {value}")


def check_shares(name: str, betas: tuple[float, float]) -> None:
    """Raise unless both are shares of something that is kept."""
    if not all(isinstance(beta, Tensor) or 0 <= beta < 1 for beta in betas):
        raise ValueError(f"{name}: betas must lie in [0, 1), got {betas}")


Params = Iterable[Any]
