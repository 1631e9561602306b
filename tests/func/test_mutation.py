"""Writing in place, through views and bases, with and without transforms: what the untransformed function would do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jacrev, jvp, linearize, make_graph, vjp, vmap
from tests.func.support import array, close, double, normal


def write_through_a_view(x: tp.Tensor) -> tp.Tensor:
    """A row of a copy is doubled."""
    y = x.clone()
    y[0].mul_(2)
    return y


def write_through_the_base(x: tp.Tensor) -> tp.Tensor:
    """A view taken before a write sees it."""
    y = x.clone()
    row = y[0]
    y.add_(x)
    return row * 1 + y.sum(0)


def write_through_views_of_views(x: tp.Tensor) -> tp.Tensor:
    """Transpose of a slice of a reshape."""
    y = x.clone()
    y.view(-1)[1:].view(-1)[::2].mul_(3)
    y.T[1:].T[0].add_(1)
    return y


def assign(x: tp.Tensor) -> tp.Tensor:
    """Indexed assignment: slices, integers, masks, index tensors."""
    y = tp.zeros_like(x)
    y[0] = x[1]
    y[1:, ::2] = x[1:, ::2] * 2
    y[tp.tensor([0, 1]), tp.tensor([1, 0])] = x[0, :2] * 5
    y[-1] += x[0]
    return y


def fill_row_by_row(x: tp.Tensor) -> tp.Tensor:
    """A buffer made inside, filled with values that depend on the argument."""
    out = tp.zeros(3, 2, dtype=x.dtype)
    for i in range(3):
        out[i] = x[i].sum() * x[i]
    return out


def in_place_methods(x: tp.Tensor) -> tp.Tensor:
    """A chain of methods that return their tensor."""
    y = x.clone()
    assert y.mul_(x).add_(1.0).sin_() is y
    y -= x
    y *= 2
    return y


def copy_and_fill(x: tp.Tensor) -> tp.Tensor:
    """copy_, fill_, zero_ in parts."""
    y = tp.ones_like(x)
    y[1].copy_(x[0])
    y[2].fill_(3.0)
    y[0].zero_()
    return y * x


def out_argument(x: tp.Tensor) -> tp.Tensor:
    """Result into a tensor, and into a view of one."""
    buffer = tp.empty_like(x)
    tp.mul(x, x, out=buffer)
    tp.sin(x[0], out=buffer[1])
    return buffer


def accumulate_twice(x: tp.Tensor) -> tp.Tensor:
    """The same slice twice, each time from its own new value."""
    y = x.clone()
    y[0] = y[0] * y[1]
    y[0] = y[0] * y[1]
    y[:2] += y[1:]
    return y


FUNCTIONS: list[Callable[[tp.Tensor], tp.Tensor]] = [
    write_through_a_view,
    write_through_the_base,
    write_through_views_of_views,
    assign,
    fill_row_by_row,
    in_place_methods,
    copy_and_fill,
    out_argument,
    accumulate_twice,
]

# the same in NumPy
EXPECTED: dict[str, Callable[[Any], Any]] = {
    "write_through_a_view": lambda x: np.stack([2 * x[0], x[1], x[2]]),
    "write_through_the_base": lambda x: 2 * x[0] + 2 * x.sum(0),
    "copy_and_fill": lambda x: np.stack([0 * x[0], x[0], 3.0 + 0 * x[2]]) * x,
    "fill_row_by_row": lambda x: x.sum(1, keepdims=True) * x,
    "out_argument": lambda x: np.stack([x[0] ** 2, np.sin(x[0]), x[2] ** 2]),
    "in_place_methods": lambda x: 2 * (np.sin(x**2 + 1) - x),
}
EACH = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
X = normal(3, 2)
T = normal(3, 2, seed=1)


@EACH
def test_values(f: Callable[[tp.Tensor], tp.Tensor]) -> None:
    x = X.clone()
    got = f(x)
    close(x, X)
    if f.__name__ in EXPECTED:
        close(got, EXPECTED[f.__name__](array(X)))


def test_values_of_assignments() -> None:
    x = array(X)
    y = np.zeros_like(x)
    y[0] = x[1]
    y[1:, ::2] = x[1:, ::2] * 2
    y[[0, 1], [1, 0]] = x[0, :2] * 5
    y[-1] += x[0]
    close(assign(X), y)
    y = x.copy()
    y.reshape(-1)[1::2] *= 3
    y[0, 1:] += 1
    close(write_through_views_of_views(X), y)


@EACH
def test_under_vmap(f: Callable[[tp.Tensor], tp.Tensor]) -> None:
    batch = tp.stack([X, T, X * T])
    expected = np.stack([array(f(x)) for x in batch])
    close(vmap(f)(batch), expected)
    close(vmap(f, in_dims=2)(batch.permute(1, 2, 0)), expected)
    close(vmap(vmap(f))(batch[None]), expected[None])


@EACH
def test_derivatives(f: Callable[[tp.Tensor], tp.Tensor]) -> None:
    h = 1e-6
    numeric = (array(f(X + h * T)) - array(f(X - h * T))) / (2 * h)
    dot = jvp(f, (X,), (T,))[1]
    close(dot, numeric, 1e-7)
    close(linearize(f, X)[1](T), array(dot))
    ct = normal(*dot.shape, seed=2)
    (pulled,) = vjp(f, X)[1](ct)
    np.testing.assert_allclose((array(ct) * array(dot)).sum(), (array(pulled) * array(T)).sum(), rtol=1e-12)
    x = X.clone().requires_grad_()
    if f is out_argument:
        with pytest.raises(RuntimeError, match=r"mul\(out=...\).*requires grad.*copy_"):
            f(x)
    else:
        (f(x) * ct).sum().backward()
        close(x.grad, array(pulled))


@EACH
def test_batches_of_derivatives_and_functionalized(f: Callable[[tp.Tensor], tp.Tensor]) -> None:
    batch = tp.stack([X, T])
    slope = grad(lambda x: (f(x) ** 2).sum())
    expected = np.stack([array(slope(x)) for x in batch])
    close(vmap(slope)(batch), expected)
    close(vmap(functionalize(slope))(batch), expected)
    close(functionalize(vmap(slope))(batch), expected)


# ---- writes to arguments -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: lambda x: vmap(f)(x),
        lambda f: lambda x: vmap(f, in_dims=-1)(x),
        lambda f: lambda x: vmap(f, chunk_size=2)(x),
        lambda f: lambda x: jvp(f, (x,), (tp.ones_like(x),)),
        lambda f: lambda x: vjp(f, x),
        lambda f: lambda x: linearize(f, x),
        lambda f: lambda x: grad(lambda a: f(a).sum())(x),
        lambda f: lambda x: functionalize(f)(x),
        lambda f: lambda x: vmap(grad(lambda a: f(a).sum()))(x),
        lambda f: lambda x: grad(lambda a: vmap(f)(a).sum())(x),
        lambda f: f,
    ],
)
def test_write_to_an_argument_is_visible_afterwards(transform: Any) -> None:
    memory = np.array(array(X))
    x = tp.from_numpy(memory)

    def f(a: tp.Tensor) -> tp.Tensor:
        a.mul_(2.0)
        a[0] += 1.0
        return a * a

    transform(f)(x)
    close(x, memory)
    rows = 2 * array(X)
    changed = np.abs(memory - rows) > 1e-12
    np.testing.assert_allclose((memory - rows)[changed], 1.0)
    assert changed.sum() in (2, 3), "the first row, column, or element of each sample"


def test_write_to_an_argument_through_its_view() -> None:
    memory = np.zeros((3, 2))
    base = tp.from_numpy(memory)
    vmap(lambda row: row.fill_(1.0).sum())(base[1:])
    assert memory.tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_gradient_is_at_the_value_before_the_write() -> None:
    x = double([3.0])

    def f(a: tp.Tensor) -> tp.Tensor:
        b = (a**2).sum()
        a.zero_()
        return b

    assert grad(f)(x).tolist() == [6.0]
    assert x.tolist() == [0.0]


def test_gradient_through_a_write_to_the_argument() -> None:
    x = double([3.0, 4.0])

    def f(a: tp.Tensor) -> tp.Tensor:
        a[0] = a[1] * 2
        return (a**2).sum()  # (2b)² + b²

    assert grad(f)(x).tolist() == [0.0, 40.0]
    assert x.tolist() == [8.0, 4.0]


def test_shared_argument_cannot_hold_what_differs() -> None:
    with pytest.raises(RuntimeError, match=r"in_dims=None"):
        vmap(lambda a, shared: shared.add_(a), in_dims=(0, None))(double([1.0, 2.0]), double(0.0))


def test_shared_argument_written_the_same_for_all() -> None:
    shared = double(0.0)
    vmap(lambda a, s: (s.add_(1.0), a)[1], in_dims=(0, None))(double([1.0, 2.0]), shared)
    assert shared.item() == 1.0


@pytest.mark.parametrize(
    "transform",
    [
        lambda f, a, b: vmap(f)(a, b),
        lambda f, a, b: jvp(f, (a, b), (a, b)),
        lambda f, a, b: vjp(f, a, b),
        lambda f, a, b: grad(lambda *args: f(*args).sum())(a, b),
        lambda f, a, b: vmap(lambda x: vmap(f)(x, b))(a[None]),
    ],
)
def test_arguments_that_share_memory_cannot_be_written(transform: Any) -> None:
    """The one would not see what is written to the other."""
    for share in (lambda x: x, lambda x: x.view(2, 3).T, lambda x: x.detach()):
        x = X.clone()
        with pytest.raises(RuntimeError, match=r"shares.*clone|shares; pass"):
            transform(lambda a, b: a.mul_(2.0).sum() + b.sum(), x, share(x))
        close(x, X)
    x = normal(6, 2)
    transform(lambda a, b: a.mul_(2.0).sum() + b.sum(), x[::2], x[1::2])


# ---- writes to captured tensors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: vmap(f)(X),
        lambda f: grad(lambda x: f(x).sum())(X),
        lambda f: jvp(f, (X,), (X,)),
        lambda f: linearize(f, X),
    ],
)
def test_traced_value_into_a_captured_tensor(transform: Any) -> None:
    outside = tp.zeros(3, 2, dtype=tp.float64)
    for write in (
        lambda x: outside[0].copy_(x.sum()),
        lambda x: outside.add_(x.sum()),
        lambda x: outside.__setitem__(0, x.sum()),
        lambda x: tp.sin(x.sum().expand(3, 2), out=outside),
    ):
        with pytest.raises(RuntimeError, match=r"[Rr]eturn"):
            transform(lambda x, write=write: (write(x), x)[1])
        assert not array(outside).any()


def test_plain_value_into_a_captured_tensor() -> None:
    counter = double(0.0)
    vmap(lambda x: (counter.add_(1.0), x)[1])(X)
    grad(lambda x: (counter.add_(1.0), x.sum())[1])(X)
    assert counter.item() == 2.0


def test_detached_value_into_a_captured_tensor() -> None:
    last = double(0.0)
    grad(lambda x: (last.copy_((x**2).sum().detach()), x.sum())[1])(X)
    close(last, (array(X) ** 2).sum())


def test_mapped_value_into_an_unmapped_tensor_made_inside() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        buffer = tp.zeros(4, dtype=tp.float64)
        view = buffer[1:3]
        view += x
        buffer[0] = x.sum()
        return buffer

    close(vmap(f)(X), np.stack([array(X).sum(1), *array(X).T, np.zeros(3)], 1))


def test_inner_level_into_a_tensor_of_the_outer_level() -> None:
    def outer(x: tp.Tensor) -> tp.Tensor:
        buffer = tp.zeros(2, dtype=tp.float64)
        with pytest.raises(RuntimeError, match=r"grad"):
            grad(lambda y: buffer.copy_(y).sum())(x)
        return buffer + x

    close(vmap(outer)(X), X)


# ---- captured tensors that are arguments too -------------------------------------------------------------------------

WRITING_TRANSFORMS: dict[str, Any] = {
    "vmap": lambda f, x: vmap(f)(x),
    "vmap over columns": lambda f, x: vmap(f, in_dims=1)(x),
    "grad": lambda f, x: grad(lambda a: f(a).sum())(x),
    "vjp": lambda f, x: vjp(f, x),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "jacrev": lambda f, x: jacrev(f)(x),
    "linearize": lambda f, x: linearize(f, x),
    "make_graph": lambda f, x: make_graph(f)(x),
    "vmap of grad": lambda f, x: vmap(grad(lambda a: f(a).sum()))(x),
    "grad of vmap": lambda f, x: grad(lambda a: vmap(f)(a).sum())(x),
    "grad of functionalize": lambda f, x: grad(lambda a: functionalize(f)(a).sum())(x),
}
EACH_TRANSFORM = pytest.mark.parametrize("transform", WRITING_TRANSFORMS)
READS: dict[str, Any] = {
    "itself": lambda x: x,
    "view": lambda x: x.t()[:1],
    "view of a view": lambda x: x.reshape(-1)[2:4],
    "detached": lambda x: x.detach(),
    "taken before": lambda x, kept=[]: kept,
}


@EACH_TRANSFORM
@pytest.mark.parametrize("read", READS)
def test_captured_tensor_is_not_read_out_of_date(transform: str, read: str) -> None:
    """A function that writes to its argument would not see that in the same tensor as a captured one."""
    x = X.clone()
    view = x[:, 0]

    def f(a: tp.Tensor) -> tp.Tensor:
        a.mul_(2.0)
        return a + (view if read == "taken before" else READS[read](x)).sum()

    with pytest.raises(RuntimeError, match=r"(f|lambda>)(, in_dims=1)?\).*captured after writing.*use the argument"):
        WRITING_TRANSFORMS[transform](f, x)
    close(x, X)
    x.add_(1.0)
    close(view, array(X)[:, 0] + 1)


@EACH_TRANSFORM
def test_captured_tensor_is_not_written_out_of_date(transform: str) -> None:
    for write in (lambda x: x.zero_(), lambda x: x[0].fill_(3.0), lambda x: x.__setitem__(1, 0.0)):
        x = X.clone()

        def f(a: tp.Tensor, x: tp.Tensor = x, write: Any = write) -> tp.Tensor:
            a.mul_(2.0)
            write(x)
            return a * 1

        with pytest.raises(RuntimeError, match=r"captured after writing"):
            WRITING_TRANSFORMS[transform](f, x)


@EACH_TRANSFORM
def test_argument_is_not_written_through_a_captured_tensor(transform: str) -> None:
    """The argument's values, and what its derivative kept, would not be those of the function."""
    x = X.clone()

    def f(a: tp.Tensor) -> tp.Tensor:
        x.mul_(2.0)
        return a * a

    with pytest.raises(RuntimeError, match=r"writes \((mul_|functionalize)\) to a captured tensor.*argument"):
        WRITING_TRANSFORMS[transform](f, x)


@EACH_TRANSFORM
def test_captured_neighbours_of_what_is_written_can_be_used(transform: str) -> None:
    """Reads and writes of other elements of the same memory, and reads before the write."""
    memory = tp.tensor(np.arange(16.0).reshape(4, 4))
    x, beside, below = memory[:3, :3], memory[:, 3], memory[3]

    def f(a: tp.Tensor) -> tp.Tensor:
        before = memory.sum()
        a.mul_(2.0)
        if "functionalize" not in transform:  # a write that is held back would have to wait for the other one
            below[3].fill_(100.0)
        return a * 1 + beside.sum() + memory[3:].t()[0] + before + memory.unbind(0)[3].sum()

    WRITING_TRANSFORMS[transform](f, x)
    expected = np.arange(16.0).reshape(4, 4)
    expected[:3, :3] *= 2
    expected[3, 3] = 15.0 if "functionalize" in transform else 100.0
    close(memory, expected)


@EACH_TRANSFORM
def test_failed_functions_leave_their_arguments(transform: str) -> None:
    x = X.clone()
    alias = x.numpy()

    def f(a: tp.Tensor) -> tp.Tensor:
        a.mul_(2.0)
        raise KeyError("stop")

    with pytest.raises(KeyError):
        WRITING_TRANSFORMS[transform](f, x)
    close(x * 1, X)
    x.add_(1.0)
    np.testing.assert_array_equal(alias, array(X) + 1)


# ---- ordinary autograd -----------------------------------------------------------------------------------------------


def test_value_saved_for_backward_was_written() -> None:
    for write in (
        lambda y: y.add_(1.0),
        lambda y: y.__setitem__(0, 0.0),
        lambda y: y.view(-1)[:1].zero_(),
        lambda y: y.detach().mul_(2.0),
        lambda y: tp.sin(X, out=y.detach()),
    ):
        x = X.clone().requires_grad_()
        w = T.clone()
        out = (x * w).sum()
        write(w)
        with pytest.raises(RuntimeError, match=r"mul.*modified in\s+place"):
            out.backward()


def test_value_saved_for_a_pull_was_written() -> None:
    w = T.clone()
    _, pull = vjp(lambda x: x * w, X)
    w.add_(1.0)
    with pytest.raises(RuntimeError, match=r"modified in\s+place"):
        pull(X)
    _, push = linearize(lambda x: x * w, X)
    w.add_(1.0)
    with pytest.raises(RuntimeError, match=r"modified in\s+place"):
        push(X)


def test_the_error_names_what_saved_and_what_wrote() -> None:
    for saved, what, write in (
        (lambda x, w: (x * w).sum(), r"mul: .*\[3, 2\].*by add_", lambda w: w.add_(1.0)),
        (lambda x, w: (x @ w.T).sum(), r"contract: .*by indexed assignment", lambda w: w.__setitem__(0, 1.0)),
        (lambda x, w: (x / w).sum(), r"div: .*by index_put_", lambda w: w.index_put_((tp.tensor([0]),), w[1])),
        (lambda x, w: (x * w).sum(), r"mul: .*by sin\(out=...\)", lambda w: tp.sin(X, out=w)),
        (lambda x, w: (x * w).sum(), r"mul: .*by fill_diagonal_", lambda w: w.t().fill_diagonal_(0.0)),
    ):
        for pull in (
            lambda w, saved=saved: saved(X.clone().requires_grad_(), w).backward,
            lambda w, saved=saved: functools.partial(vjp(lambda x: saved(x, w), X)[1], double(1.0)),
            lambda w, saved=saved: functools.partial(linearize(lambda x: saved(x, w), X)[1], X),
        ):
            w = T.clone()
            back = pull(w)
            write(w)
            with pytest.raises(RuntimeError, match=what):
                back()


def test_inside_a_transform_the_error_is_the_same() -> None:
    w = T[0].clone()

    def f(x: tp.Tensor) -> tp.Tensor:
        y = (x * w).sum()
        w.add_(1.0)
        return y

    for run in (grad(f), jacrev(f), vmap(grad(f)), lambda x: grad(lambda a: vmap(f)(a).sum())(x)):
        with pytest.raises(RuntimeError, match=r"mul: .*modified in place.*by add_"):
            run(X)


def test_writes_to_other_elements_and_after_the_last_use_are_fine() -> None:
    for choose, other in (
        (lambda w: w[:2], lambda w: w[2:]),
        (lambda w: w[:, 0], lambda w: w[:, 1]),
        (lambda w: w[::2, ::2], lambda w: w[1::2]),
        (lambda w: w.reshape(-1)[1::3], lambda w: w.reshape(-1)[::3]),
        (lambda w: w.t()[1:], lambda w: w.t()[0].detach()),
    ):
        w = normal(4, 6)
        kept = choose(w).clone()
        x = tp.ones(kept.shape, dtype=tp.float64, requires_grad=True)
        loss = (x * choose(w)).sum()
        pull = vjp(lambda x, w=w, choose=choose: x * choose(w), x.detach())[1]
        for i in range(100):  # more parts than are told apart
            other(w)[:1].add_(float(i))
        other(w).mul_(2.0)
        other(w)[0] = 5.0
        loss.backward()
        close(x.grad, kept)
        close(pull(tp.ones_like(kept))[0], kept)
        w.zero_()  # nothing needs it any more
        choose(w).add_(1.0)


def test_many_writes_to_parts_are_all_noticed() -> None:
    w = normal(100)
    x = normal(100, seed=1).requires_grad_()
    loss = (x * w).sum()
    for i in range(1, 100):
        w[i] = 0.0
    with pytest.raises(RuntimeError, match=r"modified in place"):
        loss.backward()


def test_versions_count_writes() -> None:
    base = tp.zeros(4)
    view, detached = base[:2], base.detach()
    assert base._version == 0
    view.add_(1.0)
    base[0] = 2.0
    detached.mul_(2.0)
    tp.sin(base, out=base)
    assert base._version == view._version == detached._version == 4
    assert base.clone()._version == 0

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        y[0].mul_(2.0)
        y.add_(1.0)
        assert y._version == y[1:]._version == 2
        return y

    vmap(f)(X)
    grad(lambda x: f(x).sum())(X)


def test_argument_written_after_vjp() -> None:
    x = X.clone()
    _, pull = vjp(tp.sin, x)
    x.zero_()
    with pytest.raises(RuntimeError, match=r"modified in\s+place"):
        pull(X)


def test_write_to_what_no_derivative_reads_is_fine() -> None:
    x = X.clone().requires_grad_()
    w = T.clone()
    out = (x + w).sum()
    w.zero_()
    out.backward()
    close(x.grad, np.ones((3, 2)))


def test_leaf_that_requires_grad_is_written_under_no_grad_only() -> None:
    x = X.clone().requires_grad_()
    with pytest.raises(RuntimeError, match=r"leaf.*no_grad"):
        x.add_(1.0)
    with pytest.raises(RuntimeError, match=r"leaf.*no_grad"):
        x[0] = 1.0
    with tp.no_grad():
        x.add_(1.0)
    assert x.requires_grad
    close(x.detach(), array(X) + 1)


def test_write_into_a_tensor_that_then_requires_grad() -> None:
    x = X.clone().requires_grad_()
    buffer = tp.zeros(3, 2, dtype=tp.float64)
    buffer[1] = x[0] * 2
    assert buffer.requires_grad
    buffer.sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0], [0.0, 0.0], [0.0, 0.0]]


def test_expanded_memory_cannot_be_written() -> None:
    with pytest.raises(RuntimeError, match="clone"):
        double([1.0, 2.0]).expand(3, 2).add_(1.0)


def test_value_that_does_not_fit() -> None:
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2\]|\[2\].*\[3\]"):
        double([1.0, 2.0]).copy_(double([1.0, 2.0, 3.0]))
    with pytest.raises(RuntimeError, match=r"\[2, 2\].*\[2\]"):
        double([1.0, 2.0]).add_(double([[1.0, 2.0], [3.0, 4.0]]))


def test_dtype_of_a_write_is_that_of_the_tensor() -> None:
    x = tp.zeros(2, dtype=tp.float32)
    x.add_(double([1.0, 2.0]))
    assert x.dtype == tp.float32
    assert x.tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="int64"):
        tp.zeros(2, dtype=tp.int64).add_(0.5)


# ---- writes that derivatives do not see ------------------------------------------------------------------------------


def write_under_no_grad(x: tp.Tensor) -> tp.Tensor:
    """The values change, the derivative is that of 3x."""
    y = x * 3
    with tp.no_grad():
        y.mul_(0.5)
        y[0] = x[1] * 2
    return y * y


def write_through_detach(x: tp.Tensor) -> tp.Tensor:
    """The same through an alias that is constant."""
    y = x * 3
    y.detach().mul_(0.5)
    y.detach()[0] = x.detach()[1] * 2
    return y * y


def argument_written_under_no_grad(x: tp.Tensor) -> tp.Tensor:
    """A step that is a constant for derivatives: the argument itself still counts."""
    with tp.no_grad():
        x.sub_(x * 0.1)
    return x * x


def data_assigned(x: tp.Tensor) -> tp.Tensor:
    """Other elements, the same derivative."""
    y = x * 3
    y.data = x.detach() * 2
    return y * y


SLOPES: dict[Any, Callable[[Any], Any]] = {
    data_assigned: lambda x: 12 * x,
    write_under_no_grad: lambda x: 6 * np.stack([2 * x[1], *1.5 * x[1:]]),
    write_through_detach: lambda x: 6 * np.stack([2 * x[1], *1.5 * x[1:]]),
    argument_written_under_no_grad: lambda x: 2 * 0.9 * x,
}


@pytest.mark.parametrize("f", SLOPES, ids=lambda f: f.__name__)
def test_unseen_writes_change_values_only(f: Any) -> None:
    expected = SLOPES[f](array(X))
    total = lambda x: f(x).sum()  # noqa: E731
    for slope in (grad(total), functionalize(grad(total)), lambda x: vmap(grad(total))(x[None])[0]):
        close(slope(X.clone()), expected)
    close(grad(lambda x: vmap(f)(x[None]).sum())(X.clone()), expected)
    close(jvp(f, (X.clone(),), (T,))[1], expected * array(T))
    x = X.clone().requires_grad_()
    total(x * 1).backward()
    close(x.grad, expected)


def test_a_detached_tensor_has_derivatives_of_its_own() -> None:
    """A recurrent state that is cut off, then updated in place."""

    def f(x: tp.Tensor) -> tp.Tensor:
        state = (x * 5).detach()
        first = state[0]
        state += x
        return 3 * first + state.sum(0)

    expected = np.stack([np.full(2, 4.0), np.ones(2), np.ones(2)])
    close(grad(lambda x: f(x).sum())(X), expected)
    close(vmap(grad(lambda x: f(x).sum()))(X[None])[0], expected)
    close(jvp(f, (X,), (T,))[1], (expected * array(T)).sum(0))
    x = X.clone().requires_grad_()
    f(x).sum().backward()
    close(x.grad, expected)


def test_a_detached_tensor_and_its_origin_share_elements() -> None:
    def f(x: tp.Tensor) -> tuple[tp.Tensor, tp.Tensor]:
        y = tp.ones(2, dtype=tp.float64)
        d = y.detach()
        d += x  # 1 + x in both, which depends on x in d only
        y[0] = 7.0
        d[1] = 5.0
        return y, d

    x = double([2.0, 3.0])
    for y, d in (f(x), vjp(f, x)[0], tuple([o[0] for o in vmap(f)(x[None])]), functionalize(f)(x)):
        assert y.tolist() == d.tolist() == [7.0, 5.0]
    jacobian = jacrev(f)(x)
    assert not array(jacobian[0]).any()
    assert jacobian[1].tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_parameter_written_under_no_grad_stays_a_leaf_when_functionalized() -> None:
    memory = np.array([1.0, 2.0])
    w = tp.from_numpy(memory).requires_grad_()

    def step() -> tp.Tensor:
        with tp.no_grad():
            w.mul_(2.0)
        return w.detach() * 1

    assert functionalize(step)().tolist() == [2.0, 4.0]
    assert w.is_leaf
    assert w.requires_grad
    assert memory.tolist() == [2.0, 4.0]


def test_pulling_back_after_the_argument_was_written() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        y = x**3
        x.sin_()
        return y + x**2

    expected = 3 * array(X) ** 2 + np.sin(2 * array(X))
    x = X.clone()
    _, pull = vjp(f, x)
    close(x, np.sin(array(X)))
    close(pull(tp.ones_like(X))[0], expected)
    close(linearize(f, X.clone())[1](T), expected * array(T))


def test_overwritten_tensors_have_a_gradient_of_zero() -> None:
    x = X.clone().requires_grad_()
    y = x * 2
    y.zero_()
    assert y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0]] * 3


def test_functionalized_views_copy_where_views_would() -> None:
    """A reshape that needs a copy is no alias, though views are copies too."""

    def f(x: tp.Tensor) -> tp.Tensor:
        y = x.clone()
        y.T.reshape(-1).zero_()
        y.T.contiguous().zero_()
        y[1:].reshape(-1)[:1].zero_()
        return y

    expected = array(X).copy()
    expected[1, 0] = 0.0
    for g in (f, functionalize(f), functionalize(f, remove="mutations_and_views")):
        close(g(X), expected)
        close(vmap(g)(X[None])[0], expected)
