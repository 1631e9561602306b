"""Shapes: dims added, moved, joined and repeated."""

from __future__ import annotations

from typing import Any

import tensorplay as tp
from tensorplay.array_api.types import promoted
from tensorplay.numpy_protocol.calling import mapped


def broadcast_arrays(*arrays: Any) -> Any:
    return list(tp.broadcast_tensors(*arrays))


def broadcast_to(x: Any, /, shape: Any) -> Any:
    return tp.broadcast_to(x, shape)


def concat(arrays: Any, /, *, axis: Any = 0) -> Any:
    kind = promoted(*[array.dtype for array in arrays])
    parts = [array.to(kind) for array in arrays]
    return tp.cat([part.reshape(-1) for part in parts]) if axis is None else tp.cat(parts, axis)


def expand_dims(x: Any, /, axis: Any = 0) -> Any:
    return mapped["expand_dims"](x, axis)


def flip(x: Any, /, *, axis: Any = None) -> Any:
    return mapped["flip"](x, axis)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    return tp.movedim(x, source, destination)


def permute_dims(x: Any, /, axes: Any) -> Any:
    return tp.permute(x, axes)


def repeat(x: Any, repeats: Any, /, *, axis: Any = None) -> Any:
    return mapped["repeat"](x, repeats, axis)


def reshape(x: Any, /, shape: Any, *, copy: Any = None) -> Any:
    if copy is False:
        return x.view(shape)
    return x.clone().reshape(shape) if copy else x.reshape(shape)


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    return mapped["roll"](x, shift, axis)


def squeeze(x: Any, /, axis: Any) -> Any:
    return mapped["squeeze"](x, axis)


def stack(arrays: Any, /, *, axis: Any = 0) -> Any:
    kind = promoted(*[array.dtype for array in arrays])
    return tp.stack([array.to(kind) for array in arrays], axis)


def tile(x: Any, repetitions: Any, /) -> Any:
    return tp.tile(x, repetitions)


def unstack(x: Any, /, *, axis: Any = 0) -> Any:
    return tp.unbind(x, axis)
