"""
Random numbers: the default stream, its seed and its state.

May import `ops.random` and Tensor. Knows no transform: how draws behave under `vmap` is asked of the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorplay.ops.random import Generator, default_generator, manual_seed
from tensorplay.tensor.handle import wrap

__all__ = [
    "Generator",
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]


def seed() -> int:
    """
    Restart the default stream from a seed of the system, which is returned.

    Returns
    -------
    int
        The seed.

    Examples
    --------
    >>> tp.random.seed() == tp.random.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """
    The seed that the default stream was last started from.

    Returns
    -------
    int
        The seed.

    Examples
    --------
    >>> _ = tp.manual_seed(3)
    >>> tp.random.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """
    State of the default stream, for `set_rng_state`.

    Returns
    -------
    Tensor
        Bytes.

    Examples
    --------
    >>> state = tp.random.get_rng_state()
    >>> a = tp.rand(2)
    >>> tp.random.set_rng_state(state)
    >>> tp.equal(a, tp.rand(2))
    True
    """
    return wrap(default_generator.get_state())


def set_rng_state(new_state: Any) -> None:
    """
    Continue the default stream from a state.

    Parameters
    ----------
    new_state : Tensor
        What `get_rng_state` returned.

    Raises
    ------
    RuntimeError
        If it is no such state.

    Examples
    --------
    >>> tp.random.set_rng_state(tp.random.get_rng_state())
    """
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Iterable[Any] | None = None, enabled: bool = True, **_: Any) -> Iterator[None]:
    """
    Context in which draws do not change the default stream for what comes after it.

    Parameters
    ----------
    devices : iterable, optional
        Accepted for torch's sake; there is only the CPU.
    enabled : bool, default True
        False does nothing.

    Yields
    ------
    None
        The stream continues where it was before the block, once that ends.

    Examples
    --------
    >>> with tp.random.fork_rng():
    ...     _ = tp.rand(2)
    """
    if not enabled:
        yield
        return
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)
