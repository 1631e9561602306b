"""
One file a transform: a wrapper class for its values and an interpreter that says what an op means at its level.

May import `core` and a handful of ops (`add` of cotangents, `zeros`). Must not name any op's rule, nor know Tensor.
"""
