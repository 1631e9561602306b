"""Transformer: encoder and decoder layers, stacks of them, and the whole model."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.attention import MultiheadAttention, causal_mask
from tensorplay.nn.containers import ModuleList
from tensorplay.nn.dropout import Dropout
from tensorplay.nn.linear import Linear
from tensorplay.nn.module import Module
from tensorplay.nn.normalization import LayerNorm
from tensorplay.tensor.tensor import Tensor

Activation = str | Callable[[Tensor], Tensor]
_ACTIVATIONS: dict[str, Callable[..., Tensor]] = {"relu": F.relu, "gelu": F.gelu}


class _Layer(Module):
    """What encoder and decoder layers share: the feed-forward block and where the norms stand."""

    linear1: Linear
    linear2: Linear
    dropout: Dropout

    def _set_activation(self, activation: Activation) -> None:
        if isinstance(activation, str) and activation not in _ACTIVATIONS:
            raise RuntimeError(
                f"{type(self).__name__}: activation must be 'relu', 'gelu' or callable, got {activation!r}"
            )
        self.activation = _ACTIVATIONS[activation] if isinstance(activation, str) else activation

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _residual(self, x: Tensor, norm: Module, block: Callable[[Tensor], Tensor]) -> Tensor:
        """`x` plus a block of it, normalised before or after."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))


class TransformerEncoderLayer(_Layer):
    """
    Self-attention and a feed-forward block, each with a residual connection and layer norm.

    Parameters
    ----------
    d_model : int
        Features of the sequence.
    nhead : int
        Number of attention heads.
    dim_feedforward : int, default 2048
        Features inside the feed-forward block.
    dropout : float, default 0.1
        Probability of dropout.
    activation : {"relu", "gelu"} or callable, default relu
        In the feed-forward block.
    layer_norm_eps : float, default 1e-5
        Of the layer norms.
    batch_first : bool, default False
        Whether sequences are (batch, sequence, features) instead of (sequence, batch, features).
    norm_first : bool, default False
        Normalise before each block instead of after it.
    bias : bool, default True
        Whether linear maps and norms have biases.
    device, dtype
        Of the parameters.

    Notes
    -----
    Vaswani et al., Attention is all you need, 2017.

    Examples
    --------
    >>> tp.nn.TransformerEncoderLayer(4, 2)(tp.zeros(5, 2, 4)).shape
    tensorplay.Size([5, 2, 4])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **options)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **options)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self._set_activation(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            attended = self.self_attn(
                x,
                x,
                x,
                attn_mask=src_mask,
                key_padding_mask=src_key_padding_mask,
                need_weights=False,
                is_causal=is_causal,
            )
            return self.dropout1(attended[0])

        x = self._residual(src, self.norm1, attend)
        return self._residual(x, self.norm2, lambda y: self.dropout2(self._feed_forward(y)))


class TransformerDecoderLayer(_Layer):
    """
    Self-attention, attention to a memory and a feed-forward block, each with a residual connection and layer norm.

    Parameters
    ----------
    d_model : int
        Features of the sequences.
    nhead : int
        Number of attention heads.
    dim_feedforward : int, default 2048
        Features inside the feed-forward block.
    dropout : float, default 0.1
        Probability of dropout.
    activation : {"relu", "gelu"} or callable, default relu
        In the feed-forward block.
    layer_norm_eps : float, default 1e-5
        Of the layer norms.
    batch_first : bool, default False
        Whether sequences are (batch, sequence, features) instead of (sequence, batch, features).
    norm_first : bool, default False
        Normalise before each block instead of after it.
    bias : bool, default True
        Whether linear maps and norms have biases.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> tp.nn.TransformerDecoderLayer(4, 2)(tp.zeros(3, 2, 4), tp.zeros(5, 2, 4)).shape
    tensorplay.Size([3, 2, 4])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **options)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **options)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **options)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, **options)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self._set_activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            attended = self.self_attn(
                x,
                x,
                x,
                attn_mask=tgt_mask,
                key_padding_mask=tgt_key_padding_mask,
                need_weights=False,
                is_causal=tgt_is_causal,
            )
            return self.dropout1(attended[0])

        def look_up(x: Tensor) -> Tensor:
            attended = self.multihead_attn(
                x,
                memory,
                memory,
                attn_mask=memory_mask,
                key_padding_mask=memory_key_padding_mask,
                need_weights=False,
                is_causal=memory_is_causal,
            )
            return self.dropout2(attended[0])

        x = self._residual(tgt, self.norm1, attend)
        x = self._residual(x, self.norm2, look_up)
        return self._residual(x, self.norm3, lambda y: self.dropout3(self._feed_forward(y)))


class TransformerEncoder(Module):
    """
    A stack of encoder layers.

    Parameters
    ----------
    encoder_layer : TransformerEncoderLayer
        Copied for every layer.
    num_layers : int
        Number of layers.
    norm : Module, optional
        Applied at the end.
    enable_nested_tensor, mask_check : bool, default True
        Accepted; they do not change the result.

    Examples
    --------
    >>> layer = tp.nn.TransformerEncoderLayer(4, 2)
    >>> tp.nn.TransformerEncoder(layer, 2)(tp.zeros(5, 2, 4)).shape
    tensorplay.Size([5, 2, 4])
    """

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        output = src
        for layer in self.layers:
            output = layer(output, mask, src_key_padding_mask, bool(is_causal))
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """
    A stack of decoder layers.

    Parameters
    ----------
    decoder_layer : TransformerDecoderLayer
        Copied for every layer.
    num_layers : int
        Number of layers.
    norm : Module, optional
        Applied at the end.

    Examples
    --------
    >>> layer = tp.nn.TransformerDecoderLayer(4, 2)
    >>> tp.nn.TransformerDecoder(layer, 2)(tp.zeros(3, 2, 4), tp.zeros(5, 2, 4)).shape
    tensorplay.Size([3, 2, 4])
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask,
                memory_mask,
                tgt_key_padding_mask,
                memory_key_padding_mask,
                bool(tgt_is_causal),
                memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """
    An encoder of source sequences and a decoder of target sequences that attends to its output.

    Parameters
    ----------
    d_model : int, default 512
        Features of the sequences.
    nhead : int, default 8
        Number of attention heads.
    num_encoder_layers, num_decoder_layers : int, default 6
        Number of layers.
    dim_feedforward : int, default 2048
        Features inside the feed-forward blocks.
    dropout : float, default 0.1
        Probability of dropout.
    activation : {"relu", "gelu"} or callable, default relu
        In the feed-forward blocks.
    custom_encoder, custom_decoder : Module, optional
        Instead of the usual ones.
    layer_norm_eps : float, default 1e-5
        Of the layer norms.
    batch_first : bool, default False
        Whether sequences are (batch, sequence, features) instead of (sequence, batch, features).
    norm_first : bool, default False
        Normalise before each block instead of after it.
    bias : bool, default True
        Whether linear maps and norms have biases.
    device, dtype
        Of the parameters.

    Notes
    -----
    Vaswani et al., Attention is all you need, 2017.

    Examples
    --------
    >>> model = tp.nn.Transformer(4, 2, 1, 1, 8)
    >>> model(tp.zeros(5, 2, 4), tp.zeros(3, 2, 4)).shape
    tensorplay.Size([3, 2, 4])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        self.encoder: Module = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*layer, **options),
            num_encoder_layers,
            LayerNorm(d_model, layer_norm_eps, **options),
        )
        self.decoder: Module = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*layer, **options),
            num_decoder_layers,
            LayerNorm(d_model, layer_norm_eps, **options),
        )
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """
        A matrix to add to attention scores: minus infinity where a key comes after the query.

        Parameters
        ----------
        sz : int
            Length of the sequence.
        device, dtype
            Of the mask.

        Returns
        -------
        Tensor
            Shape (sz, sz).

        Examples
        --------
        >>> tp.nn.Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return causal_mask(sz, device, dtype)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        self._check_inputs(src, tgt)
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    def _check_inputs(self, src: Tensor, tgt: Tensor) -> None:
        batch_dim = 0 if self.batch_first else 1
        if src.ndim == 3 and (tgt.ndim != 3 or src.shape[batch_dim] != tgt.shape[batch_dim]):
            raise RuntimeError(
                f"Transformer: source and target must have one batch size, got shapes {list(src.shape)} and "
                f"{list(tgt.shape)}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError(
                f"Transformer: source and target must have d_model={self.d_model} features, got shapes "
                f"{list(src.shape)} and {list(tgt.shape)}"
            )
