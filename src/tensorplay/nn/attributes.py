"""Attributes of a module: which of them are parameters, buffers and submodules, and what stands in for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tensorplay.core.hooks import HooksByKind
from tensorplay.nn.parameter import Buffer, Parameter
from tensorplay.nn.substitution import substitutes_of
from tensorplay.tensor.tensor import Tensor

if TYPE_CHECKING:
    from tensorplay.nn.module import Module

_KINDS = {"_parameters": "a Parameter", "_buffers": "a tensor", "_modules": "a Module"}


class Attributes:
    """What holds parameters, buffers and submodules under attribute names."""

    training: bool
    _parameters: dict[str, Tensor | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]
    _hooks: HooksByKind

    def __init__(self) -> None:
        fields = self.__dict__
        fields["training"] = True
        fields["_parameters"] = {}
        fields["_buffers"] = {}
        fields["_modules"] = {}
        fields["_non_persistent_buffers_set"] = set()
        fields["_hooks"] = {}

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles hold: parameters and buffers as attribute accesses would give them here."""
        fields = self.__dict__
        if substitutes_of(self) is None:
            return fields
        return fields | {kind: dict(self._members(kind)) for kind in ("_parameters", "_buffers")}

    # ---- attributes

    def __getattr__(self, name: str) -> Any:
        cells = substitutes_of(self)
        if cells is not None and name in cells:
            return cells[name].tensor
        fields = self.__dict__
        for kind in _KINDS:
            members = fields.get(kind)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if self._substitute(name, value):
            return
        if isinstance(value, Parameter):
            self._make_room(name, "_parameters")
            self.register_parameter(name, value)
        elif isinstance(value, Attributes):
            self._make_room(name, "_modules")
            self.register_module(name, value)  # type: ignore[arg-type]
        elif isinstance(value, Buffer):
            self._make_room(name, "_buffers")
            self.register_buffer(name, value, value.persistent)
        elif not self._reassign(name, value):
            object.__setattr__(self, name, value)

    def _substitute(self, name: str, value: Any) -> bool:
        """Assign to what stands in for a parameter or buffer here; False if nothing does."""
        cells = substitutes_of(self)
        if cells is None or name not in cells:
            return False
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"{type(self).__name__}.{name} holds a tensor or None, got {type(value).__name__}")
        cells[name].tensor = value
        return True

    def _make_room(self, name: str, kind: str) -> None:
        """Forget what the name stood for, unless it is of this kind."""
        fields = self.__dict__
        fields.pop(name, None)
        for other in _KINDS:
            if other != kind and other in fields:
                fields[other].pop(name, None)

    def _reassign(self, name: str, value: Any) -> bool:
        """Assign to a name that is registered; False if it is not."""
        fields = self.__dict__
        for kind, expected in _KINDS.items():
            if name in fields.get(kind, ()):
                if value is not None and not (kind == "_buffers" and isinstance(value, Tensor)):
                    raise TypeError(
                        f"{type(self).__name__}.{name} is registered and can hold {expected} or None, got "
                        f"{type(value).__name__}; delete the attribute first to use the name for something else"
                    )
                fields[kind][name] = value
                return True
        return False

    def __delattr__(self, name: str) -> None:
        for kind in _KINDS:
            if name in self.__dict__[kind]:
                if name in (substitutes_of(self) or ()):
                    raise RuntimeError(f"cannot delete {type(self).__name__}.{name} while functional_call replaces it")
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = [*super().__dir__(), *self._parameters, *self._buffers, *self._modules]
        return sorted({name for name in names if not name[:1].isdigit()})

    # ---- registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """
        Add a parameter under an attribute name.

        Parameters
        ----------
        name : str
            Without dots.
        param : Parameter or None
            None keeps the name for a parameter that is switched off.

        Raises
        ------
        KeyError, TypeError, AttributeError
            If the name does not do or is taken, `param` is no Parameter, or ``super().__init__()`` was not called.

        Examples
        --------
        >>> m = tp.nn.Module()
        >>> m.register_parameter("w", tp.nn.Parameter(tp.ones(1)))
        >>> "w" in dict(m.named_parameters())
        True
        """
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"register_parameter({name!r}): expected a Parameter or None, got {type(param).__name__}")
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"register_parameter({name!r}): a parameter must be a leaf; it was computed from other tensors"
            )
        self._register("_parameters", name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """
        Add a tensor that belongs to the module's state but is not trained.

        Parameters
        ----------
        name : str
            Without dots.
        tensor : Tensor or None
            None keeps the name for a buffer that is switched off.
        persistent : bool, default True
            Whether `state_dict` contains it.

        Raises
        ------
        KeyError, TypeError, AttributeError
            If the name does not do or is taken, `tensor` is no tensor, or ``super().__init__()`` was not called.

        Examples
        --------
        >>> m = tp.nn.Module()
        >>> m.register_buffer("mean", tp.zeros(2))
        >>> m.mean
        tensor([0., 0.])
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"register_buffer({name!r}): expected a tensor or None, got {type(tensor).__name__}")
        if self._register("_buffers", name, tensor):
            (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """
        Add a submodule under an attribute name; the same as `add_module`.

        Parameters
        ----------
        name : str
            Without dots.
        module : Module or None
            The child.

        Raises
        ------
        KeyError, TypeError, AttributeError
            If the name does not do or is taken, `module` is no Module, or ``super().__init__()`` was not called.

        Examples
        --------
        >>> m = tp.nn.Module()
        >>> m.register_module("act", tp.nn.Identity())
        >>> m.act
        Identity()
        """
        if module is not None and not isinstance(module, Attributes):
            raise TypeError(f"register_module({name!r}): expected a Module or None, got {type(module).__name__}")
        self._register("_modules", name, module)

    def add_module(self, name: str, module: Module | None) -> None:
        """
        Add a submodule under an attribute name; see `register_module`.

        Parameters
        ----------
        name : str
            Without dots.
        module : Module or None
            The child.

        Examples
        --------
        >>> m = tp.nn.Module()
        >>> m.add_module("act", tp.nn.Identity())
        >>> m.act
        Identity()
        """
        self.register_module(name, module)

    def _register(self, kind: str, name: str, value: Any) -> bool:
        """Let a checked name hold `value`; False if it went to a substitute."""
        fields = self.__dict__
        if kind not in fields:
            raise AttributeError(
                f"cannot register {name!r} on {type(self).__name__}: call super().__init__() first in its __init__"
            )
        if not isinstance(name, str):
            raise TypeError(f"the name of a parameter, buffer or submodule must be a str, got {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(
                f"the name of a parameter, buffer or submodule must be non-empty and without dots, got {name!r}"
            )
        if self._substitute(name, value):
            return False
        if name not in fields[kind] and hasattr(self, name):
            raise KeyError(
                f"{type(self).__name__} has an attribute {name!r} already; choose another name, or delete it first"
            )
        fields[kind][name] = value
        return True

    def _members(self, kind: str) -> Mapping[str, Tensor | None]:
        """Own parameters or buffers by name, as an attribute access would give them here."""
        members: dict[str, Tensor | None] = self.__dict__[kind]
        cells = substitutes_of(self)
        if cells is None:
            return members
        return {name: cells[name].tensor if name in cells else member for name, member in members.items()}
