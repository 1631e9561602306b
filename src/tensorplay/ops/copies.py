"""Copies of views: each op `name_copy` gives what `name` gives, in new memory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tensorplay.ops.bits import view_as_complex, view_as_real
from tensorplay.ops.documented import documented
from tensorplay.ops.pieces import narrow, select, split, split_with_sizes, unbind
from tensorplay.ops.shape import copy, detach, permute, transpose
from tensorplay.ops.views import alias, diagonal, expand, squeeze, t, unfold, unsqueeze, view


def _copying(of: Callable[..., Any], example: str, name: str = "") -> Callable[..., Any]:
    """Like the op `of`, but the result shares no memory with the input."""

    def op(*args: Any, **kwargs: Any) -> Any:
        out = of(*args, **kwargs)
        return tuple(map(copy, out)) if isinstance(out, tuple) else copy(out)

    name = name or of.__name__
    op.__signature__ = inspect.signature(of)  # type: ignore[attr-defined]
    return documented(
        op,
        f"{name}_copy",
        f"The result of `{name}` as a copy, which shares no memory with the input.",
        f"""
        Parameters
        ----------
        {_names(of)}
            As for `{name}`.

        Returns
        -------
        Tensor or tuple of Tensor
            New memory.
        """,
        example,
    )


def _names(of: Callable[..., Any]) -> str:
    """The parameters of an op as its documentation lists them."""
    parameters = inspect.signature(of).parameters.values()
    return ", ".join([f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name for p in parameters])


def _shape_example(call: str, shape: Sequence[int]) -> str:
    return f">>> {call}.shape\ntensorplay.Size({list(shape)})"


alias_copy = _copying(alias, _shape_example("tp.alias_copy(tp.zeros(2))", [2]))
detach_copy = _copying(lambda input: detach(input), _shape_example("tp.detach_copy(tp.zeros(2))", [2]), name="detach")
diagonal_copy = _copying(diagonal, _shape_example("tp.diagonal_copy(tp.zeros(2, 2))", [2]))
expand_copy = _copying(expand, _shape_example("tp.expand_copy(tp.zeros(1), (2,))", [2]))
narrow_copy = _copying(narrow, _shape_example("tp.narrow_copy(tp.zeros(3), 0, 1, 2)", [2]))
permute_copy = _copying(permute, _shape_example("tp.permute_copy(tp.zeros(2, 3), (1, 0))", [3, 2]))
select_copy = _copying(select, _shape_example("tp.select_copy(tp.zeros(2, 3), 0, 1)", [3]))
split_copy = _copying(split, _shape_example("tp.split_copy(tp.zeros(4), 2)[0]", [2]))
split_with_sizes_copy = _copying(
    split_with_sizes, _shape_example("tp.split_with_sizes_copy(tp.zeros(3), [1, 2])[1]", [2])
)
squeeze_copy = _copying(squeeze, _shape_example("tp.squeeze_copy(tp.zeros(1, 3))", [3]))
t_copy = _copying(t, _shape_example("tp.t_copy(tp.zeros(2, 3))", [3, 2]))
transpose_copy = _copying(transpose, _shape_example("tp.transpose_copy(tp.zeros(2, 3), 0, 1)", [3, 2]))
unbind_copy = _copying(unbind, _shape_example("tp.unbind_copy(tp.zeros(2, 3))[0]", [3]))
unfold_copy = _copying(unfold, _shape_example("tp.unfold_copy(tp.zeros(4), 0, 2, 2)", [2, 2]))
unsqueeze_copy = _copying(unsqueeze, _shape_example("tp.unsqueeze_copy(tp.zeros(3), 0)", [1, 3]))
view_copy = _copying(view, _shape_example("tp.view_copy(tp.zeros(4), (2, 2))", [2, 2]))
view_as_real_copy = _copying(view_as_real, _shape_example("tp.view_as_real_copy(tp.tensor([1j]))", [1, 2]))
view_as_complex_copy = _copying(view_as_complex, _shape_example("tp.view_as_complex_copy(tp.zeros(3, 2))", [3]))
