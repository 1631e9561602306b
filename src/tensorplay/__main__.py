"""``python -m tensorplay``: versions and settings, then transforms against closed forms. Exit code 1 if one differs."""

from __future__ import annotations

import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from importlib import metadata

import numpy as np

import tensorplay as tp
from tensorplay.core.memory import bytes_to_keep
from tensorplay.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

DEPENDENCIES = ("numpy", "scipy", "optree", "opt_einsum", "einops", "safetensors", "threadpoolctl")
POINTS = [0.5, 1.0, 2.0]


def main() -> int:
    """Print the report; the exit code."""
    started = time.perf_counter()
    for name, value in settings():
        print(f"{name:<16}{value}")
    print()
    wrong = [name for name, holds in outcomes() if not _reported(name, holds)]
    print(f"\n{f'{len(wrong)} differ' if wrong else 'all agree'}, in {time.perf_counter() - started:.1f} s")
    return bool(wrong)


def _reported(name: str, holds: bool) -> bool:
    print(f"{'ok' if holds else 'DIFFERS':<8}{name}")
    return holds


# ---- the machine


def settings() -> Iterator[tuple[str, str]]:
    """What a report of a fault should tell, by name."""
    yield "tensorplay", tp.__version__
    yield "Python", f"{platform.python_version()} ({platform.python_implementation()})"
    for name in DEPENDENCIES:
        yield name, metadata.version(name)
    yield "platform", f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield "cores", f"{_usable_cores()} of {os.cpu_count()}"
    yield "threads", str(tp.get_num_threads())
    yield "BLAS", blas()
    yield "kept memory", f"{bytes_to_keep() / 2**20:.0f} MiB"
    yield "default dtype", str(tp.get_default_dtype()).removeprefix("tensorplay.")


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def blas() -> str:
    """Name and version of the library that NumPy multiplies matrices with."""
    built_with = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{built_with.get('name', 'unknown')} {built_with.get('version', '')}".strip()


# ---- transforms against closed forms


def outcomes() -> Iterator[tuple[str, bool]]:
    """Each check, and whether it held; a check that raises did not."""
    for name, check in CHECKS.items():
        try:
            found, expected = check()
            holds = np.allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-12)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
            holds = False
        yield name, bool(holds)


Outcome = tuple[tp.Tensor, object]


def _points() -> tp.Tensor:
    return tp.tensor(POINTS, dtype=tp.float64)


def _gradient() -> Outcome:
    return grad(lambda x: (x.sin() * x).sum())(_points()), [math.cos(p) * p + math.sin(p) for p in POINTS]


def _third_derivative() -> Outcome:
    return vmap(grad(grad(grad(tp.exp))))(_points()), [math.exp(p) for p in POINTS]


def _batch() -> Outcome:
    return vmap(tp.outer, in_dims=(0, None))(_points().reshape(3, 1), _points()), [
        [[p * q for q in POINTS]] for p in POINTS
    ]


def _forward() -> Outcome:
    return jvp(tp.log, (_points(),), (_points(),))[1], [1.0] * 3


def _reverse() -> Outcome:
    return vjp(tp.sqrt, _points())[1](_points())[0], [math.sqrt(p) / 2 for p in POINTS]


def _jacobians() -> Outcome:
    matrix = tp.arange(6, dtype=tp.float64).reshape(2, 3)
    both = [transform(lambda x: matrix @ x)(_points()) for transform in (jacrev, jacfwd)]
    return tp.stack(both), [matrix.tolist()] * 2


def _hessian() -> Outcome:
    diagonal = [[6 * p if i == j else 0.0 for j in range(3)] for i, p in enumerate(POINTS)]
    return hessian(lambda x: (x**3).sum())(_points()), diagonal


def _linearization() -> Outcome:
    return linearize(tp.tanh, _points())[1](tp.ones(3, dtype=tp.float64)), [1 - math.tanh(p) ** 2 for p in POINTS]


def _module() -> Outcome:
    linear = tp.nn.Linear(3, 1, dtype=tp.float64)
    params = {name: parameter.detach() for name, parameter in linear.named_parameters()}
    gradients = grad(lambda params: functional_call(linear, params, (_points(),)).sum())(params)
    return gradients["weight"], [POINTS]


def _writes() -> Outcome:
    def running(x: tp.Tensor) -> tp.Tensor:
        out = tp.zeros(3, dtype=tp.float64)
        for i in range(3):
            out[i:] += x[i]
        return out

    return vmap(jacrev(running))(_points().expand(2, 3)), [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]] * 2


def _solve() -> Outcome:
    matrix = tp.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=tp.float64)
    return grad(lambda a: tp.linalg.slogdet(a).logabsdet)(matrix), [[0.6, -0.2], [-0.2, 0.4]]


CHECKS: dict[str, Callable[[], Outcome]] = {
    "grad": _gradient,
    "vmap of three derivatives": _third_derivative,
    "vmap": _batch,
    "jvp": _forward,
    "vjp": _reverse,
    "jacrev, jacfwd": _jacobians,
    "hessian": _hessian,
    "linearize": _linearization,
    "functional_call": _module,
    "writes under vmap of jacrev": _writes,
    "linear algebra": _solve,
}

if __name__ == "__main__":
    sys.exit(main())
