"""Distances and similarities of pairs of vectors."""

from __future__ import annotations

from tensorplay.core.value import Value
from tensorplay.ops.arithmetic import add, div, mul, sub
from tensorplay.ops.comparison import clamp_min
from tensorplay.ops.norms import vector_norm
from tensorplay.ops.products import broadcast_shape
from tensorplay.ops.promotion import promote
from tensorplay.ops.shape import broadcast_to
from tensorplay.ops.sums import sum


def pairwise_distance(x1: Value, x2: Value, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Value:
    """
    Distances of corresponding vectors, which lie along the last dim.

    Parameters
    ----------
    x1, x2 : Tensor
        Shapes ``[*, size]`` that broadcast against each other.
    p : float, default 2
        Order of the norm.
    eps : float, default 1e-6
        Added to the difference, so that distances are smooth.
    keepdim : bool, default False
        Whether the last dim stays, with size 1.

    Returns
    -------
    Tensor
        The p-norms of ``x1 - x2 + eps``.

    Examples
    --------
    >>> tp.nn.functional.pairwise_distance(tp.tensor([[3.0, 4.0]]), tp.tensor([[0.0, 0.0]]), eps=0.0)
    tensor([5.])
    """
    x1, x2 = promote(x1, x2)
    return vector_norm(add(sub(x1, x2), eps), p, -1, keepdim)


def cosine_similarity(x1: Value, x2: Value, dim: int = 1, eps: float = 1e-8) -> Value:
    """
    Cosines of the angles between corresponding vectors along a dim.

    Parameters
    ----------
    x1, x2 : Tensor
        Floating-point, of shapes that broadcast against each other.
    dim : int, default 1
        Dim along which the vectors lie.
    eps : float, default 1e-8
        The least length that vectors are divided by.

    Returns
    -------
    Tensor
        Shape of the operands without `dim`.

    Examples
    --------
    >>> tp.nn.functional.cosine_similarity(tp.tensor([3.0, 4.0]), tp.tensor([1.0, 0.0]), dim=0)
    tensor(0.6000)
    """
    x1, x2 = promote(x1, x2)
    if x1.dtype.kind not in "fc":
        raise RuntimeError(f"cosine_similarity(): expected common dtype to be floating point, got {x1.dtype}")
    shape = broadcast_shape("cosine_similarity", x1.shape, x2.shape)
    units = [_unit(broadcast_to(x, shape), dim, eps) for x in (x1, x2)]
    return sum(mul(*units), dim)


def _unit(value: Value, dim: int, eps: float) -> Value:
    return div(value, clamp_min(vector_norm(value, 2, dim, True), eps))
