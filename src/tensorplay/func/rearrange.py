"""rearrange: reshape, transpose, compose and split by naming the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import einops
from einops._backends import AbstractBackend

from tensorplay.func.arguments import describe
from tensorplay.tensor import factories, functions
from tensorplay.tensor.functions import creation, reduction, shape
from tensorplay.tensor.tensor import Tensor

# by einops' names
_REDUCTIONS = {name: getattr(reduction, name) for name in ("sum", "mean", "prod", "any", "all")}
_REDUCTIONS |= {"min": reduction.amin, "max": reduction.amax}


class TensorplayBackend(AbstractBackend):
    """How einops works on tensors: its own engine calls ops, so every transform passes through."""

    framework_name = "tensorplay"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether einops should use this backend."""
        return isinstance(tensor, Tensor)

    def from_numpy(self, x: Any) -> Tensor:
        """Tensor on an array."""
        return factories.from_numpy(x)

    def to_numpy(self, x: Tensor) -> Any:
        """Array behind a tensor."""
        return x.detach().numpy()

    def arange(self, start: int, stop: int) -> Tensor:
        """Integers from start to stop."""
        return creation.arange(start, stop)

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Dims in another order."""
        return shape.permute(x, tuple(axes))

    def reduce(self, x: Tensor, operation: str, axes: Sequence[int]) -> Tensor:
        """Dims summed up, or taken together by another function of this name."""
        return _REDUCTIONS[operation](x, axes)

    def stack_on_zeroth_dimension(self, tensors: Sequence[Tensor]) -> Tensor:
        """A list of tensors as one."""
        return shape.stack(tensors)

    def add_axis(self, x: Tensor, new_position: int) -> Tensor:
        """A dim of size one."""
        return shape.unsqueeze(x, new_position)

    def add_axes(self, x: Tensor, n_axes: int, pos2len: Mapping[int, int]) -> Tensor:
        """New dims along which elements repeat."""
        repeats = [-1] * n_axes
        for position, length in pos2len.items():
            x = self.add_axis(x, position)
            repeats[position] = length
        return shape.expand(x, repeats)

    def tile(self, x: Tensor, repeats: Sequence[int]) -> Tensor:
        """Copies side by side."""
        return shape.tile(x, repeats)

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors joined along a dim."""
        return shape.cat(tensors, axis)

    def is_float_type(self, x: Tensor) -> bool:
        """Whether a mean is defined."""
        return x.dtype.is_floating_point

    def einsum(self, pattern: str, *x: Tensor) -> Tensor:
        """Sum of products."""
        return functions.contraction.einsum(pattern, *x)


def rearrange(tensor: Tensor | Sequence[Tensor], pattern: str, **axes_lengths: int) -> Tensor:
    """
    Tensor with the elements of `tensor` in the order that `pattern` names.

    Parameters
    ----------
    tensor : Tensor or sequence of Tensor
        A sequence of tensors of one shape counts as a tensor with a new leading axis.
    pattern : str
        Names of the axes before and after, as ``"b (h w) c -> b c h w"``: parentheses compose or split axes, ``...``
        stands for any others, ``1`` for an axis of length one.
    **axes_lengths : int
        Lengths that the shape does not tell.

    Returns
    -------
    Tensor
        A view where the order of elements allows.

    Raises
    ------
    RuntimeError
        If the pattern does not fit; the message names axis, length and shape.
    TypeError
        If `tensor` is no tensor, or a length no int.

    Notes
    -----
    The pattern language is that of einops (Rogozhnikov, ICLR 2022), whose engine does the work.

    Examples
    --------
    >>> tp.func.rearrange(tp.arange(6), "(a b) -> b a", a=2)
    tensor([[0, 3],
            [1, 4],
            [2, 5]])
    """
    parts = [tensor] if isinstance(tensor, Tensor) else tensor
    if not isinstance(parts, list | tuple) or not parts or not all(isinstance(part, Tensor) for part in parts):
        raise TypeError(
            f"rearrange({pattern!r}): expected a tensor or a non-empty sequence of tensors, got {describe(tensor)}"
        )
    wrong = {name: length for name, length in axes_lengths.items() if not isinstance(length, int)}
    if not isinstance(pattern, str) or wrong:
        raise TypeError(
            f"rearrange(): expected a str as pattern and ints as lengths, got {pattern!r} and {axes_lengths}"
        )
    given: Any = tensor if isinstance(tensor, Tensor) else list(parts)
    try:
        return einops.rearrange(given, pattern, **axes_lengths)
    except einops.EinopsError as error:
        *_, reason = str(error).strip().splitlines()
        options = "".join([f", {name}={length}" for name, length in axes_lengths.items()])
        shapes = ", ".join([str(list(part.shape)) for part in parts])
        raise einops.EinopsError(f"rearrange({pattern!r}{options}): {reason.strip()} (shape {shapes})") from None
