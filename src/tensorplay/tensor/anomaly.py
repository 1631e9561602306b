"""detect_anomaly: which operator makes the first NaN or infinity, on which line, in which mode and sample."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from tensorplay.interpreters.watch import Watch, watch

F = TypeVar("F", bound=Callable[..., Any])


class set_detect_anomaly:
    """
    Watch for NaN and infinity from now on, or no longer; as a context manager, until its end.

    Parameters
    ----------
    mode : bool
        Whether to watch. False exempts what makes a NaN on purpose within `detect_anomaly`.
    check_nan : bool, default True
        Whether a NaN is an anomaly.
    check_inf : bool, default False
        Whether an infinity is one.

    See Also
    --------
    detect_anomaly : Says what is found.

    Examples
    --------
    >>> with tp.autograd.detect_anomaly():
    ...     x = tp.tensor([0.0, 1.0])
    ...     with tp.autograd.set_detect_anomaly(False):
    ...         ratio = x / x
    ...     y = tp.where(x > 0, ratio, 0.0)
    >>> y
    tensor([0., 1.])
    """

    def __init__(self, mode: bool, check_nan: bool = True, check_inf: bool = False) -> None:
        self._previous = watch(Watch(check_nan, check_inf) if mode else None)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        watch(self._previous)


class detect_anomaly:
    """
    Context (or decorator) in which the first operator that makes a NaN raises an error that tells where.

    The operator that is named gave a NaN though nothing it was computed from was one, in that sample and, for
    elementwise operators, at that element. The error gives its name and line, whether it was its value or its
    derivative (a tangent or cotangent; then the line is that of the operator which is differentiated), the sample under
    each `vmap`, the element, and the operands if they are single numbers. It works in and around every transform, in
    threads and tasks each for itself, and costs nothing when no one watches.

    Parameters
    ----------
    check_nan : bool, default True
        Whether a NaN is an anomaly.
    check_inf : bool, default False
        Whether an infinity is one: from finite operands.

    Raises
    ------
    AnomalyError
        A RuntimeError with the attributes `operator`, `line`, `mode`, `sample`, `index`.

    See Also
    --------
    set_detect_anomaly : Exempts a part of the computation.

    Notes
    -----
    What is computed is looked at, also what `where` then drops; of `tensorplay.cond`, in each sample only the branch
    that it takes. A NaN that an operator makes and puts right by itself is no anomaly, nor is an infinite derivative
    that meets a cotangent of zero: zero wins.

    Examples
    --------
    >>> def loss(x):
    ...     return x.sqrt().sum()
    >>> x = tp.tensor([[4.0, 1.0], [9.0, 0.0]])
    >>> with tp.autograd.detect_anomaly(check_inf=True):
    ...     try:
    ...         tp.func.vmap(tp.func.grad(loss))(x)
    ...     except tp.autograd.AnomalyError as error:
    ...         print(error.operator, error.mode, error.sample, error.index)
    sqrt derivative 1 (1,)
    """

    def __init__(self, check_nan: bool = True, check_inf: bool = False) -> None:
        self._wanted = Watch(check_nan, check_inf)
        self._previous: list[Watch | None] = []

    def __enter__(self) -> None:
        self._previous.append(watch(self._wanted))

    def __exit__(self, *_: object) -> None:
        watch(self._previous.pop())

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self._wanted.nan, self._wanted.inf):
                return function(*args, **kwargs)

        return watched  # type: ignore[return-value]
