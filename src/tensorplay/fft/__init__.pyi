"""Discrete Fourier transforms with the names of ``torch.fft``: ops on values, lifted to tensors."""

# ruff: noqa
# Made by `python -m tests.type_stubs`.

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorplay.dtypes import dtype as _dtype
from tensorplay.random.generator import Generator as _Generator
from tensorplay.tensor.size import Size as _Size
from tensorplay.tensor.tensor import Tensor as _Tensor

# what operators take where they take tensors, and where they take dtypes
_Operand: TypeAlias = _Tensor | builtins.complex | np.generic[Any]
_DtypeLike: TypeAlias = _dtype | np.dtype[Any] | type | str

def fft(
    input: _Operand,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Discrete Fourier transform along a dim."""

def fft2(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Discrete Fourier transform along two dims."""

def fftfreq(
    n: builtins.int,
    d: builtins.float = 1.0,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Frequencies of the entries of `fft`, in cycles per unit of time."""

def fftn(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Discrete Fourier transform along some dims."""

def fftshift(
    input: _Operand, dim: builtins.int | Sequence[builtins.int] | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Frequencies in ascending order, from the order that `fft` gives."""

def hfft(
    input: _Operand,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Real discrete Fourier transform of a half of a Hermitian signal along a dim."""

def hfft2(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Real discrete Fourier transform of a half of a Hermitian signal along two dims."""

def hfftn(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Real discrete Fourier transform of a half of a Hermitian signal along some dims."""

def ifft(
    input: _Operand,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Inverse discrete Fourier transform along a dim."""

def ifft2(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Inverse discrete Fourier transform along two dims."""

def ifftn(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Inverse discrete Fourier transform along some dims."""

def ifftshift(
    input: _Operand, dim: builtins.int | Sequence[builtins.int] | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Frequencies in the order that `fft` gives, from ascending order."""

def ihfft(
    input: _Operand,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Half of the Hermitian signal of a real discrete Fourier transform along a dim."""

def ihfft2(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Half of the Hermitian signal of a real discrete Fourier transform along two dims."""

def ihfftn(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Half of the Hermitian signal of a real discrete Fourier transform along some dims."""

def irfft(
    input: _Operand,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Real signal of a half of its discrete Fourier transform along a dim."""

def irfft2(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Real signal of a half of its discrete Fourier transform along two dims."""

def irfftn(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Real signal of a half of its discrete Fourier transform along some dims."""

def rfft(
    input: _Operand,
    n: builtins.int | None = None,
    dim: builtins.int = -1,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Discrete Fourier transform of a real signal along a dim."""

def rfft2(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Discrete Fourier transform of a real signal along two dims."""

def rfftfreq(
    n: builtins.int,
    d: builtins.float = 1.0,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Frequencies of the entries of `rfft`, in cycles per unit of time."""

def rfftn(
    input: _Operand,
    s: builtins.int | Sequence[builtins.int] | None = None,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    norm: str | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Discrete Fourier transform of a real signal along some dims."""
