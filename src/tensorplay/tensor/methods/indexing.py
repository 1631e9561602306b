"""Indexing methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorplay.core.modes import paused_level
from tensorplay.core.value import Value
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.interpreters.record import root
from tensorplay.ops import key as keys
from tensorplay.ops import masking
from tensorplay.tensor.functions import indexing as functions
from tensorplay.tensor.handle import Handle, Self, held_back
from tensorplay.tensor.lift import to_value

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class IndexingMethods(Handle):
    """Indexing methods."""

    def _assign(self, key: Any, new: Value, what: str) -> None:
        """Write `new` to what `key` names: into memory where nothing is traced, touching nothing else."""
        memory = self.value
        if new.dtype.kind == "c" and memory.dtype.kind != "c":
            raise RuntimeError(
                f"{what}: a value of dtype {from_numpy_dtype(new.dtype)} does not fit into a tensor of dtype "
                f"{from_numpy_dtype(memory.dtype)}; assign its real part (value.real)"
            )
        if paused_level.get() >= root.level:
            memory, new = root.lower(memory), root.lower(new)
        plain = memory.__class__ is np.ndarray and new.__class__ is np.ndarray and memory.flags.writeable
        if plain and held_back.get() is None and keys.is_plain(key):
            self._memory_changes()
            keys.assign(memory, key, new, what)
        else:
            self._write(keys.set_index(self.value, key, new), what)

    def gather(self, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
        """Elements at the positions along `dim` that `index` names; see `tensorplay.gather`."""
        return functions.gather(self, dim, index, sparse_grad=sparse_grad)

    def scatter(
        self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Tensor:
        """Elements of `src` written to positions along `dim`; see `tensorplay.scatter`."""
        return functions.scatter(self, dim, index, src, value=value, reduce=reduce)

    def scatter_(
        self, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
    ) -> Self:
        """In-place `scatter`."""
        return self._write(functions.scatter(self, dim, index, src, value=value, reduce=reduce).value, "scatter_")

    def scatter_add(self, dim: int, index: Tensor, src: Tensor) -> Tensor:
        """Elements of `src` added at positions along `dim`; see `tensorplay.scatter_add`."""
        return functions.scatter_add(self, dim, index, src)

    def scatter_add_(self, dim: int, index: Tensor, src: Tensor) -> Self:
        """In-place `scatter_add`."""
        return self._write(functions.scatter_add(self, dim, index, src).value, "scatter_add_")

    def scatter_reduce(self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Tensor:
        """Elements of `src` combined into positions along `dim`; see `tensorplay.scatter_reduce`."""
        return functions.scatter_reduce(self, dim, index, src, reduce, include_self=include_self)

    def scatter_reduce_(self, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Self:
        """In-place `scatter_reduce`."""
        return self._write(
            functions.scatter_reduce(self, dim, index, src, reduce, include_self=include_self).value, "scatter_reduce_"
        )

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        """Slices along `dim` at the positions in `index`; see `tensorplay.index_select`."""
        return functions.index_select(self, dim, index)

    def index_add(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
        """Slices of `source` added at positions along `dim`; see `tensorplay.index_add`."""
        return functions.index_add(self, dim, index, source, alpha=alpha)

    def index_add_(self, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Self:
        """In-place `index_add`."""
        return self._write(functions.index_add(self, dim, index, source, alpha=alpha).value, "index_add_")

    def index_copy(self, dim: int, index: Tensor, source: Tensor) -> Tensor:
        """Slices of `source` written to positions along `dim`; see `tensorplay.index_copy`."""
        return functions.index_copy(self, dim, index, source)

    def index_copy_(self, dim: int, index: Tensor, source: Tensor) -> Self:
        """In-place `index_copy`."""
        return self._write(functions.index_copy(self, dim, index, source).value, "index_copy_")

    def index_fill(self, dim: int, index: Tensor, value: Any) -> Tensor:
        """`value` written to positions along `dim`; see `tensorplay.index_fill`."""
        return functions.index_fill(self, dim, index, value)

    def index_fill_(self, dim: int, index: Tensor, value: Any) -> Self:
        """In-place `index_fill`."""
        return self._write(functions.index_fill(self, dim, index, value).value, "index_fill_")

    def index_reduce(
        self, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
    ) -> Tensor:
        """Slices of `source` combined into positions along `dim`; see `tensorplay.index_reduce`."""
        return functions.index_reduce(self, dim, index, source, reduce, include_self=include_self)

    def index_reduce_(self, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True) -> Self:
        """In-place `index_reduce`."""
        return self._write(
            functions.index_reduce(self, dim, index, source, reduce, include_self=include_self).value, "index_reduce_"
        )

    def index_put(self, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
        """`values` written to the positions that index tensors name; see `tensorplay.index_put`."""
        return functions.index_put(self, indices, values, accumulate)

    def index_put_(self, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Self:
        """In-place `index_put`."""
        if accumulate or values.dtype != self.value.dtype:
            return self._write(functions.index_put(self, indices, values, accumulate).value, "index_put_")
        self._assign(keys.key_of_indices(to_value(indices)), values.value, "index_put_")
        return self

    def take(self, index: Tensor) -> Tensor:
        """Elements of the flattened tensor at the positions in `index`; see `tensorplay.take`."""
        return functions.take(self, index)

    def put(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        """Elements of `source` written to positions of the flattened tensor; see `tensorplay.put`."""
        return functions.put(self, index, source, accumulate)

    def put_(self, index: Tensor, source: Tensor, accumulate: bool = False) -> Self:
        """In-place `put`."""
        return self._write(functions.put(self, index, source, accumulate).value, "put_")

    def take_along_dim(self, indices: Tensor, dim: int | None = None) -> Tensor:
        """Elements at positions along `dim`; see `tensorplay.take_along_dim`."""
        return functions.take_along_dim(self, indices, dim)

    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """`value` where `mask` holds; see `tensorplay.masked_fill`."""
        return functions.masked_fill(self, mask, value)

    def masked_fill_(self, mask: Tensor, value: Any) -> Self:
        """In-place `masked_fill`."""
        return self._write(functions.masked_fill(self, mask, value).value, "masked_fill_")

    def masked_select(self, mask: Tensor, *, size: int | None = None, fill_value: Any = 0) -> Tensor:
        """Elements where `mask` holds; see `tensorplay.masked_select`."""
        return functions.masked_select(self, mask, size=size, fill_value=fill_value)

    def masked_scatter(self, mask: Tensor, source: Tensor) -> Tensor:
        """The elements of `source`, in order, where `mask` holds; see `tensorplay.masked_scatter`."""
        return functions.masked_scatter(self, mask, source)

    def masked_scatter_(self, mask: Tensor, source: Tensor) -> Self:
        """In-place `masked_scatter`."""
        return self._write(functions.masked_scatter(self, mask, source).value, "masked_scatter_")

    def nonzero(self, *, as_tuple: bool = False, size: int | None = None, fill_value: Any = 0) -> Any:
        """Positions of the nonzero elements; see `tensorplay.nonzero`."""
        return functions.nonzero(self, as_tuple=as_tuple, size=size, fill_value=fill_value)

    def nonzero_static(self, *, size: int, fill_value: int = -1) -> Tensor:
        """Positions of the first `size` nonzero elements; see `tensorplay.nonzero_static`."""
        return functions.nonzero_static(self, size=size, fill_value=fill_value)

    def argwhere(self, *, size: int | None = None, fill_value: Any = 0) -> Tensor:
        """Positions of the nonzero elements, one row each; see `tensorplay.argwhere`."""
        return functions.argwhere(self, size=size, fill_value=fill_value)

    def fill_diagonal_(self, fill_value: Any, wrap: bool = False) -> Self:
        """`fill_value` written to the main diagonal, in place; `wrap` goes on below in a tall matrix."""
        return self._write(masking.fill_diagonal(self.value, to_value(fill_value), wrap), "fill_diagonal_")
