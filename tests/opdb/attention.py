"""Attention against softmax of products written out."""

from __future__ import annotations

from typing import Any

import numpy as np

from .record import OpRecord, Random, Sample


def _attend(q: Any, k: Any, v: Any, mask: Any = None, is_causal: bool = False, scale: float | None = None) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * (1 / np.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        mask = np.tri(*scores.shape[-2:], dtype=bool)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


def _samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    q, k, v = n((2, 3, 2)), n((2, 4, 2)), n((2, 4, 1))
    mask = np.array([[True, False, True, True], [False] * 4, [True] * 4])
    return [
        Sample((q, k, v)),
        Sample((n((3, 2)), n((4, 2)), n((4, 1))), {"is_causal": True, "scale": 0.3}),
        Sample((q, k, v, n((3, 4)))),
        Sample((q, k, v, mask)),
    ]


records = [OpRecord("nn.functional.scaled_dot_product_attention", _attend, _samples, method=False, rtol=1e-6)]
