"""Numeric derivatives and comparisons for the tests of transforms."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.func import grad, jacfwd, jacrev, jvp, linearize
from tests.laws.checks import assert_close, difference

Array = np.ndarray[Any, Any]


class AtOnce(Executor):
    """Works on each task when it is given, as it is or as another process would get it."""

    def __init__(self, pickled: bool = True) -> None:
        self.pickled = pickled
        self.sizes: list[int] = []

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.pickled:
            data = pickle.dumps(task)
            self.sizes.append(len(data))
            task = pickle.loads(data)
        try:
            future.set_result(task(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def double(values: Any) -> tp.Tensor:
    """A float64 tensor."""
    return tp.tensor(np.asarray(values, np.float64))


def normal(*shape: int, seed: int = 0) -> tp.Tensor:
    """A float64 tensor of normal numbers, the same every time."""
    return tp.tensor(np.random.default_rng(seed).standard_normal(shape))


def array(tensor: Any) -> Array:
    """The NumPy array of a tensor."""
    return np.asarray(tensor.detach().numpy())


def close(got: Any, expected: Any, rtol: float = 1e-9) -> None:
    """Shapes and elements of a tensor are those of a tensor, array or number."""
    assert_close(array(got), array(expected) if isinstance(expected, tp.Tensor) else expected, rtol)


def numeric_jacobian(function: Callable[[tp.Tensor], tp.Tensor], at: tp.Tensor) -> Array:
    """Jacobian by finite differences, shape ``out.shape + at.shape``."""
    x = array(at)
    columns = []
    for index in np.ndindex(x.shape):
        unit = np.zeros_like(x)
        unit[index] = 1
        columns.append(difference(lambda step, unit=unit: [array(function(tp.tensor(x + step * unit)))])[0])
    out_shape = columns[0].shape
    return np.stack(columns, -1).reshape((*out_shape, *x.shape))


def check_like(function: Any, loop: Any, x: tp.Tensor, *, reverse: bool = True) -> None:
    """
    `function` is `loop`, which is written in plain Python, at `x`: in value, and in derivatives of both modes to the
    second order, of which the first are also compared with finite differences. Without `reverse`, in forward mode only.
    """
    close(function(x), loop(x))
    numeric = numeric_jacobian(loop, x)
    direction = normal(*x.shape, seed=9)
    close(jvp(function, (x,), (direction,))[1], np.tensordot(numeric, array(direction), x.ndim), rtol=1e-6)
    close(linearize(function, x)[1](direction), jvp(loop, (x,), (direction,))[1])
    close(jacfwd(function)(x), numeric, rtol=1e-6)
    second = jacrev(jacrev(loop))(x)
    close(jacfwd(jacfwd(function))(x), second)
    if reverse:
        close(jacrev(function)(x), numeric, rtol=1e-6)
        for outer, inner in ((jacfwd, jacrev), (jacrev, jacfwd), (jacrev, jacrev)):
            close(outer(inner(function))(x), second)
        close(grad(lambda x: function(x).sum())(x), numeric.reshape(-1, *x.shape).sum(0), rtol=1e-6)
