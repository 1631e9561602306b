"""Layers against independent formulas in NumPy, their initial values, printing and errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import special

import tensorplay as tp
from tensorplay import nn
from tests.func.support import array, close, normal

Array = np.ndarray[Any, Any]


def weights(net: nn.Module) -> dict[str, Array]:
    return {name: array(tensor) for name, tensor in net.state_dict().items()}


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def correlate(x: Array, w: Array, stride: int, dilation: int) -> Array:
    """Cross-correlation of one image (C, H, W) with kernels (O, C, k, k), by loops."""
    k = w.shape[-1]
    span = dilation * (k - 1) + 1
    rows, columns = [(n - span) // stride + 1 for n in x.shape[1:]]
    out = np.zeros((w.shape[0], rows, columns))
    for i in range(rows):
        for j in range(columns):
            patch = x[:, i * stride : i * stride + span : dilation, j * stride : j * stride + span : dilation]
            out[:, i, j] = np.tensordot(w, patch, 3)
    return out


def test_linear_and_bilinear() -> None:
    net, x = nn.Linear(3, 2).double(), normal(4, 3)
    w = weights(net)
    close(net(x), array(x) @ w["weight"].T + w["bias"])
    bilinear, y = nn.Bilinear(3, 2, 4).double(), normal(4, 2, seed=1)
    w = weights(bilinear)
    close(bilinear(x, y), np.einsum("ni,oij,nj->no", array(x), w["weight"], array(y)) + w["bias"])


@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
def test_convolution_with_every_margin(mode: str) -> None:
    net = nn.Conv2d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2, padding_mode=mode).double()
    x, w = normal(2, 4, 7, 8), weights(net)
    kind = {"zeros": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    padded = np.pad(array(x), [(0, 0), (0, 0), (2, 2), (2, 2)], mode=kind)
    expected = [
        np.concatenate([correlate(sample[g * 2 : g * 2 + 2], w["weight"][g * 3 : g * 3 + 3], 2, 2) for g in range(2)])
        for sample in padded
    ]
    close(net(x), np.stack(expected) + w["bias"][:, None, None])
    close(net(x[0]), expected[0] + w["bias"][:, None, None])


def test_padding_same_and_transposed_output_size() -> None:
    assert nn.Conv2d(1, 1, 4, padding="same", dilation=2)(tp.zeros(1, 5, 6)).shape == (1, 5, 6)
    assert nn.Conv1d(1, 1, 4, padding="same", padding_mode="circular")(tp.zeros(1, 5)).shape == (1, 5)
    net = nn.ConvTranspose2d(2, 3, 3, stride=2)
    assert net(tp.zeros(2, 4, 5)).shape == (3, 9, 11)
    assert net(tp.zeros(1, 2, 4, 5), output_size=(10, 11)).shape == (1, 3, 10, 11)
    with pytest.raises(ValueError, match="out of reach"):
        net(tp.zeros(1, 2, 4, 5), output_size=(12, 11))


def test_transposed_convolution_is_the_transpose() -> None:
    forward = nn.Conv2d(3, 4, 3, stride=2, padding=1, bias=False).double()
    backward = nn.ConvTranspose2d(4, 3, 3, stride=2, padding=1, bias=False).double()
    backward.load_state_dict({"weight": forward.weight})
    x, y = normal(1, 3, 7, 7), normal(1, 4, 4, 4, seed=1)
    left, right = (array(forward(x)) * array(y)).sum(), (array(x) * array(backward(y))).sum()
    assert left == pytest.approx(right)


def test_norms() -> None:
    x = normal(4, 6, 5)
    z = array(x)

    def standard(dims: tuple[int, ...], data: Array = z) -> Array:
        return (data - data.mean(dims, keepdims=True)) / np.sqrt(data.var(dims, keepdims=True) + 1e-5)

    close(nn.BatchNorm1d(6).double()(x), standard((0, 2)))
    close(nn.LayerNorm((6, 5)).double()(x), standard((1, 2)))
    close(nn.InstanceNorm1d(6)(x), standard((2,)))
    close(nn.InstanceNorm1d(6)(x[0]), standard((2,))[0])
    close(nn.GroupNorm(3, 6).double()(x), standard((2, 3), z.reshape(4, 3, 2, 5)).reshape(4, 6, 5))
    close(nn.RMSNorm(5, eps=0.1).double()(x), z / np.sqrt((z**2).mean(-1, keepdims=True) + 0.1))
    affine = nn.LayerNorm(5).double()
    affine.load_state_dict({"weight": np.arange(5.0), "bias": np.ones(5)})
    close(affine(x), standard((2,)) * np.arange(5.0) + 1)


def test_running_statistics() -> None:
    net = nn.BatchNorm2d(3).double()
    mean, var = np.zeros(3), np.ones(3)
    for seed in range(4):
        x = normal(2, 3, 4, 5, seed=seed)
        net(x)
        z = array(x).swapaxes(0, 1).reshape(3, -1)
        mean, var = 0.9 * mean + 0.1 * z.mean(1), 0.9 * var + 0.1 * z.var(1, ddof=1)
    close(net.running_mean, mean)
    close(net.running_var, var)
    assert int(net.num_batches_tracked) == 4
    x = normal(2, 3, 4, 5)
    scale = np.sqrt(var + 1e-5)[:, None, None]
    close(net.eval()(x), (array(x) - mean[:, None, None]) / scale)
    net.reset_running_stats()
    assert int(net.num_batches_tracked) == 0


def lstm_loop(x: Array, w: dict[str, Array], suffix: str, h: Array, c: Array) -> tuple[list[Array], Array, Array]:
    out = []
    for step in x:
        gates = (
            w["weight_ih" + suffix] @ step + w["bias_ih" + suffix] + w["weight_hh" + suffix] @ h + w["bias_hh" + suffix]
        )
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        if "weight_hr" + suffix in w:
            h = w["weight_hr" + suffix] @ h
        out.append(h)
    return out, h, c


@pytest.mark.parametrize("proj_size", [0, 2])
def test_bidirectional_lstm_of_two_layers(proj_size: int) -> None:
    net = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True, proj_size=proj_size).double()
    w = weights(net)
    x = normal(2, 5, 3)
    out, (h_n, c_n) = net(x)
    size = proj_size or 4
    for sample in range(2):
        below = array(x)[sample]
        for layer in range(2):
            ahead, h, c = lstm_loop(below, w, f"_l{layer}", np.zeros(size), np.zeros(4))
            back, hr, cr = lstm_loop(below[::-1], w, f"_l{layer}_reverse", np.zeros(size), np.zeros(4))
            below = np.concatenate([np.stack(ahead), np.stack(back[::-1])], -1)
            close(h_n[2 * layer, sample], h)
            close(h_n[2 * layer + 1, sample], hr)
            close(c_n[2 * layer, sample], c)
            close(c_n[2 * layer + 1, sample], cr)
        close(out[sample], below)


@pytest.mark.parametrize("nonlinearity", ["tanh", "relu"])
def test_plain_recurrence_and_its_cell(nonlinearity: str) -> None:
    net = nn.RNN(3, 4, nonlinearity=nonlinearity).double()
    cell = nn.RNNCell(3, 4, nonlinearity=nonlinearity).double()
    cell.load_state_dict({name.removesuffix("_l0"): tensor for name, tensor in net.state_dict().items()})
    w, x, start = weights(net), normal(5, 3), normal(1, 4, seed=1)
    h = array(start)[0]
    state = start[0]
    for t in range(5):
        z = w["weight_ih_l0"] @ array(x)[t] + w["bias_ih_l0"] + w["weight_hh_l0"] @ h + w["bias_hh_l0"]
        h = np.tanh(z) if nonlinearity == "tanh" else np.maximum(z, 0)
        state = cell(x[t], state)
        close(state, h)
    out, last = net(x, start)
    close(out[-1], h)
    close(last[0], h)


def test_gru_and_lstm_cells_equal_the_layers() -> None:
    x = normal(5, 2, 3)
    for layer, cell in ((nn.GRU(3, 4), nn.GRUCell(3, 4)), (nn.LSTM(3, 4), nn.LSTMCell(3, 4))):
        layer.double()
        cell.double()
        cell.load_state_dict({name.removesuffix("_l0"): tensor for name, tensor in layer.state_dict().items()})
        out, _ = layer(x)
        state = None
        for t in range(5):
            state = cell(x[t], state)
            close(state[0] if isinstance(state, tuple) else state, out[t])


def test_gru_formula() -> None:
    net = nn.GRU(3, 4).double()
    w, x = weights(net), array(normal(5, 3))
    h = np.zeros(4)
    for step in x:
        gi, gh = w["weight_ih_l0"] @ step + w["bias_ih_l0"], w["weight_hh_l0"] @ h + w["bias_hh_l0"]
        r, z = sigmoid(gi[:4] + gh[:4]), sigmoid(gi[4:8] + gh[4:8])
        h = (1 - z) * np.tanh(gi[8:] + r * gh[8:]) + z * h
    close(net(tp.tensor(x))[1][0], h)


def test_attention() -> None:
    net = nn.MultiheadAttention(4, 2, batch_first=True).double()
    net.load_state_dict({name: normal(*tensor.shape, seed=9) for name, tensor in net.state_dict().items()})
    w, q, kv = weights(net), normal(2, 3, 4), normal(2, 5, 4, seed=1)
    mask = np.zeros((2, 5), bool)
    mask[1, 3:] = True
    out, attention = net(q, kv, kv, key_padding_mask=tp.tensor(mask), average_attn_weights=False)
    wq, wk, wv = np.split(w["in_proj_weight"], 3)
    bq, bk, bv = np.split(w["in_proj_bias"], 3)
    heads = []
    for h in (slice(0, 2), slice(2, 4)):
        scores = np.einsum("nle,nse->nls", (array(q) @ wq.T + bq)[..., h], (array(kv) @ wk.T + bk)[..., h]) / math.sqrt(
            2
        )
        p = softmax(np.where(mask[:, None], -np.inf, scores))
        close(attention[:, h.start // 2], p)
        heads.append(p @ (array(kv) @ wv.T + bv)[..., h])
    close(out, np.concatenate(heads, -1) @ w["out_proj.weight"].T + w["out_proj.bias"])
    assert net(q, kv, kv, need_weights=False)[1] is None


def test_transformer_blocks_see_no_future_under_a_causal_mask() -> None:
    net = nn.Transformer(4, 2, 1, 2, 8, dropout=0.0, batch_first=True).double()
    src, tgt = normal(2, 5, 4), normal(2, 6, 4, seed=1)
    mask = nn.Transformer.generate_square_subsequent_mask(6, dtype=tp.float64)
    before = net(src, tgt, tgt_mask=mask)
    tgt[:, 4:] = 0.0
    after = net(src, tgt, tgt_mask=mask)
    close(before[:, :4], after[:, :4])
    assert not np.allclose(array(before[:, 4:]), array(after[:, 4:]))


def test_embeddings() -> None:
    net = nn.Embedding(5, 3, padding_idx=-1)
    assert np.array_equal(array(net.weight)[4], np.zeros(3))
    index = tp.tensor([[0, 4], [4, 2]])
    close(net(index), array(net.weight)[array(index)])
    net(index).sum().backward()
    assert np.array_equal(net.weight.grad.numpy().sum(1), [3, 0, 3, 0, 0])
    bag = nn.EmbeddingBag.from_pretrained(normal(5, 3), mode="max")
    close(bag(tp.tensor([0, 1, 2]), tp.tensor([0, 1])), [array(bag.weight)[0], array(bag.weight)[1:3].max(0)])
    assert not bag.weight.requires_grad
    with pytest.raises(ValueError, match="padding_idx"):
        nn.Embedding(5, 3, padding_idx=5)


def test_activations() -> None:
    x = normal(3, 4)
    z = array(x)
    close(nn.GELU()(x), z * special.ndtr(z))
    close(nn.SiLU()(x), z * sigmoid(z))
    close(nn.Softplus()(x), np.log1p(np.exp(z)))
    close(nn.ELU(0.5)(x), np.where(z > 0, z, 0.5 * np.expm1(z)))
    close(nn.Softmax(-1)(x), softmax(z))
    close(nn.PReLU().double()(x), np.where(z > 0, z, 0.25 * z))
    y = x.clone()
    assert nn.ReLU(inplace=True)(y) is y
    close(y, np.maximum(z, 0))
    with pytest.raises(ValueError, match="max_val"):
        nn.Hardtanh(1.0, 1.0)


def test_losses_and_their_old_reductions() -> None:
    x, y = normal(4, 3), normal(4, 3, seed=1)
    d = array(x) - array(y)
    close(nn.MSELoss()(x, y), (d**2).mean())
    close(nn.L1Loss(reduction="none")(x, y), np.abs(d))
    close(nn.MSELoss(size_average=False)(x, y), (d**2).sum())
    close(nn.MSELoss(reduce=False)(x, y), d**2)
    target = tp.tensor([0, 2, 1, 0])
    weight = tp.tensor([1.0, 2.0, 3.0], dtype=tp.float64)
    picked = -np.log(softmax(array(x)))[np.arange(4), array(target)] * array(weight)[array(target)]
    close(nn.CrossEntropyLoss(weight=weight)(x, target), picked.sum() / array(weight)[array(target)].sum())
    close(nn.TripletMarginWithDistanceLoss()(x, y, x), nn.TripletMarginLoss()(x, y, x))
    assert list(nn.NLLLoss(weight=weight).state_dict()) == ["weight"]


def test_many_classes_share_clusters() -> None:
    net = nn.AdaptiveLogSoftmaxWithLoss(8, 12, [3, 6], div_value=2.0).double()
    x, target = normal(5, 8), tp.tensor([0, 4, 11, 2, 6])
    logs = array(net.log_prob(x))
    assert np.allclose(np.exp(logs).sum(1), 1)
    output, loss = net(x, target)
    close(output, logs[np.arange(5), array(target)])
    close(loss, -logs[np.arange(5), array(target)].mean())
    assert np.array_equal(array(net.predict(x)), logs.argmax(1))


@pytest.mark.parametrize(
    ("make", "bound"),
    [
        (lambda: nn.Linear(100, 400).weight, 0.1),
        (lambda: nn.Linear(100, 40000).bias, 0.1),
        (lambda: nn.Conv2d(4, 900, 5).weight, 0.1),
        (lambda: nn.ConvTranspose2d(900, 4, 5).weight, 0.1),
        (lambda: nn.LSTM(90, 100).weight_hh_l0, 0.1),
        (lambda: nn.GRUCell(90, 100).weight_ih, 0.1),
        (lambda: nn.MultiheadAttention(60, 2).in_proj_weight, math.sqrt(6 / 240)),
    ],
)
def test_initial_values_are_uniform(make: Any, bound: float) -> None:
    values = array(make())
    assert np.abs(values).max() <= bound
    assert np.abs(values).max() == pytest.approx(bound, rel=0.01)
    assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.03)
    assert abs(values.mean()) < bound / 30


def test_functions_of_initial_values() -> None:
    init = nn.init
    w = tp.empty(200, 300)
    assert array(init.normal_(w, 1.0, 2.0)).mean() == pytest.approx(1, abs=0.05)
    assert array(init.kaiming_normal_(w, nonlinearity="relu")).std() == pytest.approx(math.sqrt(2 / 300), rel=0.02)
    assert array(init.kaiming_uniform_(w, mode="fan_out")).std() == pytest.approx(math.sqrt(2 / 200), rel=0.02)
    assert array(init.xavier_normal_(w, gain=2.0)).std() == pytest.approx(2 * math.sqrt(2 / 500), rel=0.02)
    truncated = array(init.trunc_normal_(w, 0.0, 1.0, -1.0, 0.5))
    assert truncated.min() >= -1
    assert truncated.max() <= 0.5
    for shape in ((4, 3), (3, 4), (3, 2, 2)):
        q = array(init.orthogonal_(tp.empty(*shape, dtype=tp.float64), gain=2.0)).reshape(shape[0], -1)
        small = q @ q.T if shape[0] < q.shape[1] else q.T @ q
        assert np.allclose(small, 4 * np.eye(len(small)))
    assert (array(init.sparse_(tp.empty(10, 4), 0.35)) == 0).sum(0).tolist() == [4] * 4
    identity = nn.Conv1d(4, 4, 3, padding=1, groups=2, bias=False)
    init.dirac_(identity.weight, groups=2)
    x = tp.ones(1, 4, 5)
    close(identity(x), array(x))
    for wrong in (init.eye_, init.dirac_, init.xavier_uniform_, init.orthogonal_):
        with pytest.raises(ValueError, match=r"expected|fan"):
            wrong(tp.empty(3))
    with pytest.raises(ValueError, match="nonlinearity"):
        init.calculate_gain("nothing")
    parameter = nn.Parameter(tp.zeros(3))
    assert init.ones_(parameter) is parameter
    assert parameter.is_leaf


def test_containers() -> None:
    net = nn.Sequential(nn.Linear(1, 2), nn.ReLU(), nn.Linear(2, 3))
    assert len(net[1:]) == 2
    assert list(net[1:].state_dict()) == ["2.weight", "2.bias"]
    assert isinstance(net[-2], nn.ReLU)
    net.insert(1, nn.Tanh())
    del net[0]
    assert [type(m).__name__ for m in net] == ["Tanh", "ReLU", "Linear"]
    assert list(net.state_dict()) == ["2.weight", "2.bias"]
    assert len(net + net) == 6
    assert len(net * 2) == 6
    with pytest.raises(IndexError):
        net[3]
    modules = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
    assert repr(modules) == "ModuleList(\n  (0-2): 3 x Linear(in_features=1, out_features=1, bias=True)\n)"
    modules[-1] = nn.ReLU()
    modules += [nn.Tanh()]
    assert [type(m).__name__ for m in modules] == ["Linear", "Linear", "ReLU", "Tanh"]
    named = nn.ModuleDict([("a", nn.ReLU())])
    named["b"] = nn.Linear(1, 1)
    assert "b" in named
    assert [name for name, _ in named.named_parameters()] == ["b.weight", "b.bias"]
    parameters = nn.ParameterDict({"x": tp.ones(1)})
    parameters["y"] = nn.Parameter(tp.ones(2))
    assert isinstance(parameters["x"], nn.Parameter)
    assert parameters.pop("x").shape == (1,)
    assert list(parameters) == ["y"]
    listed = nn.ParameterList([tp.ones(1)])
    listed[0] = tp.zeros(2)
    assert listed[0].shape == (2,)
    assert "(0): Parameter containing: [tensorplay.float32 of size 2]" in repr(listed)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError),
        (lambda: nn.Conv2d(3, 4, 3, padding="some"), ValueError),
        (lambda: nn.Conv2d(3, 4, 3, padding="same", stride=2), ValueError),
        (lambda: nn.Conv2d(3, 4, 3, padding_mode="some"), ValueError),
        (lambda: nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"), ValueError),
        (lambda: nn.GroupNorm(2, 3), ValueError),
        (lambda: nn.Dropout(1.5), ValueError),
        (lambda: nn.LSTM(3, 4, proj_size=4), ValueError),
        (lambda: nn.GRU(3, 0), ValueError),
        (lambda: nn.RNN(3, 4, nonlinearity="sin"), ValueError),
        (lambda: nn.MultiheadAttention(3, 2), AssertionError),
        (lambda: nn.TransformerEncoderLayer(4, 2, activation="sin"), RuntimeError),
        (lambda: nn.Unflatten(0, 3), TypeError),
        (lambda: nn.BatchNorm2d(3)(tp.zeros(2, 3)), ValueError),
        (lambda: nn.InstanceNorm1d(3, affine=True)(tp.zeros(2, 4, 5)), ValueError),
        (lambda: nn.LSTM(3, 4)(tp.zeros(5, 2, 4)), RuntimeError),
        (lambda: nn.LSTM(3, 4)(tp.zeros(5, 2, 3), (tp.zeros(1, 3, 4), tp.zeros(1, 2, 4))), RuntimeError),
        (lambda: nn.GRUCell(3, 4)(tp.zeros(2, 3), tp.zeros(3, 4)), RuntimeError),
        (lambda: nn.Transformer(4, 2, 1, 1, 8)(tp.zeros(3, 2, 4), tp.zeros(3, 5, 4)), RuntimeError),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [4, 2]), ValueError),
    ],
)
def test_errors(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()
