"""What the namespace can do, asked at run time."""

from __future__ import annotations

from typing import Any

import tensorplay as tp
from tensorplay.array_api.types import NAMES, isdtype


class Info:
    """Answers about the namespace, as the standard's `__array_namespace_info__` gives them."""

    def capabilities(self) -> dict[str, Any]:
        """What is optional in the standard, and whether it is there."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """The device of new tensors."""
        return tp.device("cpu")

    def devices(self) -> list[Any]:
        """All devices: the CPU."""
        return [self.default_device()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """Dtypes of new tensors, by kind."""
        default = tp.get_default_dtype()
        return {
            "real floating": default,
            "complex floating": default.to_complex(),
            "integral": tp.int64,
            "indexing": tp.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """Dtypes by name, of one kind or of all."""
        return {name: dtype for name, dtype in NAMES.items() if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> Info:
    return Info()
