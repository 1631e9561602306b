"""The site's own code: links are checked, the reference is complete. `python -m docs.build` builds the site itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tensorplay as tp
from docs import links
from tests.public_names import NAMESPACES

DOCS = Path(__file__).parents[1] / "docs"
SOUND = '<a href="other.html#there">x</a> <a href="https://example.org/a">y</a> <img src="_static/p.png"> <h1 id="up">'


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site of two pages, without a fault."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "p.png").touch()
    (tmp_path / "_static" / "site.css").write_text("a { background: url(p.png) }")
    (tmp_path / "other.html").write_text(
        '<p id="there"><a href="index.html#up"><a href="#there"><!-- <a href="no"> -->'
    )
    (tmp_path / "index.html").write_text(SOUND)
    return tmp_path


def test_sound_links_pass(site: Path) -> None:
    assert links.faults(site) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="missing.html">', "there is no such file"),
        ('<a href="../outside.html">', "there is no such file"),
        ('<a href="other.html#nowhere">', "there is no such anchor"),
        ("<a href='#nowhere'>", "there is no such anchor"),
        ('<a href="http://two words.org">', "is no address"),
        ('<a href="https://">', "is no address"),
        ('<script src="https://example.org/a.js"></script>', "is loaded from the network"),
        ('<link rel="stylesheet" href="//example.org/a.css">', "is loaded from the network"),
        ('<img alt="" src="http://example.org/a.png">', "is loaded from the network"),
    ],
)
def test_broken_links_are_found(site: Path, text: str, fault: str) -> None:
    (site / "index.html").write_text(SOUND + text)
    (found,) = links.faults(site)
    assert found.startswith("index.html: ")
    assert found.endswith(fault)


def test_styles_that_load_from_the_network_are_found(site: Path) -> None:
    (site / "_static" / "site.css").write_text("@import url('https://fonts.example.org/css');")
    assert links.faults(site) == ["_static/site.css: loads something from the network"]


def test_the_page_of_func_lists_every_function_once() -> None:
    text = (DOCS / "func.api.md").read_text()
    tables = re.findall(r"^   (\w+)$", text, re.MULTILINE)
    assert sorted(tables) == sorted(tp.func.__all__)


def test_the_reference_lists_every_namespace() -> None:
    text = (DOCS / "reference.md").read_text()
    for namespace in set(NAMESPACES) - {"tensorplay.func"}:
        assert text.count(f"generated/{namespace}\n") == 1, f"{namespace} is missing in the navigation of reference.md"
        assert f"<generated/{namespace}>`" in text, f"{namespace} is missing in the table of reference.md"


def test_names_beside_those_of_other_libraries_exist() -> None:
    """A name of tensorplay's in a table may also stand as it is imported."""
    text = (DOCS / "coming_from.md").read_text()
    used = set(re.findall(r"(?<![\w.])tp\.([\w.]+\w)", text))
    assert len(used) >= 60
    for name in used:
        found = tp
        for part in name.split("."):
            assert hasattr(found, part), f"coming_from.md speaks of tp.{name}"
            found = getattr(found, part)
