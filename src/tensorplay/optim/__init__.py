"""
Optimisers with torch's names, schedules of their learning rates, and the same steps as pure functions (`functional`).

May import Tensor and tensorplay's functions. Must not know levels, rules or NumPy.
"""

from tensorplay.optim import functional, lr_scheduler
from tensorplay.optim.adam import Adam, AdamW
from tensorplay.optim.optimizer import Optimizer
from tensorplay.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "functional", "lr_scheduler"]
