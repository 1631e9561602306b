"""Dropout: elements or whole channels set to zero at random while training."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorplay.core.value import Value
from tensorplay.dtypes import from_numpy_dtype
from tensorplay.ops import families
from tensorplay.ops.random import draw

# What units drop to in networks of `selu` activations: its value far below zero, -scale * alpha.
_SELU_FLOOR = -1.7580993408473766


def _acts(name: str, input: Value, p: float, training: bool) -> bool:
    """Whether anything is to be dropped; checks the arguments."""
    if not 0 <= p <= 1:
        raise ValueError(f"{name}(): the probability p must be in [0, 1], got {p}")
    if not training or p == 0 or input.size == 0:
        return False
    if input.dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}(): expected a floating-point or complex tensor while training, got {from_numpy_dtype(input.dtype)}"
        )
    return True


def _kept(name: str, shape: Sequence[int], p: float, weight: float, dtype: Any) -> Value:
    """`weight` with probability 1 - p, else zero."""
    if p == 1:
        return np.zeros(shape, dtype)
    return draw(name, lambda g, s: (g.random(s, np.float32) >= p) * dtype.type(weight), tuple(shape))


def _drop(name: str, input: Value, p: float, shape: Sequence[int]) -> Value:
    weight = 0.0 if p == 1 else 1 / (1 - p)
    return families.mul(input, _kept(name, shape, p, weight, input.dtype))


def _alpha_drop(name: str, input: Value, p: float, shape: Sequence[int]) -> Value:
    """Dropped elements become the floor of selu; an affine map restores mean 0 and variance 1."""
    if p == 1:
        return families.mul(input, np.zeros((), input.dtype))
    a = 1 / math.sqrt((1 - p) * (1 + p * _SELU_FLOOR**2))
    kept = _kept(name, shape, p, 1.0, input.dtype)
    shift = families.mul(families.add(families.negative(kept), np.asarray(1 - p, input.dtype)), a * _SELU_FLOOR)
    return families.add(families.mul(input, families.mul(kept, a)), shift)


def _channel_shape(name: str, input: Value) -> tuple[int, ...]:
    if input.ndim < 2:
        raise RuntimeError(f"{name}(): needs at least 2 dims (batch and channels), got shape {list(input.shape)}")
    return (*input.shape[:2], *(1,) * (input.ndim - 2))


def dropout(input: Value, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """
    `input` with elements set to zero at random, the others scaled up so that the mean stays.

    Parameters
    ----------
    input : Tensor
        Any shape.
    p : float, default 0.5
        Probability of an element to be dropped.
    training : bool, default True
        Whether to drop at all.
    inplace : bool, default False
        Write the result into `input`.

    Returns
    -------
    Tensor
        Shape of `input`. Under `vmap`, elements are dropped per sample or the same for all, as its `randomness` says.

    Raises
    ------
    ValueError
        If `p` is outside of [0, 1].

    Examples
    --------
    >>> tp.nn.functional.dropout(tp.ones(2), training=False)
    tensor([1., 1.])
    """
    return _drop("dropout", input, p, input.shape) if _acts("dropout", input, p, training) else input


def dropout1d(input: Value, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """
    `input` with whole channels of sequences set to zero at random, the others scaled up so that the mean stays.

    Parameters
    ----------
    input : Tensor
        Shape (batch, channels, length) or (channels, length).
    p : float, default 0.5
        Probability of a channel to be dropped.
    training : bool, default True
        Whether to drop at all.
    inplace : bool, default False
        Write the result into `input`.

    Returns
    -------
    Tensor
        Shape of `input`. Under `vmap`, channels are dropped per sample or the same for all, as its `randomness` says.

    Raises
    ------
    ValueError
        If `p` is outside of [0, 1].
    RuntimeError
        If `input` is neither 2-d nor 3-d.

    Examples
    --------
    >>> tp.nn.functional.dropout1d(tp.ones(2, 3), p=1.0)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d(): expected a 2-d or 3-d tensor, got shape {list(input.shape)}")
    return _drop_channels("dropout1d", input, p, training, batched=input.ndim == 3)


def dropout2d(input: Value, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """
    `input` with whole channels of images set to zero at random, the others scaled up so that the mean stays.

    Parameters
    ----------
    input : Tensor
        Shape (batch, channels, height, width). A 3-d tensor is taken as (batch, channels, length).
    p : float, default 0.5
        Probability of a channel to be dropped.
    training : bool, default True
        Whether to drop at all.
    inplace : bool, default False
        Write the result into `input`.

    Returns
    -------
    Tensor
        Shape of `input`. Under `vmap`, channels are dropped per sample or the same for all, as its `randomness` says.

    Raises
    ------
    ValueError
        If `p` is outside of [0, 1].
    RuntimeError
        If `input` has fewer than 2 dims.

    Examples
    --------
    >>> tp.nn.functional.dropout2d(tp.ones(1, 1, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    if input.ndim not in (3, 4):
        warnings.warn(f"dropout2d: expected a 3-d or 4-d tensor, got shape {list(input.shape)}", stacklevel=3)
    return _drop_channels("dropout2d", input, p, training, batched=True)


def dropout3d(input: Value, p: float = 0.5, training: bool = True, inplace: bool = False) -> Value:
    """
    `input` with whole channels of volumes set to zero at random, the others scaled up so that the mean stays.

    Parameters
    ----------
    input : Tensor
        Shape (batch, channels, depth, height, width), or the same without batch.
    p : float, default 0.5
        Probability of a channel to be dropped.
    training : bool, default True
        Whether to drop at all.
    inplace : bool, default False
        Write the result into `input`.

    Returns
    -------
    Tensor
        Shape of `input`. Under `vmap`, channels are dropped per sample or the same for all, as its `randomness` says.

    Raises
    ------
    ValueError
        If `p` is outside of [0, 1].
    RuntimeError
        If `input` has fewer than 2 dims.

    Examples
    --------
    >>> tp.nn.functional.dropout3d(tp.ones(1, 1, 2, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    if input.ndim not in (4, 5):
        warnings.warn(f"dropout3d: expected a 4-d or 5-d tensor, got shape {list(input.shape)}", stacklevel=3)
    return _drop_channels("dropout3d", input, p, training, batched=input.ndim != 4)


def _drop_channels(name: str, input: Value, p: float, training: bool, *, batched: bool) -> Value:
    if not _acts(name, input, p, training):
        return input
    shape = _channel_shape(name, input) if batched else (input.shape[0], *(1,) * (input.ndim - 1))
    return _drop(name, input, p, shape)


def alpha_dropout(input: Value, p: float = 0.5, training: bool = False, inplace: bool = False) -> Value:
    """
    `input` with elements set to the floor of `selu` at random, then scaled and shifted to keep mean 0 and variance 1.

    Parameters
    ----------
    input : Tensor
        Any shape.
    p : float, default 0.5
        Probability of an element to be dropped.
    training : bool, default False
        Whether to drop at all.
    inplace : bool, default False
        Write the result into `input`.

    Returns
    -------
    Tensor
        Shape of `input`. Under `vmap`, elements are dropped per sample or the same for all, as its `randomness` says.

    Raises
    ------
    ValueError
        If `p` is outside of [0, 1].

    Notes
    -----
    Klambauer et al., "Self-Normalizing Neural Networks" (2017).

    Examples
    --------
    >>> tp.nn.functional.alpha_dropout(tp.ones(2))
    tensor([1., 1.])
    """
    if not _acts("alpha_dropout", input, p, training):
        return input
    return _alpha_drop("alpha_dropout", input, p, input.shape)


def feature_alpha_dropout(input: Value, p: float = 0.5, training: bool = False, inplace: bool = False) -> Value:
    """
    `input` with whole channels set to the floor of `selu` at random, then scaled and shifted as by `alpha_dropout`.

    Parameters
    ----------
    input : Tensor
        Shape (batch, channels, ...).
    p : float, default 0.5
        Probability of a channel to be dropped.
    training : bool, default False
        Whether to drop at all.
    inplace : bool, default False
        Write the result into `input`.

    Returns
    -------
    Tensor
        Shape of `input`. Under `vmap`, channels are dropped per sample or the same for all, as its `randomness` says.

    Raises
    ------
    ValueError
        If `p` is outside of [0, 1].
    RuntimeError
        If `input` has fewer than 2 dims.

    Examples
    --------
    >>> tp.nn.functional.feature_alpha_dropout(tp.ones(1, 2))
    tensor([[1., 1.]])
    """
    if not _acts("feature_alpha_dropout", input, p, training):
        return input
    return _alpha_drop("feature_alpha_dropout", input, p, _channel_shape("feature_alpha_dropout", input))
