"""Factories: tensors made from shapes, ranges and other tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.signal

import tensorplay as tp

from .record import OpRecord, Random, Sample


def _calls(*calls: tuple[Any, ...]) -> Callable[[Random], list[Sample]]:
    """Samples without arrays; a dict at the end holds keyword arguments."""
    split = [(call[:-1], call[-1]) if call and isinstance(call[-1], dict) else (call, {}) for call in calls]
    return lambda random: [Sample(args, kwargs) for args, kwargs in split]


def _made(name: str, reference: Callable[..., Any], *calls: tuple[Any, ...], variant: str = "") -> OpRecord:
    return OpRecord(name, reference, _calls(*calls), variant, differentiable=False, method=False, batched=False)


def _like(name: str, reference: Callable[..., Any], *rest: Any, **options: Any) -> OpRecord:
    """An op on a tensor of which it takes shape and dtype only."""
    return OpRecord(
        name,
        reference,
        lambda random: [Sample((random.standard_normal(shape), *rest)) for shape in ((2, 3), (), (0, 2))],
        differentiable=False,
        complex=True,
        integer=True,
        method=False,
        **options,
    )


def _ends(random: Random) -> list[Sample]:
    return [
        Sample((np.array(0.5), np.array(2.0), 4), {"dtype": tp.float64}),
        Sample((np.array(1.5), -1.0, 1), {"dtype": tp.float64}),
    ]


def _window(name: str, *calls: dict[str, Any]) -> OpRecord:
    reference = getattr(scipy.signal.windows, name)
    lengths = (0, 2, 5, 8)
    wide = [(n, {**call, "dtype": tp.float64}) for n in lengths for call in calls]
    return _made(
        f"signal.windows.{name}",
        lambda n, dtype, **kwargs: reference(n, **kwargs) if n else np.zeros(0),
        *wide,
    )


def _periodic(name: str, **kwargs: Any) -> OpRecord:
    """A window of the older name, which is periodic unless told otherwise."""
    reference = getattr(scipy.signal.windows, name)
    calls = [(n, *flag, {"dtype": tp.float64}) for n in (2, 5, 8) for flag in ((), (False,))]
    return _made(
        f"{name}_window", lambda n, periodic=True, dtype=None: reference(n, sym=not periodic, **kwargs), *calls
    )


def _outline(out: tp.Tensor) -> tp.Tensor:
    """What is known of a tensor whose values are undefined: its shape and dtype."""
    return tp.zeros_like(out)


def _float32(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: np.asarray(function(*args), np.float32)


records = [
    _made("zeros", _float32(lambda *size: np.zeros(size)), (2, 3), (0,), ()),
    _made("ones", _float32(lambda *size: np.ones(size)), (2, 3), ()),
    _made("full", lambda size, n: np.full(size, n), ((2, 3), 7), ((), True)),
    _made("eye", _float32(np.eye), (3,), (2, 4), (0,)),
    _made("arange", np.arange, (5,), (1, 5), (5, 0, -2), (3, 3)),
    _made("arange", _float32(np.arange), (0.5, 3, 0.5), (1, -1, -0.25), variant="floats"),
    _made("linspace", _float32(np.linspace), (0, 1, 5), (3, -2, 4), (2, 5, 1), (0, 1, 0)),
    _made("logspace", _float32(np.logspace), (0, 2, 3), (1, -1, 5)),
    _made("scalar_tensor", _float32(np.asarray), (3,), (2.5,)),
    _made("tril_indices", lambda m, n, k=0: np.stack(np.tril_indices(m, k, n)), (3, 4), (3, 3, -1), (2, 4, 1)),
    _made("triu_indices", lambda m, n, k=0: np.stack(np.triu_indices(m, k, n)), (3, 4), (3, 3, -1), (2, 4, 1)),
    OpRecord(
        "empty",
        _float32(lambda *size: np.zeros(size)),
        _calls((2, 3), (0,), ()),
        differentiable=False,
        method=False,
        batched=False,
        normalize=_outline,
    ),
    _like("empty_like", np.zeros_like, normalize=_outline),
    _like("zeros_like", np.zeros_like),
    _like("ones_like", np.ones_like),
    _like("full_like", np.full_like, 3),
    OpRecord("linspace", lambda a, b, n, dtype: np.linspace(a, b, n), _ends, variant="tensors", method=False),
    _periodic("bartlett"),
    _periodic("blackman"),
    _periodic("hamming"),
    _periodic("hann"),
    _periodic("kaiser", beta=12.0),
    _window("bartlett", {}, {"sym": False}),
    _window("blackman", {}, {"sym": False}),
    _window("cosine", {}, {"sym": False}),
    _window("exponential", {}, {"tau": 2.0}, {"sym": False, "center": 1, "tau": 0.5}),
    _window("gaussian", {"std": 1.5}, {"std": 0.5, "sym": False}),
    _window("general_cosine", {"a": [0.5, 0.3, 0.2]}, {"a": [1.0], "sym": False}),
    _window("general_hamming", {"alpha": 0.6}, {"alpha": 0.5, "sym": False}),
    _window("hamming", {}, {"sym": False}),
    _window("hann", {}, {"sym": False}),
    _window("kaiser", {"beta": 5.0}, {"beta": 0.0, "sym": False}),
    _window("nuttall", {}, {"sym": False}),
]
