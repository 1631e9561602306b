"""`autograd.Function`: what its context does, and what is refused."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, hessian, jacrev, jvp, vjp, vmap


def double(*values: float) -> Any:
    return tp.tensor(values, dtype=tp.float64)


def keep_input(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[0])


class Square(tp.autograd.Function):
    generate_vmap_rule = True
    setup_context = staticmethod(keep_input)

    @staticmethod
    def forward(x: Any) -> Any:
        return x * x

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        return 2 * ctx.saved_tensors[0] * ct


def square_with(**members: Any) -> type[tp.autograd.Function]:
    """A subclass of `Square` with other methods."""
    methods = {k: staticmethod(v) if callable(v) and not isinstance(v, staticmethod) else v for k, v in members.items()}
    return type("Square", (Square,), methods)


# ---- what the context says -------------------------------------------------------------------------------------------


def test_several_outputs_and_things_that_are_no_tensors() -> None:
    seen = []

    class Parts(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, scale: float) -> Any:
            ctx.scale = scale
            return x * scale, None, (x > 0), "note", x + 1

        @staticmethod
        def backward(ctx: Any, *cts: Any) -> Any:
            seen.append(cts)
            return cts[0] * ctx.scale + 5 * cts[4], None

    _, nothing, positive, note, last = Parts.apply(double(1, -1).requires_grad_(), 3.0)
    assert nothing is None
    assert note == "note"
    assert positive.tolist() == [True, False]
    assert not positive.requires_grad
    assert last.requires_grad
    np.testing.assert_array_equal(grad(lambda x: Parts.apply(x, 3.0)[0].sum())(double(1, -1)).numpy(), [3.0, 3.0])
    (given,) = seen
    assert given[1] is None
    assert given[3] is None
    np.testing.assert_array_equal(given[4].numpy(), [0.0, 0.0])


def test_absent_cotangents_are_none_if_wanted() -> None:
    seen = []

    class Two(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            seen.append((first, second))
            return second * 2

    np.testing.assert_array_equal(grad(lambda x: Two.apply(x)[1].sum())(double(1)).numpy(), [2.0])
    assert seen[0][0] is None


def test_needs_input_grad() -> None:
    seen = []

    class Add(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any, k: int) -> Any:
            seen.append(ctx.needs_input_grad)
            return x + y

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            seen.append(ctx.needs_input_grad)
            return ct, ct, None

    grad(lambda x: Add.apply(x, double(1), 2).sum())(double(1))
    assert seen == [(True, False, False)] * 2
    seen.clear()
    Add.apply(double(1), double(1).requires_grad_(), 2).backward()
    assert seen == [(False, True, False)] * 2
    seen.clear()
    square_with(forward=lambda x: seen.append(tp.is_grad_enabled()) or x * x).apply(double(1).requires_grad_())
    assert seen == [False]


def test_what_is_marked_non_differentiable_is_a_constant() -> None:
    class Sort(tp.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2, x * 3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx: Any, ct: Any, unused: Any) -> Any:
            assert not unused.any()
            return 2 * ct

    first, second = Sort.apply(double(1).requires_grad_())
    assert first.requires_grad
    assert not second.requires_grad
    for f in (Sort.apply, vmap(Sort.apply)):
        np.testing.assert_array_equal(grad(lambda x, f=f: sum(f(x)).sum())(double(1, 2)).numpy(), [2.0, 2.0])
        np.testing.assert_array_equal(jvp(f, (double(1),), (double(1),))[1][1].numpy(), [0.0])


class AddOne(tp.autograd.Function):
    """Adds one in place, with a derivative of 7."""

    generate_vmap_rule = True

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx: Any, ct: Any) -> Any:
        return 7 * ct


class TestDirty:
    def test_the_input_is_the_output(self) -> None:
        x = double(1, 2)
        assert AddOne.apply(x) is x
        assert x.tolist() == [2.0, 3.0]

    def test_ordinary_autograd(self) -> None:
        x = double(1, 2).requires_grad_()
        y = x * 3
        z = AddOne.apply(y)
        assert z is y
        (y * y).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), 3 * 7 * 2 * np.array([4.0, 7.0]))

    def test_a_leaf_is_refused(self) -> None:
        with pytest.raises(RuntimeError, match=r"AddOne\.apply: a leaf tensor that requires grad"):
            AddOne.apply(double(1).requires_grad_())

    @pytest.mark.parametrize("wrapper", [lambda f: f, functionalize, lambda f: lambda x: vmap(f)(x)])
    def test_under_transforms(self, wrapper: Any) -> None:
        def f(x: Any) -> Any:
            y = x * 3
            AddOne.apply(y)
            return y * y

        got = grad(lambda x: wrapper(f)(x).sum())(double(1, 2))
        np.testing.assert_array_equal(got.numpy(), 3 * 7 * 2 * np.array([4.0, 7.0]))

    def test_an_argument_of_a_transform_is_written(self) -> None:
        x = double(1, 2)
        vmap(AddOne.apply)(x)
        assert x.tolist() == [2.0, 3.0]

    def test_a_write_that_is_not_marked_is_refused(self) -> None:
        silent = square_with(forward=lambda x: x.add_(1).clone())
        for transformed in (lambda: grad(silent.apply)(tp.tensor(1.0)), lambda: grad(vmap(silent.apply))(double(1))):
            with pytest.raises(RuntimeError, match=r"Square: forward wrote to input 0 in place.*ctx\.mark_dirty"):
                transformed()

    def test_what_is_not_returned_is_refused(self) -> None:
        def mark(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(inputs[0])

        with pytest.raises(RuntimeError, match=r"Square: ctx\.mark_dirty names a tensor that forward does not return"):
            square_with(setup_context=mark).apply(double(1))


def test_tensors_saved_for_each_mode() -> None:
    class Both(tp.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0], output)
            ctx.save_for_forward(inputs[0])

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            x, output = ctx.saved_tensors
            assert float(output) == 9.0
            return 2 * x * ct

        @staticmethod
        def jvp(ctx: Any, dot: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * dot

    x = tp.tensor(3.0)
    assert float(grad(Both.apply)(x)) == 6.0
    assert float(jvp(Both.apply, (x,), (x,))[1]) == 18.0


def test_forward_runs_once_and_its_context_is_kept() -> None:
    runs = []

    class Dropout(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            runs.append(1)
            ctx.mask = (tp.rand(x.shape) < 0.5).to(x.dtype)
            return x * ctx.mask

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ct * ctx.mask

    out, pull = vjp(Dropout.apply, tp.ones(20))
    np.testing.assert_array_equal(pull(tp.ones(20))[0].numpy(), out.numpy())
    assert len(runs) == 1


def test_what_is_not_saved_may_be_overwritten() -> None:
    class Triple(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 3

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ct * 3

    x, w = tp.ones(1000), tp.ones(1000, requires_grad=True)
    y = w * 1
    out = Triple.apply(y).sum()
    y.add_(x)
    out.backward()
    assert w.grad.unique().tolist() == [3.0]
    y = w * 1
    out = Square.apply(y).sum()
    with tp.no_grad():
        y.add_(x)
    with pytest.raises(RuntimeError, match=r"Square: a tensor of shape \[1000\] .* was modified in place afterwards"):
        out.backward()


def test_only_what_is_saved_is_kept() -> None:
    class Triple(tp.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ct * 3

    def total(x: Any) -> Any:
        for _ in range(20):
            x = Triple.apply(x)
        return x.sum()

    x = tp.ones(50_000, dtype=tp.float64)
    grad(total)(x)
    tracemalloc.start()
    try:
        grad(total)(x)
        assert tracemalloc.get_traced_memory()[1] < 8 * 8 * 50_000
    finally:
        tracemalloc.stop()


# ---- gradients as torch takes them -----------------------------------------------------------------------------------


def test_gradients_are_fitted_to_their_inputs() -> None:
    broadcast = square_with(backward=lambda ctx, ct: ct.expand(4, 2))
    np.testing.assert_array_equal(grad(lambda x: broadcast.apply(x).sum())(double(1, 2)).numpy(), [4.0, 4.0])
    other = square_with(backward=lambda ctx, ct: ct.float())
    assert grad(lambda x: other.apply(x).sum())(double(1, 2)).dtype is tp.float64
    turned = square_with(backward=lambda ctx, ct: ct * (2 + 1j))
    np.testing.assert_array_equal(grad(lambda x: turned.apply(x).sum())(double(1, 2)).numpy(), [2.0, 2.0])
    longer = square_with(backward=lambda ctx, ct: (ct, None, None))
    np.testing.assert_array_equal(grad(lambda x: longer.apply(x).sum())(double(1, 2)).numpy(), [1.0, 1.0])
    nothing = square_with(backward=lambda ctx, ct: None)
    np.testing.assert_array_equal(grad(lambda x: nothing.apply(x).sum())(double(1, 2)).numpy(), [0.0, 0.0])


@pytest.mark.parametrize(
    ("members", "error", "message"),
    [
        ({"backward": lambda ctx, ct: (ct, ct)}, RuntimeError, r"incorrect number of gradients \(.*, 1, got 2\)"),
        ({"backward": lambda ctx, ct: ()}, RuntimeError, r"incorrect number of gradients \(.*, 1, got 0\)"),
        ({"backward": lambda ctx, ct: tp.ones(3)}, RuntimeError, r"of shape \[3\] for input 0 of shape \[2\]"),
        ({"backward": lambda ctx, ct: 2.0}, TypeError, r"a tensor or None for input 0, got float"),
    ],
)
def test_what_backward_must_return(members: Any, error: type[Exception], message: str) -> None:
    function = square_with(**members)
    for f, shape in ((function.apply, (2,)), (vmap(function.apply), (3, 2))):
        with pytest.raises(error, match=r"Square\.backward .*" + message):
            grad(lambda x, f=f: f(x).sum())(tp.ones(shape))


def test_a_gradient_for_what_is_no_tensor_is_refused() -> None:
    class Scale(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, k: float) -> Any:
            return x * k

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ct, ct

    with pytest.raises(RuntimeError, match=r"Scale\.backward .* different from None at position 1"):
        grad(lambda x: Scale.apply(x, 2.0))(tp.tensor(1.0))


@pytest.mark.parametrize(
    ("returned", "message"),
    [(1.0, r"for output 0 a tensor of shape \[2\] or None, got float"), ((None, None), r"per output .*\(1\), got 2")],
)
def test_what_jvp_must_return(returned: Any, message: str) -> None:
    function = square_with(jvp=lambda ctx, dot: returned)
    with pytest.raises(RuntimeError, match=r"Square\.jvp must return .*" + message):
        jvp(function.apply, (tp.ones(2),), (tp.ones(2),))


# ---- batching --------------------------------------------------------------------------------------------------------


def test_an_own_rule_is_told_size_randomness_and_dims() -> None:
    seen = []

    def rule(info: Any, in_dims: Any, x: Any) -> Any:
        seen.append((info.batch_size, info.randomness, in_dims))
        return (x * x).T, 1

    function = square_with(vmap=rule, generate_vmap_rule=False)
    x = tp.tensor(np.arange(6.0).reshape(2, 3))
    got = vmap(function.apply, in_dims=1, randomness="different")(x)
    np.testing.assert_array_equal(got.numpy(), x.numpy().T ** 2)
    assert seen == [(3, "different", (0,))]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (lambda info, in_dims, x: x, r"must return a pair, the output and its out_dims, got a tensor"),
        (lambda info, in_dims, x: (x, (0, 0)), r"one entry of out_dims per output \(1\), got 2"),
        (lambda info, in_dims, x: (x, 1), r"says that dim 1 of a tensor of shape \[2\] is that of the 2 samples"),
    ],
)
def test_what_an_own_rule_must_return(rule: Any, message: str) -> None:
    function = square_with(vmap=rule, generate_vmap_rule=False)
    with pytest.raises(RuntimeError, match=r"Square\.vmap .*" + message):
        vmap(function.apply)(double(1, 2))


def test_an_own_rule_or_a_derived_one() -> None:
    with pytest.raises(RuntimeError, match="both generate_vmap_rule = True and a static method vmap"):
        vmap(square_with(vmap=lambda info, in_dims, x: (x, 0)).apply)(double(1))
    with pytest.raises(NotImplementedError, match=r"Square: this Function has no batching rule. Set"):
        vmap(square_with(generate_vmap_rule=False).apply)(double(1))


def test_a_derived_rule_draws_as_the_map_says() -> None:
    noisy = square_with(forward=lambda x: x + tp.rand(2))
    with pytest.raises(RuntimeError, match="randomness='error' forbids it"):
        vmap(noisy.apply)(tp.zeros(3, 2))
    same = vmap(noisy.apply, randomness="same")(tp.zeros(3, 2))
    different = vmap(noisy.apply, randomness="different")(tp.zeros(3, 2))
    assert len(same.unique()) == 2
    assert len(different.unique()) == 6


def test_a_derived_rule_lets_forward_write_to_what_it_makes() -> None:
    def forward(x: Any) -> Any:
        out = tp.zeros(2, dtype=tp.float64)
        out[0] = x
        out[1] = x * x
        return out

    function = square_with(forward=forward, backward=lambda ctx, ct: ct[0] + 2 * ctx.saved_tensors[0] * ct[1])
    np.testing.assert_array_equal(vmap(function.apply)(double(2, 3)).numpy(), [[2, 4], [3, 9]])
    np.testing.assert_array_equal(jacrev(vmap(function.apply))(double(2, 3)).sum(-1).numpy(), [[1, 4], [1, 6]])


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_missing_rules_are_named() -> None:
    bare = square_with(backward=None)
    with pytest.raises(NotImplementedError, match=r"Square: this Function has no reverse-mode derivative. Define"):
        grad(bare.apply)(tp.tensor(1.0))
    with pytest.raises(NotImplementedError, match=r"Square: this Function has no forward-mode derivative. Define"):
        jvp(bare.apply, (tp.tensor(1.0),), (tp.tensor(1.0),))
    with pytest.raises(NotImplementedError, match="Function: define the static method forward"):
        tp.autograd.Function.apply(1)


def test_only_tensors_are_saved() -> None:
    with pytest.raises(TypeError, match=r"ctx\.save_for_backward\(\): .* argument 0 is int"):
        square_with(setup_context=lambda ctx, inputs, output: ctx.save_for_backward(3)).apply(double(1))


def test_a_second_derivative_through_what_forward_computed_is_refused() -> None:
    class Sine(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x.cos())
            return x.sin()

        @staticmethod
        def backward(ctx: Any, ct: Any) -> Any:
            return ctx.saved_tensors[0] * ct

    assert float(grad(Sine.apply)(tp.tensor(0.0))) == 1.0
    for second in (hessian, lambda f: grad(grad(f)), lambda f: lambda x: jvp(grad(f), (x,), (x,))):
        with pytest.raises(RuntimeError, match="Sine: its derivative is differentiated again, by a tensor"):
            second(Sine.apply)(tp.tensor(0.0))


def test_once_differentiable() -> None:
    once = tp.autograd.function.once_differentiable
    function = square_with(backward=once(lambda ctx, ct: tp.from_numpy(2 * ctx.saved_tensors[0].numpy() * ct.numpy())))
    np.testing.assert_array_equal(grad(lambda x: function.apply(x).sum())(double(1, 2)).numpy(), [2.0, 4.0])
    x = double(3).requires_grad_()
    function.apply(x).sum().backward()
    assert x.grad.tolist() == [6.0]
    plain = square_with(backward=once(Square.backward))
    for second in (hessian, lambda f: grad(grad(f)), lambda f: lambda x: jvp(f, (x,), (x,))):
        with pytest.raises(RuntimeError, match="marked with @once_differentiable is differentiated again"):
            second(plain.apply)(tp.tensor(1.0))


def test_a_captured_tensor_is_a_constant_to_forward() -> None:
    w = double(2).requires_grad_()
    function = square_with(forward=lambda x: x * w)
    x = double(3).requires_grad_()
    function.apply(x).sum().backward()
    assert w.grad is None
    with pytest.raises(RuntimeError, match=r"Square\.forward: the result .* vmap\(.*\) traces and that is no input"):
        vmap(lambda w: square_with(forward=lambda x: x * w).apply(w))(double(1, 2))


def test_many_elements() -> None:
    """Where operators have a kernel for many elements, an operation of one's own has none."""

    class Doubled(tp.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: tp.Tensor) -> tp.Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, ct: tp.Tensor) -> tp.Tensor:
            return 2 * ct

    x = tp.ones(2_000_000)
    assert float(Doubled.apply(x)[-1]) == 2
    x.requires_grad_()
    Doubled.apply(x).sum().backward()
    assert float(x.grad[-1]) == 2
