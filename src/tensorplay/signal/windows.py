"""Windows that taper a signal towards its ends, with the names of torch.signal.windows."""

from __future__ import annotations

from tensorplay.ops import tapers
from tensorplay.tensor.factories import factory

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]

bartlett = factory(tapers.bartlett)
blackman = factory(tapers.blackman)
cosine = factory(tapers.cosine)
exponential = factory(tapers.exponential)
gaussian = factory(tapers.gaussian)
general_cosine = factory(tapers.general_cosine)
general_hamming = factory(tapers.general_hamming)
hamming = factory(tapers.hamming)
hann = factory(tapers.hann)
kaiser = factory(tapers.kaiser)
nuttall = factory(tapers.nuttall)
