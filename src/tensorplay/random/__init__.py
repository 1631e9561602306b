"""
Random numbers: generators, the default stream, its seed and its state.

May import `ops.streams` and Tensor. Knows no transform: how draws behave under `vmap` is asked of the stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tensorplay.ops.streams import default_stream, forked
from tensorplay.random.generator import Generator, default_generator

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


def manual_seed(seed: int) -> Generator:
    """
    Restart the default stream of random numbers from a seed.

    Parameters
    ----------
    seed : int
        Any int; the same seed gives the same numbers.

    Returns
    -------
    Generator
        The default one.

    Raises
    ------
    TypeError
        If `seed` is no number.

    Examples
    --------
    >>> _ = tp.manual_seed(0)
    """
    return default_generator.manual_seed(seed)


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
    return default_generator.get_state()


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
    Context in which the default stream is a copy, so that it continues afterwards where it was before.

    Parameters
    ----------
    devices : iterable, optional
        Accepted for torch's sake; there is only the CPU.
    enabled : bool, default True
        False does nothing.

    Yields
    ------
    None
        Draws, seeds and states inside are those of the copy, which belongs to this thread or task: threads that seed
        inside of a fork each have reproducible numbers.

    Examples
    --------
    >>> with tp.random.fork_rng():
    ...     _ = tp.manual_seed(0)
    ...     x = tp.rand(2)
    """
    if not enabled:
        yield
        return
    with forked(default_stream):
        yield
