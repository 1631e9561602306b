"""What every documented example has in scope."""

from typing import Any

import pytest

import tensorplay


@pytest.fixture(autouse=True)
def _example_names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["tp"] = tensorplay
