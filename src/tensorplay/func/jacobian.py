"""Jacobians and Hessians: one recorded run, then rows pulled back or columns pushed forward as a batch."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay import tree
from tensorplay.core.value import Value
from tensorplay.errors import need_flags
from tensorplay.func.arguments import RANDOMNESS, argnums_tuple, need_option, title_of
from tensorplay.func.chunks import Chunks, ChunkSize, check_chunk_size
from tensorplay.func.linearize import course_of, push_values
from tensorplay.func.loop import AS_IT_COMES, Chunk, Loop
from tensorplay.func.progress import Progress
from tensorplay.func.reverse import Recording, own_tensors
from tensorplay.interpreters.batch import Basis, Batched
from tensorplay.ops.families import expand, permute, reshape
from tensorplay.ops.streams import Replay, Stream

if TYPE_CHECKING:
    from concurrent.futures import Executor

Argnums = int | tuple[int, ...]


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: ChunkSize = None,
    progress: Progress = None,
    executor: Executor | None = None,
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
    progress : bool or callable, optional
        True shows a bar of tqdm's; a function is called with the numbers of rows done and in all, after each chunk.
    executor : concurrent.futures.Executor, optional
        Who works on the chunks: threads, processes, or a cluster (docs/distributed.md). `func` runs once here, and once
        in each other process.

    Returns
    -------
    callable
        Returns a pytree of output's structure, of pytrees of the argument's structure (a tuple of them for a tuple of
        `argnums`), of Tensor of shape ``out.shape + in.shape``.

    Raises
    ------
    RuntimeError, TypeError, IndexError, ValueError
        As for `grad`, except that the output need not be scalar; ValueError for a bad `chunk_size`, or an `executor`
        without one. As for `vmap`, where `progress` or `executor` cannot do their part.
    ImportError
        If `progress` or `executor` needs a package that is not installed.

    Examples
    --------
    >>> tp.func.jacrev(lambda x: x**2)(tp.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacrev", func, argnums, has_aux, Rows, chunk_size, progress, executor)


def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
    chunk_size: ChunkSize = None,
    progress: Progress = None,
    executor: Executor | None = None,
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
    progress, executor
        As for `jacrev`, of columns.

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
    return _jacobian("jacfwd", func, argnums, has_aux, Columns, chunk_size, progress, executor)


def hessian(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: ChunkSize = None,
    progress: Progress = None,
    executor: Executor | None = None,
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
    progress, executor
        As for `jacrev`, of columns.

    Returns
    -------
    callable
        Returns the Jacobian of the Jacobian: for a pytree argument, nested blocks of shape
        ``out.shape + in1.shape + in2.shape``.

    Raises
    ------
    RuntimeError, TypeError, IndexError, ValueError, ImportError
        As for `jacrev`.

    Examples
    --------
    >>> tp.func.hessian(lambda x: (x**3).sum())(tp.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    rows = _jacobian("hessian", func, argnums, has_aux, Rows)
    return _jacobian("hessian", rows, argnums, has_aux, Columns, chunk_size, progress, executor)


def _jacobian(
    transform: str,
    func: Callable[..., Any],
    argnums: Argnums,
    has_aux: bool,
    direction: type[Direction],
    chunk_size: ChunkSize = None,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Callable[..., Any]:
    title = title_of(transform, func)
    need_flags(title, has_aux=has_aux)
    check_chunk_size(title, chunk_size)
    loop = AS_IT_COMES if progress is None and executor is None else Loop(title, chunk_size, progress, executor)

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = argnums_tuple(title, argnums, len(args))
        recipe = title, func, args, kwargs, wanted, has_aux
        with Chunks(title, chunk_size, direction.sample) as chunks:
            if executor is None:
                run = direction(Recording(*recipe))
                per_space = _in_turn(run, chunks, loop)
            else:
                work = BasisApart(recipe, direction)
                run = work.direction
                per_space = work.given_out(chunks, loop)
            blocks = run.blocks(per_space)
        recording = run.recording
        per_output = []
        for row in blocks:
            trees = recording.arranged(own_tensors(row))
            per_output.append(trees[0] if isinstance(argnums, int) else tuple(trees))
        recording.write_back()
        result = tree.unflatten(recording.spec, per_output)
        return (result, recording.aux) if has_aux else result

    return jacobian


# ---- one recorded run, and the linear map that it gives --------------------------------------------------------------


class Direction:
    """A recorded run as a linear map, to be applied to the unit vectors of each of several `spaces`."""

    sample: str  # what one unit vector gives
    spaces: Sequence[Value]
    results: int  # how many values each vector is mapped to

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def apply(self, space: int, vector: Value, last: bool) -> Sequence[Value]:
        """What a vector of one space is mapped to; after the `last` there is no other."""
        raise NotImplementedError

    def blocks(self, per_space: list[list[Value]]) -> list[list[Value]]:
        """Blocks [output][leaf], of shape ``out.shape + in.shape``, from what each space's basis was mapped to."""
        raise NotImplementedError

    def of_basis(self, space: int, start: int, stop: int, last: bool = False) -> list[Value]:
        """What some unit vectors of a space are mapped to, which stand along dim 0."""
        like = self.spaces[space]
        rows = np.eye(stop - start, math.prod(like.shape), start, dtype=like.dtype)
        level = Basis(self.recording.title, len(rows), first=start)
        with level:
            results = self.apply(space, Batched(level, rows.reshape(len(rows), *like.shape)), last)
        return [
            r.inner if r.__class__ is Batched and r.owner is level else expand(r, shape=(level.size, *r.shape))
            for r in results
        ]


class Rows(Direction):
    """Each row of the Jacobian is pulled back."""

    sample = "row"

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        recording.level.simple = False  # what is pulled are batches
        self.spaces, self.results = recording.values, len(recording.leaves)

    def apply(self, space: int, vector: Value, last: bool) -> Sequence[Value]:
        """Cotangents of the leaves."""
        return self.recording.pull([vector if i == space else None for i in range(len(self.spaces))], last=last)

    def blocks(self, per_space: list[list[Value]]) -> list[list[Value]]:
        """As rows come."""
        return [
            [
                reshape(rows, shape=(*value.shape, *leaf.shape))
                for rows, leaf in zip(columns, self.recording.leaves, strict=True)
            ]
            for columns, value in zip(per_space, self.spaces, strict=True)
        ]


class Columns(Direction):
    """Each column of the Jacobian is pushed forward."""

    sample = "column"

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording)
        self.spaces, self.results = recording.leaves, len(recording.values)
        self._course = course_of(recording)

    def apply(self, space: int, vector: Value, last: bool) -> Sequence[Value]:
        """Tangents of the outputs."""
        tangents = [vector if i == space else None for i in range(len(self.spaces))]
        return push_values(self.recording, self._course, tangents, last=last)

    def blocks(self, per_space: list[list[Value]]) -> list[list[Value]]:
        """Columns come along dim 0, and go behind the dims of the output."""
        values = self.recording.values
        per_leaf = [
            [
                reshape(permute(block, dims=(*range(1, block.ndim), 0)), shape=(*value.shape, *leaf.shape))
                for block, value in zip(columns, values, strict=True)
            ]
            for columns, leaf in zip(per_space, self.spaces, strict=True)
        ]
        return [list(row) for row in zip(*per_leaf, strict=True)] if per_leaf else [[] for _ in values]


# ---- chunks of unit vectors ------------------------------------------------------------------------------------------


class _PerSpace:
    """What the basis of each space is mapped to, as it comes chunk by chunk."""

    def __init__(self, run: Direction, chunks: Chunks) -> None:
        self.sizes = [math.prod(space.shape) for space in run.spaces]
        self._columns = [[chunks.column(size, 0) for _ in range(run.results)] for size in self.sizes]

    def add(self, space: int, results: Sequence[Value]) -> None:
        """Append the results of the next chunk of the basis of a space."""
        for column, result in zip(self._columns[space], results, strict=True):
            column.add(result)

    def joined(self) -> list[list[Value]]:
        """Results [space][value], with the basis along dim 0."""
        return [[column.joined() for column in columns] for columns in self._columns]


def _in_turn(run: Direction, chunks: Chunks, loop: Loop) -> list[list[Value]]:
    """What the basis of each space is mapped to, computed chunk by chunk."""
    found = _PerSpace(run, chunks)
    with loop.shown(sum(found.sizes), f"{run.sample}s") as advance:
        for space, size in enumerate(found.sizes):

            def compute(start: int, stop: int, space: int = space, size: int = size) -> list[Value]:
                results = run.of_basis(space, start, stop, last=stop == size and space == len(found.sizes) - 1)
                advance(stop - start)
                return results

            chunks.run(size, compute, functools.partial(found.add, space))
    return found.joined()


class BasisApart:
    """
    Chunks of unit vectors on which different threads or processes work.

    Threads share the caller's recorded run. A process makes one of its own, which meets the same random numbers.
    """

    _direction: Direction | None

    def __init__(self, recipe: tuple[Any, ...], direction: type[Direction]) -> None:
        self.title = recipe[0]
        self.unit = f"{direction.sample}s"
        self._made_of = recipe, direction, Replay()
        self._prepare()

    @property
    def direction(self) -> Direction:
        """The recorded run."""
        with self._lock:
            if self._direction is None:
                recipe, direction, replay = self._made_of
                with replay.run():
                    self._direction = direction(Recording(*recipe))
            return self._direction

    def given_out(self, chunks: Chunks, loop: Loop) -> list[list[Value]]:
        """What the basis of each space is mapped to, by an executor."""
        found = _PerSpace(self.direction, chunks)
        with loop.shown(sum(found.sizes), self.unit) as advance:
            loop.give_out(self, found.sizes, lambda result: found.add(*result), advance)
        return found.joined()

    def piece(self, chunk: Chunk) -> None:
        """Nothing: unit vectors are made where they are needed."""

    def run(self, chunk: Chunk, piece: None) -> tuple[int, list[Value]]:
        """Which space it is, and what the chunk of its basis is mapped to."""
        return chunk.part, self.direction.of_basis(chunk.part, chunk.start, chunk.stop)

    def finish(self, piece: None, result: tuple[int, list[Value]]) -> tuple[int, list[Value]]:
        """The same."""
        return result

    def start_of(self, stream: Stream) -> bytes:
        """Where a stream is to start in another process, unless a draw is replayed."""
        return stream.state

    def __getstate__(self) -> tuple[Any, ...]:
        return self.title, self.unit, self._made_of

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.title, self.unit, self._made_of = state
        self._prepare()

    def _prepare(self) -> None:
        self._direction = None
        self._lock = threading.Lock()
