"""Attention against softmax of products written out."""

from __future__ import annotations

import itertools
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


def _several_heads(
    q: Any,
    k: Any,
    v: Any,
    size: int,
    heads: int,
    w: Any,
    b: Any,
    bias_k: Any,
    bias_v: Any,
    zero: bool,
    p: float,
    out_w: Any,
    out_b: Any,
    training: bool = True,
    key_padding_mask: Any = None,
) -> Any:
    """Head by head, sample by sample."""
    length, batch, _ = q.shape
    q, k, v = [x @ part.T + c for x, part, c in zip((q, k, v), np.split(w, 3), np.split(b, 3), strict=True)]
    out, weights = np.zeros((length, batch, size)), np.zeros((batch, length, len(k)))
    width = size // heads
    for n, head in itertools.product(range(batch), range(heads)):
        part = slice(head * width, (head + 1) * width)
        hidden = np.zeros(len(k), bool) if key_padding_mask is None else key_padding_mask[n]
        mask = np.broadcast_to(~hidden, (length, len(k)))
        out[:, n, part] = _attend(q[:, n, part], k[:, n, part], v[:, n, part], mask)
        weights[n] += _attend(q[:, n, part], k[:, n, part], np.eye(len(k)), mask) / heads
    return out @ out_w.T + out_b, weights


def _heads_samples(random: Random) -> list[Sample]:
    n = random.standard_normal
    q, k, v = n((2, 2, 4)), n((3, 2, 4)), n((3, 2, 4))
    args = (q, k, v, 4, 2, n((12, 4)), n(12), None, None, False, 0.0, n((4, 4)), n(4))
    return [
        Sample(args),
        Sample(args, {"key_padding_mask": np.array([[False, False, True], [False, True, False]])}),
    ]


records = [
    OpRecord("nn.functional.scaled_dot_product_attention", _attend, _samples, method=False, rtol=1e-6),
    OpRecord("nn.functional.multi_head_attention_forward", _several_heads, _heads_samples, method=False, rtol=1e-6),
]
