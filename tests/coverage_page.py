"""
docs/coverage.md: every public operator under every transform, found by running the first fitting sample of each record.

``python -m tests.coverage_page`` writes the page; `tests/test_coverage_page.py` fails where it is stale.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorplay as tp
from tensorplay import func
from tensorplay.core.primitive import Primitive, registry
from tests.laws import checks
from tests.laws.cases import Case, cases, random_numbers, resolve
from tests.laws.test_compose import rounding
from tests.laws.test_inplace import in_place, same_shape_cases
from tests.laws.test_value import compare, reference
from tests.opdb import OpRecord, records

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
NAMESPACES = ("", "linalg", "fft", "special", "nn.functional", "signal.windows")

# public functions that compute nothing on the elements of tensors
NO_OPERATORS = {
    "a tensor of what is given": ("as_tensor", "asarray", "from_dlpack", "from_numpy", "frombuffer", "tensor"),
    "an answer in Python": (
        "broadcast_shapes",
        "can_cast",
        "initial_seed",
        "is_complex",
        "is_floating_point",
        "is_grad_enabled",
        "is_nonzero",
        "is_tensor",
        "numel",
        "promote_types",
        "result_type",
    ),
    "a setting": (
        "get_default_dtype",
        "get_rng_state",
        "inference_mode",
        "get_num_threads",
        "manual_seed",
        "register_pytree_node",
        "seed",
        "set_default_dtype",
        "set_num_threads",
        "set_printoptions",
        "set_rng_state",
    ),
    "files": ("load", "save"),
    "a branch or a loop of functions": ("associative_scan", "cond", "fori_loop", "map", "scan", "while_loop"),
    "a transform": ("vmap",),
}

PASSES, ZERO, FAILS = "✓", "0", "✗"
LEGEND = {
    PASSES: "works, and agrees with the law",
    ZERO: "the derivative is zero wherever it exists; both modes give zero",
    "i": "the result holds integers or bools: there is no derivative",
    "n": "no tensor among the arguments that could be mapped or differentiated",
    "r": "random: the numbers have no reference; their distribution is tested apart",
    "s": "the result's shape, or a Python value, depends on the data: an error under `vmap` that says so",
    "-": "there is no in-place form",
    FAILS: "fails; the reason is given below",
}


# ---- the operators ---------------------------------------------------------------------------------------------------


def public_operators() -> list[str]:
    """Names of all public operators, by namespace."""
    exempt = {name for names in NO_OPERATORS.values() for name in names}
    return [name for name in _public_functions() if name not in exempt]


def _public_functions() -> Iterator[str]:
    for namespace in NAMESPACES:
        module = resolve(namespace) if namespace else tp
        for name in sorted(getattr(module, "__all__", dir(module))):
            if not name.startswith("_") and inspect.isroutine(getattr(module, name)):
                yield f"{namespace}.{name}" if namespace else name


def recorded_form(name: str) -> str | None:
    """The recorded name of which an operator is a form: its own, or that of a function made of the same op."""
    return name if name in _RECORDED else _RECORDED_OPS.get(inspect.unwrap(resolve(name)))


_RECORDED: dict[str, list[OpRecord]] = {}
for _record in records:
    _RECORDED.setdefault(_record.name, []).append(_record)
_RECORDED_OPS = {inspect.unwrap(resolve(name)): name for name in sorted(_RECORDED, reverse=True)}


# ---- the facts -------------------------------------------------------------------------------------------------------


@contextmanager
def kernels_noted() -> Iterator[list[str]]:
    """A list to which each kernel that runs adds the name of its primitive."""
    names: list[str] = []
    kernels = {prim: prim.impl for prim in registry.values()}

    def noted(prim: Primitive, impl: Callable[..., Any]) -> Callable[..., Any]:
        def kernel(*args: Any, **params: Any) -> Any:
            names.append(prim.name)
            return impl(*args, **params)

        return kernel

    for prim, impl in kernels.items():
        prim.impl = noted(prim, impl)
    try:
        yield names
    finally:
        for prim, impl in kernels.items():
            prim.impl = impl


def check_value(case: Case) -> None:
    compare(case, case.call(*checks.tensors(case.arrays)), reference(case), case.record.rtol)


def check_vjp(case: Case) -> None:
    function, arrays = case.smooth_function()
    if not case.record.differentiable:
        checks.check_no_derivative(function, arrays, random_numbers())
    else:
        checks.check_adjoint(function, arrays, random_numbers(), max(checks.EXACT, case.record.rtol / 10))


def check_jvp(case: Case) -> None:
    function, arrays = case.smooth_function()
    if not case.record.differentiable:
        checks.check_no_derivative(function, arrays, random_numbers())
    elif case.sample.smooth:
        checks.check_derivative(function, arrays, random_numbers(), max(checks.NUMERIC, 10 * case.record.rtol))


def check_vmap(case: Case) -> None:
    function, batches = case.batches()
    checks.check_batch(function, batches, max(checks.EXACT, case.record.rtol), randomness="same")


def _batches_of_floats(case: Case) -> tuple[checks.Function, list[list[checks.Array]]]:
    function, arrays = case.smooth_function()
    return function, [checks.versions(array, 3) for array in arrays]


def check_vmap_of_vjp(case: Case) -> None:
    checks.check_vmap_of_vjp(*_batches_of_floats(case), random_numbers(), rounding(case.record))


def check_vmap_of_jvp(case: Case) -> None:
    checks.check_vmap_of_jvp(*_batches_of_floats(case), random_numbers(), rounding(case.record))


def check_second_order(case: Case) -> None:
    checks.check_second_orders(*case.smooth_function(), random_numbers(), rounding(case.record), case.record.batched)


def check_inplace(case: Case) -> None:
    fitting = next(same_shape_cases(case.record))
    first, *rest = checks.tensors(fitting.arrays)
    expected = checks.arrays_of([fitting.call(*checks.tensors(fitting.arrays))])
    assert in_place(fitting, first, rest) is first
    checks.assert_close(first.numpy(), expected[0])


def check_no_loop(case: Case, noted: list[str]) -> None:
    """As many kernels run for a batch of 5 as for a batch of 2."""
    function, batches = case.batches()
    counts = []
    for size in (2, 5):
        mapped = checks.tensors([checks.stacked([versions[0]] * size, 0) for versions in batches])
        noted.clear()
        func.vmap(function, randomness="same")(*mapped)
        counts.append(len(noted))
    assert counts[0] == counts[1], f"{counts[0]} kernels for a batch of 2, {counts[1]} for a batch of 5"


# column -> (law of the record's xfails, check, where it applies)
COLUMNS = ("value", "vjp", "jvp", "vmap", "vmap(vjp)", "vmap(jvp)", "2nd", "in place", "no loop")
LAWS = dict(
    zip(
        COLUMNS,
        ("value", "adjoint", "derivative", "batch", "vmap_of_vjp", "vmap_of_jvp", "second_orders", "inplace", "batch"),
        strict=True,
    )
)
CHECKS: dict[str, Callable[[Case], None]] = dict(
    zip(
        COLUMNS,
        (
            check_value,
            check_vjp,
            check_jvp,
            check_vmap,
            check_vmap_of_vjp,
            check_vmap_of_jvp,
            check_second_order,
            check_inplace,
        ),
        strict=False,
    )
)


@dataclass(frozen=True)
class Facts:
    """What was found for an operator: a mark a column, why a column fails, the primitives its value is made of."""

    marks: dict[str, str]
    reasons: dict[str, str]
    primitives: tuple[str, ...]


def _not_applicable(column: str, case: Case) -> str:
    """The mark of a law that says nothing about a record, or an empty string."""
    record = case.record
    if column == "value":
        return "" if record.reference is not None else "r"
    if column == "in place":
        return "" if record.inplace else "-"
    if column in ("vmap", "no loop"):
        return _unmapped(case)
    if not case.floats:
        return "n"
    if not record.differentiable:
        return _no_derivative(column, case)
    return _unmapped(case) if column.startswith("vmap(") else ""


def _unmapped(case: Case) -> str:
    return "n" if not case.arrays else "" if case.record.batched else "s"


def _no_derivative(column: str, case: Case) -> str:
    function, arrays = case.smooth_function()
    if not function(*checks.tensors(arrays)):
        return "i"
    return "" if column in ("vjp", "jvp") else ZERO


def _case_of(record: OpRecord) -> Case:
    """The first case, of those at smooth points with floating arguments if there are any."""
    found = list(cases(record))
    return next((case for case in found if case.floats and case.sample.smooth and _in_batch(case)), found[0])


def _in_batch(case: Case) -> bool:
    return all(array.size for array in case.arrays)


def _mark(column: str, case: Case, noted: list[str]) -> tuple[str, str]:
    """The mark of one law for one case, and the reason where it fails."""
    if LAWS[column] in case.record.xfail:
        return FAILS, case.record.xfail[LAWS[column]]
    mark = _not_applicable(column, case)
    if mark:
        return mark, ""
    tp.manual_seed(0)
    try:
        if column == "no loop":
            check_no_loop(case, noted)
        else:
            CHECKS[column](case)
    except Exception as error:  # whatever a law meets is a fact for the page
        return FAILS, f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
    return ZERO if column in ("vjp", "jvp") and not case.record.differentiable else PASSES, ""


ORDER = (FAILS, PASSES, ZERO, "i", "r", "s", "n", "-")  # of several records' marks, the first one counts


def facts_of(name: str, noted: list[str]) -> Facts:
    """Facts about the operator of all records of a name."""
    marks: dict[str, str] = {}
    reasons: dict[str, str] = {}
    used: set[str] = set()
    found = [_case_of(record) for record in _RECORDED[name]]
    for column in COLUMNS:
        results = [_mark(column, case, noted) for case in found]
        marks[column] = min([mark for mark, _ in results], key=ORDER.index)
        reasons[column] = "; ".join([reason for _, reason in results if reason])
    for case in found:
        used |= _primitives_of(case, noted)
    return Facts(marks, {column: reason for column, reason in reasons.items() if reason}, tuple(sorted(used)))


def _primitives_of(case: Case, noted: list[str]) -> set[str]:
    arrays = checks.tensors(case.arrays)
    ready = case.valid(case.arguments(arrays))
    noted.clear()
    case.call(*arrays, op=lambda *_, **options: resolve(case.record.name)(*ready, **options))
    return set(noted)


# ---- the page --------------------------------------------------------------------------------------------------------

INTRODUCTION = """\
# Coverage

Made by `python -m tests.coverage_page` from the op database (`tests/opdb`) and the registry of primitives; a test fails
where this page is stale. Each mark was found by running the operator on a sample of each of its records. The laws in
`tests/laws` run over all samples, in more ways.

| column | what was checked |
|---|---|
| value | equals an independent reference: NumPy, SciPy or a naive loop |
| vjp | cotangents pulled back are adjoint to tangents pushed forward, ⟨ct, push t⟩ = ⟨pull ct, t⟩ |
| jvp | the tangent pushed forward is the numeric derivative |
| vmap | equals the loop over samples, for every mix of mapped arguments, batches of 3, 1 and 0, and nested maps |
| vmap(vjp), vmap(jvp) | batches of derivatives equal the loop of derivatives |
| 2nd | jvp(jvp), jvp(vjp), vjp(jvp) and vjp(vjp) agree |
| in place | the method `name_` does to its tensor what `name` returns |
| no loop | under `vmap` as many kernels run for a batch of 5 as for a batch of 2 |
| primitives | the primitives whose kernels ran for the value; the others are composites of them |

**No hidden loops.** There is no fallback that loops over samples: an operator acts on all samples at once by a batching
rule, and one without a rule raises `NotImplementedError`. Where LAPACK takes single matrices only (LU, LDL, triangular
solves), the kernel calls it once a matrix, for stacks as for batches.

[conventions.md](conventions.md) has the values and derivatives where there is a choice, and what no record can compare.
"""


def page() -> str:
    """The page."""
    operators = public_operators()
    with kernels_noted() as noted:
        facts = {name: facts_of(name, noted) for name in _RECORDED}
    sections = [INTRODUCTION, _legend(), _totals(operators, facts), _failures(facts), _no_operators()]
    rows = {space: [name for name in operators if name.rpartition(".")[0] == space] for space in NAMESPACES}
    rows["Tensor"] = sorted(set(_RECORDED) - set(operators))
    sections += [_section(namespace, names, facts) for namespace, names in rows.items()]
    return "\n".join([section for section in sections if section])


def _legend() -> str:
    return _table(["mark", "meaning"], LEGEND.items())


def _totals(operators: Sequence[str], facts: dict[str, Facts]) -> str:
    forms = [form for form in map(recorded_form, operators) if form is not None]
    counts = {column: Counter([facts[form].marks[column] for form in forms]) for column in COLUMNS}
    rows = [(mark, *[counts[column][mark] or "" for column in COLUMNS]) for mark in LEGEND]
    used = {primitive for found in facts.values() for primitive in found.primitives}
    head = (
        f"## Totals\n\n{len(operators)} public operators: {len(set(forms))} ops and {len(operators) - len(set(forms))} "
        f"further names of theirs; {len(records)} records; {len(used)} primitives make up their values.\n"
    )
    return f"{head}\n{_table(['', *COLUMNS], rows)}"


def _failures(facts: dict[str, Facts]) -> str:
    rows = [(f"`{name}`", column, why) for name, found in facts.items() for column, why in found.reasons.items()]
    return f"### What fails, and why\n\n{_table(['operator', 'column', 'reason'], rows)}" if rows else ""


def _no_operators() -> str:
    rows = [(kind, ", ".join([f"`{name}`" for name in names])) for kind, names in NO_OPERATORS.items()]
    return f"Functions that are no operators, and have no row:\n\n{_table(['they give', 'names'], rows)}"


def _section(namespace: str, names: Sequence[str], facts: dict[str, Facts]) -> str:
    title = {"": "tensorplay", "Tensor": "Methods only"}.get(namespace, f"tensorplay.{namespace}")
    table = _table(["operator", *COLUMNS, "primitives"], [_row(name, facts) for name in names])
    return f"## {title}\n\n{table}" if names else ""


def _row(name: str, facts: dict[str, Facts]) -> tuple[str, ...]:
    form = recorded_form(name)
    if form is None:
        return (f"`{name}`", *["no record"] * len(COLUMNS), "")
    made_of = ", ".join(facts[form].primitives) if form == name else f"as `{form}`"
    return (f"`{name}`", *[facts[form].marks[column] for column in COLUMNS], made_of)


def _table(head: Sequence[str], rows: Any) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join([f"| {' | '.join(map(str, line))} |\n" for line in lines])


if __name__ == "__main__":
    PAGE.write_text(page())
