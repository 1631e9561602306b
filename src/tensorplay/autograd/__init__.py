"""Ordinary autograd under torch's names: `backward`, `grad`, modes that pause recording, and `Function`."""

from tensorplay.tensor.autograd import backward, enable_grad, grad, is_grad_enabled, no_grad, set_grad_enabled
from tensorplay.tensor.custom import Function, FunctionContext

__all__ = [
    "Function",
    "FunctionContext",
    "backward",
    "enable_grad",
    "grad",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
]
