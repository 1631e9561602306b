"""Tutorials run, in small sizes; their pages show the scripts as they are, with pictures that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.integrate import quad

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
    strict = ["-W", "error", "-W", "ignore::DeprecationWarning"]
    command = [
        sys.executable,
        *strict,
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


def names_in(tutorial: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a script defines."""
    monkeypatch.syspath_prepend(render.ROOT / "examples")
    return run_path(str(render.ROOT / "examples" / f"{tutorial}.py"))


@pytest.mark.parametrize(("order", "q", "sigma"), [(2, 0.01, 4.0), (7, 0.2, 1.8), (32, 0.2, 3.1), (5, 0.5, 0.7)])
def test_privacy_of_a_step_is_the_integral_it_stands_for(
    order: int, q: float, sigma: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def integrand(x: float) -> float:
        ratio = 1 - q + q * np.exp((2 * x - 1) / (2 * sigma**2))  # of densities with and without the sample
        return np.exp(-(x**2) / (2 * sigma**2)) / (sigma * np.sqrt(2 * np.pi)) * ratio**order

    moment, _ = quad(integrand, -15 * sigma, order + 15 * sigma, points=[0, order], limit=500, epsrel=1e-12)
    rdp = names_in("differential_privacy", monkeypatch)["rdp"]
    assert rdp(order, q, sigma) == pytest.approx(np.log(moment) / (order - 1), rel=1e-8)


def test_exact_solution_solves_burgers_equation(monkeypatch: pytest.MonkeyPatch) -> None:
    names = names_in("physics_informed", monkeypatch)
    u, nu, h = names["exact"], names["VISCOSITY"], 1e-4
    t, x = np.meshgrid(np.linspace(0.05, 1, 7), np.linspace(-0.95, 0.95, 9))
    u_t = (u(t + h, x) - u(t - h, x)) / (2 * h)
    u_x = (u(t, x + h) - u(t, x - h)) / (2 * h)
    u_xx = (u(t, x + h) - 2 * u(t, x) + u(t, x - h)) / h**2
    np.testing.assert_allclose(u_t + u(t, x) * u_x, nu * u_xx, atol=2e-4)
    np.testing.assert_allclose(
        u(np.full(5, 1e-9), np.linspace(-1, 1, 5)), -np.sin(np.pi * np.linspace(-1, 1, 5)), atol=1e-6
    )
