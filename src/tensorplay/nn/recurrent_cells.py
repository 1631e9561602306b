"""One step of a recurrence: the formulas, and cells that hold their parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.linear import make_parameter
from tensorplay.nn.module import Module
from tensorplay.tensor.functions.elementwise import sigmoid, tanh
from tensorplay.tensor.tensor import Tensor

State = tuple[Tensor, ...]  # (h,), or (h, c) of an LSTM
GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "GRU": 3, "LSTM": 4}


def rnn_step(gates: Tensor, state: State, weight_hh: Tensor, activation: Callable[[Tensor], Tensor]) -> State:
    """Next state of a plain recurrence; `gates` holds the input's part and all biases."""
    return (activation(gates + F.linear(state[0], weight_hh)),)


def lstm_step(gates: Tensor, state: State, weight_hh: Tensor, weight_hr: Tensor | None = None) -> State:
    """Next hidden and cell state of an LSTM; `gates` holds the input's part and all biases."""
    enter, forget, fresh, leave = (gates + F.linear(state[0], weight_hh)).chunk(4, -1)
    cell = sigmoid(forget) * state[1] + sigmoid(enter) * tanh(fresh)
    hidden = sigmoid(leave) * tanh(cell)
    return (hidden if weight_hr is None else F.linear(hidden, weight_hr)), cell


def gru_step(gates: Tensor, state: State, weight_hh: Tensor, bias_hh: Tensor | None) -> State:
    """Next state of a GRU; `gates` holds the input's part and its bias."""
    reset, update, fresh = gates.chunk(3, -1)
    reset_h, update_h, fresh_h = F.linear(state[0], weight_hh, bias_hh).chunk(3, -1)
    kept = sigmoid(update + update_h)
    new = tanh(fresh + sigmoid(reset + reset_h) * fresh_h)
    return (new + kept * (state[0] - new),)


def add_biases(mode: str, bias_ih: Tensor, bias_hh: Tensor) -> Tensor:
    """What is added to the input's part of the gates: both biases, unless a gate acts on the second."""
    return bias_ih if mode == "GRU" else bias_ih + bias_hh


class RNNCellBase(Module):
    """
    What the cells share: parameters, checks, printing.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of input and hidden state.
    bias : bool
        Whether there are biases.
    num_chunks : int
        Number of gates.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> tp.nn.RNNCellBase(3, 4, True, 2).weight_ih.shape
    tensorplay.Size([8, 3])
    """

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = make_parameter(gates, input_size, dtype=dtype, device=device)
        self.weight_hh = make_parameter(gates, hidden_size, dtype=dtype, device=device)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, make_parameter(gates, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters anew."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _state(self, input: Tensor, hx: Any, parts: int) -> State:
        """The state to start from; zeros by default."""
        name = type(self).__name__
        if input.ndim not in (1, 2):
            raise ValueError(f"{name}: expected an input of 1 or 2 dims, got shape {list(input.shape)}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"{name}: expected {self.input_size} features, got an input of shape {list(input.shape)}"
            )
        expected = (*input.shape[:-1], self.hidden_size)
        if hx is None:
            return (input.new_zeros(expected),) * parts
        given = (hx,) if parts == 1 else tuple(hx)
        for part in given:
            if tuple(part.shape) != expected:
                raise RuntimeError(f"{name}: expected hidden state of shape {list(expected)}, got {list(part.shape)}")
        return given

    def _input_part(self, mode: str, input: Tensor) -> Tensor:
        bias = None
        if self.bias_ih is not None and self.bias_hh is not None:
            bias = add_biases(mode, self.bias_ih, self.bias_hh)
        return F.linear(input, self.weight_ih, bias)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(RNNCellBase):
    """
    One step h' = tanh(W_ih x + b_ih + W_hh h + b_hh).

    Parameters
    ----------
    input_size, hidden_size : int
        Features of input and hidden state.
    bias : bool, default True
        Whether there are biases.
    nonlinearity : {"tanh", "relu"}, default "tanh"
        What is applied to the sum.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> tp.nn.RNNCell(3, 4)(tp.zeros(2, 3)).shape
    tensorplay.Size([2, 4])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"RNNCell: nonlinearity must be 'tanh' or 'relu', got {self.nonlinearity!r}")
        activation = F.relu if self.nonlinearity == "relu" else tanh
        state = self._state(input, hx, 1)
        return rnn_step(self._input_part("RNN_TANH", input), state, self.weight_hh, activation)[0]

    def extra_repr(self) -> str:
        shown = super().extra_repr()
        return shown if self.nonlinearity == "tanh" else f"{shown}, nonlinearity={self.nonlinearity}"


class LSTMCell(RNNCellBase):
    """
    One step of an LSTM.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of input and state.
    bias : bool, default True
        Whether there are biases.
    device, dtype
        Of the parameters.

    Notes
    -----
    ``forward(input, (h, c)=None)`` gives ``(h', c')``.

    Examples
    --------
    >>> h, c = tp.nn.LSTMCell(3, 4)(tp.zeros(2, 3))
    >>> h.shape
    tensorplay.Size([2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        state = self._state(input, hx, 2)
        hidden, cell = lstm_step(self._input_part("LSTM", input), state, self.weight_hh)
        return hidden, cell


class GRUCell(RNNCellBase):
    """
    One step of a GRU.

    Parameters
    ----------
    input_size, hidden_size : int
        Features of input and hidden state.
    bias : bool, default True
        Whether there are biases.
    device, dtype
        Of the parameters.

    Examples
    --------
    >>> tp.nn.GRUCell(3, 4)(tp.zeros(2, 3)).shape
    tensorplay.Size([2, 4])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        state = self._state(input, hx, 1)
        return gru_step(self._input_part("GRU", input), state, self.weight_hh, self.bias_hh)[0]
