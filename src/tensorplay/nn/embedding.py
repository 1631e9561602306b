"""Tables of vectors that are looked up by index."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn import init
from tensorplay.nn.linear import make_parameter
from tensorplay.nn.module import Module
from tensorplay.nn.parameter import Parameter
from tensorplay.tensor.tensor import Tensor


class _Table(Module):
    """What the layers below share: the table and where its padding is."""

    weight: Tensor
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None

    def _add_table(self, given: Tensor | None, freeze: bool, device: Any, dtype: Any) -> None:
        shape = (self.num_embeddings, self.embedding_dim)
        if given is None:
            self.weight = make_parameter(*shape, dtype=dtype, device=device)
            self.weight.requires_grad_(not freeze)
            self.reset_parameters()
            return
        if tuple(given.shape) != shape:
            raise ValueError(f"{type(self).__name__}: the table has shape {list(given.shape)}, expected {list(shape)}")
        self.weight = Parameter(given, requires_grad=not freeze)

    def _resolved_padding(self, padding_idx: int | None) -> int | None:
        """The index of the padding as a non-negative int."""
        if padding_idx is None:
            return None
        if not -self.num_embeddings <= padding_idx < self.num_embeddings:
            raise ValueError(
                f"{type(self).__name__}: padding_idx {padding_idx} is out of range for {self.num_embeddings} embeddings"
            )
        return padding_idx % self.num_embeddings

    def reset_parameters(self) -> None:
        """Draw the table anew; the padding is zero."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])


class Embedding(_Table):
    """
    Rows of a learned table, looked up by index.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Number of rows, and their length.
    padding_idx : int, optional
        A row that gets no gradient, and starts at zero.
    max_norm : float, optional
        Rows with a larger norm are scaled down, in place, when they are looked up.
    norm_type : float, default 2.0
        Order of that norm.
    scale_grad_by_freq : bool, default False
        Divide the gradient of a row by how often it is looked up in a call.
    sparse : bool, default False
        Accepted; gradients are dense.
    _weight : Tensor, optional
        The table, instead of a random one; see `from_pretrained`.
    _freeze : bool, default False
        Whether it is not to be trained.
    device, dtype
        Of the table.

    Examples
    --------
    >>> tp.nn.Embedding(10, 3)(tp.tensor([[1, 2], [4, 5]])).shape
    tensorplay.Size([2, 2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = self._resolved_padding(padding_idx)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self._add_table(_weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """
        An Embedding on a table that exists.

        Parameters
        ----------
        embeddings : Tensor
            The table, a matrix.
        freeze : bool, default True
            Whether it is not to be trained.
        padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
            As for the class.

        Returns
        -------
        Embedding
            Shares the table's memory.

        Examples
        --------
        >>> tp.nn.Embedding.from_pretrained(tp.tensor([[1.0, 2.0]]))(tp.tensor([0]))
        tensor([[1., 2.]])
        """
        if embeddings.ndim != 2:
            raise ValueError(f"Embedding.from_pretrained: expected a matrix, got shape {list(embeddings.shape)}")
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        shown = [f"{self.num_embeddings}, {self.embedding_dim}"]
        shown += [f"padding_idx={self.padding_idx}"] if self.padding_idx is not None else []
        shown += [f"max_norm={self.max_norm}"] if self.max_norm is not None else []
        shown += [f"norm_type={self.norm_type}"] if self.norm_type != 2 else []
        shown += ["scale_grad_by_freq=True"] if self.scale_grad_by_freq else []
        shown += ["sparse=True"] if self.sparse else []
        return ", ".join(shown)


class EmbeddingBag(_Table):
    """
    Sums, means or maxima of bags of rows of a learned table.

    Parameters
    ----------
    num_embeddings, embedding_dim : int
        Number of rows, and their length.
    max_norm : float, optional
        Rows with a larger norm are scaled down, in place, when they are looked up.
    norm_type : float, default 2.0
        Order of that norm.
    scale_grad_by_freq : bool, default False
        Divide the gradient of a row by how often it is looked up in a call.
    mode : {"sum", "mean", "max"}, default "mean"
        What becomes of a bag.
    sparse : bool, default False
        Accepted; gradients are dense.
    _weight : Tensor, optional
        The table, instead of a random one; see `from_pretrained`.
    include_last_offset : bool, default False
        Whether the last offset is the end of the last bag.
    padding_idx : int, optional
        A row that does not count.
    device, dtype
        Of the table.

    Examples
    --------
    >>> tp.nn.EmbeddingBag(10, 3)(tp.tensor([1, 2, 4, 5]), tp.tensor([0, 2])).shape
    tensorplay.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self.padding_idx = self._resolved_padding(padding_idx)
        self._add_table(_weight, False, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """
        An EmbeddingBag on a table that exists.

        Parameters
        ----------
        embeddings : Tensor
            The table, a matrix.
        freeze : bool, default True
            Whether it is not to be trained.
        max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx
            As for the class.

        Returns
        -------
        EmbeddingBag
            Shares the table's memory.

        Examples
        --------
        >>> tp.nn.EmbeddingBag.from_pretrained(tp.tensor([[1.0], [3.0]]))(tp.tensor([[0, 1]]))
        tensor([[2.]])
        """
        if embeddings.ndim != 2:
            raise ValueError(f"EmbeddingBag.from_pretrained: expected a matrix, got shape {list(embeddings.shape)}")
        rows, columns = embeddings.shape
        bag = cls(
            rows,
            columns,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad_(not freeze)
        return bag

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        shown = [f"{self.num_embeddings}, {self.embedding_dim}"]
        shown += [f"max_norm={self.max_norm}"] if self.max_norm is not None else []
        shown += [f"norm_type={self.norm_type}"] if self.norm_type != 2 else []
        shown += ["scale_grad_by_freq=True"] if self.scale_grad_by_freq else []
        return ", ".join(
            [
                *shown,
                f"mode={self.mode!r}",
                *([f"padding_idx={self.padding_idx}"] if self.padding_idx is not None else []),
            ]
        )
