"""Products of vectors, matrices and tensors."""

from __future__ import annotations

from tensorplay.ops import affine, products
from tensorplay.ops import einsum as einstein
from tensorplay.tensor.lift import lift

__all__ = [
    "addbmm",
    "addmm",
    "addmv",
    "addr",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "cross",
    "dot",
    "einsum",
    "ger",
    "inner",
    "kron",
    "matmul",
    "mm",
    "mv",
    "outer",
    "tensordot",
    "vdot",
]

matmul = lift(products.matmul)
mm = lift(products.mm)
bmm = lift(products.bmm)
mv = lift(products.mv)
dot = lift(products.dot)
vdot = lift(products.vdot)
inner = lift(products.inner)
outer = lift(products.outer)
ger = lift(products.outer)
cross = lift(products.cross)
tensordot = lift(products.tensordot)
kron = lift(products.kron)
chain_matmul = lift(products.chain_matmul)
einsum = lift(einstein.einsum)

addmm = lift(affine.addmm)
addmv = lift(affine.addmv)
addbmm = lift(affine.addbmm)
baddbmm = lift(affine.baddbmm)
addr = lift(affine.addr)
