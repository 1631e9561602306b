"""Functions that can also write their result into their first argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from tensorplay.tensor.calls import described, explain, torch_names
from tensorplay.tensor.handle import Handle
from tensorplay.tensor.lift import lift as lift_op
from tensorplay.tensor.lift import to_tensor, to_value
from tensorplay.tensor.methods.inplace import store

F = TypeVar("F", bound=Callable[..., Any])


def lift_inplace(function: F) -> F:
    """`function` on tensors, with a last argument `inplace`: whether the result is written into the first one."""
    plain = lift_op(function)
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if name not in ("generator", "inplace")]
    place = len(names)

    @functools.wraps(function)
    def public(*args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        if len(args) > place:
            args, inplace = args[:place], args[place]
        if inplace is False:
            return plain(*args, **kwargs)
        if not isinstance(inplace, bool | int):
            raise TypeError(f"{function.__name__}(): argument 'inplace' must be a bool, got {described(inplace)}")
        if not inplace:
            return plain(*args, **kwargs)
        try:
            result = function(*map(to_value, args), **{name: to_value(arg) for name, arg in kwargs.items()})
        except Exception as error:
            names = torch_names(function, kwargs)
            if names is kwargs:
                explain(function, args, kwargs, error)
                raise
            return public(*args, inplace=True, **names)
        input, name = args[0] if args else kwargs["input"], f"{function.__name__}(inplace=True)"
        if not isinstance(input, Handle):
            raise TypeError(f"{name}: argument 'input' must be a Tensor to write into, got {described(input)}")
        return store(input, to_tensor(result), name)

    flag = inspect.Parameter("inplace", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation="bool")
    parameters = [signature.parameters[name] for name in names]
    keywords = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (signature.parameters.get("generator"),) if p]
    parameters = [*parameters, flag, *keywords]
    public.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    public.__doc__ = _documented(function)
    return public  # type: ignore[return-value]


def _documented(function: Callable[..., Any]) -> str:
    """Documentation that has the argument `inplace`."""
    text = inspect.cleandoc(function.__doc__ or "")
    if "\ninplace : " not in text:
        flag = "\ninplace : bool, default False\n    Whether `input` holds the result, and is returned."
        text = text.replace("\n\nReturns\n", f"{flag}\n\nReturns\n", 1)
    return f"\n{text}\n"


def lift_underscore(function: F) -> F:
    """The in-place form ``function_``."""
    name = function.__name__ + "_"

    @functools.wraps(function)
    def public(input: Any, *args: Any, **kwargs: Any) -> Any:
        values = {key: to_value(arg) for key, arg in kwargs.items()}
        return store(input, to_tensor(function(to_value(input), *map(to_value, args), **values)), name)

    public.__name__ = public.__qualname__ = name
    public.__doc__ = f"`{function.__name__}`, in place: `input` holds the result, and is returned."
    return public  # type: ignore[return-value]
