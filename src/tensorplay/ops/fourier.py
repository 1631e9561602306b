"""
Discrete Fourier transforms along some dims.

Three linear primitives (`whole`, `to_half`, `from_half`) are closed under transposition: the transpose of a sum over
exp(-2πi jk/n) is one over exp(+2πi jk/n). What torch names after Hermitian signals are conjugates of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.dtypes import complex_dtype, from_numpy_dtype, real_dtype
from tensorplay.errors import shown
from tensorplay.lazy import LazyModule
from tensorplay.ops.documented import documented
from tensorplay.ops.families import conj, mul, structural
from tensorplay.ops.promotion import cast, to_inexact
from tensorplay.ops.reducing import whole as whole_number
from tensorplay.ops.shape import embed, one_dim, slice_key

# slow to import, but far quicker than NumPy's transforms in single precision and over several dims
scipy_fft = LazyModule("scipy.fft")

Dims = tuple[int, ...]
Points = tuple[int | None, ...]  # per transformed dim: how many points, None for as many as there are
Kernel = Callable[[str, Value, Dims, Points, str], Value]

# ---- primitives ------------------------------------------------------------------------------------------------------
#
# `norm` says which direction is divided by the number of points. So the transpose, which is the other direction without
# further factors, has the other norm.

OTHER_NORM = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _below_batch(dims: Dims) -> Dims:
    return tuple([d + 1 for d in dims])


def _run(name: str, x: Any, dims: Dims, norm: str, n: int | None = None) -> Any:
    """SciPy's transform; its functions of one dim have a third of the overhead of the others."""
    if len(dims) == 1:
        return getattr(scipy_fft, name)(x, n, dims[0], norm)
    s = None if n is None else (*[x.shape[d] for d in dims[:-1]], n)
    return getattr(scipy_fft, f"{name}n")(x, s, dims, norm)


# The transform of a real or complex tensor, all frequencies.
whole: Primitive = structural(
    "fft",
    lambda x, dims, inverse, norm: _run("ifft" if inverse else "fft", x, dims, norm),
    transpose=lambda ct, x, dims, inverse, norm: cast(
        whole(ct, dims=dims, inverse=not inverse, norm=OTHER_NORM[norm]), x.dtype
    ),
    batch=lambda size, args, mapped, dims, inverse, norm: (
        whole(args[0], dims=_below_batch(dims), inverse=inverse, norm=norm),
        True,
    ),
)


def _occurrences(n: int, dim: int, spectrum: Value) -> Any:
    """How often each frequency of the half that is kept along `dim` occurs in the whole of `n`."""
    counts = np.full(n // 2 + 1, 2, real_dtype(spectrum.dtype))
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    return counts.reshape(-1, *(1,) * (spectrum.ndim - dim - 1))


def _to_half_transpose(ct: Value, x: Value, dims: Dims, norm: str) -> Value:
    n = x.shape[dims[-1]]
    once = mul(ct, 1 / _occurrences(n, dims[-1], ct))
    return from_half(once, dims=dims, n=n, norm=OTHER_NORM[norm])


# The transform of a real tensor; along the last of `dims` only frequencies 0 to n//2, which determine the others.
to_half: Primitive = structural(
    "rfft",
    lambda x, dims, norm: _run("rfft", x, dims, norm),
    transpose=_to_half_transpose,
    batch=lambda size, args, mapped, dims, norm: (to_half(args[0], dims=_below_batch(dims), norm=norm), True),
)


def _from_half_transpose(ct: Value, x: Value, dims: Dims, n: int, norm: str) -> Value:
    once = to_half(ct, dims=dims, norm=OTHER_NORM[norm])
    return mul(once, _occurrences(n, dims[-1], once))


# Its inverse: the real tensor, with `n` points along the last of `dims`, of the frequencies from 0 to n//2.
from_half: Primitive = structural(
    "irfft",
    lambda x, dims, n, norm: _run("irfft", x, dims, norm, n),
    transpose=_from_half_transpose,
    batch=lambda size, args, mapped, dims, n, norm: (
        from_half(args[0], dims=_below_batch(dims), n=n, norm=norm),
        True,
    ),
)

# ---- arguments -------------------------------------------------------------------------------------------------------


def inexact(name: str, input: Value) -> Value:
    """`input` in floating-point or complex numbers of a precision that there are transforms for."""
    input = to_inexact(input)
    if input.dtype == np.float16:
        raise RuntimeError(f"{name}(): there are no transforms in float16; convert the input to float32 first")
    return input


def real_only(name: str, input: Value) -> Value:
    """`input` in floating-point numbers."""
    if input.dtype.kind == "c":
        raise RuntimeError(f"{name}(): expected a real tensor, got {from_numpy_dtype(input.dtype)}; use fft or ifft")
    return inexact(name, input)


def resized(name: str, input: Value, dims: Dims, points: Points) -> Value:
    """`input` cut off, or with zeros appended, to so many points along `dims`."""
    wanted = list(input.shape)
    for d, n in zip(dims, points, strict=True):
        if n is not None:
            wanted[d] = n
        _check_points(name, wanted[d], d, input.shape)
    shape = tuple(wanted)
    if shape == input.shape:
        return input
    kept = tuple([slice(0, min(have, want)) for have, want in zip(input.shape, shape, strict=True)])
    cut = slice_key(input, key=kept) if any(map(int.__gt__, input.shape, shape)) else input
    return cut if cut.shape == shape else embed(cut, shape=shape, key=kept)


def _check_points(name: str, n: int, dim: int, shape: Shape) -> None:
    if n < 1:
        raise RuntimeError(
            f"{name}(): needs at least one point along each dim, got {n} points along dim {dim} of shape {list(shape)}"
        )


def _norm_of(name: str, norm: str | None) -> str:
    if norm is None:
        return "backward"
    if not isinstance(norm, str):
        raise TypeError(f"{name}(): norm must be a str or None, got {shown(norm)}")
    if norm not in OTHER_NORM:
        raise RuntimeError(f"{name}(): norm must be 'forward', 'backward' or 'ortho', got {shown(norm)}")
    return norm


def _existing(name: str, dim: Any, ndim: int) -> int:
    d = whole_number(dim, name, "dim")
    if not ndim:
        raise IndexError(f"{name}(): dim is {d}, but the tensor is 0-d")
    return one_dim(d, ndim, name)


def _several(name: str, ndim: int, s: Any, dim: Any) -> tuple[Dims, Points]:
    """The dims to transform, and how many points along each."""
    given = None if s is None else [whole_number(n, name, "s") for n in _entries(s)]
    if dim is None:
        count = ndim if given is None else len(given)
        if count > ndim:
            raise RuntimeError(f"{name}(): s={given} has more entries than the input, which has {ndim} dims")
        dims = tuple(range(ndim - count, ndim))
    else:
        dims = tuple([_existing(name, d, ndim) for d in _entries(dim)])
    if len(set(dims)) != len(dims):
        raise RuntimeError(f"{name}(): dims must differ, got {dim}")
    if given is not None and len(given) != len(dims):
        raise RuntimeError(f"{name}(): s={s} and dim={dim} must have the same length")
    points = [None] * len(dims) if given is None else [None if n == -1 else n for n in given]
    return dims, tuple(points)


def _entries(given: Any) -> Sequence[Any]:
    return given if isinstance(given, tuple | list) else (given,)


# ---- kernels ---------------------------------------------------------------------------------------------------------


def _complex_to_complex(inverse: bool) -> Kernel:
    def kernel(name: str, input: Value, dims: Dims, points: Points, norm: str) -> Value:
        x = resized(name, inexact(name, input), dims, points)
        return whole(x, dims=dims, inverse=inverse, norm=norm) if dims else cast(x, complex_dtype(x.dtype))

    return kernel


def _need_dims(name: str, dims: Dims) -> None:
    if not dims:
        raise RuntimeError(f"{name}(): needs at least one dim to transform, got none")


def _real_to_half(name: str, input: Value, dims: Dims, points: Points, norm: str) -> Value:
    _need_dims(name, dims)
    return to_half(resized(name, real_only(name, input), dims, points), dims=dims, norm=norm)


def _half_to_real(name: str, input: Value, dims: Dims, points: Points, norm: str) -> Value:
    _need_dims(name, dims)
    x = inexact(name, input)
    last = points[-1]
    n = 2 * (x.shape[dims[-1]] - 1) if last is None else last
    _check_points(name, n, dims[-1], x.shape)
    x = resized(name, cast(x, complex_dtype(x.dtype)), dims, (*points[:-1], n // 2 + 1))
    return from_half(x, dims=dims, n=n, norm=norm)


def _hermitian_to_real(name: str, input: Value, dims: Dims, points: Points, norm: str) -> Value:
    return _half_to_real(name, conj(input), dims, points, OTHER_NORM[norm])


def _real_to_hermitian(name: str, input: Value, dims: Dims, points: Points, norm: str) -> Value:
    return conj(_real_to_half(name, input, dims, points, OTHER_NORM[norm]))


# ---- public functions ------------------------------------------------------------------------------------------------

_INPUTS = {
    "complex": "Real or complex; integers and bools are taken as floating-point numbers.",
    "real": "Real; integers and bools are taken as floating-point numbers.",
    "half spectrum": "Entries at frequencies from zero up; those below zero are their conjugates.",
    "half signal": "Entries at times from zero up; those below zero are their conjugates.",
}
_RESULTS = {
    "complex": "Complex.",
    "half": "Complex; along the last transformed dim only the ``n // 2 + 1`` entries from zero up.",
    "real": "Real.",
}
_DEFAULTS = {
    "as given": "as many as the input has",
    "twice": "as many as the input has, along the last dim ``2 * (m - 1)`` for m entries",
}
_ONE = """
        Parameters
        ----------
        input : Tensor
            {input}
        n : int, optional
            Number of points{side}, for which the input is cut off or filled up with zeros; by default
            {points}.
        dim : int, default -1
            The dim to transform.
"""
_SEVERAL = """
        Parameters
        ----------
        input : Tensor
            {input}
        s : tuple of int, optional
            Numbers of points{side} along the dims, for which the input is cut off or filled up with zeros; by
            default (and for -1) {points}.
        dim : tuple of int, {dims}
"""
_NORM = """\
        norm : {{"forward", "backward", "ortho"}}, optional
            Divide by the number of points in the direction named, or by its square root in both; by default "backward",
            where {direction}.

        Returns
        -------
        Tensor
            {result}

        Raises
        ------
        IndexError
            If a dim is out of range.
        RuntimeError
            If {refused}.
"""


def _words(takes: str, gives: str, inverse: bool) -> dict[str, str]:
    refused = "a number of points is less than one, or `norm` is unknown"
    return {
        "input": _INPUTS[takes],
        "result": _RESULTS[gives],
        "side": " of the result" if gives == "real" else "",
        "points": _DEFAULTS["twice" if gives == "real" else "as given"],
        "direction": "this function divides" if inverse else "this function does not divide",
        "refused": f"the input is complex, {refused}" if takes == "real" else refused,
    }


def _transforms(base: str, kernel: Kernel, signal: str, takes: str, gives: str, examples: Sequence[str]) -> list[Any]:
    """The function that transforms one dim, the one that transforms two, and the one that transforms any."""
    words = _words(takes, gives, inverse=base.startswith("i"))

    def one(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Value:
        points = None if n is None else whole_number(n, base, "n")
        return kernel(base, input, (_existing(base, dim, input.ndim),), (points,), _norm_of(base, norm))

    def two(
        input: Value,
        s: int | Sequence[int] | None = None,
        dim: int | Sequence[int] | None = (-2, -1),
        norm: str | None = None,
    ) -> Value:
        name = f"{base}2"
        if dim is None:
            raise TypeError(f"{name}(): dim must be a tuple of ints, got None")
        return kernel(name, input, *_several(name, input.ndim, s, dim), _norm_of(name, norm))

    def some(
        input: Value,
        s: int | Sequence[int] | None = None,
        dim: int | Sequence[int] | None = None,
        norm: str | None = None,
    ) -> Value:
        name = f"{base}n"
        return kernel(name, input, *_several(name, input.ndim, s, dim), _norm_of(name, norm))

    last_two = "default (-2, -1)\n            The dims to transform."
    any_dims = (
        "optional\n            The dims to transform; by default all, or as many of the last ones as `s` has entries."
    )
    places = [_ONE, _SEVERAL.replace("{dims}", last_two), _SEVERAL.replace("{dims}", any_dims)]
    ends = ["along a dim", "along two dims", "along some dims"]
    return [
        documented(op, f"{base}{suffix}", f"{signal} {end}.", (place + _NORM).format(**words), example)
        for op, suffix, end, place, example in zip(
            (one, two, some), ("", "2", "n"), ends, places, examples, strict=True
        )
    ]


fft, fft2, fftn = _transforms(
    "fft",
    _complex_to_complex(inverse=False),
    "Discrete Fourier transform",
    "complex",
    "complex",
    [
        ">>> tp.fft.fft(tp.tensor([1.0, 0.0, 0.0])).real\ntensor([1., 1., 1.])",
        ">>> tp.fft.fft2(tp.ones(2, 2)).real\ntensor([[4., 0.],\n        [0., 0.]])",
        ">>> tp.fft.fftn(tp.ones(2, 3), dim=0).real\ntensor([[2., 2., 2.],\n        [0., 0., 0.]])",
    ],
)
ifft, ifft2, ifftn = _transforms(
    "ifft",
    _complex_to_complex(inverse=True),
    "Inverse discrete Fourier transform",
    "complex",
    "complex",
    [
        ">>> tp.fft.ifft(tp.tensor([2.0, 2.0])).real\ntensor([2., 0.])",
        ">>> tp.fft.ifft2(tp.ones(2, 2)).real\ntensor([[1., 0.],\n        [0., 0.]])",
        ">>> tp.fft.ifftn(tp.ones(2, 3), dim=0).real\ntensor([[1., 1., 1.],\n        [0., 0., 0.]])",
    ],
)
rfft, rfft2, rfftn = _transforms(
    "rfft",
    _real_to_half,
    "Discrete Fourier transform of a real signal",
    "real",
    "half",
    [
        ">>> tp.fft.rfft(tp.ones(4)).real\ntensor([4., 0., 0.])",
        ">>> tp.fft.rfft2(tp.ones(2, 4)).real\ntensor([[8., 0., 0.],\n        [0., 0., 0.]])",
        ">>> tp.fft.rfftn(tp.ones(2, 2, 2)).shape\ntensorplay.Size([2, 2, 2])",
    ],
)
irfft, irfft2, irfftn = _transforms(
    "irfft",
    _half_to_real,
    "Real signal of a half of its discrete Fourier transform",
    "half spectrum",
    "real",
    [
        ">>> tp.fft.irfft(tp.tensor([4.0, 0.0, 0.0]))\ntensor([1., 1., 1., 1.])",
        ">>> tp.fft.irfft2(tp.ones(2, 2))\ntensor([[1., 0.],\n        [0., 0.]])",
        ">>> tp.fft.irfftn(tp.ones(2, 2), s=(2, 3)).shape\ntensorplay.Size([2, 3])",
    ],
)
hfft, hfft2, hfftn = _transforms(
    "hfft",
    _hermitian_to_real,
    "Real discrete Fourier transform of a half of a Hermitian signal",
    "half signal",
    "real",
    [
        ">>> tp.fft.hfft(tp.tensor([1.0, 0.0, 0.0]))\ntensor([1., 1., 1., 1.])",
        ">>> tp.fft.hfft2(tp.ones(2, 2))\ntensor([[4., 0.],\n        [0., 0.]])",
        ">>> tp.fft.hfftn(tp.ones(2, 2), s=(2, 3)).shape\ntensorplay.Size([2, 3])",
    ],
)
ihfft, ihfft2, ihfftn = _transforms(
    "ihfft",
    _real_to_hermitian,
    "Half of the Hermitian signal of a real discrete Fourier transform",
    "real",
    "half",
    [
        ">>> tp.fft.ihfft(tp.ones(4)).real\ntensor([1., 0., 0.])",
        ">>> tp.fft.ihfft2(tp.ones(2, 4)).real\ntensor([[1., 0., 0.],\n        [0., 0., 0.]])",
        ">>> tp.fft.ihfftn(tp.ones(2, 2, 2)).shape\ntensorplay.Size([2, 2, 2])",
    ],
)
