"""The op database: one module a family, each with a list `records`."""

from __future__ import annotations

import importlib
import pkgutil

from tests.opdb.record import OpRecord, Random, Sample

__all__ = ["OpRecord", "Random", "Sample", "records"]


def _collect() -> list[OpRecord]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(f"{__name__}.{name}") for name in sorted(names)]
    return [record for module in modules for record in getattr(module, "records", ())]


records = _collect()
