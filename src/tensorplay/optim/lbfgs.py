"""L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.optim.functional.stepping import Number
from tensorplay.optim.line_search import Point, strong_wolfe
from tensorplay.optim.optimizer import Optimizer, Params, check_non_negative
from tensorplay.tensor.autograd import enable_grad, no_grad
from tensorplay.tensor.functions.creation import zeros_like
from tensorplay.tensor.functions.shape import cat, view_as_complex, view_as_real
from tensorplay.tensor.tensor import Tensor


class LBFGS(Optimizer):
    """
    Steps of Newton's method, with curvature estimated from the last gradients.

    Parameters
    ----------
    params : iterable of Tensor, or of (str, Tensor)
        What to optimise; a single group.
    lr : float or Tensor, default 1
        Step size, or where the line search begins.
    max_iter : int, default 20
        Most iterations in one `step`.
    max_eval : int, optional
        Most evaluations in one `step`; by default 1.25 times `max_iter`.
    tolerance_grad : float, default 1e-7
        Largest entry of a gradient that counts as zero.
    tolerance_change : float, default 1e-9
        Change of the loss, or of all parameters, at which to stop.
    history_size : int, default 100
        How many gradients are remembered.
    line_search_fn : {None, "strong_wolfe"}
        How step sizes are found.

    Raises
    ------
    ValueError
        If an option is out of range, or there are several groups.

    Notes
    -----
    Liu & Nocedal, On the limited memory BFGS method for large scale optimization, 1989. ``step(closure)`` needs a
    function that forgets the gradients, computes the loss and its gradients anew, and returns the loss.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0, 2.0]))
    >>> optimizer = tp.optim.LBFGS([p], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((p - 3) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(5., grad_fn=<SumBackward>)
    >>> p.detach()
    tensor([3.0000, 3.0000])
    """

    def __init__(
        self,
        params: Params,
        lr: Number = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_non_negative("LBFGS", lr=lr, tolerance_grad=tolerance_grad, tolerance_change=tolerance_change)
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(f"LBFGS: line_search_fn must be None or 'strong_wolfe', got {line_search_fn!r}")
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError(f"LBFGS: all parameters must be in one group, got {len(self.param_groups)}")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """
        Change all parameters, in place, by up to `max_iter` iterations.

        Parameters
        ----------
        closure : callable
            Computes the loss and its gradients anew, and returns the loss.

        Returns
        -------
        object
            What `closure` returned first.

        Raises
        ------
        RuntimeError
            If there is no `closure`.

        Examples
        --------
        >>> p = tp.nn.Parameter(tp.tensor([1.0]))
        >>> def closure():
        ...     p.grad = None
        ...     loss = (p**2).sum()
        ...     loss.backward()
        ...     return loss
        >>> _ = tp.optim.LBFGS([p], line_search_fn="strong_wolfe").step(closure)
        >>> p.detach()
        tensor([0.])
        """
        if closure is None:
            raise RuntimeError("LBFGS.step(): it evaluates the loss several times; pass a closure that computes it")
        with enable_grad():
            first = closure()
        with no_grad():
            self._iterate(closure, float(first))
        return first

    def _iterate(self, closure: Callable[[], Any], loss: float) -> None:
        group = self.param_groups[0]
        memory = self.state[group["params"][0]]  # what belongs to all is kept with the first
        memory["func_evals"] = memory.get("func_evals", 0) + 1
        gradient, evaluated = self._gradient(), 1
        if _largest(gradient) <= group["tolerance_grad"]:
            return
        for number in range(1, group["max_iter"] + 1):
            memory["n_iter"] = memory.get("n_iter", 0) + 1
            direction = _direction(memory, gradient, group["history_size"])
            size = float(group["lr"]) * (min(1.0, 1 / float(gradient.abs().sum())) if memory["n_iter"] == 1 else 1.0)
            memory.update(d=direction, t=size, prev_flat_grad=gradient, prev_loss=loss)
            here = Point(0.0, loss, gradient, float(gradient.dot(direction)))
            if here.slope > -group["tolerance_change"]:
                return
            there, count = self._moved(closure, here, direction, size, number, evaluated)
            memory["t"] = there.size
            memory["func_evals"] += count
            evaluated += count
            loss, gradient = there.loss, there.gradient
            if evaluated >= group["max_eval"] or self._is_done(here, there, direction):
                return

    def _moved(
        self, closure: Callable[[], Any], here: Point, direction: Tensor, size: float, number: int, evaluated: int
    ) -> tuple[Point, int]:
        """Move along a direction; returns where that leads, and how many evaluations it took."""
        group = self.param_groups[0]
        start = [param.clone() for param in group["params"]]

        def evaluate(distance: float) -> Point:
            self._place(start, distance * direction)
            with enable_grad():
                loss = float(closure())
            gradient = self._gradient()
            return Point(distance, loss, gradient, float(gradient.dot(direction)))

        if group["line_search_fn"] is None:
            if number < group["max_iter"]:
                return evaluate(size), 1
            self._place(start, size * direction)
            return here._replace(size=size), 0  # nobody reads on
        most = group["max_eval"] - evaluated
        reach = _largest(direction)
        there, count = strong_wolfe(evaluate, here, size, reach, group["tolerance_change"], most)
        self._place(start, there.size * direction)
        return there, count

    def _is_done(self, here: Point, there: Point, direction: Tensor) -> bool:
        group = self.param_groups[0]
        if _largest(there.gradient) <= group["tolerance_grad"]:
            return True
        change = min(_largest(direction) * there.size, abs(there.loss - here.loss))
        return bool(change <= group["tolerance_change"])

    def _gradient(self) -> Any:
        """All gradients as one vector; those of complex parameters as pairs."""
        params = self.param_groups[0]["params"]
        grads = [zeros_like(param) if param.grad is None else param.grad.detach() for param in params]
        return cat([(view_as_real(grad) if grad.dtype.is_complex else grad).reshape(-1) for grad in grads])

    def _place(self, start: list[Tensor], move: Tensor) -> None:
        """Put the parameters where `move` leads from the start."""
        first = 0
        for param, origin in zip(self.param_groups[0]["params"], start, strict=True):
            pairs = origin.dtype.is_complex
            count = origin.numel() * (2 if pairs else 1)
            part = move[first : first + count].reshape((*origin.shape, 2) if pairs else origin.shape)
            param.copy_(origin + (view_as_complex(part) if pairs else part))
            first += count


def _largest(vector: Tensor) -> float:
    return float(vector.abs().max()) if vector.numel() else 0.0


def _direction(memory: dict[str, Any], gradient: Tensor, history_size: int) -> Any:
    """Minus the gradient, times the inverse of the Hessian as the remembered gradients let it seem."""
    if memory["n_iter"] == 1:
        memory.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
        return -gradient
    _remember(memory, gradient, history_size)
    pairs = list(zip(memory["old_stps"], memory["old_dirs"], memory["ro"], strict=True))
    out, shares = -gradient, []
    for move, change, ro in reversed(pairs):
        shares.append(float(move.dot(out)) * ro)
        out = out - shares[-1] * change
    out = out * memory["H_diag"]
    for (move, change, ro), share in zip(pairs, reversed(shares), strict=True):
        out = out + (share - float(change.dot(out)) * ro) * move
    return out


def _remember(memory: dict[str, Any], gradient: Tensor, history_size: int) -> None:
    """Note the last move and the change of the gradient, if curvature along it was positive."""
    move, change = memory["d"] * memory["t"], gradient - memory["prev_flat_grad"]
    curvature = float(change.dot(move))
    if curvature <= 1e-10:
        return
    memory["H_diag"] = curvature / float(change.dot(change))
    for name, entry in (("old_stps", move), ("old_dirs", change), ("ro", 1 / curvature)):
        memory[name] = [*memory[name], entry][-history_size:]
