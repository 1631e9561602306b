"""Functions of neural networks that torch also has at the top level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.core.value import Traced, Value
from tensorplay.interpreters.batch import Batch, Batched
from tensorplay.ops import affine, convolution, distance, grids, interpolation, normalization, pooling
from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.calls import explained
from tensorplay.tensor.lift import lift, to_tensor, to_value

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "avg_pool1d",
    "bilinear",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_similarity",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "group_norm",
    "layer_norm",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "native_batch_norm",
    "native_group_norm",
    "native_layer_norm",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "rms_norm",
]

bilinear = lift(affine.bilinear)
cosine_similarity = lift(distance.cosine_similarity)
pairwise_distance = lift(distance.pairwise_distance)

conv1d = lift(convolution.conv1d)
conv2d = lift(convolution.conv2d)
conv3d = lift(convolution.conv3d)
conv_transpose1d = lift(convolution.conv_transpose1d)
conv_transpose2d = lift(convolution.conv_transpose2d)
conv_transpose3d = lift(convolution.conv_transpose3d)

adaptive_avg_pool1d = lift(pooling.adaptive_avg_pool1d)
adaptive_max_pool1d = lift(pooling.adaptive_max_pool1d)
avg_pool1d = lift(pooling.avg_pool1d)
max_pool1d = lift(pooling.max_pool1d)
max_pool2d = lift(pooling.max_pool2d)
max_pool3d = lift(pooling.max_pool3d)

channel_shuffle = lift(interpolation.channel_shuffle)
pixel_shuffle = lift(interpolation.pixel_shuffle)
pixel_unshuffle = lift(interpolation.pixel_unshuffle)

grid_sampler = lift(grids.grid_sampler)
grid_sampler_2d = lift(grids.grid_sampler_2d)
grid_sampler_3d = lift(grids.grid_sampler_3d)

group_norm = lift(normalization.group_norm)
layer_norm = lift(normalization.layer_norm)
native_group_norm = lift(normalization.native_group_norm)
native_layer_norm = lift(normalization.native_layer_norm)
rms_norm = lift(normalization.rms_norm)


@explained
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> Any:
    """
    Batch normalisation, with the statistics that it used.

    Parameters
    ----------
    input, weight, bias, running_mean, running_var, training, momentum, eps
        As in `tensorplay.nn.functional.batch_norm`.

    Returns
    -------
    tuple of Tensor
        The result, the mean, and one over the standard deviation, the last two empty unless training.

    Raises
    ------
    RuntimeError
        If shapes do not fit together, or if running statistics that are not mapped would have to hold what `vmap` maps.

    Examples
    --------
    >>> tp.native_batch_norm(tp.tensor([[1.0], [3.0]]), None, None, None, None, True, 0.1, 0.0)[1]
    tensor([2.])
    """
    x, w, b, old_mean, old_var = map(to_value, (input, weight, bias, running_mean, running_var))
    out, mean, var = normalization.native_batch_norm(x, w, b, old_mean, old_var, training, momentum, eps)
    update_running("native_batch_norm", (running_mean, mean), (running_var, var))
    return to_tensor(out)


def update_running(name: str, *updates: tuple[Any, Value | None]) -> None:
    """Write new running statistics, where there are any, into the tensors that hold them: all of them, or none."""
    pairs = [(running, new) for running, new in updates if new is not None]
    for running, new in pairs:
        level = _map_of(new, running)
        if level is not None:
            raise RuntimeError(
                f"{name}(): the running statistics cannot be updated in place: they are not mapped, but the statistics "
                f"of the input are, by {level.title}. {_WITHOUT_RUNNING[name]}, or pass the buffers through "
                "tp.func.functional_call and map over them."
            )
    with no_grad():
        for running, new in pairs:
            running.copy_(to_tensor(new))


_BATCH = "Drop them with tp.func.replace_all_batch_norm_modules_(module), use group norm"
_WITHOUT_RUNNING = {
    "batch_norm": _BATCH,
    "native_batch_norm": _BATCH,
    "instance_norm": "Make the layer with track_running_stats=False",
}


def _map_of(value: Value, running: Any) -> Batch | None:
    """A map that a value knows of and that began after a tensor was made, so that the tensor cannot hold the value."""
    while isinstance(value, Traced):
        if isinstance(value, Batched) and value.owner.level > running._home:
            return value.owner
        value = value.inner
    return None
