"""What must hold of the project as a whole: every op recorded, every rule stated, every public name documented."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import tensorplay as tp
from tensorplay.core.primitive import Primitive, registry
from tensorplay.ops.aliasing import copies
from tests.laws import checks
from tests.laws.cases import cases, random_numbers, resolve
from tests.opdb import records
from tests.public_names import PACKAGE, ROOMS, public_objects

ROOT = Path(__file__).parents[1]
# forms of another function, whose documentation they point to
MIRRORS = ("_", "_with_indices")
# faults that are none
EXEMPT = {"tensorplay.register_pytree_node: PR02"}  # numpydoc takes any `cls` for that of a class method
# parameters that are accepted for torch's sake and mean nothing
PRIVATE = re.compile(r"Parameters \{'[_*][^,]*'\} not documented")

# primitives that no record runs, and why
UNRECORDED: dict[str, str] = {
    "boundary": "modules with backward hooks only: tests/nn/test_backward_hooks.py",
    "forward_only": "results of while_loop only: tests/func/test_while_loop.py",
    "gate": "branches per sample only: tests/func/test_cond.py",
    "kept_by_checkpoint": "what a function inside of a checkpoint keeps: tests/func/test_checkpoint.py",
    "once_differentiable": "gradients of a user's own rule only: tests/tensor/test_function.py",
    **{twin.name: "graphs without views only: tests/func/test_functionalize.py" for twin in copies.values()},
    "overwrite": "in-place writes only: tests/func/test_mutation.py",
    "supplant": "in-place writes only: tests/func/test_mutation.py",
}
SETTINGS = ROOT / "pyproject.toml"


# ---- primitives ------------------------------------------------------------------------------------------------------


def package_primitives() -> list[Primitive]:
    """The primitives that the package registers."""
    for path in sorted(PACKAGE.rglob("*.py")):
        importlib.import_module(
            ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        )
    return list(registry.values())


@pytest.fixture(scope="module")
def exercised() -> set[str]:
    """Names of the primitives whose kernels run when all records are evaluated, mapped and differentiated."""
    names: set[str] = set()
    kernels = {prim: prim.impl for prim in package_primitives()}

    def noted(prim: Primitive) -> Callable[..., Any]:
        def impl(*args: Any, **params: Any) -> Any:
            names.add(prim.name)
            return kernels[prim](*args, **params)

        return impl

    for prim in kernels:
        prim.impl = noted(prim)
    try:
        _run_all_records()
    finally:
        for prim, impl in kernels.items():
            prim.impl = impl
    return names


def _run_all_records() -> None:
    for record in records:
        for case in cases(record):
            # what goes wrong here is reported by the laws
            with suppress(Exception):
                case.call(*checks.tensors(case.arrays))
                function, arrays = case.smooth_function()
                if record.differentiable and arrays:
                    checks.check_adjoint(function, arrays, random_numbers())
                    checks.check_second_orders(function, arrays, random_numbers())
                if record.batched and case.arrays:
                    tp.func.vmap(case.outputs)(*checks.tensors([array[None] for array in case.arrays]))


def test_every_primitive_is_exercised_by_a_record(exercised: set[str]) -> None:
    missing = {prim.name for prim in package_primitives()} - exercised - set(UNRECORDED)
    assert not missing, f"no record runs {sorted(missing)}"


def test_exceptions_are_needed(exercised: set[str]) -> None:
    known = {prim.name for prim in package_primitives()}
    assert set(UNRECORDED) <= known - exercised


def test_every_primitive_has_its_rules() -> None:
    for prim in package_primitives():
        assert prim.batch_rule is not None, f"{prim.name} has no batching rule"
        assert prim.derivative_rule is not None or not prim.differentiable, f"{prim.name} has no derivative"
        assert prim.family in ("elementwise", "reduction", "structural", "bilinear", "general"), prim.name


def test_records_name_what_exists() -> None:
    missing = sorted({record.name for record in records if not _exists(record.name)})
    assert not missing


def _exists(name: str) -> bool:
    try:
        resolve(name)
    except AttributeError:
        return False
    return True


def test_records_have_labels_of_their_own() -> None:
    labels = [record.label for record in records]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    assert not twice, "give them variants"


def test_records_have_samples_that_differ_and_xfails_with_reasons() -> None:
    for record in records:
        assert list(cases(record)), f"{record.label} has no samples"
        assert all(record.xfail.values()), f"{record.label}: an xfail without a reason"


# ---- documentation ---------------------------------------------------------------------------------------------------


def test_public_names_are_documented() -> None:
    docscrape = pytest.importorskip("numpydoc.docscrape_sphinx", reason="numpydoc comes with the extra dev")
    validate = pytest.importorskip("numpydoc.validate")
    ignored = set(tomllib.loads(SETTINGS.read_text())["tool"]["numpydoc_validation"]["checks"])
    faults = []
    for name, found in public_objects():
        if name.endswith(MIRRORS) or (inspect.isclass(found) and issubclass(found, BaseException)):
            assert inspect.getdoc(found), f"{name} has no docstring"
            continue
        document = docscrape.get_doc_object(found)
        faults += [
            f"{name}: {code} {message}"
            for code, message in validate.validate(document)["errors"]
            if code not in ignored and f"{name}: {code}" not in EXEMPT and not PRIVATE.search(message)
        ]
    assert not faults, "\n".join(faults)


def test_methods_are_documented() -> None:
    bare = [
        f"{cls.__name__}.{name}"
        for cls in {tp.Tensor, tp.nn.Module, tp.optim.Optimizer, *tp.Tensor.__mro__}
        for name, member in vars(cls).items()
        if cls.__module__.startswith("tensorplay") and not name.startswith("_") and _undocumented(member)
    ]
    assert not bare


def _undocumented(member: Any) -> bool:
    return (inspect.isroutine(member) or isinstance(member, property)) and not inspect.getdoc(member)


def test_modules_say_what_they_are() -> None:
    for path in PACKAGE.rglob("*.py"):
        assert path.read_text().lstrip().startswith('"""'), f"{path} has no docstring"


# ---- the house -------------------------------------------------------------------------------------------------------


def test_rooms_in_the_documentation_are_the_rooms_there_are() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    table = text.split("| room | what lives there |")[1].split("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert listed == ROOMS


def test_rooms_in_the_import_contract_are_the_rooms_there_are() -> None:
    (contract,) = tomllib.loads(SETTINGS.read_text())["tool"]["importlinter"]["contracts"]
    listed = {name.strip() for layer in contract["layers"] for name in layer.split("|")}
    assert listed == ROOMS


def test_files_that_documents_link_to_exist() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        prose = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_names_in_the_documentation_exist() -> None:
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        text = document.read_text()
        for name in set(re.findall(r"`tp\.((?:\w+\.)*\w+)[(`]", text)):
            assert _exists(name), f"{document.name} speaks of tp.{name}"
        for path in set(re.findall(r"`((?:src|tests|docs|examples|benchmarks)/[\w/.]+\.\w+)`", text)):
            assert (ROOT / path).exists(), f"{document.name} speaks of {path}"


def test_import_is_light() -> None:
    """What is heavy is imported when it is used first."""
    heavy = ("matplotlib", "sklearn", "scipy.signal", "scipy.stats")
    code = f"import sys, tensorplay; print([name for name in {heavy} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"
