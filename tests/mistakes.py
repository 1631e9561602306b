"""Mistakes: calls that are wrong in the ways that people get them wrong, and what an error must be like to help."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay import tree
from tests.func.test_state import assert_clean

HUGE = 10**15  # elements, which no memory holds

# made anew for each call, as a call may write to them
WRONG: list[Callable[[], Any]] = [
    *[lambda it=it: it for it in (None, True, "x", b"b", 1.5, float("nan"), -1, 0, 7, 2**70, 1j, HUGE, -HUGE)],
    *[lambda it=it: it for it in ((), [1, 2], (1.5, 2.5), ["a"], [None], slice(1, 2), range(3), tp.float32, tp.int64)],
    *[dict, list, object, lambda: {"a": 1}, lambda: np.ones(2), lambda: tp.nn.Linear(2, 3)],
    *[lambda size=size: tp.ones(*size) for size in ((), (0,), (2, 3), (2, 7), (2, 3, 4, 5, 1))],
    *[lambda of=of: tp.tensor(of) for of in ([1, 2], [100, -100], [True, False], [1j, 0j], [float("nan")])],
    lambda: [tp.ones(2), tp.ones(3)],
    lambda: [tp.ones(2), 1.0],
    lambda: tp.ones(3, requires_grad=True),
]
KEYWORDS = ("axis", "dim", "keepdims", "foo", "dtype", "out", "input", "other", "x", "requires_grad")


def wrong(random: Random) -> Any:
    """Anything."""
    return random.choice(WRONG)()


def altered(thing: Any, random: Random) -> Any:
    """Nearly the right thing."""
    if isinstance(thing, tp.Tensor):
        return random.choice(_TENSORS)(thing)
    if isinstance(thing, int | float) and not isinstance(thing, bool):
        return random.choice([thing + 100, -thing - 100, float(thing), str(thing), [thing], (thing, thing), None, HUGE])
    if isinstance(thing, list | tuple) and thing:
        return type(thing)(_altered_entries(list(thing), random))
    return f"{thing}x" if isinstance(thing, str) else wrong(random)


_TENSORS: list[Callable[[tp.Tensor], Any]] = [
    lambda x: x.long() if not x.is_complex() else x.real,
    lambda x: x.bool(),
    lambda x: x.unsqueeze(0),
    lambda x: x[0] if x.ndim and len(x) else x.unsqueeze(0),
    lambda x: x.float() if x.dtype != tp.float32 else x.double(),
    lambda x: x.mT if x.ndim > 1 else x.unsqueeze(-1),
    lambda x: tp.cat([x, x], -1) if x.ndim else x.expand(3),
    lambda x: x[..., :0] if x.ndim else x.expand(0),
    lambda x: x.to(tp.complex128),
    lambda x: x.flatten(),
    lambda x: x.tolist(),
    lambda x: x.detach().numpy(),
]


def _altered_entries(entries: list[Any], random: Random) -> list[Any]:
    position = random.randrange(len(entries))
    how = random.randrange(5)
    if how == 0:
        return entries[:-1]
    if how == 1:
        return [*entries, entries[-1]]
    if how == 2:
        return entries[::-1]
    entries[position] = wrong(random) if how == 3 else altered(entries[position], random)
    return entries


def mistaken(args: list[Any], kwargs: dict[str, Any], random: Random) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call, of which one or two are wrong, missing, too many or in the wrong place."""
    for _ in range(random.choice([1, 1, 2])):
        how = random.randrange(12)
        if how == 0 and args:
            args.pop(random.randrange(len(args)))
        elif how == 1:
            args.append(wrong(random))
        elif how == 2:
            kwargs[random.choice(KEYWORDS)] = wrong(random)
        elif how == 3 and len(args) > 1:
            i, j = random.sample(range(len(args)), 2)
            args[i], args[j] = args[j], args[i]
        elif args or kwargs:
            key = random.choice([*range(len(args)), *kwargs])
            place: Any = args if isinstance(key, int) else kwargs
            place[key] = altered(place[key], random) if random.random() < 0.6 else wrong(random)
    return args, kwargs


# ---- what an error must be like --------------------------------------------------------------------------------------

TYPES = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)
# words of Python, NumPy and of this package's rooms that mean nothing to a user
INTERNAL = re.compile(
    r"NoneType' object|object has no attribute|object is not|object cannot|not supported between|unsupported operand"
    r"|not subscriptable|unpack \(|assert|ufunc|operands could not|core dimension|truth value|setting an array"
    r"|inhomogeneous|Unable to allocate|Traced|Batched|Recorded|Staged|Dual\b|<tensorplay|<class|PyTree|__\w+__\(|np\."
    r"|array\(|dtype\(|\baxis\b(?! ?=|')|Methods\.|_impl\b"
)


def attempt(call: Callable[[], Any], name: str, given: Any) -> None:
    """
    Call; an error must be of a type that torch raises, be about `name`, and leave what was given and all state alone.
    """
    leaves = [leaf for leaf in tree.flatten(given)[0] if isinstance(leaf, tp.Tensor)]
    before = [leaf.detach().numpy().copy() for leaf in leaves]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception as error:
        if not is_readable(error, name):
            raise AssertionError(f"unreadable: {type(error).__name__}: {error}") from error
        for leaf, array in zip(leaves, before, strict=True):
            np.testing.assert_array_equal(leaf.detach().numpy(), array)
    assert_clean()


def is_readable(error: Exception, name: str) -> bool:
    """Whether an error speaks to a user, of the function that was called."""
    message = str(error)
    return isinstance(error, TYPES) and not INTERNAL.search(message) and re.search(name, message) is not None
