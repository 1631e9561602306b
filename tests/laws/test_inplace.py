"""``name_`` does to its tensor what `name` computes: on itself, through views and bases, under every transform."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import tensorplay as tp
from tensorplay import func
from tests.laws import checks
from tests.laws.cases import Case, over, random_numbers, samples
from tests.laws.cases import make_case as case_of
from tests.opdb import OpRecord

by_records = over("inplace", lambda record: record.inplace)


def in_place(case: Case, first: Any, rest: Any) -> Any:
    """The in-place method on the first tensor."""
    return case.call(first, *rest, op=lambda x, *args, **kwargs: getattr(x, f"{case.record.name}_")(*args, **kwargs))


def same_shape_cases(record: OpRecord) -> Iterator[Case]:
    """Cases whose result fits into the first argument."""
    for sample in samples(record):
        case = case_of(record, sample)
        if isinstance(sample.args[0], np.ndarray):
            out = case.call(*checks.tensors(case.arrays))
            first = case.arrays[0]
            if out.shape == first.shape and out.numpy().dtype == first.dtype:
                yield case


@by_records
def test_on_itself(record: OpRecord) -> None:
    """The tensor is changed and returned; memory that NumPy shares sees it."""
    tried = 0
    for case in same_shape_cases(record):
        expected = checks.arrays_of([case.call(*checks.tensors(case.arrays))])
        memory = np.array(case.arrays[0])
        first = tp.from_numpy(memory)
        returned = in_place(case, first, checks.tensors(case.arrays[1:]))
        assert returned is first
        checks.assert_close(memory, expected[0])
        tried += 1
    assert tried, "no sample has a result of the shape and dtype of its first argument"


@by_records
def test_through_views(record: OpRecord) -> None:
    """A write through a view reaches the base and other views, under vjp and vmap too."""
    for case in same_shape_cases(record):

        def written(first: tp.Tensor, *rest: tp.Tensor, case: Case = case) -> tuple[tp.Tensor, ...]:
            base = tp.cat([first[None], first[None] * 2.0]) if case.floats else tp.cat([first[None], first[None]])
            other = base[0]
            in_place(case, base[0], rest)
            return base, other * 1

        def computed(first: tp.Tensor, *rest: tp.Tensor, case: Case = case) -> tuple[tp.Tensor, ...]:
            new = case.call(first, *rest)
            return tp.cat([new[None], first[None] * 2.0 if case.floats else first[None]]), new * 1

        _check_same(case, written, computed)


def _check_same(case: Case, written: Any, computed: Any) -> None:
    """Two functions agree: values, maps, and both derivatives."""
    arrays = case.arrays
    checks.assert_all_close(checks.run(written, arrays), checks.run(computed, arrays))
    batches = [checks.versions(array, 3, vary=case.sample.smooth) for array in arrays]
    for mix in ((0,) * len(arrays), (0,) + (None,) * (len(arrays) - 1)):
        mapped = [v[0] if d is None else np.stack(v) for v, d in zip(batches, mix, strict=True)]
        got, expected = (checks.run(func.vmap(f, in_dims=mix), mapped) for f in (written, computed))
        checks.assert_all_close(got, expected)
    if not case.record.differentiable or not case.floats:
        return
    random = random_numbers()
    tangents = checks.noise(random, [arrays[i] for i in case.floats])
    derivatives = []
    for function in (written, computed):
        part = checks.restricted(function, arrays, case.floats)
        here = checks.tensors([arrays[i] for i in case.floats])
        dots = checks.arrays_of(checks.push(part, here, checks.tensors(tangents)))
        pulled = checks.arrays_of(checks.pull(part, here, checks.tensors(dots)))
        derivatives.append([*dots, *pulled])
    checks.assert_all_close(*derivatives)
