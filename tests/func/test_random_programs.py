"""
Random programs of views and in-place writes, run on NumPy's arrays and on tensors under every transform.

NumPy's memory says what the values are, a loop what a map is, and differences of NumPy's values what derivatives are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import tensorplay as tp
from tensorplay.func import functionalize, grad, jacfwd, jacrev, jvp, linearize, make_graph, vjp, vmap
from tests.func.support import array, close
from tests.laws.checks import difference

Array = np.ndarray[Any, Any]


class Pair(NamedTuple):
    """The same step on arrays and on tensors."""

    numpy: Callable[..., Any]
    tensor: Callable[..., Any]


def diagonal(a: Array) -> Array:
    """The main diagonal of the first two dims, last, as a view that can be written."""
    shape, strides = a.shape, a.strides
    return as_strided(a, (*shape[2:], min(shape[:2])), (*strides[2:], strides[0] + strides[1]))


def split(a: Array) -> Array:
    """The first of two chunks."""
    return a[: -(-len(a) // 2)]


# views of what has at least one dim, and at least two
VIEWS: dict[str, Pair] = {
    "index": Pair(lambda a: a[0, ...], lambda a: a[0]),
    "last": Pair(lambda a: a[-1:], lambda a: a[-1:]),
    "every other": Pair(lambda a: a[..., ::2], lambda a: a[..., ::2]),
    "ellipsis": Pair(lambda a: a[..., -1], lambda a: a[..., -1]),
    "new dim": Pair(lambda a: a[:, None], lambda a: a[:, None]),
    "unsqueezed": Pair(lambda a: a[..., None], lambda a: a.unsqueeze(-1)),
    "squeezed": Pair(np.squeeze, lambda a: a.squeeze()),
    "transposed": Pair(lambda a: np.swapaxes(a, 0, -1), lambda a: a.transpose(0, -1)),
    "moved": Pair(lambda a: np.moveaxis(a, 0, -1), lambda a: a.movedim(0, -1)),
    "flat": Pair(lambda a: a.reshape(-1), lambda a: a.reshape(-1)),
    "flattened": Pair(lambda a: a.reshape(-1), lambda a: a.flatten()),
    "narrow": Pair(lambda a: a[:, None][..., :1], lambda a: a.unsqueeze(1).narrow(-1, 0, 1)),
    "chunk": Pair(split, lambda a: a.chunk(2)[0]),
    "split": Pair(lambda a: a[:1], lambda a: a.split(1)[0]),
    "tensor_split": Pair(lambda a: np.array_split(a, 2)[0], lambda a: a.tensor_split(2)[0]),
    "unbind": Pair(lambda a: a[-1, ...], lambda a: a.unbind(0)[-1]),
    "slice": Pair(lambda a: a[-2:], lambda a: a[-2:]),
}
MATRIX_VIEWS: dict[str, Pair] = {
    "diagonal": Pair(diagonal, lambda a: a.diagonal()),
    "column": Pair(lambda a: a[:, 0], lambda a: a.select(1, 0)),
    "block": Pair(lambda a: a[:2, -2:], lambda a: a[:2, -2:]),
}
# results that share no memory, or cannot be written
READS: dict[str, Pair] = {
    "expanded": Pair(lambda a: np.broadcast_to(a, (2, *a.shape)), lambda a: a.expand(2, *a.shape)),
    "copied": Pair(np.copy, lambda a: a.clone()),
    "squared": Pair(lambda a: a * a * 0.3, lambda a: a * a * 0.3),
    "zeros": Pair(np.zeros_like, tp.zeros_like),
    "picked": Pair(lambda a: a[[0, -1]], lambda a: a[tp.tensor([0, -1])]),
    "stacked": Pair(lambda a: np.stack([a, a]), lambda a: tp.stack([a, a])),
}


def mask(a: Any) -> Array:
    """Every third element."""
    return np.arange(np.prod(a.shape)).reshape(a.shape) % 3 == 0


def ones_row(a: Any) -> Array:
    """The index that names the last entry along the first dim, once for each of the others."""
    return np.full((1, *a.shape[1:]), a.shape[0] - 1)


def cos_into(a: tp.Tensor, v: tp.Tensor) -> tp.Tensor:
    """``out=``, where ordinary autograd does not refuse it."""
    if a.requires_grad or v.requires_grad:
        return a.copy_(tp.cos(v))
    return tp.cos(v.expand(a.shape), out=a)


# writes of a number `v`, which depends on the arguments, to what has at least one dim
WRITES: dict[str, Pair] = {
    "add_": Pair(lambda a, v: np.add(a, v, out=a), lambda a, v: a.add_(v)),
    "sub_": Pair(lambda a, v: np.subtract(a, v, out=a), lambda a, v: a.sub_(v)),
    "mul_": Pair(lambda a, v: np.multiply(a, v, out=a), lambda a, v: a.mul_(v)),
    "sin_": Pair(lambda a, v: np.sin(a, out=a), lambda a, v: a.sin_()),
    "copy_": Pair(lambda a, v: np.copyto(a, v), lambda a, v: a.copy_(v)),
    "fill_": Pair(lambda a, v: a.fill(0.7), lambda a, v: a.fill_(0.7)),
    "zero_": Pair(lambda a, v: a.fill(0), lambda a, v: a.zero_()),
    "out": Pair(lambda a, v: np.copyto(a, np.cos(v)), lambda a, v: cos_into(a, v)),
    "all": Pair(lambda a, v: a.__setitem__(..., v), lambda a, v: a.__setitem__(..., v)),
    "first": Pair(lambda a, v: a.__setitem__(0, v), lambda a, v: a.__setitem__(0, v)),
    "step": Pair(lambda a, v: a.__setitem__(np.s_[::2], v), lambda a, v: a.__setitem__(np.s_[::2], v)),
    "last of each": Pair(lambda a, v: a.__setitem__(np.s_[..., -1], v), lambda a, v: a.__setitem__(np.s_[..., -1], v)),
    "new dim": Pair(lambda a, v: a.__setitem__(np.s_[None, :1], v), lambda a, v: a.__setitem__(np.s_[None, :1], v)),
    "numbers": Pair(lambda a, v: a.__setitem__([-1, 0], v), lambda a, v: a.__setitem__(tp.tensor([-1, 0]), v)),
    "mask": Pair(lambda a, v: a.__setitem__(mask(a), 0.3), lambda a, v: a.__setitem__(tp.tensor(mask(a)), 0.3)),
    "masked_fill_": Pair(lambda a, v: a.__setitem__(mask(a), v), lambda a, v: a.masked_fill_(tp.tensor(mask(a)), v)),
    "index_put_": Pair(lambda a, v: a.__setitem__([0], v), lambda a, v: a.index_put_((tp.tensor([0]),), v)),
    "index_put_ adds": Pair(
        lambda a, v: np.add.at(a, [0, 0], v), lambda a, v: a.index_put_((tp.tensor([0, 0]),), v, accumulate=True)
    ),
    "scatter_": Pair(
        lambda a, v: np.put_along_axis(a, ones_row(a), v, 0),
        lambda a, v: a.scatter_(0, tp.tensor(ones_row(a)), v.expand(1, *a.shape[1:])),
    ),
    "index_fill_": Pair(lambda a, v: a.__setitem__([0], v), lambda a, v: a.index_fill_(0, tp.tensor([0]), v)),
    "shifted": Pair(lambda a, v: a.__setitem__(np.s_[1:], a[:-1].copy()), lambda a, v: a[1:].copy_(a[:-1])),
    "operator": Pair(lambda a, v: np.multiply(a[:1], v, out=a[:1]), lambda a, v: a[:1].__imul__(v)),
}
MATRIX_WRITES: dict[str, Pair] = {
    "fill_diagonal_": Pair(lambda a, v: diagonal(a).fill(0.4), lambda a, v: a.fill_diagonal_(0.4)),
    "rows and columns": Pair(
        lambda a, v: a.__setitem__(([0, -1], slice(0, 1)), v),
        lambda a, v: a.__setitem__((tp.tensor([0, -1]), slice(0, 1)), v),
    ),
}


class Step(NamedTuple):
    """One line of a program: what it does, to which of the tensors so far, with which other one."""

    kind: str
    target: int
    source: int
    choice: int


steps = st.lists(
    st.builds(
        Step,
        st.sampled_from(["view", "view", "read", "write", "write", "write"]),
        st.integers(0, 9),
        st.integers(0, 9),
        st.integers(0, 10**6),
    ),
    min_size=1,
    max_size=9,
)
Program = list[Step]


def chosen(table: dict[str, Pair], matrices: dict[str, Pair], step: Step, ndim: int) -> Pair:
    """The step of a table that is meant, among those that fit what has `ndim` dims."""
    fitting = [*table.values(), *(matrices.values() if ndim == 2 else ())]
    return fitting[step.choice % len(fitting)]


def run(program: Program, side: int, x: Any, w: Any) -> list[Any]:
    """All tensors of a program, the arguments first, on NumPy (side 0) or tensors (side 1)."""
    pool, writable = [x, w], [x, w]
    for step in program:
        if step.kind == "write":
            target = writable[step.target % len(writable)]
            value = pool[step.source % len(pool)].mean() * 0.5 + 0.1
            if target.ndim:
                chosen(WRITES, MATRIX_WRITES, step, target.ndim)[side](target, value)
            continue
        target = pool[step.target % len(pool)]
        if not target.ndim:
            continue
        made = chosen(*((VIEWS, MATRIX_VIEWS) if step.kind == "view" else (READS, {})), step, target.ndim)[side](target)
        pool.append(made)
        # where an expanded tensor is behind, NumPy's flag says so, and tensors refuse
        if step.kind == "view" and _is_among(target, writable):
            writable.append(made)
    return pool


def _is_among(target: Any, entries: list[Any]) -> bool:
    return any([target is entry for entry in entries])


def total(pool: list[Any]) -> Any:
    """A number that depends on every element of every tensor."""
    return sum([(0.3 + 0.1 * i) * (p * p).sum() + p.sum() for i, p in enumerate(pool)])


def value(program: Program) -> Callable[..., tp.Tensor]:
    """The program as a function that writes to its arguments and returns a number."""
    return lambda x, w: total(run(program, 1, x, w))


def outputs(program: Program) -> Callable[..., tuple[tp.Tensor, ...]]:
    """The program as a function that writes to its arguments and returns all its tensors."""
    return lambda x, w: tuple([p * 1 for p in run(program, 1, x, w)])


def arguments(*lead: int) -> tuple[Array, Array]:
    """Random numbers for the arguments."""
    random = np.random.default_rng(3)
    return random.uniform(-0.9, 0.9, (*lead, 3, 4)), random.uniform(-0.9, 0.9, (*lead, 4))


def expected(program: Program, x: Array, w: Array) -> tuple[list[Array], Array, Array]:
    """What NumPy gives, and the arguments afterwards."""
    x, w = x.copy(), w.copy()
    return [np.array(p) for p in run(program, 0, x, w)], x, w


def looped(program: Program, x: Array, w: Array, depth: int = 1) -> list[Array]:
    """Outputs and arguments of a loop over the leading dim (of several loops)."""
    if depth == 0:
        outs, a, b = expected(program, x, w)
        return [*outs, a, b]
    rows = [looped(program, a, b, depth - 1) for a, b in zip(x, w, strict=True)]
    return [np.stack(column) for column in zip(*rows, strict=True)]


def compare(got: Any, wanted: list[Array]) -> None:
    """Tensors are arrays but for rounding."""
    for one, other in zip(got, wanted, strict=True):
        close(one, other)


thorough = settings(max_examples=60, deadline=None, derandomize=True)
BOTH = ("mutations", "mutations_and_views")


def ways_to_run(f: Any) -> Iterator[Callable[..., Any]]:
    """Transforms that give the function's own value."""
    yield f
    yield from [functionalize(f, remove=remove) for remove in BOTH]
    yield lambda *args: vjp(f, *args)[0]
    yield lambda *args: jvp(f, args, args)[0]
    yield lambda *args: linearize(f, *args)[0]
    yield lambda *args: make_graph(f)(*args)(*map(tp.tensor, arguments()))
    yield lambda *args: functionalize(lambda *inner: vjp(f, *inner)[0], remove=BOTH[1])(*args)
    yield lambda *args: jvp(functionalize(f), args, args)[0]


@thorough
@given(steps)
def test_values_are_numpys(program: Program) -> None:
    """Outputs, and the arguments afterwards, also as NumPy's memory."""
    wanted, x_after, w_after = expected(program, *arguments())
    for g in ways_to_run(outputs(program)):
        memory = arguments()
        compare(g(*map(tp.from_numpy, memory)), wanted)
        np.testing.assert_allclose(memory[0], x_after, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(memory[1], w_after, rtol=1e-9, atol=1e-12)


@thorough
@given(steps)
def test_maps_are_loops(program: Program) -> None:
    """With any in_dims, in chunks, and nested, arguments included."""
    x, w = arguments(3)
    f = outputs(program)
    wanted = looped(program, x, w)
    for x_dim, w_dim, mapped in (
        (0, 0, vmap(f)),
        (2, 1, vmap(f, (2, 1))),
        (1, 0, vmap(f, (1, 0), chunk_size=2)),
        (2, 1, functionalize(vmap(f, (2, 1)))),
        (0, 1, vmap(functionalize(f, remove=BOTH[1]), (0, 1))),
    ):
        args = tp.tensor(np.moveaxis(x, 0, x_dim)), tp.tensor(np.moveaxis(w, 0, w_dim))
        compare([*mapped(*args), args[0].movedim(x_dim, 0), args[1].movedim(w_dim, 0)], wanted)
    x, w = arguments(2, 3)
    args = tp.tensor(np.moveaxis(x, (0, 1), (3, 1))), tp.tensor(np.moveaxis(w, (0, 1), (1, 0)))
    nested = vmap(vmap(f, (1, 0)), (3, 1))(*args)
    compare([*nested, args[0].movedim((3, 1), (0, 1)), args[1].movedim((1, 0), (0, 1))], looped(program, x, w, 2))


@thorough
@given(steps)
def test_derivatives_are_differences(program: Program) -> None:
    """Both modes, Jacobians, ordinary autograd, and maps and functionalized forms of them."""
    given_ = arguments(2)
    random = np.random.default_rng(5)
    directions = [random.uniform(-1, 1, a.shape) for a in given_]
    moved = lambda step: [a + step * d for a, d in zip(given_, directions, strict=True)]  # noqa: E731
    values = lambda step: np.array([total(expected(program, *at)[0]) for at in zip(*moved(step), strict=True)])  # noqa: E731
    slopes = difference(lambda step: [values(step)])[0]
    f = value(program)
    fresh = lambda: tuple(map(tp.tensor, given_))  # noqa: E731
    tangents = tuple(map(tp.tensor, directions))

    def along(gradients: Any) -> Array:
        return sum([(array(g) * d).reshape(2, -1).sum(1) for g, d in zip(gradients, directions, strict=True)])

    def check(dots: Any) -> None:
        np.testing.assert_allclose(dots, slopes, rtol=2e-5, atol=1e-6)

    both = (0, 1)
    check(along(vmap(grad(f, both))(*fresh())))
    check(along(grad(lambda *args: vmap(f)(*args).sum(), both)(*fresh())))
    check(along(functionalize(vmap(grad(f, both)), remove=BOTH[1])(*fresh())))
    x, w = fresh()
    check(along(vmap(grad(functionalize(f), both), (2, 1))(x.movedim(0, 2), w.movedim(0, 1))))
    check(along(vmap(jacfwd(f, both))(*fresh())))
    check(array(jvp(vmap(f), fresh(), tangents)[1]))
    check(array(linearize(vmap(f), *fresh())[1](*tangents)))
    check(array(vmap(lambda *args: jvp(f, args[:2], args[2:])[1])(*fresh(), *tangents)))
    rows = [jacrev(f, both)(*[a[i] for a in fresh()]) for i in range(2)]
    check(along([tp.stack(column) for column in zip(*rows, strict=True)]))
    pull = vjp(vmap(f), *fresh())[1]
    check(along(pull(tp.ones(2, dtype=tp.float64))))
    leaves = [a.requires_grad_() for a in fresh()]
    (vmap(f)(*[leaf * 1 for leaf in leaves]).sum() + 0 * sum([leaf.sum() for leaf in leaves])).backward()
    check(along([leaf.grad for leaf in leaves]))
