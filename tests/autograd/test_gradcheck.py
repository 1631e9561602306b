"""gradcheck and gradgradcheck pass what is right, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp
from tensorplay.autograd import Function, GradcheckError, gradcheck, gradgradcheck
from tests.func.support import normal


def double(*shape: int, seed: int = 0) -> tp.Tensor:
    return normal(*shape, seed=seed).requires_grad_()


Z = tp.tensor([1 + 2j, 3 - 1j], dtype=tp.complex128, requires_grad=True)
EVERYTHING = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
EVERY_MODE = {"check_fwd_over_rev": True, "check_batched_grad": True}


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (tp.sin, double(3)),
        (lambda x, y, k: (x * y, k * (x.sum() * y).cos()), (double(2, 3), double(3, seed=1), 2.0)),
        (lambda x, c: x @ c, (double(2, 2), normal(2, 2))),
        (lambda z: (z * z.conj() * z, z.abs()), Z),
        (lambda x: (x.sort()[0], x.argsort()), double(4)),
        (lambda x: x.sin(), double(0, 2)),
        (lambda x: tp.ones(2, dtype=tp.float64), double(2)),
    ],
)
def test_what_is_right_passes(function: Any, inputs: Any) -> None:
    assert gradcheck(function, inputs, **EVERYTHING)
    assert gradgradcheck(function, inputs, **EVERY_MODE)
    assert gradgradcheck(function, inputs, gen_non_contig_grad_outputs=True)


class Wrong(Function):
    """Derivatives that are wrong in one place each."""

    generate_vmap_rule = True
    value, first, tangent = 2.0, 2.0, 2.0

    @classmethod
    def forward(cls, x: tp.Tensor) -> tp.Tensor:
        return cls.value * x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @classmethod
    def backward(cls, ctx: Any, ct: tp.Tensor) -> tp.Tensor:
        return cls.first * ct

    @classmethod
    def jvp(cls, ctx: Any, x_dot: tp.Tensor) -> tp.Tensor:
        return cls.tangent * x_dot


class WrongPull(Wrong):
    first = 3.0


class WrongPush(Wrong):
    tangent = 3.0


def test_what_is_wrong_does_not_pass() -> None:
    x = double(2)
    assert gradcheck(Wrong.apply, x, **EVERYTHING)
    with pytest.raises(GradcheckError, match=r"reverse mode gives .* output 0 .* input 0:\nexpected tensor\(\[\[2"):
        gradcheck(WrongPull.apply, x)
    assert not gradcheck(WrongPull.apply, x, raise_exception=False)
    assert gradcheck(WrongPush.apply, x)
    with pytest.raises(GradcheckError, match="forward mode gives"):
        gradcheck(WrongPush.apply, x, check_forward_ad=True)
    assert gradcheck(WrongPull.apply, x, check_backward_ad=False, check_forward_ad=True)


def test_a_wrong_second_derivative_does_not_pass() -> None:
    class Square(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: tp.Tensor) -> tp.Tensor:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx: Any, ct: tp.Tensor) -> tp.Tensor:
            return 2 * ctx.saved_tensors[0].detach() * ct

    x = double(2)
    assert gradcheck(Square.apply, x)
    with pytest.raises(GradcheckError, match="output 0 with respect to input 0"):
        gradgradcheck(Square.apply, x)
    assert not gradgradcheck(Square.apply, x, raise_exception=False)
    assert gradgradcheck(lambda a: a * a, x, tp.ones(2, dtype=tp.float64))


def test_derivatives_that_differ_from_run_to_run() -> None:
    class Noisy(Wrong):
        runs = 0

        @classmethod
        def backward(cls, ctx: Any, ct: tp.Tensor) -> tp.Tensor:
            cls.runs += 1
            return (2 + 1e-7 * cls.runs) * ct

    x = double(2)
    with pytest.raises(GradcheckError, match="a second run"):
        gradcheck(Noisy.apply, x)
    assert gradcheck(Noisy.apply, x, nondet_tol=1e-5)


def test_inputs_must_be_fit_for_it() -> None:
    with pytest.raises(ValueError, match="requires grad"):
        gradcheck(tp.sin, normal(2))
    with pytest.warns(UserWarning, match=r"input 0 is tensorplay\.float32"):
        gradcheck(tp.sin, tp.zeros(2, requires_grad=True), atol=1e-1)


def test_functions_may_take_derivatives_themselves() -> None:
    x = double(3)
    assert gradcheck(lambda a: tp.autograd.grad((a**3).sum(), a, create_graph=True)[0], x)
