"""Normalisation, with running statistics that are updated in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorplay.ops import normalization
from tensorplay.tensor.calls import explained
from tensorplay.tensor.functions.neural import update_running
from tensorplay.tensor.lift import lift, to_tensor, to_value
from tensorplay.tensor.tensor import Tensor

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]

group_norm = lift(normalization.group_norm)
layer_norm = lift(normalization.layer_norm)
local_response_norm = lift(normalization.local_response_norm)
normalize = lift(normalization.normalize)
rms_norm = lift(normalization.rms_norm)

_batch_norm: Callable[..., Any] = normalization.batch_norm
_instance_norm: Callable[..., Any] = normalization.instance_norm


@explained
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Any:
    """
    Batch normalisation: mean 0 and variance 1 of each channel, then scaled and shifted.

    Parameters
    ----------
    input : Tensor
        Floating-point, of shape ``[batch, channels, *spatial]``.
    running_mean, running_var : Tensor or None
        Shape ``[channels]``. In training they are moved towards the mean and the unbiased variance of the batch, in
        place; otherwise they are what is normalised by.
    weight, bias : Tensor, optional
        Shape ``[channels]``.
    training : bool, default False
        Whether the statistics of the batch are used.
    momentum : float, default 0.1
        Weight of the batch in the running statistics.
    eps : float, default 1e-5
        Added to the variance, which is the biased one.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    ValueError
        If, in training, there is a single value a channel.
    RuntimeError
        If shapes do not fit together, or if running statistics that are not mapped would have to hold what `vmap` maps.

    Examples
    --------
    >>> tp.nn.functional.batch_norm(tp.tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)
    tensor([[-1.],
            [ 1.]])
    """
    values = map(to_value, (input, running_mean, running_var, weight, bias))
    out, mean, var = _batch_norm(*values, training, momentum, eps)
    update_running("batch_norm", (running_mean, mean), (running_var, var))
    return to_tensor(out)


@explained
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Any:
    """
    Instance normalisation: mean 0 and variance 1 of each channel of each sample, then scaled and shifted.

    Parameters
    ----------
    input : Tensor
        Floating-point, of shape ``[batch, channels, *spatial]``.
    running_mean, running_var : Tensor, optional
        Shape ``[channels]``. If the statistics of the input are used, they are moved towards their means over the
        batch, in place; otherwise they are what is normalised by.
    weight, bias : Tensor, optional
        Shape ``[channels]``.
    use_input_stats : bool, default True
        Whether the statistics of the input are used.
    momentum : float, default 0.1
        Weight of the input in the running statistics.
    eps : float, default 1e-5
        Added to the variance, which is the biased one.

    Returns
    -------
    Tensor
        Shape of `input`.

    Raises
    ------
    ValueError
        If the statistics of a single element would have to be used.
    RuntimeError
        If shapes do not fit together, or if running statistics that are not mapped would have to hold what `vmap` maps.

    Examples
    --------
    >>> tp.nn.functional.instance_norm(tp.tensor([[[1.0, 3.0]]]), eps=0.0)
    tensor([[[-1.,  1.]]])
    """
    values = map(to_value, (input, running_mean, running_var, weight, bias))
    out, mean, var = _instance_norm(*values, use_input_stats, momentum, eps)
    update_running("instance_norm", (running_mean, mean), (running_var, var))
    return to_tensor(out)
