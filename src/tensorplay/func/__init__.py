"""
The public function transforms, a file each: argument checks, trees, error sentences, documentation.

May import `tensor`, `interpreters`, `tree`. Must not know any op's rule, nor import `nn`.
"""

from tensorplay.func.debug import debug_unwrap
from tensorplay.func.forward import jvp
from tensorplay.func.functionalize import functionalize
from tensorplay.func.graph import make_graph
from tensorplay.func.jacobian import hessian, jacfwd, jacrev
from tensorplay.func.linearize import linearize
from tensorplay.func.reverse import grad, grad_and_value, vjp
from tensorplay.func.vmap import chunk_vmap, vmap

__all__ = [
    "chunk_vmap",
    "debug_unwrap",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "make_graph",
    "vjp",
    "vmap",
]
