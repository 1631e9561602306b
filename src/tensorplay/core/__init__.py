"""
Primitives, linear maps, the stack of interpreters and the door through which every op passes.

May import NumPy and the leaves (`dtypes`, `errors`). Must not know any operator, any transform or the Tensor handle.
"""
