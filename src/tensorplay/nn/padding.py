"""Padding."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.arguments import as_tuple
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class ConstantPad1d(Module):
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

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad2d(Module):
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

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 4)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad3d(Module):
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

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 6)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ZeroPad1d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant")

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad2d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 4)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant")

    def extra_repr(self) -> str:
        return str(self.padding)


class ZeroPad3d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 6)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant")

    def extra_repr(self) -> str:
        return str(self.padding)


class ReflectionPad1d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")

    def extra_repr(self) -> str:
        return str(self.padding)


class ReflectionPad2d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 4)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")

    def extra_repr(self) -> str:
        return str(self.padding)


class ReflectionPad3d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 6)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")

    def extra_repr(self) -> str:
        return str(self.padding)


class ReplicationPad1d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")

    def extra_repr(self) -> str:
        return str(self.padding)


class ReplicationPad2d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 4)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")

    def extra_repr(self) -> str:
        return str(self.padding)


class ReplicationPad3d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 6)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")

    def extra_repr(self) -> str:
        return str(self.padding)


class CircularPad1d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 2)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "circular")

    def extra_repr(self) -> str:
        return str(self.padding)


class CircularPad2d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 4)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "circular")

    def extra_repr(self) -> str:
        return str(self.padding)


class CircularPad3d(Module):
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

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = as_tuple(padding, 6)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "circular")

    def extra_repr(self) -> str:
        return str(self.padding)
