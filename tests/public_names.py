"""The names that users write: what the site documents, what stubs declare, what must have a docstring."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[1] / "src" / "tensorplay"
ROOMS = {path.stem for path in PACKAGE.iterdir() if not path.stem.startswith("_") and path.suffix in ("", ".py")}
# rooms without names of their own for users (those of `serialization` are in `tensorplay`, of `signal` in its windows,
# of `array_api` in the standard)
INTERNAL = {"array_api", "core", "dtypes", "errors", "interpreters", "lazy", "numpy_protocol", "ops", "tensor", "tree"}
INTERNAL |= {"serialization", "signal"}
NESTED = {"autograd.functional", "nn.functional", "nn.init", "nn.utils", "optim.functional", "optim.lr_scheduler"}
NESTED |= {"signal.windows"}
NAMESPACES = ["tensorplay", *[f"tensorplay.{name}" for name in sorted(ROOMS - INTERNAL | NESTED)]]


def public_objects(namespaces: list[str] = NAMESPACES) -> Iterator[tuple[str, Any]]:
    """Functions and classes of the public namespaces, by the name a user writes."""
    for name in namespaces:
        module = importlib.import_module(name)
        for attribute in getattr(module, "__all__", dir(module)):
            found = getattr(module, attribute)
            ours = getattr(found, "__module__", "").startswith("tensorplay")
            if not attribute.startswith("_") and ours and (inspect.isroutine(found) or inspect.isclass(found)):
                yield f"{name}.{attribute}", found
