"""One record an op: how to call it, and an independent reference for its value. Every law runs over all records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Random = np.random.Generator


@dataclass(frozen=True)
class Sample:
    """
    One call of an op, with NumPy arrays in place of tensors.

    Floating and complex arrays among `args` (also inside lists and tuples) are what derivative laws differentiate and
    what the batching law maps over; everything else is passed as it is. Keep arrays small (3 to 30 elements), float64,
    and away from kinks, ties and singular points, unless `smooth` is False.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True  # False: an edge (tie, kink, infinity); derivative laws against finite differences skip it


@dataclass(frozen=True)
class OpRecord:
    """
    An op for the laws.

    `reference` takes the sample's args and kwargs as NumPy arrays and computes the value independently (NumPy, SciPy or
    a naive loop). It may be None only for random ops.
    """

    name: str  # below `tensorplay`: "sin", "linalg.solve", "nn.functional.relu"
    reference: Callable[..., Any] | None
    samples: Callable[[Random], list[Sample]]
    variant: str = ""  # distinguishes several records of one op
    differentiable: bool = True
    complex: bool = False  # whether samples are also run with complex values
    integer: bool = False  # whether the value law also runs on int64 copies of the float arrays
    method: bool = True  # whether Tensor has it as a method
    inplace: bool = False  # whether Tensor has ``name_``, which equals it
    normalize: Callable[[Any], Any] | None = None  # output -> output free of gauge (signs of eigenvectors, ...)
    symmetrize: Callable[[Any], Any] | None = None  # tensors -> valid arguments (a + a.mT for cholesky, ...), inside the op
    batched: bool = True  # whether the op is defined under vmap
    rtol: float = 1e-7
    xfail: dict[str, str] = field(default_factory=dict)  # law -> reason

    @property
    def label(self) -> str:
        """Name of the record in test ids."""
        return f"{self.name}-{self.variant}" if self.variant else self.name
