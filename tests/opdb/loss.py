"""Losses and distances, element by element, then reduced."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from .record import OpRecord, Random, Sample


def _reduced(loss: Any, reduction: str) -> Any:
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def _elementwise(loss: Callable[..., Any]) -> Callable[..., Any]:
    def reference(*args: Any, reduction: str = "mean", **kwargs: Any) -> Any:
        return _reduced(loss(*args, **kwargs), reduction)

    return reference


def _smooth(x: Any, y: Any, beta: float = 1.0) -> Any:
    size = np.abs(x - y)
    return np.where(size < beta, size**2 / 2 / beta, size - beta / 2)


def _huber(x: Any, y: Any, delta: float = 1.0) -> Any:
    size = np.abs(x - y)
    return np.where(size < delta, size**2 / 2, delta * (size - delta / 2))


def _poisson(x: Any, t: Any, log_input: bool = True, full: bool = False) -> Any:
    loss = np.exp(x) - t * x if log_input else x - t * np.log(x + 1e-8)
    safe = np.maximum(t, 1)
    stirling = np.where(t > 1, safe * np.log(safe) - safe + np.log(2 * np.pi * safe) / 2, 0)
    return loss + stirling if full else loss


def _gaussian(x: Any, y: Any, var: Any, full: bool = False) -> Any:
    var = var[..., None] if var.ndim < x.ndim else var
    return (np.log(var) + (x - y) ** 2 / var) / 2 + (np.log(2 * np.pi) / 2 if full else 0)


def _divergence(x: Any, t: Any, log_target: bool = False) -> Any:
    return np.exp(t) * (t - x) if log_target else scipy.special.xlogy(t, t) - t * x


def _binary(x: Any, t: Any, weight: Any = 1.0) -> Any:
    return -weight * (t * np.log(x) + (1 - t) * np.log(1 - x))


def _binary_logits(x: Any, t: Any, weight: Any = 1.0, pos_weight: Any = 1.0) -> Any:
    return -weight * (pos_weight * t * np.log(scipy.special.expit(x)) + (1 - t) * np.log(scipy.special.expit(-x)))


def _hinge(x: Any, t: Any, margin: float = 1.0) -> Any:
    return np.where(t == 1, x, np.maximum(margin - x, 0))


def _ranking(x: Any, y: Any, t: Any, margin: float = 0.0) -> Any:
    return np.maximum(margin - t * (x - y), 0)


def _cosine(x: Any, y: Any, axis: int = 1) -> Any:
    return (x * y).sum(axis) / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))


def _cosine_embedding(x: Any, y: Any, t: Any, margin: float = 0.0) -> Any:
    cosine = _cosine(x, y, -1)
    return np.where(t == 1, 1 - cosine, np.maximum(cosine - margin, 0))


def _apart(x: Any, y: Any, p: float = 2.0) -> Any:
    return (np.abs(x - y + 1e-6) ** p).sum(-1) ** (1 / p)


def _triplet(a: Any, p: Any, n: Any, margin: float = 1.0, swap: bool = False) -> Any:
    far = np.minimum(_apart(a, n), _apart(p, n)) if swap else _apart(a, n)
    return np.maximum(_apart(a, p) - far + margin, 0)


def _classes(logs: Any, target: Any, weight: Any, ignore: int, reduction: str, smoothing: float = 0.0) -> Any:
    """Sample by sample; `logs` [batch, classes, *dims]."""
    loss, weights = np.zeros(target.shape), np.zeros(target.shape)
    weight = np.ones(logs.shape[1]) if weight is None else weight
    for place in np.ndindex(target.shape):
        row, label = logs[(place[0], slice(None), *place[1:])], target[place]
        if label != ignore:
            weights[place] = weight[label]
            loss[place] = -(1 - smoothing) * row[label] * weight[label] - smoothing * (row * weight).mean()
    return loss.sum() / weights.sum() if reduction == "mean" else _reduced(loss, reduction)


def _nll(x: Any, t: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Any:
    if x.ndim == 1:
        return _classes(x[None], t[None], weight, ignore_index, reduction).reshape(())
    return _classes(x, t, weight, ignore_index, reduction)


def _cross(
    x: Any, t: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Any:
    single = x.ndim == 1
    x, t = (x[None], t[None]) if single else (x, t)
    logs = scipy.special.log_softmax(x, axis=1)
    if t.shape == x.shape:
        t = t * (1 - label_smoothing) + label_smoothing / x.shape[1]
        scale = 1.0 if weight is None else weight.reshape(-1, *(1,) * (x.ndim - 2))
        out = _reduced(-(logs * t * scale).sum(1), reduction)
    else:
        out = _classes(logs, t, weight, ignore_index, reduction, label_smoothing)
    return out.reshape(()) if single else out


def _linear_cross(x: Any, w: Any, t: Any, *, linear_bias: Any = 0.0, **kwargs: Any) -> Any:
    return _cross(x @ w.T + linear_bias, t, **kwargs)


def _all_apart(x: Any, p: float = 2.0) -> Any:
    pairs = itertools.combinations(range(len(x)), 2)
    return np.array([np.linalg.norm(x[i] - x[j], p) for i, j in pairs])


def _multi_margin(x: Any, t: Any, p: int = 1, margin: float = 1.0, reduction: str = "mean") -> Any:
    loss = [
        sum(max(0.0, margin - row[label] + other) ** p for i, other in enumerate(row) if i != label) / len(row)
        for row, label in zip(x, t, strict=True)
    ]
    return _reduced(np.array(loss), reduction)


def _multilabel_margin(x: Any, t: Any) -> Any:
    loss = []
    for row, labels in zip(x, t, strict=True):
        named = list(itertools.takewhile(lambda label: label >= 0, labels))
        others = [i for i in range(len(row)) if i not in named]
        loss.append(sum(max(0.0, 1 - row[j] + row[i]) for j in named for i in others) / len(row))
    return np.mean(loss)


def _alignments(logs: Any, targets: Any, steps: Any, lengths: Any, reduction: str = "mean") -> Any:
    """All paths, one by one."""
    loss = []
    for n, (count, length) in enumerate(zip(steps, lengths, strict=True)):
        total = -np.inf
        for path in itertools.product(range(logs.shape[2]), repeat=count):
            if [k for k, _ in itertools.groupby(path) if k] == list(targets[n][:length]):
                total = np.logaddexp(total, sum(logs[t, n, k] for t, k in enumerate(path)))
        loss.append(-total)
    scaled = np.array(loss) / np.maximum(lengths, 1) if reduction == "mean" else np.array(loss)
    return _reduced(scaled, reduction)


# ---- samples ---------------------------------------------------------------------------------------------------------


def _pairs(*variants: dict[str, Any], positive: bool = False) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        draw = (lambda s: random.random(s) * 0.8 + 0.1) if positive else random.standard_normal
        return [Sample((draw((2, 3)), draw((2, 3))), variant) for variant in ({}, {"reduction": "none"}, *variants)]

    return samples


def _signed(*sizes: tuple[int, ...], **kwargs: Any) -> Callable[[Random], list[Sample]]:
    def samples(random: Random) -> list[Sample]:
        return [
            Sample((*[random.standard_normal(s) for s in sizes], np.array([1, -1, 1])), {"reduction": how, **kwargs})
            for how in ("mean", "none")
        ]

    return samples


def _counts(random: Random) -> list[Sample]:
    x, t = random.random((2, 3)) + 0.5, np.array([[0.5, 2.0, 3.0], [1.5, 4.0, 0.2]])
    return [Sample((x, t)), Sample((x, t), {"log_input": False, "full": True, "reduction": "sum"})]


def _normals(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), n((2, 3)), random.random((2, 3)) + 0.1)),
        Sample((n((2, 3)), n((2, 3)), random.random(2) + 0.1), {"full": True, "reduction": "none"}),
    ]


def _labels(random: Random) -> list[Sample]:
    n, t = random.standard_normal, np.array([2, 0, 1])
    return [
        Sample((n((3, 4)), t)),
        Sample((n((3, 4)), t, random.random(4) + 0.5), {"ignore_index": 0}),
        Sample((n(4), np.array(3))),
        Sample((n((2, 3, 2)), np.array([[0, 2], [1, 1]])), {"reduction": "none"}),
    ]


def _cross_labels(random: Random) -> list[Sample]:
    n = random.standard_normal
    weight = random.random(3) + 0.5
    return [
        *_labels(random),
        Sample((n((2, 3)), np.array([2, 0]), weight), {"label_smoothing": 0.2, "ignore_index": 0}),
        Sample((n((2, 3)), random.dirichlet(np.ones(3), 2), weight), {"label_smoothing": 0.2}),
        Sample((n(3), random.dirichlet(np.ones(3)))),
    ]


def _linear_labels(random: Random) -> list[Sample]:
    n, t = random.standard_normal, np.array([2, 0, 1])
    return [
        Sample((n((3, 2)), n((4, 2)), t)),
        Sample((n((3, 2)), n((4, 2)), t), {"linear_bias": n(4), "reduction": "sum", "label_smoothing": 0.2}),
    ]


def _points(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((4, 3)),)), Sample((n((3, 2)), 1.0)), Sample((n((3, 2)), np.inf)), Sample((n((1, 2)),))]


def _margins(random: Random) -> list[Sample]:
    x, t = random.standard_normal((3, 4)), np.array([2, 0, 1])
    return [Sample((x, t)), Sample((x, t), {"p": 2, "margin": 0.5, "reduction": "none"})]


def _label_sets(random: Random) -> list[Sample]:
    return [Sample((random.standard_normal((2, 4)), np.array([[2, 0, -1, 1], [-1, 0, 0, 0]])))]


def _triplets(random: Random) -> list[Sample]:
    x = [random.standard_normal((3, 4)) for _ in range(3)]
    return [Sample(tuple(x)), Sample(tuple(x), {"swap": True, "reduction": "none", "margin": 2.0})]


def _vectors(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), n((2, 3)))), Sample((n((3, 2)), n((3, 2)), 0))]


def _distances(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [Sample((n((2, 3)), n((2, 3)))), Sample((n((2, 3)), n(3)), {"p": 3.0})]


def _sequences(random: Random) -> list[Sample]:
    logs = scipy.special.log_softmax(random.standard_normal((4, 2, 3)), axis=2)
    return [
        Sample((logs, np.array([[1, 2], [1, 1]]), (4, 3), (2, 2))),
        Sample((logs, np.array([[1, 0], [2, 0]]), (3, 2), (1, 0)), {"reduction": "none"}),
    ]


def _record(name: str, reference: Any, samples: Any, elementwise: bool = True, rtol: float = 1e-6) -> OpRecord:
    wrapped = _elementwise(reference) if elementwise else reference
    return OpRecord(f"nn.functional.{name}", wrapped, samples, method=False, rtol=rtol)


records = [
    _record("mse_loss", lambda x, y: (x - y) ** 2, _pairs({"reduction": "sum"})),
    _record("l1_loss", lambda x, y: np.abs(x - y), _pairs()),
    _record("smooth_l1_loss", _smooth, _pairs({"beta": 0.5})),
    _record("huber_loss", _huber, _pairs({"delta": 0.5})),
    _record("kl_div", _divergence, _pairs({"log_target": True}, positive=True)),
    _record("poisson_nll_loss", _poisson, _counts),
    _record("gaussian_nll_loss", _gaussian, _normals),
    _record("binary_cross_entropy", _binary, _pairs(positive=True)),
    _record("binary_cross_entropy_with_logits", _binary_logits, _pairs({"weight": np.array(2.0)})),
    _record("multilabel_soft_margin_loss", lambda x, t: _binary_logits(x, t).mean(-1), _pairs(positive=True)),
    _record("soft_margin_loss", lambda x, t: np.log1p(np.exp(-t * x)), _signed((3,))),
    _record("hinge_embedding_loss", _hinge, _signed((3,))),
    _record("margin_ranking_loss", _ranking, _signed((3,), (3,), margin=0.5)),
    _record("cosine_embedding_loss", _cosine_embedding, _signed((3, 2), (3, 2), margin=0.1)),
    _record("triplet_margin_loss", _triplet, _triplets),
    _record("triplet_margin_with_distance_loss", _triplet, _triplets),
    _record("nll_loss", _nll, _labels, elementwise=False),
    _record("cross_entropy", _cross, _cross_labels, elementwise=False),
    _record("linear_cross_entropy", _linear_cross, _linear_labels, elementwise=False),
    _record("pdist", _all_apart, _points, elementwise=False),
    _record("multi_margin_loss", _multi_margin, _margins, elementwise=False),
    _record("multilabel_margin_loss", _multilabel_margin, _label_sets, elementwise=False),
    _record("cosine_similarity", _cosine, _vectors, elementwise=False),
    _record("pairwise_distance", _apart, _distances, elementwise=False),
    _record("ctc_loss", _alignments, _sequences, elementwise=False),
]
