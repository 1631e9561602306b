"""Multi-head attention."""

from __future__ import annotations

from typing import Any

from tensorplay.errors import WrongArgument
from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.linear import Linear, make_parameter
from tensorplay.nn.module import Module
from tensorplay.tensor.functions.creation import full
from tensorplay.tensor.functions.shape import triu
from tensorplay.tensor.tensor import Tensor


class MultiheadAttention(Module):
    """
    Attention of queries to keys and values, in several learned subspaces at once.

    Parameters
    ----------
    embed_dim : int
        Features of queries and outputs.
    num_heads : int
        Number of subspaces; divides `embed_dim`.
    dropout : float, default 0.0
        Probability of dropout of attention weights in training.
    bias : bool, default True
        Whether the projections have biases.
    add_bias_kv : bool, default False
        Whether a learned key and value are added to every sequence.
    add_zero_attn : bool, default False
        Whether a key and value of zeros are added to every sequence.
    kdim, vdim : int, optional
        Features of keys and values; `embed_dim` by default.
    batch_first : bool, default False
        Whether inputs and output are (batch, sequence, features) instead of (sequence, batch, features).
    device, dtype
        Of the parameters.

    Notes
    -----
    ``forward(query, key, value)`` gives ``(output, weights)``; sequences without batch, (sequence, features), work too.
    Vaswani et al., Attention is all you need, 2017.

    Examples
    --------
    >>> x = tp.zeros(5, 2, 4)
    >>> output, weights = tp.nn.MultiheadAttention(4, 2)(x, x, x)
    >>> output.shape, weights.shape
    (tensorplay.Size([5, 2, 4]), tensorplay.Size([2, 5, 5]))
    """

    in_proj_weight: Tensor | None
    q_proj_weight: Tensor | None
    k_proj_weight: Tensor | None
    v_proj_weight: Tensor | None
    in_proj_bias: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"MultiheadAttention: embed_dim and num_heads must be positive, got {embed_dim} and {num_heads}"
            )
        if embed_dim % num_heads:
            raise WrongArgument(f"MultiheadAttention: embed_dim={embed_dim} must be divisible by num_heads={num_heads}")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._add_parameters(bias, add_bias_kv, {"dtype": dtype, "device": device})
        self.reset_parameters()

    def _add_parameters(self, bias: bool, add_bias_kv: bool, options: dict[str, Any]) -> None:
        size = self.embed_dim
        together = self._same_dims
        shapes = {
            "q_proj_weight": None if together else (size, size),
            "k_proj_weight": None if together else (size, self.kdim),
            "v_proj_weight": None if together else (size, self.vdim),
            "in_proj_weight": (3 * size, size) if together else None,
            "in_proj_bias": (3 * size,) if bias else None,
            "bias_k": (1, 1, size) if add_bias_kv else None,
            "bias_v": (1, 1, size) if add_bias_kv else None,
        }
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else make_parameter(*shape, **options))
        self.out_proj = Linear(size, size, bias=bias, **options)

    @property
    def _same_dims(self) -> bool:
        return self.kdim == self.embed_dim and self.vdim == self.embed_dim

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """
        Attend; returns the output and, with `need_weights`, the attention weights.

        Parameters
        ----------
        query, key, value : Tensor
            Sequences (L, N, E), or (N, L, E) with `batch_first`, or (L, E).
        key_padding_mask : Tensor, optional
            Shape (N, S) or (S): True, or what is added, where a key does not count.
        need_weights : bool, default True
            Whether to return the weights.
        attn_mask : Tensor, optional
            Shape (L, S) or (N·heads, L, S): True, or what is added, where a query does not attend to a key.
        average_attn_weights : bool, default True
            Return weights averaged over the heads.
        is_causal : bool, default False
            Says that `attn_mask` is a causal mask.

        Returns
        -------
        output : Tensor
            Shape of `query`.
        weights : Tensor or None
            Shape (N, L, S), with a dim of heads in front of L unless they are averaged.
        """
        flip = self.batch_first and query.ndim == 3
        q, k, v = _batch_second(query, key, value) if flip else (query, key, value)
        output, weights = F.multi_head_attention_forward(
            q,
            k,
            v,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._same_dims,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(0, 1) if flip else output), weights


def _batch_second(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(N, L, E) as (L, N, E); what is one tensor stays one, which tells that it is projected by one product."""
    q = query.transpose(0, 1)
    k = q if key is query else key.transpose(0, 1)
    v = k if value is key else value.transpose(0, 1)
    return q, k, v


def causal_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    """A matrix to add to attention scores: minus infinity where a key comes after the query."""
    options: dict[str, Any] = {"dtype": dtype, "device": device}
    return triu(full((size, size), float("-inf"), **options), 1)
