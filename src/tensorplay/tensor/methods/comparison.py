"""Comparisons, logic, choices between tensors, bits."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tensorplay.tensor.functions import elementwise as functions
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.methods.inplace import store

if TYPE_CHECKING:
    from tensorplay.tensor.tensor import Tensor


class ComparisonMethods(Handle):
    """Comparisons, logic, choices between tensors, bits."""

    def allclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
        """Whether all elements are equal up to a tolerance; see `isclose`; see `tensorplay.allclose`."""
        return functions.allclose(self, other, rtol, atol, equal_nan)

    def bitwise_and(self, other: Any) -> Tensor:
        """Bits set in both elements; see `tensorplay.bitwise_and`."""
        return functions.bitwise_and(self, other)

    def bitwise_and_(self, other: Any) -> Self:
        """In-place `bitwise_and`."""
        return store(self, functions.bitwise_and(self, other), "bitwise_and_")

    def bitwise_left_shift(self, other: Any) -> Tensor:
        """Bits moved up; see `tensorplay.bitwise_left_shift`."""
        return functions.bitwise_left_shift(self, other)

    def bitwise_left_shift_(self, other: Any) -> Self:
        """In-place `bitwise_left_shift`."""
        return store(self, functions.bitwise_left_shift(self, other), "bitwise_left_shift_")

    def bitwise_not(self) -> Tensor:
        """All bits flipped; of bools, the negation; see `tensorplay.bitwise_not`."""
        return functions.bitwise_not(self)

    def bitwise_not_(self) -> Self:
        """In-place `bitwise_not`."""
        return store(self, functions.bitwise_not(self), "bitwise_not_")

    def bitwise_or(self, other: Any) -> Tensor:
        """Bits set in one of the elements; see `tensorplay.bitwise_or`."""
        return functions.bitwise_or(self, other)

    def bitwise_or_(self, other: Any) -> Self:
        """In-place `bitwise_or`."""
        return store(self, functions.bitwise_or(self, other), "bitwise_or_")

    def bitwise_right_shift(self, other: Any) -> Tensor:
        """Bits moved down; the sign stays; see `tensorplay.bitwise_right_shift`."""
        return functions.bitwise_right_shift(self, other)

    def bitwise_right_shift_(self, other: Any) -> Self:
        """In-place `bitwise_right_shift`."""
        return store(self, functions.bitwise_right_shift(self, other), "bitwise_right_shift_")

    def bitwise_xor(self, other: Any) -> Tensor:
        """Bits set in just one element; see `tensorplay.bitwise_xor`."""
        return functions.bitwise_xor(self, other)

    def bitwise_xor_(self, other: Any) -> Self:
        """In-place `bitwise_xor`."""
        return store(self, functions.bitwise_xor(self, other), "bitwise_xor_")

    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Elements confined to an interval; see `tensorplay.clamp`."""
        return functions.clamp(self, min, max)

    def clamp_(self, min: Any = None, max: Any = None) -> Self:
        """In-place `clamp`."""
        return store(self, functions.clamp(self, min, max), "clamp_")

    def clamp_max(self, max: Any) -> Tensor:
        """Elements no larger than a bound; see `tensorplay.clamp_max`."""
        return functions.clamp_max(self, max)

    def clamp_max_(self, max: Any) -> Self:
        """In-place `clamp_max`."""
        return store(self, functions.clamp_max(self, max), "clamp_max_")

    def clamp_min(self, min: Any) -> Tensor:
        """Elements no smaller than a bound; see `tensorplay.clamp_min`."""
        return functions.clamp_min(self, min)

    def clamp_min_(self, min: Any) -> Self:
        """In-place `clamp_min`."""
        return store(self, functions.clamp_min(self, min), "clamp_min_")

    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """Elements confined to an interval; see `tensorplay.clip`."""
        return functions.clip(self, min, max)

    def clip_(self, min: Any = None, max: Any = None) -> Self:
        """In-place `clip`."""
        return store(self, functions.clip(self, min, max), "clip_")

    def eq(self, other: Any) -> Tensor:
        """Whether `input == other`, element by element; see `tensorplay.eq`."""
        return functions.eq(self, other)

    def eq_(self, other: Any) -> Self:
        """In-place `eq`."""
        return store(self, functions.eq(self, other), "eq_")

    def equal(self, other: Any) -> bool:
        """Whether two tensors have the same shape and elements; see `tensorplay.equal`."""
        return functions.equal(self, other)

    def fmax(self, other: Any) -> Tensor:
        """Larger of two elements; NaN only if both are NaN; see `tensorplay.fmax`."""
        return functions.fmax(self, other)

    def fmin(self, other: Any) -> Tensor:
        """Smaller of two elements; NaN only if both are NaN; see `tensorplay.fmin`."""
        return functions.fmin(self, other)

    def gcd(self, other: Any) -> Tensor:
        """Greatest common divisor; see `tensorplay.gcd`."""
        return functions.gcd(self, other)

    def gcd_(self, other: Any) -> Self:
        """In-place `gcd`."""
        return store(self, functions.gcd(self, other), "gcd_")

    def ge(self, other: Any) -> Tensor:
        """Whether `input >= other`, element by element; see `tensorplay.ge`."""
        return functions.ge(self, other)

    def ge_(self, other: Any) -> Self:
        """In-place `ge`."""
        return store(self, functions.ge(self, other), "ge_")

    def greater(self, other: Any) -> Tensor:
        """Whether `input > other`, element by element; see `tensorplay.greater`."""
        return functions.greater(self, other)

    def greater_(self, other: Any) -> Self:
        """In-place `greater`."""
        return store(self, functions.greater(self, other), "greater_")

    def greater_equal(self, other: Any) -> Tensor:
        """Whether `input >= other`, element by element; see `tensorplay.greater_equal`."""
        return functions.greater_equal(self, other)

    def greater_equal_(self, other: Any) -> Self:
        """In-place `greater_equal`."""
        return store(self, functions.greater_equal(self, other), "greater_equal_")

    def gt(self, other: Any) -> Tensor:
        """Whether `input > other`, element by element; see `tensorplay.gt`."""
        return functions.gt(self, other)

    def gt_(self, other: Any) -> Self:
        """In-place `gt`."""
        return store(self, functions.gt(self, other), "gt_")

    def heaviside(self, values: Any) -> Tensor:
        """Heaviside step function: 0 for negative elements, 1 for positive ones, `values` at zero."""
        return functions.heaviside(self, values)

    def heaviside_(self, values: Any) -> Self:
        """In-place `heaviside`."""
        return store(self, functions.heaviside(self, values), "heaviside_")

    def isclose(self, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
        """Whether elements are equal up to a tolerance; see `tensorplay.isclose`."""
        return functions.isclose(self, other, rtol, atol, equal_nan)

    def isfinite(self) -> Tensor:
        """Whether each element is finite; see `tensorplay.isfinite`."""
        return functions.isfinite(self)

    def isinf(self) -> Tensor:
        """Whether each element is infinite; see `tensorplay.isinf`."""
        return functions.isinf(self)

    def isnan(self) -> Tensor:
        """Whether each element is NaN; see `tensorplay.isnan`."""
        return functions.isnan(self)

    def isneginf(self) -> Tensor:
        """Whether each element is -inf; see `tensorplay.isneginf`."""
        return functions.isneginf(self)

    def isposinf(self) -> Tensor:
        """Whether each element is +inf; see `tensorplay.isposinf`."""
        return functions.isposinf(self)

    def lcm(self, other: Any) -> Tensor:
        """Least common multiple; see `tensorplay.lcm`."""
        return functions.lcm(self, other)

    def lcm_(self, other: Any) -> Self:
        """In-place `lcm`."""
        return store(self, functions.lcm(self, other), "lcm_")

    def le(self, other: Any) -> Tensor:
        """Whether `input <= other`, element by element; see `tensorplay.le`."""
        return functions.le(self, other)

    def le_(self, other: Any) -> Self:
        """In-place `le`."""
        return store(self, functions.le(self, other), "le_")

    def less(self, other: Any) -> Tensor:
        """Whether `input < other`, element by element; see `tensorplay.less`."""
        return functions.less(self, other)

    def less_(self, other: Any) -> Self:
        """In-place `less`."""
        return store(self, functions.less(self, other), "less_")

    def less_equal(self, other: Any) -> Tensor:
        """Whether `input <= other`, element by element; see `tensorplay.less_equal`."""
        return functions.less_equal(self, other)

    def less_equal_(self, other: Any) -> Self:
        """In-place `less_equal`."""
        return store(self, functions.less_equal(self, other), "less_equal_")

    def logical_and(self, other: Any) -> Tensor:
        """Whether both elements are true; see `tensorplay.logical_and`."""
        return functions.logical_and(self, other)

    def logical_and_(self, other: Any) -> Self:
        """In-place `logical_and`."""
        return store(self, functions.logical_and(self, other), "logical_and_")

    def logical_not(self) -> Tensor:
        """Whether each element is false (zero); see `tensorplay.logical_not`."""
        return functions.logical_not(self)

    def logical_not_(self) -> Self:
        """In-place `logical_not`."""
        return store(self, functions.logical_not(self), "logical_not_")

    def logical_or(self, other: Any) -> Tensor:
        """Whether one of the elements is true; see `tensorplay.logical_or`."""
        return functions.logical_or(self, other)

    def logical_or_(self, other: Any) -> Self:
        """In-place `logical_or`."""
        return store(self, functions.logical_or(self, other), "logical_or_")

    def logical_xor(self, other: Any) -> Tensor:
        """Whether just one element is true; see `tensorplay.logical_xor`."""
        return functions.logical_xor(self, other)

    def logical_xor_(self, other: Any) -> Self:
        """In-place `logical_xor`."""
        return store(self, functions.logical_xor(self, other), "logical_xor_")

    def lt(self, other: Any) -> Tensor:
        """Whether `input < other`, element by element; see `tensorplay.lt`."""
        return functions.lt(self, other)

    def lt_(self, other: Any) -> Self:
        """In-place `lt`."""
        return store(self, functions.lt(self, other), "lt_")

    def maximum(self, other: Any) -> Tensor:
        """Larger of two elements; NaN if one is NaN; see `tensorplay.maximum`."""
        return functions.maximum(self, other)

    def minimum(self, other: Any) -> Tensor:
        """Smaller of two elements; NaN if one is NaN; see `tensorplay.minimum`."""
        return functions.minimum(self, other)

    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Tensor:
        """The tensor with NaN and infinities replaced by numbers; see `tensorplay.nan_to_num`."""
        return functions.nan_to_num(self, nan, posinf, neginf)

    def nan_to_num_(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Self:
        """In-place `nan_to_num`."""
        return store(self, functions.nan_to_num(self, nan, posinf, neginf), "nan_to_num_")

    def ne(self, other: Any) -> Tensor:
        """Whether `input != other`, element by element; see `tensorplay.ne`."""
        return functions.ne(self, other)

    def ne_(self, other: Any) -> Self:
        """In-place `ne`."""
        return store(self, functions.ne(self, other), "ne_")

    def not_equal(self, other: Any) -> Tensor:
        """Whether `input != other`, element by element; see `tensorplay.not_equal`."""
        return functions.not_equal(self, other)

    def not_equal_(self, other: Any) -> Self:
        """In-place `not_equal`."""
        return store(self, functions.not_equal(self, other), "not_equal_")

    def signbit(self) -> Tensor:
        """Whether each element carries a minus sign (-0.0 does); see `tensorplay.signbit`."""
        return functions.signbit(self)

    def where(self, condition: Any, other: Any) -> Tensor:
        """Elements of this tensor where a condition holds, of another where not; see `tensorplay.where`."""
        return functions.where(condition, self, other)

    def isreal(self) -> Tensor:
        """Whether each element is real; see `tensorplay.isreal`."""
        return functions.isreal(self)
