"""Windows that taper a signal towards its ends, with the names of torch.signal.windows."""

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

def bartlett(
    M: builtins.int,
    *,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The triangular window, zero at both ends."""

def blackman(
    M: builtins.int,
    *,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Blackman window, three cosine terms."""

def cosine(
    M: builtins.int,
    *,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Half a period of a sine."""

def exponential(
    M: builtins.int,
    *,
    center: builtins.float | None = None,
    tau: builtins.float = 1.0,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Exponential decay from a centre to both sides."""

def gaussian(
    M: builtins.int,
    *,
    std: builtins.float = 1.0,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The normal density, one at its centre."""

def general_cosine(
    M: builtins.int,
    *,
    a: Sequence[builtins.float],
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A sum of cosines."""

def general_hamming(
    M: builtins.int,
    *,
    alpha: builtins.float = 0.54,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A raised cosine."""

def hamming(
    M: builtins.int,
    *,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Hamming window, a raised cosine that does not reach zero."""

def hann(
    M: builtins.int,
    *,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Hann window, a raised cosine."""

def kaiser(
    M: builtins.int,
    *,
    beta: builtins.float = 12.0,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Kaiser window."""

def nuttall(
    M: builtins.int,
    *,
    sym: builtins.bool = True,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The minimum 4-term Blackman-Harris window by Nuttall."""
