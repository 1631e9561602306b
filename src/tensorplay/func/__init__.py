"""
The public function transforms, a file each: argument checks, trees, error sentences, documentation.

May import `tensor`, `interpreters`, `tree`. Must not know any op's rule, nor import `nn`.
"""

from tensorplay.func.associative_scan import associative_scan
from tensorplay.func.batch_norm import replace_all_batch_norm_modules_
from tensorplay.func.checkpoint import checkpoint
from tensorplay.func.chunks import set_memory_budget
from tensorplay.func.cond import cond
from tensorplay.func.custom_derivative import custom_derivative
from tensorplay.func.debug import debug_unwrap
from tensorplay.func.fori_loop import fori_loop
from tensorplay.func.forward import jvp
from tensorplay.func.functional_call import functional_call
from tensorplay.func.functionalize import functionalize
from tensorplay.func.graph import make_graph
from tensorplay.func.jacobian import hessian, jacfwd, jacrev
from tensorplay.func.linearize import linearize
from tensorplay.func.map import map
from tensorplay.func.module_state import stack_module_state
from tensorplay.func.rearrange import rearrange
from tensorplay.func.reverse import grad, grad_and_value, vjp
from tensorplay.func.scan import scan
from tensorplay.func.vmap import chunk_vmap, vmap
from tensorplay.func.while_loop import while_loop

__all__ = [
    "associative_scan",
    "checkpoint",
    "chunk_vmap",
    "cond",
    "custom_derivative",
    "debug_unwrap",
    "fori_loop",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "make_graph",
    "map",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "scan",
    "set_memory_budget",
    "stack_module_state",
    "vjp",
    "vmap",
    "while_loop",
]


def __dir__() -> list[str]:
    """The public names, without the files that they are in."""
    return __all__
