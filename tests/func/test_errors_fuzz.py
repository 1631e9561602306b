"""Wrong calls of every sort: each ends in a result or in an error that names the function, never in an internal one."""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorplay as tp
from tensorplay import func, tree
from tests.func.test_state import assert_clean
from tests.mistakes import INTERNAL, TYPES, altered, wrong

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
# what Python says of a call of the function passed, which is the caller's own business
OWN = re.compile(r"\) (missing|takes|got an unexpected|got multiple)|not callable|argument after \*")


def attempt(name: str, call: Callable[[], Any], given: Any = ()) -> None:
    """A call that may fail, but only in a way that helps, and that leaves what it was given as it was."""
    tensors = [leaf for leaf in tree.flatten((given, LEAVES))[0] if isinstance(leaf, tp.Tensor)]
    tensors += MODEL.state_dict().values()
    before = [(tensor, tensor.detach().numpy().copy()) for tensor in tensors]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception as error:
        if not is_helpful(name, error):
            raise AssertionError(f"unhelpful: {type(error).__name__}: {error}") from error
    finally:
        assert_clean()
    for tensor, array in before:
        np.testing.assert_array_equal(tensor.detach().numpy(), array)


def is_helpful(name: str, error: Exception) -> bool:
    """Whether an error names the function, or is about what the caller's own function did."""
    message = str(error)
    if _is_raised_here(error) or (isinstance(error, TypeError) and OWN.search(message)):
        return True
    named = re.search(rf"\b{re.escape(name)}", message) or re.match(r"[\w.:]+(\(|: )|the transpose of", message)
    plain = "rearrange" in message or not INTERNAL.search(re.sub(r"got .*?(;|$)", "", message))
    return isinstance(error, TYPES) and bool(named) and plain


def _is_raised_here(error: Exception) -> bool:
    """Whether it is the caller's own function that fails: itself, or by what it asks of an object."""
    last = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_name in ("__getattr__", "__iter__"):
            break
        last = frame.f_code.co_filename
    return last == __file__


def fuzz(test: Callable[..., None]) -> Callable[..., None]:
    """Many draws, reproducibly."""
    quiet = settings(
        max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
    )
    return quiet(test)


OPTIONS: dict[str, list[str]] = {
    "vmap": ["in_dims", "out_dims", "randomness", "chunk_size"],
    "chunk_vmap": ["in_dims", "out_dims", "randomness", "chunks"],
    "grad": ["argnums", "has_aux"],
    "grad_and_value": ["argnums", "has_aux"],
    "jacrev": ["argnums", "has_aux", "chunk_size"],
    "jacfwd": ["argnums", "has_aux", "randomness", "chunk_size"],
    "hessian": ["argnums", "has_aux"],
    "functionalize": ["remove"],
    "make_graph": [],
    "checkpoint": [],
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


# ---- nearly right calls ----------------------------------------------------------------------------------------------


class Stop(Exception):
    """A function of the caller's own fails."""


def limited(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that ends a loop which would not end."""
    left = iter(range(20))

    def step(*args: Any) -> Any:
        if next(left, None) is None:
            raise Stop
        return function(*args)

    return step


def fails(*args: Any) -> Any:
    raise Stop


class Double(tp.autograd.Function):
    """A Function that tests give rules to."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        """Keeps nothing."""


def applied(result: Any, transform: Any, x: Any) -> Any:
    """A derivative by a Function whose rule returns `result`."""
    rules = type("Mine", (Double,), {"backward": lambda ctx, ct: result, "jvp": lambda ctx, dot: result})
    return transform(lambda x: rules.apply(x).sum())(x)


def operated(result: Any, name: Any, transform: Any, x: Any) -> Any:
    """A call of an operator of a library whose kernel and rules return `result`."""
    operator = tp.library.custom_op(name, lambda x: result)
    operator.register_autograd(lambda ctx, ct: result)
    operator.register_vmap(lambda info, in_dims, x: (result, 0))
    return transform(lambda x: operator(x).sum())(x)


def derived(result: Any, batching: Any, transform: Any, x: Any) -> Any:
    """A derivative by a rule that returns `result`."""
    rules: dict[str, Any] = {"vjp": lambda args, out, ct: result, "batching": batching}
    return transform(lambda x: func.custom_derivative(**rules)(lambda x: x * 2)(x).sum())(x)


def leaf() -> tp.Tensor:
    return tp.ones(3, requires_grad=True)


X = tp.ones(2, 3)
VMAPPED = [lambda f: f, func.vmap]
WRAPPED = [*VMAPPED, func.grad, func.jacfwd, func.hessian, lambda f: func.vmap(func.grad(f))]
STEPS: list[Callable[..., Any]] = [
    lambda c, x: (c, x),
    lambda c, x: (c + x, None),
    lambda c, x: c,
    lambda c, x: ({}, x),
]
STATE = {"weight": tp.ones(2, 3), "bias": tp.ones(2)}

# name -> what a call is made of: the right arguments, of which some will be wrong, and the call
CALLS: dict[str, tuple[Callable[[Random], list[Any]], Callable[..., Any]]] = {
    "vmap": (
        lambda r: [r.choice(FUNCTIONS), 0, 0, "error", 1, (X,), {}],
        lambda f, i, o, random, size, args, kwargs: func.vmap(f, i, o, random, chunk_size=size)(*args, **kwargs),
    ),
    "grad_and_value": (
        lambda r: [r.choice(FUNCTIONS), 0, r.random() < 0.5, (X,), {}],
        lambda f, argnums, has_aux, args, kwargs: func.grad_and_value(f, argnums, has_aux)(*args, **kwargs),
    ),
    "hessian": (
        lambda r: [r.choice(FUNCTIONS), (0, 1), r.random() < 0.5, ({"a": X}, VECTOR), {}],
        lambda f, argnums, has_aux, args, kwargs: func.hessian(f, argnums, has_aux=has_aux)(*args, **kwargs),
    ),
    "vjp": (
        lambda r: [r.choice(FUNCTIONS), (X,), r.random() < 0.5, {}, X],
        lambda f, primals, has_aux, kwargs, ct: func.vjp(f, *primals, has_aux=has_aux, **kwargs)[1](ct),
    ),
    "linearize": (
        lambda r: [r.choice(FUNCTIONS), (X,), r.random() < 0.5, {}, X],
        lambda f, primals, has_aux, kwargs, dot: func.linearize(f, *primals, has_aux=has_aux, **kwargs)[1](dot),
    ),
    "jvp": (
        lambda r: [r.choice(FUNCTIONS), (X,), (X,), r.random() < 0.5, {}],
        lambda f, primals, dots, has_aux, kwargs: func.jvp(f, primals, dots, has_aux=has_aux, **kwargs),
    ),
    "make_graph": (
        lambda r: [r.choice(FUNCTIONS), (X, 1), (X, 1)],
        lambda f, args, again: func.make_graph(f)(*args)(*again),
    ),
    "cond": (
        lambda r: [r.choice(WRAPPED), X.sum() > 0, r.choice(FUNCTIONS), r.choice(FUNCTIONS), (X,)],
        lambda transform, *args: transform(lambda x: func.cond(*args[:-1], (args[-1], x)[:1]))(X),
    ),
    "mapped cond": (
        lambda r: [r.choice(FUNCTIONS), r.choice(FUNCTIONS), 0.5],
        lambda yes, no, than: func.vmap(lambda x: func.cond(x.sum() > than, yes, no, (x,)))(X),
    ),
    "while_loop": (
        lambda r: [r.choice(VMAPPED), lambda *c: c[0].sum() < 9, r.choice([*FUNCTIONS, lambda *c: c]), (X, 1)],
        lambda transform, go, body, init: transform(lambda x: func.while_loop(limited(go), limited(body), init))(X),
    ),
    "fori_loop": (
        lambda r: [0, 3, r.choice([lambda i, x: x + i, lambda i, x: (x, x), lambda i, x: i]), X],
        lambda lower, upper, body, init: func.fori_loop(lower, upper, limited(body), init),
    ),
    "scan": (
        lambda r: [r.choice(VMAPPED), r.choice(STEPS), VECTOR, {"a": X}, 0, False, 2],
        lambda transform, f, init, xs, dim, back, length: transform(
            lambda x: func.scan(limited(f), init, xs, dim=dim, reverse=back, length=length)
        )(X),
    ),
    "map": (
        lambda r: [r.choice(FUNCTIONS), X, 2],
        lambda f, xs, size: func.map(limited(f), xs, batch_size=size),
    ),
    "associative_scan": (
        lambda r: [r.choice([lambda a, b: a + b, *STEPS, *FUNCTIONS]), X, 0, False, "generic"],
        lambda f, xs, dim, back, mode: func.associative_scan(f, xs, dim, reverse=back, combine_mode=mode),
    ),
    "checkpoint": (
        lambda r: [r.choice(WRAPPED), r.choice(FUNCTIONS), X, {}],
        lambda transform, f, x, kwargs: transform(lambda x: func.checkpoint(f)(x, **kwargs))(x),
    ),
    "custom_derivative": (lambda r: [(X,), "derived", r.choice(WRAPPED), X], derived),
    "Mine": (lambda r: [X, r.choice(WRAPPED), X], applied),
    "fuzz::op": (lambda r: [X, "fuzz::op", r.choice(WRAPPED), X], operated),
    "grad": (
        lambda r: [r.choice(FUNCTIONS), leaf(), None, None],
        lambda f, x, ct, retain: tp.autograd.grad(f(x), x, ct, retain_graph=retain),
    ),
    "backward": (
        lambda r: [r.choice([lambda x: x * 2, lambda x: x.sum(), lambda x: 3]), leaf(), X],
        lambda f, x, ct: tp.autograd.backward(f(x), ct),
    ),
    "functional_call": (
        lambda r: [r.choice(VMAPPED), dict(STATE), (X,), {}, r.random() < 0.5],
        lambda transform, state, args, kwargs, strict: transform(
            lambda x: func.functional_call(MODEL, state, args, kwargs, strict=strict)
        )(X),
    ),
    "stack_module_state": (
        lambda r: [[MODEL, r.choice([MODEL, tp.nn.Linear(3, 3), tp.nn.Linear(3, 2, bias=False), tp.nn.ReLU()])]],
        lambda models: func.stack_module_state(models),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_nearly_right_calls(name: str) -> None:
    arguments, call = CALLS[name]

    @fuzz
    @given(st.integers(0, 2**32 - 1))
    def run(seed: int) -> None:
        random = Random(seed)
        args = arguments(random)
        for _ in range(random.choice([0, 1, 1, 2])):
            position = random.randrange(len(args))
            functions = [fails, *FUNCTIONS] if callable(args[position]) else []
            options = [lambda: wrong(random), lambda at=position: altered(args[at], random)]
            args[position] = (
                random.choice(functions) if functions and random.random() < 0.5 else random.choice(options)()
            )
        attempt(name.split()[-1], lambda: call(*args), args)

    run()
