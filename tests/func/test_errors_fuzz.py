"""Wrong calls of every sort: each ends in a result or in an error that names the function, never in an internal one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import func
from tests.func.test_state import assert_clean

VECTOR = tp.arange(3.0)
MODEL = tp.nn.Linear(3, 2)

# what a caller may pass by mistake
LEAVES: list[Any] = [
    None,
    True,
    0,
    1,
    -1,
    5,
    1.5,
    "dims",
    b"bytes",
    object(),
    VECTOR,
    tp.ones(2, 3),
    tp.zeros(0, 3),
    tp.tensor(2.0),
    tp.tensor([1, 2, 3]),
    tp.tensor(True),
    tp.tensor([1 + 2j, 0j]),
    MODEL,
    (),
    {},
    tp.float32,
]
THINGS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from(["a", "weight", "bias"]), inner, max_size=2)
    ),
    max_leaves=4,
)
FUNCTIONS: list[Callable[..., Any]] = [
    lambda x: x,
    lambda x: x.sum(),
    lambda x: (x * x).sum(),
    lambda x: (x.sum(), x),
    lambda x: {"out": x * 2},
    lambda x: None,
    lambda x: 3.0,
    lambda x: (x > 0).sum(),
    lambda x, y: x.sum() * y,
    lambda *args: args,
    lambda: VECTOR,
    tp.sin,
    MODEL,
]
CALLABLES = st.sampled_from(FUNCTIONS)
# complaints of Python itself or of the function passed, which are the caller's own business
OWN = re.compile(
    r"(missing|takes|unexpected keyword|object has no attribute '(sum|ndim)'|unsupported operand|not supported between"
    r"|multiple values|not callable|can't multiply|bad operand|got multiple|Linear)"
)


def attempt(name: str, call: Callable[[], Any]) -> None:
    """A call that may fail, but only in a way that helps."""
    try:
        call()
    except Exception as error:
        if not is_helpful(name, error):
            raise AssertionError(f"unhelpful: {error!r}") from error
    finally:
        assert_clean()


def is_helpful(name: str, error: Exception) -> bool:
    """Whether an error names the function, or is about what the caller's own function did."""
    message = str(error)
    if isinstance(error, AttributeError):
        return bool(OWN.search(message))
    right_type = isinstance(error, TypeError | ValueError | RuntimeError | IndexError)
    named = name in message or OWN.search(message) or re.match(r"\w+\(\)", message)
    return right_type and bool(named) and "PyTreeSpec" not in message


def fuzz(test: Callable[..., None]) -> Callable[..., None]:
    """Many draws, reproducibly."""
    quiet = settings(
        max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
    )
    return quiet(test)


OPTIONS: dict[str, list[str]] = {
    "vmap": ["in_dims", "out_dims", "randomness", "chunk_size"],
    "chunk_vmap": ["in_dims", "out_dims", "randomness", "chunks"],
    "grad": ["argnums", "has_aux"],
    "grad_and_value": ["argnums", "has_aux"],
    "jacrev": ["argnums", "has_aux", "chunk_size"],
    "jacfwd": ["argnums", "has_aux", "randomness", "chunk_size"],
    "hessian": ["argnums"],
    "functionalize": ["remove"],
    "make_graph": [],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_transforms_with_options(name: str) -> None:
    @fuzz
    @given(
        CALLABLES | THINGS,
        st.dictionaries(st.sampled_from(OPTIONS[name] or ["none"]), THINGS),
        st.lists(THINGS, max_size=3),
    )
    def run(function: Any, options: dict[str, Any], args: list[Any]) -> None:
        options = {key: value for key, value in options.items() if key != "none"}
        attempt(name, lambda: getattr(func, name)(function, **options)(*args))

    run()


@pytest.mark.parametrize("name", ["vjp", "linearize"])
def test_functions_of_primals(name: str) -> None:
    @fuzz
    @given(CALLABLES | THINGS, st.lists(THINGS, max_size=3), st.lists(THINGS, max_size=2))
    def run(function: Any, primals: list[Any], given: list[Any]) -> None:
        attempt(name, lambda: getattr(func, name)(function, *primals)[1](*given))

    run()


@fuzz
@given(CALLABLES | THINGS, THINGS, THINGS, st.booleans(), st.booleans())
def test_jvp(function: Any, primals: Any, tangents: Any, strict: bool, has_aux: bool) -> None:
    attempt("jvp", lambda: func.jvp(function, primals, tangents, strict=strict, has_aux=has_aux))


@pytest.mark.parametrize("name", ["vjp", "linearize", "jvp"])
def test_wrong_tangents_and_cotangents_of_a_right_call(name: str) -> None:
    calls: dict[str, Callable[[Any], Any]] = {
        "vjp": lambda ct: func.vjp(lambda x: {"a": x, "b": x.sum()}, VECTOR)[1](ct),
        "linearize": lambda dot: func.linearize(tp.sin, VECTOR)[1](dot),
        "jvp": lambda dot: func.jvp(tp.sin, (VECTOR,), dot),
    }

    @fuzz
    @given(THINGS)
    def run(wrong: Any) -> None:
        attempt(name, lambda: calls[name](wrong))

    run()


@fuzz
@given(st.sampled_from([MODEL, 3, None]), THINGS, THINGS, THINGS)
def test_functional_call(module: Any, state: Any, args: Any, kwargs: Any) -> None:
    attempt("functional_call", lambda: func.functional_call(module, state, args, kwargs))


@fuzz
@given(THINGS)
def test_stack_module_state(models: Any) -> None:
    attempt("stack_module_state", lambda: func.stack_module_state(models))


@fuzz
@given(THINGS)
def test_replace_all_batch_norm_modules(root: Any) -> None:
    attempt("replace_all_batch_norm_modules_", lambda: func.replace_all_batch_norm_modules_(root))


@fuzz
@given(THINGS, THINGS, THINGS)
def test_debug_unwrap(tensor: Any, recurse: Any, sample: Any) -> None:
    attempt("debug_unwrap", lambda: func.debug_unwrap(tensor, recurse=recurse, sample=sample))
    attempt("debug_unwrap", lambda: func.vmap(lambda x: (func.debug_unwrap(x, sample=sample), x)[1])(VECTOR))


PATTERNS = [
    "a -> a",
    "a b -> b a",
    "(a b) -> a b",
    "a -> (a 1)",
    "... -> ...",
    "a a -> a",
    "->",
    "a",
    "(a",
    "a - > b",
    "",
]


@fuzz
@given(THINGS, st.sampled_from(PATTERNS) | THINGS, st.dictionaries(st.sampled_from(["a", "b"]), THINGS, max_size=2))
def test_rearrange(tensor: Any, pattern: Any, lengths: dict[str, Any]) -> None:
    attempt("rearrange", lambda: func.rearrange(tensor, pattern, **lengths))
