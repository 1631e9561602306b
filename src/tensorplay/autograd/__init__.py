"""Ordinary autograd with torch's names: `backward`, `grad`, modes, `Function`, checks, a watch for NaN and infinity."""

from tensorplay.autograd import function, functional
from tensorplay.autograd.checking import GradcheckError, gradcheck, gradgradcheck
from tensorplay.errors import AnomalyError
from tensorplay.tensor.anomaly import detect_anomaly, set_detect_anomaly
from tensorplay.tensor.autograd import backward, enable_grad, grad, is_grad_enabled, no_grad, set_grad_enabled
from tensorplay.tensor.function import Function, FunctionContext

__all__ = [
    "AnomalyError",
    "Function",
    "FunctionContext",
    "GradcheckError",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "is_grad_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
