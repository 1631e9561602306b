"""
The type stubs of the namespaces whose functions are lifted from ops: what editors and type checkers read.

An op is a function on values, and the public function that is made of it takes and returns tensors. No type checker can
see that, so the signatures are written out, from the running functions. ``python -m tests.type_stubs`` writes the
stubs; `tests/test_type_stubs.py` fails where they are stale.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from numpydoc.docscrape import FunctionDoc

from tensorplay.dtypes import dtype
from tests.public_names import NAMESPACES, PACKAGE, public_objects

_ROOMS = ("fft", "linalg", "nn.functional", "signal.windows", "special")
LIFTED = ["tensorplay", *[f"tensorplay.{name}" for name in _ROOMS]]

HEADER = '''"""{summary}"""

# ruff: noqa
# Made by `python -m tests.type_stubs`.

import builtins
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tensorplay.dtypes import dtype as _dtype
from tensorplay.random.generator import Generator as _Generator
from tensorplay.tensor.size import Size as _Size
from tensorplay.tensor.tensor import Tensor as _Tensor

# what operators take where they take tensors, and where they take dtypes
_Operand: TypeAlias = _Tensor | builtins.complex | np.generic[Any]
_DtypeLike: TypeAlias = _dtype | np.dtype[Any] | type | str
'''
# words of the ops' annotations, for arguments; results differ in the first
ARGUMENTS = {
    "Value": "_Operand",
    "Handle": "_Tensor",
    "NumpyDtype": "_DtypeLike",
    "Sizes": "builtins.int | Sequence[builtins.int]",
    "Dims": "builtins.int | Sequence[builtins.int] | None",
    "Padding": "builtins.int | Sequence[builtins.int] | str",
    "Tolerance": "_Tensor | builtins.float",
    "Tensor": "_Tensor",
    "Generator": "_Generator",
    "Size": "_Size",
    "dtype": "_dtype",
    **{name: f"builtins.{name}" for name in ("bool", "int", "float", "complex")},
}
RESULTS = {**ARGUMENTS, "Value": "_Tensor"}
WITH_OUT = ("lift.", "_unary.", "_binary.", "_planned.", "_whole.", "factory.")


def stub_path(namespace: str) -> Path:
    """Where the stub of a namespace stands: beside its module."""
    found = importlib.import_module(namespace)
    assert found.__file__
    return Path(found.__file__).with_suffix(".pyi")


def stub(namespace: str) -> str:
    """Text of the stub of a namespace, formatted."""
    module = importlib.import_module(namespace)
    summary = " ".join((inspect.getdoc(module) or "").split("\n\n")[0].split())
    lines = [HEADER.format(summary=summary), *_names(module), *_tuples(namespace), *_functions(namespace)]
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "stub.pyi", "-"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


# ---- names that are as they are


def _names(module: ModuleType) -> Iterator[str]:
    """Names that the stub takes over: namespaces, classes, functions with types of their own, constants."""
    for name in dir(module):
        found = getattr(module, name)
        if inspect.ismodule(found) and _is_namespace(found.__name__):
            yield f"from {module.__name__} import {name} as {name}"
        elif isinstance(found, dtype):
            yield f"{name}: _dtype"
        elif not name.startswith("_") and isinstance(found, int | float | type(None)):
            yield f"{name}: {'None' if found is None else f'builtins.{type(found).__name__}'}"
        elif name == "__version__":
            yield f"{name}: str"
        elif name == "default_generator":
            yield f"{name}: _Generator"
    for full, found in public_objects([module.__name__]):
        if inspect.isclass(found) or _is_typed(found):
            origin, name = found.__module__, full.rpartition(".")[2]
            yield f"from {origin} import {found.__name__} as {name}"


def _is_namespace(name: str) -> bool:
    return any([known == name or known.startswith(f"{name}.") for known in NAMESPACES]) and name != "tensorplay"


def _is_typed(function: Callable[..., Any]) -> bool:
    """Whether the function is written as users call it, with a result that says something."""
    home = sys.modules[function.__module__]
    written = getattr(home, function.__name__, None) is function and function.__code__.co_name == function.__name__
    return written and not (_returned(function) == "Any" and _documented_result(function) == "Tensor")


# ---- functions that are made of ops


def _functions(namespace: str) -> Iterator[str]:
    for full, found in public_objects([namespace]):
        if not inspect.isclass(found) and not _is_typed(found):
            yield _definition(full.rpartition(".")[2], found)


def _definition(name: str, function: Callable[..., Any]) -> str:
    summary = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
    mark = "r" if "\\" in summary else ""
    return f'def {name}({_parameters(function)}) -> {_result(function)}:\n    {mark}"""{summary}"""\n'


def _parameters(function: Callable[..., Any]) -> str:
    parameters = list(inspect.signature(function).parameters.values())
    names = {parameter.name for parameter in parameters}
    made_by = function.__code__.co_qualname
    extra = []
    if made_by.startswith("factory."):
        extra += ["dtype: _DtypeLike | None = None", "device: Any = None", "requires_grad: builtins.bool = False"]
    if made_by.startswith(WITH_OUT):
        extra.append("out: Any = None" if _result(function) != "_Tensor" else "out: _Tensor | None = None")
    return ", ".join(_spelled(parameters, [text for text in extra if text.split(":")[0] not in names]))


def _spelled(parameters: list[inspect.Parameter], extra: list[str]) -> Iterator[str]:
    """Parameters as they are written, with more that go by name."""
    named = False
    before = None
    for parameter in parameters:
        kind = parameter.kind
        if before is inspect.Parameter.POSITIONAL_ONLY and kind is not before:
            yield "/"
        if kind is inspect.Parameter.VAR_KEYWORD:
            yield from ([] if named or not extra else ["*"])
            yield from extra
            extra = []
        if kind is inspect.Parameter.KEYWORD_ONLY and not named:
            yield "*"
        named = named or kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL)
        yield _one(parameter)
        before = kind
    if extra:
        yield from ([] if named else ["*"])
        yield from extra


def _one(parameter: inspect.Parameter) -> str:
    star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    annotation = _translated(parameter.annotation, ARGUMENTS)
    if parameter.default is None and not re.search(r"\b(None|Any)$", annotation):
        annotation += " | None"
    text = f"{star}{parameter.name}: {annotation}"
    return text if parameter.default is parameter.empty else f"{text} = {_default(parameter.default)}"


def _default(value: Any) -> str:
    plain = value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and abs(value) < 1e300)
    return repr(value) if plain else "..."


def _result(function: Callable[..., Any]) -> str:
    annotation = _returned(function)
    if annotation == "Any" and _documented_result(function) == "Tensor":
        return "_Tensor"
    return _translated(annotation, RESULTS)


def _returned(function: Callable[..., Any]) -> str:
    returned = inspect.signature(function).return_annotation
    return "Any" if returned is inspect.Signature.empty else str(returned)


def _documented_result(function: Callable[..., Any]) -> str:
    returned = FunctionDoc(function)["Returns"]
    return returned[0].type if len(returned) == 1 else ""


def _translated(annotation: Any, words: dict[str, str]) -> str:
    text = "Any" if annotation is inspect.Parameter.empty else str(annotation)
    known = {**words, **{name: f"_{name}" for name in _named_tuples()}}
    return re.sub(r"(?<![\w.])[A-Za-z]\w*", lambda word: known.get(word[0], word[0]), text)


# ---- named tuples of results


def _tuples(namespace: str) -> Iterator[str]:
    """The named tuples that functions of a namespace return, with tensors in them."""
    needed = {
        _returned(found)
        for _, found in public_objects([namespace])
        if not inspect.isclass(found) and not _is_typed(found)
    }
    for name, found in sorted(_named_tuples().items()):
        if name in needed:
            kinds = {field: getattr(kind, "__forward_arg__", kind) for field, kind in found.__annotations__.items()}
            fields = [f"    {field}: {_translated(kind, RESULTS)}" for field, kind in kinds.items()]
            yield "\n".join([f"class _{name}(NamedTuple):", *fields, ""])


@functools.cache
def _named_tuples() -> dict[str, Any]:
    return {
        name: found
        for path in sorted((PACKAGE / "ops").glob("*.py"))
        for name, found in vars(importlib.import_module(f"tensorplay.ops.{path.stem}")).items()
        if inspect.isclass(found) and issubclass(found, tuple) and hasattr(found, "_fields")
    }


if __name__ == "__main__":
    for namespace in LIFTED:
        stub_path(namespace).write_text(stub(namespace))
