"""NumPy's universal functions, and SciPy's, on tensors: calls and methods (`np.add.reduce`)."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay.numpy_protocol import reductions
from tensorplay.numpy_protocol.calling import alike, cast, like, on_arrays, tensor, weak, write

# names that mean the same in NumPy, in SciPy and here
_SAME = """
    add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor ceil copysign cos
    cosh deg2rad divide exp exp2 expm1 float_power floor floor_divide fmax fmin fmod frexp gcd greater
    greater_equal heaviside hypot isfinite isinf isnan lcm ldexp less less_equal log log10 log1p log2 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter
    not_equal positive rad2deg reciprocal remainder signbit sin sinh sqrt square subtract tan tanh trunc
"""
_SAME_SPECIAL = """
    digamma entr erf erfc erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln i0 i0e i1 i1e log1p log_ndtr logit
    ndtr ndtri psi round xlog1py xlogy
"""


def _modf(x: Any) -> tuple[Any, Any]:
    whole = tp.trunc(x)
    return tp.copysign(tp.where(tp.isinf(x), 0.0, x - whole), x), whole


def _divmod(x: Any, y: Any) -> tuple[Any, Any]:
    return tp.floor_divide(x, y), tp.remainder(x, y)


def _vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    return tp.linalg.vecdot(*alike(x, y), dim=axis)


def _matmul(x: Any, y: Any) -> Any:
    return tp.matmul(*alike(x, y))


def _matvec(a: Any, x: Any) -> Any:
    return _matmul(a, tensor(x).unsqueeze(-1)).squeeze(-1)


def _vecmat(x: Any, a: Any) -> Any:
    return _matmul(tensor(x).conj().unsqueeze(-2), a).squeeze(-2)


def _polynomial(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda n, x: function(x, n)


UFUNCS: dict[str, Callable[..., Any]] = {
    **{name: getattr(tp, name) for name in _SAME.split()},
    "absolute": tp.abs,
    "fabs": tp.abs,
    "conjugate": tp.conj,
    "degrees": tp.rad2deg,
    "radians": tp.deg2rad,
    "divmod": _divmod,
    "equal": tp.eq,
    "invert": tp.bitwise_not,
    "left_shift": tp.bitwise_left_shift,
    "right_shift": tp.bitwise_right_shift,
    "matmul": _matmul,
    "matvec": _matvec,
    "vecmat": _vecmat,
    "vecdot": _vecdot,
    "modf": _modf,
    "power": tp.pow,
    "rint": tp.round,
    "sign": tp.sgn,
}

SPECIAL: dict[str, Callable[..., Any]] = {
    **{name: getattr(tp.special, name) for name in _SAME_SPECIAL.split()},
    "j0": tp.special.bessel_j0,
    "j1": tp.special.bessel_j1,
    "y0": tp.special.bessel_y0,
    "y1": tp.special.bessel_y1,
    "k0": tp.special.modified_bessel_k0,
    "k1": tp.special.modified_bessel_k1,
    "k0e": tp.special.scaled_modified_bessel_k0,
    "k1e": tp.special.scaled_modified_bessel_k1,
    "eval_chebyt": _polynomial(tp.special.chebyshev_polynomial_t),
    "eval_chebyu": _polynomial(tp.special.chebyshev_polynomial_u),
    "eval_sh_chebyt": _polynomial(tp.special.shifted_chebyshev_polynomial_t),
    "eval_sh_chebyu": _polynomial(tp.special.shifted_chebyshev_polynomial_u),
    "eval_hermite": _polynomial(tp.special.hermite_polynomial_h),
    "eval_hermitenorm": _polynomial(tp.special.hermite_polynomial_he),
    "eval_laguerre": _polynomial(tp.special.laguerre_polynomial_l),
    "eval_legendre": _polynomial(tp.special.legendre_polynomial_p),
    "log_expit": tp.nn.functional.logsigmoid,
}

# what to do instead of those that tensorplay does not have
UNMAPPED_UFUNCS: dict[str, str] = {
    "bitwise_count": "It counts bits of integers, which have no derivative.",
    "cbrt": "Write tp.sign(x) * tp.abs(x) ** (1 / 3).",
    "isnat": "Tensors hold no dates.",
    "spacing": "Write tp.nextafter(x, tp.full_like(x, float('inf'))) - x.",
    "gamma": "Write tp.special.gammaln(x).exp() for positive x.",
    "betaln": "Write it with tp.special.gammaln.",
    "beta": "Write it with tp.special.gammaln.",
    "jv": "Use tp.special.bessel_j0 or bessel_j1 for orders 0 and 1.",
    "loggamma": "Use tp.special.gammaln for real x.",
}

# Functions of numbers only in part: Python's numbers become tensors first.
_OF_TENSORS = {"nextafter", "heaviside", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}

_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "add": reductions.sum,
    "multiply": reductions.prod,
    "maximum": reductions.max,
    "minimum": reductions.min,
    "logical_and": reductions.all,
    "logical_or": reductions.any,
}
_ACCUMULATIONS: dict[str, Callable[..., Any]] = {
    "add": tp.cumsum,
    "multiply": tp.cumprod,
    "maximum": lambda a, dim: tp.cummax(a, dim).values,
    "minimum": lambda a, dim: tp.cummin(a, dim).values,
    "logaddexp": tp.logcumsumexp,
}


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What a universal function gives for tensors; NotImplemented where another library's arrays take part."""
    if any(_is_foreign(arg) for arg in (*inputs, *(options.get("out") or ()))):
        return NotImplemented
    module, function = _find(ufunc)
    name = f"{module}{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    compute = _METHODS.get(method)
    if function is None or compute is None or (method == "at" and ufunc.__name__ not in _ADDED):
        return on_arrays(getattr(ufunc, method), name, inputs, options, _instead(ufunc, method))
    out, where = options.pop("out", None), options.pop("where", True)
    for key in ("casting", "order", "subok"):
        options.pop(key, None)
    if method == "reduce":
        options["where"] = where
    result = compute(ufunc, _operation(ufunc, function, name), inputs, options)
    if method != "reduce" and where is not True:
        result = _where(where, result, out, name)
    return result if out is None else write(out, result, name)


def _instead(ufunc: np.ufunc, method: str) -> str:
    """What to do instead of a ufunc, or of one of its methods, that tensorplay does not have."""
    if method == "at":
        return "Of the methods `at` there are np.add.at and np.subtract.at; see x.scatter_reduce_ and x.index_reduce_."
    return UNMAPPED_UFUNCS.get(ufunc.__name__, "" if ufunc.types else "Tensors hold no text.")


def _is_foreign(arg: Any) -> bool:
    if isinstance(arg, tp.Tensor | np.ndarray | np.generic):
        return False
    return hasattr(arg, "__array_ufunc__") or hasattr(arg, "__array_priority__")


def _find(ufunc: np.ufunc) -> tuple[str, Callable[..., Any] | None]:
    """Where a universal function comes from, and tensorplay's of the same meaning; a stranger may have any name."""
    name = ufunc.__name__
    if getattr(np, name, None) is ufunc:
        return "np.", UFUNCS.get(name)
    if getattr(sys.modules.get("scipy.special"), name, None) is ufunc:
        return "scipy.special.", SPECIAL.get(name)
    return "", None


def _operation(ufunc: np.ufunc, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A ufunc on tensors and what goes with them."""

    def operation(*inputs: Any, dtype: Any = None, **options: Any) -> Any:
        args = [weak(arg) for arg in inputs]
        if dtype is not None:
            args = [cast(tensor(arg), dtype) for arg in args]
        elif ufunc.__name__ in _OF_TENSORS:
            other = next(arg for arg in args if isinstance(arg, tp.Tensor))
            args = [like(arg, other) for arg in args]
        known = ("axis",) if ufunc.__name__ == "vecdot" else ()
        for key in options:
            if key not in known:
                raise TypeError(f"{name}(): {key}= is not supported for tensors")
        return function(*args, **options)

    return operation


def _where(where: Any, result: Any, out: Any, name: str) -> Any:
    """A result where a condition holds, and what `out` held elsewhere."""
    if out is None:
        raise TypeError(
            f"{name}(): where= without out= leaves elements without a value; use tp.where(condition, result, other)"
        )
    if isinstance(result, tuple):
        return tuple([tp.where(tensor(where), one, tensor(old)) for one, old in zip(result, out, strict=True)])
    return tp.where(tensor(where), result, tensor(out[0]))


# ---- methods ---------------------------------------------------------------------------------------------------------


def _call(_: np.ufunc, operation: Callable[..., Any], inputs: Any, options: dict[str, Any]) -> Any:
    return operation(*inputs, **options)


def _reduce(ufunc: np.ufunc, operation: Callable[..., Any], inputs: Any, options: dict[str, Any]) -> Any:
    a, axis = tensor(inputs[0]), options.pop("axis", 0)
    named = {key: arg for key, arg in options.items() if arg is not None and arg is not np._NoValue}
    reduction = _REDUCTIONS.get(ufunc.__name__)
    if reduction is not None:
        dtype = named.pop("dtype", None)
        return reduction(cast(a, dtype), axis, **named)
    if named.pop("where", True) is not True or "initial" in named:
        raise TypeError(f"np.{ufunc.__name__}.reduce(): where= and initial= are not supported for tensors")
    folded = functools.partial(_fold, operation)
    return reductions.along_one(folded, cast(a, named.get("dtype")), axis, named.get("keepdims", False))


def _fold(operation: Callable[..., Any], a: tp.Tensor, dim: int) -> Any:
    """The entries along a dim combined from the first to the last."""
    if not a.shape[dim]:
        raise ValueError("a universal function reduces no elements only where np.add, np.multiply and such do")
    return functools.reduce(operation, a.unbind(dim))


def _accumulate(ufunc: np.ufunc, operation: Callable[..., Any], inputs: Any, options: dict[str, Any]) -> Any:
    a, axis, *_ = (*inputs, 0) if len(inputs) == 1 else inputs
    a, axis = cast(tensor(a), options.get("dtype")), options.get("axis", axis)
    accumulation = _ACCUMULATIONS.get(ufunc.__name__)
    if accumulation is not None:
        return accumulation(a, axis)
    return tp.stack(list(_running(operation, a.unbind(axis))), axis)


def _running(operation: Callable[..., Any], entries: Iterable[Any]) -> Iterable[Any]:
    total = None
    for entry in entries:
        total = entry if total is None else operation(total, entry)
        yield total


def _outer(_: np.ufunc, operation: Callable[..., Any], inputs: Any, options: dict[str, Any]) -> Any:
    a, b = map(tensor, inputs)
    return operation(a.reshape(*a.shape, *[1] * b.ndim), b, **options)


_ADDED = {"add": 1, "subtract": -1}


def _at(ufunc: np.ufunc, _: Callable[..., Any], inputs: Any, options: dict[str, Any]) -> None:
    a, key, values = inputs
    if isinstance(a, np.ndarray):
        write(a, _added(tp.tensor(a), key, values, ufunc), f"np.{ufunc.__name__}.at")
    else:
        a.copy_(_added(a, key, values, ufunc))


def _added(a: tp.Tensor, key: Any, values: Any, ufunc: np.ufunc) -> tp.Tensor:
    keys = tuple([tensor(part) for part in (key if isinstance(key, tuple) else (key,))])
    return tp.index_put(a, keys, like(values, a).to(a.dtype) * _ADDED[ufunc.__name__], accumulate=True)


_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
    "at": _at,
}
