"""
What the package holds for all threads together: nothing but what is listed here, with what keeps it whole.

State that belongs to a call lives in context variables. A module-level object that code changes, a counter, or a cache
is shared by all threads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tensorplay as tp

PACKAGE = Path(tp.__file__).parent

COUNTER = "itertools.count: a step is atomic"
CACHE = "functools.lru_cache, which locks itself, of a pure function; what it returns is never written"
LAZY = "filled by what Python's import system, which locks itself, always gives the same"
SETTING = "a setting of the process: an immutable value that is replaced in one step"

SHARED: dict[str, str] = {
    "core.blas.threadpoolctl": LAZY,
    "core.blas.threads_of": "functools.lru_cache of an object that has a lock of its own",
    "core.meter._running": "behind a lock; what tracemalloc measures is of all threads anyway",
    "core.hooks._keys": COUNTER,
    "core.meter._started": "behind a lock",
    "core.primitive.registry": "filled while the package is imported",
    "core.stack._levels": COUNTER,
    "core.threads._team": "behind a lock; its size is a setting for the whole process",
    "core.writes._written": "behind a lock; entries are removed by their owner's finaliser, in one step",
    "core.writes.latest": "behind a lock",
    "dtypes._default": SETTING,
    "func.executors.futures": LAZY,
    "func.progress.tqdm": LAZY,
    "func.shipping._jobs": "behind a lock; what is in it is only read",
    "func.shipping._pickler": CACHE,
    "func.shipping.cloudpickle": LAZY,
    "func.shipping.tempfile": LAZY,
    "interpreters.programs._programs": CACHE,
    "interpreters.regions._programs": CACHE,
    "interpreters.structure._known": CACHE,
    "interpreters.structure._numbers": COUNTER,
    "interpreters.watch._changes": "behind a lock",
    "interpreters.watch._count": "behind a lock; methods are replaced by others of the same results",
    "library._operators": "a weak dictionary, which an operator enters in one step",
    "numpy_protocol.calling._parameters": CACHE,
    "numpy_protocol.calling._signature": CACHE,
    "numpy_protocol.calling.mapped": "filled while the room is imported",
    "ops.affine._linear_plan": CACHE,
    "ops.contraction._batched_spec": CACHE,
    "ops.contraction._stacks_well": CACHE,
    "ops.contraction._summed_spec": CACHE,
    "ops.contraction.plan": CACHE,
    "ops.einsum._parse": CACHE,
    "ops.fourier.scipy_fft": LAZY,
    "ops.kernels.number": CACHE,
    "ops.kernels.special": LAZY,
    "ops.matrices._triangle": CACHE,
    "ops.matrix_functions.scipy_linalg": LAZY,
    "ops.operands.scipy_special": LAZY,
    "ops.products._cheapest_cuts": CACHE,
    "ops.products._matmul_layout": CACHE,
    "ops.products._tensordot_spec": CACHE,
    "ops.products._vecdot_layout": CACHE,
    "ops.scan.blas": LAZY,
    "ops.softmax._log_softmax_plan": CACHE,
    "ops.softmax._softmax_plan": CACHE,
    "ops.streams.default_stream": "the default stream of random numbers, behind a lock",
    "ops.sums._mean_plan": CACHE,
    "ops.sums.plan": CACHE,
    "ops.totals._layout": CACHE,
    "ops.totals._ones": CACHE,
    "tensor.calls._signature": CACHE,
    "tensor.handle._outdated": COUNTER,
    "tensor.lift._operand": CACHE,
    "tensor.handle.taken": "by level, which one thread runs; an entry is made and removed in one step",
    "tensor.printing._options": SETTING,
    "tensor.tensor.numpy_protocol": LAZY,
    "tree._containers": "behind a lock",
    "tree._seen": "a set of classes, each added or removed in one step; what is missing is found anew",
}

MUTATORS = {
    *(
        "add",
        "append",
        "appendleft",
        "clear",
        "difference_update",
        "discard",
        "extend",
        "insert",
        "intersection_update",
    ),
    *("pop", "popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update"),
}
MAKERS = {"count", "LazyModule", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "Stream", "cycle"}
CACHES = {"lru_cache", "cache", "cached_property", "singledispatch"}


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), ast.parse(path.read_text())


def _name(node: ast.AST) -> str:
    """Last part of the name of what is called, or decorates."""
    if isinstance(node, ast.Call):
        return _name(node.func)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _targets(node: ast.stmt) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _module_names(module: ast.Module) -> set[str]:
    """Variables of a module; classes count, functions and imports of other packages do not."""
    names = {name for node in module.body for name in _targets(node)}
    names |= {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    return names | {
        alias.asname or alias.name
        for node in module.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tensorplay")
        for alias in node.names
    }


def _imported_modules(module: ast.Module) -> set[str]:
    """Names of modules of the package, whose functions may be called like methods of containers."""
    return {
        alias.asname or alias.name
        for node in module.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
        if PACKAGE.parent.joinpath(*node.module.split("."), alias.name).with_suffix(".py").exists()
        or PACKAGE.parent.joinpath(*node.module.split("."), alias.name).is_dir()
    }


def _changed(function: ast.AST, modules: set[str]) -> Iterator[str]:
    """Names that are no local variables of a function and that it changes: rebinds, or writes into."""
    declared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
    yield from declared
    local = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    local |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - declared
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            written = node.func.value
            if isinstance(written, ast.Name) and written.id in modules:
                continue
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            written = node.value
        else:
            continue
        while isinstance(written, ast.Subscript | ast.Attribute):
            written = written.value
        if isinstance(written, ast.Name) and written.id not in local:
            yield written.id


def shared_state() -> set[str]:
    """Everything of the package that outlives a call and changes."""
    found = set()
    for module_name, module in _trees():
        names, modules = _module_names(module), _imported_modules(module)
        for node in ast.walk(module):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            found |= {f"{module_name}.{name}" for name in _changed(node, modules) if name in names}
            if CACHES & set(map(_name, getattr(node, "decorator_list", ()))):
                found.add(f"{module_name}.{node.name}")
        for node in module.body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and _name(value) in MAKERS | CACHES:
                found |= {f"{module_name}.{name}" for name in _targets(node)}
    return found


def test_what_threads_share_is_listed() -> None:
    found = shared_state()
    assert not found - SHARED.keys(), "new state that all threads share: put it into a context variable, or guard it"
    assert not SHARED.keys() - found, "no longer there"


def test_classes_hold_no_containers() -> None:
    """What instances of a class share is not written."""
    containers = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    found = [
        f"{module_name}.{cls.name}.{name}"
        for module_name, module in _trees()
        for cls in ast.walk(module)
        if isinstance(cls, ast.ClassDef)
        for node in cls.body
        if isinstance(getattr(node, "value", None), containers)
        for name in _targets(node)
    ]
    assert not found


def test_no_function_has_a_container_as_default() -> None:
    found = [
        f"{module_name}.{node.name}"
        for module_name, module in _trees()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef)
        for default in [*node.args.defaults, *node.args.kw_defaults]
        if isinstance(default, ast.List | ast.Dict | ast.Set)
    ]
    assert not found


def test_the_search_finds_what_is_shared() -> None:
    source = """
import functools
from tensorplay.core import writes
from tensorplay.core.writes import table
seen, table_of = set(), {}
counter = itertools.count()
other: dict = {}
fixed = {1: 2}

def f(x, fixed):
    global setting
    setting = x
    fixed[1] = 3
    seen = set()
    seen.add(x)
    other.setdefault(x, []).append(x)
    writes.latest = 3
    table[x] = 4
    writes.add(x)

class C:
    @functools.cached_property
    def g(self):
        local = {}
        local[1] = other
        return local
"""
    module = ast.parse(source + "\nsetting = 1\n")
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    modules = _imported_modules(module)
    changed = {name for function in functions for name in _changed(function, modules)}
    assert changed == {"setting", "other", "writes", "table"}
    assert modules == {"writes"}
    assert {"other", "writes", "table", "setting", "fixed", "C"} <= _module_names(module)
