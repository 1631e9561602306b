"""Attention: softmax of scaled products of queries and keys, times values; with one head or many."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import BOOL
from tensorplay.ops import families
from tensorplay.ops.affine import linear
from tensorplay.ops.arithmetic import add, mul
from tensorplay.ops.comparison import eq
from tensorplay.ops.dropout import dropout
from tensorplay.ops.families import permute, reshape
from tensorplay.ops.indexing import where
from tensorplay.ops.products import matmul
from tensorplay.ops.promotion import cast, wide
from tensorplay.ops.shape import broadcast_to, cat, slice_key
from tensorplay.ops.softmax import softmax
from tensorplay.ops.sums import all as all_of
from tensorplay.ops.sums import mean


def _swapped(value: Value) -> Value:
    """`value` with its last two dims swapped."""
    n = value.ndim
    return permute(value, dims=(*range(n - 2), n - 1, n - 2))


def _weights(scores: Value, maskable: bool) -> Value:
    """Softmax over the last dim; a row in which all is masked gets zeros."""
    if not maskable:
        return softmax(scores, -1)
    zero = np.zeros((), scores.dtype)
    empty = all_of(eq(scores, -math.inf), -1, True)
    return where(empty, zero, softmax(where(empty, zero, scores), -1))


def _masked(scores: Value, mask: Value | None) -> Value:
    """Scores with a mask added, or minus infinity where a mask of bools is False."""
    if mask is None:
        return scores
    if mask.dtype == BOOL:
        return where(mask, scores, np.asarray(-math.inf, scores.dtype))
    return add(scores, cast(mask, scores.dtype))


def _causal(length: int, source: int) -> Value:
    return np.tri(length, source, dtype=BOOL)


def scaled_dot_product_attention(
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Value:
    """
    Values averaged with the softmax of scaled products of queries and keys as weights.

    Parameters
    ----------
    query : Tensor
        Shape ``[*, length, size]``.
    key : Tensor
        Shape ``[*, source, size]``.
    value : Tensor
        Shape ``[*, source, value_size]``.
    attn_mask : Tensor, optional
        Of a shape that broadcasts to ``[*, length, source]``: bools, of which False hides a key from a query, or
        numbers that are added to the products.
    dropout_p : float, default 0
        Probability with which weights are dropped.
    is_causal : bool, default False
        Whether query i sees the keys up to i only.
    scale : float, optional
        Factor of the products; by default one over the root of the size.
    enable_gqa : bool, default False
        Whether groups of query heads, dim -3, share a head of keys and values.

    Returns
    -------
    Tensor
        Shape ``[*, length, value_size]``; zeros for a query that sees no key.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit, or both a mask and `is_causal` are given.

    Examples
    --------
    >>> q, k, v = tp.zeros(1, 2), tp.zeros(2, 2), tp.tensor([[1.0], [3.0]])
    >>> tp.nn.functional.scaled_dot_product_attention(q, k, v)
    tensor([[2.]])
    """
    _check_attention(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        key, value = _shared(query, key, "key"), _shared(query, value, "value")
    dtype = query.dtype
    query, key, value = wide(query), wide(key), wide(value)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = matmul(mul(query, factor), _swapped(key))
    mask = _causal(query.shape[-2], key.shape[-2]) if is_causal else attn_mask
    weights = _weights(_masked(scores, mask), attn_mask is not None)
    return cast(matmul(dropout(weights, dropout_p) if dropout_p else weights, value), dtype)


def _check_attention(query: Value, key: Value, value: Value, mask: Value | None, is_causal: bool) -> None:
    name = "scaled_dot_product_attention"
    deep = min(query.ndim, key.ndim, value.ndim) >= 2
    if not (deep and query.shape[-1] == key.shape[-1] and key.shape[-2] == value.shape[-2]):
        raise RuntimeError(
            f"{name}(): expected query [*, length, size], key [*, source, size] and value [*, source, value_size], got "
            f"{list(query.shape)}, {list(key.shape)} and {list(value.shape)}"
        )
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            f"{name}(): query, key and value must have one dtype, got {query.dtype}, {key.dtype} and {value.dtype}"
        )
    if mask is None:
        return
    if is_causal:
        raise RuntimeError(f"{name}(): attn_mask must not be given where is_causal=True")
    if mask.dtype != BOOL and mask.dtype.kind != "f":
        raise RuntimeError(f"{name}(): attn_mask must hold bools or floating-point numbers, got {mask.dtype}")


def _shared(query: Value, value: Value, title: str) -> Value:
    """Heads of keys or values repeated for the groups of query heads that share them."""
    heads, mine = query.shape[-3], value.shape[-3]
    if mine == 0 or heads % mine:
        raise RuntimeError(
            f"scaled_dot_product_attention(): with enable_gqa, the {heads} heads of query must be a multiple of the "
            f"{mine} heads of {title}"
        )
    lead, rest = value.shape[:-3], value.shape[-2:]
    wide = reshape(value, shape=(*lead, mine, 1, *rest))
    return reshape(broadcast_to(wide, (*lead, mine, heads // mine, *rest)), shape=(*lead, heads, *rest))


# ---- many heads ------------------------------------------------------------------------------------------------------


def _block(value: Value, dim: int, start: int, stop: int) -> Value:
    return slice_key(value, key=(*(slice(None),) * dim, slice(start, stop), *(slice(None),) * (value.ndim - dim - 1)))


def _in_projection(
    inputs: tuple[Value, Value, Value], size: int, weight: Value | None, weights: tuple[Any, ...], bias: Value | None
) -> list[Value]:
    """Queries, keys and values, by one weight for all or by one for each."""
    parts = [_block(weight, 0, i * size, (i + 1) * size) for i in range(3)] if weight is not None else weights
    biases = [None if bias is None else _block(bias, 0, i * size, (i + 1) * size) for i in range(3)]
    return [linear(x, w, b) for x, w, b in zip(inputs, parts, biases, strict=True)]


def _extended(value: Value, extra: Value) -> Value:
    """Keys or values [source, batch, size] with one more in the end."""
    return cat([value, broadcast_to(extra, (1, *value.shape[1:]))], 0)


def _widened(mask: Value | None) -> Value | None:
    """A mask with one more column, which hides nothing."""
    return None if mask is None else cat([mask, np.zeros((*mask.shape[:-1], 1), mask.dtype)], -1)


def _heads(value: Value, heads: int) -> Value:
    """[source, batch, heads * size] as [batch, heads, source, size]."""
    source, batch, size = value.shape
    return permute(reshape(value, shape=(source, batch, heads, size // heads)), dims=(1, 2, 0, 3))


def _added(mask: Value | None, dtype: Any, title: str) -> Value | None:
    """A mask as numbers to add: a mask of bools hides where it is True."""
    if mask is None:
        return None
    if mask.dtype == BOOL:
        return where(mask, np.asarray(-math.inf, dtype), np.zeros((), dtype))
    if mask.dtype.kind != "f":
        raise RuntimeError(
            f"multi_head_attention_forward(): {title} must hold bools or floating-point numbers, got {mask.dtype}"
        )
    return cast(mask, dtype)


def _check_heads(query: Value, key: Value, value: Value, embed_dim: int, num_heads: int) -> None:
    name = "multi_head_attention_forward"
    if query.ndim not in (2, 3) or key.ndim != query.ndim or value.ndim != query.ndim:
        raise RuntimeError(
            f"{name}(): query, key and value must have 3 dims, or 2 if they are of a single sample, got shapes "
            f"{list(query.shape)}, {list(key.shape)} and {list(value.shape)}"
        )
    if query.shape[-1] != embed_dim:
        raise RuntimeError(f"{name}(): query must have size {embed_dim}, got shape {list(query.shape)}")
    if embed_dim % num_heads:
        raise RuntimeError(f"{name}(): the size {embed_dim} must be divisible by num_heads={num_heads}")
    if key.shape[:-1] != value.shape[:-1]:
        raise RuntimeError(
            f"{name}(): key and value must be as many, got shapes {list(key.shape)} and {list(value.shape)}"
        )


def _merged_mask(attn_mask: Value | None, padding_mask: Value | None, batch: int, heads: int) -> Value | None:
    """Both masks in one that broadcasts to [batch, heads, length, source]."""
    if attn_mask is not None and attn_mask.ndim == 3:
        attn_mask = reshape(attn_mask, shape=(batch, heads, *attn_mask.shape[1:]))
    if padding_mask is not None:
        padding_mask = reshape(padding_mask, shape=(batch, 1, 1, padding_mask.shape[-1]))
    if attn_mask is None or padding_mask is None:
        return padding_mask if attn_mask is None else attn_mask
    return add(attn_mask, padding_mask)


def _check_mask(attn_mask: Value | None, batch: int, heads: int, length: int, source: int) -> None:
    shapes: list[Shape] = [(length, source), (batch * heads, length, source)]
    if attn_mask is not None and attn_mask.shape not in shapes:
        raise RuntimeError(
            f"multi_head_attention_forward(): attn_mask must have shape {list(shapes[0])} or {list(shapes[1])}, got "
            f"{list(attn_mask.shape)}"
        )


def multi_head_attention_forward(
    query: Value,
    key: Value,
    value: Value,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Value | None,
    in_proj_bias: Value | None,
    bias_k: Value | None,
    bias_v: Value | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Value,
    out_proj_bias: Value | None,
    training: bool = True,
    key_padding_mask: Value | None = None,
    need_weights: bool = True,
    attn_mask: Value | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Value | None = None,
    k_proj_weight: Value | None = None,
    v_proj_weight: Value | None = None,
    static_k: Value | None = None,
    static_v: Value | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Value, Value | None]:
    """
    Attention of several heads, with projections before and after it.

    Parameters
    ----------
    query : Tensor
        Shape ``[length, batch, size]``, or ``[length, size]`` for a single sample.
    key, value : Tensor
        Shape ``[source, batch, *]``, or ``[source, *]``.
    embed_dim_to_check : int
        The size of the queries.
    num_heads : int
        A divisor of it.
    in_proj_weight, in_proj_bias : Tensor, optional
        Weights of the projections of queries, keys and values, one below the other, and their biases.
    bias_k, bias_v : Tensor, optional
        One more key and value for all samples.
    add_zero_attn : bool
        Whether to add a key and a value of zeros.
    dropout_p : float
        Probability with which attention weights are dropped in training.
    out_proj_weight, out_proj_bias : Tensor
        Of the last projection.
    training : bool, default True
        Whether weights are dropped.
    key_padding_mask : Tensor, optional
        Shape ``[batch, source]``: True, or minus infinity, hides a key.
    need_weights : bool, default True
        Whether attention weights are returned.
    attn_mask : Tensor, optional
        Shape ``[length, source]`` or ``[batch * num_heads, length, source]``: True, or minus infinity, hides a key from
        a query.
    use_separate_proj_weight : bool, default False
        Whether `q_proj_weight`, `k_proj_weight` and `v_proj_weight` stand in for `in_proj_weight`.
    q_proj_weight, k_proj_weight, v_proj_weight : Tensor, optional
        Weights of the projections.
    static_k, static_v : Tensor, optional
        Shape ``[batch * num_heads, source, size / num_heads]``: projected keys and values to use.
    average_attn_weights : bool, default True
        Whether the returned weights are averaged over the heads.
    is_causal : bool, default False
        Says that `attn_mask` is causal; it must be given all the same.

    Returns
    -------
    tuple
        The result, of the shape of `query`, and the weights, of shape ``[batch, length, source]`` (or
        ``[batch, num_heads, length, source]``), or None.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> x, w = tp.ones(2, 1, 2), tp.ones(6, 2)
    >>> out, weights = tp.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 2, 1, w, None, None, None, False, 0.0, tp.ones(2, 2), None
    ... )
    >>> weights
    tensor([[[0.5000, 0.5000],
             [0.5000, 0.5000]]])
    """
    _check_heads(query, key, value, embed_dim_to_check, num_heads)
    if is_causal and attn_mask is None:
        raise RuntimeError("multi_head_attention_forward(): attn_mask must be given where is_causal=True")
    single = query.ndim == 2
    if single:
        query, key, value = [reshape(x, shape=(x.shape[0], 1, x.shape[1])) for x in (query, key, value)]
        if key_padding_mask is not None:
            key_padding_mask = reshape(key_padding_mask, shape=(1, *key_padding_mask.shape))
    length, batch, size = query.shape
    _check_mask(attn_mask, batch, num_heads, length, key.shape[0])
    attn_mask = _added(attn_mask, query.dtype, "attn_mask")
    padding_mask = _added(key_padding_mask, query.dtype, "key_padding_mask")
    weight = None if use_separate_proj_weight else in_proj_weight
    each = (q_proj_weight, k_proj_weight, v_proj_weight)
    q, k, v = _in_projection((query, key, value), size, weight, each, in_proj_bias)
    if bias_k is not None and bias_v is not None:
        k, v = _extended(k, bias_k), _extended(v, bias_v)
        attn_mask, padding_mask = _widened(attn_mask), _widened(padding_mask)
    q, k, v = [_heads(x, num_heads) for x in (q, k, v)]
    if static_k is not None:
        k = reshape(static_k, shape=(batch, num_heads, *static_k.shape[1:]))
    if static_v is not None:
        v = reshape(static_v, shape=(batch, num_heads, *static_v.shape[1:]))
    if add_zero_attn:
        zeros = np.zeros((batch, num_heads, 1, size // num_heads), q.dtype)
        k, v = cat([k, zeros], 2), cat([v, zeros], 2)
        attn_mask, padding_mask = _widened(attn_mask), _widened(padding_mask)
    mask = _merged_mask(attn_mask, padding_mask, batch, num_heads)
    scores = matmul(mul(q, 1 / math.sqrt(size // num_heads)), _swapped(k))
    weights = _weights(_masked(scores, mask), mask is not None)
    if training and dropout_p:
        weights = dropout(weights, dropout_p)
    out = reshape(permute(matmul(weights, v), dims=(2, 0, 1, 3)), shape=(length, batch, size))
    out = linear(out, out_proj_weight, out_proj_bias)
    if not need_weights:
        return (reshape(out, shape=(length, size)) if single else out), None
    shown = mean(weights, 1) if average_attn_weights else weights
    if single:
        return reshape(out, shape=(length, size)), families.reshape(shown, shape=shown.shape[1:])
    return out, shown
