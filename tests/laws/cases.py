"""From records to what the laws take: functions of tensors, and arrays to call them with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tensorplay as tp
from tensorplay import tree
from tests.laws.checks import Array, Function, tensors, versions
from tests.opdb import OpRecord, Sample, records

SEED = 20  # of the random numbers in samples and laws


def over(law: str, wanted: Callable[[OpRecord], bool] = lambda record: True) -> Any:
    """Parametrise a test by records; those that break the law by their own account are strict xfails."""
    return pytest.mark.parametrize("record", [_param(record, law) for record in records if wanted(record)])


def _param(record: OpRecord, law: str) -> Any:
    marks = [pytest.mark.xfail(reason=record.xfail[law], strict=True)] if law in record.xfail else []
    return pytest.param(record, id=record.label, marks=marks)


def resolve(name: str) -> Any:
    """The object of a dotted name below `tensorplay`."""
    found: Any = tp
    for part in name.split("."):
        found = getattr(found, part)
    return found


@dataclass(frozen=True)
class Case:
    """One call of an op, as a function of some of its arrays."""

    record: OpRecord
    sample: Sample
    arrays: list[Array]  # all arrays among the positional arguments
    spec: Any
    leaves: list[Any]
    positions: list[int]  # of the arrays among the leaves

    @property
    def floats(self) -> list[int]:
        """Which of the arrays hold floating or complex numbers."""
        return [i for i, array in enumerate(self.arrays) if array.dtype.kind in "fc"]

    def arguments(self, arrays: Sequence[Any]) -> Any:
        """The positional arguments with other arrays (or tensors) in place."""
        leaves = list(self.leaves)
        for position, array in zip(self.positions, arrays, strict=True):
            leaves[position] = array
        return tree.unflatten(self.spec, leaves)

    def valid(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments in the op's domain."""
        if self.record.symmetrize is None:
            return args
        made = self.record.symmetrize(*args)
        return made if type(made) is tuple else (made,)

    def call(self, *arrays: Any, op: Callable[..., Any] | None = None) -> Any:
        """Output of the op (or of another function, with the same arguments) on tensors in place of the arrays."""
        if self.record.reference is None:
            tp.manual_seed(SEED)
        kwargs = tree.map_leaves(_as_tensor, self.sample.kwargs)
        return (op or resolve(self.record.name))(*self.valid(self.arguments(arrays)), **kwargs)

    def outputs(self, *arrays: Any) -> tuple[tp.Tensor, ...]:
        """The tensors among the op's outputs, free of gauge."""
        return tensor_leaves(self.free_of_gauge(self.call(*arrays)))

    def free_of_gauge(self, out: Any) -> Any:
        """Output, normalised as the record says."""
        return out if self.record.normalize is None else self.record.normalize(out)

    def smooth_function(self) -> tuple[Function, list[Array]]:
        """The floating outputs as a function of the floating arrays, and these."""
        floats = self.floats
        fixed = [None if i in floats else array for i, array in enumerate(self.arrays)]

        def function(*some: tp.Tensor) -> tuple[tp.Tensor, ...]:
            arrays = [None if array is None else tp.from_numpy(np.array(array)) for array in fixed]
            for position, value in zip(floats, some, strict=True):
                arrays[position] = value
            return tuple([out for out in self.outputs(*arrays) if out.dtype.is_floating_point or out.dtype.is_complex])

        return function, [self.arrays[i] for i in floats]

    def batches(self) -> tuple[Function, list[list[Array]]]:
        """The outputs as a function of what may be mapped, and three versions of each array."""
        if self.record.map_indices or len(self.floats) == len(self.arrays):
            function, arrays = self.outputs, self.arrays
        else:
            keep = self.floats

            def function(*some: tp.Tensor) -> tuple[tp.Tensor, ...]:
                arrays: list[Any] = list(tensors(self.arrays))
                for position, value in zip(keep, some, strict=True):
                    arrays[position] = value
                return self.outputs(*arrays)

            arrays = [self.arrays[i] for i in keep]
        return function, [versions(array, 3, vary=self.sample.smooth) for array in arrays]


def _as_tensor(leaf: Any) -> Any:
    return tp.from_numpy(np.array(leaf)) if isinstance(leaf, np.ndarray) else leaf


def tensor_leaves(out: Any) -> tuple[tp.Tensor, ...]:
    """The tensors in an output."""
    return tuple([leaf for leaf in tree.flatten(out)[0] if isinstance(leaf, tp.Tensor)])


def make_case(
    record: OpRecord, sample: Sample, convert: Callable[[Array], Array] = np.array, *, convert_options: bool = True
) -> Case:
    """A case of a sample whose floating arrays are converted, among the options too (weights, say) if wanted."""
    leaves, spec = tree.flatten(sample.args)
    positions = [i for i, leaf in enumerate(leaves) if isinstance(leaf, np.ndarray)]
    for i in positions:
        leaves[i] = convert(leaves[i]) if leaves[i].dtype.kind in "fc" else np.array(leaves[i])
    kwargs = (
        tree.map_leaves(lambda leaf: _converted(leaf, convert), sample.kwargs) if convert_options else sample.kwargs
    )
    converted = Sample(sample.args, kwargs, sample.smooth)
    return Case(record, converted, [leaves[i] for i in positions], spec, leaves, positions)


def _converted(value: Any, convert: Callable[[Array], Array]) -> Any:
    return convert(value) if isinstance(value, np.ndarray) and value.dtype.kind in "fc" else value


def samples(record: OpRecord) -> list[Sample]:
    """The samples of a record, the same every time."""
    return record.samples(np.random.default_rng(SEED))


def to_complex(array: Array) -> Array:
    """A complex array with the given real part."""
    if array.dtype.kind == "c":
        return np.array(array)
    random = np.random.default_rng(array.size)
    return array + 1j * np.asarray(random.uniform(0.2, 0.8, array.shape))


def cases(record: OpRecord) -> Iterator[Case]:
    """All cases in double precision: real, and complex where the record says so."""
    for sample in samples(record):
        case = make_case(record, sample)
        yield case
        if record.complex and any(array.dtype.kind == "f" for array in case.arrays):
            yield make_case(record, sample, to_complex, convert_options=False)


def smooth_cases(record: OpRecord) -> Iterator[tuple[Function, list[Array]]]:
    """Differentiable functions at points where they are smooth."""
    return ((case.smooth_function()) for case in cases(record) if case.sample.smooth and case.floats)


def random_numbers() -> np.random.Generator:
    """A stream for directions and cotangents, the same in every test."""
    return np.random.default_rng(SEED)
