"""Recurrent layers over a sequence: RNN, LSTM, GRU."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.linear import make_parameter
from tensorplay.nn.module import Module
from tensorplay.nn.recurrent_cells import GATES, State, add_biases, gru_step, lstm_step, rnn_step
from tensorplay.tensor.functions.elementwise import tanh
from tensorplay.tensor.functions.shape import cat, stack
from tensorplay.tensor.tensor import Tensor


class RNNBase(Module):
    """
    What RNN, LSTM and GRU share: parameters of all layers and directions, and the loop over them.

    Parameters
    ----------
    mode : {"RNN_TANH", "RNN_RELU", "LSTM", "GRU"}
        Which recurrence.
    input_size, hidden_size : int
        Features of an element of the sequence, and of the hidden state.
    num_layers : int, default 1
        Layers stacked on each other.
    bias : bool, default True
        Whether there are biases.
    batch_first : bool, default False
        Whether input and output are (batch, sequence, features) instead of (sequence, batch, features).
    dropout : float, default 0.0
        Probability of dropout between layers.
    bidirectional : bool, default False
        Whether a second recurrence runs from the end.
    proj_size : int, default 0
        Size to which an LSTM projects its hidden state; 0 is none.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> tp.nn.RNNBase("GRU", 3, 4).weight_hh_l0.shape
    tensorplay.Size([12, 4])
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_arguments()
        self._suffixes = [
            f"_l{layer}{direction}"
            for layer in range(num_layers)
            for direction in (("", "_reverse") if bidirectional else ("",))
        ]
        for position, suffix in enumerate(self._suffixes):
            self._add_parameters(position, suffix, device, dtype)
        self.reset_parameters()

    def _check_arguments(self) -> None:
        name = type(self).__name__
        if self.mode not in GATES:
            raise ValueError(f"{name}: mode must be one of {sorted(GATES)}, got {self.mode!r}")
        for what in ("hidden_size", "num_layers"):
            value = getattr(self, what)
            if not isinstance(value, int):
                raise TypeError(f"{name}: {what} must be an int, got {type(value).__name__}")
            if value <= 0:
                raise ValueError(f"{name}: {what} must be positive, got {value}")
        if not 0 <= self.dropout <= 1:
            raise ValueError(f"{name}: dropout must be a probability between 0 and 1, got {self.dropout}")
        if self.proj_size and self.mode != "LSTM":
            raise ValueError(f"{name}: only an LSTM can have a proj_size, got {self.proj_size}")
        if not 0 <= self.proj_size < self.hidden_size:
            raise ValueError(
                f"{name}: proj_size must be smaller than hidden_size={self.hidden_size} and not negative, got "
                f"{self.proj_size}"
            )

    def _add_parameters(self, position: int, suffix: str, device: Any, dtype: Any) -> None:
        gates = GATES[self.mode] * self.hidden_size
        out = self._out_size
        below = self.input_size if position < self._directions else out * self._directions
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, below), "weight_hh": (gates, out)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        for kind, shape in shapes.items():
            setattr(self, kind + suffix, make_parameter(*shape, dtype=dtype, device=device))

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def _out_size(self) -> int:
        return self.proj_size or self.hidden_size

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """Parameters of each layer and direction."""
        kinds = ["weight_ih", "weight_hh", *(["bias_ih", "bias_hh"] if self.bias else [])]
        kinds += ["weight_hr"] if self.proj_size else []
        return [[getattr(self, kind + suffix) for kind in kinds] for suffix in self._suffixes]

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing: there is no layout to prepare."""

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        batched = self._check_input(input)
        sequence = input if batched else input.unsqueeze(1)  # (L, N, features)
        if batched and self.batch_first:
            sequence = sequence.transpose(0, 1)
        states = self._initial(sequence, hx, batched)
        output, finals = self._run_layers(sequence, states)
        if not batched:
            return output.squeeze(1), self._packed([tuple([part.squeeze(0) for part in state]) for state in finals])
        return output.transpose(0, 1) if self.batch_first else output, self._packed(finals)

    def _check_input(self, input: Tensor) -> bool:
        """Whether the input has a batch dim."""
        name = type(self).__name__
        if input.ndim not in (2, 3):
            raise ValueError(f"{name}: expected an input of 2 or 3 dims, got shape {list(input.shape)}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"{name}: expected {self.input_size} features in the last dim, got an input of shape "
                f"{list(input.shape)}"
            )
        if input.shape[1 if input.ndim == 3 and self.batch_first else 0] == 0:
            raise RuntimeError(f"{name}: expected a sequence of at least one element, got shape {list(input.shape)}")
        return input.ndim == 3

    def _initial(self, sequence: Tensor, hx: Any, batched: bool) -> list[State]:
        """State of each layer and direction to start from."""
        count, batch = len(self._suffixes), sequence.shape[1]
        sizes = (self._out_size, self.hidden_size) if self.mode == "LSTM" else (self._out_size,)
        if hx is None:
            zeros = tuple([sequence.new_zeros(batch, size) for size in sizes])
            return [zeros] * count
        given = tuple(hx) if self.mode == "LSTM" else (hx,)
        for part, size in zip(given, sizes, strict=True):
            expected = (count, batch, size) if batched else (count, size)
            if tuple(part.shape) != expected:
                raise RuntimeError(
                    f"{type(self).__name__}: expected hidden state of shape {list(expected)}, got {list(part.shape)}"
                )
        parts = given if batched else tuple([part.unsqueeze(1) for part in given])
        return [tuple([part[i] for part in parts]) for i in range(count)]

    def _packed(self, finals: Sequence[State]) -> Any:
        """Final states of all layers and directions as the caller gets them."""
        parts = tuple([stack(part) for part in zip(*finals, strict=True)])
        return parts if self.mode == "LSTM" else parts[0]

    def _run_layers(self, sequence: Tensor, states: Sequence[State]) -> tuple[Tensor, list[State]]:
        finals: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                sequence = F.dropout(sequence, self.dropout)
            outputs = []
            for direction in range(self._directions):
                position = layer * self._directions + direction
                output, final = self._run(sequence, states[position], self._suffixes[position], bool(direction))
                outputs.append(output)
                finals.append(final)
            sequence = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
        return sequence, finals

    def _run(self, sequence: Tensor, state: State, suffix: str, backwards: bool) -> tuple[Tensor, State]:
        """One layer in one direction: outputs (L, N, features) and the final state."""
        step = self._step(suffix)
        outputs = []
        # one product for the whole sequence
        projected = F.linear(sequence, getattr(self, "weight_ih" + suffix), self._input_bias(suffix)).unbind(0)
        for gates in reversed(projected) if backwards else projected:
            state = step(gates, state)
            outputs.append(state[0])
        return stack(outputs[::-1] if backwards else outputs), state

    def _input_bias(self, suffix: str) -> Tensor | None:
        if not self.bias:
            return None
        return add_biases(self.mode, getattr(self, "bias_ih" + suffix), getattr(self, "bias_hh" + suffix))

    def _step(self, suffix: str) -> Callable[[Tensor, State], State]:
        """From the gates' input part and a state to the next state."""
        hidden = getattr(self, "weight_hh" + suffix)
        if self.mode == "LSTM":
            projection = getattr(self, "weight_hr" + suffix) if self.proj_size else None
            return lambda gates, state: lstm_step(gates, state, hidden, projection)
        if self.mode == "GRU":
            bias = getattr(self, "bias_hh" + suffix) if self.bias else None
            return lambda gates, state: gru_step(gates, state, hidden, bias)
        return lambda gates, state: rnn_step(gates, state, hidden, F.relu if self.mode == "RNN_RELU" else tanh)

    def extra_repr(self) -> str:
        shown = [f"{self.input_size}, {self.hidden_size}"]
        shown += [f"proj_size={self.proj_size}"] if self.proj_size else []
        shown += [f"num_layers={self.num_layers}"] if self.num_layers != 1 else []
        shown += ["bias=False"] if not self.bias else []
        shown += ["batch_first=True"] if self.batch_first else []
        shown += [f"dropout={self.dropout}"] if self.dropout else []
        shown += ["bidirectional=True"] if self.bidirectional else []
        return ", ".join(shown)


class RNN(RNNBase):
    """
    Recurrence h' = tanh(W_ih x + b_ih + W_hh h + b_hh) over a sequence.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of an element of the sequence, and of the hidden state.
    num_layers : int, default 1
        Layers stacked on each other.
    nonlinearity : {"tanh", "relu"}, default "tanh"
        What is applied to the sum.
    bias : bool, default True
        Whether there are biases.
    batch_first : bool, default False
        Whether input and output are (batch, sequence, features) instead of (sequence, batch, features).
    dropout : float, default 0.0
        Probability of dropout between layers.
    bidirectional : bool, default False
        Whether a second recurrence runs from the end.
    device, dtype
        Of the parameters.

    Notes
    -----
    ``forward(input, h_0=None)`` gives ``(output, h_n)``; a sequence without batch, (sequence, features), works too.

    Examples
    --------
    >>> output, h_n = tp.nn.RNN(3, 4)(tp.zeros(5, 2, 3))
    >>> output.shape, h_n.shape
    (tensorplay.Size([5, 2, 4]), tensorplay.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity must be 'tanh' or 'relu', got {nonlinearity!r}")
        mode = f"RNN_{nonlinearity.upper()}"
        super().__init__(
            mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """
    Long short-term memory over a sequence.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of an element of the sequence, and of the state.
    num_layers : int, default 1
        Layers stacked on each other.
    bias : bool, default True
        Whether there are biases.
    batch_first : bool, default False
        Whether input and output are (batch, sequence, features) instead of (sequence, batch, features).
    dropout : float, default 0.0
        Probability of dropout between layers.
    bidirectional : bool, default False
        Whether a second recurrence runs from the end.
    proj_size : int, default 0
        Size to which the hidden state is projected; 0 is none.
    device, dtype
        Of the parameters.

    Notes
    -----
    ``forward(input, (h_0, c_0)=None)`` gives ``(output, (h_n, c_n))``. Gates stand in the order input, forget, cell,
    output. Hochreiter & Schmidhuber, Long short-term memory, 1997; Sak et al., 2014, for the projection.

    Examples
    --------
    >>> output, (h_n, c_n) = tp.nn.LSTM(3, 4)(tp.zeros(5, 2, 3))
    >>> output.shape, c_n.shape
    (tensorplay.Size([5, 2, 4]), tensorplay.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )


class GRU(RNNBase):
    """
    Gated recurrent units over a sequence.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of an element of the sequence, and of the hidden state.
    num_layers : int, default 1
        Layers stacked on each other.
    bias : bool, default True
        Whether there are biases.
    batch_first : bool, default False
        Whether input and output are (batch, sequence, features) instead of (sequence, batch, features).
    dropout : float, default 0.0
        Probability of dropout between layers.
    bidirectional : bool, default False
        Whether a second recurrence runs from the end.
    device, dtype
        Of the parameters.

    Notes
    -----
    ``forward(input, h_0=None)`` gives ``(output, h_n)``. Gates stand in the order reset, update, new. Cho et al.,
    Learning phrase representations using RNN encoder-decoder, 2014; the reset gate acts on the product, as in cuDNN.

    Examples
    --------
    >>> output, h_n = tp.nn.GRU(3, 4)(tp.zeros(5, 2, 3))
    >>> output.shape, h_n.shape
    (tensorplay.Size([5, 2, 4]), tensorplay.Size([1, 2, 4]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )
