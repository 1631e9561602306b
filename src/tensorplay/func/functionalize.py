"""functionalize: the same function without writes to memory while it runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorplay.core.modes import views_copied
from tensorplay.func.arguments import need_option, title_of
from tensorplay.tensor.handle import Pending, held_back


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """
    A function with the results of `func` that writes to no tensor's memory while it runs.

    Parameters
    ----------
    func : callable
        May write to tensors in place: ones it made, its arguments, captured ones.
    remove : {"mutations", "mutations_and_views"}, default "mutations"
        With the second, views are copies too.

    Returns
    -------
    callable
        Tensors from outside that `func` writes to receive their final value once, at the end.

    Raises
    ------
    ValueError
        If `remove` is neither of the two.
    TypeError
        If `func` is not callable.

    Examples
    --------
    >>> def f(x):
    ...     y = x.clone()
    ...     y[0] = 5.0
    ...     return y
    >>> tp.func.functionalize(f)(tp.zeros(2))
    tensor([5., 0.])
    """
    title = title_of("functionalize", func)
    need_option(title, "remove", remove, ("mutations", "mutations_and_views"))

    @functools.wraps(func)
    def functional(*args: Any, **kwargs: Any) -> Any:
        outer, pending = held_back.get(), Pending()
        held = held_back.set(pending)
        copied = views_copied.set(views_copied.get() or remove == "mutations_and_views")
        try:
            result = func(*args, **kwargs)
        except BaseException:
            pending.discard()
            raise
        finally:
            views_copied.reset(copied)
            held_back.reset(held)
        pending.commit(outer)
        return result

    return functional
