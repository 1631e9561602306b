"""
A Sphinx extension for the written pages.

Pages that nobody put into the navigation get a place there, sessions are coloured as such, and names of the library
link to their pages.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

OTHERS = "(other pages)"
NAME = re.compile(r"tp\.((?:\w+\.)*\w+)(?:\(.*\))?")


def setup(app: Sphinx) -> dict[str, bool]:
    """Sphinx calls this."""
    app.connect("source-read", place_other_pages)
    app.connect("doctree-read", colour_sessions)
    app.connect("doctree-read", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def place_other_pages(app: Sphinx, name: str, source: list[str]) -> None:
    """Fill the line for the others in the navigation of the first page."""
    if name == "index":
        listed = [name, "generated/*", *re.findall(r"^[\w./*]+$", source[0], re.MULTILINE)]
        others = [
            page for page in sorted(app.env.found_docs) if not any([fnmatch(page, pattern) for pattern in listed])
        ]
        source[0] = source[0].replace(OTHERS, "\n".join(others))


def colour_sessions(_app: Sphinx, doctree: nodes.document) -> None:
    """Show blocks that start with a prompt as sessions, without the empty line that ends them."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext()
        if text.startswith(">>> "):
            block["language"] = "pycon"
            block.children = [nodes.Text(text.rstrip())]
            block.rawsource = text.rstrip()


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Make code that is nothing but a public name (`tp.func.grad`) a link to its page, unless it is part of a link."""
    for literal in list(doctree.findall(nodes.literal)):
        found = NAME.fullmatch(literal.astext())
        if found and not isinstance(literal.parent, nodes.reference | addnodes.pending_xref | nodes.title):
            literal.replace_self(_reference(app, found[1], literal))


def _reference(app: Sphinx, name: str, shown: nodes.literal) -> Any:
    reference = addnodes.pending_xref(
        "", shown.deepcopy(), refdomain="py", reftype="obj", reftarget=f"tensorplay.{name}", refwarn=False
    )
    reference["refdoc"] = app.env.docname if hasattr(app.env, "docname") else app.env.current_document.docname
    return reference
