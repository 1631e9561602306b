"""
Operators of the user's own: a kernel, and the rules that transforms ask for, registered one by one.

May import Tensor. Knows no transform.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tensorplay.tensor.calls import described
from tensorplay.tensor.custom_call import apart, as_tensor
from tensorplay.tensor.function import Application, Function
from tensorplay.tensor.handle import Handle

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_jvp", "register_vmap"]

_REMEDIES = {
    "batching rule": "register_vmap",
    "reverse-mode derivative": "register_autograd",
    "forward-mode derivative": "register_jvp or register_autograd",
}

# an operator lives as long as somebody holds it
_operators: weakref.WeakValueDictionary[str, CustomOpDef] = weakref.WeakValueDictionary()


class CustomOpDef:
    """
    An operator that `custom_op` made; call it as the function it was made of.

    Parameters
    ----------
    name : str
        With its namespace, ``"mylib::twice"``.
    kernel : callable
        Computes it, on plain tensors.

    Examples
    --------
    >>> @tp.library.custom_op("docs::twice", mutates_args=())
    ... def twice(x):
    ...     return x.numpy() * 2
    >>> twice.register_autograd(lambda ctx, ct: 2 * ct)
    >>> tp.func.grad(twice)(tp.tensor(3.0))
    tensor(2.)
    """

    def __init__(self, name: str, kernel: Callable[..., Any]) -> None:
        self._qualname = name
        self._signature = inspect.signature(kernel)
        functools.update_wrapper(self, kernel)
        methods = {"forward": staticmethod(_kernel(name, kernel)), "setup_context": staticmethod(_keep_nothing)}
        self._function: type[Function] = type(name, (_Operator,), methods)

    def __repr__(self) -> str:
        return f"<operator {self._qualname}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return Application(self._function, bound.args).result()

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """
        Give the operator a derivative by its rule for reverse mode; forward mode is its transpose.

        Parameters
        ----------
        backward : callable
            ``backward(ctx, *cotangents)`` returns one gradient (or None) per input, made of tensorplay's operations.
        setup_context : callable, optional
            ``setup_context(ctx, inputs, output)`` keeps what `backward` reads.
        """
        setup_context = setup_context or self._function.setup_context
        self._define("register_autograd", backward=backward, setup_context=setup_context)

    def register_jvp(self, jvp: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        """
        Give the operator a derivative by its rule for forward mode; reverse mode is its transpose.

        Parameters
        ----------
        jvp : callable
            ``jvp(ctx, *tangents)`` returns the tangent of the output, made of tensorplay's operations.
        setup_context : callable, optional
            ``setup_context(ctx, inputs, output)`` keeps what `jvp` reads.
        """
        self._define("register_jvp", jvp=jvp, setup_context=setup_context or self._function.setup_context)

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """
        Give the operator a batching rule.

        Parameters
        ----------
        func : callable, optional
            ``func(info, in_dims, *inputs)`` returns ``(output, out_dims)``. Left out, the method is a decorator.

        Returns
        -------
        callable
            `func`, or the decorator.
        """
        if func is None:
            return self.register_vmap
        self._define("register_vmap", vmap=func)
        return func

    def _define(self, method: str, **rules: Callable[..., Any]) -> None:
        for name, rule in rules.items():
            setattr(self._function, name, staticmethod(_callable(f"{method}()", name, rule)))


class _Operator(Function):
    """What an operator's calls are applications of."""

    @classmethod
    def _missing_rule(cls, what: str) -> NotImplementedError:
        return NotImplementedError(
            f"{cls.__name__}: this operator has no {what}. Give it one with {_REMEDIES[what]} "
            "(docs/custom_derivatives.md)."
        )


def _keep_nothing(ctx: Any, inputs: Any, output: Any) -> None:
    """The context of an operator whose rules read nothing."""


def _callable(title: str, name: str, rule: Any) -> Any:
    if not callable(rule):
        raise TypeError(f"{title}: expected a callable as {name}, got {described(rule)}")
    return rule


def _kernel(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel whose results are tensors that can be written to without changing an argument."""

    @functools.wraps(kernel)
    def forward(*args: Any) -> Any:
        out = kernel(*args)
        inputs = [arg for arg in args if isinstance(arg, Handle)]
        entries = [_checked(name, as_tensor(entry), inputs) for entry in (out if isinstance(out, tuple) else (out,))]
        return tuple(entries) if isinstance(out, tuple) else entries[0]

    return forward


def _checked(name: str, entry: Any, inputs: Sequence[Handle]) -> Handle:
    if not isinstance(entry, Handle):
        raise TypeError(f"{name}: the kernel must return a tensor or a tuple of tensors, got {described(entry)}")
    return apart(entry, inputs)


def custom_op(name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str] = ()) -> Any:
    """
    An operator of your own, made of a kernel.

    It has the rules that it is given: `register_autograd` (or `register_jvp`) a derivative, `register_vmap` a batching
    rule. A transform that meets it without is refused.

    Parameters
    ----------
    name : str
        With a namespace: ``"mylib::twice"``. A later operator of the same name takes its place.
    fn : callable, optional
        The kernel: takes plain tensors, which it does not write to, and anything else; returns a tensor (or
        NumPy array) or a tuple of them. Left out, the function is a decorator.
    mutates_args : iterable of str, default ()
        Accepted for torch's sake; must be empty.

    Returns
    -------
    CustomOpDef
        The operator, or a decorator that makes it.

    Raises
    ------
    ValueError
        If `name` has no namespace.
    NotImplementedError
        If `mutates_args` is not empty. When called under a transform: if the rule that it asks for is missing.

    Examples
    --------
    >>> @tp.library.custom_op("docs::thrice", mutates_args=())
    ... def thrice(x):
    ...     return x.numpy() * 3
    >>> thrice(tp.tensor(2.0))
    tensor(6.)
    >>> @thrice.register_vmap
    ... def _(info, in_dims, x):
    ...     return thrice(x), in_dims[0]
    >>> tp.func.vmap(thrice)(tp.tensor([1.0, 2.0]))
    tensor([3., 6.])
    """
    if not isinstance(name, str) or len(name.split("::")) != 2 or not all(name.split("::")):
        raise ValueError(f"custom_op(): expected a name with its namespace, as 'mylib::twice', got {name!r}")
    if tuple(mutates_args):
        raise NotImplementedError(
            f"custom_op({name!r}): mutates_args={mutates_args!r} is not supported: kernels write to no argument. "
            "Return the new value, and write it with copy_ outside."
        )

    def make(kernel: Callable[..., Any]) -> CustomOpDef:
        operator = CustomOpDef(name, _callable(f"custom_op({name!r})", "fn", kernel))
        _operators[name] = operator
        return operator

    return make if fn is None else make(fn)


def _operator(function: str, op: CustomOpDef | str) -> CustomOpDef:
    found = _operators.get(op) if isinstance(op, str) else op
    if not isinstance(found, CustomOpDef):
        raise ValueError(f"{function}(): there is no operator {op!r}; make it with custom_op, and keep it")
    return found


def register_autograd(
    op: CustomOpDef | str, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
) -> None:
    """
    Give an operator a derivative by its rule for reverse mode; forward mode is its transpose.

    Parameters
    ----------
    op : CustomOpDef or str
        The operator, or its name.
    backward : callable
        ``backward(ctx, *cotangents)`` returns one gradient (or None) per input, made of tensorplay's operations.
    setup_context : callable, optional
        ``setup_context(ctx, inputs, output)`` keeps what `backward` reads.

    Raises
    ------
    ValueError
        If there is no such operator.

    Examples
    --------
    >>> @tp.library.custom_op("docs::square")
    ... def square(x):
    ...     return x * x
    >>> tp.library.register_autograd(
    ...     "docs::square",
    ...     lambda ctx, ct: 2 * ctx.saved_tensors[0] * ct,
    ...     setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    ... )
    >>> tp.func.grad(square)(tp.tensor(3.0))
    tensor(6.)
    """
    _operator("register_autograd", op).register_autograd(backward, setup_context=setup_context)


def register_jvp(
    op: CustomOpDef | str, jvp: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
) -> None:
    """
    Give an operator a derivative by its rule for forward mode; reverse mode is its transpose.

    Parameters
    ----------
    op : CustomOpDef or str
        The operator, or its name.
    jvp : callable
        ``jvp(ctx, *tangents)`` returns the tangent of the output, made of tensorplay's operations.
    setup_context : callable, optional
        ``setup_context(ctx, inputs, output)`` keeps what `jvp` reads.

    Raises
    ------
    ValueError
        If there is no such operator.

    Examples
    --------
    >>> @tp.library.custom_op("docs::half")
    ... def half(x):
    ...     return x / 2
    >>> tp.library.register_jvp("docs::half", lambda ctx, dot: dot / 2)
    >>> tp.func.grad(half)(tp.tensor(3.0))
    tensor(0.5000)
    """
    _operator("register_jvp", op).register_jvp(jvp, setup_context=setup_context)


def register_vmap(op: CustomOpDef | str, func: Callable[..., Any] | None = None) -> Any:
    """
    Give an operator a batching rule.

    Parameters
    ----------
    op : CustomOpDef or str
        The operator, or its name.
    func : callable, optional
        ``func(info, in_dims, *inputs)`` returns ``(output, out_dims)``. Left out, the function is a decorator.

    Returns
    -------
    callable
        `func`, or the decorator.

    Raises
    ------
    ValueError
        If there is no such operator.

    Examples
    --------
    >>> @tp.library.custom_op("docs::negate")
    ... def negate(x):
    ...     return -x
    >>> _ = tp.library.register_vmap("docs::negate", lambda info, in_dims, x: (negate(x), in_dims[0]))
    >>> tp.func.vmap(negate)(tp.tensor([1.0, 2.0]))
    tensor([-1., -2.])
    """
    return _operator("register_vmap", op).register_vmap(func)
