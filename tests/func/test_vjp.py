"""vjp: output, and cotangents pulled back as often as one likes."""

from __future__ import annotations

import numpy as np

import tensorplay as tp
from tensorplay.func import grad, jvp, vjp, vmap
from tests.func.support import array, close, double, normal


def test_pull() -> None:
    a, b = normal(2, 3), normal(3, 4, seed=1)
    out, pull = vjp(lambda x, y: x @ y, a, b)
    close(out, array(a) @ array(b))
    ct = normal(2, 4, seed=2)
    a_ct, b_ct = pull(ct)
    close(a_ct, array(ct) @ array(b).T)
    close(b_ct, array(a).T @ array(ct))


def test_one_entry_per_primal() -> None:
    _, pull = vjp(tp.sin, double(0.5))
    assert isinstance(pull(double(1.0)), tuple)
    (ct,) = pull(double(2.0))
    close(ct, 2 * np.cos(0.5))


def test_called_many_times_and_in_any_order() -> None:
    calls = []

    def f(x: tp.Tensor) -> tp.Tensor:
        calls.append(1)
        return x.exp() * x

    x = normal(3)
    _, pull = vjp(f, x)
    slope = np.exp(array(x)) * (1 + array(x))
    for scale in (1.0, 5.0, -2.0, 1.0):
        close(pull(tp.ones_like(x) * scale)[0], scale * slope)
    assert len(calls) == 1


def test_structures() -> None:
    def f(p: dict[str, tp.Tensor], q: list[tp.Tensor]) -> dict[str, object]:
        return {"s": p["a"] * q[0], "t": (q[1] * 2,)}

    out, pull = vjp(f, {"a": double(2.0)}, [double(3.0), double(5.0)])
    assert (out["s"].item(), out["t"][0].item()) == (6.0, 10.0)
    p_ct, q_ct = pull({"s": double(1.0), "t": (double(10.0),)})
    assert p_ct["a"].item() == 3.0
    assert [q.item() for q in q_ct] == [2.0, 20.0]


def test_aux() -> None:
    out, pull, aux = vjp(lambda x: (x**2, x * 3), double(2.0), has_aux=True)
    assert (out.item(), pull(double(1.0))[0].item(), aux.item()) == (4.0, 4.0, 6.0)
    assert not aux.requires_grad


def test_mapped_pull_gives_the_jacobian() -> None:
    x = normal(3)
    _, pull = vjp(lambda a: a**2, x)
    (rows,) = vmap(pull)(tp.eye(3, dtype=tp.float64))
    close(rows, np.diag(2 * array(x)))


def test_pull_is_differentiable_in_the_cotangent_and_at_the_point() -> None:
    x = normal(3)
    _, pull = vjp(tp.sin, x)
    # linear in the cotangent: its derivative is cos(x)
    close(grad(lambda ct: pull(ct)[0].sum())(tp.ones_like(x)), np.cos(array(x)))

    def slope(a: tp.Tensor) -> tp.Tensor:
        return vjp(tp.sin, a)[1](tp.ones_like(a))[0].sum()

    close(grad(slope)(x), -np.sin(array(x)))
    close(jvp(slope, (x,), (tp.ones_like(x),))[1], -np.sin(array(x)).sum())


def test_pull_after_the_function_returned_and_inside_another_transform() -> None:
    _, pull = vjp(lambda a: a**3, double(2.0))
    close(vmap(lambda scale: pull(scale)[0])(double([1.0, 2.0])), [12.0, 24.0])


def test_pull_made_inside_a_map_and_called_there() -> None:
    x = normal(4, 3)
    got = vmap(lambda a: vjp(lambda b: b.prod(), a)[1](double(1.0))[0])(x)
    expected = array(x).prod(1, keepdims=True) / array(x)
    close(got, expected)


def test_several_outputs_of_which_some_do_not_depend() -> None:
    out, pull = vjp(lambda x: (x * 2, double(7.0)), double(3.0))
    assert out[1].item() == 7.0
    assert pull((double(1.0), double(100.0)))[0].item() == 2.0


def test_output_that_is_the_argument() -> None:
    out, pull = vjp(lambda x: x, normal(2))
    close(out, normal(2))
    close(pull(double([5.0, 7.0]))[0], [5.0, 7.0])


def test_same_output_twice() -> None:
    _, pull = vjp(lambda x: (x * 2,) * 2, double(3.0))
    assert pull((double(1.0), double(10.0)))[0].item() == 22.0


def test_cotangents_that_require_grad() -> None:
    ct = double([1.0, 2.0]).requires_grad_()
    _, pull = vjp(lambda x: x**2, double([3.0, 4.0]))
    pull(ct)[0].sum().backward()
    assert ct.grad.tolist() == [6.0, 8.0]
