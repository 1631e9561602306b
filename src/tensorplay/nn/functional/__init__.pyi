"""The functions of neural networks, with torch's names: ops lifted to tensors."""

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

from tensorplay.nn.functional.options import LinearCrossEntropyOptions as LinearCrossEntropyOptions

def adaptive_avg_pool1d(input: _Operand, output_size: Any, *, out: _Tensor | None = None) -> _Tensor:
    """Mean of windows that cover the input and are as many as asked for."""

def adaptive_avg_pool2d(input: _Operand, output_size: Any, *, out: _Tensor | None = None) -> _Tensor:
    """Mean of windows that cover the input and are as many as asked for."""

def adaptive_avg_pool3d(input: _Operand, output_size: Any, *, out: _Tensor | None = None) -> _Tensor:
    """Mean of windows that cover the input and are as many as asked for."""

def adaptive_max_pool1d(
    input: _Operand, output_size: Any, return_indices: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Maximum of windows that cover the input and are as many as asked for."""

def adaptive_max_pool1d_with_indices(input: _Operand, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """Pair of maxima and their positions: `adaptive_max_pool1d` with ``return_indices=True``."""

def adaptive_max_pool2d(
    input: _Operand, output_size: Any, return_indices: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Maximum of windows that cover the input and are as many as asked for."""

def adaptive_max_pool2d_with_indices(input: _Operand, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """Pair of maxima and their positions: `adaptive_max_pool2d` with ``return_indices=True``."""

def adaptive_max_pool3d(
    input: _Operand, output_size: Any, return_indices: builtins.bool = False, *, out: _Tensor | None = None
) -> _Tensor:
    """Maximum of windows that cover the input and are as many as asked for."""

def adaptive_max_pool3d_with_indices(input: _Operand, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """Pair of maxima and their positions: `adaptive_max_pool3d` with ``return_indices=True``."""

def affine_grid(
    theta: _Operand,
    size: Sequence[builtins.int],
    align_corners: builtins.bool | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Places that affine maps read, for `grid_sample`."""

def alpha_dropout(
    input: _Operand, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False
) -> _Tensor:
    """`input` with elements set to the floor of `selu` at random, then scaled and shifted to keep mean 0 and variance 1."""

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

def avg_pool2d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    ceil_mode: builtins.bool = False,
    count_include_pad: builtins.bool = True,
    divisor_override: builtins.int | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Mean of each window."""

def avg_pool3d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    ceil_mode: builtins.bool = False,
    count_include_pad: builtins.bool = True,
    divisor_override: builtins.int | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Mean of each window."""

def batch_norm(
    input: _Tensor,
    running_mean: _Tensor | None,
    running_var: _Tensor | None,
    weight: _Tensor | None = None,
    bias: _Tensor | None = None,
    training: builtins.bool = False,
    momentum: builtins.float = 0.1,
    eps: builtins.float = 1e-05,
) -> _Tensor:
    """Batch normalisation: mean 0 and variance 1 of each channel, then scaled and shifted."""

def bilinear(
    input1: _Operand, input2: _Operand, weight: _Operand, bias: _Operand | None = None, *, out: _Tensor | None = None
) -> _Tensor:
    """Bilinear form of the last dims of two tensors: ``out[*, o] = input1[*, i] weight[o, i, j] input2[*, j] + bias[o]``."""

def binary_cross_entropy(
    input: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Cross entropy of probabilities of the second of two classes."""

def binary_cross_entropy_with_logits(
    input: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    pos_weight: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Cross entropy of logits of the second of two classes."""

def celu(input: _Operand, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> _Tensor:
    """Elements that are positive, ``alpha * (exp(x / alpha) - 1)`` of the others."""

def celu_(input: _Operand, alpha: builtins.float = 1.0) -> _Tensor:
    """`celu`, in place: `input` holds the result, and is returned."""

def channel_shuffle(input: _Operand, groups: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Channels in another order: the first of each group, then the second of each, and so on."""

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

def cosine_embedding_loss(
    input1: _Operand,
    input2: _Operand,
    target: _Operand,
    margin: builtins.float = 0,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """One minus the cosine of pairs that are alike, and by how much the cosine of the others exceeds a margin."""

def cosine_similarity(
    x1: _Operand, x2: _Operand, dim: builtins.int = 1, eps: builtins.float = 1e-08, *, out: _Tensor | None = None
) -> _Tensor:
    """Cosines of the angles between corresponding vectors along a dim."""

def cross_entropy(
    input: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    size_average: builtins.bool | None = None,
    ignore_index: builtins.int = -100,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    label_smoothing: builtins.float = 0.0,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Cross entropy of logits and classes, or probabilities of classes."""

def ctc_loss(
    log_probs: _Operand,
    targets: _Operand,
    input_lengths: Any,
    target_lengths: Any,
    blank: builtins.int = 0,
    reduction: str = "mean",
    zero_infinity: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Negative log-likelihood of label sequences, summed over all their alignments with a longer input."""

def dropout(
    input: _Operand, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False
) -> _Tensor:
    """`input` with elements set to zero at random, the others scaled up so that the mean stays."""

def dropout1d(
    input: _Operand, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False
) -> _Tensor:
    """`input` with whole channels of sequences set to zero at random, the others scaled up so that the mean stays."""

def dropout2d(
    input: _Operand, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False
) -> _Tensor:
    """`input` with whole channels of images set to zero at random, the others scaled up so that the mean stays."""

def dropout3d(
    input: _Operand, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False
) -> _Tensor:
    """`input` with whole channels of volumes set to zero at random, the others scaled up so that the mean stays."""

def elu(input: _Operand, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> _Tensor:
    """Elements that are positive, ``alpha * (exp(x) - 1)`` of the others."""

def elu_(input: _Operand, alpha: builtins.float = 1.0) -> _Tensor:
    """`elu`, in place: `input` holds the result, and is returned."""

def embedding(
    input: _Operand,
    weight: _Operand,
    padding_idx: builtins.int | None = None,
    max_norm: builtins.float | None = None,
    norm_type: builtins.float = 2.0,
    scale_grad_by_freq: builtins.bool = False,
    sparse: builtins.bool = False,
) -> _Tensor:
    """Rows of a table, one for each index."""

def embedding_bag(
    input: _Operand,
    weight: _Operand,
    offsets: _Operand | None = None,
    max_norm: builtins.float | None = None,
    norm_type: builtins.float = 2.0,
    scale_grad_by_freq: builtins.bool = False,
    mode: str = "mean",
    sparse: builtins.bool = False,
    per_sample_weights: _Operand | None = None,
    include_last_offset: builtins.bool = False,
    padding_idx: builtins.int | None = None,
) -> _Tensor:
    """Sums, means or maxima of rows of a table over bags of indices."""

def feature_alpha_dropout(
    input: _Operand, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False
) -> _Tensor:
    """`input` with whole channels set to the floor of `selu` at random, then scaled and shifted as by `alpha_dropout`."""

def fold(
    input: _Operand,
    output_size: builtins.int | Sequence[builtins.int],
    kernel_size: builtins.int | Sequence[builtins.int],
    dilation: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] = 0,
    stride: builtins.int | Sequence[builtins.int] = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """An image from windows given as columns; where windows overlap, they add up."""

def fractional_max_pool2d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    output_size: builtins.int | Sequence[builtins.int] | None = None,
    output_ratio: Any = None,
    return_indices: builtins.bool = False,
    _random_samples: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Maximum of windows at random places, which are as many as asked for."""

def fractional_max_pool2d_with_indices(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    output_size: builtins.int | Sequence[builtins.int] | None = None,
    output_ratio: Any = None,
    return_indices: builtins.bool = False,
    _random_samples: _Operand | None = None,
) -> Any:
    """Pair of maxima and their positions: `fractional_max_pool2d` with ``return_indices=True``."""

def fractional_max_pool3d(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    output_size: builtins.int | Sequence[builtins.int] | None = None,
    output_ratio: Any = None,
    return_indices: builtins.bool = False,
    _random_samples: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Maximum of windows at random places, which are as many as asked for."""

def fractional_max_pool3d_with_indices(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    output_size: builtins.int | Sequence[builtins.int] | None = None,
    output_ratio: Any = None,
    return_indices: builtins.bool = False,
    _random_samples: _Operand | None = None,
) -> Any:
    """Pair of maxima and their positions: `fractional_max_pool3d` with ``return_indices=True``."""

def gaussian_nll_loss(
    input: _Operand,
    target: _Operand,
    var: _Operand,
    full: builtins.bool = False,
    eps: builtins.float = 1e-06,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Negative log-likelihood of targets under normal distributions."""

def gelu(input: _Operand, *, approximate: str = "none", out: _Tensor | None = None) -> _Tensor:
    """Each element times the probability that a standard normal variable is smaller."""

def glu(input: _Operand, dim: builtins.int = -1, *, out: _Tensor | None = None) -> _Tensor:
    """First half of a tensor times the logistic function of the second."""

def grid_sample(
    input: _Operand,
    grid: _Operand,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: builtins.bool | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Images read at the places of a grid."""

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

def gumbel_softmax(
    logits: _Tensor,
    tau: builtins.float = 1,
    hard: builtins.bool = False,
    eps: builtins.float = 1e-10,
    dim: builtins.int = -1,
) -> _Tensor:
    """Sample of the Gumbel-softmax distribution."""

def hardshrink(input: _Operand, lambd: builtins.float = 0.5, *, out: _Tensor | None = None) -> _Tensor:
    """Elements beyond a distance from zero, zero in place of the others."""

def hardsigmoid(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Piecewise linear approximation of the logistic function, ``min(max(x + 3, 0), 6) / 6``."""

def hardswish(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Each element times its `hardsigmoid`."""

def hardtanh(
    input: _Operand, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0, inplace: builtins.bool = False
) -> _Tensor:
    """Elements confined to an interval. The derivative at the bounds is zero."""

def hardtanh_(input: _Operand, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0) -> _Tensor:
    """`hardtanh`, in place: `input` holds the result, and is returned."""

def hinge_embedding_loss(
    input: _Operand,
    target: _Operand,
    margin: builtins.float = 1.0,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Distances of pairs that are alike, and what the distances of the others lack to a margin."""

def huber_loss(
    input: _Operand,
    target: _Operand,
    reduction: str = "mean",
    delta: builtins.float = 1.0,
    weight: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Half the squared differences near zero, continued by lines."""

def instance_norm(
    input: _Tensor,
    running_mean: _Tensor | None = None,
    running_var: _Tensor | None = None,
    weight: _Tensor | None = None,
    bias: _Tensor | None = None,
    use_input_stats: builtins.bool = True,
    momentum: builtins.float = 0.1,
    eps: builtins.float = 1e-05,
) -> _Tensor:
    """Instance normalisation: mean 0 and variance 1 of each channel of each sample, then scaled and shifted."""

def interpolate(
    input: _Operand,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: builtins.bool | None = None,
    recompute_scale_factor: builtins.bool | None = None,
    antialias: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Images of another size."""

def kl_div(
    input: _Operand,
    target: _Operand,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    log_target: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Divergence of Kullback and Leibler of target from input, element by element."""

def l1_loss(
    input: _Operand,
    target: _Operand,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    weight: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Absolute differences."""

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

def leaky_relu(input: _Operand, negative_slope: builtins.float = 0.01, inplace: builtins.bool = False) -> _Tensor:
    """Elements that are positive, a fraction of the others."""

def leaky_relu_(input: _Operand, negative_slope: builtins.float = 0.01) -> _Tensor:
    """`leaky_relu`, in place: `input` holds the result, and is returned."""

def linear(input: _Operand, weight: _Operand, bias: _Operand | None = None, *, out: _Tensor | None = None) -> _Tensor:
    """Affine map of the last dim: ``input @ weight.T + bias``."""

def linear_cross_entropy(
    input: _Tensor,
    linear_weight: _Tensor,
    target: _Tensor,
    *,
    linear_bias: _Tensor | None = None,
    weight: _Tensor | None = None,
    reduction: str = "mean",
    ignore_index: builtins.int | None = None,
    label_smoothing: builtins.float = 0.0,
    options: Any = None,
) -> _Tensor:
    """Cross entropy of the logits that a linear map makes of features."""

def local_response_norm(
    input: _Operand,
    size: builtins.int,
    alpha: builtins.float = 0.0001,
    beta: builtins.float = 0.75,
    k: builtins.float = 1.0,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Each element divided by a power of the mean square over neighbouring channels."""

def log_softmax(
    input: _Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: Any = None
) -> _Tensor:
    """Logarithm of the softmax."""

def logsigmoid(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logarithm of the logistic function, without overflow."""

def lp_pool1d(
    input: _Operand,
    norm_type: builtins.float,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    ceil_mode: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of each window."""

def lp_pool2d(
    input: _Operand,
    norm_type: builtins.float,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    ceil_mode: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of each window."""

def lp_pool3d(
    input: _Operand,
    norm_type: builtins.float,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    ceil_mode: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Norm of each window."""

def margin_ranking_loss(
    input1: _Operand,
    input2: _Operand,
    target: _Operand,
    margin: builtins.float = 0,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """What one score lacks to be larger than another by a margin."""

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

def max_pool1d_with_indices(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
) -> Any:
    """Pair of maxima and their positions: `max_pool1d` with ``return_indices=True``."""

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

def max_pool2d_with_indices(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
) -> Any:
    """Pair of maxima and their positions: `max_pool2d` with ``return_indices=True``."""

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

def max_pool3d_with_indices(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
    return_indices: builtins.bool = False,
) -> Any:
    """Pair of maxima and their positions: `max_pool3d` with ``return_indices=True``."""

def max_unpool1d(
    input: _Operand,
    indices: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    output_size: Sequence[builtins.int] | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The input of a max pooling as far as its maxima tell: they return to their places, all else is zero."""

def max_unpool2d(
    input: _Operand,
    indices: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    output_size: Sequence[builtins.int] | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The input of a max pooling as far as its maxima tell: they return to their places, all else is zero."""

def max_unpool3d(
    input: _Operand,
    indices: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0,
    output_size: Sequence[builtins.int] | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The input of a max pooling as far as its maxima tell: they return to their places, all else is zero."""

def mish(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Each element times the hyperbolic tangent of its `softplus`."""

def mse_loss(
    input: _Operand,
    target: _Operand,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    weight: _Operand | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Squared differences."""

def multi_head_attention_forward(
    query: _Operand,
    key: _Operand,
    value: _Operand,
    embed_dim_to_check: builtins.int,
    num_heads: builtins.int,
    in_proj_weight: _Operand | None,
    in_proj_bias: _Operand | None,
    bias_k: _Operand | None,
    bias_v: _Operand | None,
    add_zero_attn: builtins.bool,
    dropout_p: builtins.float,
    out_proj_weight: _Operand,
    out_proj_bias: _Operand | None,
    training: builtins.bool = True,
    key_padding_mask: _Operand | None = None,
    need_weights: builtins.bool = True,
    attn_mask: _Operand | None = None,
    use_separate_proj_weight: builtins.bool = False,
    q_proj_weight: _Operand | None = None,
    k_proj_weight: _Operand | None = None,
    v_proj_weight: _Operand | None = None,
    static_k: _Operand | None = None,
    static_v: _Operand | None = None,
    average_attn_weights: builtins.bool = True,
    is_causal: builtins.bool = False,
    *,
    out: Any = None,
) -> tuple[_Tensor, _Tensor | None]:
    """Attention of several heads, with projections before and after it."""

def multi_margin_loss(
    input: _Operand,
    target: _Operand,
    p: builtins.int = 1,
    margin: builtins.float = 1.0,
    weight: _Operand | None = None,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """What the score of a class lacks to exceed those of the other classes by a margin."""

def multilabel_margin_loss(
    input: _Operand,
    target: _Operand,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """What the scores of several classes lack to exceed those of all others by one."""

def multilabel_soft_margin_loss(
    input: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Mean over the classes of the binary cross entropies of logits."""

def nll_loss(
    input: _Operand,
    target: _Operand,
    weight: _Operand | None = None,
    size_average: builtins.bool | None = None,
    ignore_index: builtins.int = -100,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Negative log-likelihood of classes."""

def normalize(
    input: _Operand,
    p: builtins.float = 2.0,
    dim: builtins.int | Sequence[builtins.int] = 1,
    eps: builtins.float = 1e-12,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Input divided by its p-norm along a dim."""

def one_hot(tensor: _Operand, num_classes: builtins.int = -1, *, out: _Tensor | None = None) -> _Tensor:
    """Vectors that are one at the given class and zero elsewhere."""

def pad(
    input: _Operand,
    pad: Sequence[builtins.int],
    mode: str = "constant",
    value: builtins.float | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The tensor with elements put around it, or cut off."""

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

def pdist(input: _Operand, p: builtins.float = 2.0, *, out: _Tensor | None = None) -> _Tensor:
    """Distances between all pairs of points of a set."""

def pixel_shuffle(input: _Operand, upscale_factor: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Larger images, whose new pixels are taken from channels."""

def pixel_unshuffle(input: _Operand, downscale_factor: builtins.int, *, out: _Tensor | None = None) -> _Tensor:
    """Smaller images, whose other pixels become channels: the inverse of `pixel_shuffle`."""

def poisson_nll_loss(
    input: _Operand,
    target: _Operand,
    log_input: builtins.bool = True,
    full: builtins.bool = False,
    size_average: builtins.bool | None = None,
    eps: builtins.float = 1e-08,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Negative log-likelihood of counts under Poisson distributions."""

def prelu(input: _Operand, weight: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Elements that are positive, a learned fraction of the others."""

def relu(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Elements that are positive, zero in place of the others. The derivative at zero is zero."""

def relu6(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Elements confined to the interval from 0 to 6. The derivative at the bounds is zero."""

def relu_(input: _Operand) -> _Tensor:
    """`relu`, in place: `input` holds the result, and is returned."""

def rms_norm(
    input: _Operand,
    normalized_shape: builtins.int | Sequence[builtins.int],
    weight: _Operand | None = None,
    eps: builtins.float | None = None,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Input divided by its root mean square over the last dims, then scaled."""

def rrelu(
    input: _Operand,
    lower: builtins.float = 0.125,
    upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False,
    inplace: builtins.bool = False,
    *,
    generator: Any = None,
) -> _Tensor:
    """Elements that are positive, a random fraction of the others."""

def rrelu_(
    input: _Operand,
    lower: builtins.float = 0.125,
    upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False,
    generator: Any = None,
) -> _Tensor:
    """`rrelu`, in place: `input` holds the result, and is returned."""

def scaled_dot_product_attention(
    query: _Operand,
    key: _Operand,
    value: _Operand,
    attn_mask: _Operand | None = None,
    dropout_p: builtins.float = 0.0,
    is_causal: builtins.bool = False,
    scale: builtins.float | None = None,
    enable_gqa: builtins.bool = False,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Values averaged with the softmax of scaled products of queries and keys as weights."""

def selu(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Scaled `elu` that keeps mean 0 and variance 1 from layer to layer."""

def selu_(input: _Operand) -> _Tensor:
    """`selu`, in place: `input` holds the result, and is returned."""

def sigmoid(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Logistic function ``1 / (1 + exp(-x))`` of each element."""

def silu(input: _Operand, inplace: builtins.bool = False) -> _Tensor:
    """Each element times its logistic function, ``x * sigmoid(x)``."""

def smooth_l1_loss(
    input: _Operand,
    target: _Operand,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    beta: builtins.float = 1.0,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Absolute differences, rounded to a parabola near zero."""

def soft_margin_loss(
    input: _Operand,
    target: _Operand,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """Logistic loss of scores for two classes."""

def softmax(
    input: _Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: Any = None
) -> _Tensor:
    """Exponentials divided by their sum along a dim."""

def softmin(
    input: _Tensor, dim: builtins.int | None = None, _stacklevel: builtins.int = 3, dtype: Any = None
) -> _Tensor:
    """Softmax of the negated input."""

def softplus(
    input: _Operand, beta: builtins.float = 1.0, threshold: builtins.float = 20.0, *, out: _Tensor | None = None
) -> _Tensor:
    """Smooth approximation of `relu`, ``log(1 + exp(beta * x)) / beta``."""

def softshrink(input: _Operand, lambd: builtins.float = 0.5, *, out: _Tensor | None = None) -> _Tensor:
    """Elements moved towards zero by a fixed amount; zero for those that are closer."""

def softsign(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Each element divided by one plus its absolute value."""

def tanh(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Hyperbolic tangent of each element."""

def tanhshrink(input: _Operand, *, out: _Tensor | None = None) -> _Tensor:
    """Each element minus its hyperbolic tangent."""

def threshold(
    input: _Operand, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False
) -> _Tensor:
    """Elements above a threshold, a fixed value in place of the others."""

def threshold_(input: _Operand, threshold: builtins.float, value: builtins.float) -> _Tensor:
    """`threshold`, in place: `input` holds the result, and is returned."""

def triplet_margin_loss(
    anchor: _Operand,
    positive: _Operand,
    negative: _Operand,
    margin: builtins.float = 1.0,
    p: builtins.float = 2,
    eps: builtins.float = 1e-06,
    swap: builtins.bool = False,
    size_average: builtins.bool | None = None,
    reduce: builtins.bool | None = None,
    reduction: str = "mean",
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """By how much positive examples are not nearer to an anchor, by a margin, than negative ones."""

def triplet_margin_with_distance_loss(
    anchor: _Tensor,
    positive: _Tensor,
    negative: _Tensor,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: builtins.float = 1.0,
    swap: builtins.bool = False,
    reduction: str = "mean",
) -> _Tensor:
    """By how much positive examples are not nearer to an anchor, by a margin, than negative ones, for any distance."""

def unfold(
    input: _Operand,
    kernel_size: builtins.int | Sequence[builtins.int],
    dilation: builtins.int | Sequence[builtins.int] = 1,
    padding: builtins.int | Sequence[builtins.int] = 0,
    stride: builtins.int | Sequence[builtins.int] = 1,
    *,
    out: _Tensor | None = None,
) -> _Tensor:
    """The windows of an image as columns."""

def upsample(
    input: _Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: builtins.bool | None = None,
) -> _Tensor:
    """Images of another size: an older name of `interpolate`."""

def upsample_bilinear(input: _Tensor, size: Any = None, scale_factor: Any = None) -> _Tensor:
    """Images of another size, bilinear between pixels, whose corners stay in place."""

def upsample_nearest(input: _Tensor, size: Any = None, scale_factor: Any = None) -> _Tensor:
    """Images of another size, each value that of the nearest pixel."""
