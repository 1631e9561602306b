"""
Helpers around modules: parameters as one vector, gradients clipped.

May import Tensor and tensorplay's functions. Must not know levels, rules or NumPy.
"""

from tensorplay.nn.utils.clip_grad import clip_grad_norm_, clip_grad_value_, clip_grads_with_norm_, get_total_norm
from tensorplay.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "vector_to_parameters",
]
