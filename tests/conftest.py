"""Every test starts from, and leaves, a clean state."""

from collections.abc import Iterator

import pytest

import tensorplay as tp
from tensorplay.core import modes, stack
from tensorplay.tensor.handle import held_back


@pytest.fixture(autouse=True)
def _no_state_left() -> Iterator[None]:
    """No transform is active, no mode set, and the seed is the same."""
    tp.manual_seed(0)
    yield
    assert stack.active() == (), "a transform is still active"
    assert modes.paused_level.get() == modes.ALL_RECORD, "no_grad is still on"
    assert held_back.get() is None, "functionalize still holds back writes"
    assert tp.get_default_dtype() is tp.float32, "the default dtype was changed"
