"""Order statistics and cumulative methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorplay.tensor.functions import sorting as functions
from tensorplay.tensor.handle import Handle, Self

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class SortingMethods(Handle):
    """Order statistics and cumulative methods."""

    def sort(self, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
        """Elements in order along a dim, and where they came from; see `tensorplay.sort`."""
        return functions.sort(self, dim, descending, stable)

    def argsort(self, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
        """Positions that sort the elements along a dim; see `tensorplay.argsort`."""
        return functions.argsort(self, dim, descending, stable=stable)

    def msort(self) -> Tensor:
        """Elements in order along the first dim; see `tensorplay.msort`."""
        return functions.msort(self)

    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
        """The `k` greatest elements along a dim, and their positions; see `tensorplay.topk`."""
        return functions.topk(self, k, dim, largest, sorted)

    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False) -> Any:
        """The `k`-th least element along a dim, and its position; see `tensorplay.kthvalue`."""
        return functions.kthvalue(self, k, dim, keepdim)

    def cumsum(self, dim: int, *, dtype: Any = None) -> Tensor:
        """Cumulative sums along a dim; see `tensorplay.cumsum`."""
        return functions.cumsum(self, dim, dtype=dtype)

    def cumsum_(self, dim: int, *, dtype: Any = None) -> Self:
        """In-place `cumsum`."""
        return self._write(functions.cumsum(self, dim, dtype=dtype).value, "cumsum_")

    def cumprod(self, dim: int, *, dtype: Any = None) -> Tensor:
        """Cumulative products along a dim; see `tensorplay.cumprod`."""
        return functions.cumprod(self, dim, dtype=dtype)

    def cumprod_(self, dim: int, *, dtype: Any = None) -> Self:
        """In-place `cumprod`."""
        return self._write(functions.cumprod(self, dim, dtype=dtype).value, "cumprod_")

    def cummax(self, dim: int) -> Any:
        """Greatest element so far along a dim, and its position; see `tensorplay.cummax`."""
        return functions.cummax(self, dim)

    def cummin(self, dim: int) -> Any:
        """Least element so far along a dim, and its position; see `tensorplay.cummin`."""
        return functions.cummin(self, dim)

    def logcumsumexp(self, dim: int) -> Tensor:
        """Logarithm of cumulative sums of exponentials along a dim; see `tensorplay.logcumsumexp`."""
        return functions.logcumsumexp(self, dim)

    def diff(self, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
        """Differences of neighbours along a dim; see `tensorplay.diff`."""
        return functions.diff(self, n, dim, prepend, append)

    def median(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The middle element, the lower one of two; see `tensorplay.median`."""
        return functions.median(self, dim, keepdim)

    def nanmedian(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The middle one of the elements that are not NaN; see `tensorplay.nanmedian`."""
        return functions.nanmedian(self, dim, keepdim)

    def mode(self, dim: int = -1, keepdim: bool = False) -> Any:
        """The most frequent element along a dim, and its position; see `tensorplay.mode`."""
        return functions.mode(self, dim, keepdim)

    def quantile(self, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
        """Quantiles of the elements; see `tensorplay.quantile`."""
        return functions.quantile(self, q, dim, keepdim, interpolation=interpolation)

    def nanquantile(self, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
        """Quantiles of the elements that are not NaN; see `tensorplay.nanquantile`."""
        return functions.nanquantile(self, q, dim, keepdim, interpolation=interpolation)

    def unique(
        self,
        sorted: bool = True,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: Any = None,
        *,
        size: int | None = None,
        fill_value: Any = None,
    ) -> Any:
        """The distinct elements; see `tensorplay.unique`."""
        return functions.unique(self, sorted, return_inverse, return_counts, dim, size=size, fill_value=fill_value)

    def unique_consecutive(
        self,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: Any = None,
        *,
        size: int | None = None,
        fill_value: Any = None,
    ) -> Any:
        """The elements without repetitions of their predecessors; see `tensorplay.unique_consecutive`."""
        return functions.unique_consecutive(self, return_inverse, return_counts, dim, size=size, fill_value=fill_value)
