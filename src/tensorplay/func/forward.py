"""Forward mode: jvp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorplay import tree
from tensorplay.errors import need_flags
from tensorplay.func.arguments import (
    Handles,
    check_inexact,
    describe,
    lowered_aux,
    matching_values,
    output_values,
    split_aux,
    title_of,
)
from tensorplay.interpreters.forward import Dual, Forward
from tensorplay.tensor.handle import wrap


def jvp(
    func: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
    **kwargs: Any,
) -> Any:
    """
    Output of `func` at `primals` and its directional derivative along `tangents`.

    Parameters
    ----------
    func : callable
        Takes and returns pytrees of Tensor.
    primals, tangents : tuple of pytree of Tensor
        One entry per positional argument; leaf by leaf the same shape and dtype.
    strict : bool, default False
        Raise if an output does not depend on the primals, instead of giving a zero tangent.
    has_aux : bool, default False
        Whether `func` returns ``(output, aux)``; then aux is returned too, undifferentiated.
    **kwargs : object
        Keyword arguments of `func`: constants, which are not differentiated. Bind one that is called as an option of
        this function with `functools.partial`.

    Returns
    -------
    output : pytree of Tensor
        ``func(*primals, **kwargs)``.
    tangent : pytree of Tensor
        Structure and shapes of output.
    aux : object
        Only with `has_aux`.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        If structures, shapes or dtypes of primals and tangents differ (the key path is named), a leaf is no floating or
        complex tensor, or `strict` finds an independent output.

    Notes
    -----
    One pass, no graph is kept. Griewank & Walther, Evaluating Derivatives, chapter 3.

    Examples
    --------
    >>> tp.func.jvp(tp.sin, (tp.tensor(0.0),), (tp.tensor(2.0),))
    (tensor(0.), tensor(2.))
    """
    title = title_of("jvp", func)
    need_flags(title, strict=strict, has_aux=has_aux)
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise TypeError(
            f"{title}: primals and tangents must be tuples with one entry per argument, got {describe(primals)} and "
            f"{describe(tangents)}; write (x,) for a single one"
        )
    primals, tangents = tuple(primals), tuple(tangents)
    handles = Handles(*tree.flatten(primals))
    for number, primal in enumerate(primals):
        check_inexact(title, "primals", primals, number, tree.flatten(primal)[0])
    dots = matching_values(
        title, "tangents", tangents, [leaf.value for leaf in handles.leaves], handles.spec, "primals"
    )
    level = Forward(title)
    with level:
        for position, dot in enumerate(dots):
            handles.wrap(
                position, Dual(level, handles.leaves[position].value, dot), lambda value: level.split(value)[0]
            )
        out = handles.call(func, kwargs)
        output, aux = split_aux(title, func, out) if has_aux else (out, None)
        values, spec = output_values(title, func, output)
    pairs = [level.split(value) for value in values]
    if strict and any(dot is None for _, dot in pairs):
        position = next(i for i, (_, dot) in enumerate(pairs) if dot is None)
        raise RuntimeError(
            f"{title}: output{tree.paths(output)[position]} does not depend on the primals; pass strict=False to get "
            "zeros"
        )
    handles.write_back(title)
    result = tree.unflatten(spec, [wrap(primal) for primal, _ in pairs])
    tangent = tree.unflatten(
        spec, [wrap(np.zeros(primal.shape, primal.dtype) if dot is None else dot) for primal, dot in pairs]
    )
    return (result, tangent, lowered_aux(lambda v: level.split(v)[0], aux)) if has_aux else (result, tangent)
