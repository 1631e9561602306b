"""associative_scan: all partial combinations along a dim, in a logarithmic number of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorplay import tree
from tensorplay.core.value import Value
from tensorplay.errors import need_flags
from tensorplay.func.arguments import describe, need_option, title_of
from tensorplay.func.branches import called, need_callables, need_structure, unlike
from tensorplay.func.reverse import own_tensors
from tensorplay.func.steps import sliceable
from tensorplay.func.vmap import BatchedCall
from tensorplay.ops.arranging import flip
from tensorplay.ops.families import reshape
from tensorplay.ops.shape import cat, movedim, slice_dim
from tensorplay.ops.stacking import stacked
from tensorplay.tensor.handle import wrap


def associative_scan(
    combine_fn: Callable[[Any, Any], Any],
    xs: Any,
    dim: int = 0,
    reverse: bool = False,
    combine_mode: str = "generic",
) -> Any:
    """
    Slices of tensors, each combined with all before it, by an associative function.

    Slice ``i`` of the result is ``combine_fn(combine_fn(x[0], x[1]), ...x[i])``.

    Parameters
    ----------
    combine_fn : callable
        Takes two slices of `xs`, without `dim`; returns their combination, in the same structure, shapes and dtypes. It
        must be associative.
    xs : pytree of Tensor
        What to combine; all leaves have the same size along `dim`.
    dim : int, default 0
        The dim to go along, of each leaf.
    reverse : bool, default False
        Whether to go from the last slice to the first: slice ``i`` combines the last with all down to ``x[i]``.
    combine_mode : {"generic", "pointwise"}, default "generic"
        Accepted for torch's sake; both run alike.

    Returns
    -------
    pytree of Tensor
        Structure, shapes and dtypes of `xs`.

    Raises
    ------
    RuntimeError
        If a combination differs from the slices in structure, shape or dtype (the key path is named), or `xs` has
        leaves that cannot be sliced.
    ValueError
        If sizes along `dim` differ, or `combine_mode` is none of the two.
    IndexError
        If `dim` is out of range.
    TypeError
        If `combine_fn` is not callable.

    Notes
    -----
    About ``2 log2(n)`` calls, each of which `vmap` maps over many pairs; fewer than ``2 n`` combinations are computed.
    All transforms apply, with derivatives in both modes. Rounding differs from that of a loop. Blelloch, Prefix Sums
    and Their Applications, 1990.

    Examples
    --------
    >>> turns = tp.tensor([[0.0, -1.0], [1.0, 0.0]]).expand(4, 2, 2)
    >>> tp.associative_scan(lambda a, b: a @ b, turns)[3]
    tensor([[1., 0.],
            [0., 1.]])
    """
    need_callables("associative_scan()", combine_fn=combine_fn)
    need_flags("associative_scan()", reverse=reverse)
    need_option("associative_scan()", "combine_mode", combine_mode, ("generic", "pointwise"))
    values, dims, spec, length = sliceable("associative_scan()", xs, dim, None)
    rows = [movedim(value, d, 0) for value, d in zip(values, dims, strict=True)]
    if reverse:
        rows = [flip(row, 0) for row in rows]
    results = _scanned(_Pairs(combine_fn, spec), rows, length)
    if reverse:
        results = [flip(row, 0) for row in results]
    return tree.unflatten(spec, own_tensors([movedim(r, 0, d) for r, d in zip(results, dims, strict=True)], values))


class _Pairs:
    """The combination of many pairs at once."""

    def __init__(self, combine_fn: Callable[[Any, Any], Any], spec: tree.TreeSpec) -> None:
        self.title = title_of("associative_scan", combine_fn)
        self.combine_fn = combine_fn
        self.spec = spec

    def __call__(self, left: Sequence[Value], right: Sequence[Value]) -> list[Value]:
        """Combinations of pairs of rows, each given as one value per leaf."""
        handles = [[wrap(value) for value in side] for side in (left, right)]
        pair = tuple([tree.unflatten(self.spec, side) for side in handles])
        batch = BatchedCall(self.title, self._checked, pair, 0, 0, "different")
        leaves, _ = tree.flatten(batch.run(batch.leaves, {}))
        return [leaf.value for leaf in leaves]

    def _checked(self, left: Any, right: Any) -> Any:
        """The combination of one pair."""
        given, _ = tree.flatten((left, right))
        out = called(self.title, "combine_fn", self.combine_fn, (left, right), given)
        leaves, spec = tree.flatten(out)
        need_structure(self.title, "the slices and what combine_fn returns", self.spec, spec)
        for position, (new, old) in enumerate(zip(leaves, given, strict=False)):
            if unlike(new, old):
                raise RuntimeError(
                    f"{self.title}: combine_fn must return what it takes, in shape and dtype: it takes {describe(old)} "
                    f"and returns {describe(new)} at output{tree.paths(out)[position]}"
                )
        return out


def _scanned(combine: _Pairs, rows: Sequence[Value], length: int) -> list[Value]:
    """Rows, each combined with all before it: first pairs of neighbours, then what lies between."""
    if length < 2:
        return list(rows)
    pairs = length // 2
    joined = combine([_every_other(r, 0, 2 * pairs) for r in rows], [_every_other(r, 1, 2 * pairs) for r in rows])
    odd = _scanned(combine, joined, pairs)
    firsts = [slice_dim(r, 0, 0, 1) for r in rows]
    if length == 2:
        return [cat([first, o]) for first, o in zip(firsts, odd, strict=True)]
    between = combine([slice_dim(o, 0, 0, (length - 1) // 2) for o in odd], [_every_other(r, 2, length) for r in rows])
    even = [cat([first, b]) for first, b in zip(firsts, between, strict=True)]
    return [_interleaved(e, o) for e, o in zip(even, odd, strict=True)]


def _every_other(row: Value, start: int, stop: int) -> Value:
    return slice_dim(row, 0, start, stop, 2)


def _interleaved(even: Value, odd: Value) -> Value:
    """Rows of two values in turn, of which the first has as many as the second or one more."""
    pairs, rest = odd.shape[0], odd.shape[1:]
    both = reshape(stacked(slice_dim(even, 0, 0, pairs), odd, dim=1), shape=(2 * pairs, *rest))
    return cat([both, slice_dim(even, 0, pairs, pairs + 1)]) if even.shape[0] > pairs else both
