"""The op database: one module a family, each with a list `records`."""

from __future__ import annotations

import importlib
import pkgutil

from tests.opdb.record import OpRecord, Random, Sample

__all__ = ["OpRecord", "Random", "Sample", "records"]


def _collect() -> list[OpRecord]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in sorted(names)]
    found = [record for module in modules for record in getattr(module, "records", ())]
    labels = [record.label for record in found]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    assert not twice, f"several records have the label {twice}; give them variants"
    return found


records = _collect()
