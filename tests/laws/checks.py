"""
The laws, as functions that raise where a law is broken.

A checker takes a function of tensors that returns a tuple of tensors, and the NumPy arrays to call it with. Derivatives
are real-linear maps, and inner products are Re conj(a)·b, so that one law serves real and complex numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

import tensorplay as tp
from tensorplay import func
from tensorplay.interpreters import programs, record, regions
from tensorplay.interpreters import pull as pulling

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Outputs = tuple[tp.Tensor, ...]
Function = Callable[..., Outputs]
EXACT = 1e-9  # what rounding may cost in float64
STEP = 2e-4
NUMERIC = 2e-6  # what a fourth-order difference with this step may be off


# ---- arrays and tensors ----------------------------------------------------------------------------------------------


def tensors(arrays: Arrays) -> tuple[tp.Tensor, ...]:
    """Tensors on copies of arrays."""
    return tuple([tp.from_numpy(np.array(array)) for array in arrays])


def arrays_of(outputs: Sequence[tp.Tensor]) -> list[Array]:
    """Arrays of tensors."""
    return [output.detach().numpy() for output in outputs]


def run(function: Function, arrays: Arrays) -> list[Array]:
    """The function on arrays."""
    return arrays_of(function(*tensors(arrays)))


def noise(random: np.random.Generator, like: Arrays) -> list[Array]:
    """Normal numbers of the shapes and dtypes of arrays."""
    return [_normal(random, array.shape, array.dtype) for array in like]


def _normal(random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    real = random.standard_normal(shape)
    return np.asarray(real + 1j * random.standard_normal(shape) if dtype.kind == "c" else real).astype(dtype)


def inner(left: Arrays, right: Arrays) -> float:
    """Re⟨left, right⟩, summed over all arrays."""
    with np.errstate(all="ignore"):
        return float(sum([np.sum((np.conj(a) * b).real) for a, b in zip(left, right, strict=True)]))


def assert_close(got: Any, expected: Any, rtol: float = EXACT, what: str = "") -> None:
    """Equal shapes, and elements equal up to `rtol` of the largest."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, expected {expected.shape}"
    with np.errstate(all="ignore"):
        sizes = np.abs(expected[np.isfinite(expected)])
    scale = float(sizes.max()) if sizes.size else 0.0
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * max(scale, 1e-3), err_msg=what)


def assert_all_close(got: Arrays, expected: Arrays, rtol: float = EXACT, what: str = "") -> None:
    """`assert_close`, one by one."""
    assert len(got) == len(expected), f"{what}: {len(got)} arrays, expected {len(expected)}"
    for position, (g, e) in enumerate(zip(got, expected, strict=True)):
        assert_close(g, e, rtol, f"{what} [{position}]")


def assert_numbers_close(got: float, expected: float, scale: float, rtol: float, what: str) -> None:
    """Equal up to `rtol` of `scale`; where one is not finite, neither is the other."""
    if np.isfinite(got) and np.isfinite(expected):
        assert abs(got - expected) <= rtol * max(scale, 1e-3), f"{what}: {got!r} and {expected!r} differ"
    else:
        assert np.isfinite(got) == np.isfinite(expected), f"{what}: {got!r} and {expected!r} differ"


def size_of(arrays: Arrays) -> float:
    """Euclidean length of arrays."""
    return float(np.sqrt(abs(inner(arrays, arrays))))


# ---- the two directions of a derivative ------------------------------------------------------------------------------


def push(function: Function, primals: Any, tangents: Any) -> tuple[tp.Tensor, ...]:
    """Tangents of the outputs."""
    return func.jvp(function, tuple(primals), tuple(tangents))[1]


def pull(function: Function, primals: Any, cotangents: Any) -> tuple[tp.Tensor, ...]:
    """Cotangents of the arguments."""
    return func.vjp(function, *primals)[1](tuple(cotangents))


def difference(function: Callable[[float], list[Array]], step: float = STEP) -> list[Array]:
    """Derivative at 0 of a function of a number, by a fourth-order central difference."""
    near = zip(function(step), function(-step), strict=True)
    far = zip(function(2 * step), function(-2 * step), strict=True)
    return [(8 * (a - b) - (c - d)) / (12 * step) for (a, b), (c, d) in zip(near, far, strict=True)]


def moved(arrays: Arrays, direction: Arrays, step: float) -> list[Array]:
    """Arrays a step along a direction."""
    return [np.asarray(a + step * d) for a, d in zip(arrays, direction, strict=True)]


def check_derivative(function: Function, arrays: Arrays, random: np.random.Generator, rtol: float = NUMERIC) -> None:
    """The pushed tangent is the numeric derivative along a random direction, of all arguments and of each alone."""
    for direction in _directions(arrays, random):
        numeric = difference(lambda step, d=direction: run(function, moved(arrays, d, step)))
        pushed = arrays_of(push(function, tensors(arrays), tensors(direction)))
        assert_all_close(pushed, numeric, rtol, "jvp against finite differences")


def _directions(arrays: Arrays, random: np.random.Generator) -> list[list[Array]]:
    full = noise(random, arrays)
    if len(arrays) == 1:
        return [full]
    alone = [[d if i == j else np.zeros_like(d) for i, d in enumerate(full)] for j in range(len(full))]
    return [full, *alone]


def check_no_derivative(function: Function, arrays: Arrays, random: np.random.Generator) -> None:
    """An op that is constant almost everywhere has zero derivatives in both modes."""
    pushed = arrays_of(push(function, tensors(arrays), tensors(noise(random, arrays))))
    assert not any(np.any(p) for p in pushed), "jvp: expected zero"
    cotangents = noise(random, pushed)
    pulled = arrays_of(pull(function, tensors(arrays), tensors(cotangents)))
    assert not any(np.any(p) for p in pulled), "vjp: expected zero"


def check_adjoint(function: Function, arrays: Arrays, random: np.random.Generator, rtol: float = EXACT) -> None:
    """Re⟨ct, push t⟩ = Re⟨pull ct, t⟩, for all arguments at once and for each alone; nothing where a value is NaN."""
    if any(np.isnan(out).any() for out in run(function, arrays)):
        return
    tangents = noise(random, arrays)
    subsets = [range(len(arrays)), *([[i] for i in range(len(arrays))] if len(arrays) > 1 else [])]
    for subset in subsets:
        part = restricted(function, arrays, subset)
        here, along = [arrays[i] for i in subset], [tangents[i] for i in subset]
        pushed = arrays_of(push(part, tensors(here), tensors(along)))
        cotangents = noise(random, pushed)
        pulled = arrays_of(pull(part, tensors(here), tensors(cotangents)))
        assert [p.shape for p in pulled] == [a.shape for a in here], "a cotangent has another shape than its argument"
        assert [p.dtype for p in pulled] == [a.dtype for a in here], "a cotangent has another dtype than its argument"
        scale = size_of(cotangents) * size_of(pushed) + size_of(pulled) * size_of(along)
        assert_numbers_close(inner(cotangents, pushed), inner(pulled, along), scale, rtol, "⟨ct, push t⟩, ⟨pull ct, t⟩")


def weighted(function: Function, cotangents: Arrays) -> Callable[..., tp.Tensor]:
    """A real number, of which the gradient is what is pulled from fixed cotangents."""

    def summed(*args: tp.Tensor) -> tp.Tensor:
        terms = [(ct.conj() * out).real.sum() for ct, out in zip(tensors(cotangents), function(*args), strict=True)]
        return sum(terms[1:], terms[0])

    return summed


def check_reverse_ways(function: Function, arrays: Arrays, random: np.random.Generator, rtol: float = EXACT) -> None:
    """vjp's function called twice, grad (as written, too), and autograd (with and without a graph) pull the same."""
    cotangents = noise(random, run(function, arrays))
    _, pulls = func.vjp(function, *tensors(arrays))
    expected = arrays_of(pulls(tensors(cotangents)))
    assert_all_close(arrays_of(pulls(tensors(cotangents))), expected, 0.0, "vjp's function, called again")

    gradient = func.grad(weighted(function, cotangents), tuple(range(len(arrays))))
    assert_all_close(arrays_of(gradient(*tensors(arrays))), expected, rtol, "grad, vjp")
    with patch.object(programs, "SIGHTINGS", 1), patch.dict(programs._programs, clear=True):
        gradient(*tensors([array * 1.001 if array.dtype.kind == "f" else array for array in arrays]))
        assert_all_close(arrays_of(gradient(*tensors(arrays))), expected, rtol, "grad by a program, vjp")
    with patch.object(record, "SMALL", 0), patch.object(pulling, "LEAST", 2), patch.object(regions, "PIECE", 3):
        for _ in range(2):
            assert_all_close(arrays_of(gradient(*tensors(arrays))), expected, rtol, "grad piece by piece, vjp")
    for create_graph in (False, True):
        leaves = [leaf.requires_grad_() for leaf in tensors(arrays)]
        outputs = zip(function(*leaves), tensors(cotangents), strict=True)
        kept = [(out, ct) for out, ct in outputs if out.requires_grad]
        if kept:
            tp.autograd.backward(*map(list, zip(*kept, strict=True)), create_graph=create_graph)
        got = [
            np.zeros_like(a) if leaf.grad is None else leaf.grad.detach().numpy()
            for leaf, a in zip(leaves, arrays, strict=True)
        ]
        assert_all_close(got, expected, rtol, f"backward(create_graph={create_graph}), vjp")


def restricted(function: Function, arrays: Arrays, subset: Sequence[int]) -> Function:
    """`function` of some of its arguments, the others held fixed."""
    fixed = tensors(arrays)

    def part(*some: tp.Tensor) -> tuple[tp.Tensor, ...]:
        args = list(fixed)
        for position, value in zip(subset, some, strict=True):
            args[position] = value
        return function(*args)

    return part


# ---- batching --------------------------------------------------------------------------------------------------------


def versions(array: Array, count: int, vary: bool = True) -> list[Array]:
    """Different arrays with the elements of `array` in another order, and with `vary` a little larger."""
    rolled = [np.roll(array, shift).reshape(array.shape) for shift in range(count)]
    if not vary or array.dtype.kind not in "fc":
        return rolled
    return [(version * (1 + 1e-3 * shift)).astype(array.dtype) for shift, version in enumerate(rolled)]


def stacked(samples: Sequence[Array], dim: int) -> Array:
    """Samples along dim 0 or -1."""
    return np.moveaxis(np.stack(samples), 0, dim)


def mixes(count: int) -> list[tuple[int | None, ...]]:
    """Every mix of in_dims {None, 0, -1} of up to two arguments; of more, each alone, each left out, and all."""
    if count <= 2:
        return [mix for mix in itertools.product((0, -1, None), repeat=count) if any(d is not None for d in mix)]
    alone = [tuple([(-1 if i % 2 else 0) if i == j else None for i in range(count)]) for j in range(count)]
    left_out = [tuple([None if i == j else 0 for i in range(count)]) for j in range(count)]
    return [(0,) * count, tuple([-1 if i % 2 else 0 for i in range(count)]), *alone, *left_out]


def check_batch(function: Function, batches: Sequence[Sequence[Array]], rtol: float = EXACT, **options: Any) -> None:
    """vmap is the loop, for every mix of in_dims and for batches of 3, 1 and 0; `batches`: 3 versions an argument."""
    for mix in mixes(len(batches)):
        expected = loop(function, batches, mix)
        mapped = [versions[0] if d is None else stacked(versions, d) for versions, d in zip(batches, mix, strict=True)]
        out_dim = -1 if mix[0] == -1 else 0
        got = run(func.vmap(function, in_dims=mix, out_dims=out_dim, **options), mapped)
        assert_all_close([np.moveaxis(g, out_dim, 0) for g in got], expected, rtol, f"vmap(in_dims={mix})")
    _check_small_batches(function, batches, rtol, options)
    _check_nested(function, batches, rtol, options)


def loop(function: Function, batches: Sequence[Sequence[Array]], mix: Sequence[int | None]) -> list[Array]:
    """Outputs of the function called sample by sample, stacked."""
    count = len(batches[0])
    rows = [
        run(function, [versions[0 if d is None else i] for versions, d in zip(batches, mix, strict=True)])
        for i in range(count)
    ]
    return [np.stack(column) for column in zip(*rows, strict=True)]


def _check_small_batches(function: Function, batches: Any, rtol: float, options: Any) -> None:
    expected = run(function, [versions[0] for versions in batches])
    single = run(func.vmap(function, **options), [versions[0][None] for versions in batches])
    assert_all_close(single, [e[None] for e in expected], rtol, "vmap of a batch of 1")
    empty = run(func.vmap(function, **options), [versions[0][None][:0] for versions in batches])
    assert [e.shape for e in empty] == [(0, *e.shape) for e in expected], "vmap of a batch of 0: shapes"
    assert [e.dtype for e in empty] == [e.dtype for e in expected], "vmap of a batch of 0: dtypes"


def _check_nested(function: Function, batches: Any, rtol: float, options: Any) -> None:
    """vmap(vmap) against two loops, where the maps share some arguments and each has some of its own."""
    for mix in _nested_mixes(len(batches)):
        inner, outer = [tuple([0 if which in kind else None for kind in mix]) for which in ("inner", "outer")]
        expected = [loop(function, _seen_inside(batches, mix, i), inner) for i in range(3)]
        mapped = [_nested_stack(versions, kind) for versions, kind in zip(batches, mix, strict=True)]
        outer_dims = tuple([-1 if kind == BOTH else dim for kind, dim in zip(mix, outer, strict=True)])
        got = run(func.vmap(func.vmap(function, inner, **options), outer_dims, **options), mapped)
        assert_all_close(
            got, [np.stack(column) for column in zip(*expected, strict=True)], rtol, f"vmap(vmap) over {mix}"
        )


BOTH = "inner and outer"


def _nested_mixes(count: int) -> list[tuple[str, ...]]:
    """Which of two maps know each argument: every pair of arguments in every way that differs."""
    if count == 1:
        return [(BOTH,)]
    orders = itertools.permutations((BOTH, "inner", "outer"))
    return [tuple(itertools.islice(itertools.cycle(order), count)) for order in orders]


def _nested_stack(versions: Sequence[Array], kind: str) -> Array:
    """Versions along dim 0 for one map; for both, along dim 0 for the inner one and -1 for the outer one."""
    rotated = [np.stack([*versions[shift:], *versions[:shift]]) for shift in range(3)]
    return stacked(rotated, -1) if kind == BOTH else np.stack(versions)


def _seen_inside(batches: Any, mix: Sequence[str], sample: int) -> list[list[Array]]:
    """The versions that the inner map sees in one sample of the outer map."""
    rotated = [
        [*versions[sample:], *versions[:sample]] if "outer" in kind else versions
        for versions, kind in zip(batches, mix, strict=True)
    ]
    return [list(versions) for versions in rotated]


# ---- pairs of transforms ---------------------------------------------------------------------------------------------


def check_vmap_of_vjp(function: Function, batches: Any, random: np.random.Generator, rtol: float = EXACT) -> None:
    """vmap(vjp) is the loop of vjps, with everything mapped and with the cotangent alone."""
    count, size = len(batches), len(batches[0])
    outputs = run(function, [versions[0] for versions in batches])
    cotangents = [noise(random, outputs) for _ in range(size)]

    def pulled(*args: tp.Tensor) -> tuple[tp.Tensor, ...]:
        return pull(function, args[:count], args[count:])

    columns = [*batches, *[list(column) for column in zip(*cotangents, strict=True)]]
    for mix in (
        (0,) * len(columns),
        (*(None,) * count, *(0,) * len(outputs)),
        (*(0,) * count, *(None,) * len(outputs)),
    ):
        if any(d == 0 for d in mix):
            _check_against_loop(pulled, columns, mix, rtol, "vmap(vjp)")


def check_vmap_of_jvp(function: Function, batches: Any, random: np.random.Generator, rtol: float = EXACT) -> None:
    """vmap(jvp) is the loop of jvps, with everything mapped and with the tangents alone."""
    count = len(batches)
    tangents = [noise(random, versions) for versions in batches]

    def pushed(*args: tp.Tensor) -> tuple[tp.Tensor, ...]:
        return push(function, args[:count], args[count:])

    columns = [*batches, *tangents]
    for mix in ((0,) * 2 * count, (*(None,) * count, *(0,) * count), (*(0,) * count, *(None,) * count)):
        _check_against_loop(pushed, columns, mix, rtol, "vmap(jvp)")


def _check_against_loop(function: Function, columns: Any, mix: Any, rtol: float, what: str) -> None:
    mapped = [column[0] if d is None else np.stack(column) for column, d in zip(columns, mix, strict=True)]
    got = run(func.vmap(function, in_dims=tuple(mix), randomness="same"), mapped)
    assert_all_close(got, loop(function, columns, mix), rtol, f"{what}, in_dims={tuple(mix)}")


def _map_mixes(count: int) -> list[tuple[int | None, ...]]:
    alone = [tuple([0 if i == j else None for i in range(count)]) for j in range(count)] if count > 1 else []
    return [(0,) * count, *alone]


def check_vjp_of_vmap(function: Function, batches: Any, random: np.random.Generator, rtol: float = EXACT) -> None:
    """vjp(vmap): cotangents of mapped arguments are those of each sample, of shared arguments their sum."""
    size = len(batches[0])
    for mix in _map_mixes(len(batches)):
        mapped = [versions[0] if d is None else np.stack(versions) for versions, d in zip(batches, mix, strict=True)]
        over = func.vmap(function, in_dims=mix, randomness="same")
        cotangents = noise(random, run(over, mapped))
        got = arrays_of(pull(over, tensors(mapped), tensors(cotangents)))
        rows = [
            arrays_of(
                pull(
                    function,
                    tensors([v[0 if d is None else i] for v, d in zip(batches, mix, strict=True)]),
                    tensors([ct[i] for ct in cotangents]),
                )
            )
            for i in range(size)
        ]
        columns = zip(*rows, strict=True)
        expected = [np.sum(c, axis=0) if d is None else np.stack(c) for c, d in zip(columns, mix, strict=True)]
        assert_all_close(got, expected, rtol, f"vjp(vmap(in_dims={mix}))")


def check_jvp_of_vmap(function: Function, batches: Any, random: np.random.Generator, rtol: float = EXACT) -> None:
    """jvp(vmap): each sample's tangent is pushed."""
    for mix in _map_mixes(len(batches)):
        columns = [[v[0]] * len(v) if d is None else v for v, d in zip(batches, mix, strict=True)]
        mapped = [v[0] if d is None else np.stack(v) for v, d in zip(columns, mix, strict=True)]
        tangents = noise(random, mapped)
        over = func.vmap(function, in_dims=mix, randomness="same")
        got = arrays_of(push(over, tensors(mapped), tensors(tangents)))
        rows = [
            arrays_of(
                push(
                    function,
                    tensors([v[i] for v in columns]),
                    tensors([t if d is None else t[i] for t, d in zip(tangents, mix, strict=True)]),
                )
            )
            for i in range(len(columns[0]))
        ]
        expected = [np.stack(c) for c in zip(*rows, strict=True)]
        assert_all_close(got, expected, rtol, f"jvp(vmap(in_dims={mix}))")


def pulled_at(function: Function, cotangents: Arrays) -> Function:
    """The function that pulls fixed cotangents back at its arguments."""
    return lambda *primals: pull(function, primals, tensors(cotangents))


def pushed_at(function: Function, tangents: Arrays) -> Function:
    """The function that pushes fixed tangents at its arguments."""
    return lambda *primals: push(function, primals, tensors(tangents))


def check_jvp_of_vjp(function: Function, arrays: Arrays, random: np.random.Generator, rtol: float = NUMERIC) -> None:
    """jvp(vjp) is the numeric derivative of the pulled cotangents."""
    cotangents, direction = noise(random, run(function, arrays)), noise(random, arrays)
    gradient = pulled_at(function, cotangents)
    numeric = difference(lambda step: run(gradient, moved(arrays, direction, step)))
    got = arrays_of(push(gradient, tensors(arrays), tensors(direction)))
    # a second derivative that is zero is off by the rounding of the first
    floor = size_of(run(gradient, arrays))
    for g, n in zip(got, numeric, strict=True):
        assert g.shape == n.shape
        np.testing.assert_allclose(
            g, n, rtol=rtol, atol=rtol * max(size_of(numeric), 1e-3 * floor, 1e-3), err_msg="jvp(vjp)"
        )


def check_second_orders(
    function: Function, arrays: Arrays, random: np.random.Generator, rtol: float = EXACT, mapped: bool = True
) -> None:
    """jvp(jvp), vjp(jvp), vjp(vjp) and jvp(vjp) are one bilinear form: Re⟨ct, D²f[u, v]⟩."""
    u, v = noise(random, arrays), noise(random, arrays)
    ct = noise(random, run(function, arrays))
    at = tensors(arrays)
    gradient, tangent = pulled_at(function, ct), pushed_at(function, u)
    forward_reverse = arrays_of(push(gradient, at, tensors(v)))
    reverse_reverse = arrays_of(pull(gradient, at, tensors(u)))
    reverse_forward = arrays_of(pull(tangent, at, tensors(ct)))
    forward_forward = arrays_of(push(tangent, at, tensors(v)))
    expected = inner(forward_reverse, u)
    scale = size_of(forward_reverse) * size_of(u) + size_of(reverse_reverse) * size_of(v)
    scale += size_of(ct) * size_of(forward_forward)
    assert_numbers_close(inner(reverse_reverse, v), expected, scale, rtol, "vjp(vjp), jvp(vjp)")
    assert_numbers_close(inner(reverse_forward, v), expected, scale, rtol, "vjp(jvp), jvp(vjp)")
    assert_numbers_close(inner(ct, forward_forward), expected, scale, rtol, "jvp(jvp), jvp(vjp)")
    _check_written_gradient(function, arrays, ct, u, v, rtol, mapped)


def _check_written_gradient(
    function: Function, arrays: Arrays, ct: Arrays, u: Arrays, v: Arrays, rtol: float, mapped: bool
) -> None:
    """A gradient by a program is pushed, pulled and mapped as one that is pulled node by node."""
    argnums = tuple(range(len(arrays)))
    written, gradient = func.grad(weighted(function, ct), argnums), pulled_at(function, ct)
    ways: list[tuple[str, Function, Function]] = [
        (
            "jvp(grad)",
            lambda *args: push(written, args, tensors(v)),
            lambda *args: push(gradient, args, tensors(v)),
        ),
        (
            "grad(grad)",
            func.grad(weighted(written, u), argnums),
            lambda *args: pull(gradient, args, tensors(u)),
        ),
        (
            "vmap(jvp(grad))",
            lambda *args: func.vmap(lambda *more: push(written, more, tensors(v)), randomness="same")(
                *[tp.stack([arg, arg]) for arg in args]
            ),
            lambda *args: tuple([tp.stack([dot, dot]) for dot in push(gradient, args, tensors(v))]),
        ),
    ]
    for name, by_programs, node_by_node in ways if mapped else ways[:2]:
        expected = run(node_by_node, arrays)
        with patch.object(programs, "SIGHTINGS", 1), patch.dict(programs._programs, clear=True):
            for _ in range(2):
                assert_all_close(run(by_programs, arrays), expected, rtol, f"{name} by programs")


def check_vmap_of_jvp_of_vjp(
    function: Function, batches: Any, random: np.random.Generator, rtol: float = EXACT
) -> None:
    """vmap(jvp(vjp)), a batch of Hessian-vector products, is the loop."""
    count = len(batches)
    cotangents = noise(random, run(function, [versions[0] for versions in batches]))

    def second(*args: tp.Tensor) -> tuple[tp.Tensor, ...]:
        return push(pulled_at(function, cotangents), args[:count], args[count:])

    columns = [*batches, *[noise(random, versions) for versions in batches]]
    _check_against_loop(second, columns, (0,) * 2 * count, rtol, "vmap(jvp(vjp))")


def check_jacobians(function: Function, arrays: Arrays, rtol: float = EXACT) -> None:
    """jacrev = jacfwd."""
    argnums = tuple(range(len(arrays)))
    rows = func.jacrev(function, argnums)(*tensors(arrays))
    columns = func.jacfwd(function, argnums)(*tensors(arrays))
    for row, column in zip(rows, columns, strict=True):
        assert_all_close(arrays_of(row), arrays_of(column), rtol, "jacrev, jacfwd")


def check_linearize(function: Function, arrays: Arrays, random: np.random.Generator, rtol: float = EXACT) -> None:
    """linearize's function is the jvp, however often it is called."""
    out, pushes = func.linearize(function, *tensors(arrays))
    for _ in range(2):
        tangents = noise(random, arrays)
        expected, dots = func.jvp(function, tensors(arrays), tensors(tangents))
        assert_all_close(arrays_of(out), arrays_of(expected), rtol, "linearize: output")
        assert_all_close(arrays_of(pushes(*tensors(tangents))), arrays_of(dots), rtol, "linearize, jvp")
