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

    Floating and complex arrays among `args` (also inside lists and tuples) are what derivative laws differentiate;
    the batching law maps over them, and over the other arrays among `args`. Everything else is passed as it is; arrays
    among `kwargs` become tensors. Keep arrays small (3 to 30 elements), float64, and away from kinks, ties and singular
    points, unless `smooth` is False.
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
    # output (tensors) -> output free of gauge (signs of eigenvectors, ...); of the reference's output too
    normalize: Callable[[Any], Any] | None = None
    # positional arguments (tensors) -> valid ones (``lambda a: a + a.mT`` for eigh), one or a tuple of them; the
    # derivative laws differentiate through it, and the reference gets what it returns
    symmetrize: Callable[..., Any] | None = None
    batched: bool = True  # whether the op is defined under vmap
    map_indices: bool = True  # whether integer and bool arrays among the arguments may be mapped over too
    rtol: float = 1e-7
    xfail: dict[str, str] = field(default_factory=dict)  # law (name of a test function without "test_") -> reason

    @property
    def label(self) -> str:
        """Name of the record in test ids."""
        return f"{self.name}-{self.variant}" if self.variant else self.name
