"""The public functions: ops on values, lifted to tensors."""

from __future__ import annotations

from tensorplay.ops import contraction, creation, elementwise, indexing, reduction, shape
from tensorplay.tensor.factories import factory
from tensorplay.tensor.lift import lift, lift_view

# ---- creation
zeros = factory(creation.zeros)
ones = factory(creation.ones)
full = factory(creation.full)
zeros_like = factory(creation.zeros_like)
ones_like = factory(creation.ones_like)

# ---- elementwise
add = lift(elementwise.add)
sub = lift(elementwise.sub)
mul = lift(elementwise.mul)
div = lift(elementwise.div)
sin = lift(elementwise.sin)
cos = lift(elementwise.cos)
exp = lift(elementwise.exp)
where = lift(indexing.where)

# ---- reductions
sum = lift(reduction.sum)
mean = lift(reduction.mean)

# ---- shape
reshape = lift_view(shape.reshape)
permute = lift_view(shape.permute)
transpose = lift_view(shape.transpose)
movedim = lift_view(shape.movedim)
cat = lift(shape.cat)
clone = lift(shape.copy)

# ---- indexing
gather = lift(indexing.gather)

# ---- contractions
matmul = lift(contraction.matmul)
outer = lift(contraction.outer)
einsum = lift(contraction.einsum)

from tensorplay.ops import random  # noqa: E402
rand = factory(random.rand)
randn = factory(random.randn)
