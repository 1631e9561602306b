"""Padding."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.arguments import as_tuple
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class _Pad(Module):
    """A margin around the last `_rank` dims, filled as `_mode` says."""

    _rank: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2 * self._rank)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPad(_Pad):
    """A margin filled with a number."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """
    A sequence with a constant around it.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 2 of them, the last dim first.
    value : float
        What to pad with.

    Examples
    --------
    >>> tp.nn.ConstantPad1d(1, 2.0)(tp.zeros(1, 3, 3)).shape
    tensorplay.Size([1, 3, 5])
    """

    _rank = 1


class ConstantPad2d(_ConstantPad):
    """
    A image with a constant around it.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 4 of them, the last dim first.
    value : float
        What to pad with.

    Examples
    --------
    >>> tp.nn.ConstantPad2d(1, 2.0)(tp.zeros(1, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5])
    """

    _rank = 2


class ConstantPad3d(_ConstantPad):
    """
    A volume with a constant around it.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 6 of them, the last dim first.
    value : float
        What to pad with.

    Examples
    --------
    >>> tp.nn.ConstantPad3d(1, 2.0)(tp.zeros(1, 3, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5, 5])
    """

    _rank = 3


class ZeroPad1d(_Pad):
    """
    A sequence with zeros around it.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 2 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ZeroPad1d(1)(tp.zeros(1, 3, 3)).shape
    tensorplay.Size([1, 3, 5])
    """

    _rank = 1
    _mode = "constant"


class ZeroPad2d(_Pad):
    """
    A image with zeros around it.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 4 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ZeroPad2d(1)(tp.zeros(1, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5])
    """

    _rank = 2
    _mode = "constant"


class ZeroPad3d(_Pad):
    """
    A volume with zeros around it.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 6 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ZeroPad3d(1)(tp.zeros(1, 3, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5, 5])
    """

    _rank = 3
    _mode = "constant"


class ReflectionPad1d(_Pad):
    """
    A sequence continued by its reflection.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 2 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ReflectionPad1d(1)(tp.zeros(1, 3, 3)).shape
    tensorplay.Size([1, 3, 5])
    """

    _rank = 1
    _mode = "reflect"


class ReflectionPad2d(_Pad):
    """
    A image continued by its reflection.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 4 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ReflectionPad2d(1)(tp.zeros(1, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5])
    """

    _rank = 2
    _mode = "reflect"


class ReflectionPad3d(_Pad):
    """
    A volume continued by its reflection.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 6 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ReflectionPad3d(1)(tp.zeros(1, 3, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5, 5])
    """

    _rank = 3
    _mode = "reflect"


class ReplicationPad1d(_Pad):
    """
    A sequence continued by its edges.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 2 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ReplicationPad1d(1)(tp.zeros(1, 3, 3)).shape
    tensorplay.Size([1, 3, 5])
    """

    _rank = 1
    _mode = "replicate"


class ReplicationPad2d(_Pad):
    """
    A image continued by its edges.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 4 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ReplicationPad2d(1)(tp.zeros(1, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5])
    """

    _rank = 2
    _mode = "replicate"


class ReplicationPad3d(_Pad):
    """
    A volume continued by its edges.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 6 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.ReplicationPad3d(1)(tp.zeros(1, 3, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5, 5])
    """

    _rank = 3
    _mode = "replicate"


class CircularPad1d(_Pad):
    """
    A sequence continued periodically.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 2 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.CircularPad1d(1)(tp.zeros(1, 3, 3)).shape
    tensorplay.Size([1, 3, 5])
    """

    _rank = 1
    _mode = "circular"


class CircularPad2d(_Pad):
    """
    A image continued periodically.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 4 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.CircularPad2d(1)(tp.zeros(1, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5])
    """

    _rank = 2
    _mode = "circular"


class CircularPad3d(_Pad):
    """
    A volume continued periodically.

    Parameters
    ----------
    padding : int or tuple of int
        Size of the margin, one for all sides or 6 of them, the last dim first.

    Examples
    --------
    >>> tp.nn.CircularPad3d(1)(tp.zeros(1, 3, 3, 3, 3)).shape
    tensorplay.Size([1, 3, 5, 5, 5])
    """

    _rank = 3
    _mode = "circular"
