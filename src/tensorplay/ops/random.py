"""
Random numbers: draws that follow the randomness of the active maps, and the factories made of them.

Numbers are drawn by `draw`, once for all samples or for each of them; what is computed from them is an ordinary op, so
that batching and derivatives follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.modes import quiet
from tensorplay.core.stack import active
from tensorplay.core.value import Shape, Value, ground
from tensorplay.dtypes import BOOL, INT64, NumpyDtype, default_float, from_numpy_dtype, result_dtype
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.masking import common_shape
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import sizes
from tensorplay.ops.streams import Generator, stream_of

Kernel = Callable[[np.random.Generator, Shape], Any]


def draw(name: str, kernel: Kernel, shape: Shape, generator: Generator | None = None) -> Value:
    """Draws of the given shape: per sample or for all, as the active maps want."""
    different, extra = [], []
    for level in active():
        # a task that a mapped function has started may outlive the map
        count = level.samples_to_draw(name) if level.alive else None
        if count is not None:
            different.append(level)
            extra.append(count)
    with quiet():  # what overflows a dtype is infinite
        value = np.asarray(stream_of(name, generator).act(lambda source: kernel(source.numpy, (*extra, *shape))))
    for level in different:
        value = level.wrap_draws(value)
    return value


# ---- kernels ---------------------------------------------------------------------------------------------------------


def floating(name: str, dtype: NumpyDtype | None, *, complex: bool = True) -> NumpyDtype:
    """A dtype for random floating-point (or complex) numbers, the default one if None is asked for."""
    dtype = dtype or default_float()
    if dtype.kind not in ("fc" if complex else "f"):
        kinds = "floating-point or complex" if complex else "floating-point"
        raise NotImplementedError(f"{name}: expected a {kinds} dtype, got {from_numpy_dtype(dtype)}")
    return dtype


def uniform_kernel(dtype: NumpyDtype) -> Kernel:
    """Uniform on [0, 1), in both parts of a complex number."""
    if dtype.kind == "c":
        return lambda g, s: (g.random(s) + 1j * g.random(s)).astype(dtype)
    if dtype == np.float16:  # as many steps as it can tell apart below 1
        return lambda g, s: (g.integers(0, 2**11, s) / 2**11).astype(dtype)
    return lambda g, s: g.random(s, dtype)


def normal_kernel(dtype: NumpyDtype) -> Kernel:
    """Standard normal; the parts of a complex number have variance 1/2."""
    if dtype.kind == "c":
        return lambda g, s: ((g.standard_normal(s) + 1j * g.standard_normal(s)) * 0.5**0.5).astype(dtype)
    if dtype == np.float16:
        return lambda g, s: g.standard_normal(s, np.float32).astype(dtype)
    return lambda g, s: g.standard_normal(s, dtype)


def integer_kernel(name: str, low: int, high: int, dtype: NumpyDtype) -> Kernel:
    """Integers on [low, high), in any dtype that can hold them."""
    if low >= high:
        raise RuntimeError(f"{name}: expected low < high, got {low} and {high}")
    if dtype.kind in "biu":
        first, last = (0, 1) if dtype == BOOL else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        if low < first or high - 1 > last:
            raise RuntimeError(f"{name}: [{low}, {high}) is out of bounds for {from_numpy_dtype(dtype)}")
    wide = np.uint64 if high > 2**63 else np.int64
    return lambda g, s: g.integers(low, high, s, wide).astype(dtype, copy=False)


def _shape(name: str, size: tuple[Any, ...], named: Any) -> Shape:
    if not size and named is None:
        raise TypeError(f"{name}(): expected a size, as in {name}(2, 3) or {name}((2, 3))")
    shape = sizes(size if named is None else (named,))
    if any([n < 0 for n in shape]):
        raise RuntimeError(f"{name}(): sizes must not be negative, got {list(shape)}")
    return shape


# ---- factories -------------------------------------------------------------------------------------------------------


def rand(
    *shape: int | Sequence[int],
    size: int | Sequence[int] | None = None,
    dtype: NumpyDtype | None = None,
    generator: Generator | None = None,
) -> Value:
    """
    Random numbers, uniform on [0, 1).

    Parameters
    ----------
    *shape : int or tuple of int
        Shape of the result.
    size : tuple of int, optional
        The shape by name, in place of `shape`.
    dtype : dtype, optional
        Floating-point or complex; the default dtype unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        New; under `vmap`, per sample or the same for all, as its `randomness` says.

    Examples
    --------
    >>> tp.rand(2, 3).shape
    tensorplay.Size([2, 3])
    """
    return draw("rand", uniform_kernel(floating("rand()", dtype)), _shape("rand", shape, size), generator)


def randn(
    *shape: int | Sequence[int],
    size: int | Sequence[int] | None = None,
    dtype: NumpyDtype | None = None,
    generator: Generator | None = None,
) -> Value:
    """
    Random numbers with mean 0 and variance 1, normally distributed.

    Parameters
    ----------
    *shape : int or tuple of int
        Shape of the result.
    size : tuple of int, optional
        The shape by name, in place of `shape`.
    dtype : dtype, optional
        Floating-point or complex; the default dtype unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        New; under `vmap`, per sample or the same for all, as its `randomness` says.

    Examples
    --------
    >>> tp.randn(2, 3).shape
    tensorplay.Size([2, 3])
    """
    return draw("randn", normal_kernel(floating("randn()", dtype)), _shape("randn", shape, size), generator)


def randint(
    *args: Any,
    low: int | None = None,
    high: int | None = None,
    size: int | Sequence[int] | None = None,
    dtype: NumpyDtype | None = None,
    generator: Generator | None = None,
) -> Value:
    """
    Random integers, uniform on [low, high).

    Called as ``randint(high, size)`` or ``randint(low, high, size)``.

    Parameters
    ----------
    low : int, default 0
        Smallest number.
    high : int
        One more than the largest number.
    size : tuple of int
        Shape of the result.
    dtype : dtype, optional
        int64 unless given; floating-point numbers hold the integers.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        New; under `vmap`, per sample or the same for all, as its `randomness` says.

    Raises
    ------
    RuntimeError
        If the range is empty, or `dtype` cannot hold it.

    Examples
    --------
    >>> tp.randint(5, 6, (2,))
    tensor([5, 5])
    """
    bounds = list(args)
    if size is None and bounds and isinstance(bounds[-1], tuple | list):
        size = bounds.pop()
    if size is None:
        raise TypeError("randint(): expected a size, a tuple, as in randint(high, (2, 3))")
    low, high = _bounds("randint", bounds, low, high)
    return draw(
        "randint", integer_kernel("randint()", low, high, dtype or INT64), _shape("randint", (), size), generator
    )


def _bounds(name: str, given: list[Any], low: Any, high: Any) -> tuple[int, int]:
    """The bounds of a range given as ``(high)``, ``(low, high)``, or by name."""
    if len(given) > 2:
        raise TypeError(f"{name}(): expected at most low and high besides the shape, got {len(given)} numbers")
    if len(given) == 2:
        low, high = given
    elif given and high is None:
        high = given[0]
    elif given:
        low = given[0]
    if high is None:
        raise TypeError(f"{name}(): expected high")
    return _whole(name, 0 if low is None else low), _whole(name, high)


def _whole(name: str, bound: Any) -> int:
    if isinstance(bound, float) or not (hasattr(bound, "__index__") or hasattr(bound, "dtype")):
        raise TypeError(f"{name}(): bounds must be integers, got {shown(bound)}")
    return int(ground(bound))


def randperm(n: int, *, dtype: NumpyDtype | None = None, generator: Generator | None = None) -> Value:
    """
    Random permutation of the integers from 0 to n - 1.

    Parameters
    ----------
    n : int
        How many.
    dtype : dtype, optional
        int64 unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        1-d; under `vmap`, per sample or the same for all, as its `randomness` says.

    Raises
    ------
    RuntimeError
        If `n` is negative.

    Examples
    --------
    >>> tp.randperm(4).sort().values
    tensor([0, 1, 2, 3])
    """
    if n < 0:
        raise RuntimeError(f"randperm(): n must not be negative, got {n}")
    numbers = np.arange(n, dtype=dtype or INT64)
    return draw("randperm", lambda g, s: g.permuted(np.broadcast_to(numbers, s), axis=-1), (n,), generator)


def rand_like(input: Value, *, dtype: NumpyDtype | None = None, generator: Generator | None = None) -> Value:
    """
    Random numbers, uniform on [0, 1), in the shape of a tensor.

    Parameters
    ----------
    input : Tensor
        Whose shape and dtype to take.
    dtype : dtype, optional
        Floating-point or complex; that of `input` unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        New; under `vmap`, per sample or the same for all, as its `randomness` says.

    Examples
    --------
    >>> tp.rand_like(tp.zeros(2, 3)).shape
    tensorplay.Size([2, 3])
    """
    kernel = uniform_kernel(floating("rand_like()", dtype or input.dtype))
    return draw("rand_like", kernel, input.shape, generator)


def randn_like(input: Value, *, dtype: NumpyDtype | None = None, generator: Generator | None = None) -> Value:
    """
    Random numbers with mean 0 and variance 1, normally distributed, in the shape of a tensor.

    Parameters
    ----------
    input : Tensor
        Whose shape and dtype to take.
    dtype : dtype, optional
        Floating-point or complex; that of `input` unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        New; under `vmap`, per sample or the same for all, as its `randomness` says.

    Examples
    --------
    >>> tp.randn_like(tp.zeros(2, 3)).shape
    tensorplay.Size([2, 3])
    """
    kernel = normal_kernel(floating("randn_like()", dtype or input.dtype))
    return draw("randn_like", kernel, input.shape, generator)


def randint_like(
    input: Value,
    *args: Any,
    low: int | None = None,
    high: int | None = None,
    dtype: NumpyDtype | None = None,
    generator: Generator | None = None,
) -> Value:
    """
    Random integers, uniform on [low, high), in the shape of a tensor.

    Called as ``randint_like(input, high)`` or ``randint_like(input, low, high)``.

    Parameters
    ----------
    input : Tensor
        Whose shape and dtype to take.
    low : int, default 0
        Smallest number.
    high : int
        One more than the largest number.
    dtype : dtype, optional
        That of `input` unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        New; under `vmap`, per sample or the same for all, as its `randomness` says.

    Raises
    ------
    RuntimeError
        If the range is empty, or the dtype cannot hold it.

    Examples
    --------
    >>> tp.randint_like(tp.zeros(2), 5, 6)
    tensor([5., 5.])
    """
    low, high = _bounds("randint_like", list(args), low, high)
    kernel = integer_kernel("randint_like()", low, high, dtype or input.dtype)
    return draw("randint_like", kernel, input.shape, generator)


def normal(
    mean: Any,
    std: Any = 1.0,
    size: int | Sequence[int] | None = None,
    *,
    dtype: NumpyDtype | None = None,
    generator: Generator | None = None,
) -> Value:
    """
    Normally distributed random numbers with given mean and standard deviation.

    Parameters
    ----------
    mean, std : Tensor or float
        They broadcast; where both are numbers, `size` is needed.
    size : tuple of int, optional
        Shape of the result, where `mean` and `std` are numbers.
    dtype : dtype, optional
        Where `mean` and `std` are numbers; the default dtype unless given.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        ``mean + std * z`` with standard normal z; derivatives with respect to `mean` and `std` follow this formula.
        Under `vmap`, z is per sample or the same for all, as its `randomness` says.

    Raises
    ------
    RuntimeError
        If `std` is negative, or shapes do not fit.

    Examples
    --------
    >>> tp.normal(tp.tensor([1.0, 2.0]), 0.0)
    tensor([1., 2.])
    """
    tensors = [value for value in (mean, std) if hasattr(value, "dtype")]
    if (size is None) == (not tensors):
        raise TypeError("normal(): expected a size where mean and std are numbers, and none where one is a tensor")
    dtype = floating("normal()", result_dtype(tensors) if tensors else dtype)
    if np.any(np.less(ground(std), 0)):
        raise RuntimeError(f"normal(): expected std >= 0, got {np.min(ground(std))}")
    shape = _shape("normal", (), size) if size is not None else common_shape("normal", *tensors)
    noise = draw("normal", normal_kernel(dtype), shape, generator)
    return families.add(cast(mean, dtype), families.mul(cast(std, dtype), noise))
