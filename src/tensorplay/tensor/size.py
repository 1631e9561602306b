"""The shape of a tensor."""

from __future__ import annotations

import math


class Size(tuple[int, ...]):
    """
    Shape of a tensor: a tuple of ints.

    Parameters
    ----------
    iterable : iterable of int, default ()
        The sizes.

    Examples
    --------
    >>> tp.zeros(2, 3).shape
    tensorplay.Size([2, 3])
    """

    __slots__ = ()

    def numel(self) -> int:
        """
        Number of elements of a tensor of this shape.

        Returns
        -------
        int
            The product of the sizes.

        Examples
        --------
        >>> tp.zeros(2, 3).shape.numel()
        6
        """
        return math.prod(self)

    def __repr__(self) -> str:
        return f"tensorplay.Size({list(self)})"
