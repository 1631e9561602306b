"""`python -m tensorplay`, and what a release says about itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import __main__ as main

ROOT = Path(__file__).parents[1]


def test_report_and_exit_code() -> None:
    done = subprocess.run([sys.executable, "-m", "tensorplay"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    for name in ("tensorplay", "Python", *main.DEPENDENCIES, "cores", "threads", "BLAS", "kept memory"):
        assert re.search(rf"^{name} +\S", done.stdout, re.MULTILINE), f"no line for {name}"
    assert done.stdout.count("\nok ") == len(main.CHECKS) >= 10
    assert re.search(r"all agree, in \d+\.\d s$", done.stdout.strip())


def test_settings_are_those_of_this_process() -> None:
    found = dict(main.settings())
    assert found["numpy"] == np.__version__
    assert found["tensorplay"] == tp.__version__
    assert found["threads"] == str(tp.get_num_threads())


@pytest.mark.parametrize("fault", ["number", "error"])
def test_what_differs_is_told(fault: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def check() -> main.Outcome:
        if fault == "error":
            raise RuntimeError("it broke")
        return tp.tensor(1.0), 1.1

    monkeypatch.setitem(main.CHECKS, "grad", check)
    assert main.main() == 1
    shown = capsys.readouterr().out
    assert re.search(r"^DIFFERS +grad$", shown, re.MULTILINE)
    assert shown.count("\nok ") == len(main.CHECKS) - 1
    assert "1 differ, in" in shown
    assert ("RuntimeError: it broke" in shown) == (fault == "error")


def test_every_dependency_is_reported() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert list(main.DEPENDENCIES) == [re.split(r"[^\w-]", wanted)[0] for wanted in settings["dependencies"]]


def test_version_is_one() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited
    assert settings["version"] == tp.__version__ == cited[1]
    assert f"\n## [{tp.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_types_are_marked_and_shipped() -> None:
    package = ROOT / "src" / "tensorplay"
    assert (package / "py.typed").exists()
    assert (package / "__init__.pyi").exists()
