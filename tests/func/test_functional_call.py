"""functional_call: the module's own state counts where nothing else is given, and never changes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import nn
from tensorplay.func import functional_call, grad, jacfwd, jacrev, stack_module_state, vmap
from tests.func.support import array, close


class Net(nn.Module):
    """A linear map, a list of scales, a shared submodule and a counting buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.again = self.linear
        self.scales = nn.ParameterList([tp.ones(2), tp.ones(2)])
        self.register_buffer("count", tp.zeros(()))
        self.register_buffer("total", tp.zeros(2))

    def forward(self, x: tp.Tensor, *, twice: bool = False) -> tp.Tensor:
        self.count = self.count + 1
        y = self.linear(x) * self.scales[0] + self.scales[1]
        self.total.add_(y.detach())
        return y * 2 if twice else y


def state_of(net: nn.Module) -> dict[str, Any]:
    return {name: array(tensor).copy() for name, tensor in net.state_dict().items()}


def assert_unchanged(net: nn.Module, before: dict[str, Any], ids: list[int]) -> None:
    after = state_of(net)
    assert all(np.array_equal(after[name], before[name]) for name in before)
    assert [id(tensor) for tensor in (*net.parameters(), *net.buffers())] == ids


def ids_of(net: nn.Module) -> list[int]:
    return [id(tensor) for tensor in (*net.parameters(), *net.buffers())]


def full_state(net: nn.Module) -> dict[str, tp.Tensor]:
    named = {**dict(net.named_parameters()), **dict(net.named_buffers())}
    return {name: tp.full(tuple(tensor.shape), 2.0) for name, tensor in named.items()}


def test_given_state_is_used_and_the_module_stays() -> None:
    net = Net()
    before, ids = state_of(net), ids_of(net)
    state = full_state(net)
    out = functional_call(net, state, tp.ones(2), {"twice": True}, strict=True)
    assert np.array_equal(out.numpy(), [28, 28])
    assert np.array_equal(state["total"].numpy(), [16, 16])
    assert float(state["count"]) == 2
    assert_unchanged(net, before, ids)


def test_buffers_that_are_not_given_behave_as_in_a_plain_call() -> None:
    net = Net()
    functional_call(net, {"linear.bias": tp.zeros(2)}, (tp.ones(2),))
    assert float(net.count) == 1
    assert bool((net.total != 0).any())


def test_a_forward_that_raises_leaves_no_trace() -> None:
    class Broken(Net):
        def forward(self, x: tp.Tensor, *, twice: bool = False) -> tp.Tensor:
            super().forward(x)
            raise ArithmeticError

    net = Broken()
    before, ids = state_of(net), ids_of(net)
    with pytest.raises(ArithmeticError):
        functional_call(net, full_state(net), (tp.ones(2),))
    assert_unchanged(net, before, ids)


def test_names_inside_the_call_lead_to_what_was_given() -> None:
    class Looking(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(1, 1)
            self.register_buffer("b", tp.zeros(1))

        def forward(self) -> Any:
            return (
                dict(self.named_parameters()),
                dict(self.named_buffers()),
                self.state_dict(keep_vars=True),
                self.get_parameter("inner.weight"),
                self.inner.weight,
            )

    given = {"inner.weight": tp.full((1, 1), 3.0), "b": tp.full((1,), 4.0)}
    net = Looking()
    parameters, buffers, state, weight, attribute = functional_call(net, given)
    assert parameters["inner.weight"] is weight is attribute is state["inner.weight"] is given["inner.weight"]
    assert parameters["inner.bias"] is net.inner.bias
    assert buffers["b"] is state["b"] is given["b"]


def test_nested_calls_of_the_same_module_and_of_a_submodule() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Parameter(tp.tensor(1.0))
            self.b = nn.Parameter(tp.tensor(1.0))
            self.register_buffer("n", tp.tensor(0.0))

        def forward(self, depth: int) -> tp.Tensor:
            self.n = self.n + 1
            value = 10 * self.a + self.b
            if depth == 0:
                return value
            inner = functional_call(self, {"a": tp.tensor(5.0)}, (depth - 1,))
            return 1000 * inner + 10 * self.a + self.b + 0 * self.n

    net = Twice()
    out = functional_call(net, {"a": tp.tensor(2.0), "b": tp.tensor(3.0), "n": tp.tensor(0.0)}, (1,))
    assert float(out) == 53023
    assert float(net.n) == 0
    outer = nn.Sequential(Net())
    inner = functional_call(outer, {"0.scales.0": tp.zeros(2)}, (tp.ones(2),))
    close(inner, outer[0].scales[1].detach())


def test_assignments_reach_the_call_that_gave_the_tensor() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(tp.tensor(1.0))
            self.register_buffer("n", tp.tensor(0.0))

        def forward(self, nested: bool) -> tp.Tensor:
            self.n = self.n + 1
            if nested:
                functional_call(self, {"w": tp.tensor(2.0)}, (False,))
            return self.n

    net = Counting()
    # the inner call does not give n, so that its assignment is the outer call's
    assert float(functional_call(net, {"n": tp.tensor(10.0)}, (True,))) == 12
    assert float(net.n) == 0


def test_parameters_can_be_assigned_and_not_deleted() -> None:
    class Rebinding(nn.Module):
        def __init__(self, delete: bool = False) -> None:
            super().__init__()
            self.w = nn.Parameter(tp.tensor(1.0))
            self.delete = delete

        def forward(self) -> tp.Tensor:
            if self.delete:
                del self.w
            self.w = self.w * 2
            return self.w

    assert float(functional_call(Rebinding(), {"w": tp.tensor(3.0)})) == 6
    with pytest.raises(RuntimeError, match=r"cannot delete Rebinding\.w"):
        functional_call(Rebinding(delete=True), {"w": tp.tensor(3.0)})


def test_arguments() -> None:
    net = nn.Linear(2, 1)
    full = {"weight": tp.ones(1, 2), "bias": tp.zeros(1)}
    for args in ((tp.ones(2),), tp.ones(2)):
        assert float(functional_call(net, full, args)) == 2
    assert float(functional_call(net, full, kwargs={"input": tp.ones(2)})) == 2
    assert float(functional_call(net, ({"weight": full["weight"]}, {"bias": full["bias"]}), tp.ones(2))) == 2
    assert float(functional_call(net, [full], tp.ones(2))) == 2
    close(functional_call(net, {}, tp.ones(2)), net(tp.ones(2)))


def test_errors_name_the_keys() -> None:
    net = nn.Linear(2, 1)
    full = {"weight": tp.ones(1, 2), "bias": tp.zeros(1)}
    with pytest.raises(RuntimeError, match="wieght"):
        functional_call(net, {"wieght": tp.ones(1)}, tp.ones(2))
    with pytest.raises(RuntimeError, match=r"missing.*bias"):
        functional_call(net, {"weight": tp.ones(1, 2)}, tp.ones(2), strict=True)
    with pytest.raises(ValueError, match=r"weight.*more than one"):
        functional_call(net, (full, {"weight": tp.ones(1)}), tp.ones(2))
    with pytest.raises(TypeError, match=r"bias.*tensor"):
        functional_call(net, {"bias": 3}, tp.ones(2))
    with pytest.raises(ValueError, match="dict"):
        functional_call(net, 3, tp.ones(2))
    with pytest.raises(TypeError, match="Module"):
        functional_call(tp.sin, full, tp.ones(2))


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(tp.tensor([1.0, 2.0]))
        self.tied = self.weight

    def forward(self, x: tp.Tensor) -> tp.Tensor:
        return x * self.weight + self.tied


def test_tied_parameters() -> None:
    x, new = tp.ones(2), tp.tensor([10.0, 20.0])
    for name in ("weight", "tied"):
        assert np.array_equal(functional_call(Tied(), {name: new}, x, strict=True).numpy(), [20, 40])
    assert np.array_equal(functional_call(Tied(), {"weight": new, "tied": new}, x).numpy(), [20, 40])
    alone = functional_call(Tied(), {"weight": new}, x, tie_weights=False).detach()
    assert np.array_equal(alone.numpy(), [11, 22])
    with pytest.raises(ValueError, match=r"'weight', 'tied'.*tied"):
        functional_call(Tied(), {"weight": new, "tied": x}, x)
    with pytest.raises(RuntimeError, match="tied"):
        functional_call(Tied(), {"weight": new}, x, tie_weights=False, strict=True)


def test_a_shared_submodule_has_one_state() -> None:
    net = Net()
    new = tp.zeros(2, 2)
    for name in ("linear.weight", "again.weight"):
        out = functional_call(net, {name: new}, tp.ones(2))
        close(out, net.linear.bias.detach() + 1)
    with pytest.raises(ValueError, match="tied"):
        functional_call(net, {"linear.weight": new, "again.weight": tp.ones(2, 2)}, tp.ones(2), tie_weights=False)


def test_a_name_that_is_switched_off_can_be_given() -> None:
    net = nn.Linear(2, 1, bias=False)
    out = functional_call(net, {"weight": tp.zeros(1, 2), "bias": tp.tensor([3.0])}, tp.ones(2), strict=True)
    assert float(out) == 3
    assert net.bias is None


def test_other_threads_see_the_module_as_it_is() -> None:
    entered, checked = threading.Event(), threading.Event()

    class Waiting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(tp.tensor(1.0))

        def forward(self, wait: bool) -> float:
            if wait:
                entered.set()
                assert checked.wait(10)
            return float(self.w)

    net = Waiting()
    results: list[float] = []
    thread = threading.Thread(target=lambda: results.append(functional_call(net, {"w": tp.tensor(7.0)}, (True,))))
    thread.start()
    assert entered.wait(10)
    assert net(False) == 1
    assert functional_call(net, {"w": tp.tensor(3.0)}, (False,)) == 3
    checked.set()
    thread.join()
    assert results == [7]
    assert net(False) == 1


def test_jacobians_by_the_parameters() -> None:
    net = nn.Linear(3, 2).double()
    parameters = {name: p.detach() for name, p in net.named_parameters()}
    x = tp.tensor(np.arange(3.0))
    for jacobian in (jacrev, jacfwd):
        found = jacobian(functional_call, argnums=1)(net, parameters, (x,))
        close(found["weight"], np.einsum("oi,k->oik", np.eye(2), array(x)))
        close(found["bias"], np.eye(2))


def test_gradients_of_parameters_and_parameters_given_under_vmap() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)).double()
    parameters = dict(net.named_parameters())
    x = tp.tensor(np.random.default_rng(0).standard_normal((5, 3)))

    def loss(p: Any, sample: tp.Tensor) -> tp.Tensor:
        return functional_call(net, p, (sample,)).sum()

    each = vmap(grad(loss), in_dims=(None, 0))(parameters, x)
    for i in range(5):
        net.zero_grad()
        net(x[i]).sum().backward()
        for name, parameter in net.named_parameters():
            close(each[name][i], parameter.grad)


def test_batch_norm_of_an_ensemble_updates_the_given_buffers() -> None:
    models = [nn.BatchNorm1d(3).double() for _ in range(4)]
    params, buffers = stack_module_state(models)
    x = tp.tensor(np.random.default_rng(0).standard_normal((4, 6, 3)))
    given = {name: buffer.clone() for name, buffer in buffers.items()}
    out = vmap(lambda p, b, sample: functional_call(models[0], (p, b), (sample,)))(params, given, x)
    for i, model in enumerate(models):
        close(out[i], model(x[i]).detach())
        for name, buffer in model.named_buffers():
            close(given[name][i], buffer)
    assert bool((buffers["num_batches_tracked"] == 0).all())


class Weight(nn.Module):
    """One parameter, a buffer that counts, and a log."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(tp.tensor(1.0))
        self.register_buffer("n", tp.tensor(0.0))
        self.log: list[Any] = []


def weights(*values: float) -> list[dict[str, tp.Tensor]]:
    return [{"w": tp.tensor(value), "n": tp.tensor(10 * value)} for value in values]


def test_a_forward_that_is_a_coroutine_runs_with_what_was_given() -> None:
    class Slow(Weight):
        async def forward(self, steps: int) -> tuple[float, ...]:
            seen = []
            for _ in range(steps):
                self.n = self.n + 1
                seen.append(float(self.w))
                await asyncio.sleep(0)
            return (*seen, float(self.n))

    net = Slow()

    async def together() -> Any:
        return await asyncio.gather(net(3), *[functional_call(net, given, (3,)) for given in weights(2.0, 3.0)])

    plain, two, three = asyncio.run(together())
    assert two == (2, 2, 2, 23)
    assert three == (3, 3, 3, 33)
    assert plain == (1, 1, 1, 3)
    assert float(net.n) == 3

    async def cancelled() -> None:
        task = asyncio.create_task(functional_call(net, weights(5.0)[0], (10**6,)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert float(net.w) == 1

    asyncio.run(cancelled())
    assert float(net.n) == 3


def test_a_forward_that_is_a_generator_runs_with_what_was_given() -> None:
    class Pieces(Weight):
        def forward(self) -> Iterator[Any]:
            try:
                got = yield float(self.w)
                while True:
                    try:
                        got = yield (got, float(self.w))
                    except KeyError:
                        got = "caught"
            finally:
                self.log.append(float(self.w))

    net = Pieces()
    one, two = [functional_call(net, given) for given in weights(2.0, 3.0)]
    assert (next(one), next(two), next(net())) == (2, 3, 1)
    assert one.send("a") == ("a", 2)
    assert two.send("b") == ("b", 3)
    assert two.throw(KeyError()) == ("caught", 3)
    net.log.clear()
    one.close()
    del two
    assert net.log == [2, 3]

    class Ends(Weight):
        def forward(self) -> Iterator[float]:
            yield float(self.w)
            return float(self.w) + 1

    def delegating() -> Iterator[float]:
        result = yield from functional_call(Ends(), weights(4.0)[0])
        yield result

    assert list(delegating()) == [4, 5]


def test_a_forward_that_is_an_asynchronous_generator_runs_with_what_was_given() -> None:
    class Pieces(Weight):
        async def forward(self) -> AsyncIterator[float]:
            try:
                for _ in range(3):
                    await asyncio.sleep(0)
                    yield float(self.w)
            finally:
                self.log.append(float(self.w))

    net = Pieces()

    async def collected(given: Any) -> list[float]:
        return [piece async for piece in functional_call(net, given)]

    async def stopped() -> None:
        pieces = functional_call(net, weights(7.0)[0])
        assert await anext(pieces) == 7
        await pieces.aclose()

    async def together() -> Any:
        return await asyncio.gather(*map(collected, weights(2.0, 3.0)), stopped())

    assert asyncio.run(together()) == [[2, 2, 2], [3, 3, 3], None]
    assert sorted(net.log) == [2, 3, 7]


def test_exceptions_at_any_depth_leave_every_level_as_it_was() -> None:
    class Deep(Weight):
        def forward(self, depth: int) -> Any:
            self.n = self.n + 1
            if depth == 0:
                raise ZeroDivisionError
            try:
                return functional_call(self, {"w": self.w + 1}, (depth - 1,))
            finally:
                self.log.append((depth, self.w.item(), self.n.item()))

    net = Deep()
    given = {"w": tp.tensor(10.0), "n": tp.tensor(0.0)}
    with pytest.raises(ZeroDivisionError):
        functional_call(net, given, (3,))
    # the count is the outermost call's; each level has its own weight
    assert net.log == [(1, 12, 4), (2, 11, 4), (3, 10, 4)]
    assert (float(net.w), float(net.n), float(given["n"])) == (1, 0, 0)
    with pytest.raises(ZeroDivisionError):
        grad(lambda w: functional_call(net, {"w": w}, (2,)))(tp.tensor(1.0))
    assert float(net.w) == 1


def test_hooks_see_what_was_given() -> None:
    net = nn.Sequential(nn.Linear(1, 1, bias=False))
    seen = []
    net[0].register_forward_pre_hook(lambda module, args: seen.append(float(module.weight)))
    net.register_forward_hook(lambda module, args, out: out + module[0].weight.sum())
    out = functional_call(net, {"0.weight": tp.full((1, 1), 3.0)}, tp.ones(1))
    assert seen == [3]
    assert float(out) == 6


def test_tuples_of_dictionaries_and_dotted_names_of_shared_modules() -> None:
    shared = nn.Linear(1, 1)
    net = nn.ModuleDict({"a": nn.Sequential(shared), "b": shared, "c": nn.Linear(1, 1)})
    net.forward = lambda x: net["a"](x) + 10 * net["b"](x) + 100 * net["c"](x)
    ones, zeros = tp.ones(1, 1), tp.zeros(1)
    for tie in (True, False):
        out = functional_call(
            net,
            ({"a.0.weight": ones}, {"c.weight": 2 * ones, "c.bias": zeros}, {"b.bias": zeros}),
            tp.ones(1),
            tie_weights=tie,
            strict=True,
        )
        assert float(out) == 211
    with pytest.raises(ValueError, match=r"\['c\.bias'\] appear in more than one of the dicts"):
        functional_call(net, ({"c.bias": zeros}, {"c.bias": zeros}), tp.ones(1))
    with pytest.raises(RuntimeError, match=r"unexpected key\(s\) \['a\.1\.weight', 'd'\]"):
        functional_call(net, ({"a.1.weight": zeros}, {"d": zeros}), tp.ones(1))
    with pytest.raises(RuntimeError, match=r"missing key\(s\) \['a\.0\.bias', 'b\.bias', 'c\.weight', 'c\.bias'\]"):
        functional_call(net, {"a.0.weight": ones}, tp.ones(1), strict=True)


def test_three_names_of_one_tensor() -> None:
    class Thrice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Parameter(tp.tensor(1.0))
            self.b = self.c = self.a

        def forward(self) -> tp.Tensor:
            return self.a + 10 * self.b + 100 * self.c

    net = Thrice()
    new = tp.tensor(2.0)
    for names in ("a", "b", "c", "ab", "bc", "abc"):
        assert float(functional_call(net, dict.fromkeys(names, new), strict=True)) == 222
        alone = functional_call(net, dict.fromkeys(names, new), tie_weights=False)
        assert float(alone) == sum((2 if name in names else 1) * 10**i for i, name in enumerate("abc"))
    slope = grad(lambda w: functional_call(net, {"b": w}))(new)
    assert float(slope) == 111
    slope = grad(lambda w: functional_call(net, {"b": w}, tie_weights=False))(new)
    assert float(slope) == 10
    with pytest.raises(ValueError, match=r"\['a', 'b', 'c'\] are tied.*'a' and 'c' got different values"):
        functional_call(net, {"a": new, "c": tp.tensor(3.0)})
