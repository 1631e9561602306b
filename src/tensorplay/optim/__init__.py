"""
Optimisers with torch's names, schedules of their learning rates, and the same steps as pure functions (`functional`).

May import Tensor and tensorplay's functions. Must not know levels, rules or NumPy.
"""

from tensorplay.optim import functional, lr_scheduler
from tensorplay.optim.adadelta import Adadelta
from tensorplay.optim.adagrad import Adagrad
from tensorplay.optim.adam import Adam, AdamW
from tensorplay.optim.adamax import Adamax
from tensorplay.optim.asgd import ASGD
from tensorplay.optim.lbfgs import LBFGS
from tensorplay.optim.nadam import NAdam
from tensorplay.optim.optimizer import Optimizer
from tensorplay.optim.radam import RAdam
from tensorplay.optim.rmsprop import RMSprop
from tensorplay.optim.rprop import Rprop
from tensorplay.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "functional",
    "lr_scheduler",
]
