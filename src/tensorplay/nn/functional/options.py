"""Options of functions that are too many for arguments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_POLICIES = ("accurate", "balanced", "compact", "auto")


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """
    How `tensorplay.nn.functional.linear_cross_entropy` may trade time for memory; the result is the same.

    Parameters
    ----------
    allow_retain_graph : bool, default False
        Has no effect: graphs can always be retained.
    batch_chunk_size : int, optional
        How many samples' logits may be held at a time; a hint.
    chunking_method : str, optional
        How chunks are chosen; a hint.
    acc_policy : {"accurate", "balanced", "compact", "auto"}, default "auto"
        Precision of intermediate sums; a hint.
    acc_dtype : dtype, optional
        Type of intermediate sums; a hint.

    Raises
    ------
    ValueError
        If an option has none of the values above.

    Examples
    --------
    >>> tp.nn.functional.LinearCrossEntropyOptions(batch_chunk_size=2).batch_chunk_size
    2
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.batch_chunk_size is not None and self.batch_chunk_size < 1:
            raise ValueError(
                f"LinearCrossEntropyOptions: batch_chunk_size must be positive, got {self.batch_chunk_size}"
            )
        if self.acc_policy not in _POLICIES:
            raise ValueError(
                f"LinearCrossEntropyOptions: acc_policy must be one of {_POLICIES}, got {self.acc_policy!r}"
            )
