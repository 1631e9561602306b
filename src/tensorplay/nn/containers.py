"""Containers of modules: a pipeline, a list, a dict."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from tensorplay.errors import WrongArgument
from tensorplay.nn.module import Module, indented

Self = TypeVar("Self", bound="_Listed")


class _Listed(Module):
    """Submodules named "0", "1", ...: what a pipeline and a list share."""

    def _key(self, index: int) -> str:
        """Name of the submodule at a position."""
        position = operator.index(index)
        count = len(self)
        if not -count <= position < count:
            raise IndexError(f"{type(self).__name__}: index {index} is out of range for {count} modules")
        return list(self._modules)[position]

    def _renumber(self, modules: Iterable[Module | None]) -> None:
        self.__dict__["_modules"] = {str(i): module for i, module in enumerate(modules)}

    def _sliced(self: Self, part: slice) -> Self:
        return type(self)(list(self._modules.values())[part])  # type: ignore[call-arg]

    def __len__(self) -> int:
        return len(self._modules)

    def __getitem__(self, index: int | slice) -> Any:
        return self._sliced(index) if isinstance(index, slice) else self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        self._renumber([module for name, module in self._modules.items() if name not in keys])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self: Self, module: Module) -> Self:
        """
        Add a module at the end; returns this container.

        Parameters
        ----------
        module : Module
            The new one.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> len(tp.nn.Sequential().append(tp.nn.Identity()))
        1
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self: Self, modules: Iterable[Module]) -> Self:
        """
        Add modules at the end; returns this container.

        Parameters
        ----------
        modules : iterable of Module
            The new ones.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> len(tp.nn.ModuleList().extend([tp.nn.Identity(), tp.nn.Identity()]))
        2
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend: expected an iterable of modules, got {type(modules).__name__}"
            )
        for module in list(modules):
            self.append(module)
        return self

    def insert(self: Self, index: int, module: Module) -> Self:
        """
        Put a module before a position; returns this container.

        Parameters
        ----------
        index : int
            Position; from the end if negative.
        module : Module
            The new one.

        Returns
        -------
        Module
            Itself.

        Examples
        --------
        >>> tp.nn.Sequential(tp.nn.Identity()).insert(0, tp.nn.Flatten())[0]
        Flatten(start_dim=1, end_dim=-1)
        """
        if not isinstance(module, Module):
            raise WrongArgument(f"{type(self).__name__}.insert: expected a Module, got {type(module).__name__}")
        count = len(self)
        if not -count <= index <= count:
            raise IndexError(f"{type(self).__name__}.insert: index {index} is out of range for {count} modules")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key: int) -> Any:
        """
        Take a module out and return it.

        Parameters
        ----------
        key : int
            Its position.

        Returns
        -------
        Module
            The one that was there.

        Examples
        --------
        >>> tp.nn.Sequential(tp.nn.Identity()).pop(0)
        Identity()
        """
        module = self[key]
        del self[key]
        return module


class Sequential(_Listed):
    """
    Modules called one after the other, each on the output of the one before.

    Parameters
    ----------
    *args : Module, or an OrderedDict of str to Module
        In order.

    Examples
    --------
    >>> tp.nn.Sequential(tp.nn.Linear(3, 4), tp.nn.ReLU(), tp.nn.Linear(4, 2))(tp.ones(5, 3)).shape
    tensorplay.Size([5, 2])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def _sliced(self, part: slice) -> Sequential:
        return type(self)(OrderedDict(list(self._modules.items())[part]))

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"Sequential: can only be added to a Sequential, got {type(other).__name__}")
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"Sequential: can only be added to a Sequential, got {type(other).__name__}")
        return self.extend(other)

    def __mul__(self, times: int) -> Sequential:
        return Sequential(*self._repeated(times))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Sequential:
        self._renumber(self._repeated(times))
        return self

    def _repeated(self, times: int) -> list[Any]:
        if not isinstance(times, int):
            raise TypeError(f"Sequential: can only be repeated an int number of times, got {type(times).__name__}")
        if times <= 0:
            raise ValueError(f"Sequential: can only be repeated a positive number of times, got {times}")
        return list(self) * times

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input


class ModuleList(_Listed):
    """
    A list of modules whose parameters belong to the module that holds it.

    Parameters
    ----------
    modules : iterable of Module, optional
        In order.

    Examples
    --------
    >>> len(list(tp.nn.ModuleList([tp.nn.Linear(1, 1) for _ in range(3)]).parameters()))
    6
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        if not self._modules:
            return f"{self._get_name()}()"
        runs: list[list[Any]] = []  # first and last position of equal neighbours, and how they print
        for position, module in enumerate(self):
            shown = repr(module)
            if runs and runs[-1][2] == shown:
                runs[-1][1] = position
            else:
                runs.append([position, position, shown])
        lines = [
            f"({first}): {indented(shown)}"
            if first == last
            else f"({first}-{last}): {last - first + 1} x {indented(shown)}"
            for first, last, shown in runs
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """
    A dict of modules whose parameters belong to the module that holds it.

    Parameters
    ----------
    modules : mapping or iterable of pairs of str and Module, optional
        In order.

    Examples
    --------
    >>> list(tp.nn.ModuleDict({"act": tp.nn.ReLU()}).keys())
    ['act']
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """
        Remove all modules.

        Examples
        --------
        >>> modules = tp.nn.ModuleDict({"act": tp.nn.ReLU()})
        >>> modules.clear()
        >>> len(modules)
        0
        """
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """
        Take a module out and return it.

        Parameters
        ----------
        key : str
            Its name.

        Returns
        -------
        Module
            The one of that name.

        Examples
        --------
        >>> tp.nn.ModuleDict({"act": tp.nn.ReLU()}).pop("act")
        ReLU()
        """
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """
        Names of the modules.

        Returns
        -------
        iterable of str
            In order.

        Examples
        --------
        >>> list(tp.nn.ModuleDict({"act": tp.nn.ReLU()}).keys())
        ['act']
        """
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """
        Names and modules.

        Returns
        -------
        iterable of (str, Module)
            In order.

        Examples
        --------
        >>> list(tp.nn.ModuleDict({"act": tp.nn.ReLU()}).items())
        [('act', ReLU())]
        """
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """
        The modules.

        Returns
        -------
        iterable of Module
            In order.

        Examples
        --------
        >>> list(tp.nn.ModuleDict({"act": tp.nn.ReLU()}).values())
        [ReLU()]
        """
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """
        Add modules, and replace those of the same name.

        Parameters
        ----------
        modules : mapping or iterable of pairs of str and Module
            In order.

        Examples
        --------
        >>> modules = tp.nn.ModuleDict()
        >>> modules.update({"act": tp.nn.ReLU()})
        >>> len(modules)
        1
        """
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        if not isinstance(pairs, Iterable):
            raise TypeError(f"ModuleDict.update: expected a mapping or pairs, got {type(modules).__name__}")
        for pair in pairs:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ValueError(f"ModuleDict.update: expected pairs of a name and a module, got {pair!r}")
            self[pair[0]] = pair[1]
