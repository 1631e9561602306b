"""Draws from distributions whose parameters are tensors, and the values of in-place random fills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Value, ground
from tensorplay.dtypes import BOOL, FLOAT64, INT64, NumpyDtype, from_numpy_dtype
from tensorplay.ops import families
from tensorplay.ops.comparison import lt
from tensorplay.ops.families import elementwise
from tensorplay.ops.masking import common_shape
from tensorplay.ops.promotion import cast
from tensorplay.ops.random import (
    Kernel,
    draw,
    floating,
    integer_kernel,
    normal_kernel,
    uniform_kernel,
)
from tensorplay.ops.shape import detach
from tensorplay.ops.streams import Generator

# ---- distributions with tensor parameters ----------------------------------------------------------------------------


def _check_probabilities(name: str, p: Any) -> None:
    numbers = np.asarray(ground(p))
    if not np.all((numbers >= 0) & (numbers <= 1)):
        raise RuntimeError(
            f"{name}: expected probabilities p in [0, 1], got values in [{numbers.min()}, {numbers.max()}]"
        )


def _successes(name: str, p: Any, shape: Sequence[int], dtype: NumpyDtype, generator: Generator | None) -> Value:
    """One with probability p, else zero."""
    _check_probabilities(name, p)
    precise = FLOAT64 if getattr(p, "dtype", FLOAT64) == FLOAT64 else np.dtype(np.float32)
    drawn = draw(name, uniform_kernel(precise), tuple(shape), generator)
    return cast(lt(drawn, p if isinstance(p, int | float) else detach(p)), dtype)


def bernoulli(input: Value, p: float | None = None, *, generator: Generator | None = None) -> Value:
    """
    One with the probability that each element of `input` gives, else zero.

    Parameters
    ----------
    input : Tensor
        Probabilities; with `p`, only its shape and dtype count.
    p : float, optional
        One probability for all elements.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        Shape and dtype of `input`; its derivative is zero. Under `vmap`, draws are per sample or the same for all, as
        its `randomness` says.

    Raises
    ------
    RuntimeError
        If a probability is outside of [0, 1].

    Examples
    --------
    >>> tp.bernoulli(tp.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    if p is None:
        floating("bernoulli()", input.dtype, complex=False)
    return _successes("bernoulli()", input if p is None else p, input.shape, input.dtype, generator)


def _poisson_quantile(u: Any, rate: Any) -> Any:
    from scipy import special

    return _integer_quantile(u, special.pdtrik(u, rate), lambda k: special.pdtr(k, rate))


def _binomial_quantile(u: Any, count: Any, p: Any) -> Any:
    from scipy import special

    guess = special.bdtrik(u, count, p)
    return _integer_quantile(u, guess, lambda k: special.bdtr(k, count.astype(INT64), p))


def _integer_quantile(u: Any, guess: Any, cdf: Callable[[Any], Any]) -> Any:
    """Smallest integer whose cdf reaches `u`, from a real solution of cdf(k) = u."""
    above = np.ceil(np.nan_to_num(guess, nan=0.0))  # no solution where all the mass is at 0
    below = np.maximum(above - 1, 0)
    return np.where(cdf(below) >= u, below, above)


_poisson = elementwise("poisson_quantile", _poisson_quantile, None)
_binomial = elementwise("binomial_quantile", _binomial_quantile, None)


def poisson(input: Value, generator: Generator | None = None) -> Value:
    """
    Poisson-distributed random numbers with the rate that each element of `input` gives.

    Parameters
    ----------
    input : Tensor
        Rates, not negative.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        Shape and dtype of `input`; its derivative is zero. Under `vmap`, draws are per sample or the same for all, as
        its `randomness` says.

    Raises
    ------
    RuntimeError
        If a rate is negative.

    Examples
    --------
    >>> tp.poisson(tp.zeros(2))
    tensor([0., 0.])
    """
    floating("poisson()", input.dtype, complex=False)
    if not np.all(ground(input) >= 0):
        raise RuntimeError(f"poisson(): expected rates >= 0, got {np.min(ground(input))}")
    drawn = draw("poisson", uniform_kernel(FLOAT64), input.shape, generator)
    return cast(_poisson(drawn, cast(detach(input), FLOAT64)), input.dtype)


def binomial(count: Value, prob: Value, generator: Generator | None = None) -> Value:
    """
    Binomially distributed random numbers: successes among `count` trials of probability `prob`.

    Parameters
    ----------
    count : Tensor
        Number of trials, floating-point whole numbers.
    prob : Tensor
        Probability of success, of the dtype of `count`; broadcasts with it.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        Common shape; its derivative is zero. Under `vmap`, draws are per sample or the same for all, as its
        `randomness` says.

    Raises
    ------
    RuntimeError
        If dtypes differ, a count is negative, or a probability is outside of [0, 1].

    Examples
    --------
    >>> tp.binomial(tp.tensor([4.0, 4.0]), tp.tensor([0.0, 1.0]))
    tensor([0., 4.])
    """
    floating("binomial()", count.dtype, complex=False)
    if prob.dtype != count.dtype:
        raise RuntimeError(
            f"binomial(): expected count and prob of one dtype, got {from_numpy_dtype(count.dtype)} and "
            f"{from_numpy_dtype(prob.dtype)}"
        )
    _check_probabilities("binomial()", prob)
    if not np.all(ground(count) >= 0):
        raise RuntimeError(f"binomial(): expected counts >= 0, got {np.min(ground(count))}")
    drawn = draw("binomial", uniform_kernel(FLOAT64), common_shape("binomial", count, prob), generator)
    return cast(_binomial(drawn, cast(detach(count), FLOAT64), cast(detach(prob), FLOAT64)), count.dtype)


# ---- categories ------------------------------------------------------------------------------------------------------


def _category_impl(weights: Any, u: Any) -> Any:
    """Index of the category in which each u in [0, 1) falls: [*rows, n], [*rows, k] -> [*rows, k]."""
    reached = np.cumsum(weights, axis=-1, dtype=np.float64)
    total = reached[..., -1:]
    found = _count_up_to(reached, u * total)
    # rounding must not lead beyond the last category that has any weight
    return np.minimum(found, np.sum(reached < total, axis=-1, keepdims=True))


def _count_up_to(ascending: Any, limits: Any) -> Any:
    """How many elements of each ascending row are <= each limit, by bisection."""
    low, high = np.zeros(limits.shape, np.int64), np.full(limits.shape, ascending.shape[-1])
    for _ in range(ascending.shape[-1].bit_length()):
        middle = np.minimum((low + high) // 2, ascending.shape[-1] - 1)
        right = (np.take_along_axis(ascending, middle, axis=-1) <= limits) & (low < high)
        low, high = np.where(right, middle + 1, low), np.where(right, high, np.minimum(high, middle))
    return low


_category = Primitive("category_of_draw", _category_impl, differentiable=False)
_category.batch(lambda size, args, mapped: (_category(*families.all_mapped(size, args, mapped)), True))


def _race_impl(weights: Any, times: Any, count: int) -> Any:
    """The `count` categories that arrive first, when category i takes the time times[i] / weights[i]."""
    return np.argsort(times / weights, axis=-1, kind="stable")[..., :count]


_race = Primitive("category_race", _race_impl, differentiable=False)
_race.batch(lambda size, args, mapped, count: (_race(*families.all_mapped(size, args, mapped), count=count), True))


def multinomial(
    input: Value, num_samples: int, replacement: bool = False, *, generator: Generator | None = None
) -> Value:
    """
    Indices of categories, drawn with the weights in each row of `input`.

    Parameters
    ----------
    input : Tensor
        1-d or 2-d weights, not negative; they need not sum to one.
    num_samples : int
        How many to draw per row.
    replacement : bool, default False
        Whether a category can be drawn several times.
    generator : Generator, optional
        Stream to draw from; the default one unless given.

    Returns
    -------
    Tensor
        int64, shape (num_samples,) or (rows, num_samples). Under `vmap`, draws are per sample or the same for all, as
        its `randomness` says.

    Raises
    ------
    RuntimeError
        If the weights of a row are negative, infinite, NaN or all zero, or there are too few categories.

    Notes
    -----
    Without replacement, categories race: their arrival times are exponentially distributed with their weights as rates,
    and the first `num_samples` are taken.

    Examples
    --------
    >>> tp.multinomial(tp.tensor([0.0, 3.0, 0.0]), 2, replacement=True)
    tensor([1, 1])
    """
    _check_weights(input, num_samples, replacement)
    weights = detach(input)
    if replacement:
        drawn = draw("multinomial", uniform_kernel(FLOAT64), (*input.shape[:-1], num_samples), generator)
        return _category(weights, drawn)
    times = draw("multinomial", lambda g, s: g.standard_exponential(s), input.shape, generator)
    return _race(weights, times, count=num_samples)


def _check_weights(input: Value, num_samples: int, replacement: bool) -> None:
    if input.ndim not in (1, 2):
        raise RuntimeError(f"multinomial(): expected 1-d or 2-d weights, got shape {list(input.shape)}")
    if input.dtype.kind != "f":
        raise RuntimeError(f"multinomial(): expected floating-point weights, got {from_numpy_dtype(input.dtype)}")
    if num_samples <= 0:
        raise RuntimeError(f"multinomial(): num_samples must be positive, got {num_samples}")
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError(
            f"multinomial(): cannot draw {num_samples} of {input.shape[-1]} categories without replacement"
        )
    numbers = ground(input)
    if not np.all((numbers >= 0) & (numbers < np.inf)):
        raise RuntimeError("multinomial(): weights must be finite and not negative")
    if not np.all(np.sum(numbers, axis=-1) > 0):
        raise RuntimeError("multinomial(): the weights of each row must have a positive sum")


# ---- values of in-place fills ----------------------------------------------------------------------------------------


def _continuous(name: str, input: Value) -> NumpyDtype:
    if input.dtype.kind != "f":
        raise RuntimeError(
            f"{name}: the distribution is continuous and needs a floating-point tensor, got "
            f"{from_numpy_dtype(input.dtype)}"
        )
    dtype: NumpyDtype = input.dtype
    return dtype


def filled_normal(input: Value, mean: float, std: float, generator: Generator | None) -> Value:
    """Normally distributed numbers in the shape and dtype of `input`."""
    dtype = floating("normal_()", input.dtype)
    if not std >= 0:
        raise RuntimeError(f"normal_(): expected std >= 0, got {std}")
    return draw("normal_", lambda g, s: normal_kernel(dtype)(g, s) * std + mean, input.shape, generator)


def filled_uniform(input: Value, low: float, high: float, generator: Generator | None) -> Value:
    """Uniformly distributed numbers in the shape and dtype of `input`."""
    dtype = floating("uniform_()", input.dtype)
    if not low <= high:
        raise RuntimeError(f"uniform_(): expected from <= to, got {low} and {high}")
    return draw("uniform_", _uniform_between(low, high, dtype), input.shape, generator)


def _uniform_between(low: float, high: float, dtype: NumpyDtype) -> Kernel:
    """Uniform on [low, high), in both parts of a complex number; rounding does not reach `high`."""
    if dtype.kind == "c":
        return lambda g, s: uniform_kernel(dtype)(g, s) * (high - low) + low

    def kernel(g: np.random.Generator, s: Sequence[int]) -> Any:
        below = np.nextafter(dtype.type(high), dtype.type(low))
        return np.minimum(uniform_kernel(dtype)(g, tuple(s)) * (high - low) + low, below)

    return kernel


def filled_bernoulli(input: Value, p: Any, generator: Generator | None) -> Value:
    """Zeros and ones in the shape and dtype of `input`."""
    return _successes("bernoulli_()", p, input.shape, input.dtype, generator)


def filled_random(input: Value, bounds: Sequence[int | None], generator: Generator | None) -> Value:
    """Integers in the shape and dtype of `input`: all that it can tell apart, or those of a range."""
    dtype = input.dtype
    low, high = (0, bounds[0]) if len(bounds) == 1 else bounds or (0, None)
    if high is None:
        high = _beyond_last(dtype) if len(bounds) == 0 else int(np.iinfo(np.int64).max) + 1
    return draw("random_", integer_kernel("random_()", low or 0, high, dtype), input.shape, generator)


def _beyond_last(dtype: NumpyDtype) -> int:
    """One more than the largest integer of a dtype up to which it misses none."""
    if dtype == BOOL:
        return 2
    return 2 ** (np.finfo(dtype).nmant + 1) + 1 if dtype.kind in "fc" else int(np.iinfo(dtype).max) + 1


def filled_exponential(input: Value, lambd: float, generator: Generator | None) -> Value:
    """Exponentially distributed numbers in the shape and dtype of `input`."""
    dtype = _continuous("exponential_()", input)
    if not lambd > 0:
        raise RuntimeError(f"exponential_(): expected lambd > 0, got {lambd}")
    return draw("exponential_", lambda g, s: (g.standard_exponential(s) / lambd).astype(dtype), input.shape, generator)


def filled_cauchy(input: Value, median: float, sigma: float, generator: Generator | None) -> Value:
    """Cauchy-distributed numbers in the shape and dtype of `input`."""
    dtype = _continuous("cauchy_()", input)
    if not sigma > 0:
        raise RuntimeError(f"cauchy_(): expected sigma > 0, got {sigma}")
    kernel = lambda g, s: (g.standard_cauchy(s) * sigma + median).astype(dtype)  # noqa: E731
    return draw("cauchy_", kernel, input.shape, generator)


def filled_log_normal(input: Value, mean: float, std: float, generator: Generator | None) -> Value:
    """Numbers whose logarithm is normally distributed, in the shape and dtype of `input`."""
    dtype = _continuous("log_normal_()", input)
    if not std > 0:
        raise RuntimeError(f"log_normal_(): expected std > 0, got {std}")
    return draw("log_normal_", lambda g, s: g.lognormal(mean, std, s).astype(dtype), input.shape, generator)


def filled_geometric(input: Value, p: float, generator: Generator | None) -> Value:
    """Number of trials up to the first success, in the shape and dtype of `input`."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_(): expected p in (0, 1), got {p}")
    dtype = input.dtype
    return draw("geometric_", lambda g, s: g.geometric(p, s).astype(dtype), input.shape, generator)
