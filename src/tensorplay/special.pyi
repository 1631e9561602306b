"""Special functions with the names of ``torch.special``: ops on values, lifted to tensors."""

# ruff: noqa
# Made by `python -m tests.type_stubs`.

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorplay.dtypes import dtype as _dtype
from tensorplay.random.generator import Generator as _Generator
from tensorplay.tensor.size import Size as _Size
from tensorplay.tensor.tensor import Tensor as _Tensor

# what operators take where they take tensors, and where they take dtypes
_Operand: TypeAlias = _Tensor | builtins.complex | np.generic[Any]
_DtypeLike: TypeAlias = _dtype | np.dtype[Any] | type | str

def airy_ai(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Airy function Ai."""

def bessel_j0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bessel function of the first kind of order 0."""

def bessel_j1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bessel function of the first kind of order 1."""

def bessel_y0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bessel function of the second kind of order 0."""

def bessel_y1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bessel function of the second kind of order 1."""

def chebyshev_polynomial_t(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the first kind."""

def chebyshev_polynomial_u(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the second kind."""

def chebyshev_polynomial_v(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the third kind."""

def chebyshev_polynomial_w(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the fourth kind."""

def digamma(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Derivative of the logarithm of the gamma function."""

def entr(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Entropy ``-x * log(x)`` of each element: zero at zero, -inf below."""

def erf(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Error function of each element."""

def erfc(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """One minus the error function of each element, accurate where that is small."""

def erfcx(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Scaled complementary error function ``exp(x**2) * erfc(x)`` of each element."""

def erfinv(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of the error function of each element."""

def exp2(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Two to the power of each element."""

def expit(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logistic function ``1 / (1 + exp(-x))`` of each element."""

def expm1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Exponential minus one, accurate near zero."""

def gammainc(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Regularized lower incomplete gamma function of parameter `input`, at `other`."""

def gammaincc(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Regularized upper incomplete gamma function of parameter `input`, at `other`."""

def gammaln(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the absolute value of the gamma function."""

def hermite_polynomial_h(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hermite polynomial of the physicists."""

def hermite_polynomial_he(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hermite polynomial of the probabilists."""

def i0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the first kind of order 0."""

def i0e(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``exp(-abs(x))`` times the modified Bessel function of the first kind of order 0."""

def i1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the first kind of order 1."""

def i1e(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``exp(-abs(x))`` times the modified Bessel function of the first kind of order 1."""

def laguerre_polynomial_l(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Laguerre polynomial."""

def legendre_polynomial_p(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Legendre polynomial."""

def log1p(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of one plus each element, accurate near zero."""

def log_ndtr(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the cumulative distribution function of the standard normal distribution."""

def log_softmax(
    input: _Operand, dim: builtins.int, dtype: _DtypeLike | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Logarithm of the softmax, without its rounding errors."""

def logit(input: _Operand, eps: builtins.float | None = None, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of the logistic function, ``log(x / (1 - x))``."""

def logsumexp(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Logarithm of the sum of the elements' exponentials."""

def modified_bessel_i0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the first kind of order 0."""

def modified_bessel_i1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the first kind of order 1."""

def modified_bessel_k0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the second kind of order 0."""

def modified_bessel_k1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the second kind of order 1."""

def multigammaln(input: _Operand, p: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the multivariate gamma function of dimension `p`."""

def ndtr(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Cumulative distribution function of the standard normal distribution."""

def ndtri(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of the cumulative distribution function of the standard normal distribution."""

def polygamma(n: builtins.int, input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Derivative of some order of the digamma function."""

def psi(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Derivative of the logarithm of the gamma function."""

def round(input: _Operand, *, decimals: builtins.int = 0, out: _Tensor | None = None) -> _Tensor:
    """Elements rounded to a number of decimals, halves to the even neighbour."""

def scaled_modified_bessel_k0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``exp(x)`` times the modified Bessel function of the second kind of order 0."""

def scaled_modified_bessel_k1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``exp(x)`` times the modified Bessel function of the second kind of order 1."""

def shifted_chebyshev_polynomial_t(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the first kind, at ``2 * input - 1``."""

def shifted_chebyshev_polynomial_u(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the second kind, at ``2 * input - 1``."""

def shifted_chebyshev_polynomial_v(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the third kind, at ``2 * input - 1``."""

def shifted_chebyshev_polynomial_w(input: _Operand, n: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Chebyshev polynomial of the fourth kind, at ``2 * input - 1``."""

def sinc(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``sin(pi x) / (pi x)`` of each element, one at zero."""

def softmax(
    input: _Operand, dim: builtins.int, dtype: _DtypeLike | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Exponentials of the elements, divided by their sum along a dim."""

def spherical_bessel_j0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Spherical Bessel function of the first kind of order 0, ``sin(x) / x``."""

def xlog1py(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``input * log1p(other)``, which is zero where `input` is zero, whatever `other` is (but NaN)."""

def xlogy(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``input * log(other)``, which is zero where `input` is zero, whatever `other` is (but NaN)."""

def zeta(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hurwitz zeta function: sum of ``(k + other) ** -input`` over k from 0 on; derivable with respect to `other`."""
