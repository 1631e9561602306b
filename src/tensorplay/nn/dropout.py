"""Dropout."""

from __future__ import annotations

from tensorplay.nn import functional as F
from tensorplay.nn.module import Module
from tensorplay.tensor.tensor import Tensor


class _Dropout(Module):
    """What the layers below share: the probability."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}: the probability must be between 0 and 1, got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """
    Elements zeroed at random in training, the others scaled up; the input itself in evaluation.

    Parameters
    ----------
    p : float, default 0.5
        Probability of zeroing.
    inplace : bool, default False
        Write the result into the input.

    Notes
    -----
    Srivastava et al., Dropout: a simple way to prevent neural networks from overfitting, 2014.

    Examples
    --------
    >>> tp.nn.Dropout().eval()(tp.ones(1, 2))
    tensor([[1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """
    Channels of a sequence zeroed at random in training, the others scaled up.

    Parameters
    ----------
    p : float, default 0.5
        Probability of zeroing.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Dropout1d().eval()(tp.ones(1, 1, 1)).flatten()
    tensor([1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """
    Channels of an image zeroed at random in training, the others scaled up.

    Parameters
    ----------
    p : float, default 0.5
        Probability of zeroing.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Dropout2d().eval()(tp.ones(1, 1, 1, 1)).flatten()
    tensor([1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """
    Channels of a volume zeroed at random in training, the others scaled up.

    Parameters
    ----------
    p : float, default 0.5
        Probability of zeroing.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.Dropout3d().eval()(tp.ones(1, 1, 1, 1, 1)).flatten()
    tensor([1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """
    Dropout that keeps mean and variance through `SELU`.

    Parameters
    ----------
    p : float, default 0.5
        Probability of zeroing.
    inplace : bool, default False
        Write the result into the input.

    Notes
    -----
    Klambauer et al., Self-normalizing neural networks, 2017.

    Examples
    --------
    >>> tp.nn.AlphaDropout().eval()(tp.ones(1, 2))
    tensor([[1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """
    Alpha dropout of whole channels.

    Parameters
    ----------
    p : float, default 0.5
        Probability of zeroing.
    inplace : bool, default False
        Write the result into the input.

    Examples
    --------
    >>> tp.nn.FeatureAlphaDropout().eval()(tp.ones(1, 2))
    tensor([[1., 1.]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
