"""A tensor library in pure Python on NumPy with torch's names; its heart is `tensorplay.func`."""

from math import e, inf, nan, pi

from tensorplay import autograd, cuda, fft, func, library, linalg, nn, optim, random, signal, special, testing
from tensorplay.core import memory as _memory
from tensorplay.core.threads import get_num_threads, set_num_threads
from tensorplay.dtypes import (
    bool,
    can_cast,
    complex64,
    complex128,
    device,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tensorplay.func.associative_scan import associative_scan
from tensorplay.func.cond import cond
from tensorplay.func.fori_loop import fori_loop
from tensorplay.func.map import map
from tensorplay.func.scan import scan
from tensorplay.func.vmap import vmap
from tensorplay.func.while_loop import while_loop
from tensorplay.random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from tensorplay.serialization import load, save
from tensorplay.tensor.autograd import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from tensorplay.tensor.factories import as_tensor, from_dlpack, from_numpy, result_type, tensor
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
from tensorplay.tensor.strides import as_strided
from tensorplay.tensor.tensor import Tensor
from tensorplay.tree import register as register_pytree_node

double, float, half = float64, float32, float16
long, int, short = int64, int32, int16
cfloat, cdouble = complex64, complex128

newaxis = None

__version__ = "0.1.0"

_memory.keep_freed_memory(_memory.bytes_to_keep())
