"""
NumPy's functions on tensors: `np.sin(x)`, `np.sum(x, axis=0)`, `np.linalg.solve(a, b)` call tensorplay's functions.

`Tensor.__array_ufunc__` and `Tensor.__array_function__` import this room when they are first used. It is written as
users write: on tensors, with public names. May import everything; nothing imports it.
"""

from tensorplay.numpy_protocol import (
    creating,
    elementwise,
    fourier,
    matrices,
    reductions,
    searching,
    shapes,
    statistics,
    unmapped,
)
from tensorplay.numpy_protocol.calling import call_function
from tensorplay.numpy_protocol.ufuncs import call_ufunc

__all__ = ["call_function", "call_ufunc"]
