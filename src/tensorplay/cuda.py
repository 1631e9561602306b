"""What code asks of `torch.cuda` before it falls back to the CPU, which is all there is."""

from __future__ import annotations

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """
    Whether there is a GPU to compute on.

    Returns
    -------
    bool
        False: tensorplay computes on the CPU.

    Examples
    --------
    >>> "cuda" if tp.cuda.is_available() else "cpu"
    'cpu'
    """
    return False


def device_count() -> int:
    """
    How many GPUs there are to compute on.

    Returns
    -------
    int
        Zero.

    Examples
    --------
    >>> tp.cuda.device_count()
    0
    """
    return 0
