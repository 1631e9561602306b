"""
Every error that a user can meet in the rooms of the transforms is met here, by a program of ``wrong_programs.txt``.

A sentence names the function as it was called, the argument, its key path, what was expected and what came, and what to
do instead; a statement that raises and that no program reaches is a failure.
"""

from __future__ import annotations

import ast
import doctest
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import tensorplay
from tests.func.test_state import assert_clean
from tests.func.wrong_programs import NAMES
from tests.mistakes import INTERNAL

SOURCE = Path(tensorplay.__file__).parent
PROGRAMS = doctest.DocTestParser().get_examples(Path(__file__).with_name("wrong_programs.txt").read_text("utf-8"))
ROOMS = ["func", "interpreters", "core"]
FILES = [
    *[path for room in ROOMS for path in sorted((SOURCE / room).glob("*.py"))],
    *[SOURCE / name for name in ("tree.py", "library.py", "tensor/handle.py", "tensor/autograd.py")],
    *[SOURCE / name for name in ("tensor/function.py", "tensor/custom_call.py")],
    *[SOURCE / "nn" / name for name in ("module.py", "state.py", "substitution.py")],
]
# Functions with a statement that no program of a user's reaches, and why. (What is abstract is left out by itself.)
UNREACHABLE = {
    "core/primitive.py: Primitive.__init__": "two operators of this package have one name: that ends the import",
    "core/threads.py: share": "what went wrong in another thread: tests/test_shared_work.py",
    "func/vmap.py: BatchedCall.__setstate__": "in another process: tests/func/test_executors.py",
    "interpreters/regions.py: PieceWriter.write": "caught: such a region is pulled node by node",
    "interpreters/writer.py: PrimitiveWriter.write": "caught: the pull of such an op is not written",
    "interpreters/writer.py: Writer.drop_unread": "caught: the pull of such a row is not written",
    "interpreters/writer.py: Symbol.inner": "caught: the pull of such a derivative is not written",
    "interpreters/watch.py: looked_at_whole": "whoever watched when a part was wrong has stopped in between",
    "tensor/custom_call.py: _Unseen.samples_to_draw": "a signal, which the call that it is meant for takes",
}


def outcome(program: doctest.Example) -> str:
    """The error that a program ends in, as Python prints it."""
    try:
        exec(compile(program.source, "<program>", "single"), dict(NAMES))
    except Exception as error:
        return "".join(traceback.format_exception_only(error))
    return "no error"


@pytest.mark.parametrize("program", PROGRAMS, ids=[f"line {program.lineno + 1}" for program in PROGRAMS])
def test_sentence(program: doctest.Example) -> None:
    got = outcome(program)
    matches = doctest.OutputChecker().check_output(
        program.exc_msg or "", got, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert matches, f"{program.source}gives\n{got}instead of\n{program.exc_msg}"
    assert "rearrange" in got or not INTERNAL.search(got), got  # whose dims are called axes
    assert_clean()


def raising_statements(path: Path) -> dict[int, str]:
    """The line of each statement that raises a new error, and the function it is in."""
    found = {}

    def visit(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            if isinstance(child, ast.Raise) and child.exc is not None and not _is_abstract(child):
                found[child.lineno] = within
            visit(child, f"{within}.{child.name}".lstrip(".") if named else within)

    visit(ast.parse(path.read_text("utf-8")), "")
    return found


# Functions of `func` with a sentence that the page of errors has no session of, and the section that has its like.
DETAILS = {
    "arguments.py: argnums_tuple": "Functions and options",
    "cond.py: cond": "Functions and options",
    "custom_derivative.py: custom_derivative": "Functions and options",
    "custom_derivative.py: custom_derivative.decorate": "Functions and options",
    "debug.py: debug_unwrap": "Functions and options",
    "debug.py: _strip": "Functions and options",
    "fori_loop.py: fori_loop": "Functions and options",
    "graph.py: Graph.save": "Functions and options",
    "map.py: _in_batches": "Functions and options",
    "rearrange.py: rearrange": "Functions and options",
    "vmap.py: chunk_vmap": "Functions and options",
    "custom_derivative.py: _CustomCall.pull": "Rules of your own",
    "custom_derivative.py: _CustomCall._matching": "Rules of your own",
    "associative_scan.py: _Pairs._checked": "Branches and loops",
    "branches.py: condition": "Branches and loops",
    "branches.py: _need_no_writes": "Branches and loops",
    "branches.py: need_structure": "Branches and loops",
    "cond.py: _leaf": "Branches and loops",
    "steps.py: sliceable": "Functions and options",
    "steps.py: _tensor_value": "Branches and loops",
    "steps.py: _length": "Branches and loops",
    "steps.py: Results._value": "Branches and loops",
    "steps.py: Results._refuse": "Branches and loops",
    "while_loop.py: _chosen": "Branches and loops",
    "vmap.py: BatchedCall._checked_dim": "Arguments of vmap",
    "reverse.py: _scalar_output": "Gradients",
    "forward.py: jvp": "Tangents and cotangents",
    "graph.py: Example.values_of": "Graphs",
    "arguments.py: write_into": "Writes",
    "vmap.py: BatchedCall._lower_argument": "Writes",
    "batch_norm.py: replace_all_batch_norm_modules_": "Modules",
    "functional_call.py: functional_call": "Modules",
    "functional_call.py: _merged": "Modules",
    "functional_call.py: _check_names": "Modules",
    "functional_call.py: _spread": "Modules",
    "module_state.py: stack_module_state": "Modules",
    "module_state.py: _check_alike": "Modules",
}


def sentences(path: Path) -> dict[str, list[str]]:
    """The longest fixed part of each sentence, by the function that it is in."""
    found: dict[str, list[str]] = {}

    def visit(node: ast.AST, within: str) -> None:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.ClassDef)
            if isinstance(child, ast.Call) and child.args and ast.unparse(child.func).endswith("Error"):
                parts = [p.value for p in ast.walk(child.args[0]) if isinstance(p, ast.Constant)]
                found.setdefault(within, []).append(max(map(str, parts), key=len, default=""))
            visit(child, f"{within}.{child.name}".lstrip(".") if named else within)

    visit(ast.parse(path.read_text("utf-8")), "")
    return found


def test_the_page_of_errors_has_every_kind_of_sentence() -> None:
    page = (Path(__file__).parents[2] / "docs" / "errors.md").read_text("utf-8")
    headings = {line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")}
    absent = {
        f"{path.name}: {function}": parts
        for path in sorted((SOURCE / "func").glob("*.py"))
        for function, found in sentences(path).items()
        if (parts := [part for part in found if part not in page])
    }
    unknown = {place: parts for place, parts in absent.items() if place not in DETAILS}
    assert not unknown, f"docs/errors.md does not show {unknown}"
    assert not DETAILS.keys() - absent.keys(), f"shown, or gone: {DETAILS.keys() - absent.keys()}"
    assert set(DETAILS.values()) <= headings


def _is_abstract(statement: ast.Raise) -> bool:
    return isinstance(statement.exc, ast.Name) and statement.exc.id == "NotImplementedError"


@contextmanager
def lines_noted(wanted: dict[str, set[int]]) -> Iterator[set[tuple[str, int]]]:
    """Which of the wanted lines of files run."""
    seen: set[tuple[str, int]] = set()

    def in_file(lines: set[int]) -> Callable[..., Any]:
        def local(frame: FrameType, event: str, _: Any) -> Any:
            if event == "line" and frame.f_lineno in lines:
                seen.add((frame.f_code.co_filename, frame.f_lineno))
            return local

        return local

    tracers = {name: in_file(lines) for name, lines in wanted.items()}
    before = sys.gettrace()
    sys.settrace(lambda frame, event, _: tracers.get(frame.f_code.co_filename))
    try:
        yield seen
    finally:
        sys.settrace(before)


def test_every_statement_that_raises_is_reached() -> None:
    statements = {str(path): raising_statements(path) for path in FILES}
    with lines_noted({name: set(found) for name, found in statements.items()}) as seen:
        for program in PROGRAMS:
            outcome(program)
    missed: dict[str, list[str]] = {}
    for name, found in statements.items():
        for line, function in found.items():
            if (name, line) not in seen:
                place = f"{Path(name).relative_to(SOURCE)}: {function}"
                missed.setdefault(place, []).append(f"{Path(name).relative_to(SOURCE)}:{line}")
    unknown = [line for place, lines in missed.items() if place not in UNREACHABLE for line in lines]
    assert not unknown, f"no program of wrong_programs.txt reaches {', '.join(unknown)}"
    stale = UNREACHABLE.keys() - missed.keys()
    assert not stale, f"is reached, or gone: {', '.join(sorted(stale))}"
