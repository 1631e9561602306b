"""An op computes what its reference computes, in every dtype and memory layout, and writes to none of its inputs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay import tree
from tests.laws import checks
from tests.laws.cases import Case, cases, make_case, over, samples, tensor_leaves
from tests.laws.checks import Array
from tests.opdb import OpRecord

SINGLE = 1e-4  # what float32 may be off


def known(record: OpRecord) -> bool:
    """Whether there is a reference."""
    return record.reference is not None


def reference(case: Case) -> Any:
    """What the reference computes on the case's arrays."""
    assert case.record.reference is not None
    args = case.arguments([np.array(array) for array in case.arrays])
    if case.record.symmetrize is not None:
        args = tree.map_leaves(_to_array, case.valid(tree.map_leaves(_to_tensor, args)))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.record.reference(*args, **case.sample.kwargs)


def _to_array(leaf: Any) -> Any:
    return leaf.numpy() if isinstance(leaf, tp.Tensor) else leaf


def _to_tensor(leaf: Any) -> Any:
    return tp.from_numpy(np.array(leaf)) if isinstance(leaf, np.ndarray) else leaf


def compare(case: Case, got: Any, expected: Any, rtol: float) -> None:
    """Same structure, values, and kinds of numbers."""
    if isinstance(got, tp.Tensor):
        expected = np.asarray(expected)
    got_leaves, spec = tree.flatten(got)
    expected_leaves = tree.flatten(expected)[0]
    assert len(got_leaves) == len(expected_leaves), f"{len(got_leaves)} outputs, expected {len(expected_leaves)}"
    if case.record.normalize is not None:
        expected = tree.unflatten(spec, [tp.from_numpy(np.array(leaf)) for leaf in expected_leaves])
        got_leaves = tensor_leaves(case.free_of_gauge(got))
        expected_leaves = tensor_leaves(case.free_of_gauge(expected))
    for position, (g, e) in enumerate(zip(got_leaves, expected_leaves, strict=True)):
        if isinstance(g, tp.Tensor):
            g, e = g.detach().numpy(), _to_array(e)
            assert g.dtype.kind == np.asarray(e).dtype.kind, (
                f"output {position}: {g.dtype}, expected {np.asarray(e).dtype}"
            )
            checks.assert_close(g, e, rtol, f"output {position}")
        else:
            assert g == e, f"output {position}: {g!r}, expected {e!r}"


@over("value", known)
def test_value(record: OpRecord) -> None:
    """Double precision, real and complex, in several memory layouts."""
    for case in cases(record):
        expected = reference(case)
        for layout in (np.array, strided, column_major):
            arrays = [layout(array) for array in case.arrays]
            before = [array.copy() for array in arrays]
            got = case.call(*[tp.from_numpy(array) for array in arrays])
            compare(case, got, expected, record.rtol)
            for array, copy in zip(arrays, before, strict=True):
                np.testing.assert_array_equal(array, copy, err_msg="the op wrote to its input")


def strided(array: Array) -> Array:
    """The same elements, with gaps between them in memory."""
    if array.ndim == 0:
        return np.array(array)
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def column_major(array: Array) -> Array:
    """The same elements, the first dim fastest in memory."""
    return np.array(array, order="F")


def single(array: Array) -> Array:
    """An array in single precision."""
    return array.astype(np.float32 if array.dtype.kind == "f" else np.complex64)


@over("single_precision", known)
def test_single_precision(record: OpRecord) -> None:
    """In float32 the result is float32 where the reference gives float64, and right to single precision."""
    for sample in samples(record):
        case = make_case(record, sample, single)
        double = make_case(record, sample, lambda array: single(array).astype(array.dtype))
        got = case.call(*checks.tensors(case.arrays))
        if "dtype" not in sample.kwargs:
            wide = [leaf.dtype for leaf in tensor_leaves(got) if leaf.dtype in (tp.float64, tp.complex128)]
            assert not wide or not case.floats, f"a float32 argument gave {wide}"
        if sample.smooth and not any(np.iscomplexobj(array) for array in case.arrays):
            compare(case, got, reference(double), max(SINGLE, record.rtol))


@over("integer", lambda record: record.integer and known(record))
def test_integer(record: OpRecord) -> None:
    """Integers are taken, and become floating-point numbers of the default dtype where the op needs them."""
    for sample in samples(record):
        if not all(np.isfinite(array).all() for array in make_case(record, sample).arrays):
            continue
        case = make_case(record, sample, lambda array: array.astype(np.int64))
        got = case.call(*checks.tensors(case.arrays))
        compare(case, got, reference(case), SINGLE)
        assert not any(leaf.dtype is tp.float64 for leaf in tensor_leaves(got)), "integers became float64"


@over("method", lambda record: record.method and "." not in record.name)
def test_method(record: OpRecord) -> None:
    """The method of a tensor is the function of that name."""
    for sample in samples(record):
        case = make_case(record, sample)
        if not isinstance(sample.args[0], np.ndarray):
            continue
        got = case.call(
            *checks.tensors(case.arrays), op=lambda first, *rest, **kw: getattr(first, record.name)(*rest, **kw)
        )
        expected = case.call(*checks.tensors(case.arrays))
        assert type(got) is type(expected)
        for g, e in zip(tree.flatten(got)[0], tree.flatten(expected)[0], strict=True):
            if isinstance(g, tp.Tensor):
                np.testing.assert_array_equal(g.detach().numpy(), e.detach().numpy())
            else:
                assert g == e


@over("memory")
def test_memory(record: OpRecord) -> None:
    """A result is its own memory, which can be written, or a view that knows its base."""
    for sample in samples(record):
        case = make_case(record, sample)
        inputs = checks.tensors(case.arrays)
        results = tensor_leaves(case.call(*inputs))
        for position, result in enumerate(results):
            if any(result is given for given in inputs) or result._root is not None:
                continue
            memory = result.detach().numpy()
            assert memory.flags.writeable, f"output {position} cannot be written"
            for given in (*inputs, *results[:position]):
                shared = np.shares_memory(memory, given.detach().numpy())
                assert not shared, f"output {position} shares memory with another tensor and does not know it"
