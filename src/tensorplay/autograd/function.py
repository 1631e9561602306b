"""Operations with a derivative of their own, under torch's names."""

from tensorplay.tensor.function import Function, FunctionContext, once_differentiable

__all__ = ["Function", "FunctionContext", "once_differentiable"]
