"""map: a function of each slice, one after another, or so many at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.func.arguments import title_of
from tensorplay.func.branches import called, need_callables
from tensorplay.func.chunks import Chunks
from tensorplay.func.steps import Results, Slices, taken
from tensorplay.func.vmap import BatchedCall
from tensorplay.tensor.tensor import Tensor


def map(f: Callable[..., Any], xs: Any, *args: Any, batch_size: int | None = None) -> Any:
    """
    What a function gives for each slice of tensors, stacked: ``stack([f(x, *args) for x in xs])``.

    Parameters
    ----------
    f : callable
        Takes a slice of `xs`, and `args`; returns a pytree of Tensor.
    xs : pytree of Tensor
        All leaves have the same size along dim 0, which is dropped in the slices.
    *args : object
        Further arguments of `f`, the same for all slices.
    batch_size : int, optional
        Process so many slices at a time, as `vmap` does. By default one after another, in the least memory; `f` may
        then decide by the data of a slice.

    Returns
    -------
    pytree of Tensor
        Structure of what `f` returns, with the slices along dim 0.

    Raises
    ------
    RuntimeError
        If the results differ in structure, shape or dtype (the key path is named), `f` writes in place to a slice, or
        `xs` has leaves that cannot be sliced.
    ValueError
        If sizes along dim 0 differ, or `batch_size` is not positive.
    TypeError
        If `f` is not callable, or gives what cannot be stacked.

    Notes
    -----
    All transforms apply. Where there is no slice, `f` is called with zeros to find out the shapes of what it gives.

    Examples
    --------
    >>> tp.map(lambda x: x.sum() if x[0] > 0 else x.prod(), tp.tensor([[1.0, 2.0], [-3.0, 4.0]]))
    tensor([  3., -12.])
    """
    need_callables("map()", f=f)
    if batch_size is not None:
        return _in_batches(f, xs, args, batch_size)
    slices = Slices("map()", xs, 0, None)
    results = Results("map()", "result")

    def step(x: list[Tensor | None]) -> Any:
        return called("map()", "f", f, (slices.tree(x), *args), x)

    taken(step, slices, results)
    return results.stacked(0, empty=not slices.length)


def _in_batches(f: Callable[..., Any], xs: Any, args: tuple[Any, ...], batch_size: Any) -> Any:
    if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size < 1:
        raise ValueError(f"map(): batch_size must be a positive int or None, got {batch_size!r}")
    dims = (0, *(None,) * len(args))
    batch = BatchedCall(title_of("map", f, f", batch_size={batch_size}"), f, (xs, *args), dims, 0, "different")
    return batch.run_in_chunks({}, Chunks(batch.title, batch_size))
