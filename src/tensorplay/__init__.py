"""A tensor library in pure Python on NumPy with torch's names; its heart is `tensorplay.func`."""

from tensorplay import autograd, fft, func, linalg, nn, optim, random, signal, special
from tensorplay.dtypes import (
    bool,
    complex64,
    complex128,
    device,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tensorplay.func.cond import cond
from tensorplay.ops.random import Generator, manual_seed
from tensorplay.serialization import load, save
from tensorplay.tensor.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from tensorplay.tensor.factories import as_tensor, from_dlpack, from_numpy, tensor
from tensorplay.tensor.functions.contraction import *
from tensorplay.tensor.functions.creation import *
from tensorplay.tensor.functions.elementwise import *
from tensorplay.tensor.functions.fourier import *
from tensorplay.tensor.functions.indexing import *
from tensorplay.tensor.functions.linalg import *
from tensorplay.tensor.functions.neural import *
from tensorplay.tensor.functions.random import *
from tensorplay.tensor.functions.reduction import *
from tensorplay.tensor.functions.shape import *
from tensorplay.tensor.functions.sorting import *
from tensorplay.tensor.printing import set_printoptions
from tensorplay.tensor.size import Size
from tensorplay.tensor.tensor import Tensor
from tensorplay.tree import register as register_pytree_node

double, float, half = float64, float32, float16
long, int, short = int64, int32, int16
cfloat, cdouble = complex64, complex128

__version__ = "0.1.0"
