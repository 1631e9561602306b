"""
Convolutions: sliding windows, which are a view, contracted with the weight.

Both parts nest under every transform, so the gradients, transposed convolution, `unfold` and `fold` need no rules.
In the specs of the contractions, n is the batch, g the group, c and o the channels of input and output, xyz positions,
ijk taps.
"""

from __future__ import annotations

from typing import Any

from tensorplay.core.value import Shape, Value
from tensorplay.errors import shown
from tensorplay.ops import families
from tensorplay.ops.contraction import contract, contract_add
from tensorplay.ops.families import reshape
from tensorplay.ops.shape import slice_key
from tensorplay.ops.windows import Windows, cropped, embedded, overlap_add, per_dim, unpadded, windows

Sizes = int | tuple[int, ...]
Padding = int | tuple[int, ...] | str


# ---- arguments -------------------------------------------------------------------------------------------------------


def _check(name: str, input: Value, weight: Value, bias: Value | None, nd: int) -> None:
    if weight.ndim != nd + 2:
        raise RuntimeError(f"{name}(): weight must have {nd + 2} dims, got shape {list(weight.shape)}")
    if input.ndim not in (nd + 1, nd + 2):
        raise RuntimeError(
            f"{name}(): input must have {nd + 2} dims, or {nd + 1} if it is a single sample, got shape "
            f"{list(input.shape)}"
        )
    for title, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype != input.dtype:
            raise RuntimeError(f"{name}(): input has dtype {input.dtype} and {title} {other.dtype}; they must be equal")


def _check_channels(name: str, input: Value, nd: int, expected: int, weight: Value, groups: int) -> None:
    if input.shape[-nd - 1] != expected:
        raise RuntimeError(
            f"{name}(): a weight of shape {list(weight.shape)} with groups={groups} expects {expected} input "
            f"channels, but input has shape {list(input.shape)}"
        )


def _check_groups(name: str, channels: int, groups: int, weight: Value) -> None:
    if groups < 1:
        raise RuntimeError(f"{name}(): groups must be positive, got {groups}")
    if channels % groups:
        raise RuntimeError(
            f"{name}(): dim 0 of the weight, of shape {list(weight.shape)}, must be divisible by groups={groups}"
        )


def _check_bias(name: str, bias: Value | None, channels: int) -> None:
    if bias is not None and bias.shape != (channels,):
        raise RuntimeError(f"{name}(): bias must have shape [{channels}], got {list(bias.shape)}")


def _padding(
    name: str, padding: Padding, nd: int, kernel: Shape, stride: Shape, dilation: Shape
) -> tuple[Shape, Shape]:
    """Zeros before and after each spatial dim."""
    if not isinstance(padding, str):
        both = per_dim(padding, nd, name, "padding", 0)
        return both, both
    if padding == "valid":
        return (0,) * nd, (0,) * nd
    if padding != "same":
        raise RuntimeError(f"{name}(): padding must be 'valid', 'same', an int or ints, got {shown(padding)}")
    if any(s != 1 for s in stride):
        raise RuntimeError(f"{name}(): padding='same' is not supported for strided convolutions, got stride={stride}")
    total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    return tuple([t // 2 for t in total]), tuple([t - t // 2 for t in total])


def _grouped(value: Value, dim: int, groups: int) -> Value:
    """`value` with dim `dim` split into [groups, rest]; itself if there is a single group."""
    if groups == 1:
        return value
    shape = value.shape
    return reshape(value, shape=(*shape[:dim], groups, shape[dim] // groups, *shape[dim + 1 :]))


def _with_bias(value: Value, bias: Value | None, nd: int) -> Value:
    return value if bias is None else families.add(value, reshape(bias, shape=(bias.shape[0], *(1,) * nd)))


# ---- convolution -----------------------------------------------------------------------------------------------------


def _convolution(
    nd: int, input: Value, weight: Value, bias: Value | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Value:
    name = f"conv{nd}d"
    _check(name, input, weight, bias, nd)
    _check_groups(name, weight.shape[0], groups, weight)
    _check_channels(name, input, nd, weight.shape[1] * groups, weight, groups)
    _check_bias(name, bias, weight.shape[0])
    steps, dilations = per_dim(stride, nd, name, "stride"), per_dim(dilation, nd, name, "dilation")
    kernel = weight.shape[2:]
    padded = embedded(input, *_padding(name, padding, nd, kernel, steps, dilations))
    w = unpadded(kernel, steps, dilations, padded.shape[padded.ndim - nd :])
    if min(w.out) < 1:
        raise RuntimeError(
            f"{name}(): a kernel of size {list(kernel)} with dilation {list(dilations)} does not fit into the padded "
            f"input, of spatial shape {list(padded.shape[padded.ndim - nd :])}"
        )
    channels = padded.ndim - nd - 1
    x = _grouped(padded, channels, groups)
    shifts = None if bias is None else _grouped(reshape(bias, shape=(weight.shape[0], *(1,) * nd)), 0, groups)
    out = _correlate(x, _grouped(weight, 0, groups), w, "n" * channels + "g" * (groups > 1), shifts)
    return reshape(out, shape=(*input.shape[:channels], weight.shape[0], *w.out)) if groups > 1 else out


def _correlate(x: Value, weight: Value, w: Windows, lead: str, shifts: Value | None = None) -> Value:
    """Weight [g, o, c, *kernel] contracted with windows of x [n, g, c, *spatial], plus shifts; n, g may be missing."""
    positions, taps = "xyz"[: w.ndim], "ijk"[: w.ndim]
    if all(k == 1 for k in w.kernel):
        weight, taps = reshape(weight, shape=weight.shape[: weight.ndim - w.ndim]), ""
        x = _strided(x, w)
    else:
        x = windows(x, w=w)
    group = lead.replace("n", "")
    spec = (f"{group}oc{taps}", f"{lead}c{taps}{positions}", f"{lead}o{positions}")
    return contract(weight, x, spec=spec) if shifts is None else contract_add(weight, x, shifts, spec=spec)


def _strided(x: Value, w: Windows) -> Value:
    if all(s == 1 for s in w.stride):
        return x
    return slice_key(x, key=(*(slice(None),) * (x.ndim - w.ndim), *[slice(0, None, s) for s in w.stride]))


def conv1d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Value:
    """
    Cross-correlation of a signal with a set of kernels, plus a bias.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, in_channels, length]``, or ``[in_channels, length]`` for a single sample.
    weight : Tensor
        Shape ``[out_channels, in_channels / groups, kernel]``.
    bias : Tensor, optional
        Shape ``[out_channels]``.
    stride, dilation : int or tuple of int, default 1
        Distance of the windows, and of the elements in a window.
    padding : int, tuple of int, "valid" or "same", default 0
        Zeros at both ends; "same" keeps the length.
    groups : int, default 1
        Number of groups of channels that are convolved apart.

    Returns
    -------
    Tensor
        Shape ``[batch, out_channels, out_length]``.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.conv1d(tp.tensor([[1.0, 2.0, 4.0]]), tp.tensor([[[1.0, -1.0]]]))
    tensor([[-1., -2.]])
    """
    return _convolution(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Value:
    """
    Cross-correlation of an image with a set of kernels, plus a bias.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, in_channels, height, width]``, without the batch for a single sample.
    weight : Tensor
        Shape ``[out_channels, in_channels / groups, kernel_height, kernel_width]``.
    bias : Tensor, optional
        Shape ``[out_channels]``.
    stride, dilation : int or tuple of int, default 1
        Distance of the windows, and of the elements in a window.
    padding : int, tuple of int, "valid" or "same", default 0
        Zeros on all sides; "same" keeps the size.
    groups : int, default 1
        Number of groups of channels that are convolved apart.

    Returns
    -------
    Tensor
        Shape ``[batch, out_channels, out_height, out_width]``.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.conv2d(tp.ones(1, 3, 3), tp.ones(1, 1, 2, 2))
    tensor([[[4., 4.],
             [4., 4.]]])
    """
    return _convolution(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Sizes = 1,
    padding: Padding = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Value:
    """
    Cross-correlation of a volume with a set of kernels, plus a bias.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, in_channels, depth, height, width]``, without the batch for a single sample.
    weight : Tensor
        Shape ``[out_channels, in_channels / groups, *kernel]``.
    bias : Tensor, optional
        Shape ``[out_channels]``.
    stride, dilation : int or tuple of int, default 1
        Distance of the windows, and of the elements in a window.
    padding : int, tuple of int, "valid" or "same", default 0
        Zeros on all sides; "same" keeps the size.
    groups : int, default 1
        Number of groups of channels that are convolved apart.

    Returns
    -------
    Tensor
        Shape ``[batch, out_channels, out_depth, out_height, out_width]``.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.conv3d(tp.ones(1, 2, 2, 2), tp.ones(1, 1, 2, 2, 2))
    tensor([[[[8.]]]])
    """
    return _convolution(3, input, weight, bias, stride, padding, dilation, groups)


# ---- transposed convolution ------------------------------------------------------------------------------------------


def _transposed(
    nd: int,
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> Value:
    name = f"conv_transpose{nd}d"
    _check(name, input, weight, bias, nd)
    _check_groups(name, weight.shape[0], groups, weight)
    _check_channels(name, input, nd, weight.shape[0], weight, groups)
    _check_bias(name, bias, weight.shape[1] * groups)
    steps, dilations = per_dim(stride, nd, name, "stride"), per_dim(dilation, nd, name, "dilation")
    crop, extra = per_dim(padding, nd, name, "padding", 0), per_dim(output_padding, nd, name, "output_padding", 0)
    if any(e >= max(s, d) for e, s, d in zip(extra, steps, dilations, strict=True)):
        raise RuntimeError(
            f"{name}(): output_padding must be smaller than stride or dilation, got output_padding={extra}, "
            f"stride={steps}, dilation={dilations}"
        )
    lead = input.ndim - nd - 1
    spatial, kernel = input.shape[lead + 1 :], weight.shape[2:]
    w = Windows(kernel, steps, dilations, (0,) * nd, spatial)
    reach = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(spatial, steps, dilations, kernel, strict=True)]
    full = tuple([r + e for r, e in zip(reach, extra, strict=True)])
    wanted = tuple([f - 2 * c for f, c in zip(full, crop, strict=True)])
    if min(wanted) < 1:
        raise RuntimeError(
            f"{name}(): the output would have spatial shape {list(wanted)}, input has {list(input.shape)}"
        )
    taken = _spread(_grouped(input, lead, groups), _grouped(weight, 0, groups), "n" * lead + "g" * (groups > 1), nd)
    if groups > 1:
        taken = reshape(taken, shape=(*input.shape[:lead], weight.shape[1] * groups, *kernel, *spatial))
    return _with_bias(cropped(overlap_add(taken, w=w, spatial=full), crop, wanted), bias, nd)


def _spread(x: Value, weight: Value, lead: str, nd: int) -> Value:
    """Each position of x [n, g, c, *spatial] times the weight [g, c, o, *kernel]: [n, g, o, *kernel, *spatial]."""
    positions, taps, group = "xyz"[:nd], "ijk"[:nd], lead.replace("n", "")
    return contract(weight, x, spec=(f"{group}co{taps}", f"{lead}c{positions}", f"{lead}o{taps}{positions}"))


def conv_transpose1d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Value:
    """
    Transposed convolution of a signal: the adjoint of `conv1d` with the same weight, plus a bias.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, in_channels, length]``, or ``[in_channels, length]`` for a single sample.
    weight : Tensor
        Shape ``[in_channels, out_channels / groups, kernel]``.
    bias : Tensor, optional
        Shape ``[out_channels]``.
    stride, padding, dilation : int or tuple of int
        Of the convolution whose adjoint this is.
    output_padding : int or tuple of int, default 0
        Added to one side of the output.
    groups : int, default 1
        Number of groups of channels that are convolved apart.

    Returns
    -------
    Tensor
        Shape ``[batch, out_channels, out_length]``.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.conv_transpose1d(tp.tensor([[1.0, 2.0]]), tp.tensor([[[1.0, 10.0]]]), stride=2)
    tensor([[ 1., 10.,  2., 20.]])
    """
    return _transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Value:
    """
    Transposed convolution of an image: the adjoint of `conv2d` with the same weight, plus a bias.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, in_channels, height, width]``, without the batch for a single sample.
    weight : Tensor
        Shape ``[in_channels, out_channels / groups, kernel_height, kernel_width]``.
    bias : Tensor, optional
        Shape ``[out_channels]``.
    stride, padding, dilation : int or tuple of int
        Of the convolution whose adjoint this is.
    output_padding : int or tuple of int, default 0
        Added to one side of the output.
    groups : int, default 1
        Number of groups of channels that are convolved apart.

    Returns
    -------
    Tensor
        Shape ``[batch, out_channels, out_height, out_width]``.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.conv_transpose2d(tp.ones(1, 1, 1), tp.ones(1, 1, 2, 2)).shape
    tensorplay.Size([1, 2, 2])
    """
    return _transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Sizes = 1,
    padding: Sizes = 0,
    output_padding: Sizes = 0,
    groups: int = 1,
    dilation: Sizes = 1,
) -> Value:
    """
    Transposed convolution of a volume: the adjoint of `conv3d` with the same weight, plus a bias.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, in_channels, depth, height, width]``, without the batch for a single sample.
    weight : Tensor
        Shape ``[in_channels, out_channels / groups, *kernel]``.
    bias : Tensor, optional
        Shape ``[out_channels]``.
    stride, padding, dilation : int or tuple of int
        Of the convolution whose adjoint this is.
    output_padding : int or tuple of int, default 0
        Added to one side of the output.
    groups : int, default 1
        Number of groups of channels that are convolved apart.

    Returns
    -------
    Tensor
        Shape ``[batch, out_channels, out_depth, out_height, out_width]``.

    Raises
    ------
    RuntimeError
        If shapes or dtypes do not fit together.

    Examples
    --------
    >>> tp.nn.functional.conv_transpose3d(tp.ones(1, 1, 1, 1), tp.ones(1, 1, 2, 2, 2)).shape
    tensorplay.Size([1, 2, 2, 2])
    """
    return _transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


# ---- windows as columns ----------------------------------------------------------------------------------------------


def unfold(input: Value, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Value:
    """
    The windows of an image as columns.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, channels, height, width]``, without the batch for a single sample.
    kernel_size, dilation, padding, stride : int or tuple of int
        Size of the windows, distance of their elements, zeros on all sides, distance of the windows.

    Returns
    -------
    Tensor
        Shape ``[batch, channels * kernel_height * kernel_width, windows]``.

    Raises
    ------
    RuntimeError
        If no window fits.

    Examples
    --------
    >>> tp.nn.functional.unfold(tp.tensor([[[1.0, 2.0, 3.0]]]), (1, 2))
    tensor([[1., 2.],
            [2., 3.]])
    """
    if input.ndim not in (3, 4):
        raise RuntimeError(f"unfold(): input must have 4 dims, or 3 if it is a single sample, got {list(input.shape)}")
    kernel, around = per_dim(kernel_size, 2, "unfold", "kernel_size"), per_dim(padding, 2, "unfold", "padding", 0)
    steps, dilations = per_dim(stride, 2, "unfold", "stride"), per_dim(dilation, 2, "unfold", "dilation")
    padded = embedded(input, around, around)
    w = unpadded(kernel, steps, dilations, padded.shape[-2:])
    if min(w.out) < 1:
        raise RuntimeError(
            f"unfold(): windows of size {list(kernel)} with dilation {list(dilations)} do not fit into the padded "
            f"input, of spatial shape {list(padded.shape[-2:])}"
        )
    c = input.ndim - 3
    columns = windows(padded, w=w)  # [n, c, i, j, x, y]
    rows = input.shape[c] * kernel[0] * kernel[1]
    return reshape(columns, shape=(*input.shape[:c], rows, w.out[0] * w.out[1]))


def fold(
    input: Value,
    output_size: Sizes,
    kernel_size: Sizes,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    stride: Sizes = 1,
) -> Value:
    """
    An image from windows given as columns; where windows overlap, they add up.

    Parameters
    ----------
    input : Tensor
        Shape ``[batch, channels * kernel_height * kernel_width, windows]``, without the batch for a single sample.
    output_size : int or tuple of int
        Height and width of the result.
    kernel_size, dilation, padding, stride : int or tuple of int
        As in `unfold`.

    Returns
    -------
    Tensor
        Shape ``[batch, channels, *output_size]``.

    Raises
    ------
    RuntimeError
        If the number of rows or of windows does not fit.

    Examples
    --------
    >>> tp.nn.functional.fold(tp.ones(2, 2), (1, 3), (1, 2))
    tensor([[[1., 2., 1.]]])
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(f"fold(): input must have 3 dims, or 2 if it is a single sample, got {list(input.shape)}")
    kernel, size = per_dim(kernel_size, 2, "fold", "kernel_size"), per_dim(output_size, 2, "fold", "output_size")
    steps, dilations = per_dim(stride, 2, "fold", "stride"), per_dim(dilation, 2, "fold", "dilation")
    around = per_dim(padding, 2, "fold", "padding", 0)
    padded = (size[0] + 2 * around[0], size[1] + 2 * around[1])
    w = unpadded(kernel, steps, dilations, padded)
    taps = kernel[0] * kernel[1]
    if input.shape[-2] % taps or input.shape[-1] != w.out[0] * w.out[1] or min(w.out) < 1:
        raise RuntimeError(
            f"fold(): windows of size {list(kernel)} over an image of size {list(size)} need a multiple of {taps} "
            f"rows and {max(w.out[0], 0) * max(w.out[1], 0)} columns, got shape {list(input.shape)}"
        )
    c = input.ndim - 2
    taken = reshape(input, shape=(*input.shape[:c], input.shape[-2] // taps, *kernel, *w.out))  # [n, c, i, j, x, y]
    return cropped(overlap_add(taken, w=w, spatial=padded), around, size)
