"""
Optimisers as pure functions: parameters, gradients and state in, new parameters and new state out.

A file each; what they share is in `stepping`.
"""

from tensorplay.optim.functional.adadelta import AdadeltaState, adadelta, adadelta_init
from tensorplay.optim.functional.adagrad import AdagradState, adagrad, adagrad_init
from tensorplay.optim.functional.adam import AdamState, adam, adam_init, adamw
from tensorplay.optim.functional.adamax import AdamaxState, adamax, adamax_init
from tensorplay.optim.functional.asgd import ASGDState, asgd, asgd_init
from tensorplay.optim.functional.nadam import NAdamState, nadam, nadam_init
from tensorplay.optim.functional.radam import RAdamState, radam, radam_init
from tensorplay.optim.functional.rmsprop import RMSpropState, rmsprop, rmsprop_init
from tensorplay.optim.functional.rprop import RpropState, rprop, rprop_init
from tensorplay.optim.functional.sgd import SGDState, sgd, sgd_init

__all__ = [
    "ASGDState",
    "AdadeltaState",
    "AdagradState",
    "AdamState",
    "AdamaxState",
    "NAdamState",
    "RAdamState",
    "RMSpropState",
    "RpropState",
    "SGDState",
    "adadelta",
    "adadelta_init",
    "adagrad",
    "adagrad_init",
    "adam",
    "adam_init",
    "adamax",
    "adamax_init",
    "adamw",
    "asgd",
    "asgd_init",
    "nadam",
    "nadam_init",
    "radam",
    "radam_init",
    "rmsprop",
    "rmsprop_init",
    "rprop",
    "rprop_init",
    "sgd",
    "sgd_init",
]
