"""What type checkers and editors know of tensorplay."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests import type_stubs
from tests.public_names import PACKAGE

SOUND = """
import tensorplay as tp
from tensorplay import nn
from tensorplay.func import grad, vmap


def loss(w: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    return (tp.sin(w) * x + 2.0).sum()


w = tp.zeros(3, dtype=tp.float32)
gradients = vmap(grad(loss), in_dims=(None, 0))(w, tp.ones(2, 3))
values = tp.topk(w, 2).values.reshape(2).to(tp.float64)
shape: tp.Size = tp.linalg.solve(tp.eye(3), w).shape
x = tp.add(w, 1.0).mul(2).sum(dim=0)
y = nn.functional.relu(nn.Linear(3, 3)(w), inplace=False)
total: tp.Tensor = tp.special.erf(tp.fft.fft(w).real).mean()
window: tp.Tensor = tp.signal.windows.hann(8)
reveal_type(tp.zeros(2))
reveal_type(tp.tensor([1.0]))
reveal_type(tp.sin(w))
reveal_type(tp.linalg.qr(tp.eye(2)).Q)
reveal_type(w @ w)
reveal_type(tp.float32)
"""
WRONG = """
import tensorplay as tp

tp.sin("a")
tp.zeros(2).no_such_method()
tp.no_such_function
"""


@pytest.mark.parametrize("namespace", type_stubs.LIFTED)
def test_stubs_are_fresh(namespace: str) -> None:
    pytest.importorskip("numpydoc", reason="numpydoc comes with the extra test")
    pytest.importorskip("ruff", reason="ruff comes with the extra dev")
    written = type_stubs.stub_path(namespace).read_text()
    assert written == type_stubs.stub(namespace), "run `python -m tests.type_stubs`"


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Messages of mypy, as strict as it can be, on the programs of a user."""
    pytest.importorskip("mypy", reason="mypy comes with the extra dev")
    folder = tmp_path_factory.mktemp("user")
    (folder / "mypy.ini").write_text("[mypy]\nstrict = True\nfollow_imports = silent\n")
    (folder / "sound.py").write_text(SOUND)
    (folder / "wrong.py").write_text(WRONG)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "sound.py", "wrong.py"]
    ours = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    shown = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=ours).stdout.splitlines()
    return {
        name: [line.partition(": ")[2] for line in shown if line.startswith(f"{name}.py")]
        for name in ("sound", "wrong")
    }


def test_a_users_program_passes_strict_mypy(messages: dict[str, list[str]]) -> None:
    tensor = 'note: Revealed type is "tensorplay.tensor.tensor.Tensor"'
    assert messages["sound"] == [tensor] * 5 + ['note: Revealed type is "tensorplay.dtypes.dtype"']


def test_mistakes_of_a_user_are_found(messages: dict[str, list[str]]) -> None:
    first, second, third = messages["wrong"]
    assert "[arg-type]" in first
    assert "no_such_method" in second
    assert "no_such_function" in third


@pytest.mark.parametrize("expression", ["tp.zeros(2)", "tp.sin(tp.ones(2))", "tp.topk(tp.ones(2), 1).values"])
def test_editors_complete_methods_of_results(expression: str) -> None:
    jedi = pytest.importorskip("jedi", reason="jedi comes with the extra dev")
    project = jedi.Project(PACKAGE, added_sys_path=[str(PACKAGE.parent)])
    script = jedi.Script(f"import tensorplay as tp\nx = {expression}\nx.", project=project)
    assert {"sum", "sin", "reshape", "backward", "shape"} <= {found.name for found in script.complete(3, 2)}


def test_editors_show_signatures() -> None:
    jedi = pytest.importorskip("jedi", reason="jedi comes with the extra dev")
    project = jedi.Project(PACKAGE, added_sys_path=[str(PACKAGE.parent)])
    (found,) = jedi.Script("import tensorplay as tp\ntp.sin(", project=project).get_signatures(2, 7)
    assert [parameter.name for parameter in found.params] == ["input", "out"]
