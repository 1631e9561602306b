"""save and load: tensors by name in a safetensors file, which holds data and nothing that could run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tensorplay.tensor.factories import from_numpy
from tensorplay.tensor.tensor import Tensor

# the format has no complex128
_UNSUPPORTED = (np.dtype("complex128"),)


def save(obj: Any, f: str | os.PathLike[str], metadata: Mapping[str, str] | None = None) -> None:
    """
    Write tensors by name to a safetensors file.

    Parameters
    ----------
    obj : mapping of str to Tensor, or Tensor
        A state dict, nested ones included (their keys are joined by dots); or a single tensor.
    f : path
        Ends in ``.safetensors``.
    metadata : mapping of str to str, optional
        Kept in the file's header.

    Raises
    ------
    ValueError
        If the path has another ending, or names collide.
    TypeError
        If something else than tensors is to be saved, or `metadata` holds something else than strings.
    FileNotFoundError
        If the directory does not exist.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> tp.save(tp.nn.Linear(3, 2).state_dict(), path)
    >>> sorted(tp.load(path))
    ['bias', 'weight']
    """
    from safetensors.numpy import save_file

    path = _checked_path("save", f)
    named = {"": obj} if isinstance(obj, Tensor) else _flattened(obj)
    arrays = {name: _array(name, tensor) for name, tensor in named.items()}
    for key, value in (metadata or {}).items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"save(): metadata must hold strings, got {key!r}: {value!r}")
    if not os.path.isdir(os.path.dirname(path) or "."):
        raise FileNotFoundError(f"save(): there is no directory {os.path.dirname(path)!r}")
    save_file(arrays, path, dict(metadata) if metadata else None)


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
        As it was saved; nested dicts come back as one with dotted names.

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
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = _checked_path("load", f)
    try:
        arrays = load_file(path)
    except SafetensorError as error:
        raise ValueError(f"load(): {path!r} is no whole safetensors file: {error}") from None
    except TypeError as error:
        raise TypeError(f"load(): {path!r} holds what no tensor can: {error}") from None
    loaded = {name: from_numpy(array) for name, array in arrays.items()}
    return loaded[""] if set(loaded) == {""} else loaded


def _checked_path(title: str, f: str | os.PathLike[str]) -> str:
    path = os.fspath(f)
    if not path.endswith(".safetensors"):
        raise ValueError(f"{title}(): only safetensors files are supported; {path!r} should end in '.safetensors'")
    return path


def _flattened(obj: Any, prefix: str = "") -> dict[str, Tensor]:
    """Tensors of nested mappings by their dotted names."""
    if not isinstance(obj, Mapping):
        raise TypeError(_refusal(obj, prefix.removesuffix(".")))
    found: dict[str, Tensor] = {}
    for key, value in obj.items():
        name = f"{prefix}{key}"
        entries = {name: value} if isinstance(value, Tensor) else _flattened(value, f"{name}.")
        for full, tensor in entries.items():
            if full in found:
                raise ValueError(f"save(): two tensors have the name {full!r}")
            found[full] = tensor
    return found


def _refusal(obj: Any, name: str) -> str:
    what = f"save(): {name!r} must be" if name else "save(): expected"
    if hasattr(obj, "state_dict"):
        advice = "save its state_dict() instead"
    elif name:
        advice = "save the state dicts alone, and numbers as tensors or in metadata; pickle holds other objects"
    else:
        advice = "give each tensor a name; pickle holds other objects"
    return f"{what} a tensor or a mapping of names to tensors, got {type(obj).__name__}; {advice}"


def _array(name: str, tensor: Tensor) -> np.ndarray[Any, Any]:
    array = np.ascontiguousarray(tensor.detach().numpy()).reshape(tensor.shape)
    if array.dtype in _UNSUPPORTED:
        raise TypeError(
            f"save(): safetensors files cannot hold {tensor.dtype} ({name!r}); save its real and imaginary part"
        )
    return array
