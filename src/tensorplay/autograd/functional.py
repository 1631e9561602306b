"""Jacobians, Hessians and their products with vectors by ordinary autograd, with torch's names and signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorplay as tp
from tensorplay.func.arguments import describe
from tensorplay.tensor.autograd import enable_grad, grad
from tensorplay.tensor.tensor import Tensor

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]
Tensors = Sequence[Any]


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """
    Outputs of a function, and the product of a vector with its Jacobian.

    Parameters
    ----------
    func : callable
        Takes tensors; returns a tensor or a tuple of tensors.
    inputs : Tensor or tuple of Tensor
        Its arguments.
    v : Tensor or tuple of Tensor, optional
        Shapes of the outputs; may be left out for a single output of one element.
    create_graph : bool, default False
        Record the computation, so that the results can be differentiated.
    strict : bool, default False
        Raise where an output does not depend on an input, instead of giving zeros.

    Returns
    -------
    outputs : Tensor or tuple of Tensor
        What `func` returns.
    vjp : Tensor or tuple of Tensor
        One per input, in its shape.

    Raises
    ------
    TypeError, RuntimeError
        If inputs or outputs are no tensors, `v` does not fit, or by `strict`.

    Examples
    --------
    >>> tp.autograd.functional.vjp(lambda x: x.exp().sum(), tp.tensor([0.0, 0.0]))
    (tensor(2.), tensor([1., 1.]))
    """
    run = _Run("vjp", func, inputs, create_graph, strict)
    cts = _vectors("vjp", v, run.outputs, "the function returns")
    return run.output(), run.like_inputs(run.pull(cts, create_graph))


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """
    Outputs of a function, and the product of its Jacobian with a vector.

    Parameters
    ----------
    func, inputs
        As for `vjp`.
    v : Tensor or tuple of Tensor, optional
        Shapes of the inputs; may be left out for a single input of one element.
    create_graph, strict
        As for `vjp`.

    Returns
    -------
    outputs : Tensor or tuple of Tensor
        What `func` returns.
    jvp : Tensor or tuple of Tensor
        One per output, in its shape.

    Raises
    ------
    TypeError, RuntimeError
        As for `vjp`.

    Notes
    -----
    As in torch, it pulls twice. `tensorplay.func.jvp` pushes once, and is cheaper.

    Examples
    --------
    >>> x = tp.tensor([1.0, 2.0])
    >>> tp.autograd.functional.jvp(lambda x: x**2, x, tp.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    run = _Run("jvp", func, inputs, create_graph, strict)
    dots = _vectors("jvp", v, run.inputs, "the function takes")
    return run.output(), run.like_outputs(_pushed(run, dots, create_graph))


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """
    Jacobian of a function.

    Parameters
    ----------
    func, inputs, create_graph, strict
        As for `vjp`.
    vectorize : bool, default False
        Compute all rows at once, by `vmap`.
    strategy : {"reverse-mode", "forward-mode"}
        Whether rows are pulled or columns are pushed; the latter needs `vectorize`.

    Returns
    -------
    Tensor or nested tuple of Tensor
        For each output, if `func` returns a tuple, and for each input, if `inputs` is one: a tensor of the shape of the
        output followed by that of the input.

    Raises
    ------
    TypeError, RuntimeError, ValueError
        As for `vjp`, and if options do not fit together.

    Notes
    -----
    `tensorplay.func.jacrev` and `jacfwd` take and return trees, and work under other tp.func.

    Examples
    --------
    >>> tp.autograd.functional.jacobian(lambda x: x**2, tp.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_options("jacobian", strict, vectorize, "strategy", strategy)
    if strategy == "forward-mode":
        return _transformed("jacobian", tp.func.jacfwd, func, inputs, create_graph)
    run = _Run("jacobian", func, inputs, create_graph, strict)
    rows = [run.like_inputs(_jacobian_of(run, number, create_graph, vectorize)) for number in range(len(run.outputs))]
    return run.like_outputs(rows)


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """
    Hessian of a function of one real element.

    Parameters
    ----------
    func, inputs, create_graph, strict, vectorize
        As for `jacobian`.
    outer_jacobian_strategy : {"reverse-mode", "forward-mode"}
        How the gradient is differentiated; "forward-mode" needs `vectorize`.

    Returns
    -------
    Tensor or tuple of tuple of Tensor
        For each pair of inputs, if `inputs` is a tuple: a tensor of the shapes of both.

    Raises
    ------
    TypeError, RuntimeError, ValueError
        As for `jacobian`, and if the output has more than one element.

    Examples
    --------
    >>> tp.autograd.functional.hessian(lambda x: (x**3).sum(), tp.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    _check_options("hessian", strict, vectorize, "outer_jacobian_strategy", outer_jacobian_strategy)
    if outer_jacobian_strategy == "forward-mode":
        return _transformed(
            "hessian", tp.func.hessian, lambda *args: _checked_scalar(func)(*args).reshape(()), inputs, create_graph
        )
    run = _Run("hessian", _checked_scalar(func), inputs, create_graph, strict)
    second = run.of_gradient()
    rows = [run.like_inputs(_jacobian_of(second, i, create_graph, vectorize)) for i in range(len(run.inputs))]
    return run.like_inputs(rows)


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """
    Output of a function of one element, and the product of a vector with its Hessian.

    Parameters
    ----------
    func, inputs
        As for `hessian`.
    v : Tensor or tuple of Tensor, optional
        Shapes of the inputs; may be left out for a single input of one element.
    create_graph, strict
        As for `vjp`.

    Returns
    -------
    output : Tensor
        What `func` returns.
    vhp : Tensor or tuple of Tensor
        One per input, in its shape.

    Raises
    ------
    TypeError, RuntimeError
        As for `vjp`, and if the output has more than one element.

    Examples
    --------
    >>> x = tp.tensor([1.0, 2.0])
    >>> tp.autograd.functional.vhp(lambda x: (x**3).sum(), x, tp.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    run = _Run("vhp", _checked_scalar(func), inputs, create_graph, strict)
    cts = _vectors("vhp", v, run.inputs, "the function takes")
    return run.output(), run.like_inputs(run.of_gradient().pull(cts, create_graph))


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """
    Output of a function of one element, and the product of its Hessian with a vector.

    Parameters
    ----------
    func, inputs, v, create_graph, strict
        As for `vhp`.

    Returns
    -------
    output : Tensor
        What `func` returns.
    hvp : Tensor or tuple of Tensor
        One per input, in its shape.

    Raises
    ------
    TypeError, RuntimeError
        As for `vhp`.

    Notes
    -----
    As in torch, it pulls three times; `vhp`, which is the same for a symmetric Hessian, pulls twice, and so does the
    cheapest way, ``tp.func.jvp(tp.func.grad(func), (x,), (v,))``, in one pull and one push.

    Examples
    --------
    >>> x = tp.tensor([1.0, 2.0])
    >>> tp.autograd.functional.hvp(lambda x: (x**3).sum(), x, tp.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    run = _Run("hvp", _checked_scalar(func), inputs, create_graph, strict)
    dots = _vectors("hvp", v, run.inputs, "the function takes")
    second = run.of_gradient()
    return run.output(), run.like_inputs(_pushed(second, dots, create_graph))


# ---- how -------------------------------------------------------------------------------------------------------------


class _Run:
    """A function that was run and recorded: from which inputs, to which outputs."""

    def __init__(self, name: str, func: Function, inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name = name
        self.strict = strict
        self.given = _tensors(name, "inputs", inputs)
        self.inputs = [_fresh(x, create_graph) for x in self.given]
        self._many_in = isinstance(inputs, tuple)
        self._create_graph = create_graph
        with enable_grad():
            out = func(*self.inputs)
        self._many_out = isinstance(out, tuple)
        self.outputs = _tensors(name, "what the function returns", out)
        self.what = "output {} of the function"
        self._check_outputs()

    def of_gradient(self) -> _Run:
        """The same run, up to the gradient of its only output."""
        second: _Run = object.__new__(_Run)
        second.__dict__.update(self.__dict__)
        second.outputs = self.pull([tp.ones_like(self.outputs[0])], create_graph=True)
        second.what = "the gradient of the function with respect to input {}"
        second._check_outputs()
        return second

    def _check_outputs(self) -> None:
        for number, out in enumerate(self.outputs if self.strict else ()):
            if not out.requires_grad:
                raise RuntimeError(
                    f"{self.name}: {self.what.format(number)} does not depend on the inputs, which strict=True forbids"
                )

    def pull(self, cts: Tensors, create_graph: bool) -> list[Any]:
        """Cotangents of the inputs; one of None is zero."""
        pairs = [(out, ct) for out, ct in zip(self.outputs, cts, strict=True) if out.requires_grad and ct is not None]
        if not pairs:
            return [tp.zeros_like(x, requires_grad=False) for x in self.inputs]
        outs, given = map(list, zip(*pairs, strict=True))
        with enable_grad():
            pulled = grad(outs, self.inputs, given, retain_graph=True, create_graph=create_graph, allow_unused=True)
        return [self._entry(number, ct, cts) for number, ct in enumerate(pulled)]

    def _entry(self, number: int, ct: Any, cts: Tensors) -> Any:
        if ct is None and self.strict:
            here = [self.what.format(n) for n, given in enumerate(cts) if given is not None]
            raise RuntimeError(
                f"{self.name}: {' and '.join(here)} does not depend on input {number}, which strict=True forbids"
            )
        return tp.zeros_like(self.inputs[number], requires_grad=False) if ct is None else ct

    def output(self) -> Any:
        """What the function returned, as the user gets it."""
        return self.like_outputs(self.outputs if self._create_graph else [out.detach() for out in self.outputs])

    def like_outputs(self, entries: Sequence[Any]) -> Any:
        """An entry per output, in a tuple where the function returned one."""
        return tuple(entries) if self._many_out else entries[0]

    def like_inputs(self, entries: Sequence[Any]) -> Any:
        """An entry per input, in a tuple where the function was given one."""
        return tuple(entries) if self._many_in else entries[0]


def _pushed(run: _Run, dots: Tensors, create_graph: bool) -> list[Any]:
    """Tangents of the outputs: the pull is linear in its cotangents, and this is its transpose."""
    leaves = [tp.ones_like(out, requires_grad=True) for out in run.outputs]
    pulled = run.pull(leaves, create_graph=True)
    pairs = [(ct, dot) for ct, dot in zip(pulled, dots, strict=True) if ct.requires_grad]
    if not pairs:
        return [tp.zeros_like(leaf, requires_grad=False) for leaf in leaves]
    cts, given = map(list, zip(*pairs, strict=True))
    found = grad(cts, leaves, given, create_graph=create_graph, allow_unused=True, materialize_grads=True)
    return list(found)


def _jacobian_of(run: _Run, number: int, create_graph: bool, vectorize: bool) -> list[Any]:
    """The Jacobian of one output, by each input."""
    out = run.outputs[number]
    if out.dtype.is_complex:
        raise RuntimeError(
            f"{run.name}: output {number} is complex ({out.dtype}); return its parts, tp.view_as_real(output)"
        )

    def row(unit: Any) -> tuple[Any, ...]:
        cts: list[Any] = [None] * len(run.outputs)
        cts[number] = unit.reshape(out.shape)
        return tuple(run.pull(cts, create_graph))

    count = out.numel()
    if not count:
        return [tp.zeros((*out.shape, *x.shape), dtype=x.dtype) for x in run.inputs]
    basis = tp.eye(count, dtype=out.dtype)
    columns = tp.func.vmap(row)(basis) if vectorize else list(map(tp.stack, zip(*map(row, basis), strict=True)))
    return [rows.reshape((*out.shape, *x.shape)) for rows, x in zip(columns, run.inputs, strict=True)]


def _transformed(name: str, transform: Any, func: Function, inputs: Any, create_graph: bool) -> Any:
    """What one of `tensorplay.func`'s transforms gives, as recorded from the inputs or apart from them."""
    given = _tensors(name, "inputs", inputs)
    with enable_grad():
        argnums = tuple(range(len(given))) if isinstance(inputs, tuple) else 0
        found = transform(func, argnums)(*[x if create_graph else x.detach() for x in given])
    return _detached(found, create_graph)


def _detached(found: Any, create_graph: bool) -> Any:
    if isinstance(found, tuple):
        return tuple([_detached(entry, create_graph) for entry in found])
    return found if create_graph else found.detach()


# ---- what is given ---------------------------------------------------------------------------------------------------


def _tensors(name: str, what: str, given: Any) -> list[Tensor]:
    entries = given if isinstance(given, tuple) else (given,)
    for number, entry in enumerate(entries):
        if not isinstance(entry, Tensor):
            place = f"entry {number} of " if isinstance(given, tuple) else ""
            raise TypeError(f"{name}: {place}{what} must be a tensor (or a tuple of tensors), got {describe(entry)}")
    return list(entries)


def _fresh(x: Tensor, create_graph: bool) -> Any:
    """An input from which recording starts: apart from where it comes from, or connected with it."""
    return x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_()


def _vectors(name: str, v: Any, like: Tensors, who: str) -> list[Any]:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"{name}: v may be left out only where {who} a single tensor of one element")
        return [tp.ones_like(like[0], requires_grad=False)]
    vectors = _tensors(name, "v", v)
    if len(vectors) != len(like):
        raise RuntimeError(f"{name}: v has {len(vectors)} tensors, but {who} {len(like)}")
    for number, (vector, wanted) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != wanted.shape:
            raise RuntimeError(
                f"{name}: entry {number} of v must have the shape of what {who}: expected {list(wanted.shape)}, got "
                f"{list(vector.shape)}"
            )
    return vectors


def _checked_scalar(func: Function) -> Function:
    def scalar(*args: Any) -> Any:
        out = func(*args)
        if not isinstance(out, Tensor) or out.numel() != 1:
            raise RuntimeError(f"a Hessian needs a function that returns a tensor of one element, got {describe(out)}")
        return out

    return scalar


def _check_options(name: str, strict: bool, vectorize: bool, option: str, strategy: str) -> None:
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ValueError(f"{name}: {option} must be 'reverse-mode' or 'forward-mode', got {strategy!r}")
    if strict and vectorize:
        raise RuntimeError(f"{name}: strict=True looks at each row; it needs vectorize=False")
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(f"{name}: {option}='forward-mode' computes all columns at once; pass vectorize=True")
