"""Parameter and Buffer: tensors that register themselves when they are assigned to an attribute of a module."""

from __future__ import annotations

from typing import Any

from tensorplay.tensor.factories import tensor
from tensorplay.tensor.tensor import Tensor


class Parameter(Tensor):
    """
    A tensor to be trained: a leaf that requires grad, and that modules find among their attributes.

    Parameters
    ----------
    data : Tensor, optional
        Whose memory it takes; empty by default.
    requires_grad : bool, default True
        Whether ordinary autograd records what is computed from it.

    Examples
    --------
    >>> p = tp.nn.Parameter(tp.tensor([1.0, 2.0]))
    >>> p.requires_grad, p.is_leaf
    (True, True)
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        """A leaf on the memory of `data`."""
        made = super().__new__(cls)
        made._init(_plain("Parameter", data).value)
        made.requires_grad_(requires_grad)
        return made

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        pass

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class Buffer(Tensor):
    """
    A tensor that belongs to a module's state and is not trained.

    Parameters
    ----------
    data : Tensor, optional
        Whose memory it takes; empty by default.
    persistent : bool, default True
        Whether `state_dict` contains it.

    Examples
    --------
    >>> m = tp.nn.Module()
    >>> m.mean = tp.nn.Buffer(tp.zeros(2))
    >>> list(m.state_dict())
    ['mean']
    """

    __slots__ = ("persistent",)

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        """A tensor on the memory of `data`."""
        made = super().__new__(cls)
        made._init(_plain("Buffer", data).value)
        made.persistent = persistent
        return made

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        pass


def _plain(name: str, data: Any) -> Tensor:
    if data is None:
        data = tensor([])
    if not isinstance(data, Tensor):
        raise TypeError(f"{name}(): data must be a tensor, got {type(data).__name__}; write {name}(tp.tensor(...))")
    return data.detach()
