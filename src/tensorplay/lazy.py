"""Modules that are imported when they are first used, because they would make `import tensorplay` slow."""

from __future__ import annotations

import importlib
from typing import Any


class LazyModule:
    """A module by name, imported at the first access to one of its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found
