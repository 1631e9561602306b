"""as_strided and what it says of memory; writes to tensors whose dims repeat elements."""

from __future__ import annotations

import numpy as np
import pytest

import tensorplay as tp
from tensorplay.func import functionalize, grad, jvp, vmap
from tests.func.support import close


def test_views_see_the_memory_of_what_they_view() -> None:
    x = tp.arange(10)
    part = x[2:8:2]
    assert part.storage_offset() == 2
    view = part.as_strided((2, 2), (1, 2))
    assert view.tolist() == [[2, 4], [3, 5]]
    assert view.storage_offset() == 2
    assert view.stride() == (1, 2)
    assert view.as_strided((3,), (1,), 7).tolist() == [7, 8, 9]
    assert view.t()[1].as_strided((2,), (1,)).tolist() == [4, 5]
    assert view.detach().storage_offset() == 2
    view[0, 0] = 20
    assert x.tolist() == [0, 1, 20, 3, 4, 5, 6, 7, 8, 9]
    x[5] = 50
    assert view.tolist() == [[20, 4], [3, 50]]


def test_memory_in_another_order_than_the_elements() -> None:
    array = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    x = tp.from_numpy(array)
    np.testing.assert_array_equal(x.as_strided((6,), (1,)).numpy(), array.ravel(order="K"))
    np.testing.assert_array_equal(x[:, 1].as_strided((2, 2), (1, 2)).numpy(), [[1, 2], [4, 5]])
    x.as_strided((2,), (5,)).fill_(9.0)
    assert array[0, 0] == array[1, 2] == 9
    assert np.may_share_memory(x.as_strided((2,), (5,)).numpy(), array)


def test_derivatives_add_up_where_elements_are_seen_twice() -> None:
    x = tp.arange(4.0)
    weights = tp.tensor([[1.0, 10.0], [100.0, 1000.0]])

    def f(a: tp.Tensor) -> tp.Tensor:
        return ((2 * a)[1:].as_strided((2, 2), (1, 1), 1) ** 2 * weights).sum()

    close(grad(f)(x), [0.0, 8.0, 110 * 16.0, 1000 * 24.0])
    close(jvp(f, (x,), (tp.ones(4),))[1], 8 + 110 * 16 + 1000 * 24.0)
    leaf = x.clone().requires_grad_()
    leaf.t().as_strided((3, 2), (1, 1)).sum().backward()
    close(leaf.grad, [1.0, 2.0, 2.0, 1.0])


@pytest.mark.parametrize("in_dim", [0, 1])
def test_under_vmap_the_memory_is_that_of_a_sample(in_dim: int) -> None:
    rows = tp.arange(8.0).reshape(2, 4)
    given = rows if in_dim == 0 else rows.t()
    found = vmap(lambda r: r[1:].as_strided((2, 2), (1, 2), 0), in_dims=in_dim)(given)
    close(found, [[[0.0, 2.0], [1.0, 3.0]], [[4.0, 6.0], [5.0, 7.0]]])
    with pytest.raises(RuntimeError, match="reach element 4, but the memory has 4"):
        vmap(lambda r: r.as_strided((5,), (1,)), in_dims=in_dim)(given)


def test_writes_through_it_in_transforms() -> None:
    def f(a: tp.Tensor) -> tp.Tensor:
        b = a * 1
        b.as_strided((2,), (2,)).mul_(10)
        return b

    x = tp.ones(2, 4)
    close(grad(lambda a: f(a).sum())(x[0]), [10.0, 1.0, 10.0, 1.0])
    close(vmap(f)(x), [[10.0, 1.0, 10.0, 1.0]] * 2)
    close(functionalize(f)(x[0]), [10.0, 1.0, 10.0, 1.0])


def test_what_does_not_fit() -> None:
    x = tp.arange(6)
    with pytest.raises(RuntimeError, match="reach element 6, but the memory has 6"):
        x.as_strided((2, 3), (3, 1), 1)
    with pytest.raises(RuntimeError, match=r"of one length, got \[2\] and \[1, 1\]"):
        x.as_strided((2,), (1, 1))
    with pytest.raises(RuntimeError, match="must not be negative"):
        x.as_strided((2,), (-1,), 3)
    with pytest.raises(RuntimeError, match="has gaps"):
        tp.from_numpy(np.arange(6)[::2]).as_strided((2,), (1,))
    with pytest.raises(RuntimeError, match="another dtype"):
        tp.ones(2, dtype=tp.complex64).real.as_strided((2,), (1,))
    with pytest.raises(RuntimeError, match="more than one element"):
        x.as_strided((2, 2), (0, 1)).add_(1)
    with pytest.raises(RuntimeError, match=r"untyped_storage\(\): .*NumPy"):
        x.untyped_storage()
    assert x.as_strided((0, 9), (1, 1), 6).shape == (0, 9)


# ---- one number for all ----------------------------------------------------------------------------------------------


def test_expanded_tensors_can_be_filled() -> None:
    x = tp.arange(6.0).reshape(2, 1, 3)
    wide = x[:, :, 1].expand(2, 4)
    assert wide.fill_(9.0) is wide
    close(wide, np.full((2, 4), 9.0))
    close(x, [[[0.0, 9.0, 2.0]], [[3.0, 9.0, 5.0]]])
    close(tp.ones(1).expand(3).zero_(), np.zeros(3))
    with pytest.raises(RuntimeError, match="more than one element"):
        wide.add_(1)


def test_expanded_tensors_can_be_filled_in_transforms() -> None:
    def f(a: tp.Tensor, number: tp.Tensor) -> tp.Tensor:
        b = a * 1
        b[0].expand(3).fill_(number)
        return b

    a, numbers = tp.ones(3, 2), tp.tensor([5.0, 6.0, 7.0])
    close(vmap(f)(a, numbers), [[5.0, 1.0], [6.0, 1.0], [7.0, 1.0]])
    found = grad(lambda u, v: (f(u, v) * tp.tensor([2.0, 3.0])).sum(), (0, 1))(a[0], numbers[0])
    close(found[0], [0.0, 3.0])
    close(found[1], 2.0)


def test_memory_that_must_not_be_written_is_not_filled() -> None:
    array = np.broadcast_to(np.ones(1), (3,))
    with pytest.raises(RuntimeError, match="fill_: the memory"):
        tp.from_numpy(array).fill_(2.0)
    frozen = np.ones(1)
    frozen.flags.writeable = False
    with pytest.raises(RuntimeError, match="fill_: the memory"):
        tp.from_numpy(frozen).expand(3).fill_(2.0)
