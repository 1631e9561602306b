"""save and load: tensors and states in a safetensors file, which holds data and nothing that could run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tensorplay.tensor.factories import from_numpy
from tensorplay.tensor.tensor import Tensor

_STRUCTURE = "tensorplay.structure"  # name of the entry in the header that says what holds the tensors

# the format has no complex128
_UNSUPPORTED = (np.dtype("complex128"),)


def save(obj: Any, f: str | os.PathLike[str], metadata: Mapping[str, str] | None = None) -> None:
    """
    Write tensors by name to a safetensors file, and what else a state holds to its header.

    Parameters
    ----------
    obj : mapping of str to Tensor, or Tensor
        A state dict, nested ones included (their keys are joined by dots); or a single tensor. Or nested dicts, lists
        and tuples of tensors, numbers, strings, bools and None, as the state of an optimiser is.
    f : path
        Ends in ``.safetensors``.
    metadata : mapping of str to str, optional
        Kept in the file's header.

    Raises
    ------
    ValueError
        If the path has another ending, or names collide.
    TypeError
        If something else is to be saved, or `metadata` holds something else than strings.
    FileNotFoundError
        If the directory does not exist.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> tp.save(tp.nn.Linear(3, 2).state_dict(), path)
    >>> sorted(tp.load(path))
    ['bias', 'weight']
    >>> optimizer = tp.optim.Adam(tp.nn.Linear(3, 2).parameters(), lr=0.5)
    >>> tp.save(optimizer.state_dict(), path)
    >>> tp.load(path)["param_groups"][0]["lr"]
    0.5
    """
    from safetensors.numpy import save_file

    path = _checked_path("save", f)
    named: dict[str, Tensor] = {}
    structure = _described(obj, "", named)
    arrays = {name: _array(name, tensor) for name, tensor in named.items()}
    for key, value in (metadata or {}).items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"save(): metadata must hold strings, got {key!r}: {value!r}")
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise FileNotFoundError(f"save(): there is no directory {os.path.dirname(path)!r}")
    header = dict(metadata or {})
    if not _is_flat(obj):
        header[_STRUCTURE] = json.dumps(structure)
    save_file(arrays, path, header or None)


def load(f: str | os.PathLike[str]) -> Any:
    """
    Tensors that `save` wrote.

    Parameters
    ----------
    f : path
        Of a safetensors file.

    Returns
    -------
    dict of str to Tensor, or Tensor
        As it was saved; nested dicts of nothing but tensors come back as one with dotted names.

    Raises
    ------
    ValueError
        If the path does not end in ``.safetensors``, or the file is damaged or of another format.
    TypeError
        If the file holds elements of a type that tensors have not.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x.safetensors")
    >>> tp.save(tp.tensor([1.0, 2.0]), path)
    >>> tp.load(path)
    tensor([1., 2.])
    """
    from safetensors import SafetensorError, safe_open
    from safetensors.numpy import load_file

    path = _checked_path("load", f)
    try:
        with safe_open(path, "numpy") as file:
            header = file.metadata() or {}
        arrays = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"load(): {path!r} is no whole safetensors file: {error}") from None
    except TypeError as error:
        raise TypeError(f"load(): {path!r} holds what no tensor can: {error}") from None
    loaded = {name: from_numpy(array) for name, array in arrays.items()}
    if _STRUCTURE in header:
        return _restored(json.loads(header[_STRUCTURE]), loaded)
    return loaded[""] if set(loaded) == {""} else loaded


def _checked_path(title: str, f: str | os.PathLike[str]) -> str:
    path = os.fspath(f)
    if not path.endswith(".safetensors"):
        raise ValueError(f"{title}(): only safetensors files are supported; {path!r} should end in '.safetensors'")
    return path


# ---- what holds the tensors ------------------------------------------------------------------------------------------


def _is_flat(obj: Any) -> bool:
    """Whether the names of the tensors say all there is: a tensor, or nested mappings of names to tensors."""
    if isinstance(obj, Mapping):
        return all([isinstance(key, str) and _is_flat(value) for key, value in obj.items()])
    return isinstance(obj, Tensor)


def _described(obj: Any, name: str, named: dict[str, Tensor]) -> Any:
    """What JSON can hold of an object; its tensors are noted under dotted names."""
    if isinstance(obj, Tensor):
        if name in named:
            raise ValueError(f"save(): two tensors have the name {name!r}")
        named[name] = obj
        return {"tensor": name}
    if obj is None or isinstance(obj, bool | int | float | str):
        return obj
    prefix = f"{name}." if name else ""
    if isinstance(obj, Mapping) and all([isinstance(key, int | str) for key in obj]):
        return {"dict": [[key, _described(value, f"{prefix}{key}", named)] for key, value in obj.items()]}
    if obj.__class__ in (list, tuple):
        entries = [_described(entry, f"{prefix}{i}", named) for i, entry in enumerate(obj)]
        return {obj.__class__.__name__: entries}
    raise TypeError(_refusal(obj, name))


def _restored(described: Any, named: Mapping[str, Tensor]) -> Any:
    """The object that `_described` described."""
    if not isinstance(described, dict):
        return described
    ((kind, entries),) = described.items()
    if kind == "tensor":
        return named[entries]
    if kind == "dict":
        return {key: _restored(value, named) for key, value in entries}
    made = [_restored(entry, named) for entry in entries]
    return tuple(made) if kind == "tuple" else made


def _refusal(obj: Any, name: str) -> str:
    what = f"save(): {name!r} must be" if name else "save(): expected"
    advice = "save its state_dict() instead" if hasattr(obj, "state_dict") else "pickle holds other objects"
    return (
        f"{what} a tensor, a number, a string, or dicts, lists and tuples of them, got {type(obj).__name__}; {advice}"
    )


def _array(name: str, tensor: Tensor) -> np.ndarray[Any, Any]:
    array = np.ascontiguousarray(tensor.detach().numpy()).reshape(tensor.shape)
    if array.dtype in _UNSUPPORTED:
        raise TypeError(
            f"save(): safetensors files cannot hold {tensor.dtype} ({name!r}); save its real and imaginary part"
        )
    return array
