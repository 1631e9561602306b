"""In-place methods: which there are, what they refuse, and those that have no function of their name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jvp, vmap

LISTED = """
abs_ absolute_ acos_ acosh_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addmv_ addr_ apply_ arccos_ arccosh_ arcsin_ arcsinh_
arctan2_ arctan_ arctanh_ asin_ asinh_ atan2_ atan_ atanh_ baddbmm_ bernoulli_ bitwise_and_ bitwise_left_shift_
bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_ cauchy_ ceil_ clamp_ clamp_max_ clamp_min_ clip_
conj_physical_ copy_ copysign_ cos_ cosh_ cumprod_ cumsum_ deg2rad_ detach_ digamma_ div_ divide_ eq_ erf_ erfc_ erfinv_
exp2_ exp_ expm1_ exponential_ fill_ fill_diagonal_ fix_ float_power_ floor_ floor_divide_ fmod_ frac_ gcd_ ge_
geometric_ greater_ greater_equal_ gt_ heaviside_ hypot_ i0_ igamma_ igammac_ index_add_ index_copy_ index_fill_
index_put_ index_reduce_ lcm_ ldexp_ le_ lerp_ less_ less_equal_ lgamma_ log10_ log1p_ log2_ log_ log_normal_
logical_and_ logical_not_ logical_or_ logical_xor_ logit_ lt_ map2_ map_ masked_fill_ masked_scatter_ mul_ multiply_
mvlgamma_ nan_to_num_ ne_ neg_ negative_ nextafter_ normal_ not_equal_ polygamma_ pow_ put_ rad2deg_ random_ reciprocal_
relu_ remainder_ renorm_ requires_grad_ resize_ resize_as_ round_ rsqrt_ scatter_ scatter_add_ scatter_reduce_ sgn_
sigmoid_ sign_ sin_ sinc_ sinh_ sqrt_ square_ squeeze_ sub_ subtract_ swapaxes_ swapdims_ t_ tan_ tanh_ transpose_ tril_
triu_ true_divide_ trunc_ uniform_ unsqueeze_ xlogy_ zero_
"""  # torch's, but for storages, sharing between processes and sparse tensors


@pytest.mark.parametrize("name", LISTED.split())
def test_torchs_in_place_methods_exist(name: str) -> None:
    assert callable(getattr(tp.Tensor, name))


# ---- operators -------------------------------------------------------------------------------------------------------

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+=": lambda a, b: a.__iadd__(b),
    "-=": lambda a, b: a.__isub__(b),
    "*=": lambda a, b: a.__imul__(b),
    "/=": lambda a, b: a.__itruediv__(b),
    "//=": lambda a, b: a.__ifloordiv__(b),
    "%=": lambda a, b: a.__imod__(b),
    "**=": lambda a, b: a.__ipow__(b),
    "&=": lambda a, b: a.__iand__(b),
    "|=": lambda a, b: a.__ior__(b),
    "^=": lambda a, b: a.__ixor__(b),
    "<<=": lambda a, b: a.__ilshift__(b),
    ">>=": lambda a, b: a.__irshift__(b),
}


@pytest.mark.parametrize("sign", OPERATORS)
def test_operators_write_in_place(sign: str) -> None:
    """NumPy's memory sees the write, through a view too; mapped, it is the loop; the tensor stays the same object."""
    dtype = np.int64 if sign[0] in "&|^<>" else np.float64
    left, right = np.array([[5, 7, 2], [3, 1, 6]], dtype), np.array([2, 3, 1], dtype)
    expected = np.array(left)
    operate = OPERATORS[sign]
    operate(expected, right)
    memory = np.array(left)
    x, y = tp.from_numpy(memory), tp.from_numpy(right)
    row = x[1]
    assert operate(row, y) is row
    np.testing.assert_array_equal(memory[1], expected[1])

    def written(a: tp.Tensor, b: tp.Tensor) -> tp.Tensor:
        c = a.clone()
        d = operate(c, b)
        assert d is c
        return c

    np.testing.assert_array_equal(vmap(written, (0, None))(tp.tensor(left), y).numpy(), expected)
    np.testing.assert_array_equal(vmap(written, (1, 0), 1)(tp.tensor(left), y).numpy(), expected)
    np.testing.assert_array_equal(functionalize(written)(tp.tensor(left), y).numpy(), expected)


# ---- what is refused -------------------------------------------------------------------------------------------------


def integers() -> tp.Tensor:
    """Two zeros."""
    return tp.zeros(2, dtype=tp.int64)


REFUSED: dict[str, tuple[str, Callable[[], Any]]] = {
    "more dims": (r"add_.*\[3, 2\].*\[2\]", lambda: tp.zeros(2).add_(tp.zeros(3, 2))),
    "longer dims": (r"add_.*\[3\].*\[1\]", lambda: tp.zeros(1).add_(tp.zeros(3))),
    "dims for a number": (r"add_.*\[3\].*\[\]", lambda: tp.tensor(1.0).add_(tp.zeros(3))),
    "longer mask": (r"masked_fill_.*\[2, 3\].*\[3\]", lambda: tp.zeros(3).masked_fill_(tp.ones(2, 3) > 0, 1.0)),
    "longer values": (r"\[3\].*\[2\]", lambda: tp.zeros(2).__setitem__(slice(None), tp.zeros(3))),
    "float into int": (r"add_.*float32.*int64", lambda: integers().add_(1.5)),
    "float operator into int": (r"/=.*float32.*int64", lambda: integers().__itruediv__(2)),
    "sine into int": (r"sin_.*float32.*int64", lambda: integers().sin_()),
    "int into bool": (r"add_.*int64.*bool", lambda: (integers() > 0).add_(1)),
    "complex into float": (r"mul_.*complex64.*float32", lambda: tp.zeros(2).mul_(1j)),
    "complex assigned": (r"complex128.*float32.*real", lambda: tp.zeros(2).__setitem__(0, 1j)),
    "number too large": (r"300.*uint8", lambda: tp.zeros(2, dtype=tp.uint8).fill_(300)),
    "expanded": (r"add_.*single memory location.*clone", lambda: tp.zeros(1).expand(3).add_(1)),
    "expanded, assigned": (r"single memory location", lambda: tp.zeros(1).expand(3).__setitem__(0, 1.0)),
    "overlapping windows": (r"mul_.*single memory location", lambda: tp.zeros(5).unfold(0, 3, 1).mul_(2)),
    "leaf": (r"add_.*leaf.*no_grad", lambda: tp.ones(2, requires_grad=True).add_(1)),
    "view of a leaf": (r"mul_.*leaf.*no_grad", lambda: tp.ones(2, requires_grad=True)[0:1].mul_(2)),
    "leaf assigned": (r"leaf.*no_grad", lambda: tp.ones(2, requires_grad=True).__setitem__(0, 1.0)),
    "resized with grad": (r"resize_.*requires grad", lambda: tp.ones(2, requires_grad=True).resize_(3)),
    "negative size": (r"resize_.*negative.*-1", lambda: tp.ones(2).resize_(-1)),
    "map_ of shapes": (r"map_.*\[3\].*\[2\]", lambda: tp.ones(2).map_(tp.ones(3), max)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_as_in_torch(name: str) -> None:
    message, call = REFUSED[name]
    with pytest.raises(RuntimeError, match=message):
        call()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.clone().add_(tp.zeros(5, *x.shape)),
        lambda x: (x > 0).add_(x),
        lambda x: x.clone().expand(3, *x.shape).add_(1.0),
        lambda x: x.clone().unfold(0, 2, 1).mul_(2.0),
        lambda x: x.clone().resize_(-1),
    ],
)
def test_refused_under_transforms_too(write: Any) -> None:
    x = tp.tensor([[1.0, 2.0, 3.0]])
    for run in (
        lambda: write(x[0]),
        lambda: vmap(lambda a: (write(a), a)[1])(x),
        lambda: grad(lambda a: (write(a), a.sum())[1])(x[0]),
        lambda: jvp(lambda a: (write(a), a)[1], (x[0],), (x[0],)),
        lambda: functionalize(lambda a: (write(a), a)[1])(x[0]),
    ):
        with pytest.raises(RuntimeError):
            run()


def test_views_without_repetition_can_be_written() -> None:
    x = tp.zeros(2, 3)
    x.t().expand(1, 3, 2).add_(1.0)
    x[:1].expand(1, 3).add_(1.0)
    x.expand(-1, -1).add_(1.0)
    assert x.tolist() == [[3.0] * 3, [2.0] * 3]


# ---- methods without functions ---------------------------------------------------------------------------------------


def test_resize() -> None:
    x = tp.arange(6.0)
    assert x.resize_(2, 2) is x
    assert x.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert x.resize_((2, 3)).tolist() == [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]
    assert x.resize_as_(tp.zeros(3)).tolist() == [0.0, 1.0, 2.0]
    assert tp.arange(6.0).reshape(2, 3).t().resize_(2, 2).tolist() == [[0.0, 3.0], [1.0, 4.0]]
    base = np.zeros(6)
    tp.from_numpy(base).resize_(2, 3).add_(1.0)
    assert base.tolist() == [1.0] * 6


def test_resize_under_transforms() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y = x * 1
        y.resize_(2, 2)
        y[0] *= 2
        z = tp.empty(0, dtype=x.dtype).resize_(3)
        z[:2] = y.resize_(5)[:2]
        return z

    x = tp.tensor([1.0, 2.0, 3.0, 4.0], dtype=tp.float64)
    for got in (f(x), vmap(f)(x[None])[0], functionalize(f)(x), jvp(f, (x,), (x,))[1]):
        assert got.tolist() == [2.0, 4.0, 0.0]
    assert grad(lambda x: f(x).sum())(x).tolist() == [2.0, 2.0, 0.0, 0.0]


def test_python_functions_of_elements() -> None:
    x = tp.tensor([[1.0, 2.0], [3.0, 4.0]])
    x.t()[0].apply_(lambda a: a * 10)
    assert x.tolist() == [[10.0, 2.0], [30.0, 4.0]]
    x.map_(tp.tensor([1.0, 2.0]), lambda a, b: a + b)
    assert x.tolist() == [[11.0, 4.0], [31.0, 6.0]]
    x.map2_(x, tp.tensor(1.0), lambda a, b, c: a - b + c)
    assert x.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert tp.zeros(0).apply_(abs).tolist() == []
    with pytest.raises(RuntimeError, match=r"apply_.*Python function"):
        vmap(lambda a: a.clone().apply_(abs))(x)
