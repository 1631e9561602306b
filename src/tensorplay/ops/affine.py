"""A product plus a term: `addmm` and its kin, and the affine maps of neural networks."""

from __future__ import annotations

import functools
from typing import Any

from tensorplay.core.primitive import Primitive
from tensorplay.core.value import Shape, Value
from tensorplay.ops.contraction import contract, contract_add, fresh_labels
from tensorplay.ops.families import add, mul
from tensorplay.ops.operands import planned
from tensorplay.ops.products import broadcast_shape, check_dims, check_sizes
from tensorplay.ops.promotion import cast, of_one_dtype, promote


def _blend(name: str, input: Value, product: Value, beta: Any, alpha: Any) -> Value:
    """``beta * input + alpha * product``, in the product's shape."""
    if broadcast_shape(name, input.shape, product.shape) != product.shape:
        raise RuntimeError(f"{name}(): input of shape {list(input.shape)} does not broadcast to {list(product.shape)}")
    scaled = _times(name, "alpha", product, alpha)
    return scaled if beta == 0 else add(_times(name, "beta", input, beta), scaled)


def _times(name: str, argument: str, value: Value, factor: Any) -> Value:
    kind = value.dtype.kind
    if isinstance(factor, complex) and kind != "c":
        raise RuntimeError(f"{name}(): {argument}={factor} does not fit tensors of {value.dtype}")
    if isinstance(factor, float) and kind not in "fc":
        factor = int(factor)  # as torch does
    if kind == "b":
        factor = bool(factor)
    return value if factor.__class__ is int and factor == 1 else mul(value, cast(factor, value.dtype))


def addmm(input: Value, mat1: Value, mat2: Value, *, beta: complex = 1, alpha: complex = 1) -> Value:
    """
    Product of two matrices plus a term: ``beta * input + alpha * (mat1 @ mat2)``.

    Parameters
    ----------
    input : Tensor
        Broadcasts to [n, m]; not read where `beta` is 0.
    mat1 : Tensor
        Of shape [n, k].
    mat2 : Tensor
        Of shape [k, m].
    beta, alpha : number, default 1
        Factors of `input` and of the product.

    Returns
    -------
    Tensor
        Of shape [n, m].

    Examples
    --------
    >>> tp.addmm(tp.tensor([10.0]), tp.tensor([[1.0, 2.0]]), tp.tensor([[3.0], [4.0]]))
    tensor([[21.]])
    """
    check_dims("addmm", mat1=(mat1, 2), mat2=(mat2, 2))
    check_sizes("addmm", mat1, 1, mat2, 0)
    input, mat1, mat2 = of_one_dtype("addmm", input, mat1, mat2)
    return _blend("addmm", input, contract(mat1, mat2, spec=("ij", "jk", "ik")), beta, alpha)


def addmv(input: Value, mat: Value, vec: Value, *, beta: complex = 1, alpha: complex = 1) -> Value:
    """
    Product of a matrix with a vector plus a term: ``beta * input + alpha * (mat @ vec)``.

    Parameters
    ----------
    input : Tensor
        Broadcasts to [n]; not read where `beta` is 0.
    mat : Tensor
        Of shape [n, k].
    vec : Tensor
        Of shape [k].
    beta, alpha : number, default 1
        Factors of `input` and of the product.

    Returns
    -------
    Tensor
        Of shape [n].

    Examples
    --------
    >>> tp.addmv(tp.tensor([10.0]), tp.tensor([[1.0, 2.0]]), tp.tensor([3.0, 4.0]))
    tensor([21.])
    """
    check_dims("addmv", mat=(mat, 2), vec=(vec, 1))
    check_sizes("addmv", mat, 1, vec, 0)
    input, mat, vec = of_one_dtype("addmv", input, mat, vec)
    return _blend("addmv", input, contract(mat, vec, spec=("ij", "j", "i")), beta, alpha)


def addbmm(input: Value, batch1: Value, batch2: Value, *, beta: complex = 1, alpha: complex = 1) -> Value:
    """
    Sum of the products of two stacks of matrices plus a term: ``beta * input + alpha * (batch1 @ batch2).sum(0)``.

    Parameters
    ----------
    input : Tensor
        Broadcasts to [n, m]; not read where `beta` is 0.
    batch1 : Tensor
        Of shape [b, n, k].
    batch2 : Tensor
        Of shape [b, k, m].
    beta, alpha : number, default 1
        Factors of `input` and of the product.

    Returns
    -------
    Tensor
        Of shape [n, m].

    Examples
    --------
    >>> tp.addbmm(tp.tensor([[1.0]]), tp.ones(2, 1, 3), tp.ones(2, 3, 1))
    tensor([[7.]])
    """
    _check_stacks("addbmm", batch1, batch2)
    input, batch1, batch2 = of_one_dtype("addbmm", input, batch1, batch2)
    return _blend("addbmm", input, contract(batch1, batch2, spec=("bij", "bjk", "ik")), beta, alpha)


def baddbmm(input: Value, batch1: Value, batch2: Value, *, beta: complex = 1, alpha: complex = 1) -> Value:
    """
    Products of two stacks of matrices plus a term: ``beta * input + alpha * (batch1 @ batch2)``.

    Parameters
    ----------
    input : Tensor
        Broadcasts to [b, n, m]; not read where `beta` is 0.
    batch1 : Tensor
        Of shape [b, n, k].
    batch2 : Tensor
        Of shape [b, k, m].
    beta, alpha : number, default 1
        Factors of `input` and of the product.

    Returns
    -------
    Tensor
        Of shape [b, n, m].

    Examples
    --------
    >>> tp.baddbmm(tp.tensor([[[1.0]]]), tp.ones(1, 1, 3), tp.ones(1, 3, 1))
    tensor([[[4.]]])
    """
    _check_stacks("baddbmm", batch1, batch2)
    input, batch1, batch2 = of_one_dtype("baddbmm", input, batch1, batch2)
    return _blend("baddbmm", input, contract(batch1, batch2, spec=("bij", "bjk", "bik")), beta, alpha)


def _check_stacks(name: str, batch1: Value, batch2: Value) -> None:
    check_dims(name, batch1=(batch1, 3), batch2=(batch2, 3))
    check_sizes(name, batch1, 0, batch2, 0)
    check_sizes(name, batch1, 2, batch2, 1)


def addr(input: Value, vec1: Value, vec2: Value, *, beta: complex = 1, alpha: complex = 1) -> Value:
    """
    Outer product of two vectors plus a term: ``beta * input + alpha * outer(vec1, vec2)``.

    Parameters
    ----------
    input : Tensor
        Broadcasts to [n, m]; not read where `beta` is 0.
    vec1 : Tensor
        Of shape [n].
    vec2 : Tensor
        Of shape [m].
    beta, alpha : number, default 1
        Factors of `input` and of the product.

    Returns
    -------
    Tensor
        Of shape [n, m].

    Examples
    --------
    >>> tp.addr(tp.tensor([[1.0]]), tp.tensor([2.0]), tp.tensor([3.0]))
    tensor([[7.]])
    """
    check_dims("addr", vec1=(vec1, 1), vec2=(vec2, 1))
    input, vec1, vec2 = promote(input, vec1, vec2)
    if input.dtype.kind not in "fc" and not isinstance(alpha + beta, int):
        raise RuntimeError(
            f"addr(): For integral input tensors, arguments alpha and beta must be integers, got {alpha} and {beta}"
        )
    return _blend("addr", input, contract(vec1, vec2, spec=("i", "j", "ij")), beta, alpha)


# ---- affine maps -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _linear_plan(input: Shape, weight: Shape, bias: Shape | None = None) -> tuple[Primitive, dict[str, Any]]:
    """What `linear` is for operands of some shapes."""
    if len(weight) not in (1, 2) or not input or input[-1] != weight[-1]:
        raise RuntimeError(
            f"linear(): expected an input of shape [*, in_features] and a weight of shape [out_features, in_features], "
            f"got {list(input)} and {list(weight)}"
        )
    if bias is not None and bias not in (weight[:-1], ()):
        raise RuntimeError(f"linear(): expected a bias of shape {list(weight[:-1])}, got {list(bias)}")
    lead = _lead_labels(len(input))
    out = "O"[: len(weight) - 1]
    return contract if bias is None else contract_add, {"spec": (lead + "I", out + "I", lead + out)}


@planned(_linear_plan, "fc")
def linear(input: Value, weight: Value, bias: Value | None = None) -> Value:
    """
    Affine map of the last dim: ``input @ weight.T + bias``.

    Parameters
    ----------
    input : Tensor
        Of shape [*, in_features].
    weight : Tensor
        Of shape [out_features, in_features], or [in_features].
    bias : Tensor, optional
        Of shape [out_features], or 0-d.

    Returns
    -------
    Tensor
        Of shape [*, out_features], or [*] where `weight` is a vector.

    Examples
    --------
    >>> tp.nn.functional.linear(tp.tensor([1.0, 2.0]), tp.tensor([[3.0, 4.0]]), tp.tensor([1.0]))
    tensor([12.])
    """
    prim, params = _linear_plan(input.shape, weight.shape, None if bias is None else bias.shape)
    operands = (input, weight) if bias is None else (input, weight, bias)
    return prim(*of_one_dtype("linear", *operands), **params)


def _lead_labels(ndim: int) -> str:
    return "".join([label for _, label in zip(range(ndim - 1), fresh_labels("OIJ"), strict=False)])


def bilinear(input1: Value, input2: Value, weight: Value, bias: Value | None = None) -> Value:
    """
    Bilinear form of the last dims of two tensors: ``out[*, o] = input1[*, i] weight[o, i, j] input2[*, j] + bias[o]``.

    Parameters
    ----------
    input1 : Tensor
        Of shape [*, in1_features].
    input2 : Tensor
        Of shape [*, in2_features], with the same leading dims.
    weight : Tensor
        Of shape [out_features, in1_features, in2_features].
    bias : Tensor, optional
        Of shape [out_features].

    Returns
    -------
    Tensor
        Of shape [*, out_features].

    Examples
    --------
    >>> tp.nn.functional.bilinear(tp.tensor([1.0, 2.0]), tp.tensor([3.0]), tp.ones(1, 2, 1))
    tensor([9.])
    """
    _check_bilinear(input1, input2, weight, bias)
    of_one_dtype("bilinear", *[value for value in (input1, input2, weight, bias) if value is not None])
    lead = _lead_labels(input1.ndim)
    half = contract(input1, weight, spec=(lead + "I", "OIJ", lead + "OJ"))
    out = contract(half, input2, spec=(lead + "OJ", lead + "J", lead + "O"))
    return out if bias is None else add(out, bias)


def _check_bilinear(input1: Value, input2: Value, weight: Value, bias: Value | None) -> None:
    check_dims("bilinear", weight=(weight, 3))
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): the inputs' leading dims must be equal, got {list(input1.shape)} and {list(input2.shape)}"
        )
    check_sizes("bilinear", input1, -1, weight, 1)
    check_sizes("bilinear", input2, -1, weight, 2)
    if bias is not None and bias.shape != weight.shape[:1]:
        raise RuntimeError(f"bilinear(): expected a bias of shape {list(weight.shape[:1])}, got {list(bias.shape)}")
