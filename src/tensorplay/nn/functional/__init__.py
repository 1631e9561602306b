"""
The functions of neural networks, with torch's names: ops lifted to tensors.

May import Tensor, tensorplay's functions and ops. Must not know rules, interpreters or modules.
"""

from tensorplay.nn.functional.activations import *
from tensorplay.nn.functional.images import *
from tensorplay.nn.functional.linear import *
from tensorplay.nn.functional.losses import *
from tensorplay.nn.functional.normalization import *
from tensorplay.nn.functional.options import LinearCrossEntropyOptions
