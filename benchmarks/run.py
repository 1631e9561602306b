"""Run the workloads in tensorplay and, where it is installed, torch, side by side; print times and ratios."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from workloads import WORKLOADS  # noqa: E402  (beside this file)


class Worker:
    """A library in a process of its own."""

    def __init__(self, python: str, library: str) -> None:
        unwanted = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONDONTWRITEBYTECODE")
        environment = {k: v for k, v in os.environ.items() if k not in unwanted}
        # the first import compiles; users pay for it once
        subprocess.run([python, "-c", f"import {library}"], check=True, env=environment)
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE,
            env=environment,
        )
        self.import_seconds = self.answer()["import"]

    def answer(self) -> dict[str, float]:
        """The next line that the process prints."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def measure(self, name: str) -> dict[str, float]:
        """Times of one workload."""
        assert self.process.stdin is not None
        print(name, file=self.process.stdin, flush=True)
        return self.answer()


def shown(seconds: float) -> str:
    """A time for the table."""
    return f"{seconds * 1e6:10.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:10.2f} ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="measure workloads whose name contains this")
    parser.add_argument("--torch-python", default=sys.executable, help="a Python that has torch")
    options = parser.parse_args()

    ours = Worker(sys.executable, "tensorplay")
    has_torch = options.torch_python != sys.executable or importlib.util.find_spec("torch")
    torch = Worker(options.torch_python, "torch") if has_torch else None
    print(f"{'workload':<20}{'tensorplay':>13}{'torch':>13}{'ratio':>8}")
    print(f"{'import':<20}{shown(ours.import_seconds)}{shown(torch.import_seconds) if torch else '':>13}")
    ratios = []
    for name in WORKLOADS:
        if options.only not in name:
            continue
        mine = ours.measure(name)
        theirs: dict[str, Any] | None = torch.measure(name) if torch else None
        line = f"{name:<20}{shown(mine['least'])}"
        if theirs:
            if not math.isclose(mine["checksum"], theirs["checksum"], rel_tol=1e-3):
                raise SystemExit(f"{name}: results differ: {mine['checksum']} and {theirs['checksum']}")
            ratios.append(theirs["least"] / mine["least"])
            line += f"{shown(theirs['least'])}{ratios[-1]:>7.1f}x"
        print(line, flush=True)
    if ratios:
        print(f"{'geometric mean':<46}{math.exp(sum(map(math.log, ratios)) / len(ratios)):>7.1f}x")


if __name__ == "__main__":
    main()
