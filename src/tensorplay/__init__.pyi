"""A tensor library in pure Python on NumPy with torch's names; its heart is `tensorplay.func`."""

# ruff: noqa
# Made by `python -m tests.type_stubs`.

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorplay.dtypes import dtype as _dtype
from tensorplay.random.generator import Generator as _Generator
from tensorplay.tensor.size import Size as _Size
from tensorplay.tensor.tensor import Tensor as _Tensor

# what operators take where they take tensors, and where they take dtypes
_Operand: TypeAlias = _Tensor | builtins.complex | np.generic[Any]
_DtypeLike: TypeAlias = _dtype | np.dtype[Any] | type | str

__version__: str
from tensorplay import autograd as autograd

bool: _dtype
cdouble: _dtype
cfloat: _dtype
complex128: _dtype
complex64: _dtype
from tensorplay import cuda as cuda

default_generator: _Generator
double: _dtype
e: builtins.float
from tensorplay import fft as fft

float: _dtype
float16: _dtype
float32: _dtype
float64: _dtype
from tensorplay import func as func

half: _dtype
inf: builtins.float
int: _dtype
int16: _dtype
int32: _dtype
int64: _dtype
int8: _dtype
from tensorplay import library as library
from tensorplay import linalg as linalg

long: _dtype
nan: builtins.float
newaxis: None
from tensorplay import nn as nn
from tensorplay import optim as optim

pi: builtins.float
from tensorplay import random as random

short: _dtype
from tensorplay import signal as signal
from tensorplay import special as special
from tensorplay import testing as testing

uint16: _dtype
uint32: _dtype
uint64: _dtype
uint8: _dtype
from tensorplay.random.generator import Generator as Generator
from tensorplay.tensor.size import Size as Size
from tensorplay.tensor.tensor import Tensor as Tensor
from tensorplay.func.associative_scan import associative_scan as associative_scan
from tensorplay.dtypes import can_cast as can_cast
from tensorplay.func.cond import cond as cond
from tensorplay.dtypes import device as device
from tensorplay.dtypes import dtype as dtype
from tensorplay.tensor.autograd import enable_grad as enable_grad
from tensorplay.dtypes import finfo as finfo
from tensorplay.func.fori_loop import fori_loop as fori_loop
from tensorplay.dtypes import get_default_dtype as get_default_dtype
from tensorplay.core.threads import get_num_threads as get_num_threads
from tensorplay.dtypes import iinfo as iinfo
from tensorplay.tensor.autograd import inference_mode as inference_mode
from tensorplay.random import initial_seed as initial_seed
from tensorplay.tensor.autograd import is_grad_enabled as is_grad_enabled
from tensorplay.tensor.functions.creation import is_nonzero as is_nonzero
from tensorplay.tensor.functions.creation import is_tensor as is_tensor
from tensorplay.serialization import load as load
from tensorplay.random import manual_seed as manual_seed
from tensorplay.func.map import map as map
from tensorplay.tensor.autograd import no_grad as no_grad
from tensorplay.dtypes import promote_types as promote_types
from tensorplay.tree import register as register_pytree_node
from tensorplay.tensor.factories import result_type as result_type
from tensorplay.serialization import save as save
from tensorplay.func.scan import scan as scan
from tensorplay.random import seed as seed
from tensorplay.dtypes import set_default_dtype as set_default_dtype
from tensorplay.tensor.autograd import set_grad_enabled as set_grad_enabled
from tensorplay.core.threads import set_num_threads as set_num_threads
from tensorplay.tensor.printing import set_printoptions as set_printoptions
from tensorplay.random import set_rng_state as set_rng_state
from tensorplay.func.vmap import vmap as vmap
from tensorplay.func.while_loop import while_loop as while_loop

class _FrexpResult(NamedTuple):
    mantissa: Any
    exponent: Any

class _Geqrf(NamedTuple):
    a: _Tensor
    tau: _Tensor

class _Histogram(NamedTuple):
    hist: _Tensor
    bin_edges: _Tensor

class _LUUnpack(NamedTuple):
    P: _Tensor
    L: _Tensor
    U: _Tensor

class _MinMax(NamedTuple):
    min: _Tensor
    max: _Tensor

class _QR(NamedTuple):
    Q: _Tensor
    R: _Tensor

class _SVD(NamedTuple):
    U: _Tensor
    S: _Tensor
    V: _Tensor

class _Slogdet(NamedTuple):
    sign: _Tensor
    logabsdet: _Tensor

class _TriangularSolve(NamedTuple):
    solution: _Tensor
    cloned_coefficient: _Tensor

class _ValuesIndices(NamedTuple):
    values: _Tensor
    indices: _Tensor

def abs(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Absolute value of each element, real for complex ones. The derivative at zero is zero."""

def absolute(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Absolute value of each element, real for complex ones. The derivative at zero is zero."""

def acos(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse cosine of each element, in radians."""

def acosh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse hyperbolic cosine of each element."""

def adaptive_avg_pool1d(input: _Operand, output_size: Any, *, out: _Tensor | None = None) -> _Tensor:
    """Mean of windows that cover the input and are as many as asked for."""

def adaptive_max_pool1d(
    input: _Operand, output_size: Any, return_indices: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Maximum of windows that cover the input and are as many as asked for."""

def add(input: _Operand, other: _Operand, *, alpha: builtins.complex = 1, out: _Tensor | None = None) -> _Tensor:
    """Sum of two tensors, element by element."""

def addbmm(
    input: _Operand,
    batch1: _Operand,
    batch2: _Operand,
    *,
    beta: builtins.complex = 1,
    alpha: builtins.complex = 1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Sum of the products of two stacks of matrices plus a term: ``beta * input + alpha * (batch1 @ batch2).sum(0)``."""

def addcdiv(
    input: _Operand, tensor1: _Operand, tensor2: _Operand, *, value: builtins.complex = 1, out: _Tensor | None = None
) -> _Tensor:
    """A tensor plus a multiple of a quotient of two others."""

def addcmul(
    input: _Operand, tensor1: _Operand, tensor2: _Operand, *, value: builtins.float = 1, out: _Tensor | None = None
) -> _Tensor:
    """A tensor plus a multiple of a product of two others."""

def addmm(
    input: _Operand,
    mat1: _Operand,
    mat2: _Operand,
    *,
    beta: builtins.complex = 1,
    alpha: builtins.complex = 1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Product of two matrices plus a term: ``beta * input + alpha * (mat1 @ mat2)``."""

def addmv(
    input: _Operand,
    mat: _Operand,
    vec: _Operand,
    *,
    beta: builtins.complex = 1,
    alpha: builtins.complex = 1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Product of a matrix with a vector plus a term: ``beta * input + alpha * (mat @ vec)``."""

def addr(
    input: _Operand,
    vec1: _Operand,
    vec2: _Operand,
    *,
    beta: builtins.complex = 1,
    alpha: builtins.complex = 1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Outer product of two vectors plus a term: ``beta * input + alpha * outer(vec1, vec2)``."""

def adjoint(input: _Operand) -> _Tensor:
    """The conjugate of a matrix, or of each of a batch, with the last two dims exchanged."""

def alias_copy(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The result of `alias` as a copy, which shares no memory with the input."""

def all(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Whether every element is true (not zero)."""

def allclose(
    input: _Operand,
    other: _Operand,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
    *,
    out: Any = None,
) -> builtins.bool:
    """Whether all elements are equal up to a tolerance; see `isclose`."""

def amax(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Greatest elements, over all or some dims."""

def amin(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Least elements, over all or some dims."""

def aminmax(
    input: _Operand, *, dim: builtins.int | None = None, keepdim: builtins.bool = False, out: Any = None
) -> _MinMax:
    """Least and greatest elements."""

def angle(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Angle of each element in the complex plane, in radians. The derivative at zero is zero."""

def any(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Whether some element is true (not zero)."""

def arange(
    start: builtins.float | None = None,
    end: builtins.float | None = None,
    step: builtins.float = 1,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Numbers at equal distances, from a start (inclusive) to an end (exclusive)."""

def arccos(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse cosine of each element, in radians."""

def arccosh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse hyperbolic cosine of each element."""

def arcsin(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse sine of each element, in radians."""

def arcsinh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse hyperbolic sine of each element."""

def arctan(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse tangent of each element, in radians."""

def arctan2(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Angle of the point (`other`, `input`) with the x-axis, in radians. The derivative at the origin is zero."""

def arctanh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse hyperbolic tangent of each element."""

def argmax(
    input: _Operand, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Position of the greatest element, the first one where several tie."""

def argmin(
    input: _Operand, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Position of the least element, the first one where several tie."""

def argsort(
    input: _Operand,
    dim: builtins.int = -1,
    descending: builtins.bool = False,
    *,
    stable: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Positions that sort the elements along a dim."""

def argwhere(
    input: _Operand, *, size: builtins.int | None = None, fill_value: Any = 0, out: _Tensor | None = None
) -> _Tensor:
    """Positions of the nonzero elements of `input`, one row each."""

def as_strided(
    input: _Tensor,
    size: Sequence[builtins.int],
    stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None,
) -> _Tensor:
    """A view of the memory behind a tensor, whatever part of it the tensor shows."""

def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> _Tensor:
    """Tensor with the elements of `data`, on its memory where that is possible."""

def asarray(
    obj: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    copy: builtins.bool | None = None,
    requires_grad: builtins.bool = False,
) -> _Tensor:
    """Tensor with the elements of an object, on its memory where that is possible."""

def asin(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse sine of each element, in radians."""

def asinh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse hyperbolic sine of each element."""

def atan(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse tangent of each element, in radians."""

def atan2(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Angle of the point (`other`, `input`) with the x-axis, in radians. The derivative at the origin is zero."""

def atanh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse hyperbolic tangent of each element."""

def atleast_1d(*tensors: Any) -> Any:
    """Tensors with at least one dim."""

def atleast_2d(*tensors: Any) -> Any:
    """Tensors with at least two dims, new ones in front."""

def atleast_3d(*tensors: Any) -> Any:
    """Tensors with at least three dims: a vector of n gets shape [1, n, 1], a matrix a last dim."""

def avg_pool1d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    ceil_mode: builtins.bool = False,
    count_include_pad: builtins.bool = True,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Mean of each window."""

def baddbmm(
    input: _Operand,
    batch1: _Operand,
    batch2: _Operand,
    *,
    beta: builtins.complex = 1,
    alpha: builtins.complex = 1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Products of two stacks of matrices plus a term: ``beta * input + alpha * (batch1 @ batch2)``."""

def bartlett_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The triangular window, zero at its ends."""

def bernoulli(
    input: _Operand, p: builtins.float | None = None, *, generator: _Generator | None = None, out: _Tensor | None = None
) -> _Tensor:
    """One with the probability that each element of `input` gives, else zero."""

def bilinear(
    input1: _Operand, input2: _Operand, weight: _Operand, bias: _Operand | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Bilinear form of the last dims of two tensors: ``out[*, o] = input1[*, i] weight[o, i, j] input2[*, j] + bias[o]``."""

def bincount(
    input: _Operand, weights: _Operand | None = None, minlength: builtins.int = 0, *, out: _Tensor | None = None
) -> _Tensor:
    """How often each non-negative integer occurs."""

def binomial(
    count: _Operand, prob: _Operand, generator: _Generator | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Binomially distributed random numbers: successes among `count` trials of probability `prob`."""

def bitwise_and(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bits set in both elements."""

def bitwise_left_shift(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bits moved up."""

def bitwise_not(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """All bits flipped; of bools, the negation."""

def bitwise_or(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bits set in one of the elements."""

def bitwise_right_shift(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bits moved down; the sign stays."""

def bitwise_xor(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Bits set in just one element."""

def blackman_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Blackman window, three cosine terms."""

def block_diag(*tensors: _Operand, out: _Tensor | None = None) -> _Tensor:
    """A matrix with the given matrices along its diagonal and zeros elsewhere."""

def bmm(input: _Operand, mat2: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Products of two stacks of matrices, one by one."""

def broadcast_shapes(*shapes: Any) -> _Size:
    """The shape that tensors of the given shapes broadcast to."""

def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Tensors expanded to their common shape."""

def broadcast_to(input: _Operand, size: Sequence[builtins.int]) -> _Tensor:
    """The tensor repeated along dims of size 1, without copies, to a larger shape."""

def bucketize(
    input: _Operand | builtins.float,
    boundaries: _Operand,
    *,
    out_int32: builtins.bool = False,
    right: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Number of the bucket between sorted boundaries that each value falls into."""

def cartesian_prod(*tensors: _Operand, out: _Tensor | None = None) -> _Tensor:
    """All tuples with one element of each vector."""

def cat(tensors: Sequence[_Operand], dim: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along a dim."""

def cdist(
    x1: _Operand,
    x2: _Operand,
    p: builtins.float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Distances between each point of one set and each of another."""

def ceil(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Smallest whole number that is no smaller than each element."""

def celu(input: _Operand, alpha: builtins.float = 1.0, *, out: _Tensor | None = None) -> _Tensor:
    """Elements that are positive, ``alpha * (exp(x / alpha) - 1)`` of the others."""

def chain_matmul(*matrices: _Operand, out: _Tensor | None = None) -> _Tensor:
    """Product of several matrices, multiplied in the order that costs least."""

def channel_shuffle(input: _Operand, groups: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Channels in another order: the first of each group, then the second of each, and so on."""

def cholesky(input: _Operand, upper: builtins.bool = False, *, out: _Tensor | None = None) -> _Tensor:
    """Cholesky factor of each Hermitian positive-definite matrix."""

def cholesky_inverse(L: _Operand, upper: builtins.bool = False, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of each matrix from its Cholesky factor."""

def cholesky_solve(B: _Operand, L: _Operand, upper: builtins.bool = False, *, out: _Tensor | None = None) -> _Tensor:
    """Solution of a system of linear equations from the Cholesky factor of its matrix."""

def chunk(input: _Operand, chunks: builtins.int, dim: builtins.int = 0) -> tuple[_Tensor, ...]:
    """At most a given number of pieces of equal size along a dim; the last may be smaller."""

def clamp(
    input: _Operand, min: _Operand | None = None, max: _Operand | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Elements confined to an interval."""

def clamp_max(input: _Operand, max: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements no larger than a bound."""

def clamp_min(input: _Operand, min: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements no smaller than a bound."""

def clip(
    input: _Operand, min: _Operand | None = None, max: _Operand | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Elements confined to an interval."""

def clone(input: _Operand, *, memory_format: Any = None, out: _Tensor | None = None) -> _Tensor:
    """A copy, through which derivatives flow."""

def column_stack(tensors: Sequence[_Operand], *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along the second dim; vectors and scalars become columns."""

def combinations(
    input: _Operand, r: builtins.int = 2, with_replacement: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """All choices of `r` elements of a vector, in order."""

def complex(real: _Operand, imag: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Complex tensor from its real and imaginary parts."""

def concat(tensors: Sequence[_Operand], dim: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along a dim."""

def concatenate(tensors: Sequence[_Operand], dim: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along a dim."""

def conj(input: _Operand) -> _Tensor:
    """Complex conjugate of each element; a real tensor itself."""

def conj_physical(input: _Operand) -> _Tensor:
    """Complex conjugate of each element; a real tensor itself."""

def constant_pad_nd(
    input: _Operand, pad: Sequence[builtins.int], value: builtins.float = 0, *, out: _Tensor | None = None
) -> _Tensor:
    """The tensor with a number put around it."""

def conv1d(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] | str = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    groups: builtins.int = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Cross-correlation of a signal with a set of kernels, plus a bias."""

def conv2d(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] | str = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    groups: builtins.int = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Cross-correlation of an image with a set of kernels, plus a bias."""

def conv3d(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] | str = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    groups: builtins.int = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Cross-correlation of a volume with a set of kernels, plus a bias."""

def conv_transpose1d(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] = 0,
    output_padding: builtins.int | Sequence[builtins.int] = 0,
    groups: builtins.int = 1,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Transposed convolution of a signal: the adjoint of `conv1d` with the same weight, plus a bias."""

def conv_transpose2d(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] = 0,
    output_padding: builtins.int | Sequence[builtins.int] = 0,
    groups: builtins.int = 1,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Transposed convolution of an image: the adjoint of `conv2d` with the same weight, plus a bias."""

def conv_transpose3d(
    input: _Operand,
    weight: _Operand,
    bias: _Operand | None = None,
    stride: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] = 0,
    output_padding: builtins.int | Sequence[builtins.int] = 0,
    groups: builtins.int = 1,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Transposed convolution of a volume: the adjoint of `conv3d` with the same weight, plus a bias."""

def copysign(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Absolute values of one tensor with the signs of another. The derivative at zero is zero."""

def corrcoef(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Correlation matrix of variables, which are the rows of a matrix with observations as columns."""

def cos(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Cosine of each element, in radians."""

def cosh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hyperbolic cosine of each element."""

def cosine_similarity(
    x1: _Operand, x2: _Operand, dim: builtins.int = 1, eps: builtins.float = 1e-08, *, out: _Tensor | None = None
) -> _Tensor:
    """Cosines of the angles between corresponding vectors along a dim."""

def count_nonzero(
    input: _Operand, dim: builtins.int | Sequence[builtins.int] | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Number of elements that are not zero."""

def cov(
    input: _Operand,
    *,
    correction: builtins.int = 1,
    fweights: _Operand | None = None,
    aweights: _Operand | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Covariance matrix of variables, which are the rows of a matrix with observations as columns."""

def cross(input: _Operand, other: _Operand, dim: builtins.int | None = None, *, out: _Tensor | None = None) -> _Tensor:
    """Cross products of vectors of three elements."""

def cummax(input: _Operand, dim: builtins.int, *, out: Any = None) -> _ValuesIndices:
    """Greatest element up to each position along a dim, and where it stands."""

def cummin(input: _Operand, dim: builtins.int, *, out: Any = None) -> _ValuesIndices:
    """Least element up to each position along a dim, and where it stands."""

def cumprod(
    input: _Operand, dim: builtins.int, *, dtype: _DtypeLike | None = None, out: _Tensor | None = None
) -> _Tensor:
    """Products of the elements up to each position along a dim."""

def cumsum(
    input: _Operand, dim: builtins.int, *, dtype: _DtypeLike | None = None, out: _Tensor | None = None
) -> _Tensor:
    """Sums of the elements up to each position along a dim."""

def cumulative_trapezoid(
    y: _Operand,
    x: _Operand | None = None,
    *,
    dx: builtins.float | None = None,
    dim: builtins.int = -1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Integrals up to each sample along a dim by the trapezoidal rule."""

def deg2rad(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Degrees to radians."""

def det(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Determinant of each matrix."""

def detach_copy(input: Any, *, out: Any = None) -> Any:
    """The result of `detach` as a copy, which shares no memory with the input."""

def diag(input: _Operand, diagonal: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """The matrix with a vector on a diagonal, or the diagonal of a matrix."""

def diag_embed(
    input: _Operand,
    offset: builtins.int = 0,
    dim1: builtins.int = -2,
    dim2: builtins.int = -1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Matrices that have the last dim of the tensor as a diagonal and are zero elsewhere."""

def diagflat(input: _Operand, offset: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """The matrix with all elements of a tensor on a diagonal."""

def diagonal(input: _Operand, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> _Tensor:
    """A diagonal of two dims, as the last dim of the result."""

def diagonal_copy(
    input: _Operand,
    offset: builtins.int = 0,
    dim1: builtins.int = 0,
    dim2: builtins.int = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The result of `diagonal` as a copy, which shares no memory with the input."""

def diagonal_scatter(
    input: _Operand,
    src: _Operand,
    offset: builtins.int = 0,
    dim1: builtins.int = 0,
    dim2: builtins.int = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """A copy in which a diagonal is replaced."""

def diff(
    input: _Operand,
    n: builtins.int = 1,
    dim: builtins.int = -1,
    prepend: _Operand | None = None,
    append: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Differences of neighbours along a dim."""

def digamma(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Derivative of the logarithm of the gamma function."""

def dist(input: _Operand, other: _Operand, p: builtins.float = 2, *, out: _Tensor | None = None) -> _Tensor:
    """Norm of the difference of two tensors."""

def div(input: _Operand, other: _Operand, *, rounding_mode: str | None = None, out: _Tensor | None = None) -> _Tensor:
    """Quotient of two tensors, element by element."""

def divide(
    input: _Operand, other: _Operand, *, rounding_mode: str | None = None, out: _Tensor | None = None
) -> _Tensor:
    """Quotient of two tensors, element by element."""

def dot(input: _Operand, tensor: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Sum of the products of the elements of two vectors; nothing is conjugated."""

def dsplit(input: _Operand, indices_or_sections: builtins.int | Sequence[builtins.int]) -> tuple[_Tensor, ...]:
    """Pieces along the third dim."""

def dstack(tensors: Sequence[_Operand], *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along the third dim."""

def einsum(equation: Any, *operands: Any, out: _Tensor | None = None) -> _Tensor:
    """Sum of products of the elements of tensors along dims that labels name."""

def empty(
    *size: builtins.int | Sequence[builtins.int],
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A tensor whose elements are not set: whatever was in the memory."""

def empty_like(
    input: _Operand,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A tensor in the shape and dtype of another, whose elements are not set."""

def eq(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input == other``, element by element."""

def equal(input: _Operand, other: _Operand, *, out: Any = None) -> builtins.bool:
    """Whether two tensors have the same shape and elements."""

def erf(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Error function of each element."""

def erfc(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """One minus the error function of each element, accurate where that is small."""

def erfinv(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of the error function of each element."""

def exp(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Exponential of each element."""

def exp2(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Two to the power of each element."""

def expand_copy(input: _Operand, *sizes: Any, implicit: builtins.bool = False, out: _Tensor | None = None) -> _Tensor:
    """The result of `expand` as a copy, which shares no memory with the input."""

def expm1(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Exponential minus one, accurate near zero."""

def eye(
    n: builtins.int,
    m: builtins.int | None = None,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The identity matrix, or a larger or smaller part of it."""

def fill(input: _Operand, value: _Operand | builtins.complex, *, out: _Tensor | None = None) -> _Tensor:
    """A tensor with one number everywhere."""

def fix(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whole part of each element."""

def flatten(input: _Operand, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> _Tensor:
    """A range of dims made one."""

def flip(input: _Operand, dims: builtins.int | Sequence[builtins.int], *, out: _Tensor | None = None) -> _Tensor:
    """The elements in reverse order along some dims."""

def fliplr(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The columns in reverse order."""

def flipud(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The rows in reverse order."""

def float_power(input: _Operand, exponent: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Power of two tensors in double precision."""

def floor(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Largest whole number that is no larger than each element."""

def floor_divide(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Quotient rounded down."""

def fmax(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Larger of two elements; NaN only if both are NaN. At a tie, the first has all of the derivative."""

def fmin(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Smaller of two elements; NaN only if both are NaN. At a tie, the first has all of the derivative."""

def fmod(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Remainder with the sign of the dividend, as of C's ``fmod``."""

def frac(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Each element minus its whole part."""

def frexp(input: _Operand, *, out: Any = None) -> _FrexpResult:
    """Mantissa and exponent of each element."""

def from_dlpack(ext_tensor: Any) -> _Tensor:
    """Tensor on the memory of any array that speaks DLPack."""

def from_numpy(ndarray: np.ndarray[Any, Any]) -> _Tensor:
    """Tensor on the memory of a NumPy array."""

def frombuffer(
    buffer: Any, *, dtype: Any, count: builtins.int = -1, offset: builtins.int = 0, requires_grad: builtins.bool = False
) -> _Tensor:
    """Tensor on the memory of an object with the buffer protocol."""

def full(
    size: Sequence[builtins.int],
    fill_value: _Operand | builtins.complex,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A tensor with one number everywhere."""

def full_like(
    input: _Operand,
    fill_value: _Operand | builtins.complex,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """One number everywhere, in the shape and dtype of a tensor."""

def gather(
    input: _Operand,
    dim: builtins.int,
    index: _Operand,
    *,
    sparse_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Elements of `input` at the positions along `dim` that `index` names."""

def gcd(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Greatest common divisor."""

def ge(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input >= other``, element by element."""

def geqrf(input: _Operand, *, out: Any = None) -> _Geqrf:
    """QR decomposition of each matrix, with Q as Householder reflections."""

def ger(input: _Operand, vec2: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Products of all pairs of elements of two vectors; nothing is conjugated."""

def get_rng_state() -> _Tensor:
    """State of the default stream, for `set_rng_state`."""

def gradient(
    input: _Operand,
    *,
    spacing: Any = 1,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    edge_order: builtins.int = 1,
    out: Any = None,
) -> tuple[_Tensor, ...]:
    """Numerical derivative of samples along each of some dims, by second-order central differences."""

def greater(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input > other``, element by element."""

def greater_equal(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input >= other``, element by element."""

def grid_sampler(
    input: _Operand,
    grid: _Operand,
    interpolation_mode: builtins.int,
    padding_mode: builtins.int,
    align_corners: builtins.bool,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Images read at the places of a grid: `grid_sample` with numbers for its modes."""

def grid_sampler_2d(
    input: _Operand,
    grid: _Operand,
    interpolation_mode: builtins.int,
    padding_mode: builtins.int,
    align_corners: builtins.bool,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Images read at the places of a grid: `grid_sampler` for two spatial dims."""

def grid_sampler_3d(
    input: _Operand,
    grid: _Operand,
    interpolation_mode: builtins.int,
    padding_mode: builtins.int,
    align_corners: builtins.bool,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Volumes read at the places of a grid: `grid_sampler` for three spatial dims."""

def group_norm(
    input: _Operand,
    num_groups: builtins.int,
    weight: _Operand | None = None,
    bias: _Operand | None = None,
    eps: builtins.float = 1e-05,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Group normalisation: mean 0 and variance 1 over groups of channels of each sample, then scaled and shifted."""

def gt(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input > other``, element by element."""

def hamming_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    alpha: builtins.float = 0.54,
    beta: builtins.float = 0.46,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Hamming window, a raised cosine that does not reach zero."""

def hann_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Hann window, a raised cosine."""

def hardshrink(input: _Operand, lambd: builtins.float = 0.5, *, out: _Tensor | None = None) -> _Tensor:
    """Elements beyond a distance from zero, zero in place of the others."""

def hash_tensor(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = ...,
    *,
    keepdim: builtins.bool = False,
    mode: builtins.int = 0,
    out: _Tensor | None = None,
) -> _Tensor:
    """Hash of the elements' bits, which does not depend on their order."""

def heaviside(input: _Operand, values: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Heaviside step function: 0 for negative elements, 1 for positive ones, `values` at zero."""

def histc(
    input: _Operand,
    bins: builtins.int = 100,
    min: builtins.float = 0,
    max: builtins.float = 0,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Number of elements in each of equal bins."""

def histogram(
    input: _Operand,
    bins: Any,
    *,
    range: Sequence[builtins.float] | None = None,
    weight: _Operand | None = None,
    density: builtins.bool = False,
    out: Any = None,
) -> _Histogram:
    """Number of elements in each bin, and the bins' edges."""

def histogramdd(
    input: _Operand,
    bins: Any,
    *,
    range: Sequence[builtins.float] | None = None,
    weight: _Operand | None = None,
    density: builtins.bool = False,
    out: Any = None,
) -> _Histogram:
    """Number of points in each bin of a grid, and the edges of the bins."""

def hsplit(input: _Operand, indices_or_sections: builtins.int | Sequence[builtins.int]) -> tuple[_Tensor, ...]:
    """Pieces along the second dim, or the only one."""

def hstack(tensors: Sequence[_Operand], *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along the second dim, or the only one."""

def hypot(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Length of the hypotenuse, ``sqrt(input**2 + other**2)`` without overflow. The derivative at the origin is zero."""

def i0(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Modified Bessel function of the first kind of order 0."""

def igamma(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Regularized lower incomplete gamma function of parameter `input`, at `other`."""

def igammac(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Regularized upper incomplete gamma function of parameter `input`, at `other`."""

def imag(input: _Operand) -> _Tensor:
    """Imaginary part of each element."""

def index_add(
    input: _Operand,
    dim: builtins.int,
    index: _Operand,
    source: _Operand,
    *,
    alpha: builtins.complex = 1,
    out: _Tensor | None = None,
) -> _Tensor:
    """`input` with slices of `source`, times `alpha`, added at the positions along `dim` that `index` names."""

def index_copy(
    input: _Operand, dim: builtins.int, index: _Operand, source: _Operand, *, out: _Tensor | None = None
) -> _Tensor:
    """`input` with slices of `source` written to the positions along `dim` that `index` names."""

def index_fill(
    input: _Operand,
    dim: builtins.int,
    index: _Operand,
    value: _Operand | builtins.complex,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """`input` with `value` at the positions along `dim` that `index` names."""

def index_put(
    input: _Operand,
    indices: Sequence[_Operand | None],
    values: _Operand,
    accumulate: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """`input` with `values` written to the positions that index tensors name, as by ``input[indices] = values``."""

def index_reduce(
    input: _Operand,
    dim: builtins.int,
    index: _Operand,
    source: _Operand,
    reduce: str,
    *,
    include_self: builtins.bool = True,
    out: _Tensor | None = None,
) -> _Tensor:
    """`input` with slices of `source` combined into the positions along `dim` that `index` names."""

def index_select(input: _Operand, dim: builtins.int, index: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Slices of `input` along `dim` at the positions in `index`."""

def inner(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Sums of products along the last dims of two tensors; nothing is conjugated."""

def inverse(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of each matrix."""

def is_complex(input: _Tensor) -> builtins.bool:
    """Whether the elements of a tensor are complex numbers."""

def is_floating_point(input: _Tensor) -> builtins.bool:
    """Whether the elements of a tensor are real floating-point numbers."""

def isclose(
    input: _Operand,
    other: _Operand,
    rtol: builtins.float = 1e-05,
    atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Whether elements are equal up to a tolerance."""

def isfinite(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is finite."""

def isin(
    elements: _Operand | builtins.complex,
    test_elements: _Operand | builtins.complex,
    *,
    assume_unique: builtins.bool = False,
    invert: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Whether each element occurs among others."""

def isinf(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is infinite."""

def isnan(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is NaN."""

def isneginf(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is -inf."""

def isposinf(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is +inf."""

def isreal(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is real."""

def istft(
    input: _Operand,
    n_fft: builtins.int,
    hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None,
    window: _Operand | None = None,
    center: builtins.bool = True,
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    length: builtins.int | None = None,
    return_complex: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Signal of spectra of windows that slide over it: the least-squares inverse of `stft`."""

def kaiser_window(
    window_length: builtins.int,
    periodic: builtins.bool = True,
    beta: builtins.float = 12.0,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """The Kaiser window."""

def kron(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Kronecker product: each element of `input` times the whole of `other`."""

def kthvalue(
    input: _Operand, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: Any = None
) -> _ValuesIndices:
    """The `k`-th least element along a dim, and its position."""

def layer_norm(
    input: _Operand,
    normalized_shape: builtins.int | Sequence[builtins.int],
    weight: _Operand | None = None,
    bias: _Operand | None = None,
    eps: builtins.float = 1e-05,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Layer normalisation: mean 0 and variance 1 over the last dims, then scaled and shifted."""

def lcm(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Least common multiple."""

def ldexp(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Tensor times powers of two."""

def le(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input <= other``, element by element."""

def lerp(input: _Operand, end: _Operand, weight: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Linear interpolation between two tensors."""

def less(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input < other``, element by element."""

def less_equal(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input <= other``, element by element."""

def lgamma(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the absolute value of the gamma function."""

def linspace(
    start: _Operand | builtins.complex,
    end: _Operand | builtins.complex,
    steps: builtins.int,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A given number of numbers at equal distances, both ends included."""

def log(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Natural logarithm of each element."""

def log10(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm to base 10 of each element."""

def log1p(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of one plus each element, accurate near zero."""

def log2(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm to base 2 of each element."""

def log_softmax(
    input: _Operand, dim: builtins.int, dtype: _DtypeLike | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Logarithm of the softmax, without its rounding errors."""

def logaddexp(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the sum of two exponentials, without overflow."""

def logaddexp2(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm to base 2 of the sum of two powers of 2, without overflow."""

def logcumsumexp(input: _Operand, dim: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithms of the sums of the elements' exponentials up to each position along a dim."""

def logdet(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the determinant of each matrix."""

def logical_and(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether both elements are true."""

def logical_not(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element is false (zero)."""

def logical_or(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether one of the elements is true."""

def logical_xor(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether just one element is true."""

def logit(input: _Operand, eps: builtins.float | None = None, *, out: _Tensor | None = None) -> _Tensor:
    """Inverse of the logistic function, ``log(x / (1 - x))``."""

def logspace(
    start: _Operand | builtins.complex,
    end: _Operand | builtins.complex,
    steps: builtins.int,
    base: builtins.float = 10.0,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Powers of a base whose exponents lie at equal distances, both ends included."""

def logsumexp(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Logarithm of the sum of the elements' exponentials."""

def lt(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input < other``, element by element."""

def lu(
    input: _Operand, pivot: builtins.bool = True, get_infos: builtins.bool = False, *, out: Any = None
) -> tuple[_Tensor, ...]:
    """LU factors of each matrix, packed for `lu_solve`."""

def lu_solve(b: _Operand, LU_data: _Operand, LU_pivots: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Solution of a system of linear equations from the LU factors of its matrix."""

def lu_unpack(
    LU_data: _Operand,
    LU_pivots: _Operand,
    unpack_data: builtins.bool = True,
    unpack_pivots: builtins.bool = True,
    *,
    out: Any = None,
) -> _LUUnpack:
    """Matrices P, L and U from packed LU factors."""

def masked_fill(
    input: _Operand, mask: _Operand, value: _Operand | builtins.complex, *, out: _Tensor | None = None
) -> _Tensor:
    """`input` with `value` where `mask` holds."""

def masked_scatter(input: _Operand, mask: _Operand, source: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """`input` with the elements of `source`, one after another, where `mask` holds."""

def masked_select(
    input: _Operand,
    mask: _Operand,
    *,
    size: builtins.int | None = None,
    fill_value: Any = 0,
    out: _Tensor | None = None,
) -> _Tensor:
    """Elements of `input` where `mask` holds, in order."""

def matmul(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Matrix product."""

def matrix_exp(A: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Exponential of each square matrix."""

def matrix_power(A: _Operand, n: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Product of each square matrix with itself, `n` times."""

def max(
    input: _Operand,
    dim: _Operand | builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    other: _Operand | None = None,
    out: Any = None,
) -> Any:
    """Greatest element; along a dim also its position; or the greater of two tensors' elements."""

def max_pool1d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Maximum of each window."""

def max_pool2d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Maximum of each window."""

def max_pool3d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Maximum of each window."""

def maximum(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Larger of two elements; NaN if one is NaN. At a tie, each has half of the derivative."""

def mean(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Mean of the elements, of all or along dims."""

def median(input: _Operand, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Any = None) -> Any:
    """The middle element, the lower one of two; along a dim also its position."""

def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """Coordinates of the points of a grid, one tensor an axis."""

def min(
    input: _Operand,
    dim: _Operand | builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    other: _Operand | None = None,
    out: Any = None,
) -> Any:
    """Least element; along a dim also its position; or the lesser of two tensors' elements."""

def minimum(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Smaller of two elements; NaN if one is NaN. At a tie, each has half of the derivative."""

def mm(input: _Operand, mat2: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Product of two matrices."""

def mode(input: _Operand, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: Any = None) -> _ValuesIndices:
    """The most frequent element along a dim, the least one of several, and its last position."""

def moveaxis(
    input: _Operand, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]
) -> _Tensor:
    """Some dims moved to other positions; the rest keep their order."""

def movedim(
    input: _Operand, source: builtins.int | Sequence[builtins.int], destination: builtins.int | Sequence[builtins.int]
) -> _Tensor:
    """Some dims moved to other positions; the rest keep their order."""

def msort(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements in order along the first dim."""

def mul(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Product of two tensors, element by element."""

def multinomial(
    input: _Operand,
    num_samples: builtins.int,
    replacement: builtins.bool = False,
    *,
    generator: _Generator | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Indices of categories, drawn with the weights in each row of `input`."""

def multiply(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Product of two tensors, element by element."""

def mv(input: _Operand, vec: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Product of a matrix with a vector."""

def mvlgamma(input: _Operand, p: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the multivariate gamma function of dimension `p`."""

def nan_to_num(
    input: _Operand,
    nan: builtins.float = 0.0,
    posinf: builtins.float | None = None,
    neginf: builtins.float | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The tensor with NaN and infinities replaced by numbers."""

def nanmean(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Mean of the elements that are not NaN."""

def nanmedian(
    input: _Operand, dim: builtins.int | None = None, keepdim: builtins.bool = False, *, out: Any = None
) -> Any:
    """The middle one of the elements that are not NaN, the lower one of two; along a dim also its position."""

def nanquantile(
    input: _Operand,
    q: _Operand | builtins.float | Sequence[builtins.float],
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: _Tensor | None = None,
) -> _Tensor:
    """Quantiles of the elements that are not NaN."""

def nansum(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Sum of the elements that are not NaN."""

def narrow(input: _Operand, dim: builtins.int, start: builtins.int | _Operand, length: builtins.int) -> _Tensor:
    """A range along a dim."""

def narrow_copy(
    input: _Operand,
    dim: builtins.int,
    start: builtins.int | _Operand,
    length: builtins.int,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The result of `narrow` as a copy, which shares no memory with the input."""

def native_batch_norm(
    input: _Tensor,
    weight: _Tensor | None,
    bias: _Tensor | None,
    running_mean: _Tensor | None,
    running_var: _Tensor | None,
    training: builtins.bool,
    momentum: builtins.float,
    eps: builtins.float,
) -> Any:
    """Batch normalisation, with the statistics that it used."""

def native_group_norm(
    input: _Operand,
    weight: _Operand | None,
    bias: _Operand | None,
    N: builtins.int,
    C: builtins.int,
    HxW: builtins.int,
    group: builtins.int,
    eps: builtins.float,
    *,
    out: Any = None,
) -> tuple[_Tensor, _Tensor, _Tensor]:
    """Group normalisation, with the statistics that it used."""

def native_layer_norm(
    input: _Operand,
    normalized_shape: builtins.int | Sequence[builtins.int],
    weight: _Operand | None,
    bias: _Operand | None,
    eps: builtins.float,
    *,
    out: Any = None,
) -> tuple[_Tensor, _Tensor, _Tensor]:
    """Layer normalisation, with the statistics that it used."""

def ne(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input != other``, element by element."""

def neg(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The tensor with its sign changed."""

def negative(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The tensor with its sign changed."""

def nextafter(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Next floating-point number after each element, in the direction of another."""

def nonzero(
    input: _Operand,
    *,
    as_tuple: builtins.bool = False,
    size: builtins.int | None = None,
    fill_value: Any = 0,
    out: Any = None,
) -> Any:
    """Positions of the nonzero elements of `input`."""

def nonzero_static(
    input: _Operand, *, size: builtins.int, fill_value: builtins.int = -1, out: _Tensor | None = None
) -> _Tensor:
    """Positions of the first `size` nonzero elements of `input`, in a result of fixed shape."""

def norm(
    input: _Operand,
    p: builtins.float | str | None = "fro",
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of a tensor, of all elements or along dims."""

def normal(
    mean: Any,
    std: Any = 1.0,
    size: builtins.int | Sequence[builtins.int] | None = None,
    *,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Normally distributed random numbers with given mean and standard deviation."""

def not_equal(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether ``input != other``, element by element."""

def numel(input: _Tensor) -> builtins.int:
    """Number of elements of a tensor."""

def ones(
    *size: builtins.int | Sequence[builtins.int],
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A tensor of ones."""

def ones_like(
    input: _Operand,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Ones in the shape and dtype of a tensor."""

def orgqr(input: _Operand, input2: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """First columns of a product of Householder reflections: `linalg.householder_product`."""

def ormqr(
    input: _Operand,
    tau: _Operand,
    other: _Operand,
    left: builtins.bool = True,
    transpose: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Product of a matrix with a product Q of Householder reflections."""

def outer(input: _Operand, vec2: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Products of all pairs of elements of two vectors; nothing is conjugated."""

def pairwise_distance(
    x1: _Operand,
    x2: _Operand,
    p: builtins.float = 2.0,
    eps: builtins.float = 1e-06,
    keepdim: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Distances of corresponding vectors, which lie along the last dim."""

def pca_lowrank(
    A: _Operand,
    q: builtins.int | None = None,
    center: builtins.bool = True,
    niter: builtins.int = 2,
    *,
    out: Any = None,
) -> tuple[_Tensor, ...]:
    """Principal components of matrices whose rank is low."""

def pdist(input: _Operand, p: builtins.float = 2.0, *, out: _Tensor | None = None) -> _Tensor:
    """Distances between all pairs of points of a set."""

def permute(input: _Operand, dims: Sequence[builtins.int]) -> _Tensor:
    """The dims in another order."""

def permute_copy(input: _Operand, dims: Sequence[builtins.int], *, out: _Tensor | None = None) -> _Tensor:
    """The result of `permute` as a copy, which shares no memory with the input."""

def pinverse(input: _Operand, rcond: builtins.float = 1e-15, *, out: _Tensor | None = None) -> _Tensor:
    """Moore-Penrose pseudo-inverse of each matrix."""

def pixel_shuffle(input: _Operand, upscale_factor: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Larger images, whose new pixels are taken from channels."""

def pixel_unshuffle(input: _Operand, downscale_factor: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Smaller images, whose other pixels become channels: the inverse of `pixel_shuffle`."""

def poisson(input: _Operand, generator: _Generator | None = None, *, out: _Tensor | None = None) -> _Tensor:
    """Poisson-distributed random numbers with the rate that each element of `input` gives."""

def polar(abs: _Operand, angle: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Complex tensor from absolute values and angles."""

def polygamma(n: builtins.int, input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Derivative of some order of the digamma function."""

def positive(input: _Operand) -> _Tensor:
    """The tensor itself."""

def pow(input: _Operand, exponent: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Power of two tensors, element by element."""

def prelu(input: _Operand, weight: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements that are positive, a learned fraction of the others."""

def prod(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Product of the elements, of all or along dims."""

def put(
    input: _Operand, index: _Operand, source: _Operand, accumulate: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """`input` with elements of `source` written at positions of the flattened tensor."""

def qr(input: _Operand, some: builtins.bool = True, *, out: Any = None) -> _QR:
    """QR decomposition of each matrix, ``input = Q @ R``."""

def quantile(
    input: _Operand,
    q: _Operand | builtins.float | Sequence[builtins.float],
    dim: builtins.int | None = None,
    keepdim: builtins.bool = False,
    *,
    interpolation: str = "linear",
    out: _Tensor | None = None,
) -> _Tensor:
    """Quantiles of the elements."""

def rad2deg(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Radians to degrees."""

def rand(
    *shape: builtins.int | Sequence[builtins.int],
    size: builtins.int | Sequence[builtins.int] | None = None,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random numbers, uniform on [0, 1)."""

def rand_like(
    input: _Operand,
    *,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random numbers, uniform on [0, 1), in the shape of a tensor."""

def randint(
    *args: Any,
    low: builtins.int | None = None,
    high: builtins.int | None = None,
    size: builtins.int | Sequence[builtins.int] | None = None,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random integers, uniform on [low, high)."""

def randint_like(
    input: _Operand,
    *args: Any,
    low: builtins.int | None = None,
    high: builtins.int | None = None,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random integers, uniform on [low, high), in the shape of a tensor."""

def randn(
    *shape: builtins.int | Sequence[builtins.int],
    size: builtins.int | Sequence[builtins.int] | None = None,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random numbers with mean 0 and variance 1, normally distributed."""

def randn_like(
    input: _Operand,
    *,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random numbers with mean 0 and variance 1, normally distributed, in the shape of a tensor."""

def randperm(
    n: builtins.int,
    *,
    dtype: _DtypeLike | None = None,
    generator: _Generator | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Random permutation of the integers from 0 to n - 1."""

def ravel(input: _Operand) -> _Tensor:
    """All elements in one dim."""

def real(input: _Operand) -> _Tensor:
    """Real part of each element; a real tensor itself."""

def reciprocal(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """One over each element."""

def relu(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements that are positive, zero in place of the others. The derivative at zero is zero."""

def remainder(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Remainder with the sign of the divisor, as of Python's ``%``."""

def renorm(
    input: _Operand, p: builtins.float, dim: builtins.int, maxnorm: builtins.float, *, out: _Tensor | None = None
) -> _Tensor:
    """A copy in which each slice along a dim has at most a given norm."""

def repeat_interleave(
    input: _Operand,
    repeats: Any = None,
    dim: builtins.int | None = None,
    *,
    output_size: builtins.int | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Each element, or each slice along a dim, repeated in place."""

def reshape(input: _Operand, shape: Sequence[builtins.int]) -> _Tensor:
    """The same elements, in the same order, in another shape."""

def resolve_conj(input: _Operand) -> _Tensor:
    """The tensor itself: conjugates are always carried out here."""

def resolve_neg(input: _Operand) -> _Tensor:
    """The tensor itself: signs are always carried out here."""

def rms_norm(
    input: _Operand,
    normalized_shape: builtins.int | Sequence[builtins.int],
    weight: _Operand | None = None,
    eps: builtins.float | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Input divided by its root mean square over the last dims, then scaled."""

def roll(
    input: _Operand,
    shifts: builtins.int | Sequence[builtins.int],
    dims: builtins.int | Sequence[builtins.int] | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The elements shifted along some dims; what leaves at one end comes back at the other."""

def rot90(
    input: _Operand, k: builtins.int = 1, dims: Sequence[builtins.int] = ..., *, out: _Tensor | None = None
) -> _Tensor:
    """The tensor turned by 90 degrees in the plane of two dims."""

def round(input: _Operand, *, decimals: builtins.int = 0, out: _Tensor | None = None) -> _Tensor:
    """Elements rounded to a number of decimals, halves to the even neighbour."""

def row_stack(tensors: Sequence[_Operand], *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along the first dim; vectors and scalars become rows."""

def rrelu(
    input: _Operand,
    lower: builtins.float = 0.125,
    upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False,
    generator: Any = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Elements that are positive, a random fraction of the others."""

def rsqrt(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """One over the square root of each element."""

def rsub(input: _Operand, other: _Operand, *, alpha: builtins.complex = 1, out: _Tensor | None = None) -> _Tensor:
    """Difference of two tensors, the second minus the first."""

def scalar_tensor(
    s: Any,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A 0-d tensor."""

def scatter(
    input: _Operand,
    dim: builtins.int,
    index: _Operand,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """`input` with elements of `src` (or a number) written to the positions along `dim` that `index` names."""

def scatter_add(
    input: _Operand, dim: builtins.int, index: _Operand, src: _Operand, *, out: _Tensor | None = None
) -> _Tensor:
    """`input` with elements of `src` added at the positions along `dim` that `index` names."""

def scatter_reduce(
    input: _Operand,
    dim: builtins.int,
    index: _Operand,
    src: _Operand,
    reduce: str,
    *,
    include_self: builtins.bool = True,
    out: _Tensor | None = None,
) -> _Tensor:
    """`input` with elements of `src` combined into the positions along `dim` that `index` names."""

def searchsorted(
    sorted_sequence: _Operand,
    input: _Operand | builtins.float,
    *,
    out_int32: builtins.bool = False,
    right: builtins.bool = False,
    side: str | None = None,
    sorter: _Operand | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Positions at which values keep a sorted sequence sorted."""

def select(input: _Operand, dim: builtins.int, index: builtins.int) -> _Tensor:
    """One slice along a dim, which is dropped."""

def select_copy(input: _Operand, dim: builtins.int, index: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """The result of `select` as a copy, which shares no memory with the input."""

def select_scatter(
    input: _Operand, src: _Operand, dim: builtins.int, index: builtins.int, *, out: _Tensor | None = None
) -> _Tensor:
    """A copy in which one slice along a dim is replaced."""

def selu(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Scaled `elu` that keeps mean 0 and variance 1 from layer to layer."""

def sgn(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Sign of each element; of a complex one, the number of absolute value one in its direction. Zero at zero."""

def sigmoid(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logistic function ``1 / (1 + exp(-x))`` of each element."""

def sign(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Sign of each element: -1, 0 or 1."""

def signbit(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whether each element carries a minus sign (-0.0 does)."""

def sin(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Sine of each element, in radians."""

def sinc(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``sin(pi x) / (pi x)`` of each element, one at zero."""

def sinh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hyperbolic sine of each element."""

def slice_scatter(
    input: _Operand,
    src: _Operand,
    dim: builtins.int = 0,
    start: builtins.int | None = None,
    end: builtins.int | None = None,
    step: builtins.int = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """A copy in which a range along a dim is replaced."""

def slogdet(A: _Operand, *, out: Any = None) -> _Slogdet:
    """Sign of the determinant of each matrix, and the logarithm of its modulus."""

def softmax(
    input: _Operand, dim: builtins.int, dtype: _DtypeLike | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Exponentials of the elements, divided by their sum along a dim."""

def sort(
    input: _Operand,
    dim: builtins.int = -1,
    descending: builtins.bool = False,
    stable: builtins.bool = False,
    *,
    out: Any = None,
) -> _ValuesIndices:
    """Elements in order along a dim, and where they came from."""

def split(
    tensor: _Operand, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[_Tensor, ...]:
    """Pieces of given sizes along a dim."""

def split_copy(
    tensor: _Operand,
    split_size_or_sections: builtins.int | Sequence[builtins.int],
    dim: builtins.int = 0,
    *,
    out: Any = None,
) -> tuple[_Tensor, ...]:
    """The result of `split` as a copy, which shares no memory with the input."""

def split_with_sizes(
    input: _Operand, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[_Tensor, ...]:
    """Pieces of given sizes along a dim."""

def split_with_sizes_copy(
    input: _Operand, split_sizes: Sequence[builtins.int], dim: builtins.int = 0, *, out: Any = None
) -> tuple[_Tensor, ...]:
    """The result of `split_with_sizes` as a copy, which shares no memory with the input."""

def sqrt(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Square root of each element."""

def square(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Square of each element."""

def squeeze(input: _Operand, dim: builtins.int | Sequence[builtins.int] | None = None) -> _Tensor:
    """Dims of size 1 dropped."""

def squeeze_copy(
    input: _Operand, dim: builtins.int | Sequence[builtins.int] | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """The result of `squeeze` as a copy, which shares no memory with the input."""

def stack(tensors: Sequence[_Operand], dim: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """Tensors of one shape along a new dim."""

def std(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: builtins.float | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Standard deviation of the elements, of all or along dims."""

def std_mean(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: builtins.float | None = None,
    out: Any = None,
) -> tuple[_Tensor, _Tensor]:
    """Standard deviation and mean of the elements, of all or along dims."""

def stft(
    input: _Operand,
    n_fft: builtins.int,
    hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None,
    window: _Operand | None = None,
    center: builtins.bool = True,
    pad_mode: str = "reflect",
    normalized: builtins.bool = False,
    onesided: builtins.bool | None = None,
    return_complex: builtins.bool | None = None,
    align_to_window: builtins.bool | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Spectra of windows that slide over a signal."""

def sub(input: _Operand, other: _Operand, *, alpha: builtins.complex = 1, out: _Tensor | None = None) -> _Tensor:
    """Difference of two tensors, element by element."""

def subtract(input: _Operand, other: _Operand, *, alpha: builtins.complex = 1, out: _Tensor | None = None) -> _Tensor:
    """Difference of two tensors, element by element."""

def sum(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    keepdim: builtins.bool = False,
    *,
    dtype: _DtypeLike | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Sum of the elements, of all or along dims."""

def svd(input: _Operand, some: builtins.bool = True, compute_uv: builtins.bool = True, *, out: Any = None) -> _SVD:
    """Singular value decomposition of each matrix, ``input = U @ diag(S) @ V.mH``."""

def svd_lowrank(
    A: _Operand,
    q: builtins.int | None = 6,
    niter: builtins.int | None = 2,
    M: _Operand | None = None,
    *,
    out: Any = None,
) -> tuple[_Tensor, ...]:
    """Singular value decomposition of matrices whose rank is low, from a few random projections."""

def swapaxes(input: _Operand, dim0: builtins.int | Sequence[builtins.int], dim1: builtins.int | None = None) -> _Tensor:
    """Two dims exchanged; or, as NumPy's `transpose` and those who call it wish, all dims in another order."""

def swapdims(input: _Operand, dim0: builtins.int | Sequence[builtins.int], dim1: builtins.int | None = None) -> _Tensor:
    """Two dims exchanged; or, as NumPy's `transpose` and those who call it wish, all dims in another order."""

def t(input: _Operand) -> _Tensor:
    """The transpose of a matrix; a vector or a scalar as it is."""

def t_copy(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The result of `t` as a copy, which shares no memory with the input."""

def take(input: _Operand, index: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements of `input`, seen as 1-d, at the positions in `index`."""

def take_along_dim(
    input: _Operand, indices: _Operand, dim: builtins.int | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Elements of `input` at positions along `dim`, other dims broadcast."""

def tan(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Tangent of each element, in radians."""

def tanh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hyperbolic tangent of each element."""

def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False) -> _Tensor:
    """New tensor with a copy of `data`."""

def tensor_split(
    input: _Operand,
    indices_or_sections: builtins.int | Sequence[builtins.int] | _Operand | None = None,
    dim: builtins.int = 0,
    **named: Any,
) -> tuple[_Tensor, ...]:
    """Pieces along a dim, of nearly equal sizes or between given positions."""

def tensordot(a: _Operand, b: _Operand, dims: Any = 2, *, out: _Tensor | None = None) -> _Tensor:
    """Sum of products over pairs of dims of two tensors."""

def threshold(
    input: _Operand, threshold: builtins.float, value: builtins.float, *, out: _Tensor | None = None
) -> _Tensor:
    """Elements above a threshold, a fixed value in place of the others."""

def tile(input: _Operand, dims: Sequence[builtins.int], *, out: _Tensor | None = None) -> _Tensor:
    """The tensor repeated along its dims, as by `numpy.tile`."""

def topk(
    input: _Operand,
    k: builtins.int,
    dim: builtins.int = -1,
    largest: builtins.bool = True,
    sorted: builtins.bool = True,
    *,
    out: Any = None,
) -> _ValuesIndices:
    """The `k` greatest (or least) elements along a dim, and their positions."""

def trace(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Sum of a matrix's diagonal."""

def transpose(
    input: _Operand, dim0: builtins.int | Sequence[builtins.int], dim1: builtins.int | None = None
) -> _Tensor:
    """Two dims exchanged; or, as NumPy's `transpose` and those who call it wish, all dims in another order."""

def transpose_copy(
    input: _Operand,
    dim0: builtins.int | Sequence[builtins.int],
    dim1: builtins.int | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The result of `transpose` as a copy, which shares no memory with the input."""

def trapezoid(
    y: _Operand,
    x: _Operand | None = None,
    *,
    dx: builtins.float | None = None,
    dim: builtins.int = -1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Integral along a dim by the trapezoidal rule."""

def trapz(
    y: _Operand,
    x: _Operand | None = None,
    *,
    dx: builtins.float | None = None,
    dim: builtins.int = -1,
    out: _Tensor | None = None,
) -> _Tensor:
    """Integral along a dim by the trapezoidal rule."""

def triangular_solve(
    b: _Operand,
    A: _Operand,
    upper: builtins.bool = True,
    transpose: builtins.bool = False,
    unitriangular: builtins.bool = False,
    *,
    out: Any = None,
) -> _TriangularSolve:
    """Solution of a system of linear equations with a triangular matrix, and a copy of the matrix."""

def tril(input: _Operand, diagonal: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """The lower triangle of a matrix, or of each of a batch; the rest is zero."""

def tril_indices(
    row: builtins.int,
    col: builtins.int,
    offset: builtins.int = 0,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Positions of the lower triangle of a matrix."""

def triu(input: _Operand, diagonal: builtins.int = 0, *, out: _Tensor | None = None) -> _Tensor:
    """The upper triangle of a matrix, or of each of a batch; the rest is zero."""

def triu_indices(
    row: builtins.int,
    col: builtins.int,
    offset: builtins.int = 0,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Positions of the upper triangle of a matrix."""

def true_divide(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Quotient of two tensors, element by element; see `div`."""

def trunc(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Whole part of each element."""

def unbind(input: _Operand, dim: builtins.int = 0) -> tuple[_Tensor, ...]:
    """All slices along a dim, which is dropped."""

def unbind_copy(input: _Operand, dim: builtins.int = 0, *, out: Any = None) -> tuple[_Tensor, ...]:
    """The result of `unbind` as a copy, which shares no memory with the input."""

def unflatten(input: _Operand, dim: builtins.int, sizes: Sequence[builtins.int]) -> _Tensor:
    """One dim split into several."""

def unfold_copy(
    input: _Operand, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: _Tensor | None = None
) -> _Tensor:
    """The result of `unfold` as a copy, which shares no memory with the input."""

def unique(
    input: _Operand,
    sorted: builtins.bool = True,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
    *,
    size: builtins.int | None = None,
    fill_value: Any = None,
    out: Any = None,
) -> Any:
    """The distinct elements, or the distinct slices along a dim, in order."""

def unique_consecutive(
    input: _Operand,
    return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
    *,
    size: builtins.int | None = None,
    fill_value: Any = None,
    out: Any = None,
) -> Any:
    """The elements, or the slices along a dim, without those that repeat their predecessor."""

def unravel_index(
    indices: _Operand, shape: builtins.int | Sequence[builtins.int], *, out: Any = None
) -> tuple[_Tensor, ...]:
    """Position in each dim of a tensor of the given shape, for flat positions."""

def unsafe_chunk(input: _Operand, chunks: builtins.int, dim: builtins.int = 0) -> tuple[_Tensor, ...]:
    """At most a given number of pieces of equal size along a dim; the last may be smaller."""

def unsafe_split(
    tensor: _Operand, split_size_or_sections: builtins.int | Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[_Tensor, ...]:
    """Pieces of given sizes along a dim."""

def unsafe_split_with_sizes(
    input: _Operand, split_sizes: Sequence[builtins.int], dim: builtins.int = 0
) -> tuple[_Tensor, ...]:
    """Pieces of given sizes along a dim."""

def unsqueeze(input: _Operand, dim: builtins.int) -> _Tensor:
    """A dim of size 1 inserted."""

def unsqueeze_copy(input: _Operand, dim: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """The result of `unsqueeze` as a copy, which shares no memory with the input."""

def vander(
    x: _Operand, N: builtins.int | None = None, increasing: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Vandermonde matrix: powers of each element along a new dim."""

def var(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: builtins.float | None = None,
    out: _Tensor | None = None,
) -> _Tensor:
    """Variance of the elements, of all or along dims."""

def var_mean(
    input: _Operand,
    dim: builtins.int | Sequence[builtins.int] | None = None,
    unbiased: builtins.bool | None = None,
    keepdim: builtins.bool = False,
    *,
    correction: builtins.float | None = None,
    out: Any = None,
) -> tuple[_Tensor, _Tensor]:
    """Variance and mean of the elements, of all or along dims."""

def vdot(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Inner product of two vectors: like `dot`, with the first one conjugated."""

def view_as_complex(input: _Tensor) -> _Tensor:
    """Complex numbers from a last dim that holds real and imaginary parts."""

def view_as_complex_copy(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The result of `view_as_complex` as a copy, which shares no memory with the input."""

def view_as_real(input: _Operand) -> _Tensor:
    """Real and imaginary parts as a last dim of size 2."""

def view_as_real_copy(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """The result of `view_as_real` as a copy, which shares no memory with the input."""

def view_copy(input: _Operand, *shape: Any, out: _Tensor | None = None) -> _Tensor:
    """The result of `view` as a copy, which shares no memory with the input."""

def vsplit(input: _Operand, indices_or_sections: builtins.int | Sequence[builtins.int]) -> tuple[_Tensor, ...]:
    """Pieces along the first dim."""

def vstack(tensors: Sequence[_Operand], *, out: _Tensor | None = None) -> _Tensor:
    """Tensors joined along the first dim; vectors and scalars become rows."""

def where(
    condition: _Operand, input: _Operand | None = None, other: _Operand | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Elements of one tensor where a condition holds, of another where it does not."""

def xlogy(input: _Operand, other: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """``input * log(other)``, which is zero where `input` is zero, whatever `other` is (but NaN)."""

def zeros(
    *size: builtins.int | Sequence[builtins.int],
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """A tensor of zeros."""

def zeros_like(
    input: _Operand,
    *,
    dtype: _DtypeLike | None = None,
    device: Any = None,
    requires_grad: builtins.bool = False,
    out: _Tensor | None = None,
) -> _Tensor:
    """Zeros in the shape and dtype of a tensor."""
