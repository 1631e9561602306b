"""Module: parameters, buffers and submodules under attribute names, and a forward that uses them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from tensorplay.core.hooks import RemovableHandle, add_hook, hooks_of
from tensorplay.dtypes import device, float16, float32, float64
from tensorplay.nn.hooks import BackwardHooks, Hook
from tensorplay.nn.parameter import Parameter
from tensorplay.nn.state import StateDict
from tensorplay.tensor.autograd import no_grad
from tensorplay.tensor.calls import explain_accident, explained_construction
from tensorplay.tensor.functions.creation import zeros_like
from tensorplay.tensor.tensor import Tensor

Self = TypeVar("Self", bound="Module")


class Module(StateDict):
    """
    Base of all layers and models.

    A subclass assigns `Parameter`, `Buffer` and other modules to attributes in its ``__init__`` (after
    ``super().__init__()``) and computes in ``forward``.

    Examples
    --------
    >>> class Scale(tp.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tp.nn.Parameter(tp.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> [name for name, _ in Scale().named_parameters()]
    ['factor']
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.startswith("tensorplay.nn."):
            explained_construction(cls)

    # ---- calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """
        What the module computes; every subclass defines it.

        Parameters
        ----------
        *args, **kwargs
            What the module is called with.

        Returns
        -------
        object
            What the call returns.

        Raises
        ------
        NotImplementedError
            If a subclass does not define it.

        Examples
        --------
        >>> tp.nn.Identity().forward(3)
        3
        """
        raise NotImplementedError(f"{type(self).__name__} has no forward(): define what the module computes")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooks:
            return self._call_with_hooks(args, kwargs)
        try:
            return self.forward(*args, **kwargs)
        except (AttributeError, TypeError) as error:
            if type(self).__module__.startswith("tensorplay.nn."):
                explain_accident(self.forward, args, kwargs, error, type(self).__name__)
            raise

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        done = False
        try:
            for hook in hooks_of(self._hooks, "forward_pre"):
                args, kwargs = self._changed_arguments(hook, args, kwargs)
            backward = BackwardHooks(self) if self._hooks.keys() & {"full_backward", "full_backward_pre"} else None
            out = self.forward(*(args if backward is None else backward.inputs(args)), **kwargs)
            done = True
        finally:
            if not done:
                for hook in hooks_of(self._hooks, "forward"):
                    if hook.always_call:
                        self._changed_output(hook, args, kwargs, None)
        for hook in hooks_of(self._hooks, "forward"):
            out = self._changed_output(hook, args, kwargs, out)
        return out if backward is None else backward.outputs(out)

    def _changed_arguments(
        self, hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        changed = hook.function(self, args, kwargs) if hook.with_kwargs else hook.function(self, args)
        if changed is None:
            return args, kwargs
        if not hook.with_kwargs:
            return (changed if isinstance(changed, tuple) else (changed,)), kwargs
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise RuntimeError(
                f"forward pre-hook: with_kwargs=True needs None or a pair (args, kwargs), got {changed!r}"
            )
        return changed

    def _changed_output(self, hook: Hook, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> Any:
        extra = (args, kwargs, out) if hook.with_kwargs else (args, out)
        changed = hook.function(self, *extra)
        return out if changed is None else changed

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """
        Call a function before each forward; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, args)``, or ``hook(module, args, kwargs)`` with `with_kwargs`. Returns None, or what the
            forward gets instead: args (a single one may stand alone), or ``(args, kwargs)``.
        prepend : bool, default False
            Call it before the hooks that are there.
        with_kwargs : bool, default False
            Whether it sees keyword arguments.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Identity()
        >>> _ = m.register_forward_pre_hook(lambda module, args: args[0] + 1)
        >>> m(tp.tensor(1.0))
        tensor(2.)
        """
        return add_hook(self._hooks, "forward_pre", Hook(hook, with_kwargs), prepend=prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """
        Call a function after each forward; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, args, output)``, or ``hook(module, args, kwargs, output)`` with `with_kwargs`. Returns None,
            or another output.
        prepend : bool, default False
            Call it before the hooks that are there.
        with_kwargs : bool, default False
            Whether it sees keyword arguments.
        always_call : bool, default False
            Call it, with output None, when the forward raised too.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Identity()
        >>> _ = m.register_forward_hook(lambda module, args, out: out * 3)
        >>> m(tp.tensor(1.0))
        tensor(3.)
        """
        return add_hook(self._hooks, "forward", Hook(hook, with_kwargs, always_call), prepend=prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """
        Call a function when gradients of the inputs were computed; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, grad_input, grad_output)``, of tuples with an entry for each positional argument and each
            output; None where there is no gradient. Returns None, or what is to stand for `grad_input`.
        prepend : bool, default False
            Call it before the hooks that are there.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Notes
        -----
        Where no input is differentiated (only parameters), it is called when gradients of the outputs are there. Inside
        transforms it sees gradients of the innermost `grad`, `vjp` or `jacrev`, as `Tensor.register_hook` does.

        Examples
        --------
        >>> m = tp.nn.Identity()
        >>> _ = m.register_full_backward_hook(lambda module, grad_input, grad_output: (10 * grad_input[0],))
        >>> tp.func.grad(m)(tp.tensor(1.0))
        tensor(10.)
        """
        return add_hook(self._hooks, "full_backward", Hook(hook), prepend=prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """
        Call a function when gradients of the outputs were computed; returns a handle that removes it.

        Parameters
        ----------
        hook : callable
            ``hook(module, grad_output)``, of a tuple with an entry for each output. Returns None, or what is to stand
            for `grad_output`.
        prepend : bool, default False
            Call it before the hooks that are there.

        Returns
        -------
        RemovableHandle
            Its ``remove()`` takes the hook away.

        Examples
        --------
        >>> m = tp.nn.Linear(1, 1)
        >>> _ = m.register_full_backward_pre_hook(lambda module, grad_output: (10 * grad_output[0],))
        >>> m(tp.ones(1)).sum().backward()
        >>> m.bias.grad
        tensor([10.])
        """
        return add_hook(self._hooks, "full_backward_pre", Hook(hook), prepend=prepend)

    # ---- modes and conversion

    def train(self: Self, mode: bool = True) -> Self:
        """
        Set training mode for this module and all below it; returns this module.

        Parameters
        ----------
        mode : bool, default True
            False is evaluation mode.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        ValueError
            If `mode` is no bool.

        Examples
        --------
        >>> tp.nn.Dropout().train(False).training
        False
        """
        if not isinstance(mode, bool):
            raise ValueError(f"train(): mode must be a bool, got {type(mode).__name__}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: Self) -> Self:
        """
        Set evaluation mode for this module and all below it; returns this module.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Dropout().eval()(tp.tensor([1.0]))
        tensor([1.])
        """
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        """
        Say whether ordinary autograd records what is computed from the parameters; returns this module.

        Parameters
        ----------
        requires_grad : bool, default True
            False freezes the module.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Linear(1, 1).requires_grad_(False).weight.requires_grad
        False
        """
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """
        Forget the gradients of all parameters.

        Parameters
        ----------
        set_to_none : bool, default True
            None instead of zeros.

        Examples
        --------
        >>> m = tp.nn.Linear(1, 1)
        >>> m(tp.ones(1)).sum().backward()
        >>> m.zero_grad()
        >>> m.bias.grad is None
        True
        """
        for parameter in self.parameters():
            if parameter.grad is not None:
                parameter.grad = None if set_to_none else zeros_like(parameter.grad)

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """
        Convert floating and complex parameters and buffers, in place; returns this module.

        Parameters
        ----------
        *args, **kwargs
            A dtype (`dtype=`), a device (`device=`, only the CPU) or a tensor to be like; `non_blocking` is accepted.

        Returns
        -------
        Module
            Itself.

        Raises
        ------
        TypeError
            If the dtype is neither floating nor complex.

        Examples
        --------
        >>> tp.nn.Linear(1, 1).to(tp.float64).weight.dtype
        tensorplay.float64
        """
        dtype = _target_dtype(args, kwargs)
        if dtype is None:
            return self
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"to(): a module can be converted to floating and complex dtypes only, got {dtype}")
        return self._convert_floats(dtype)

    def type(self: Self, dst_type: Any) -> Self:
        """
        Convert all parameters and buffers to a dtype, in place; returns this module.

        Parameters
        ----------
        dst_type : dtype
            Of every parameter and buffer, integers included.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Linear(1, 1).type(tp.float64).weight.dtype
        tensorplay.float64
        """
        return self._apply(lambda tensor: tensor.to(dst_type))

    def float(self: Self) -> Self:
        """
        Convert floating parameters and buffers to float32, in place; returns this module.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Linear(1, 1).double().float().weight.dtype
        tensorplay.float32
        """
        return self._apply(lambda tensor: tensor.to(float32) if tensor.dtype.is_floating_point else tensor)

    def double(self: Self) -> Self:
        """
        Convert floating parameters and buffers to float64, in place; returns this module.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Linear(1, 1).double().weight.dtype
        tensorplay.float64
        """
        return self._apply(lambda tensor: tensor.to(float64) if tensor.dtype.is_floating_point else tensor)

    def half(self: Self) -> Self:
        """
        Convert floating parameters and buffers to float16, in place; returns this module.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Linear(1, 1).half().weight.dtype
        tensorplay.float16
        """
        return self._apply(lambda tensor: tensor.to(float16) if tensor.dtype.is_floating_point else tensor)

    def cpu(self: Self) -> Self:
        """
        This module: tensors live on the CPU always.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Identity().cpu()
        Identity()
        """
        return self

    def cuda(self: Self, device: Any = None) -> Self:
        """
        Raise: there is no GPU to move the module to.

        Parameters
        ----------
        device : int or device, optional
            Which one it would be.

        Returns
        -------
        Module
            Never.

        Raises
        ------
        RuntimeError
            Always, with what to do.

        Examples
        --------
        >>> model = tp.nn.Linear(1, 1).to("cuda" if tp.cuda.is_available() else "cpu")
        """
        return self.to(device="cuda")

    def _convert_floats(self: Self, dtype: Any) -> Self:
        def convert(tensor: Tensor) -> Tensor:
            inexact = tensor.dtype.is_floating_point or tensor.dtype.is_complex
            return tensor.to(dtype) if inexact else tensor

        return self._apply(convert)

    def _apply(self: Self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Replace the contents of every parameter and buffer by `fn` of it; parameters stay the same objects."""
        for module in self.children():
            module._apply(fn)
        with no_grad():
            for name, tensor in self._members("_parameters").items():
                if tensor is not None:
                    self._apply_to_parameter(name, tensor, fn)
            for name, tensor in self._members("_buffers").items():
                if tensor is not None:
                    setattr(self, name, fn(tensor))
        return self

    def _apply_to_parameter(self, name: str, tensor: Tensor, fn: Callable[[Tensor], Tensor]) -> None:
        changed = fn(tensor)
        if not isinstance(tensor, Parameter):
            setattr(self, name, changed)
        elif changed is not tensor:
            grad = tensor.grad
            tensor.grad = None
            tensor.data = changed.detach()
            tensor.grad = None if grad is None else fn(grad)

    # ---- printing

    def extra_repr(self) -> str:
        """
        What the printed form shows between the parentheses; subclasses override it.

        Returns
        -------
        str
            One line or several.

        Examples
        --------
        >>> tp.nn.Linear(3, 2).extra_repr()
        'in_features=3, out_features=2, bias=True'
        """
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not lines and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        body = "\n  ".join([*(extra.split("\n") if extra else ()), *lines])
        return f"{self._get_name()}(\n  {body}\n)"


def _target_dtype(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The dtype that the arguments of `to` name; None if they name none."""
    dtype = kwargs.get("dtype")
    for arg in (*args, kwargs.get("device"), kwargs.get("tensor")):
        if isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, str | device):
            device(arg)
        elif arg is not None and not isinstance(arg, bool):
            dtype = arg
    return dtype


def indented(text: str) -> str:
    first, newline, rest = text.partition("\n")
    return first + newline + textwrap.indent(rest, "  ")
