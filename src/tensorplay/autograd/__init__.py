"""Ordinary autograd under torch's names: `backward`, `grad`, modes, `Function`, and a watch for NaN and infinity."""

from tensorplay.autograd import function
from tensorplay.errors import AnomalyError
from tensorplay.tensor.anomaly import detect_anomaly, set_detect_anomaly
from tensorplay.tensor.autograd import backward, enable_grad, grad, is_grad_enabled, no_grad, set_grad_enabled
from tensorplay.tensor.function import Function, FunctionContext

__all__ = [
    "AnomalyError",
    "Function",
    "FunctionContext",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "grad",
    "is_grad_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
