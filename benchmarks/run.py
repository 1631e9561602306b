"""Run the same work in tensorplay, torch and JAX in turns; print times, ratios, peak memory and which goals hold."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import pictures, tables
from benchmarks.agreement import disagreements
from benchmarks.libraries import FLOOR, JAX, JITTED, LIBRARIES, MODULES, OURS, TORCH
from benchmarks.peers import Failure, Worker, has, import_seconds
from benchmarks.results import Measurement, Row
from benchmarks.workloads import CURVES, WORKLOADS, Workload


class Run:
    """The workers, others that measure memory, how long a turn takes, and what went wrong."""

    def __init__(self, workers: Sequence[Worker], weighers: Sequence[Worker], rounds: int, budget: float) -> None:
        self.workers, self.weighers, self.rounds, self.budget = workers, weighers, rounds, budget
        self.faults: list[str] = []

    def measure(self, name: str, workload: Workload) -> Row:
        """One workload in all libraries, which take turns."""
        row = Row(name, workload.group)
        with tempfile.TemporaryDirectory() as room:
            ready = list(self._prepared(row, workload, Path(room)))
        for _ in range(self.rounds):
            for worker in ready:
                times = worker.ask("seconds", budget=self.budget)["times"]
                row.measurements[worker.library].rounds.append(statistics.median(times))
        for worker in ready:
            worker.ask("drop")
        return row

    def weigh(self, row: Row) -> None:
        """Peak memory of a workload that was measured."""
        for worker in self.weighers:
            if worker.library not in row.measurements:
                continue
            try:
                worker.ask("prepare", workload=row.name, result_bytes=0, file=None)
                row.measurements[worker.library].peak = worker.ask("memory")["peak"]
            except Failure as failure:
                self._fault(f"{row.name}: memory: {failure}")
            worker.ask("drop")

    def _prepared(self, row: Row, workload: Workload, room: Path) -> Iterator[Worker]:
        """The workers that have done the workload once, and agree with ours."""
        reference, result_bytes = room / "0.npz", 0
        for number, worker in enumerate(self.workers):
            if worker.library == FLOOR and workload.group != "large":
                continue
            file = None if worker.library == FLOOR else room / f"{number}.npz"
            try:
                answer = worker.ask(
                    "prepare", workload=row.name, result_bytes=result_bytes, file=str(file) if file else None
                )
            except Failure as failure:
                self._fault(f"{row.name}: {failure}")
                continue
            if worker.library == OURS:
                result_bytes = answer["bytes"]
            elif file and reference.exists():
                for sentence in disagreements(reference, file, workload.tolerance):
                    self._fault(f"{row.name}: results of {OURS} and {worker.library} disagree: {sentence}")
                file.unlink()
            row.measurements[worker.library] = Measurement(first=answer["first"])
            yield worker

    def _fault(self, sentence: str) -> None:
        self.faults.append(sentence)
        print(f"!!! {sentence}", flush=True)

    def imports(self, cores: int) -> Row:
        """Times to import, each in a new process; the floor is NumPy's."""
        row = Row("import", "import")
        importing = [worker for worker in self.workers if worker.library != JITTED]
        for _ in range(1 + self.rounds):
            for worker in importing:
                rounds = row.measurements.setdefault(worker.library, Measurement()).rounds
                rounds.append(import_seconds(worker.python, worker.module, cores))
        for measurement in row.measurements.values():
            del measurement.rounds[0]  # files are compiled, and read from disk
        return row


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="workloads and curves whose name contains this")
    parser.add_argument("--quick", action="store_true", help="one short round, without memory and curves: a rough look")
    parser.add_argument("--rounds", type=int, help="turns of each library at each workload (5)")
    parser.add_argument("--seconds", type=float, help="how long a turn measures (0.3)")
    parser.add_argument("--cores", type=int, default=2, help="cores that each library may use")
    parser.add_argument("--torch-python", default=sys.executable, metavar="PYTHON", help="an interpreter with torch")
    parser.add_argument("--jax-python", default=sys.executable, metavar="PYTHON", help="an interpreter with JAX")
    parser.add_argument("--alone", action="store_true", help="measure tensorplay and the floors, no peers")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the tables as Markdown")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw ratios.png and growth.png")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    options.seconds = options.seconds or (0.05 if options.quick else 0.3)
    return options


def start_workers(options: argparse.Namespace) -> tuple[list[Worker], list[Worker]]:
    """A process for each library that is there, and another of each for memory."""
    pythons = {TORCH: options.torch_python, JAX: options.jax_python, JITTED: options.jax_python}
    chosen = [OURS, FLOOR] if options.alone else LIBRARIES
    found = {library: pythons.get(library, sys.executable) for library in chosen}
    absent = {MODULES[library] for library, python in found.items() if not has(python, MODULES[library])}
    for module in sorted(absent):
        print(f"{module} is not installed: measuring without it")
    present = {name: python for name, python in found.items() if MODULES[name] not in absent}
    weighed = {} if options.quick else {name: python for name, python in present.items() if name != FLOOR}
    workers = [Worker(name, python, options.cores) for name, python in present.items()]
    return workers, [Worker(name, python, options.cores, forgetful=True) for name, python in weighed.items()]


def measure_all(run: Run, options: argparse.Namespace) -> tuple[list[Row], dict[str, dict[int, Row]]]:
    """Rows of the workloads that were asked for, and of the curves."""
    rows = []
    if options.only in "import":
        rows.append(run.imports(options.cores))
        print(tables.line(rows[-1]), flush=True)
    for name, workload in WORKLOADS.items():
        if options.only in name:
            rows.append(run.measure(name, workload))
            run.weigh(rows[-1])
            print(tables.line(rows[-1]), flush=True)
    curves: dict[str, dict[int, Row]] = {}
    for curve, workloads in CURVES.items():
        if options.only in curve and not options.quick:
            curves[curve] = {}
            for size, workload in workloads.items():
                curves[curve][size] = run.measure(f"{curve}={size}", workload)
                print(tables.line(curves[curve][size]), flush=True)
    return rows, curves


def write(
    options: argparse.Namespace, rows: list[Row], curves: dict[str, dict[int, Row]], versions: dict[str, str]
) -> None:
    """Print the report, and write the files that were asked for."""
    parts = [tables.report(rows, versions)] if rows else []
    text = "\n\n".join([*parts, tables.growth(curves)] if curves else parts)
    print(f"\n{text}")
    if options.table:
        options.table.write_text(text + "\n")
    if options.json:
        measured = {curve: {size: asdict(row) for size, row in found.items()} for curve, found in curves.items()}
        content = {"versions": versions, "workloads": [asdict(row) for row in rows], "curves": measured}
        options.json.write_text(json.dumps(content, indent=1))
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
        if rows:
            pictures.draw_ratios(rows, options.pictures / "ratios.png")
        if curves:
            pictures.draw_growth(curves, options.pictures / "growth.png")


def main() -> int:
    """Measure and report; 1 where results disagree or a library failed."""
    options = parse()
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > 0.5:
        print(f"the machine is busy (load {os.getloadavg()[0]:.1f}): times will mean little")
    workers, weighers = start_workers(options)
    run = Run(workers, weighers, options.rounds, options.seconds)
    rows, curves = measure_all(run, options)
    for worker in (*workers, *weighers):
        worker.stop()
    write(options, rows, curves, {worker.module: worker.version for worker in workers})
    for fault in run.faults:
        print(f"!!! {fault}")
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main())
