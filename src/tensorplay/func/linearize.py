"""linearize: evaluate once, then push as many tangents as you like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.core.modes import quiet
from tensorplay.errors import need_flags
from tensorplay.func.arguments import matching_values, title_of
from tensorplay.func.reverse import Recording
from tensorplay.interpreters.push import Course, course_to, push_along
from tensorplay.tensor.handle import wrap


def linearize(func: Callable[..., Any], *primals: Any, has_aux: bool = False, **kwargs: Any) -> Any:
    """
    Output of `func` and its derivative at `primals` as a linear function of tangents.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor. It is evaluated once.
    *primals : pytree of Tensor
        Arguments of `func`.
    has_aux : bool, default False
        Whether `func` returns ``(output, aux)``; then aux is returned too, undifferentiated.
    **kwargs : object
        Keyword arguments of `func`: constants, which are not differentiated. Bind one that is called as an option of
        this function with `functools.partial`.

    Returns
    -------
    output : pytree of Tensor
        ``func(*primals, **kwargs)``.
    jvp_fn : callable
        Takes one tangent per primal, of its structure, shapes and dtypes; returns the tangent of the output. It may be
        called many times, under other transforms too, and evaluates nothing again that depends on the primals alone.
    aux : object
        Only with `has_aux`.

    Raises
    ------
    RuntimeError, TypeError
        If a primal is no floating or complex tensor, or an output no tensor.
    ValueError
        By ``jvp_fn``, if tangents do not match the primals.

    Examples
    --------
    >>> y, push = tp.func.linearize(lambda x: x**3, tp.tensor(2.0))
    >>> y, push(tp.tensor(1.0)), push(tp.tensor(10.0))
    (tensor(8.), tensor(12.), tensor(120.))
    """
    title = title_of("linearize", func)
    need_flags(title, has_aux=has_aux)
    recording = Recording(title, func, primals, kwargs, range(len(primals)), has_aux)
    recording.write_back(keep=True)
    course = course_of(recording)
    _, primals_spec = tree.flatten(primals)

    def jvp_fn(*tangents: Any) -> Any:
        """Tangent of the output along `tangents`."""
        like = [leaf.inner for leaf in recording.leaves]
        dots = matching_values(f"{title}'s function", "tangents", tangents, like, primals_spec, "primals")
        return tree.unflatten(recording.spec, [wrap(dot) for dot in push_values(recording, course, dots)])

    output = recording.lowered()
    return (output, jvp_fn, recording.aux) if has_aux else (output, jvp_fn)


def course_of(recording: Recording) -> Course:
    """What tangents pass on their way to the outputs of a recording."""
    if recording.level.hooked:
        raise RuntimeError(
            f"{recording.title}: a hook was registered on a tensor that it differentiates, but tangents are pushed "
            "forward here, and no gradient arrives. Use reverse mode: grad, vjp or jacrev."
        )
    return course_to([value.node for value in recording.values if recording.level.is_recorded(value)])


def push_values(recording: Recording, course: Course, tangents: Any, *, last: bool = False) -> list[Any]:
    """Tangents of the outputs of a recording, zeros where nothing depends; after the `last` push there is no other."""
    level = recording.level
    recorded = [value for value in recording.values if level.is_recorded(value)]
    with quiet():
        dots = iter(push_along(list(zip(recording.leaves, tangents, strict=True)), recorded, course, consume=last))
    pushed = [next(dots) if level.is_recorded(value) else None for value in recording.values]
    return [
        np.zeros(value.shape, value.dtype) if dot is None else dot
        for value, dot in zip(recording.values, pushed, strict=True)
    ]
