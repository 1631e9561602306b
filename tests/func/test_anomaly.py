"""detect_anomaly: the first operator that makes a NaN or an infinity, its line, mode, sample and element."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.autograd import AnomalyError, detect_anomaly, set_detect_anomaly
from tensorplay.core.primitive import Primitive
from tensorplay.func import (
    functional_call,
    functionalize,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_graph,
    vjp,
    vmap,
)
from tensorplay.interpreters import watch
from tensorplay.ops.comparison import gt
from tensorplay.ops.elementwise import div, log
from tensorplay.ops.indexing import where
from tensorplay.tensor.lift import lift
from tests.func.support import array, double, normal
from tests.laws.cases import Case, cases
from tests.laws.checks import tensors
from tests.opdb import OpRecord, records

GOOD = double([[4.0, 1.0], [9.0, 2.0]])
ZERO = double([[4.0, 1.0], [9.0, 0.0]])  # the root's derivative is infinite in sample 1 at element 1
BAD = double([[4.0, 1.0], [9.0, -1.0]])  # the root is NaN there


def root(x: tp.Tensor) -> tp.Tensor:
    y = x * 1.0
    y = y.sqrt()  # the line
    return (y * 2.0).sum()


LINE = f"test_anomaly.py:{root.__code__.co_firstlineno + 2}"


def found(function: Callable[..., Any], *args: Any, check_inf: bool = True) -> AnomalyError:
    with pytest.raises(AnomalyError) as caught, detect_anomaly(check_inf=check_inf):
        function(*args)
    return caught.value


def tangents_of(x: tp.Tensor) -> tp.Tensor:
    return jvp(root, (x,), (tp.ones_like(x),))[1]


def pulled(x: tp.Tensor) -> tp.Tensor:
    out, pull = vjp(root, x)
    return pull(tp.ones_like(out))[0]


def pushed(x: tp.Tensor) -> tp.Tensor:
    return linearize(root, x)[1](tp.ones_like(x))


def backward(x: tp.Tensor) -> tp.Tensor:
    leaf = x.detach().requires_grad_()
    root(leaf).backward()
    return leaf.grad


DERIVATIVES = {
    "grad": grad(root),
    "jvp": tangents_of,
    "vjp": pulled,
    "linearize": pushed,
    "jacrev": jacrev(root),
    "jacfwd": jacfwd(root),
    "jacrev chunked": jacrev(root, chunk_size=1),
}


@pytest.mark.parametrize("name", [*DERIVATIVES, "hessian", "backward", "function"])
def test_a_value_in_every_transform(name: str) -> None:
    function = {"hessian": hessian(root), "backward": backward, "function": root, **DERIVATIVES}[name]
    error = found(function, BAD[1], check_inf=False)
    assert (error.operator, error.mode, error.line, error.sample, error.index) == ("sqrt", "value", LINE, None, (1,))
    if name != "backward":
        error = found(vmap(function), BAD, check_inf=False)
        expected = ("sqrt", "value", LINE, 1, (1,))
        assert (error.operator, error.mode, error.line, error.sample, error.index) == expected
        assert "operand -1.0" in str(error)


@pytest.mark.parametrize("name", [*DERIVATIVES, "backward"])
def test_a_derivative_in_every_transform(name: str) -> None:
    function = {"backward": backward, **DERIVATIVES}[name]
    error = found(function, ZERO[1])
    assert (error.operator, error.mode, error.line, error.sample) == ("sqrt", "derivative", LINE, None)
    assert error.index == (1,)
    if name != "backward":
        error = found(vmap(function), ZERO)
        expected = ("sqrt", "derivative", LINE, 1, (1,))
        assert (error.operator, error.mode, error.line, error.sample, error.index) == expected
        assert "operand 0.0" in str(error)


def test_second_derivatives_name_the_line_of_the_function() -> None:
    def power(x: tp.Tensor) -> tp.Tensor:
        return (x**1.5).sum()

    line = f"test_anomaly.py:{power.__code__.co_firstlineno + 1}"
    for function in (hessian(power), jacrev(grad(power)), jacfwd(jacfwd(power)), jacrev(jacfwd(power))):
        error = found(vmap(function), ZERO)
        assert (error.operator, error.mode, error.line, error.sample) == ("pow", "derivative", line, 1)
        assert "second derivative of pow" in str(error)


def test_nested_maps_give_a_tuple_and_chunks_count_on() -> None:
    x = normal(2, 3, 4).abs() + 1
    x[1, 2, 3] = -1.0
    for function in (vmap(vmap(root)), vmap(vmap(root, chunk_size=2), chunk_size=1), vmap(vmap(grad(root)))):
        error = found(function, x, check_inf=False)
        assert (error.sample, error.index) == ((1, 2), (3,))
    # the inner map takes the outer dim
    error = found(vmap(vmap(root), in_dims=1), x, check_inf=False)
    assert (error.sample, error.index) == ((2, 1), (3,))


def test_an_operator_that_is_given_a_nan_is_not_to_blame() -> None:
    x = double([[1.0, float("nan")], [-1.0, 1.0]])
    with detect_anomaly():
        tp.exp(x)
        grad(lambda x: (x * x).sum())(x)
        vmap(lambda r: r.sum())(x)
    error = found(lambda: x.log(), check_inf=False)  # another element
    assert error.index == (1, 0)
    error = found(lambda: vmap(lambda r: (r / r.sum().clamp(max=0.0)).sum())(x * 0.0 + x), check_inf=True)
    assert error.sample == 1  # sample 0 was given a NaN


def test_what_is_looked_for() -> None:
    x = double([0.0, 1.0])
    with detect_anomaly():
        assert np.isinf(array(1 / x)[0])
    with detect_anomaly(check_nan=False, check_inf=True):
        assert np.isnan(array(tp.log(-x[1:])))
    assert found(lambda: 1 / x).operator == "div"
    with detect_anomaly(check_inf=True):
        tp.masked_fill(x, x > 0, float("inf"))  # it was given


def test_the_sum_of_cotangents() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return (x.sqrt() - x.sqrt()).sum()

    error = found(grad(f), double([0.0, 1.0]), check_inf=False)
    assert (error.mode, error.index) == ("derivative", (0,))
    assert error.line == f"test_anomaly.py:{f.__code__.co_firstlineno + 1}"
    assert "sum of cotangents" in str(error)


def test_zero_wins_in_derivatives() -> None:
    x = double([1000.0, 1.0])
    with detect_anomaly(check_inf=False):
        grad(lambda x: tp.where(x > 10, x, x.exp()).sum())(x)
        grad(lambda x: (x * 0).sqrt().sum())(x)


def test_where_computes_both_and_cond_does_not() -> None:
    x = double([-1.0, 4.0])

    def by_where(x: tp.Tensor) -> tp.Tensor:
        return tp.where(x > 0, x.log(), x)

    def by_cond(x: tp.Tensor) -> tp.Tensor:
        return tp.cond(x > 0, lambda x: x.log(), lambda x: x, (x,))

    assert found(vmap(by_where), x, check_inf=False).sample == 0
    with detect_anomaly(check_inf=True):
        for function in (by_cond, grad(by_cond), lambda x: jvp(by_cond, (x,), (x,))[1]):
            assert np.isfinite(array(vmap(function)(x))).all()
    x = double([-1.0, 4.0, 9.0])
    wrong = vmap(lambda x: tp.cond(x > 5, lambda x: (-x).log(), lambda x: x, (x,)))
    assert found(wrong, x, check_inf=False).sample == 2
    nested = vmap(lambda x: vmap(lambda y: tp.cond(x > y, lambda z: z.log(), lambda z: z, (x - y - 1,)))(double([3.0])))
    with detect_anomaly():
        nested(double([1.0, 5.0]))
    assert found(nested, double([1.0, 3.5]), check_inf=False).sample == (1, 0)


def test_an_exemption() -> None:
    x = double([-1.0, 4.0])

    def f(x: tp.Tensor) -> tp.Tensor:
        with set_detect_anomaly(False):
            logs = x.log()
        return tp.where(x > 0, logs, x)

    with detect_anomaly():
        vmap(f)(x)
        grad(lambda x: f(x).sum())(x)
        with pytest.raises(AnomalyError):
            x.log()
    x.log()


def test_set_detect_anomaly() -> None:
    x = double([-1.0])
    with set_detect_anomaly(True), pytest.raises(AnomalyError):
        x.log()
    x.log()
    set_detect_anomaly(True)
    try:
        with pytest.raises(AnomalyError):
            x.log()
    finally:
        set_detect_anomaly(False)
    x.log()


def test_a_decorator() -> None:
    @detect_anomaly(check_inf=True)
    def f(x: tp.Tensor) -> tp.Tensor:
        """Logarithm."""
        return x.log()

    assert f.__doc__ == "Logarithm."
    with pytest.raises(AnomalyError):
        f(double([0.0]))
    double([0.0]).log()


def test_within_a_transformed_function() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        with detect_anomaly():
            return root(x)

    for function in (vmap(f), vmap(grad(f)), vmap(tangents_of_function(f))):
        with pytest.raises(AnomalyError) as caught:
            function(BAD)
        assert (caught.value.line, caught.value.sample) == (LINE, 1)


def tangents_of_function(f: Callable[[tp.Tensor], tp.Tensor]) -> Callable[[tp.Tensor], tp.Tensor]:
    return lambda x: jvp(f, (x,), (x,))[1]


def test_a_derivative_recorded_before_it_was_watched() -> None:
    _, pull = vjp(root, ZERO[1])
    error = found(pull, double(1.0))
    assert (error.operator, error.mode) == ("sqrt", "derivative")
    assert "before it was watched" in str(error)


def test_a_composite_names_itself_and_its_part() -> None:
    error = found(lambda: tp.std(double([[1.0]]), dim=1), check_inf=False)
    assert error.operator == "std"
    assert "(its part div)" in str(error)


def test_what_an_operator_puts_right_itself_is_no_anomaly() -> None:
    def logs(input: Any, base: float) -> Any:
        return where(gt(input, 0.0), div(log(input), base), 0.0)

    operator = lift(logs)
    x = double([0.0, -1.0, 4.0])
    with detect_anomaly(check_inf=True):
        assert array(operator(x, 2.0)).tolist() == [0.0, 0.0, np.log(4.0) / 2]
        assert array(operator(x, base=2.0)).tolist() == [0.0, 0.0, np.log(4.0) / 2]
        assert array(vmap(grad(lambda x: operator(x, 2.0)))(x)).tolist() == [0.0, 0.0, 0.125]
    error = found(operator, x, 0.0)
    assert error.operator == "logs"


def test_modules_blame_the_users_line() -> None:
    model = tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.Softplus())
    params = {name: tp.full_like(p, 1e30).detach() for name, p in model.named_parameters()}

    def loss(params: dict[str, tp.Tensor], x: tp.Tensor) -> tp.Tensor:
        return functional_call(model, params, (x,)).sum()

    error = found(vmap(grad(loss), in_dims=(None, 0)), params, tp.tensor([[1.0, 1.0], [1e30, 1.0]]))
    assert (error.line, error.sample) == (f"test_anomaly.py:{loss.__code__.co_firstlineno + 1}", 1)


def test_graphs_and_functions_of_ones_own() -> None:
    assert found(make_graph(root), BAD[1], check_inf=False).line == LINE
    graph = make_graph(root)(GOOD[1])
    for function, x in ((graph, BAD[1]), (grad(graph), ZERO[1]), (lambda x: jvp(graph, (x,), (x + 1,)), ZERO[1])):
        error = found(function, x)
        assert (error.operator, error.line) == ("sqrt", LINE)

    class Root(tp.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: tp.Tensor) -> tp.Tensor:
            return x.sqrt()

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx: Any, ct: tp.Tensor) -> tp.Tensor:
            return ct / (2 * ctx.saved_tensors[0])

    def f(x: tp.Tensor) -> tp.Tensor:
        return Root.apply(x).sum()

    line = f"test_anomaly.py:{f.__code__.co_firstlineno + 1}"
    error = found(vmap(f), BAD, check_inf=False)
    assert (error.operator, error.line, error.sample) == ("Root", line, 1)
    error = found(vmap(grad(f)), ZERO)
    assert (error.operator, error.mode, error.line, error.sample) == ("Root", "derivative", line, 1)


def test_results_and_gradients_are_the_same() -> None:
    for function in [*DERIVATIVES.values(), hessian(root)]:
        plain = vmap(function)(GOOD)
        with detect_anomaly(check_inf=True):
            watched = vmap(function)(GOOD)
        np.testing.assert_array_equal(array(watched), array(plain))


def test_nothing_is_replaced_when_no_one_watches() -> None:
    before = {**vars(Primitive)}, {**vars(watch.Node)}, {**vars(watch.Record)}, {**vars(watch.Batch)}
    with detect_anomaly():
        assert vars(Primitive)["__call__"] is not before[0]["__call__"]
    with pytest.raises(ZeroDivisionError), detect_anomaly():
        raise ZeroDivisionError
    assert before == (vars(Primitive), vars(watch.Node), vars(watch.Record), vars(watch.Batch))


def test_threads_watch_for_themselves() -> None:
    started, done = threading.Event(), threading.Event()
    errors: list[str] = []

    def watching_thread() -> None:
        with detect_anomaly():
            started.set()
            done.wait(10)
            try:
                vmap(root)(BAD)
            except AnomalyError:
                errors.append("found")

    thread = threading.Thread(target=watching_thread)
    thread.start()
    started.wait(10)
    assert np.isnan(array(vmap(root)(BAD))).any()  # here no one watches
    done.set()
    thread.join(10)
    assert errors == ["found"]


def test_errors_can_be_sent_to_another_process() -> None:
    error = found(vmap(root), BAD)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert (again.operator, again.sample, again.index) == (error.operator, error.sample, error.index)


def is_clean(arrays: Sequence[np.ndarray[Any, Any]]) -> bool:
    return all(np.isfinite(a).all() for a in arrays if a.dtype.kind in "fc")


@pytest.mark.parametrize("record", records, ids=lambda record: record.label)
def test_every_operator(record: OpRecord) -> None:
    """What is finite raises nothing; what is not, from arguments that are, is found."""
    for case in cases(record):
        clean = is_clean([array(out) for out in case.outputs(*tensors(case.arrays))])
        if clean:
            with detect_anomaly(check_inf=True):
                case.outputs(*tensors(case.arrays))
        elif is_clean(case.arrays) and not case.sample.kwargs and is_clean(numbers(case)):
            with pytest.raises(AnomalyError), detect_anomaly(check_inf=True):
                case.outputs(*tensors(case.arrays))


def numbers(case: Case) -> list[np.ndarray[Any, Any]]:
    """The numbers among the arguments of a case."""
    return [np.asarray(leaf) for leaf in case.leaves if isinstance(leaf, float)]


NESTED: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "grad": lambda f: lambda x: grad(f)(x).sum(),
    "jvp": lambda f: lambda x: jvp(f, (x,), (tp.ones_like(x),))[1],
    "vjp": lambda f: lambda x: vjp(f, x)[1](double(1.0))[0].sum(),
    "linearize": lambda f: lambda x: linearize(f, x)[1](tp.ones_like(x)),
    "jacrev": lambda f: lambda x: jacrev(f)(x).sum(),
    "jacfwd": lambda f: lambda x: jacfwd(f)(x).sum(),
    "vmap": lambda f: lambda x: vmap(lambda s: f(x * s))(double([1.0, 1.0])).sum(),
    "functionalize": functionalize,
    "make_graph": lambda f: lambda x: make_graph(f)(x)(x),
}


@pytest.mark.parametrize("outer", NESTED)
@pytest.mark.parametrize("inner", NESTED)
def test_every_nesting(outer: str, inner: str) -> None:
    """Operator, line, mode and sample are right, whatever transforms are around."""
    function = vmap(NESTED[outer](NESTED[inner](root)))
    modes = [("value", BAD, False)]
    if {outer, inner} - {"vmap", "functionalize", "make_graph"}:
        modes.append(("derivative", ZERO, True))
    for mode, x, check_inf in modes:
        error = found(function, x, check_inf=check_inf)
        sample = error.sample[0] if isinstance(error.sample, tuple) else error.sample
        assert (error.operator, error.line, error.mode, sample) == ("sqrt", LINE, mode, 1)
