"""Elementwise ops where they are hard: zeros, ties, bounds, infinities, saturation, conventions for derivatives."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import func

INF, NAN = math.inf, math.nan
MODES = pytest.mark.parametrize("mode", ["reverse", "forward", "root"])


def slope(mode: str, function: Callable[..., Any], *at: float, argument: int = 0) -> float:
    """Derivative of a function of numbers with respect to one of them."""
    args = [tp.tensor(x, dtype=tp.float64) for x in at]

    def alone(x: tp.Tensor) -> tp.Tensor:
        return function(*args[:argument], x, *args[argument + 1 :])

    if mode == "reverse":
        return func.grad(alone)(args[argument]).item()
    if mode == "forward":
        return func.jvp(alone, (args[argument],), (tp.ones((), dtype=tp.float64),))[1].item()
    leaf = args[argument].requires_grad_()
    out = alone(leaf)
    return tp.autograd.grad(out, leaf)[0].item() if out.requires_grad else 0.0


def nth(function: Callable[..., Any], order: int, at: float) -> float:
    """Derivative of some order."""
    for _ in range(order):
        function = func.grad(function)
    return function(tp.tensor(at, dtype=tp.float64)).item()


SLOPES: list[tuple[str, Callable[..., Any], tuple[float, ...], int, float]] = [
    ("abs at 0", tp.abs, (0.0,), 0, 0.0),
    ("sign", tp.sign, (0.3,), 0, 0.0),
    ("floor", tp.floor, (0.3,), 0, 0.0),
    ("sqrt at 0", tp.sqrt, (0.0,), 0, INF),
    ("clamp at its lower bound", lambda x: tp.clamp(x, 0.0, 1.0), (0.0,), 0, 1.0),
    ("clamp at its upper bound", lambda x: tp.clamp(x, 0.0, 1.0), (1.0,), 0, 1.0),
    ("clamp outside", lambda x: tp.clamp(x, 0.0, 1.0), (2.0,), 0, 0.0),
    ("bound of clamp", lambda x, low: tp.clamp(x, low), (-1.0, 0.0), 1, 1.0),
    ("maximum at a tie", tp.maximum, (2.0, 2.0), 0, 0.5),
    ("maximum at a tie, second", tp.maximum, (2.0, 2.0), 1, 0.5),
    ("minimum at a tie", tp.minimum, (2.0, 2.0), 0, 0.5),
    ("fmax at a tie", tp.fmax, (2.0, 2.0), 0, 1.0),
    ("fmax beside NaN", tp.fmax, (2.0, NAN), 0, 1.0),
    ("pow 2 at 0", lambda x: x**2, (0.0,), 0, 0.0),
    ("pow 1 at 0", lambda x: x**1, (0.0,), 0, 1.0),
    ("pow 0 at 0", lambda x: x**0, (0.0,), 0, 0.0),
    ("pow 0.5 at 0", lambda x: x**0.5, (0.0,), 0, INF),
    ("0**b", tp.pow, (0.0, 2.0), 1, 0.0),
    ("0**0", tp.pow, (0.0, 0.0), 1, 0.0),
    ("a**0", tp.pow, (0.0, 0.0), 0, 0.0),
    ("negative base", tp.pow, (-2.0, 3.0), 0, 12.0),
    ("hypot at 0", tp.hypot, (0.0, 0.0), 0, 0.0),
    ("hypot at 0, second", tp.hypot, (0.0, 0.0), 1, 0.0),
    ("atan2 at 0", tp.atan2, (0.0, 0.0), 0, 0.0),
    ("atan2 far out", tp.atan2, (1e200, 1e200), 0, 0.5e-200),
    ("xlogy at 0", tp.xlogy, (0.0, 0.0), 1, 0.0),
    ("xlogy in x at 0", tp.xlogy, (0.0, 0.0), 0, 0.0),
    ("logaddexp, one -inf", tp.logaddexp, (-INF, 1.0), 0, 0.0),
    ("logaddexp, other -inf", tp.logaddexp, (1.0, -INF), 0, 1.0),
    ("logaddexp, both -inf", tp.logaddexp, (-INF, -INF), 0, 0.5),
    ("logaddexp, both inf", tp.logaddexp, (INF, INF), 0, 0.5),
    ("tanh saturated", tp.tanh, (1e4,), 0, 0.0),
    ("sigmoid saturated", tp.sigmoid, (-1e4,), 0, 0.0),
    ("sigmoid saturated above", tp.sigmoid, (1e4,), 0, 0.0),
    ("sinc at 0", tp.sinc, (0.0,), 0, 0.0),
    ("sinc near 0", tp.sinc, (1e-5,), 0, -(math.pi**2) * 1e-5 / 3),
    ("copysign at 0", tp.copysign, (0.0, -1.0), 0, 0.0),
    ("fmod, divisor", tp.fmod, (-7.5, 2.0), 1, 3.0),
    ("remainder, divisor", tp.remainder, (-7.5, 2.0), 1, 4.0),
    ("rounded quotient", lambda x, y: tp.div(x, y, rounding_mode="floor"), (7.0, 2.0), 0, 0.0),
    ("asinh far out", tp.asinh, (1e200,), 0, 1e-200),
    ("logit at its eps", lambda x: tp.logit(x, 0.25), (0.25,), 0, 1 / (0.25 * 0.75)),
    ("logit beyond its eps", lambda x: tp.logit(x, 0.25), (0.1,), 0, 0.0),
    ("nan_to_num at NaN", tp.nan_to_num, (NAN,), 0, 0.0),
    ("where beside an infinite branch", lambda x: tp.where(x > 0, tp.sqrt(x), 0.0 * x), (0.0,), 0, 0.0),
    ("entr at 0", tp.special.entr, (0.0,), 0, INF),
    ("log_ndtr far below", tp.special.log_ndtr, (-1e6,), 0, 1e6),
    ("log_ndtr far above", tp.special.log_ndtr, (40.0,), 0, 0.0),
    ("i1 at 0", tp.special.i1, (0.0,), 0, 0.5),
    ("spherical_bessel_j0 at 0", tp.special.spherical_bessel_j0, (0.0,), 0, 0.0),
    ("chebyshev_polynomial_t at 1", lambda x: tp.special.chebyshev_polynomial_t(x, 4), (1.0,), 0, 16.0),
    ("legendre_polynomial_p at 1", lambda x: tp.special.legendre_polynomial_p(x, 4), (1.0,), 0, 10.0),
]


@MODES
@pytest.mark.parametrize(
    ("function", "at", "argument", "expected"), [row[1:] for row in SLOPES], ids=[row[0] for row in SLOPES]
)
def test_slope(mode: str, function: Callable[..., Any], at: tuple[float, ...], argument: int, expected: float) -> None:
    """First derivatives, in all modes."""
    np.testing.assert_allclose(slope(mode, function, *at, argument=argument), expected, rtol=1e-9, atol=1e-12)


HIGHER: list[tuple[str, Callable[..., Any], int, float, float]] = [
    ("sinc, 2nd", tp.sinc, 2, 0.0, -(math.pi**2) / 3),
    ("sinc, 4th", tp.sinc, 4, 0.0, math.pi**4 / 5),
    ("sinc, 4th, near 0", tp.sinc, 4, 1e-3, math.pi**4 / 5 - math.pi**6 * 1e-6 / 14),
    ("x**2, 2nd", lambda x: x**2, 2, 0.0, 2.0),
    ("x**2, 3rd", lambda x: x**2, 3, 0.0, 0.0),
    ("x**3, 3rd", lambda x: x**3, 3, 0.0, 6.0),
    ("tensor exponent, 3rd", lambda x: x ** tp.tensor(2.0, dtype=tp.float64), 3, 0.0, 0.0),
    ("i0, 4th", tp.i0, 4, 0.0, 0.375),
    ("polygamma, 3rd", tp.lgamma, 3, 1.0, -2.4041138063191886),
    ("hermite, 3rd", lambda x: tp.special.hermite_polynomial_h(x, 3), 3, 0.5, 48.0),
    ("chebyshev, 4th", lambda x: tp.special.chebyshev_polynomial_t(x, 4), 4, 1.0, 192.0),
    ("laguerre, 2nd", lambda x: tp.special.laguerre_polynomial_l(x, 2), 2, 3.0, 1.0),
    ("airy, 3rd", tp.special.airy_ai, 3, 0.0, 0.3550280538878172),
    ("abs, 2nd", tp.abs, 2, 0.0, 0.0),
    ("tanh saturated, 3rd", tp.tanh, 3, 1e4, 0.0),
    ("logaddexp at a tie, 2nd", lambda x: tp.logaddexp(x, tp.zeros((), dtype=tp.float64)), 2, 0.0, 0.25),
]


@pytest.mark.parametrize(
    ("function", "order", "at", "expected"), [row[1:] for row in HIGHER], ids=[row[0] for row in HIGHER]
)
def test_higher_derivative(function: Callable[..., Any], order: int, at: float, expected: float) -> None:
    """Derivatives of higher order at special points."""
    np.testing.assert_allclose(nth(function, order, at), expected, rtol=1e-6, atol=1e-9)


def test_mixed_derivative_of_a_power_at_exponent_zero() -> None:
    """d/dy d/dx x**y = x**(y-1) * (1 + y log x), also where y is 0, in either order."""
    x, y = tp.tensor(2.0, dtype=tp.float64), tp.tensor(0.0, dtype=tp.float64)
    one = func.grad(lambda y: func.grad(tp.pow)(x, y))(y)
    other = func.grad(lambda x: func.grad(tp.pow, argnums=1)(x, y))(x)
    assert one.item() == other.item() == 0.5


def test_mixed_derivative_of_a_power_at_base_zero() -> None:
    """d/dx d/dy x**y at x = 0 is zero for an exponent above one."""
    x, y = tp.tensor(0.0, dtype=tp.float64), tp.tensor(3.0, dtype=tp.float64)
    assert func.grad(lambda y: func.grad(tp.pow)(x, y))(y).item() == 0
    assert func.grad(lambda x: func.grad(tp.pow, argnums=1)(x, y))(x).item() == 0


def test_zero_cotangent_stays_zero() -> None:
    """Infinite local derivatives do not turn zero into NaN."""
    x = tp.tensor([0.0, 4.0], dtype=tp.float64)
    grad = func.grad(lambda x: (tp.sqrt(x) * tp.tensor([0.0, 1.0], dtype=tp.float64)).sum())(x)
    assert grad.tolist() == [0.0, 0.25]


GUARDS = {
    "clamp": lambda x: tp.clamp(tp.exp(x), max=5.0),
    "minimum": lambda x: tp.minimum(tp.exp(x), tp.tensor(5.0, dtype=tp.float64)),
    "amin": lambda x: tp.amin(tp.stack([tp.exp(x), tp.full_like(x, 5.0)]), 0),
    "relu": lambda x: tp.relu(2.0 - tp.exp(x)),
    "tanh": lambda x: tp.tanh(tp.exp(x)),
    "times zero": lambda x: 0.0 * tp.log(x - 1000.0),
    "of zero": lambda x: tp.sqrt(0.0 * x),
}


@pytest.mark.parametrize("f", GUARDS.values(), ids=GUARDS)
def test_zero_derivative_stays_zero_in_both_modes(f: Callable[[tp.Tensor], tp.Tensor]) -> None:
    """What overflowed behind a function that is constant there counts for nothing."""
    x = tp.tensor(1000.0, dtype=tp.float64)
    assert func.grad(f)(x).item() == 0
    assert func.jvp(f, (x,), (tp.ones_like(x),))[1].item() == 0


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "div", "pow", "remainder", "fmod", "true_divide", "xlogy", "rsub"]
)
def test_whole_number_is_the_number(name: str) -> None:
    """A Python integer as an operand, in values and derivatives."""
    op, x = getattr(tp, name), tp.tensor([1.25, 2.5])
    assert op(x, 3).tolist() == op(x, 3.0).tolist()
    for number in (3, 2):
        tangents = [func.jvp(lambda x, n=n: op(x, n), (x,), (x,))[1] for n in (number, float(number))]
        pulled = [func.vjp(lambda x, n=n: op(x, n), x)[1](x)[0] for n in (number, float(number))]
        assert tangents[0].dtype is pulled[0].dtype is tp.float32
        assert tangents[0].tolist() == tangents[1].tolist() == pulled[0].tolist() == pulled[1].tolist()


VALUES: list[tuple[str, Callable[[], Any], Any]] = [
    ("uint8 wraps", lambda: tp.tensor([44], dtype=tp.uint8) + 300, [88]),
    ("int32 wraps", lambda: tp.tensor([1], dtype=tp.int32) + 2**40, [1]),
    ("floor division", lambda: tp.tensor([-7, 7]) // tp.tensor([2, -2]), [-4, -4]),
    ("division towards zero", lambda: tp.div(tp.tensor([-7, 7]), 2, rounding_mode="trunc"), [-3, 3]),
    ("remainder", lambda: tp.tensor([-7, 7]) % tp.tensor([3, -3]), [2, -2]),
    ("fmod", lambda: tp.fmod(tp.tensor([-7, 7]), tp.tensor([3, -3])), [-1, 1]),
    ("reflected remainder", lambda: -7 % tp.tensor([3]), [2]),
    ("integer powers", lambda: tp.tensor([2, 1, -1, 0]) ** tp.tensor([-1, -2, -3, 2]), [0, 1, -1, 0]),
    ("reflected power", lambda: 2 ** tp.tensor([1, 2]), [2, 4]),
    ("bool sum", lambda: tp.tensor([True, False]) + tp.tensor([True, False]), [True, False]),
    ("sign of NaN", lambda: tp.sign(tp.tensor([NAN])), [0.0]),
    ("logaddexp of infinities", lambda: tp.logaddexp(tp.tensor([-INF, INF]), tp.tensor([-INF, INF])), [-INF, INF]),
    ("xlogy", lambda: tp.xlogy(tp.tensor([0.0, 0.0]), tp.tensor([0.0, INF])), [0.0, 0.0]),
    ("half to even", lambda: tp.round(tp.tensor([0.5, 1.5, -2.5])), [0.0, 2.0, -2.0]),
    ("shift out", lambda: tp.tensor([1]) << 70, [0]),
    ("bool complement", lambda: ~tp.tensor([True, False]), [False, True]),
    ("integer complement", lambda: ~tp.tensor([0, 5]), [-1, -6]),
    ("clamp with bounds crossed", lambda: tp.clamp(tp.tensor([0.0, 9.0]), 3.0, 1.0), [1.0, 1.0]),
    ("digamma at 0", lambda: tp.digamma(tp.tensor([0.0, -0.0])), [-INF, INF]),
    ("comparison with another type", lambda: tp.tensor([1.0]) == "a", False),
]


@pytest.mark.parametrize(("compute", "expected"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_value(compute: Callable[[], Any], expected: Any) -> None:
    """Values and their Python type."""
    got = compute()
    assert (got.tolist() if isinstance(got, tp.Tensor) else got) == expected


DTYPES: list[tuple[str, Callable[[], tp.Tensor], tp.dtype]] = [
    ("int / int", lambda: tp.tensor([1]) / tp.tensor([2]), tp.float32),
    ("int + float number", lambda: tp.tensor([1]) + 1.5, tp.float32),
    ("float64 + number", lambda: tp.ones(1, dtype=tp.float64) + 0.1, tp.float64),
    ("float32 * 0-d float64", lambda: tp.ones(1) * tp.tensor(2.0, dtype=tp.float64), tp.float32),
    ("int32 + bool", lambda: tp.tensor([1], dtype=tp.int32) + True, tp.int32),
    ("float32 + complex number", lambda: tp.ones(1) + 1j, tp.complex64),
    ("float64 ** complex number", lambda: tp.ones(1, dtype=tp.float64) ** 2j, tp.complex128),
    ("float16 erf", lambda: tp.erf(tp.ones(1, dtype=tp.float16)), tp.float16),
    ("float16 sigmoid", lambda: tp.sigmoid(tp.ones(1, dtype=tp.float16)), tp.float16),
    ("float_power", lambda: tp.float_power(tp.tensor([2]), 2), tp.float64),
    ("abs of complex", lambda: tp.abs(tp.ones(1, dtype=tp.complex128)), tp.float64),
    ("square of bool", lambda: tp.square(tp.tensor([True])), tp.int64),
    ("clamp(int, float)", lambda: tp.clamp(tp.tensor([1]), min=0.5), tp.float32),
    ("comparison", lambda: tp.tensor([1]) < 2, tp.bool),
    ("where of numbers", lambda: tp.where(tp.tensor([True]), 1, 2.0), tp.float32),
    ("number / float64", lambda: 1 / tp.ones(1, dtype=tp.float64), tp.float64),
    ("array * tensor", lambda: np.ones(2, np.float32) * tp.ones(2), tp.float32),
    ("NumPy number * tensor", lambda: np.float32(2) * tp.ones(2), tp.float32),
]


@pytest.mark.parametrize(("compute", "expected"), [row[1:] for row in DTYPES], ids=[row[0] for row in DTYPES])
def test_dtype(compute: Callable[[], tp.Tensor], expected: tp.dtype) -> None:
    """Promotion; what NumPy arrays and tensors make together is a tensor."""
    got = compute()
    assert isinstance(got, tp.Tensor)
    assert got.dtype is expected


def test_numbers_keep_the_precision_of_the_tensor() -> None:
    """A Python number is not rounded to the default dtype on its way to a float64 tensor."""
    x = tp.ones(3, dtype=tp.float64)
    for got, expected in [(x / 0.3, 1 / 0.3), (tp.atan2(x, 0.3), math.atan2(1, 0.3)), (0.3**x, 0.3), (x * 0.1, 0.1)]:
        assert got.tolist() == [expected] * 3
    assert func.grad(lambda x: (x / 3).sum())(x).tolist() == [1 / 3] * 3


ERRORS: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("shapes", lambda: tp.ones(2) + tp.ones(3), RuntimeError, r"add\(\).*\[2\].*\[3\]"),
    ("foreign type", lambda: tp.ones(2) + "a", TypeError, "unsupported operand"),
    ("foreign type, function", lambda: tp.add(tp.ones(2), "a"), TypeError, r"add\(\).*str"),
    ("foreign type, unary", lambda: tp.sin("a"), TypeError, r"sin\(\).*str"),
    ("foreign array", lambda: tp.ones(2) + np.array(["a", "b"]), TypeError, r"add\(\)"),
    (
        "lgamma of complex",
        lambda: tp.lgamma(tp.ones(1, dtype=tp.complex64)),
        NotImplementedError,
        r"lgamma\(\).*complex",
    ),
    ("integer division by zero", lambda: tp.tensor([1]) // 0, RuntimeError, "zero"),
    ("integer remainder by zero", lambda: tp.tensor([1]) % 0, RuntimeError, "zero"),
    ("negative integer power", lambda: tp.tensor([2]) ** -1, RuntimeError, "negative"),
    ("bool difference", lambda: tp.tensor([True]) - tp.tensor([True]), RuntimeError, r"sub\(\).*bool"),
    ("bool negation", lambda: -tp.tensor([True]), RuntimeError, r"neg\(\).*bool"),
    ("order of complex numbers", lambda: tp.ones(1, dtype=tp.complex64) < 1, NotImplementedError, r"lt\(\).*complex"),
    ("bits of floats", lambda: tp.ones(1) & 1, NotImplementedError, r"bitwise_and\(\).*float32"),
    ("floor of complex", lambda: tp.floor(tp.ones(1, dtype=tp.complex64)), NotImplementedError, r"floor\(\)"),
    ("clamp without bounds", lambda: tp.clamp(tp.ones(1)), RuntimeError, r"clamp\(\).*min and max"),
    ("condition", lambda: tp.where(tp.ones(1), 1, 2), RuntimeError, r"where\(\).*bool"),
    ("rounding mode", lambda: tp.div(tp.ones(1), 2, rounding_mode="x"), RuntimeError, "rounding_mode"),
    ("in place, dtype", lambda: tp.tensor([1]).add_(1.5), RuntimeError, r"add_.*float32.*int64"),
    ("in place, shape", lambda: tp.ones(2).add_(tp.ones(3, 2)), RuntimeError, "shape"),
    ("alpha", lambda: tp.add(tp.tensor([1]), 1, alpha=1.5), RuntimeError, "alpha"),
    ("imag of real", lambda: tp.imag(tp.ones(1)), RuntimeError, r"imag\(\)"),
    ("parts of different dtypes", lambda: tp.complex(tp.ones(1), tp.ones(1, dtype=tp.float64)), RuntimeError, "dtype"),
    ("dtype of lerp", lambda: tp.lerp(tp.ones(1), tp.ones(1, dtype=tp.float64), 0.5), RuntimeError, r"lerp\(\)"),
    (
        "addcdiv of integers",
        lambda: tp.addcdiv(tp.tensor([1]), tp.tensor([1]), tp.tensor([1])),
        RuntimeError,
        "integer",
    ),
    (
        "unknown derivative",
        lambda: func.grad(lambda a: tp.igamma(a, tp.ones(())))(tp.ones(())),
        NotImplementedError,
        r"igamma\(\).*input",
    ),
]


@pytest.mark.parametrize(("compute", "error", "message"), [row[1:] for row in ERRORS], ids=[row[0] for row in ERRORS])
def test_error(compute: Callable[[], Any], error: type[Exception], message: str) -> None:
    """Torch's exception type, and a sentence with the function's name and what came."""
    with pytest.raises(error, match=message):
        compute()


def test_complex_abs_and_angle_in_both_modes() -> None:
    """Re conj(a) b is the inner product; at zero the derivatives are zero."""
    z = tp.tensor([3 + 4j, 0.0], dtype=tp.complex128)
    assert tp.allclose(func.grad(lambda z: z.abs().sum())(z), tp.tensor([0.6 + 0.8j, 0.0], dtype=tp.complex128))
    assert tp.allclose(func.grad(lambda z: z.angle().sum())(z), tp.tensor([-0.16 + 0.12j, 0.0], dtype=tp.complex128))
    tangent = tp.tensor([1j, 1.0], dtype=tp.complex128)
    assert func.jvp(tp.abs, (z,), (tangent,))[1].tolist() == [0.8, 0.0]


def test_writes_through_parts() -> None:
    """`real` and `imag` are views: writes reach the complex tensor, under transforms too."""
    z = tp.zeros(2, dtype=tp.complex128)
    z.imag.add_(2)
    z.real[0] = 1
    assert z.tolist() == [1 + 2j, 2j]

    def written(x: tp.Tensor) -> tp.Tensor:
        z = tp.zeros(2, dtype=tp.complex128)
        z.imag.add_(x)
        z.real[0] = x[1] * 3
        return z

    x = tp.tensor([1.0, 2.0], dtype=tp.float64)
    expected = tp.tensor([6 + 1j, 2j], dtype=tp.complex128)
    assert tp.equal(func.jvp(written, (x,), (x,))[1], expected)
    assert tp.equal(func.vmap(written)(x[None])[0], expected)


def test_tensors_hash_by_identity() -> None:
    """Comparison is elementwise, and yet tensors are keys."""
    a, b = tp.ones(2), tp.ones(2)
    assert {a: 1, b: 2}[a] == 1


def test_gradient_beyond_zero_size() -> None:
    """Empty tensors pass through."""
    assert func.grad(lambda x: (tp.sinc(x) ** 2).sum())(tp.ones(0)).shape == (0,)
    assert tp.sqrt(tp.ones(0, 3)).shape == (0, 3)


@pytest.mark.parametrize("number", [70000, 70001.5, -65520])
def test_numbers_beyond_half_precision_are_infinite_without_a_warning(number: float) -> None:
    x = tp.tensor([1.0, -2.0], dtype=tp.float16)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        product, total = x * number, x + number
    sign = np.sign(number)
    np.testing.assert_array_equal(np.asarray(product), [sign * np.inf, -sign * np.inf])
    np.testing.assert_array_equal(np.asarray(total), [sign * np.inf] * 2)
