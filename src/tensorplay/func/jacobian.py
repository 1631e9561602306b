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
from tensorplay.func.chunks import Chunks, ChunkSize, check_chunk_size
from tensorplay.func.linearize import course_of, push_values
from tensorplay.func.reverse import Recording, own_tensors
from tensorplay.interpreters.batch import Basis, Batched
from tensorplay.ops.families import expand, permute, reshape

Argnums = int | tuple[int, ...]


def jacrev(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: ChunkSize = None
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
    chunk_size : int or "auto", optional
        Compute so many rows of the Jacobian at a time, which bounds peak memory. ``"auto"`` finds how many keep within
        the budget of `set_memory_budget`, of which what the one run of `func` leaves for the rows is a part.

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
    chunk_size: ChunkSize = None,
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
    chunk_size : int or "auto", optional
        Compute so many columns of the Jacobian at a time, which bounds peak memory; as for `jacrev`.

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


def hessian(
    func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: ChunkSize = None
) -> Callable[..., Any]:
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
    chunk_size : int or "auto", optional
        Compute so many columns of the Hessian at a time, which bounds peak memory; as for `jacrev`.

    Returns
    -------
    callable
        Returns the Jacobian of the Jacobian: for a pytree argument, nested blocks of shape
        ``out.shape + in1.shape + in2.shape``.

    Raises
    ------
    RuntimeError, TypeError, IndexError, ValueError
        As for `jacrev`.

    Examples
    --------
    >>> tp.func.hessian(lambda x: (x**3).sum())(tp.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    rows = _jacobian("hessian", func, argnums, has_aux, None, _rows)
    return _jacobian("hessian", rows, argnums, has_aux, chunk_size, _columns)


def _jacobian(
    transform: str,
    func: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    chunk_size: ChunkSize,
    blocks_of: Callable[[Recording, Chunks], list[list[Value]]],
) -> Callable[..., Any]:
    title = title_of(transform, func)
    check_chunk_size(title, chunk_size)
    sample = "row" if blocks_of is _rows else "column"

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = argnums_tuple(title, argnums, len(args))
        with Chunks(title, chunk_size, sample) as chunks:
            recording = Recording(title, func, args, kwargs, wanted, has_aux)
            blocks = blocks_of(recording, chunks)
        per_output = []
        for row in blocks:
            trees = recording.arranged(own_tensors(row))
            per_output.append(trees[0] if isinstance(argnums, int) else tuple(trees))
        recording.write_back()
        result = tree.unflatten(recording.spec, per_output)
        return (result, recording.aux) if has_aux else result

    return jacobian


def _rows(recording: Recording, chunks: Chunks) -> list[list[Value]]:
    """Blocks [output][leaf] of the Jacobian by pulling back each row: shapes ``out.shape + in.shape``."""
    recording.level.simple = False  # what is pulled are batches
    count = len(recording.values)
    blocks = []
    for position, value in enumerate(recording.values):

        def pull(ct: Value, last: bool, position: int = position) -> list[Value]:
            cts = [ct if i == position else None for i in range(count)]
            return recording.pull(cts, last=last and position == count - 1)

        columns = _over_basis(recording.title, value, pull, chunks, len(recording.leaves))
        blocks.append(
            [
                reshape(rows, shape=(*value.shape, *leaf.shape))
                for rows, leaf in zip(columns, recording.leaves, strict=True)
            ]
        )
    return blocks


def _columns(recording: Recording, chunks: Chunks) -> list[list[Value]]:
    """Blocks [output][leaf] of the Jacobian by pushing each column along."""
    course = course_of(recording)
    count = len(recording.leaves)
    per_leaf = []
    for position, leaf in enumerate(recording.leaves):

        def push(tangent: Value, last: bool, position: int = position) -> list[Value]:
            tangents = [tangent if i == position else None for i in range(count)]
            return push_values(recording, course, tangents, last=last and position == count - 1)

        columns = _over_basis(recording.title, leaf, push, chunks, len(recording.values))  # [n, *out.shape] each
        per_leaf.append(
            [
                reshape(permute(block, dims=(*range(1, block.ndim), 0)), shape=(*value.shape, *leaf.shape))
                for block, value in zip(columns, recording.values, strict=True)
            ]
        )
    return [list(row) for row in zip(*per_leaf, strict=True)] if per_leaf else [[] for _ in recording.values]


def _over_basis(
    title: str, like: Value, linear: Callable[[Value, bool], Sequence[Value]], chunks: Chunks, outputs: int
) -> list[Value]:
    """`linear` of every unit vector of the space of `like`, mapped; its so many results have the basis at dim 0."""
    count = math.prod(like.shape)
    columns = [chunks.column(count, 0) for _ in range(outputs)]

    def compute(start: int, stop: int) -> list[Value]:
        rows = np.eye(stop - start, count, start, dtype=like.dtype)
        level = Basis(title, len(rows), first=start)
        with running(level):
            results = linear(Batched(level, rows.reshape(len(rows), *like.shape)), stop == count)
        return [
            r.inner if r.__class__ is Batched and r.owner is level else expand(r, shape=(level.size, *r.shape))
            for r in results
        ]

    def take(results: list[Value]) -> None:
        for column, result in zip(columns, results, strict=True):
            column.add(result)

    chunks.run(count, compute, take)
    return [column.joined() for column in columns]
