"""Reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import reduction as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ReductionMethods(Handle):
    """Reductions."""

    def sum(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """Sum of the elements; see `tensorplay.sum`."""
        if keepdim or dtype is not None:
            return functions.sum(self, dim, keepdim, dtype=dtype)
        return functions.sum(self) if dim is None else functions.sum(self, dim)

    def nansum(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """Sum of the elements that are not NaN; see `tensorplay.nansum`."""
        return functions.nansum(self, dim, keepdim, dtype=dtype)

    def mean(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """Mean of the elements; see `tensorplay.mean`."""
        if keepdim or dtype is not None:
            return functions.mean(self, dim, keepdim, dtype=dtype)
        return functions.mean(self) if dim is None else functions.mean(self, dim)

    def nanmean(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """Mean of the elements that are not NaN; see `tensorplay.nanmean`."""
        return functions.nanmean(self, dim, keepdim, dtype=dtype)

    def prod(self, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
        """Product of the elements; see `tensorplay.prod`."""
        return functions.prod(self, dim, keepdim, dtype=dtype)

    def amax(self, dim: Any = (), keepdim: bool = False) -> Tensor:
        """Greatest elements; see `tensorplay.amax`."""
        return functions.amax(self, dim, keepdim)

    def amin(self, dim: Any = (), keepdim: bool = False) -> Tensor:
        """Least elements; see `tensorplay.amin`."""
        return functions.amin(self, dim, keepdim)

    def aminmax(self, *, dim: Any = None, keepdim: bool = False) -> Any:
        """Least and greatest elements; see `tensorplay.aminmax`."""
        return functions.aminmax(self, dim=dim, keepdim=keepdim)

    def max(self, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        """Greatest element, and its position along a dim; see `tensorplay.max`."""
        return functions.max(self, dim, keepdim, other=other)

    def min(self, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        """Least element, and its position along a dim; see `tensorplay.min`."""
        return functions.min(self, dim, keepdim, other=other)

    def argmax(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Position of the greatest element; see `tensorplay.argmax`."""
        return functions.argmax(self, dim, keepdim)

    def argmin(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Position of the least element; see `tensorplay.argmin`."""
        return functions.argmin(self, dim, keepdim)

    def any(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Whether some element is true; see `tensorplay.any`."""
        return functions.any(self, dim, keepdim)

    def all(self, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Whether every element is true; see `tensorplay.all`."""
        return functions.all(self, dim, keepdim)

    def count_nonzero(self, dim: Any = None) -> Tensor:
        """Number of elements that are not zero; see `tensorplay.count_nonzero`."""
        return functions.count_nonzero(self, dim)

    def hash_tensor(self, dim: Any = (), *, keepdim: bool = False, mode: int = 0) -> Tensor:
        """Hash of the elements' bits; see `tensorplay.hash_tensor`."""
        return functions.hash_tensor(self, dim, keepdim=keepdim, mode=mode)

    def norm(self, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
        """Norm of all elements, or along dims; see `tensorplay.norm`."""
        return functions.norm(self, p, dim, keepdim, dtype=dtype)

    def dist(self, other: Any, p: float = 2) -> Tensor:
        """Norm of the difference; see `tensorplay.dist`."""
        return functions.dist(self, other, p)

    def renorm(self, p: float, dim: int, maxnorm: float) -> Tensor:
        """A copy in which each slice along a dim has at most a given norm; see `tensorplay.renorm`."""
        return functions.renorm(self, p, dim, maxnorm)

    def renorm_(self, p: float, dim: int, maxnorm: float) -> Self:
        """In-place `renorm`."""
        return self._write(functions.renorm(self, p, dim, maxnorm).value, "renorm_")

    def trace(self) -> Tensor:
        """Sum of a matrix's diagonal; see `tensorplay.trace`."""
        return functions.trace(self)

    def sum_to_size(self, *size: Any) -> Tensor:
        """Sum over the dims along which `size` broadcasts to the shape."""
        return functions.sum_to_size(self, *size)

    def logsumexp(self, dim: Any, keepdim: bool = False) -> Tensor:
        """Logarithm of the sum of exponentials; see `tensorplay.logsumexp`."""
        return functions.logsumexp(self, dim, keepdim)

    def softmax(self, dim: int, dtype: Any = None) -> Tensor:
        """Exponentials divided by their sum along a dim; see `tensorplay.softmax`."""
        return functions.softmax(self, dim) if dtype is None else functions.softmax(self, dim, dtype)

    def log_softmax(self, dim: int, dtype: Any = None) -> Tensor:
        """Logarithm of the softmax along a dim; see `tensorplay.log_softmax`."""
        return functions.log_softmax(self, dim) if dtype is None else functions.log_softmax(self, dim, dtype)

    def var(self, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
        """Variance of the elements; see `tensorplay.var`."""
        return functions.var(self, dim, unbiased, keepdim, correction=correction)

    def std(self, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
        """Standard deviation of the elements; see `tensorplay.std`."""
        return functions.std(self, dim, unbiased, keepdim, correction=correction)

    def cov(self, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """Covariance matrix of the rows; see `tensorplay.cov`."""
        return functions.cov(self, correction=correction, fweights=fweights, aweights=aweights)

    def corrcoef(self) -> Tensor:
        """Correlation matrix of the rows; see `tensorplay.corrcoef`."""
        return functions.corrcoef(self)

    def histc(self, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
        """Number of elements in each of equal bins; see `tensorplay.histc`."""
        return functions.histc(self, bins, min, max)

    def histogram(self, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False) -> Any:
        """Number of elements in each bin, and the bins' edges; see `tensorplay.histogram`."""
        return functions.histogram(self, bins, range=range, weight=weight, density=density)

    def bincount(self, weights: Any = None, minlength: int = 0) -> Tensor:
        """How often each integer occurs; see `tensorplay.bincount`."""
        return functions.bincount(self, weights, minlength)
