"""Ctrl-C, as a terminal sends it: to a process and to the workers that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import multiprocessing, os, signal, sys, tempfile, time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import tensorplay as tp
from tensorplay.core import stack
from tensorplay.func import vmap

# a job in the background of a shell script inherits that interruptions are ignored; workers import this file, too
signal.signal(signal.SIGINT, signal.default_int_handler)


def slow(row):
    time.sleep(0.05)
    return row.add_(1)


def told(done, total):
    print(done, flush=True)


if __name__ == "__main__":
    executors = {
        "threads": lambda: ThreadPoolExecutor(2),
        "processes": lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
    }
    x = tp.zeros(2000)
    with executors[sys.argv[1]]() as executor:
        try:
            vmap(slow, chunk_size=1, executor=executor, progress=told)(x)
        except KeyboardInterrupt:
            written = int(x.sum())
            assert stack.active() == (), "a transform is still active"
            assert tp.equal(x[:written], tp.ones(written)), "writes are out of order"
            assert not [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("tensorplay-")]
            print("stopped", written, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes are POSIX")
@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_an_interruption_ends_a_call_at_once(kind: str, tmp_path: Path) -> None:
    file, folder = tmp_path / "program.py", tmp_path / "temporary"
    file.write_text(PROGRAM)
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, str(file), kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(folder)},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line == "5\n":
                break
        os.killpg(process.pid, signal.SIGINT)
        # 2000 chunks would take 50 seconds
        shown, errors = process.communicate(timeout=40)
    assert process.returncode == 0, errors
    assert 5 <= int(shown.split("stopped ")[1]) < 1000
