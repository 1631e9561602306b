"""
Special functions with the names of ``torch.special``: ops on values, lifted to tensors.

May import `ops` and `tensor`. Must not state a derivative or a batching rule.
"""

from __future__ import annotations

from tensorplay.ops import elementwise, exponential, polynomials, special_functions, trigonometry
from tensorplay.ops import softmax as _softmax
from tensorplay.tensor.lift import lift

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w",
    "sinc",
    "softmax",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]

airy_ai = lift(special_functions.airy_ai)
bessel_j0 = lift(special_functions.bessel_j0)
bessel_j1 = lift(special_functions.bessel_j1)
bessel_y0 = lift(special_functions.bessel_y0)
bessel_y1 = lift(special_functions.bessel_y1)
chebyshev_polynomial_t = lift(polynomials.chebyshev_polynomial_t)
chebyshev_polynomial_u = lift(polynomials.chebyshev_polynomial_u)
chebyshev_polynomial_v = lift(polynomials.chebyshev_polynomial_v)
chebyshev_polynomial_w = lift(polynomials.chebyshev_polynomial_w)
digamma = lift(special_functions.digamma)
entr = lift(special_functions.entr)
erf = lift(special_functions.erf)
erfc = lift(special_functions.erfc)
erfcx = lift(special_functions.erfcx)
erfinv = lift(special_functions.erfinv)
exp2 = lift(elementwise.exp2)
expit = lift(elementwise.sigmoid)
expm1 = lift(elementwise.expm1)
gammainc = lift(special_functions.igamma)
gammaincc = lift(special_functions.igammac)
gammaln = lift(special_functions.lgamma)
hermite_polynomial_h = lift(polynomials.hermite_polynomial_h)
hermite_polynomial_he = lift(polynomials.hermite_polynomial_he)
i0 = lift(special_functions.i0)
i0e = lift(special_functions.i0e)
i1 = lift(special_functions.i1)
i1e = lift(special_functions.i1e)
laguerre_polynomial_l = lift(polynomials.laguerre_polynomial_l)
legendre_polynomial_p = lift(polynomials.legendre_polynomial_p)
log1p = lift(elementwise.log1p)
log_ndtr = lift(special_functions.log_ndtr)
log_softmax = lift(_softmax.log_softmax)
logit = lift(elementwise.logit)
logsumexp = lift(_softmax.logsumexp)
modified_bessel_i0 = lift(special_functions.modified_bessel_i0)
modified_bessel_i1 = lift(special_functions.modified_bessel_i1)
modified_bessel_k0 = lift(special_functions.modified_bessel_k0)
modified_bessel_k1 = lift(special_functions.modified_bessel_k1)
multigammaln = lift(special_functions.mvlgamma)
ndtr = lift(special_functions.ndtr)
ndtri = lift(special_functions.ndtri)
polygamma = lift(special_functions.polygamma)
psi = lift(special_functions.digamma)
round = lift(elementwise.round)
scaled_modified_bessel_k0 = lift(special_functions.scaled_modified_bessel_k0)
scaled_modified_bessel_k1 = lift(special_functions.scaled_modified_bessel_k1)
shifted_chebyshev_polynomial_t = lift(polynomials.shifted_chebyshev_polynomial_t)
shifted_chebyshev_polynomial_u = lift(polynomials.shifted_chebyshev_polynomial_u)
shifted_chebyshev_polynomial_v = lift(polynomials.shifted_chebyshev_polynomial_v)
shifted_chebyshev_polynomial_w = lift(polynomials.shifted_chebyshev_polynomial_w)
sinc = lift(elementwise.sinc)
softmax = lift(_softmax.softmax)
spherical_bessel_j0 = lift(trigonometry.spherical_bessel_j0)
xlog1py = lift(exponential.xlog1py)
xlogy = lift(elementwise.xlogy)
zeta = lift(special_functions.zeta)
