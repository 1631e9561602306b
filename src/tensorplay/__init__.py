"""A tensor library in pure Python on NumPy with torch's names; its heart is `tensorplay.func`."""

from tensorplay.dtypes import *
from tensorplay.tensor.tensor import Tensor
from tensorplay.tensor.functions.contraction import *
from tensorplay.tensor.functions.creation import *
from tensorplay.tensor.functions.elementwise import *
from tensorplay.tensor.functions.indexing import *
from tensorplay.tensor.functions.linalg import *
from tensorplay.tensor.functions.random import *
from tensorplay.tensor.functions.reduction import *
from tensorplay.tensor.functions.shape import *
from tensorplay.tensor.functions.sorting import *
from tensorplay.tensor.factories import tensor, from_numpy, as_tensor, from_dlpack
from tensorplay.tensor.autograd import no_grad, enable_grad, set_grad_enabled, is_grad_enabled
from tensorplay import func, linalg
from tensorplay.ops.random import manual_seed, Generator
