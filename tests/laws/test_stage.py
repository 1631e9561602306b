"""A function traced to a graph and run again is the function, under derivatives too."""

from __future__ import annotations

import tensorplay as tp
from tensorplay import func
from tests.laws import checks
from tests.laws.cases import cases, over, random_numbers, smooth_cases
from tests.opdb import OpRecord


@over("stage", lambda record: record.reference is not None)
def test_stage(record: OpRecord) -> None:
    """At the example, and where an op has floating arguments, elsewhere."""
    for case in cases(record):
        graph = func.make_graph(case.outputs)(*checks.tensors(case.arrays))
        checks.assert_all_close(checks.run(graph, case.arrays), checks.run(case.outputs, case.arrays), 0.0, "graph")
        if case.sample.smooth and len(case.floats) == len(case.arrays):
            other = [checks.versions(array, 2)[1] for array in case.arrays]
            checks.assert_all_close(checks.run(graph, other), checks.run(case.outputs, other), 1e-12, "graph elsewhere")


@over("stage_of_derivatives", lambda record: record.differentiable and record.reference is not None)
def test_stage_of_derivatives(record: OpRecord) -> None:
    """The graph of a pulled cotangent, and a cotangent pulled through a graph."""
    for function, arrays in smooth_cases(record):
        cotangents = checks.noise(random_numbers(), checks.run(function, arrays))
        expected = checks.arrays_of(checks.pull(function, checks.tensors(arrays), checks.tensors(cotangents)))

        def pulled(*args: tp.Tensor, function: checks.Function = function, count: int = len(arrays)) -> checks.Outputs:
            return checks.pull(function, args[:count], args[count:])

        both = [*arrays, *cotangents]
        graph = func.make_graph(pulled)(*checks.tensors(both))
        checks.assert_all_close(checks.run(graph, both), expected, 1e-12, "graph of vjp")
        graph = func.make_graph(function)(*checks.tensors(arrays))
        got = checks.arrays_of(checks.pull(graph, checks.tensors(arrays), checks.tensors(cotangents)))
        checks.assert_all_close(got, expected, 1e-12, "vjp of graph")
