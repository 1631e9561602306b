"""Indexing functions."""

from __future__ import annotations

from tensorplay.ops import key, masking, slices
from tensorplay.ops import scatter as at
from tensorplay.tensor.lift import lift

__all__ = [
    "argwhere",
    "gather",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_reduce",
    "index_select",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "nonzero",
    "nonzero_static",
    "put",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "take",
    "take_along_dim",
    "unravel_index",
]

gather = lift(at.gather)
scatter = lift(at.scatter)
scatter_add = lift(at.scatter_add)
scatter_reduce = lift(at.scatter_reduce)
index_select = lift(slices.index_select)
index_add = lift(slices.index_add)
index_copy = lift(slices.index_copy)
index_fill = lift(slices.index_fill)
index_reduce = lift(slices.index_reduce)
index_put = lift(key.index_put)
take = lift(at.take)
put = lift(at.put)
take_along_dim = lift(at.take_along_dim)

masked_fill = lift(masking.masked_fill)
masked_select = lift(masking.masked_select)
masked_scatter = lift(masking.masked_scatter)
nonzero = lift(masking.nonzero)
nonzero_static = lift(masking.nonzero_static)
argwhere = lift(masking.argwhere)
unravel_index = lift(masking.unravel_index)
