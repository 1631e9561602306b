"""Random fills, and draws with the tensor as parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.ops import sampling
from tensorplay.ops.streams import Generator
from tensorplay.tensor.functions import random as functions
from tensorplay.tensor.handle import Handle, Self
from tensorplay.tensor.lift import to_value

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class RandomMethods(Handle):
    """Random fills, and draws with the tensor as parameter."""

    def bernoulli(self, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
        """One with the probability that each element gives; see `tensorplay.bernoulli`."""
        return functions.bernoulli(self, p, generator=generator)

    def multinomial(self, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:
        """Indices of categories, with the elements as weights; see `tensorplay.multinomial`."""
        return functions.multinomial(self, num_samples, replacement, generator=generator)

    def normal_(self, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Self:
        """Fill with normally distributed numbers, in place."""
        return self._write(sampling.filled_normal(self.value, mean, std, generator), "normal_")

    def uniform_(self, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None) -> Self:
        """Fill with numbers uniform on [from, to), in place."""
        return self._write(sampling.filled_uniform(self.value, from_, to, generator), "uniform_")

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Self:
        """Fill with ones, with probability `p` (a number or a tensor), and zeros, in place."""
        return self._write(sampling.filled_bernoulli(self.value, to_value(p), generator), "bernoulli_")

    def random_(self, *bounds: int | None, generator: Generator | None = None) -> Self:
        """Fill with integers in place: all that the dtype can tell apart, ``random_(to)``, or ``random_(from, to)``."""
        return self._write(sampling.filled_random(self.value, bounds, generator), "random_")

    def exponential_(self, lambd: float = 1.0, *, generator: Generator | None = None) -> Self:
        """Fill with exponentially distributed numbers of rate `lambd`, in place."""
        return self._write(sampling.filled_exponential(self.value, lambd, generator), "exponential_")

    def cauchy_(self, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> Self:
        """Fill with Cauchy-distributed numbers, in place."""
        return self._write(sampling.filled_cauchy(self.value, median, sigma, generator), "cauchy_")

    def log_normal_(self, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> Self:
        """Fill with numbers whose logarithm is normally distributed, in place."""
        return self._write(sampling.filled_log_normal(self.value, mean, std, generator), "log_normal_")

    def geometric_(self, p: float, *, generator: Generator | None = None) -> Self:
        """Fill with numbers of trials up to the first success, of probability `p`, in place."""
        return self._write(sampling.filled_geometric(self.value, p, generator), "geometric_")
