"""``out=`` receives what the function returns: memory, views, empty tensors, mapped and differentiated ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import tensorplay as tp
from tensorplay import func, tree
from tensorplay.core.writes import owner_of
from tests.laws import checks
from tests.laws.cases import SEED, Case, over, random_numbers, resolve, tensor_leaves
from tests.laws.cases import cases as cases_of
from tests.opdb import OpRecord

# the functions that take out= in torch, of those that have a record
LISTED = """
add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax arange baddbmm bitwise_and bitwise_left_shift
bitwise_not bitwise_right_shift bitwise_xor bmm bucketize cat ceil cholesky cholesky_inverse cholesky_solve
clamp column_stack complex conj_physical copysign cos cosh cross cummax cummin cumprod cumsum deg2rad diag
digamma div dot dstack empty eq erf erfc erfinv exp exp2 expm1 eye float_power floor floor_divide fmax fmin fmod
frac frexp full gather gcd ge geqrf ger gt heaviside histc histogram histogramdd hstack hypot i0 igamma igammac
index_select inner inverse isneginf isposinf kron kthvalue lcm ldexp le lerp lgamma linspace log log1p logaddexp
logaddexp2 logcumsumexp logical_and logical_not logical_or logit logspace logsumexp lt lu_solve lu_unpack
masked_select matmul matrix_power max maximum min minimum mm mode mul multinomial mv mvlgamma nan_to_num nanmean
nanquantile narrow_copy ne neg nextafter nonzero normal ones ormqr outer polar polygamma pow quantile rand
randint randn randperm reciprocal remainder renorm round rsqrt searchsorted sgn sigmoid sign signbit sin sinc
sinh sort sqrt stack std std_mean sub svd take_along_dim tan tanh topk triangular_solve tril triu trunc var
var_mean vdot vstack where xlogy zeros linalg.cholesky linalg.cholesky_ex linalg.cond linalg.cross linalg.det
linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.householder_product linalg.inv linalg.inv_ex
linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.lu linalg.lu_factor linalg.lu_factor_ex
linalg.lu_solve linalg.matmul linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.multi_dot
linalg.norm linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.solve_ex linalg.solve_triangular linalg.svd
linalg.svdvals linalg.tensorinv linalg.tensorsolve linalg.vecdot linalg.vector_norm fft.fft fft.fft2 fft.fftfreq
fft.fftn fft.hfft fft.hfft2 fft.hfftn fft.ifft fft.ifft2 fft.ifftn fft.ihfft fft.ihfft2 fft.ihfftn fft.irfft
fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn special.airy_ai special.bessel_j0
special.bessel_j1 special.bessel_y0 special.bessel_y1 special.chebyshev_polynomial_t
special.chebyshev_polynomial_u special.chebyshev_polynomial_v special.chebyshev_polynomial_w special.entr
special.erfcx special.hermite_polynomial_h special.hermite_polynomial_he special.i0e special.i1 special.i1e
special.laguerre_polynomial_l special.legendre_polynomial_p special.log_ndtr special.modified_bessel_i0
special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1 special.ndtr special.ndtri
special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.shifted_chebyshev_polynomial_t
special.shifted_chebyshev_polynomial_u special.shifted_chebyshev_polynomial_v
special.shifted_chebyshev_polynomial_w special.spherical_bessel_j0 special.xlog1py special.zeta
"""
NAMES = frozenset(LISTED.split())
UNDEFINED = ("empty",)  # what memory held
by_records = over("out", lambda record: record.name in NAMES)
by_differentiable_records = over("out", lambda record: record.name in NAMES and record.differentiable)


def cases(record: OpRecord, count: int) -> list[Case]:
    """A few calls, of the samples whose outputs differ in shape or dtype."""
    found: dict[Any, Case] = {}
    for case in cases_of(record):
        outs = case.call(*checks.tensors(case.arrays))
        found.setdefault(tuple([(out.shape, out.dtype) for out in tensor_leaves(outs)]), case)
        if len(found) == count:
            break
    return list(found.values())


def with_out(case: Case, arrays: Sequence[Any], out: Any) -> Any:
    """The call with `out` to write into."""
    return case.call(*arrays, op=lambda *args, **kwargs: resolve(case.record.name)(*args, **kwargs, out=out))


def buffers(like: Any, make: Callable[..., tp.Tensor]) -> Any:
    """A tensor that `make` gives for the shape and dtype of each one of an output, in its structure."""
    return tree.map_leaves(lambda leaf: make(leaf.shape, dtype=leaf.dtype), like)


def ones(shape: Sequence[int], dtype: Any) -> tp.Tensor:
    """What is overwritten."""
    return tp.ones(shape, dtype=dtype)


def empty(_shape: Sequence[int], dtype: Any) -> tp.Tensor:
    """No elements yet."""
    return tp.empty(0, dtype=dtype)


def column(shape: Sequence[int], dtype: Any) -> tp.Tensor:
    """A view with strides, of the middle one of three columns."""
    return tp.ones(*shape, 3, dtype=dtype).select(-1, 1)


def same(record: OpRecord, got: Any, expected: Any) -> None:
    """Elements agree, unless they are undefined."""
    got, expected = tensor_leaves(got), tensor_leaves(expected)
    assert [leaf.shape for leaf in got] == [leaf.shape for leaf in expected]
    if record.name not in UNDEFINED:
        checks.assert_all_close(checks.arrays_of(got), checks.arrays_of(expected), 1e-12)


@by_records
def test_memory(record: OpRecord) -> None:
    """A tensor, a view with strides and an empty tensor hold the result; nothing beside the view changes."""
    for case in cases(record, 4):
        expected = case.call(*checks.tensors(case.arrays))
        plain = buffers(expected, ones)
        memory = [out.numpy() for out in tensor_leaves(plain)]
        returned = with_out(case, checks.tensors(case.arrays), plain)
        assert all([a is b for a, b in zip(tensor_leaves(returned), tensor_leaves(plain), strict=True)])
        same(record, tuple(map(tp.from_numpy, memory)), expected)

        columns = buffers(expected, column)
        with_out(case, checks.tensors(case.arrays), columns)
        same(record, columns, expected)
        for out in tensor_leaves(columns):
            around = owner_of(out.numpy())
            assert (around[..., ::2] == 1).all()

        made = buffers(expected, empty)
        with_out(case, checks.tensors(case.arrays), made)
        same(record, made, expected)


@by_records
def test_under_transforms(record: OpRecord) -> None:
    """Buffers that a mapped function makes are mapped; functionalized writes are the same."""
    for case in cases(record, 1):
        expected = case.call(*checks.tensors(case.arrays))
        if record.name in UNDEFINED or not case.arrays:
            continue

        def written(*arrays: tp.Tensor, case: Case = case, like: Any = expected) -> tuple[tp.Tensor, ...]:
            out = buffers(like, column)
            with_out(case, arrays, out)
            return tensor_leaves(out)

        same(record, func.functionalize(written)(*checks.tensors(case.arrays)), expected)
        if record.batched:
            mapped = func.vmap(written, randomness="same")(*checks.tensors([array[None] for array in case.arrays]))
            same(record, tuple([leaf[0] for leaf in mapped]), expected)


@by_differentiable_records
def test_derivatives(record: OpRecord) -> None:
    """Both modes see through the buffer; ordinary autograd refuses."""
    for case in [case for case in cases(record, 4) if case.floats and case.sample.smooth][:1]:
        like = case.call(*checks.tensors(case.arrays))

        def written(*arrays: tp.Tensor, case: Case = case, like: Any = like) -> tuple[tp.Tensor, ...]:
            out = buffers(like, ones)
            return tensor_leaves(case.free_of_gauge(with_out(case, arrays, out)))

        ways = []
        for function in (case.outputs, written):
            part = checks.restricted(function, case.arrays, case.floats)
            at = checks.tensors([case.arrays[i] for i in case.floats])
            tangents = checks.tensors(checks.noise(random_numbers(), [case.arrays[i] for i in case.floats]))
            tp.manual_seed(SEED)
            dots = checks.arrays_of(checks.push(part, at, tangents))
            ways.append([*dots, *checks.arrays_of(checks.pull(part, at, checks.tensors(dots)))])
        checks.assert_all_close(*ways)

        leaves = [
            array.requires_grad_() if array.dtype.is_floating_point or array.dtype.is_complex else array
            for array in checks.tensors(case.arrays)
        ]
        if any(leaf.requires_grad for leaf in tensor_leaves(case.call(*leaves))):
            with pytest.raises(RuntimeError, match=r"out=.*requires grad"):
                written(*leaves)


# ---- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "call"),
    [
        (r"add\(out=...\).*float32.*int64", lambda: tp.add(tp.zeros(2), 1, out=tp.zeros(2, dtype=tp.int64))),
        (r"add\(out=...\).*complex64.*float32", lambda: tp.add(tp.zeros(2), 1j, out=tp.zeros(2))),
        (r"mm\(out=...\).*\[2, 2\].*\[3\]", lambda: tp.mm(tp.eye(2), tp.eye(2), out=tp.zeros(3))),
        (r"single memory location", lambda: tp.sin(tp.zeros(3), out=tp.zeros(1).expand(3))),
        (r"zeros\(out=...\).*int64.*float32", lambda: tp.zeros(2, dtype=tp.int64, out=tp.zeros(2))),
        (r"requires grad", lambda: tp.sin(tp.zeros(2), out=tp.zeros(2, requires_grad=True))),
        (r"requires grad", lambda: tp.sin(tp.zeros(2, requires_grad=True), out=tp.empty(0))),
    ],
)
def test_refused(message: str, call: Any) -> None:
    with pytest.raises(RuntimeError, match=message):
        call()


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match=r"add\(out=...\).*int"):
        tp.add(tp.zeros(2), 1, out=3)
    with pytest.raises(TypeError, match=r"sort\(out=...\).*tuple of 2"):
        tp.sort(tp.zeros(2), out=tp.zeros(2))


def test_dtypes_and_modes() -> None:
    """Elements are cast within a category and upwards; factories make them in the dtype of out."""
    assert tp.add(tp.zeros(2, dtype=tp.float64), 1, out=tp.zeros(2)).dtype == tp.float32
    assert tp.eq(tp.zeros(2), 0, out=tp.zeros(2)).tolist() == [1.0, 1.0]
    assert tp.arange(3, out=tp.zeros(3)).tolist() == [0.0, 1.0, 2.0]
    assert tp.zeros(2, out=tp.ones(2, dtype=tp.int64)).tolist() == [0, 0]
    with tp.no_grad():
        assert not tp.sin(tp.zeros(2, requires_grad=True), out=tp.empty(0)).requires_grad
    values, indices = tp.sort(tp.tensor([2.0, 1.0]), out=(tp.empty(0), tp.empty(0, dtype=tp.int64)))
    assert (values.tolist(), indices.tolist()) == ([1.0, 2.0], [1, 0])
