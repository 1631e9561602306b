"""
A Sphinx extension that writes the reference: a page for each public name, and one that lists them for each namespace.

Pages go to docs/generated before Sphinx reads anything. Those of `tensorplay.func` hang in the navigation under
`func.api.md`; the others are reached from the page of their namespace, for a navigation of a thousand entries helps
nobody.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from tests.public_names import NAMESPACES, public_objects

FOLDER = "generated"
HEART = "tensorplay.func"  # func.api.md is the page of this namespace
FAMILIES = (
    *("creation", "elementwise", "reduction", "sorting", "shape", "indexing"),
    *("contraction", "linalg", "fourier", "neural", "random"),
)
CODE = re.compile(r"(``.*?``|^ *(?:>>>|\.\.\.) .*?$)", re.DOTALL | re.MULTILINE)
STAR = re.compile(r"(?<=[(\[ ])\*(?=[,)\]])")
# what the code calls values, users hold as tensors
PUBLIC_TYPES = {"Value": "Tensor", "Handle": "Tensor", "NumpyDtype": "dtype"}
LISTED_METHODS = {"tensorplay.Tensor": ":inherited-members: object, Handle"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", in_public_types)
    app.connect("autodoc-process-docstring", escape_stars, priority=300)  # before numpydoc
    app.connect("html-page-context", share_navigation, priority=400)  # before the theme asks for it
    return {"parallel_read_safe": True, "parallel_write_safe": True}


_navigation: dict[tuple[tuple[str, Any], ...], str] = {}


def share_navigation(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Make the navigation once for all pages of the reference that are not in it: a third of the time of a build."""
    if not page.startswith(f"{FOLDER}/") or "orphan" not in app.env.metadata[page]:
        return
    compute = context["toctree"]

    def shared(**options: Any) -> str:
        key = tuple(sorted(options.items()))
        if key not in _navigation:
            _navigation[key] = compute(**options)
        return _navigation[key]

    context["toctree"] = shared


def in_public_types(
    _app: Sphinx, _what: str, _name: str, _found: Any, _options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """A signature in the words of users."""
    return _translated(signature), _translated(result)


def _translated(text: str | None) -> str | None:
    text = text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)  # how Sphinx shows a union with an alias
    return text and re.sub(r"\b(?:\w+\.)*(\w+)\b", lambda word: PUBLIC_TYPES.get(word[1], word[0]), text)


def escape_stars(_app: Sphinx, _what: str, _name: str, _found: Any, _options: Any, lines: list[str]) -> None:
    """The star of a shape, (*, n), is no emphasis where it does not stand in code."""
    parts = CODE.split("\n".join(lines))
    parts[::2] = [STAR.sub(r"\\*", prose) for prose in parts[::2]]
    lines[:] = "".join(parts).split("\n")


def write_pages(app: Sphinx) -> None:
    """Write the pages that changed, and remove those of names that are gone."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    pages = {f"{name}.rst": text for name, text in _pages()}
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def _pages() -> Iterator[tuple[str, str]]:
    classes: dict[Any, str] = {}
    for namespace in NAMESPACES:
        members = dict(public_objects([namespace]))
        if namespace != HEART:
            yield namespace, _namespace_page(namespace, members)
        for name, found in members.items():
            first = classes.setdefault(found, name) if inspect.isclass(found) else name
            yield name, _page(namespace, name, _directive(name, found) if first == name else _other_name(name, first))


def _page(namespace: str, name: str, content: list[str]) -> str:
    above = "/func.api" if namespace == HEART else f"/{FOLDER}/{namespace}"
    return "\n".join(
        [
            *([] if namespace == HEART else [":orphan:", ""]),
            f":doc:`API reference </reference>` / :doc:`{namespace} <{above}>`",
            "",
            *_heading(name.removeprefix("tensorplay.") if namespace == HEART else name, "="),
            f".. currentmodule:: {namespace}",
            "",
            *content,
            "",
        ]
    )


def _other_name(name: str, first: str) -> list[str]:
    return [f".. py:class:: {name}", "", f"   Another name of :py:class:`{first}`."]


def _directive(name: str, found: Any) -> list[str]:
    if not inspect.isclass(found):
        return [f".. autofunction:: {name}"]
    members = [":members:", LISTED_METHODS.get(name, "")]
    return [f".. autoclass:: {name}", *[f"   {option}" for option in members if option]]


def _namespace_page(namespace: str, members: dict[str, Any]) -> str:
    about = (inspect.getdoc(importlib.import_module(namespace)) or "").split("\n\n")[0].replace("\n", " ")
    return "\n".join([*_heading(namespace, "="), _in_words_of_users(about), "", *_tables(namespace, members)])


def _tables(namespace: str, members: dict[str, Any]) -> Iterator[str]:
    for title, names in _groups(namespace, members):
        if title:
            yield from _heading(title, "-")
        yield f".. currentmodule:: {namespace}"
        yield from ["", ".. autosummary::", "   :nosignatures:", ""]
        yield from [f"   {name.removeprefix(namespace + '.')}" for name in names]
        yield ""


def _groups(namespace: str, members: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The names of a namespace under titles: the docstrings of the files that hold them, where there are many."""
    if namespace == "tensorplay":
        left = dict(members)
        for family in FAMILIES:
            module = importlib.import_module(f"tensorplay.tensor.functions.{family}")
            yield _title(module), [name for attr in module.__all__ if left.pop(name := f"tensorplay.{attr}", None)]
        yield "Tensors, dtypes, control flow, settings", list(left)
    elif namespace == "tensorplay.nn":
        modules: dict[str, list[str]] = {}
        for name, found in members.items():
            modules.setdefault(found.__module__, []).append(name)
        for module_name, names in modules.items():
            yield _title(importlib.import_module(module_name)), names
    else:
        yield "", list(members)


def _title(module: Any) -> str:
    return re.split(r"[.:;,]\s|\.$", inspect.getdoc(module) or "")[0]


def _in_words_of_users(text: str) -> str:
    return text.split(": ops on values")[0].rstrip(".") + "."


def _heading(text: str, line: str) -> list[str]:
    return [text, line * len(text), ""]
