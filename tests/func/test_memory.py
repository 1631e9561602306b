"""Memory: what is alive at a time, nothing of a call afterwards, and budgets that are kept."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn, tree
from tensorplay.func import (
    chunk_vmap,
    functional_call,
    functionalize,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    make_graph,
    set_memory_budget,
    vjp,
    vmap,
)
from tests.func.support import array, close

SIZE = 50_000  # elements of a large array
LARGE = tp.tensor(np.linspace(0.1, 0.9, SIZE))


def peak(call: Callable[[], Any]) -> int:
    """The most bytes in use at a time while `call` runs, its result included, once caches are filled."""
    call()
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def nbytes(trees: Any) -> int:
    return sum(leaf.numel() * leaf.element_size() for leaf in tree.flatten(trees)[0])


# ---- what is alive at a time -----------------------------------------------------------------------------------------


def chain(op: Callable[[tp.Tensor], tp.Tensor], length: int) -> Callable[[tp.Tensor], tp.Tensor]:
    def f(x: tp.Tensor) -> tp.Tensor:
        for _ in range(length):
            x = op(x)
        return x.sum()

    return f


def backward(f: Callable[[tp.Tensor], tp.Tensor]) -> None:
    f(LARGE.detach().requires_grad_()).backward()


PULLS = {"grad": lambda f: grad(f)(LARGE), "backward": backward, "jacrev": lambda f: jacrev(f)(LARGE)}
KEPT = {  # arrays that an op leaves for its derivative
    "sin": (tp.sin, 1),
    "exp": (tp.exp, 1),
    "relu": (tp.relu, 1),
    "matmul-free product": (lambda x: x * LARGE, 0),
    "sum": (lambda x: x + 1, 0),
    "softmax": (lambda x: x.softmax(0), 1),
}


@pytest.mark.parametrize("op", KEPT)
@pytest.mark.parametrize("name", PULLS)
def test_a_pull_needs_the_forward_values_and_few_cotangents(name: str, op: str) -> None:
    function, kept = KEPT[op]
    short, long = [peak(lambda n=n: PULLS[name](chain(function, n))) / LARGE.value.nbytes for n in (4, 14)]
    assert (long - short) / 10 <= kept + 0.2
    assert short <= 4 * kept + 5


@pytest.mark.parametrize("length", [4, 14])
def test_jvp_keeps_nothing(length: int) -> None:
    assert peak(lambda: jvp(chain(tp.sin, length), (LARGE,), (LARGE,))) <= 6 * LARGE.value.nbytes


def test_a_push_lets_go_of_tangents_as_it_passes() -> None:
    """A Jacobian of n columns through many ops takes a few times its size, however many the ops."""
    x = tp.tensor(np.linspace(0.0, 1.0, 200))
    column = 200 * 200 * 8
    for n in (4, 16):
        assert peak(lambda n=n: jacfwd(lambda x: chain(tp.sin, n)(x) + x)(x)) <= 5 * column
    _, push = linearize(lambda x: chain(tp.sin, 10)(x) * x, LARGE)
    assert peak(lambda: push(LARGE)) <= 5 * LARGE.value.nbytes


def test_a_gradient_that_is_part_of_a_cotangent_does_not_keep_the_rest() -> None:
    small = tp.ones(3).double()
    gradient = grad(lambda a: (tp.cat([a, LARGE]) ** 2).sum())(small)
    base = gradient.numpy().base
    assert base is None or base.nbytes <= 3 * 8
    close(gradient, 2 * np.ones(3))


# ---- nothing alive afterwards ----------------------------------------------------------------------------------------


X = tp.tensor(np.linspace(0.1, 0.9, 12).reshape(4, 3))
CALLS: dict[str, Callable[[Callable[[Any], Any], Any], Any]] = {
    "vmap": lambda f, x: vmap(f)(x),
    "vmap in chunks": lambda f, x: vmap(f, chunk_size=3)(x),
    "chunk_vmap": lambda f, x: chunk_vmap(f)(x),
    "grad": lambda f, x: grad(lambda a: f(a).sum())(x),
    "grad_and_value": lambda f, x: grad_and_value(lambda a: (f(a).sum(), 1), has_aux=True)(x),
    "vjp": lambda f, x: vjp(f, x)[1](x),
    "vjp mapped": lambda f, x: vmap(vjp(f, x)[1])(tp.stack([x, x])),
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "jacrev": lambda f, x: jacrev(f)(x),
    "jacrev in chunks": lambda f, x: jacrev(f, chunk_size=5)(x),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "jacfwd in chunks": lambda f, x: jacfwd(f, chunk_size=5)(x),
    "hessian": lambda f, x: hessian(lambda a: f(a).sum())(x),
    "linearize": lambda f, x: linearize(f, x)[1](x),
    "functionalize": lambda f, x: functionalize(f)(x),
    "make_graph": lambda f, x: make_graph(f)(x),
    "vmap of grad": lambda f, x: vmap(grad(lambda a: f(a).sum()))(x),
    "grad of grad": lambda f, x: grad(lambda a: grad(lambda b: f(b).sum())(a).sum())(x),
    "backward": lambda f, x: f(x.detach().requires_grad_()).sum().backward(),
    "backward twice": lambda f, x: tp.autograd.grad(
        tp.autograd.grad(f(y := x.detach().requires_grad_()).sum(), y, create_graph=True)[0].sum(), y
    ),
    "functional_call": lambda f, x: functional_call(Calling(f), {}, (x,)),
}


class Calling(nn.Module):
    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self.f = f

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return self.f(x)


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Watched:
    """A function that notes weakly what its call makes: handles, arrays, nodes, interpreters."""

    def __init__(self, raises: bool = False) -> None:
        self.seen: list[weakref.ref[Any]] = []
        self.raises = raises

    def note(self, tensor: tp.Tensor) -> tp.Tensor:
        if tensor is X:  # some transforms pass the caller's own
            return tensor
        self.seen.append(weakref.ref(tensor))
        value: Any = tensor.value
        while not isinstance(value, np.ndarray):
            if hasattr(value, "link"):
                self.seen.append(weakref.ref(value.link[0]))
            if value.owner.level:
                self.seen.append(weakref.ref(value.owner))
            value = value.inner
        return tensor

    def __call__(self, x: tp.Tensor) -> tp.Tensor:
        inner = self.note(tp.sin(self.note(x)))
        array = inner.value
        while not isinstance(array, np.ndarray):
            array = array.inner
        self.seen.append(weakref.ref(array))
        out = self.note(inner * x)
        if self.raises:
            raise KeyError("stop")
        return out + 1

    @property
    def alive(self) -> list[Any]:
        return [ref() for ref in self.seen if ref() is not None]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("no_collector")
def test_reference_counts_free_all_of_a_call(name: str) -> None:
    watched = Watched()
    result = CALLS[name](watched, X)
    assert watched.seen
    assert not watched.alive
    del result
    assert gc.collect() == 0


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("no_collector")
def test_reference_counts_free_all_of_a_call_that_failed(name: str) -> None:
    watched = Watched(raises=True)
    with pytest.raises(KeyError):
        CALLS[name](watched, X)
    gc.collect()  # pytest's own record of the exception
    assert watched.seen
    assert not watched.alive


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("make", [vjp, linearize])
def test_what_a_pull_or_push_function_holds_goes_with_it(make: Any) -> None:
    watched = Watched()
    output, function = make(watched, X)
    function(X)
    assert watched.alive
    del function
    assert not watched.alive
    del output
    assert gc.collect() == 0


@pytest.mark.parametrize("name", CALLS)
def test_calls_leave_memory_as_it_was(name: str) -> None:
    def in_use() -> int:
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    def f(x: tp.Tensor) -> tp.Tensor:
        return tp.sin(x) * x

    tracemalloc.start()
    try:
        for _ in range(240):  # until the interpreter's own pools are full
            CALLS[name](f, X)
        before = in_use()
        for _ in range(40):
            CALLS[name](f, X)
        assert in_use() - before < 4000  # a tenth of one object per call
    finally:
        tracemalloc.stop()


# ---- training --------------------------------------------------------------------------------------------------------


def network() -> nn.Module:
    tp.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 2))


def loss_of(net: nn.Module) -> Callable[..., tp.Tensor]:
    return lambda weights, x, y: ((functional_call(net, weights, (x,)) - y) ** 2).mean()


def sgd() -> Iterator[None]:
    net = network()
    weights = {name: weight.detach() for name, weight in net.named_parameters()}
    step = grad(loss_of(net))
    while True:
        gradients = step(weights, tp.randn(5, 8), tp.randn(5, 2))
        weights = {name: weight - 0.01 * gradients[name] for name, weight in weights.items()}
        yield


def per_sample() -> Iterator[None]:
    net = network()
    weights = {name: weight.detach() for name, weight in net.named_parameters()}
    step = vmap(grad(loss_of(net)), in_dims=(None, 0, 0), chunk_size=2)
    while True:
        gradients = step(weights, tp.randn(5, 8), tp.randn(5, 2))
        weights = {name: weight - 0.01 * gradients[name].clamp(-1, 1).mean(0) for name, weight in weights.items()}
        yield


def adam() -> Iterator[None]:
    net = network()
    optimizer = tp.optim.Adam(net.parameters(), lr=0.01)
    while True:
        optimizer.zero_grad()
        ((net(tp.randn(5, 8)) - tp.randn(5, 2)) ** 2).mean().backward()
        optimizer.step()
        yield


@pytest.mark.parametrize("training", [sgd, per_sample, adam])
def test_training_leaves_memory_flat(training: Callable[[], Iterator[None]]) -> None:
    """The interpreter's own pools grow for a while, by less than a tensor for each step would."""
    steps, count = training(), 300
    tracemalloc.start()
    try:
        in_use = []
        for _ in range(2):
            for _ in range(count):
                next(steps)
            gc.collect()
            in_use.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert in_use[1] - in_use[0] < 64 * count


# ---- chunks ----------------------------------------------------------------------------------------------------------


WIDE = tp.tensor(np.random.default_rng(0).standard_normal((200, 200)) / 20)
ROW = tp.tensor(np.linspace(-1.0, 1.0, 200))


def wide(x: tp.Tensor) -> tp.Tensor:
    for _ in range(3):
        x = tp.tanh(WIDE @ x)
    return x


def per_sample_gradients(chunk_size: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    net = nn.Sequential(nn.Linear(40, 60), nn.Tanh(), nn.Linear(60, 5)).double()
    rng = np.random.default_rng(1)
    weights = {name: tp.tensor(rng.standard_normal(tuple(weight.shape))) for name, weight in net.named_parameters()}
    x, y = tp.tensor(rng.standard_normal((128, 40))), tp.tensor(rng.standard_normal((128, 5)))
    return vmap(grad(loss_of(net)), in_dims=(None, 0, 0), chunk_size=chunk_size), (weights, x, y)


def outer_products(chunk_size: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    function = vmap(lambda r: (r[:, None] * r).exp().sum(0), in_dims=1, out_dims=1, chunk_size=chunk_size)
    return function, (tp.tensor(np.random.default_rng(2).random((100, 300))),)


# each with a budget that all samples at once would exceed several times
WORK: dict[str, tuple[Callable[[Any], tuple[Callable[..., Any], tuple[Any, ...]]], int]] = {
    "per-sample gradients": (per_sample_gradients, 600_000),
    "outer products": (outer_products, 3_000_000),
    "jacrev": (lambda size: (jacrev(wide, chunk_size=size), (ROW,)), 300_000),
    "jacfwd": (lambda size: (jacfwd(wide, chunk_size=size), (ROW,)), 300_000),
    "hessian": (lambda size: (hessian(lambda x: wide(x).sum(), chunk_size=size), (ROW,)), 500_000),
}


@pytest.mark.parametrize("name", WORK)
def test_auto_meets_its_budget(name: str) -> None:
    make, budget = WORK[name]
    function, args = make("auto")
    whole = make(None)[0](*args)
    with set_memory_budget(budget):
        result = function(*args)
        used = peak(lambda: function(*args)) - nbytes(whole)
    assert 0.5 * budget <= used <= 1.2 * budget
    for ours, expected in zip(tree.flatten(result)[0], tree.flatten(whole)[0], strict=True):
        np.testing.assert_allclose(array(ours), array(expected), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("chunk_size", [7, 1000])
def test_chunks_give_the_same(name: str, chunk_size: int) -> None:
    make, _ = WORK[name]
    function, args = make(chunk_size)
    for ours, expected in zip(tree.flatten(function(*args))[0], tree.flatten(make(None)[0](*args))[0], strict=True):
        assert ours.shape == expected.shape
        np.testing.assert_allclose(array(ours), array(expected), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["outer products", "jacrev", "jacfwd", "hessian"])
def test_chunks_bound_the_peak(name: str) -> None:
    """What is alive besides the result goes down with the size of chunks, as what a sample takes does."""
    make, _ = WORK[name]
    whole, tenth, few = [peak(lambda size=size: make(size)[0](*make(size)[1])) for size in (None, 20, 2)]
    size = nbytes(make(None)[0](*make(None)[1]))
    assert tenth - size <= 0.4 * (whole - size)
    assert few - size <= 0.2 * (whole - size)


def test_each_sample_is_computed_once() -> None:
    seen: list[int] = []

    def f(x: tp.Tensor) -> tp.Tensor:
        seen.append(int(tp.func.debug_unwrap(x, sample=None).shape[0]))
        return (x[:, None] * x).sum()

    with set_memory_budget(1_000_000):
        close(vmap(f, chunk_size="auto")(tp.ones(200, 50).double()), np.full(200, 2500.0))
    assert sum(seen) == 200
    assert seen[0] == 1
    assert max(seen) > 10


def test_without_a_budget_auto_computes_all_at_once() -> None:
    calls: list[int] = []

    def f(x: tp.Tensor) -> tp.Tensor:
        calls.append(1)
        return x * 2

    vmap(f, chunk_size="auto")(X)
    with set_memory_budget(None):
        vmap(f, chunk_size="auto")(X)
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("what", "transform"),
    [("sample", lambda f: vmap(f, chunk_size="auto")), ("row", lambda f: jacrev(f, chunk_size="auto"))],
)
def test_a_sample_that_does_not_fit_is_computed_alone_with_a_warning(what: str, transform: Any) -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return (x.sum() * LARGE).cos().sum() * x

    sentence = (
        rf"\(f\): one {what} takes .* bytes, more than the memory budget of 1,000; {what}s are computed one at a time"
    )
    with set_memory_budget(1000), pytest.warns(RuntimeWarning, match=sentence):
        result = transform(f)(X)
    expected = (vmap if what == "sample" else jacrev)(f)(X)
    np.testing.assert_allclose(array(result), array(expected), rtol=1e-12)


def test_random_numbers_are_the_same_in_chunks_of_any_size() -> None:
    def f(x: tp.Tensor) -> tp.Tensor:
        return x + tp.rand(500, dtype=tp.float64)

    with set_memory_budget(100_000):
        drawn = array(vmap(f, randomness="same", chunk_size="auto")(tp.zeros(60, 500).double()))
        different = array(vmap(f, randomness="different", chunk_size="auto")(tp.zeros(60, 500).double()))
    assert (drawn == drawn[0]).all()
    assert len(np.unique(different[:, 0])) == 60


def test_auto_inside_of_other_transforms() -> None:
    def rows(x: tp.Tensor) -> tp.Tensor:
        return vmap(lambda r: tp.sin(r).sum() * r, chunk_size="auto")(x)

    def expected(x: tp.Tensor) -> tp.Tensor:
        return vmap(lambda r: tp.sin(r).sum() * r)(x)

    x = tp.tensor(np.random.default_rng(3).random((30, 50)))
    with set_memory_budget(500_000):
        ours = grad(lambda x: rows(x).sum())(x), vmap(rows)(tp.stack([x, x])), jvp(rows, (x,), (x,))[1]
        nested = vmap(jacrev(tp.sin, chunk_size="auto"), chunk_size="auto")(x)
    close(ours[0], array(grad(lambda x: expected(x).sum())(x)))
    close(ours[1], array(vmap(expected)(tp.stack([x, x]))))
    close(ours[2], array(jvp(expected, (x,), (x,))[1]))
    close(nested, array(vmap(jacrev(tp.sin))(x)))


def test_tracing_is_left_as_it_was() -> None:
    f = vmap(tp.sin, chunk_size="auto")
    with set_memory_budget(10_000):
        f(X)
        assert not tracemalloc.is_tracing()
        with pytest.raises(KeyError):
            vmap(Watched(raises=True), chunk_size="auto")(X)
        assert not tracemalloc.is_tracing()
        tracemalloc.start()
        try:
            f(X)
            assert tracemalloc.is_tracing()
        finally:
            tracemalloc.stop()


def test_the_budget_belongs_to_the_context() -> None:
    sizes: list[int] = []

    def sizes_of_chunks() -> list[int]:
        sizes.clear()

        def f(x: tp.Tensor) -> tp.Tensor:
            sizes.append(int(tp.func.debug_unwrap(x, sample=None).shape[0]))
            return x * 2

        vmap(f, chunk_size="auto")(tp.ones(9, 4))
        return list(sizes)

    assert sizes_of_chunks() == [9]
    with set_memory_budget(10**9):
        inside = sizes_of_chunks()
        assert inside[0] == 1
        seen: list[list[int]] = []
        thread = threading.Thread(target=lambda: seen.append(sizes_of_chunks()))
        thread.start()
        thread.join()
        assert seen == [[9]]
        with set_memory_budget(None):
            assert sizes_of_chunks() == [9]
        assert sizes_of_chunks()[0] == 1
    assert sizes_of_chunks() == [9]
    set_memory_budget(10**9)
    try:
        assert sizes_of_chunks()[0] == 1
    finally:
        set_memory_budget(None)


def test_what_is_no_budget_or_chunk_size() -> None:
    for wrong in (0, -1, 1.5, True, "1GB"):
        with pytest.raises(ValueError, match=r"set_memory_budget\(\): bytes must be a positive int or None"):
            set_memory_budget(wrong)  # type: ignore[arg-type]
    for transform in (vmap, jacrev, jacfwd, hessian):
        for wrong in (0, -2, 1.5, True, "all"):
            with pytest.raises(ValueError, match="chunk_size must be a positive int, 'auto' or None"):
                transform(tp.sin, chunk_size=wrong)  # type: ignore[arg-type]


def test_empty_batches_and_single_samples() -> None:
    with set_memory_budget(1000):
        assert vmap(lambda r: r.sum(), chunk_size="auto")(tp.zeros(0, 3)).shape == (0,)
        assert vmap(lambda r: r.sum(), chunk_size="auto")(tp.zeros(1, 3)).shape == (1,)
        assert jacrev(tp.sin, chunk_size="auto")(tp.zeros(0)).shape == (0, 0)
        assert hessian(tp.sin, chunk_size="auto")(tp.tensor(0.5)).shape == ()
