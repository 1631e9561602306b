"""Jacobians and Hessians: one recorded run, then rows pulled back or columns pushed forward as a batch."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.stack import running
from tensorplay.core.value import Value
from tensorplay.func.arguments import RANDOMNESS, argnums_tuple, need_option, title_of
from tensorplay.func.linearize import push_values
from tensorplay.func.reverse import Recording, own_tensors
from tensorplay.interpreters.batch import Basis, Batched
from tensorplay.interpreters.record import ancestors
from tensorplay.ops.families import expand, permute, reshape
from tensorplay.ops.shape import cat

Argnums = int | tuple[int, ...]


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None
) -> Callable[..., Any]:
    """
    A function that returns the Jacobian of `func`, computed by reverse mode.

    Best where outputs are fewer than inputs.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor.
    argnums : int or tuple of int, default 0
        Which positional arguments to differentiate with respect to.
    has_aux : bool, default False
        Whether `func` returns ``(output, aux)``; then ``(jacobian, aux)`` is returned.
    chunk_size : int, optional
        Compute so many rows of the Jacobian at a time, which bounds peak memory.

    Returns
    -------
    callable
        Returns a pytree of output's structure, of pytrees of the argument's structure (a tuple of them for a tuple of
        `argnums`), of Tensor of shape ``out.shape + in.shape``.

    Raises
    ------
    RuntimeError, TypeError, IndexError, ValueError
        As for `grad`, except that the output need not be scalar; ValueError for a bad `chunk_size`.

    Examples
    --------
    >>> tp.func.jacrev(lambda x: x**2)(tp.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacrev", func, argnums, has_aux, chunk_size, _rows)


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """
    A function that returns the Jacobian of `func`, computed by forward mode.

    Best where outputs are more than inputs. `func` is evaluated once; all columns are pushed through what was recorded.

    Parameters
    ----------
    func, argnums, has_aux
        As for `jacrev`.
    randomness : {"error", "different", "same"}, default "error"
        Accepted for torch's sake; as `func` runs once, its random draws are the same for all columns.
    chunk_size : int, optional
        Compute so many columns of the Jacobian at a time, which bounds peak memory.

    Returns
    -------
    callable
        As for `jacrev`.

    Raises
    ------
    RuntimeError, TypeError, IndexError, ValueError
        As for `jacrev`.

    Examples
    --------
    >>> tp.func.jacfwd(lambda x: tp.sin(x))(tp.tensor(0.0))
    tensor(1.)
    """
    need_option(title_of("jacfwd", func), "randomness", randomness, RANDOMNESS)
    return _jacobian("jacfwd", func, argnums, has_aux, chunk_size, _columns)


def hessian(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False) -> Callable[..., Any]:
    """
    A function that returns the Hessian of `func`: forward mode over reverse mode.

    Parameters
    ----------
    func : callable
        Takes pytrees of Tensor; usually returns a scalar Tensor.
    argnums : int or tuple of int, default 0
        Which positional arguments to differentiate with respect to.
    has_aux : bool, default False
        Whether `func` returns ``(output, aux)``; then ``(hessian, aux)`` is returned.

    Returns
    -------
    callable
        Returns the Jacobian of the Jacobian: for a pytree argument, nested blocks of shape
        ``out.shape + in1.shape + in2.shape``.

    Raises
    ------
    RuntimeError, TypeError, IndexError
        As for `jacrev`.

    Examples
    --------
    >>> tp.func.hessian(lambda x: (x**3).sum())(tp.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    rows = _jacobian("hessian", func, argnums, has_aux, None, _rows)
    return _jacobian("hessian", rows, argnums, has_aux, None, _columns)


def _jacobian(
    transform: str,
    func: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    chunk_size: int | None,
    blocks_of: Callable[[Recording, int | None], list[list[Value]]],
) -> Callable[..., Any]:
    title = title_of(transform, func)
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
        raise ValueError(f"{title}: chunk_size must be a positive int or None, got {chunk_size!r}")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = argnums_tuple(title, argnums, len(args))
        recording = Recording(title, func, args, kwargs, wanted, has_aux)
        per_output = []
        for row in blocks_of(recording, chunk_size):
            trees = recording.arranged(own_tensors(row))
            per_output.append(trees[0] if isinstance(argnums, int) else tuple(trees))
        recording.write_back()
        result = tree.unflatten(recording.spec, per_output)
        return (result, recording.aux) if has_aux else result

    return jacobian


def _rows(recording: Recording, chunk_size: int | None) -> list[list[Value]]:
    """Blocks [output][leaf] of the Jacobian by pulling back each row: shapes ``out.shape + in.shape``."""
    blocks = []
    for position, value in enumerate(recording.values):
        others = [None] * len(recording.values)

        def pull(ct: Value, position: int = position, others: list[Any] = others) -> list[Value]:
            return recording.pull([*others[:position], ct, *others[position + 1 :]])

        columns = _over_basis(recording.title, value, pull, chunk_size)
        blocks.append(
            [
                reshape(rows, shape=(*value.shape, *leaf.shape))
                for rows, leaf in zip(columns, recording.leaves, strict=True)
            ]
        )
    return blocks


def _columns(recording: Recording, chunk_size: int | None) -> list[list[Value]]:
    """Blocks [output][leaf] of the Jacobian by pushing each column along."""
    order = ancestors([value.node for value in recording.values if recording.level.is_recorded(value)])
    per_leaf = []
    for position, leaf in enumerate(recording.leaves):

        def push(tangent: Value, position: int = position) -> list[Value]:
            tangents = [tangent if i == position else None for i in range(len(recording.leaves))]
            return push_values(recording, order, tangents)

        columns = _over_basis(recording.title, leaf, push, chunk_size)  # [n, *out.shape] each
        per_leaf.append(
            [
                reshape(permute(block, dims=(*range(1, block.ndim), 0)), shape=(*value.shape, *leaf.shape))
                for block, value in zip(columns, recording.values, strict=True)
            ]
        )
    return [list(row) for row in zip(*per_leaf, strict=True)] if per_leaf else [[] for _ in recording.values]


def _over_basis(
    title: str, like: Value, linear: Callable[[Value], Sequence[Value]], chunk_size: int | None
) -> list[Value]:
    """`linear` of every unit vector of the space of `like`, mapped; results have the basis at dim 0."""
    count = math.prod(like.shape)
    step = count if chunk_size is None else min(chunk_size, count)
    pieces = []
    for start in range(0, max(count, 1), max(step, 1)):
        rows = np.eye(min(step, count - start), count, start, dtype=like.dtype)
        level = Basis(title, len(rows), first=start)
        with running(level):
            results = linear(Batched(level, rows.reshape(len(rows), *like.shape)))
        pieces.append(
            [
                r.inner if r.__class__ is Batched and r.owner is level else expand(r, shape=(level.size, *r.shape))
                for r in results
            ]
        )
    return pieces[0] if len(pieces) == 1 else [cat(column) for column in zip(*pieces, strict=True)]
