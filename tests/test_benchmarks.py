"""The benchmarks do their work: every workload at a tiny size, the checks of results, the verdicts, a whole run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import floor, tables
from benchmarks.agreement import disagreements
from benchmarks.goals import Goal
from benchmarks.libraries import OURS, TORCH, leaves, library
from benchmarks.peers import FORGETFUL
from benchmarks.results import Measurement, Row
from benchmarks.workloads import CURVES, WORKLOADS, Workload, named
from benchmarks.workloads.workload import linear_pass

ROOT = Path(__file__).parents[1]

# workloads that return gradients by their first argument: what stands before its shapes
LEADING: dict[str, tuple[int, ...]] = {
    "grad_small_scalar": (),
    "grad_small_ten_elements": (),
    "third_derivative": (),
    "vmap_grad_small": (3,),
    "rnn_100_steps": (),
    "hessian_vector_product": (),
    "maml_sines": (),
    "chain_arithmetic": (),
    "chain_transcendental": (),
    "chain_activations": (),
    "per_sample_mlp": (3,),
    "per_sample_cnn": (2,),
    "per_sample_transformer": (2,),
    "per_sample_lstm": (2,),
    "pde_residual": (),
    "gaussian_process": (),
}
SHAPES: dict[str, list[tuple[int, ...]]] = {
    "jacfwd_tall": [(6, 2)],
    "hessian_128": [(4, 4)],
    "linearize_50_pushes": [(4,), (4,), (4,)],
    "jacrev_mlp": [(3, 10, 5)],
    "ensemble_forward": [(2, 3, 10)],
    "ensemble_step": [(2, 4), (2, 4, 5), (2, 4), (2, 4, 4), (2, 10), (2, 10, 4), (2,)],
    "neural_tangent_kernel": [(2, 2, 10, 10)],
}


def tiny(workload: Workload) -> Workload:
    """The same work, small; work without tiny sizes is small as it is."""
    return type(workload)(**workload.tiny) if workload.tiny else workload


def expected_shapes(name: str, inputs: tuple[Any, ...]) -> list[tuple[int, ...]]:
    """Shapes of the leaves of a result."""
    return SHAPES[name] if name in SHAPES else [LEADING[name] + leaf.shape for leaf in leaves(inputs[0])]


@pytest.mark.parametrize("name", WORKLOADS)
def test_workloads_run(name: str) -> None:
    workload = tiny(WORKLOADS[name])
    result = [np.asarray(leaf) for leaf in leaves(library(OURS).prepared(workload, 0)())]
    assert [leaf.shape for leaf in result] == expected_shapes(name, workload.inputs())
    assert all(np.isfinite(leaf).all() for leaf in result)
    assert all(leaf.dtype == np.float32 for leaf in result)
    assert any(leaf.any() for leaf in result)


def test_a_workload_computes_what_it_says() -> None:
    """Gradients against central differences in double precision."""
    workload = tiny(WORKLOADS["rnn_100_steps"])
    (params, xs, y), step = workload.inputs(), 1e-6

    def loss(bias: np.ndarray) -> float:
        h = np.zeros(y.shape)
        for x in xs:
            h = np.tanh(x @ params["input"].T + bias + h @ params["hidden"].T)
        return float(((h - y) ** 2).mean())

    bias = params["bias"].astype(np.float64)
    numeric = [(loss(bias + e) - loss(bias - e)) / (2 * step) for e in step * np.eye(bias.size)]
    gradient = library(OURS).prepared(workload, 0)()["bias"].numpy()
    np.testing.assert_allclose(gradient, numeric, rtol=1e-3, atol=1e-5)


def test_points_of_curves_are_found_by_name() -> None:
    for curve, workloads in CURVES.items():
        for size, workload in workloads.items():
            assert named(f"{curve}={size}") is workload


@pytest.mark.parametrize("name", [name for name, workload in WORKLOADS.items() if workload.group == "large"])
def test_floors_of_large_workloads(name: str) -> None:
    workload = tiny(WORKLOADS[name])
    assert workload.calls() or name.startswith("chain")
    floor.work(workload, 64, 64)()


def test_calls_of_linear_layers() -> None:
    calls = linear_pass(5, (2, 3, 4))
    work = [call.shapes[0][0] * call.shapes[0][1] * call.shapes[1][1] for call in calls]
    # forward and to the weights in both layers, back to the inputs in the second
    assert sum(work) == 5 * (2 * (2 * 3) + 3 * (3 * 4))


def test_disagreements_are_found(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.npz", tmp_path / "theirs.npz"
    right = np.array([1.0, -200.0], np.float32)

    def faults(*arrays: np.ndarray) -> list[str]:
        np.savez(theirs, *arrays)
        return list(disagreements(ours, theirs, 1e-3))

    np.savez(ours, right)
    assert faults(right + np.float32(0.1)) == []
    assert faults(right + np.float32(1.0)) == ["arr_0: 2 of 2 entries differ by up to 1, where the largest is 2e+02"]
    assert "shapes" in faults(right[None])[0]
    assert "not finite" in faults(np.array([1.0, np.nan], np.float32))[0]
    assert faults(right, right) == ["1 arrays and 2"]


def test_few_entries_may_take_the_other_side_of_a_kink(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.npz", tmp_path / "theirs.npz"
    np.savez(ours, right := np.ones(2000, np.float32))

    def faults(entries: int, by: float) -> int:
        other = right.copy()
        other[:entries] += by
        np.savez(theirs, other)
        return len(list(disagreements(ours, theirs, 1e-3)))

    assert (faults(1, 0.1), faults(3, 0.1), faults(1, 10.0)) == (0, 1, 1)


def row(name: str, ours: float, torch: float) -> Row:
    """A row that was measured once."""
    return Row(name, "small", {OURS: Measurement([ours]), TORCH: Measurement([torch])})


def test_verdicts() -> None:
    rows = [row("quick", 1.0, 8.0), row("slow", 1.0, 0.5)]
    assert Goal("sentence", TORCH, 1.2).verdict(rows) == "FAILS: sentence: 1 of 2 fall short: slow 0.50x"
    assert Goal("sentence", TORCH, 0.4).verdict(rows) == "holds: sentence"
    assert Goal("sentence", TORCH, 1.9, mean=True).verdict(rows) == "holds: sentence: 2.00x"
    assert Goal("sentence", "jax", 1.0).verdict(rows) is None


def test_medians_and_quartiles() -> None:
    measurement = Measurement([5.0, 1.0, 2.0, 4.0, 3.0])
    assert (measurement.median, measurement.quartiles) == (3.0, (2.0, 4.0))


def test_tables_leave_out_what_was_not_measured() -> None:
    text = tables.report([row("quick", 1e-3, 8e-3), Row("alone", "large", {OURS: Measurement([2.0])})], {})
    assert "| quick | 1 ms [1 ms, 1 ms] | 8 ms [8 ms, 8 ms] |" in text
    assert "| alone | 2 s [2 s, 2 s] |  |" in text


def test_peak_memory_counts_what_a_call_holds() -> None:
    # in a process as the driver starts them, whose allocator gives back what is freed
    code = (
        "import tensorplay as tp; from benchmarks import measuring; "
        "print(measuring.peak_bytes(lambda: tp.ones(4_000_000).numpy().copy()))"
    )
    environment = {**os.environ, **FORGETFUL}
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment).stdout
    if told.strip() == "None":
        pytest.skip("this system does not tell")
    assert 30e6 < int(told) < 60e6


def test_run(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "run.py"), "--quick", "--alone", "--only", "grad_small"]
    shown = subprocess.run([*command, "--json", str(file)], capture_output=True, text=True, check=True).stdout
    assert "| grad_small_scalar |" in shown
    measured = {entry["name"]: entry["measurements"] for entry in json.loads(file.read_text())["workloads"]}
    assert set(measured) == {"grad_small_scalar", "grad_small_ten_elements", "vmap_grad_small"}
    assert all(0 < entry[OURS]["rounds"][0] < 1 for entry in measured.values())
