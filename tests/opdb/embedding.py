"""Embeddings, bags of embeddings, one-hot vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorplay as tp

from .record import OpRecord, Random, Sample


def _lookups(random: Random) -> list[Sample]:
    table = random.standard_normal((4, 2))
    return [
        Sample((np.array([[0, 3], [3, 1]]), table)),
        Sample((np.array(2), table)),
        Sample((np.zeros((2, 0), np.int64), table)),
        # derivatives that are not those of the value
        Sample((np.array([0, 3, 3]), table), {"padding_idx": 0, "scale_grad_by_freq": True}, smooth=False),
    ]


def _bags(mode: str) -> Any:
    def samples(random: Random) -> list[Sample]:
        # no ties: the maximum has kinks there
        table = random.permutation(np.arange(1.0, 11.0)).reshape(5, 2) / 7
        rows, flat = np.array([[0, 3, 1], [3, 2, 4]]), np.array([0, 3, 3, 1])
        return [
            Sample((rows, table), {"mode": mode}),
            Sample((flat, table, np.array([0, 1, 1])), {"mode": mode}),
            Sample((flat, table, np.array([0, 2, 4])), {"mode": mode, "include_last_offset": True}),
            Sample((rows, table), {"mode": mode, "padding_idx": 3}),
        ]

    return samples


def _bag(
    index: Any,
    table: Any,
    offsets: Any = None,
    *,
    mode: str,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    if offsets is None:
        bags = list(index)
    else:
        ends = [*offsets[1:], *([] if include_last_offset else [len(index)])]
        bags = [index[start:end] for start, end in zip(offsets, ends, strict=False)]
    combine = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    rows = [table[[i for i in bag if i != padding_idx]] for bag in bags]
    return np.stack([combine(r, axis=0) if len(r) else np.zeros(table.shape[1]) for r in rows])


def _in_order(index: Any, table: Any, *offsets: Any) -> tuple[Any, ...]:
    """Offsets ascend."""
    return (index, table, *[tp.sort(starts).values for starts in offsets])


def _classes(random: Random) -> list[Sample]:
    return [Sample((np.array([[0, 2], [1, 1]]), 4)), Sample((np.array(1), 2)), Sample((np.zeros(0, np.int64), 3))]


records = [
    OpRecord("nn.functional.embedding", lambda index, table, **_: table[index], _lookups, method=False),
    *[
        OpRecord("nn.functional.embedding_bag", _bag, _bags(mode), variant=mode, method=False, symmetrize=_in_order)
        for mode in ("sum", "mean", "max")
    ],
    OpRecord(
        "nn.functional.one_hot",
        lambda index, count: np.eye(count, dtype=np.int64)[index],
        _classes,
        differentiable=False,
        method=False,
    ),
]
