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
        If something else than tensors is to be saved.

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
        If the path does not end in ``.safetensors``.
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
    from safetensors.numpy import load_file

    loaded = {name: from_numpy(array) for name, array in load_file(_checked_path("load", f)).items()}
    return loaded[""] if set(loaded) == {""} else loaded


def _checked_path(title: str, f: str | os.PathLike[str]) -> str:
    path = os.fspath(f)
    if not path.endswith(".safetensors"):
        raise ValueError(f"{title}(): only safetensors files are supported; {path!r} should end in '.safetensors'")
    return path


def _flattened(obj: Any, prefix: str = "") -> dict[str, Tensor]:
    if not isinstance(obj, Mapping):
        raise TypeError(f"save(): expected a tensor or a mapping of names to tensors, got {type(obj).__name__}")
    found: dict[str, Tensor] = {}
    for key, value in obj.items():
        name = f"{prefix}{key}"
        entries = {name: value} if isinstance(value, Tensor) else _flattened_entry(name, value)
        for full, tensor in entries.items():
            if full in found:
                raise ValueError(f"save(): two tensors have the name {full!r}")
            found[full] = tensor
    return found


def _flattened_entry(name: str, value: Any) -> dict[str, Tensor]:
    if not isinstance(value, Mapping):
        raise TypeError(
            f"save(): {name!r} must be a tensor or a mapping of names to tensors, got {type(value).__name__}"
        )
    return _flattened(value, f"{name}.")


def _array(name: str, tensor: Tensor) -> np.ndarray[Any, Any]:
    array = np.ascontiguousarray(tensor.detach().numpy()).reshape(tensor.shape)
    if array.dtype in _UNSUPPORTED:
        raise TypeError(
            f"save(): safetensors files cannot hold {tensor.dtype} ({name!r}); save its real and imaginary part"
        )
    return array
