"""
Discrete Fourier transforms with the names of ``torch.fft``: ops on values, lifted to tensors.

May import `ops` and `tensor`. Must not state a derivative or a batching rule.
"""

from __future__ import annotations

from tensorplay.ops import fourier as _fourier
from tensorplay.ops import frequencies as _frequencies
from tensorplay.tensor.factories import factory as _factory
from tensorplay.tensor.lift import lift as _lift

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

fft = _lift(_fourier.fft)
fft2 = _lift(_fourier.fft2)
fftn = _lift(_fourier.fftn)
ifft = _lift(_fourier.ifft)
ifft2 = _lift(_fourier.ifft2)
ifftn = _lift(_fourier.ifftn)

rfft = _lift(_fourier.rfft)
rfft2 = _lift(_fourier.rfft2)
rfftn = _lift(_fourier.rfftn)
irfft = _lift(_fourier.irfft)
irfft2 = _lift(_fourier.irfft2)
irfftn = _lift(_fourier.irfftn)

hfft = _lift(_fourier.hfft)
hfft2 = _lift(_fourier.hfft2)
hfftn = _lift(_fourier.hfftn)
ihfft = _lift(_fourier.ihfft)
ihfft2 = _lift(_fourier.ihfft2)
ihfftn = _lift(_fourier.ihfftn)

fftfreq = _factory(_frequencies.fftfreq)
rfftfreq = _factory(_frequencies.rfftfreq)
fftshift = _lift(_frequencies.fftshift)
ifftshift = _lift(_frequencies.ifftshift)
