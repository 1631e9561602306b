"""Tutorials run, in small sizes; their pages show the scripts as they are, with pictures that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from docs import render

SHOWN = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")
LINKED = re.compile(r"\]\(([^)#]+\.md)\)")


def test_every_script_in_cells_is_a_tutorial() -> None:
    scripts = {path.stem for path in (render.ROOT / "examples").glob("*.py") if path.read_text().startswith("# %%")}
    assert scripts == set(render.TUTORIALS)
    assert {path.stem for path in render.PAGES.glob("*.md")} == scripts | {"index"}


@pytest.mark.parametrize("name", render.TUTORIALS)
def test_page_shows_the_script(name: str) -> None:
    shown = (render.PAGES / f"{name}.md").read_text()
    assert shown == render.page(name, render.printed(shown)), f"run python -m docs.render {name}"
    code = "\n\n\n".join(re.findall(r"^```python\n(.*?)\n```$", shown, re.DOTALL | re.MULTILINE))
    script = re.sub(r"^#( .*)?\n", "", render.source(name), flags=re.MULTILINE)
    assert code.split() == script.split()  # whatever is no comment of its own line is on the page


def test_index_is_what_the_scripts_say() -> None:
    assert (render.PAGES / "index.md").read_text() == render.index(), "run python -m docs.render"


@pytest.mark.parametrize("name", [*render.TUTORIALS, "index"])
def test_pictures_and_pages_that_are_shown_exist(name: str) -> None:
    shown = (render.PAGES / f"{name}.md").read_text()
    pictures = SHOWN.findall(shown)
    assert pictures
    for file in pictures:
        path = render.PAGES / file
        assert path.stat().st_size <= 150 * 1024, file
        with Image.open(path) as image:
            assert image.format == "PNG"
    assert all((render.PAGES / link).exists() for link in LINKED.findall(shown))


@pytest.mark.parametrize("name", render.TUTORIALS)
def test_script_runs(name: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-W",
        "error",
        str(render.ROOT / "examples" / f"{name}.py"),
        "--quick",
        "--folder",
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "nan" not in done.stdout
    shown = re.findall(r"\]\(\.\./images/(.*?)\)", render.source(name))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(shown)
    assert re.findall(r"^picture: (.*)$", done.stdout, re.MULTILINE) == shown


def test_cells_of_a_script() -> None:
    script = "# %% [markdown]\n# # Title\n#\n#     formula\n\n# %%\nx = 1\n\n\n# a comment\n# %%\ny = 2\n"
    assert list(render.cells(script)) == [
        (True, "# Title\n\n    formula"),
        (False, "x = 1\n\n\n# a comment"),
        (False, "y = 2"),
    ]
