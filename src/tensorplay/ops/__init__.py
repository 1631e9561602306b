"""
The book of maths: primitives with their rules side by side, and composites, which are ops made of ops.

May import `core`, `dtypes`, `errors` and NumPy or SciPy (in kernels only). Must know no levels, interpreters or Tensor.
"""
