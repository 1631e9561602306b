"""Shape methods and views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.ops import views
from tensorplay.ops.shape import packed, transpose
from tensorplay.tensor.functions import shape as functions
from tensorplay.tensor.handle import Handle, Self
from tensorplay.tensor.strides import as_strided

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ShapeMethods(Handle):
    """Shape methods and views."""

    # ---- shape

    def reshape(self, *shape: Any) -> Tensor:
        """The same elements in another shape; see `tensorplay.reshape`."""
        return functions.reshape(self, packed(shape))

    def reshape_as(self, other: Tensor) -> Tensor:
        """The same elements in the shape of `other`."""
        return functions.reshape_as(self, other)

    def view(self, *shape: Any, dtype: Any = None) -> Tensor:
        """The same memory in another shape, or read as another dtype; an error where that would need a copy."""
        return functions.view(self, *(shape if dtype is None else (dtype,)))

    def view_as(self, other: Tensor) -> Tensor:
        """The same memory in the shape of `other`; an error where that would need a copy."""
        return functions.view_as(self, other)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """A range of dims made one; see `tensorplay.flatten`."""
        return functions.flatten(self, start_dim, end_dim)

    def ravel(self) -> Tensor:
        """All elements in one dim; see `tensorplay.ravel`."""
        return functions.ravel(self)

    def unflatten(self, dim: int, sizes: Any) -> Tensor:
        """One dim split into several; see `tensorplay.unflatten`."""
        return functions.unflatten(self, dim, sizes)

    def squeeze(self, dim: Any = None) -> Tensor:
        """Dims of size 1 dropped; see `tensorplay.squeeze`."""
        return functions.squeeze(self, dim)

    def unsqueeze(self, dim: int) -> Tensor:
        """A dim of size 1 inserted; see `tensorplay.unsqueeze`."""
        return functions.unsqueeze(self, dim)

    def expand(self, *sizes: Any, implicit: bool = False) -> Tensor:
        """Dims of size 1 repeated without copies: a view that cannot be written to. A size of -1 keeps a dim."""
        return functions.expand(self, *sizes)

    def expand_as(self, other: Tensor) -> Tensor:
        """The tensor expanded to the shape of `other`."""
        return functions.expand_as(self, other)

    def broadcast_to(self, size: Any) -> Tensor:
        """The tensor expanded to a shape; see `tensorplay.broadcast_to`."""
        return functions.broadcast_to(self, size)

    # ---- dims

    @property
    def T(self) -> Tensor:
        """The dims in reverse order."""
        return functions.reverse_dims(self)

    @property
    def mT(self) -> Tensor:
        """The last two dims exchanged."""
        return functions.matrix_transpose(self)

    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix."""
        return functions.hermitian(self)

    @property
    def mH(self) -> Tensor:
        """The conjugate with the last two dims exchanged."""
        return functions.adjoint(self)

    def adjoint(self) -> Tensor:
        """The conjugate with the last two dims exchanged; see `tensorplay.adjoint`."""
        return functions.adjoint(self)

    def t(self) -> Tensor:
        """The transpose of a matrix; see `tensorplay.t`."""
        return functions.t(self)

    def permute(self, *dims: Any) -> Tensor:
        """The dims in another order; see `tensorplay.permute`."""
        return functions.permute(self, packed(dims))

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Two dims exchanged; see `tensorplay.transpose`."""
        return functions.transpose(self, dim0, dim1)

    def swapaxes(self, axis0: int, axis1: int) -> Tensor:
        """Two dims exchanged; see `tensorplay.swapaxes`."""
        return functions.transpose(self, axis0, axis1)

    def swapdims(self, dim0: int, dim1: int) -> Tensor:
        """Two dims exchanged; see `tensorplay.swapdims`."""
        return functions.transpose(self, dim0, dim1)

    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Some dims moved to other positions; see `tensorplay.movedim`."""
        return functions.movedim(self, source, destination)

    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Some dims moved to other positions; see `tensorplay.moveaxis`."""
        return functions.movedim(self, source, destination)

    # ---- in place: the same memory, seen otherwise from now on

    def squeeze_(self, dim: Any = None) -> Self:
        """In-place `squeeze`."""
        return self._become_view(lambda value: views.squeeze(value, dim), "squeeze_")

    def unsqueeze_(self, dim: int) -> Self:
        """In-place `unsqueeze`."""
        return self._become_view(lambda value: views.unsqueeze(value, dim), "unsqueeze_")

    def t_(self) -> Self:
        """In-place `t`."""
        return self._become_view(views.t, "t_")

    def transpose_(self, dim0: int, dim1: int) -> Self:
        """In-place `transpose`."""
        return self._become_view(lambda value: transpose(value, dim0, dim1), "transpose_")

    def swapaxes_(self, axis0: int, axis1: int) -> Self:
        """In-place `swapaxes`."""
        return self._become_view(lambda value: transpose(value, axis0, axis1), "swapaxes_")

    def swapdims_(self, dim0: int, dim1: int) -> Self:
        """In-place `swapdims`."""
        return self._become_view(lambda value: transpose(value, dim0, dim1), "swapdims_")

    # ---- pieces

    def select(self, dim: int, index: int) -> Tensor:
        """One slice along a dim, which is dropped; see `tensorplay.select`."""
        return functions.select(self, dim, index)

    def narrow(self, dim: int, start: Any, length: int) -> Tensor:
        """A range along a dim; see `tensorplay.narrow`."""
        return functions.narrow(self, dim, start, length)

    def narrow_copy(self, dim: int, start: int, length: int) -> Tensor:
        """A copy of a range along a dim; see `tensorplay.narrow_copy`."""
        return functions.narrow_copy(self, dim, start, length)

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        """All slices along a dim; see `tensorplay.unbind`."""
        return functions.unbind(self, dim)

    def split(self, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
        """Pieces of given sizes along a dim; see `tensorplay.split`."""
        return functions.split(self, split_size, dim)

    def split_with_sizes(self, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
        """Pieces of given sizes along a dim; see `tensorplay.split_with_sizes`."""
        return functions.split_with_sizes(self, split_sizes, dim)

    def unsafe_split(self, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Pieces of given sizes along a dim; see `tensorplay.unsafe_split`."""
        return functions.unsafe_split(self, split_size, dim)

    def unsafe_split_with_sizes(self, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
        """Pieces of given sizes along a dim; see `tensorplay.unsafe_split_with_sizes`."""
        return functions.unsafe_split_with_sizes(self, split_sizes, dim)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Pieces of equal size along a dim; see `tensorplay.chunk`."""
        return functions.chunk(self, chunks, dim)

    def unsafe_chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        """Pieces of equal size along a dim; see `tensorplay.unsafe_chunk`."""
        return functions.unsafe_chunk(self, chunks, dim)

    def tensor_split(self, indices_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
        """Pieces along a dim; see `tensorplay.tensor_split`."""
        return functions.tensor_split(self, indices_or_sections, dim, **named)

    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the second dim, or the only one; see `tensorplay.hsplit`."""
        return functions.hsplit(self, indices_or_sections)

    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the first dim; see `tensorplay.vsplit`."""
        return functions.vsplit(self, indices_or_sections)

    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Pieces along the third dim; see `tensorplay.dsplit`."""
        return functions.dsplit(self, indices_or_sections)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """A diagonal of two dims; see `tensorplay.diagonal`."""
        return functions.diagonal(self, offset, dim1, dim2)

    def as_strided(self, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
        """View of the memory behind this tensor, by strides."""
        return as_strided(self, size, stride, storage_offset)

    def unfold(self, dimension: int, size: int, step: int) -> Tensor:
        """Windows along a dim, whose elements are in a new last dim; a view."""
        return functions.unfold(self, dimension, size, step)

    # ---- new memory

    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy; see `tensorplay.clone`."""
        return functions.clone(self)

    def contiguous(self, memory_format: Any = None) -> Tensor:
        """This tensor if its elements lie in order in memory, else a copy."""
        return self if self.layout().flags.c_contiguous else functions.clone(self)  # type: ignore[return-value]

    def repeat(self, *repeats: Any) -> Tensor:
        """The tensor repeated along its dims, as often as the numbers say; there may be more numbers than dims."""
        return functions.repeat(self, *repeats)

    def tile(self, *dims: Any) -> Tensor:
        """The tensor repeated along its dims; see `tensorplay.tile`."""
        return functions.tile(self, packed(dims))

    def repeat_interleave(self, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
        """Each element repeated in place; see `tensorplay.repeat_interleave`."""
        return functions.repeat_interleave(self, repeats, dim, output_size=output_size)

    def flip(self, *dims: Any) -> Tensor:
        """The elements in reverse order along some dims; see `tensorplay.flip`."""
        return functions.flip(self, packed(dims))

    def fliplr(self) -> Tensor:
        """The columns in reverse order; see `tensorplay.fliplr`."""
        return functions.fliplr(self)

    def flipud(self) -> Tensor:
        """The rows in reverse order; see `tensorplay.flipud`."""
        return functions.flipud(self)

    def roll(self, shifts: Any, dims: Any = None) -> Tensor:
        """The elements shifted along some dims; see `tensorplay.roll`."""
        return functions.roll(self, shifts, dims)

    def rot90(self, k: int = 1, dims: Any = (0, 1)) -> Tensor:
        """The tensor turned by 90 degrees; see `tensorplay.rot90`."""
        return functions.rot90(self, k, dims)

    def tril(self, diagonal: int = 0) -> Tensor:
        """The lower triangle; see `tensorplay.tril`."""
        return functions.tril(self, diagonal)

    def tril_(self, diagonal: int = 0) -> Self:
        """In-place `tril`."""
        return self._write(functions.tril(self, diagonal).value, "tril_")

    def triu(self, diagonal: int = 0) -> Tensor:
        """The upper triangle; see `tensorplay.triu`."""
        return functions.triu(self, diagonal)

    def triu_(self, diagonal: int = 0) -> Self:
        """In-place `triu`."""
        return self._write(functions.triu(self, diagonal).value, "triu_")

    def diag(self, diagonal: int = 0) -> Tensor:
        """The matrix with a vector on a diagonal, or the diagonal of a matrix; see `tensorplay.diag`."""
        return functions.diag(self, diagonal)

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
        """Matrices with the last dim as a diagonal; see `tensorplay.diag_embed`."""
        return functions.diag_embed(self, offset, dim1, dim2)

    def diagflat(self, offset: int = 0) -> Tensor:
        """The matrix with all elements on a diagonal; see `tensorplay.diagflat`."""
        return functions.diagflat(self, offset)

    def slice_scatter(
        self, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
    ) -> Tensor:
        """A copy in which a range along a dim is replaced; see `tensorplay.slice_scatter`."""
        return functions.slice_scatter(self, src, dim, start, end, step)

    def select_scatter(self, src: Tensor, dim: int, index: int) -> Tensor:
        """A copy in which one slice along a dim is replaced; see `tensorplay.select_scatter`."""
        return functions.select_scatter(self, src, dim, index)

    def diagonal_scatter(self, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
        """A copy in which a diagonal is replaced; see `tensorplay.diagonal_scatter`."""
        return functions.diagonal_scatter(self, src, offset, dim1, dim2)
