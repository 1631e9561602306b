"""
Signal processing: windows.

May import the ops and how they are lifted to tensors. Must not know levels or rules.
"""

from __future__ import annotations

from tensorplay.signal import windows

__all__ = ["windows"]
