"""Containers of parameters: a list, a dict."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tensorplay.nn.module import Module
from tensorplay.nn.parameter import Parameter
from tensorplay.tensor.tensor import Tensor


def _as_parameter(value: Any) -> Any:
    """A tensor as a Parameter; anything else as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _line(name: Any, value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"({name}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"({name}): {kind} containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(Module):
    """
    A list of parameters that belong to the module that holds it.

    Parameters
    ----------
    values : iterable of Parameter or Tensor, optional
        Tensors become parameters; other objects are kept as they are.

    Examples
    --------
    >>> [name for name, _ in tp.nn.ParameterList([tp.zeros(1), tp.zeros(2)]).named_parameters()]
    ['0', '1']
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(() if values is None else values)

    def _key(self, index: int) -> str:
        position = operator.index(index)
        if not -self._size <= position < self._size:
            raise IndexError(f"ParameterList: index {index} is out of range for {self._size} entries")
        return str(position % self._size)

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(self._size)[index]])
        return getattr(self, self._key(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._key(index), _as_parameter(value))

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(self._size)])

    def __iadd__(self, values: Iterable[Any]) -> ParameterList:
        return self.extend(values)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Any) -> ParameterList:
        """
        Add an entry at the end; returns this list.

        Parameters
        ----------
        value : Parameter, Tensor or object
            The new one.

        Returns
        -------
        ParameterList
            Itself.

        Examples
        --------
        >>> len(tp.nn.ParameterList().append(tp.zeros(1)))
        1
        """
        self._size += 1
        setattr(self, str(self._size - 1), _as_parameter(value))
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """
        Add entries at the end; returns this list.

        Parameters
        ----------
        values : iterable of Parameter, Tensor or object
            The new ones.

        Returns
        -------
        ParameterList
            Itself.

        Examples
        --------
        >>> len(tp.nn.ParameterList().extend([tp.zeros(1), tp.zeros(1)]))
        2
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend: expected a list of entries, got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def __repr__(self) -> str:
        if not self._size:
            return "ParameterList()"
        lines = "\n".join(f"    {_line(i, value)}" for i, value in enumerate(self))
        return f"ParameterList(\n{lines}\n)"


class ParameterDict(Module):
    """
    A dict of parameters that belong to the module that holds it.

    Parameters
    ----------
    parameters : mapping or iterable of pairs of str and Parameter or Tensor, optional
        Tensors become parameters; other objects are kept as they are.

    Examples
    --------
    >>> [name for name, _ in tp.nn.ParameterDict({"a": tp.zeros(1)}).named_parameters()]
    ['a']
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"ParameterDict: a key must be a str, got {type(key).__name__}")
        setattr(self, key, _as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def keys(self) -> Iterable[str]:
        """
        Names of the entries.

        Returns
        -------
        iterable of str
            In order.

        Examples
        --------
        >>> list(tp.nn.ParameterDict({"a": tp.zeros(1)}).keys())
        ['a']
        """
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """
        The entries.

        Returns
        -------
        iterable of Parameter or object
            In order.

        Examples
        --------
        >>> len(list(tp.nn.ParameterDict({"a": tp.zeros(1)}).values()))
        1
        """
        return [self[key] for key in self._keys]

    def items(self) -> Iterable[tuple[str, Any]]:
        """
        Names and entries.

        Returns
        -------
        iterable of (str, Parameter or object)
            In order.

        Examples
        --------
        >>> [key for key, _ in tp.nn.ParameterDict({"a": tp.zeros(1)}).items()]
        ['a']
        """
        return [(key, self[key]) for key in self._keys]

    def update(self, parameters: Any) -> None:
        """
        Add entries, and replace those of the same name.

        Parameters
        ----------
        parameters : mapping or iterable of pairs of str and Parameter or Tensor
            In order.

        Examples
        --------
        >>> parameters = tp.nn.ParameterDict()
        >>> parameters.update({"a": tp.zeros(1)})
        >>> len(parameters)
        1
        """
        pairs = parameters.items() if isinstance(parameters, Mapping | ParameterDict) else parameters
        if not isinstance(pairs, Iterable):
            raise TypeError(f"ParameterDict.update: expected a mapping or pairs, got {type(parameters).__name__}")
        for key, value in pairs:
            self[key] = value

    def get(self, key: str, default: Any = None) -> Any:
        """
        Entry of a name, or a default.

        Parameters
        ----------
        key : str
            Its name.
        default : object, optional
            What to give if there is none.

        Returns
        -------
        Parameter or object
            The entry.

        Examples
        --------
        >>> tp.nn.ParameterDict().get("a") is None
        True
        """
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """
        Entry of a name, which is added if there is none.

        Parameters
        ----------
        key : str
            Its name.
        default : object, optional
            What to add.

        Returns
        -------
        Parameter or object
            The entry.

        Examples
        --------
        >>> tp.nn.ParameterDict().setdefault("a", tp.zeros(2)).shape
        tensorplay.Size([2])
        """
        if key not in self._keys:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """
        Take an entry out and return it.

        Parameters
        ----------
        key : str
            Its name.

        Returns
        -------
        Parameter or object
            The entry.

        Examples
        --------
        >>> tp.nn.ParameterDict({"a": tp.zeros(2)}).pop("a").shape
        tensorplay.Size([2])
        """
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """
        Remove all entries.

        Examples
        --------
        >>> parameters = tp.nn.ParameterDict({"a": tp.zeros(1)})
        >>> parameters.clear()
        >>> len(parameters)
        0
        """
        for key in list(self._keys):
            del self[key]

    def __repr__(self) -> str:
        return "ParameterDict(" + "\n".join(f"  {_line(key, value)}" for key, value in self.items()) + ")"
