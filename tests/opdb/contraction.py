"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import numpy as np

from .record import OpRecord, Random, Sample


def _matmul(random: Random) -> list[Sample]:
    n = random.standard_normal
    return [
        Sample((n((2, 3)), n((3, 4)))),
        Sample((n(3), n(3))),
        Sample((n((2, 1, 2, 3)), n((4, 3, 2)))),
        Sample((n((0, 3)), n((3, 2)))),
    ]


records = [OpRecord("matmul", np.matmul, _matmul, complex=True, integer=True)]
