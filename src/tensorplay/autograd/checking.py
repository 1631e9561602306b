"""gradcheck, gradgradcheck: derivatives compared with difference quotients."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import tensorplay as tp
from tensorplay.autograd.functional import jacobian
from tensorplay.tensor.autograd import enable_grad, grad, no_grad
from tensorplay.tensor.tensor import Tensor

Function = Callable[..., Any]
Blocks = Sequence[Sequence[Tensor]]  # a matrix for each output and input


class GradcheckError(RuntimeError):
    """A derivative that `gradcheck` or `gradgradcheck` found to be wrong."""


def gradcheck(
    func: Function,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """
    Whether the derivatives of a function agree with difference quotients.

    Parameters
    ----------
    func : callable
        Returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple
        Its arguments; those that require grad are varied, and should be of double precision.
    eps : float, default 1e-6
        How far an element is moved to either side.
    atol, rtol : float, default 1e-5 and 1e-3
        How far derivatives may be from the quotients.
    raise_exception : bool, default True
        Raise where something differs, instead of returning False.
    nondet_tol : float, default 0
        How far the derivatives of two runs may be from each other.
    check_undefined_grad, check_grad_dtypes
        Accepted: outputs are always pulled one by one, and gradients have the dtype of their input.
    check_batched_grad, check_batched_forward_grad : bool, default False
        Compute derivatives under `vmap` too.
    check_forward_ad, check_backward_ad : bool, default False and True
        Which modes are checked.
    fast_mode, masked
        Accepted: all elements are compared, and there are no sparse tensors.

    Returns
    -------
    bool
        True; False only without `raise_exception`.

    Raises
    ------
    GradcheckError
        If something differs; it shows both.
    ValueError
        If no input requires grad.

    Notes
    -----
    Complex inputs and outputs are checked as pairs of real ones.

    Examples
    --------
    >>> x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    >>> tp.autograd.gradcheck(tp.sin, x)
    True
    """
    real = _RealFunction(func, inputs)

    def compare() -> None:
        expected = _quotients(real, eps)
        if check_backward_ad:
            found = _pulled(real, vectorize=False)
            _compare("reverse mode", found, expected, rtol, atol)
            _compare("a second run in reverse mode", _pulled(real, vectorize=False), found, 0.0, nondet_tol)
        if check_batched_grad:
            _compare("reverse mode under vmap", _pulled(real, vectorize=True), expected, rtol, atol)
        if check_forward_ad or check_batched_forward_grad:  # columns are always pushed under a map
            _compare("forward mode", _pushed(real), expected, rtol, atol)

    return _passes(compare, raise_exception)


def gradgradcheck(
    func: Function,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """
    Whether the second derivatives of a function agree with difference quotients of the first.

    Parameters
    ----------
    func, inputs, eps, atol, rtol, raise_exception, nondet_tol
        As for `gradcheck`.
    grad_outputs : Tensor or tuple of Tensor, optional
        Cotangents at which the gradient is taken; by default random ones.
    gen_non_contig_grad_outputs : bool, default False
        Whether the random ones lie apart in memory.
    check_batched_grad : bool, default False
        Compute second derivatives under `vmap` too.
    check_fwd_over_rev, check_rev_over_rev : bool, default False and True
        In which modes the gradient is differentiated.
    check_undefined_grad, check_grad_dtypes, fast_mode, masked
        As for `gradcheck`.

    Returns
    -------
    bool
        True; False only without `raise_exception`.

    Raises
    ------
    GradcheckError
        If something differs; it shows both.
    ValueError
        If no input requires grad.

    Examples
    --------
    >>> x = tp.tensor([1.0, 2.0], dtype=tp.float64, requires_grad=True)
    >>> tp.autograd.gradgradcheck(tp.sin, x)
    True
    """
    real = _RealFunction(func, inputs)
    if grad_outputs is None:
        with no_grad():
            weights = [_random_like(out, gen_non_contig_grad_outputs) for out in real(*real.parts)]
    else:
        given = grad_outputs if isinstance(grad_outputs, tuple) else (grad_outputs,)
        weights = [_real(ct.detach()).requires_grad_() for ct in given]
    count = len(real.parts)

    def gradient(*arguments: Any) -> Any:
        parts, here = list(arguments[:count]), list(arguments[count:])
        with enable_grad():
            pairs = [(out, ct) for out, ct in zip(real(*parts), here, strict=True) if out.requires_grad]
            if not pairs:
                return tuple([tp.zeros_like(part) for part in parts])
            outs, cts = map(list, zip(*pairs, strict=True))
            return grad(outs, parts, cts, create_graph=True, allow_unused=True, materialize_grads=True)

    def gradient_in_transforms(*arguments: Any) -> Any:
        return tp.func.vjp(real, *arguments[:count])[1](tuple(arguments[count:]))

    options: dict[str, Any] = {"eps": eps, "atol": atol, "rtol": rtol, "nondet_tol": nondet_tol}

    def compare() -> None:
        if check_rev_over_rev or check_batched_grad:
            gradcheck(gradient, (*real.parts, *weights), check_batched_grad=check_batched_grad, **options)
        if check_fwd_over_rev:
            modes = {"check_forward_ad": True, "check_backward_ad": False}
            gradcheck(gradient_in_transforms, (*real.parts, *weights), **modes, **options)

    return _passes(compare, raise_exception)


class _RealFunction:
    """A function of real and imaginary parts of those inputs that require grad, to parts of its inexact outputs."""

    def __init__(self, func: Function, inputs: Any) -> None:
        self.func = func
        self.inputs = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
        self.places = [i for i, x in enumerate(self.inputs) if isinstance(x, Tensor) and x.requires_grad]
        if not self.places:
            raise ValueError("gradcheck: at least one input must be a tensor that requires grad")
        for i in self.places:
            if self.inputs[i].dtype.itemsize < (16 if self.inputs[i].dtype.is_complex else 8):
                warnings.warn(
                    f"gradcheck: input {i} is {self.inputs[i].dtype}; difference quotients need float64 or complex128",
                    stacklevel=3,
                )
        self.parts = [_real(self.inputs[i].detach()).clone().requires_grad_() for i in self.places]

    def __call__(self, *parts: Any) -> tuple[Any, ...]:
        arguments = list(self.inputs)
        for i, part in zip(self.places, parts, strict=True):
            arguments[i] = tp.view_as_complex(part) if self.inputs[i].dtype.is_complex else part
        out = self.func(*arguments)
        entries = out if isinstance(out, tuple | list) else (out,)
        return tuple([_real(entry) for entry in entries if isinstance(entry, Tensor) and _is_inexact(entry)])


def _is_inexact(tensor: Tensor) -> bool:
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def _real(tensor: Tensor) -> Any:
    return tp.view_as_real(tensor) if tensor.dtype.is_complex else tensor


def _random_like(tensor: Tensor, apart: bool) -> Any:
    shape = (*tensor.shape, 2) if apart else tuple(tensor.shape)
    drawn = tp.randn(shape, dtype=tensor.dtype, generator=tp.Generator().manual_seed(0))
    return (drawn[..., 0] if apart else drawn).requires_grad_()


def _quotients(real: _RealFunction, eps: float) -> Blocks:
    """Central difference quotients."""
    per_input = []
    for number, part in enumerate(real.parts):
        columns = [_column(real, number, j, eps) for j in range(part.numel())]
        if columns:
            per_input.append([tp.stack(column, 1) for column in zip(*columns, strict=True)])
        else:
            per_input.append([tp.zeros((out.numel(), 0), dtype=out.dtype) for out in real(*real.parts)])
    return list(zip(*per_input, strict=True))


def _column(real: _RealFunction, number: int, j: int, eps: float) -> list[Any]:
    above, below = (_shifted(real, number, j, step) for step in (eps, -eps))
    return [((a - b) / (2 * eps)).reshape(-1) for a, b in zip(above, below, strict=True)]


def _shifted(real: _RealFunction, number: int, j: int, step: float) -> list[Any]:
    """Outputs where one element is moved."""
    parts = [part.detach().clone() for part in real.parts]
    parts[number].view(-1)[j] += step
    with enable_grad():  # the function may take derivatives itself
        return [out.detach() for out in real(*[part.requires_grad_() for part in parts])]


def _pulled(real: _RealFunction, vectorize: bool) -> Blocks:
    return _as_matrices(jacobian(real, tuple(real.parts), vectorize=vectorize), real)


def _pushed(real: _RealFunction) -> Blocks:
    places = tuple(range(len(real.parts)))
    return _as_matrices(tp.func.jacfwd(real, places)(*[part.detach() for part in real.parts]), real)


def _as_matrices(blocks: Any, real: _RealFunction) -> Blocks:
    def matrix(block: Any, part: Any) -> Any:
        rows = math.prod(block.shape[: block.ndim - part.ndim])
        return block.detach().reshape(rows, part.numel())

    return [[matrix(block, part) for block, part in zip(row, real.parts, strict=True)] for row in blocks]


def _compare(what: str, found: Blocks, expected: Blocks, rtol: float, atol: float) -> None:
    for number, (row, wanted) in enumerate(zip(found, expected, strict=True)):
        for place, (ours, numeric) in enumerate(zip(row, wanted, strict=True)):
            if not tp.allclose(ours, numeric.to(ours.dtype), rtol, atol):
                raise GradcheckError(
                    f"gradcheck: {what} gives another Jacobian of output {number} with respect to input {place}:\n"
                    f"expected {numeric}\ngot {ours}"
                )


def _passes(compare: Callable[[], None], raise_exception: bool) -> bool:
    try:
        compare()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True
