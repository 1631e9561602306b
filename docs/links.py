"""
Links of a built site, checked without a network.

Every page, anchor and file that a page refers to must exist; addresses elsewhere must be well formed, and must be
links: a page that loads a script, style, font or picture from elsewhere does not work offline.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

TAG = re.compile(r"<(a|link|script|img|iframe|source|object)\b([^>]*)>", re.IGNORECASE)
TARGET = re.compile(r"\b(?:href|src|data)=(?:\"([^\"]*)\"|'([^']*)')")
ANCHOR = re.compile(r"\b(?:id|name)=(?:\"([^\"]*)\"|'([^']*)')")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LOADED_BY_CSS = re.compile(r"(?:url\(|@import)\s*[\"']?\s*(?:https?:)?//")


class Page:
    """A page of the site, by its file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = COMMENT.sub("", path.read_text(encoding="utf-8"))

    @cached_property
    def anchors(self) -> set[str]:
        """What may stand behind the # of a link to this page."""
        return {unescape(one or other) for one, other in ANCHOR.findall(self.text)} | {"", "top"}

    def targets(self) -> Iterator[tuple[str, str]]:
        """Each tag that refers to something, with what it refers to."""
        for tag, attributes in TAG.findall(self.text):
            for one, other in TARGET.findall(attributes):
                yield tag.lower(), unescape(one or other)


def faults(site: Path) -> list[str]:
    """What is wrong with the links of the site, a line each."""
    pages = {path.resolve(): Page(path.resolve()) for path in sorted(site.rglob("*.html"))}
    found = [fault for page in pages.values() for fault in _page_faults(page, pages, site.resolve())]
    return found + [
        f"{path.relative_to(site)}: loads something from the network"
        for path in sorted(site.rglob("*.css"))
        if LOADED_BY_CSS.search(path.read_text(encoding="utf-8"))
    ]


def _page_faults(page: Page, pages: dict[Path, Page], site: Path) -> Iterator[str]:
    for tag, target in dict.fromkeys(page.targets()):
        fault = _fault(page, pages, tag, target)
        if fault:
            yield f"{page.path.relative_to(site)}: {target}: {fault}"


def _fault(page: Page, pages: dict[Path, Page], tag: str, target: str) -> str:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return _fault_elsewhere(tag, target)
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    if not path.is_file():
        return "there is no such file"
    if parts.fragment and path in pages and unquote(parts.fragment) not in pages[path].anchors:
        return "there is no such anchor"
    return ""


def _fault_elsewhere(tag: str, target: str) -> str:
    parts = urlsplit(target)
    if parts.scheme in ("mailto", "data"):
        return ""
    if tag != "a":
        return "is loaded from the network"
    well_formed = parts.scheme in ("http", "https") and "." in parts.netloc and " " not in target
    return "" if well_formed else "is no address"
