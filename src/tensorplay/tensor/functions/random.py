"""Random numbers."""

from __future__ import annotations

from tensorplay.ops import random, sampling
from tensorplay.tensor.factories import factory
from tensorplay.tensor.lift import lift

__all__ = [
    "bernoulli",
    "binomial",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
]

rand = factory(random.rand)
randn = factory(random.randn)
randint = factory(random.randint)
randperm = factory(random.randperm)
rand_like = factory(random.rand_like)
randn_like = factory(random.randn_like)
randint_like = factory(random.randint_like)
normal = factory(random.normal)

bernoulli = lift(sampling.bernoulli)
multinomial = lift(sampling.multinomial)
poisson = lift(sampling.poisson)
binomial = lift(sampling.binomial)
