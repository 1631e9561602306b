"""
Learning rates that change from epoch to epoch.

May import the optimisers' base. Must not know levels, rules or NumPy.
"""

from tensorplay.optim.lr_scheduler.base import LRScheduler
from tensorplay.optim.lr_scheduler.control import ReduceLROnPlateau, SequentialLR
from tensorplay.optim.lr_scheduler.schedules import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
