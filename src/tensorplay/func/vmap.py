"""vmap: a function of one sample becomes a function of a batch."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay import tree
from tensorplay.core.value import Value
from tensorplay.errors import shown as told
from tensorplay.func.arguments import (
    RANDOMNESS,
    Handles,
    counted,
    describe,
    name_of,
    need_option,
    shown,
    title_of,
    write_into,
)
from tensorplay.func.chunks import Chunks, ChunkSize, Column, check_chunk_size
from tensorplay.func.loop import AS_IT_COMES, Chunk, Loop
from tensorplay.func.progress import Progress
from tensorplay.interpreters.batch import Batch, Batched, Portion
from tensorplay.ops.families import expand
from tensorplay.ops.shape import copy, movedim
from tensorplay.ops.streams import Branches, Replay, Stream
from tensorplay.tensor.handle import wrap
from tensorplay.tensor.tensor import Tensor

if TYPE_CHECKING:
    from concurrent.futures import Executor

# what another process needs to know of a call
TRAVELLING = ("title", "func", "out_dims", "randomness", "dims", "size")


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: ChunkSize = None,
    progress: Progress = None,
    executor: Executor | None = None,
) -> Callable[..., Any]:
    """
    A function that computes `func` for every sample of a batch at once.

    The result is that of a Python loop over the samples, stacked.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor, for one sample.
    in_dims : int, None or nested tuple, list, dict, default 0
        Which dim of each positional argument is the batch; None for an argument that all samples share. A pytree prefix
        of the tuple of arguments. Keyword arguments are shared.
    out_dims : int, None or nested tuple, list, dict, default 0
        Where the batch dim stands in each output; None for an output that is the same for all samples and not mapped.
    randomness : {"error", "different", "same"}, default "error"
        What random operations do: refuse, draw for each sample, or draw once for all.
    chunk_size : int or "auto", optional
        Process at most so many samples at a time, which bounds peak memory; the result is the same. ``"auto"`` finds
        how many keep within the budget of `set_memory_budget`.
    progress : bool or callable, optional
        True shows a bar of tqdm's; a function is called with the numbers of samples done and in all, after each chunk.
    executor : concurrent.futures.Executor, optional
        Who works on the chunks: threads, processes, or a cluster (docs/distributed.md). Each chunk then draws random
        numbers from a stream of its own, whoever works on it.

    Returns
    -------
    callable
        Takes batched arguments and returns batched outputs.

    Raises
    ------
    ValueError
        If `in_dims`, `out_dims` or `randomness` do not fit, sizes of mapped dims differ, nothing is mapped, or
        `executor` comes without `chunk_size`.
    TypeError
        If `func` is not callable, or it cannot be sent to another process.
    RuntimeError
        If `func` decides by the data of one sample, draws random numbers under ``randomness="error"``, needs traced
        tensors in another process, or a worker dies.
    ImportError
        If `progress` or `executor` needs a package that is not installed.

    Examples
    --------
    >>> x = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> tp.func.vmap(lambda row: row.sum())(x)
    tensor([3., 7.])
    """
    title = _title("vmap", func, in_dims, out_dims)
    need_option(title, "randomness", randomness, RANDOMNESS)
    check_chunk_size(title, chunk_size)
    loop = AS_IT_COMES if progress is None and executor is None else Loop(title, chunk_size, progress, executor)

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1)
        called = (caller.f_code, caller.f_lasti)
        batch = BatchedCall(title, func, args, in_dims, out_dims, randomness, called)
        if loop.plain and chunk_size is None:
            return batch.run(batch.leaves, kwargs)
        chunks = Chunks(title, chunk_size)
        if loop.plain and chunks.at_once(batch.size):
            return batch.run(batch.leaves, kwargs)
        return batch.run_in_chunks(kwargs, chunks, loop)

    return mapped


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """
    A function that computes `func` for every sample of a batch, split into a fixed number of pieces.

    Prefer ``vmap(..., chunk_size=...)``, which bounds peak memory in samples.

    Parameters
    ----------
    func, in_dims, out_dims, randomness
        As for `vmap`.
    chunks : int, default 2
        Number of pieces; a batch with fewer samples is processed sample by sample.

    Returns
    -------
    callable
        Takes batched arguments and returns batched outputs.

    Raises
    ------
    ValueError
        As for `vmap`, or if `chunks` is not positive.

    Examples
    --------
    >>> tp.func.chunk_vmap(tp.sin, chunks=3)(tp.zeros(4))
    tensor([0., 0., 0., 0.])
    """
    title = _title("chunk_vmap", func, in_dims, out_dims)
    need_option(title, "randomness", randomness, RANDOMNESS)
    if not isinstance(chunks, int) or chunks < 1:
        raise ValueError(f"{title}: chunks must be a positive int, got {chunks!r}")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1)
        called = (caller.f_code, caller.f_lasti)
        batch = BatchedCall(title, func, args, in_dims, out_dims, randomness, called)
        return batch.run_in_chunks(kwargs, Chunks(title, max(1, -(-batch.size // chunks))))

    return mapped


def _title(transform: str, func: Callable[..., Any], in_dims: Any, out_dims: Any) -> str:
    dims = "" if in_dims.__class__ is int and in_dims == 0 else f", in_dims={_shown(in_dims)}"
    dims += "" if out_dims.__class__ is int and out_dims == 0 else f", out_dims={_shown(out_dims)}"
    return title_of(transform, func, dims)


def _shown(dims: Any) -> str:
    return repr(dims) if isinstance(dims, int | tuple | list | dict | None) else told(dims)


class BatchedCall:
    """One call of a mapped function: its arguments checked against `in_dims`."""

    def __init__(
        self,
        title: str,
        func: Callable[..., Any],
        args: Any,
        in_dims: Any,
        out_dims: Any,
        randomness: str,
        called: tuple[CodeType, int] | None = None,
    ) -> None:
        self.title = title
        self.func = func
        self.args = args
        self.out_dims = out_dims
        self.randomness = randomness
        self.called = called
        self.leaves, self.spec = tree.flatten(args)
        self.dims: list[int | None] = []
        sizes: set[int] = set()
        for leaf, dim in zip(self.leaves, _spread(title, "in_dims", in_dims, args, self.spec), strict=True):
            if dim is not None:
                if not isinstance(leaf, Tensor) or dim.__class__ is not int or not 0 <= dim < leaf.value.ndim:
                    dim = self._checked_dim(len(self.dims), leaf, dim)
                sizes.add(leaf.value.shape[dim])
            self.dims.append(dim)
        self.size = self._one_of(sizes)

    def _where(self, position: int) -> str:
        return f"argument{tree.paths(self.args)[position]}"

    def _checked_dim(self, position: int, leaf: Any, dim: Any) -> int:
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"{self.title}: in_dims maps {self._where(position)} over dim {dim}, but it is {describe(leaf)}, not a "
                "tensor. Give it in_dims=None to pass it as it is."
            )
        if not isinstance(dim, int) or isinstance(dim, bool):
            raise ValueError(f"{self.title}: in_dims must hold ints or None, got {dim!r} for {self._where(position)}")
        ndim = leaf.value.ndim
        if not -ndim <= dim < ndim:
            raise ValueError(
                f"{self.title}: in_dims asks for dim {dim} of {self._where(position)}, which is {describe(leaf)} and "
                f"has {ndim} dims"
            )
        return dim % ndim

    def _one_of(self, sizes: set[int]) -> int:
        if len(sizes) == 1:
            return int(sizes.pop())
        if not sizes:
            raise ValueError(
                f"{self.title}: no argument is mapped over; at least one entry of in_dims must be an int, and its "
                "argument a tensor"
            )
        listed = ", ".join(
            f"{leaf.value.shape[dim]} for {self._where(position)} (dim {dim} of {list(leaf.value.shape)})"
            for position, (leaf, dim) in enumerate(zip(self.leaves, self.dims, strict=True))
            if dim is not None
        )
        raise ValueError(f"{self.title}: expected one size in the mapped dimension, got {listed}")

    def run(self, leaves: Sequence[Any], kwargs: dict[str, Any], first: int | None = None) -> Any:
        """The function on all samples of `leaves` at once, which are a chunk if the number of its `first` is given."""
        handles = Handles(leaves, self.spec)
        result = self._run(handles, kwargs, first)
        handles.write_back(self.title)
        return result

    def run_apart(self, leaves: Sequence[Any], kwargs: dict[str, Any], first: int) -> Apart:
        """What the function gives for a chunk, and writes to mapped arguments; nobody's memory is written to."""
        own = [_own(leaf, dim is None) for leaf, dim in zip(leaves, self.dims, strict=True)]
        handles = Handles(own, self.spec)
        result = self._run(handles, kwargs, first)
        positions = {id(leaf): position for position, leaf in enumerate(own)}
        written = [
            (positions[id(original)], handle._leaves_memory, final()) for original, handle, final in handles.written()
        ]
        for position, _, _ in written:
            if self.dims[position] is None:
                raise RuntimeError(
                    f"{self.title}: the function writes to {self._where(position)}, which all samples share "
                    "(in_dims=None), but an executor's chunks run apart. Return the value, or map the argument."
                )
        return result, written

    def _run(self, handles: Handles, kwargs: dict[str, Any], first: int | None) -> Any:
        if first is None:
            level = Batch(self.title, self.size, self.randomness)
        else:
            size = next(
                leaf.value.shape[dim] for leaf, dim in zip(handles.leaves, self.dims, strict=True) if dim is not None
            )
            level = Portion(self.title, size, self.randomness, first)
        level.caller = self.called
        with level:
            for position, dim in enumerate(self.dims):
                leaf = handles.leaves[position]
                if dim is not None:
                    inner = leaf.value if dim == 0 else movedim(leaf.value, dim, 0)
                    handles.wrap(position, Batched(level, inner), functools.partial(self._lower_argument, level, dim))
                elif isinstance(leaf, Tensor):
                    handles.wrap(position, leaf.value, functools.partial(self._lower_argument, level, None))
            out = handles.call(self.func, kwargs)
            return self._gather(level, out)

    def _lower_argument(self, level: Batch, dim: int | None, value: Value) -> Value:
        here = value.__class__ is Batched and value.owner is level
        if dim is None:
            if here:
                raise RuntimeError(
                    f"{self.title}: a value that differs between samples was written into an argument with "
                    "in_dims=None, "
                    f"which all samples share. Map that argument, or return the value."
                )
            return value
        if not here:
            value = Batched(level, expand(value, shape=(level.size, *value.shape)))
        return value.inner if dim == 0 else movedim(value.inner, 0, dim)

    def _gather(self, level: Batch, out: Any) -> Any:
        """Outputs with the batch dim where `out_dims` wants it."""
        leaves, spec = tree.flatten(out)
        dims = self.dims_of_outputs(out, spec)
        results = [
            self._gather_leaf(level, leaf, dim, position, out)
            for position, (leaf, dim) in enumerate(zip(leaves, dims, strict=True))
        ]
        return tree.unflatten(spec, results)

    def _gather_leaf(self, level: Batch, leaf: Any, dim: Any, position: int, out: Any) -> Any:
        if not isinstance(leaf, Tensor):
            if dim is None or leaf is None:
                return leaf
            raise ValueError(
                f"{self.title}: {name_of(self.func)} must return tensors, got {describe(leaf)} at "
                f"output{tree.paths(out)[position]}. Return tp.tensor(...), or give it out_dims=None."
            )
        value = leaf.value
        here = value.__class__ is Batched and value.owner is level
        if dim is None:
            if here:
                raise ValueError(
                    f"{self.title}: out_dims=None for output{tree.paths(out)[position]}, which differs between "
                    "samples; None is for outputs that do not depend on a mapped argument"
                )
            return wrap(value)
        ndim = value.ndim + 1
        if not isinstance(dim, int) or isinstance(dim, bool) or not -ndim <= dim < ndim:
            raise ValueError(
                f"{self.title}: out_dims asks for dim {dim!r} of output{tree.paths(out)[position]}, which has {ndim} "
                "dims with the batch dim"
            )
        # a view of one array for all samples could not be written to
        inner = value.inner if here else copy(expand(value, shape=(level.size, *value.shape)))
        return wrap(inner if dim in (0, -ndim) else movedim(inner, 0, dim))

    def run_in_chunks(self, kwargs: dict[str, Any], chunks: Chunks, loop: Loop = AS_IT_COMES) -> Any:
        """The function on some of the samples at a time."""
        joined = _Joined(self, chunks)
        with chunks, loop.shown(self.size, "samples") as advance:
            if loop.executor is None:
                chunks.run(self.size, self._in_turn(kwargs, advance), joined.add)
            else:
                loop.give_out(SamplesApart(self, kwargs), [self.size], joined.add, advance)
        return joined.result()

    def _in_turn(self, kwargs: dict[str, Any], advance: Callable[[int], None]) -> Callable[[int, int], Any]:
        """What computes one chunk after another."""
        replay = Replay()

        def compute(start: int, stop: int) -> Any:
            with replay.run() if self.randomness == "same" else nullcontext():
                result = self.run(self.chunk(start, stop), kwargs, start)
            advance(stop - start)
            return result

        return compute

    def chunk(self, start: int, stop: int) -> list[Any]:
        """The leaves of the arguments, of which those that are mapped have only the samples from start to stop."""
        return [
            leaf if dim is None else leaf[(*(slice(None),) * dim, slice(start, stop))]
            for leaf, dim in zip(self.leaves, self.dims, strict=True)
        ]

    def mapped(self, leaves: Sequence[Any]) -> list[Any]:
        """Those of the arguments' leaves that are mapped."""
        return [leaf for leaf, dim in zip(leaves, self.dims, strict=True) if dim is not None]

    def with_mapped(self, mapped: Sequence[Any]) -> list[Any]:
        """The arguments' leaves with others in the place of those that are mapped."""
        given = iter(mapped)
        return [leaf if dim is None else next(given) for leaf, dim in zip(self.leaves, self.dims, strict=True)]

    def __getstate__(self) -> dict[str, Any]:
        """All but the mapped arguments, and the place of the call."""
        hollow = tree.unflatten(self.spec, self.with_mapped([None] * len(self.mapped(self.leaves))))
        return {name: getattr(self, name) for name in TRAVELLING} | {"args": hollow}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.called = None
        # containers may be unknown here as yet
        self.leaves, self.spec = tree.flatten(self.args)
        if len(self.leaves) != len(self.dims):
            raise RuntimeError(
                f"{self.title}: in the worker's process the arguments have {len(self.leaves)} leaves instead of "
                f"{len(self.dims)}: a class of containers is not registered there. Register it in the module that "
                "defines the class, so that whoever imports the class has it registered."
            )

    def dims_of_outputs(self, out: Any, spec: tree.TreeSpec) -> list[Any]:
        """An entry of `out_dims` for each leaf of the output, which has that structure."""
        return _spread(self.title, "out_dims", self.out_dims, out, spec)


class _Joined:
    """Outputs of chunks, joined; of an output that is not mapped, the first."""

    def __init__(self, call: BatchedCall, chunks: Chunks) -> None:
        self._call = call
        self._chunks = chunks
        self._columns: list[Any] = []

    def add(self, piece: Any) -> None:
        """Append the outputs of the next chunk."""
        leaves, self._spec = tree.flatten(piece)
        if not self._columns:
            dims = self._call.dims_of_outputs(piece, self._spec)
            self._columns = list(map(self._column, leaves, dims))
        for column, leaf in zip(self._columns, leaves, strict=True):
            if isinstance(column, Column):
                column.add(leaf.value)

    def _column(self, leaf: Any, dim: int | None) -> Any:
        return leaf if dim is None or not isinstance(leaf, Tensor) else self._chunks.column(self._call.size, dim)

    def result(self) -> Any:
        """The outputs for all samples."""
        leaves = [wrap(column.joined()) if isinstance(column, Column) else column for column in self._columns]
        return tree.unflatten(self._spec, leaves)


# What a chunk gives that ran apart: outputs, and final values of the arguments at some positions, each with whether it
# leaves memory alone.
Apart = tuple[Any, list[tuple[int, bool, Value]]]


def _own(leaf: Any, shared: bool) -> Any:
    """A chunk's own tensor for an argument; if chunks share it, its memory cannot be written."""
    if not isinstance(leaf, Tensor):
        return leaf
    value = leaf.value
    if shared and isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return wrap(value)


class SamplesApart:
    """Chunks of samples on which different threads or processes work."""

    unit = "samples"

    def __init__(self, batch: BatchedCall, kwargs: dict[str, Any]) -> None:
        self.title = batch.title
        self._batch = batch
        self._kwargs = kwargs
        self._branches = None if batch.randomness == "error" else Branches(batch.randomness == "same")

    def piece(self, chunk: Chunk) -> list[Any]:
        """The mapped leaves of the arguments."""
        return self._batch.mapped(self._batch.chunk(chunk.start, chunk.stop))

    def run(self, chunk: Chunk, piece: list[Any]) -> Apart:
        """Outputs, and what was written to mapped arguments."""
        leaves = self._batch.with_mapped(piece)
        with nullcontext() if self._branches is None else self._branches.part(chunk.number):
            return self._batch.run_apart(leaves, self._kwargs, chunk.start)

    def finish(self, piece: list[Any], result: Apart) -> Any:
        """The outputs, when the caller's arguments have been written to."""
        out, written = result
        if written:
            leaves = self._batch.with_mapped(piece)
            given = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
            finals = [(leaves[at], untouched, functools.partial(_same, value)) for at, untouched, value in written]
            write_into(self.title, finals, given)
        return out

    def start_of(self, stream: Stream) -> bytes:
        """Where a stream is to start in another process."""
        return stream.state if self._branches is None else self._branches.start_of(stream)


def _same(value: Value) -> Value:
    return value


def _spread(title: str, name: str, dims: Any, trees: Any, spec: tree.TreeSpec) -> list[Any]:
    """One entry of `dims` for each leaf of `trees`, of structure `spec`, of which `dims` is a prefix."""
    if dims is None or isinstance(dims, int):
        return [dims] * spec.num_leaves
    if name == "in_dims":
        if not isinstance(dims, tuple | list):
            raise ValueError(
                f"{title}: in_dims must be an int or a tuple with one entry per positional argument, got "
                f"{_shown(dims)}; wrap the dims of a single container argument in a tuple: in_dims=({_shown(dims)},)"
            )
        dims = tuple(dims)
        if len(dims) != len(trees):
            entries = counted(len(dims), "entry", "entries")
            raise ValueError(f"{title}: in_dims has {entries} for {counted(len(trees))}")
    if dims.__class__ is tuple and spec.type is tuple and all([dim is None or dim.__class__ is int for dim in dims]):
        if tree.of_bare_leaves(spec, len(dims)):
            return list(dims)
        counts = [child.num_leaves for child in spec.children()]
        if len(counts) == len(dims):
            return [dim for dim, count in zip(dims, counts, strict=True) for _ in range(count)]
    try:
        return tree.broadcast_prefix(dims, trees)
    except ValueError:
        what = "argument" if name == "in_dims" else "output"
        path, prefix, full = tree.first_difference(tree.flatten(dims)[1], spec)
        raise ValueError(
            f"{title}: {name} {dims!r} does not match the structure of the {what}s: {name}{path} is {shown(prefix)}, "
            f"{what}{path} is {shown(full)}"
        ) from None
