"""Normalisation with running statistics: batch norm over a batch, instance norm over each sample."""

from __future__ import annotations

from typing import Any

from tensorplay.nn import functional as F
from tensorplay.nn.module import Module
from tensorplay.nn.normalization import add_affine, reset_affine
from tensorplay.tensor.factories import tensor
from tensorplay.tensor.functions.creation import ones, zeros, zeros_like
from tensorplay.tensor.functions.neural import update_running
from tensorplay.tensor.tensor import Tensor


class _Norm(Module):
    """What the layers below share: statistics as buffers, scale and shift as parameters."""

    _version = 2
    expected_dims: tuple[int, ...]
    weight: Tensor | None
    bias: Tensor | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: Any,
        dtype: Any,
        bias: bool,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self._add_running_stats(device, dtype)
        add_affine(self, (num_features,), affine, affine and bias, device, dtype)

    def _add_running_stats(self, device: Any, dtype: Any) -> None:
        options: dict[str, Any] = {"dtype": dtype, "device": device}
        shape, tracked = (self.num_features,), self.track_running_stats
        self.register_buffer("running_mean", zeros(shape, **options) if tracked else None)
        self.register_buffer("running_var", ones(shape, **options) if tracked else None)
        self.register_buffer("num_batches_tracked", tensor(0) if tracked else None)

    def reset_running_stats(self) -> None:
        """Set the running mean to zero, the running variance to one, the count to zero."""
        if self.running_mean is not None and self.running_var is not None and self.num_batches_tracked is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set scale, shift and running statistics to where they start."""
        self.reset_running_stats()
        reset_affine(self.weight, self.bias)

    def _check_input(self, input: Tensor) -> None:
        if input.ndim not in self.expected_dims:
            expected = " or ".join(f"{n}D" for n in self.expected_dims)
            raise ValueError(f"{type(self).__name__}: expected {expected} input, got shape {list(input.shape)}")

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any) -> None:
        count = prefix + "num_batches_tracked"
        if self.num_batches_tracked is not None and local_metadata.get("version", 1) < 2 and count not in state_dict:
            # states saved before the count existed lack it
            state_dict[count] = self.num_batches_tracked.detach().clone()
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Norm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def _drop_running_stats(self) -> None:
        """Normalise by the batch at hand from now on."""
        self.running_mean = self.running_var = self.num_batches_tracked = None
        self.track_running_stats = False

    def forward(self, input: Tensor) -> Tensor:
        self._check_input(input)
        updates = self.training and self.track_running_stats
        if updates and self.momentum is None and self.num_batches_tracked is not None:
            normalised = self._averaging_all_batches(input)
        else:
            used = updates or not self.training
            mean, var = (self.running_mean, self.running_var) if used else (None, None)
            normalised = self._normalised(input, mean, var, 0.0 if self.momentum is None else self.momentum)
        if updates and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
        return normalised

    def _normalised(self, input: Tensor, mean: Tensor | None, var: Tensor | None, momentum: float) -> Tensor:
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, momentum, self.eps)

    def _averaging_all_batches(self, input: Tensor) -> Tensor:
        """Without a momentum, the running statistics are plain averages; how many batches there were may be mapped."""
        batch_mean, batch_var = zeros_like(self.running_mean), zeros_like(self.running_var)
        normalised = self._normalised(input, batch_mean, batch_var, 1.0)
        count: Any = self.num_batches_tracked
        means, variances = [
            (running, (running + (of_batch - running) / (count + 1)).value)
            for running, of_batch in ((self.running_mean, batch_mean), (self.running_var, batch_var))
        ]
        update_running("batch_norm", means, variances)
        return normalised


class _InstanceNorm(_Norm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input(input)
        unbatched = input.ndim == min(self.expected_dims)
        if self.affine and input.shape[0 if unbatched else 1] != self.num_features:
            raise ValueError(
                f"{type(self).__name__}: expected {self.num_features} channels, got an input of shape "
                f"{list(input.shape)}"
            )
        return self._normalised(input.unsqueeze(0)).squeeze(0) if unbatched else self._normalised(input)

    def _normalised(self, input: Tensor) -> Tensor:
        by_sample = self.training or not self.track_running_stats
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            by_sample,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """
    Normalisation of each channel over a batch of sequences, then a learned scale and shift.

    In training the statistics are those of the batch, and running ones are updated; in evaluation those count.

    Parameters
    ----------
    num_features : int
        Number of channels (dim 1).
    eps : float, default 1e-5
        Added to the variance.
    momentum : float or None, default 0.1
        Weight of a batch in the running statistics; None averages over all batches.
    affine : bool, default True
        Whether there is a scale (and a shift).
    track_running_stats : bool, default True
        Whether there are running statistics.
    device, dtype
        Of parameters and buffers.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Input (N, C) or (N, C, L). Ioffe & Szegedy, Batch normalization, 2015.

    Examples
    --------
    >>> tp.nn.BatchNorm1d(3)(tp.ones(4, 3)).shape
    tensorplay.Size([4, 3])
    """

    expected_dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """
    Normalisation of each channel over a batch of images, then a learned scale and shift.

    In training the statistics are those of the batch, and running ones are updated; in evaluation those count.

    Parameters
    ----------
    num_features : int
        Number of channels (dim 1).
    eps : float, default 1e-5
        Added to the variance.
    momentum : float or None, default 0.1
        Weight of a batch in the running statistics; None averages over all batches.
    affine : bool, default True
        Whether there is a scale (and a shift).
    track_running_stats : bool, default True
        Whether there are running statistics.
    device, dtype
        Of parameters and buffers.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Input (N, C, H, W). Ioffe & Szegedy, Batch normalization, 2015.

    Examples
    --------
    >>> tp.nn.BatchNorm2d(3)(tp.ones(4, 3, 2, 2)).shape
    tensorplay.Size([4, 3, 2, 2])
    """

    expected_dims = (4,)


class BatchNorm3d(_BatchNorm):
    """
    Normalisation of each channel over a batch of volumes, then a learned scale and shift.

    In training the statistics are those of the batch, and running ones are updated; in evaluation those count.

    Parameters
    ----------
    num_features : int
        Number of channels (dim 1).
    eps : float, default 1e-5
        Added to the variance.
    momentum : float or None, default 0.1
        Weight of a batch in the running statistics; None averages over all batches.
    affine : bool, default True
        Whether there is a scale (and a shift).
    track_running_stats : bool, default True
        Whether there are running statistics.
    device, dtype
        Of parameters and buffers.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Input (N, C, D, H, W). Ioffe & Szegedy, Batch normalization, 2015.

    Examples
    --------
    >>> tp.nn.BatchNorm3d(3)(tp.ones(4, 3, 2, 2, 2)).shape
    tensorplay.Size([4, 3, 2, 2, 2])
    """

    expected_dims = (5,)


class InstanceNorm1d(_InstanceNorm):
    """
    Normalisation of each channel over each sample of a batch of sequences.

    Parameters
    ----------
    num_features : int
        Number of channels.
    eps : float, default 1e-5
        Added to the variance.
    momentum : float, default 0.1
        Weight of a batch in the running statistics.
    affine : bool, default False
        Whether there is a learned scale (and a shift) of each channel.
    track_running_stats : bool, default False
        Whether there are running statistics, which count in evaluation.
    device, dtype
        Of parameters and buffers.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Input (N, C, L) or (C, L). Ulyanov et al., Instance normalization, 2016.

    Examples
    --------
    >>> tp.nn.InstanceNorm1d(3)(tp.ones(4, 3, 5)).shape
    tensorplay.Size([4, 3, 5])
    """

    expected_dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """
    Normalisation of each channel over each sample of a batch of images.

    Parameters
    ----------
    num_features : int
        Number of channels.
    eps : float, default 1e-5
        Added to the variance.
    momentum : float, default 0.1
        Weight of a batch in the running statistics.
    affine : bool, default False
        Whether there is a learned scale (and a shift) of each channel.
    track_running_stats : bool, default False
        Whether there are running statistics, which count in evaluation.
    device, dtype
        Of parameters and buffers.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Input (N, C, H, W) or (C, H, W). Ulyanov et al., Instance normalization, 2016.

    Examples
    --------
    >>> tp.nn.InstanceNorm2d(3)(tp.ones(4, 3, 2, 2)).shape
    tensorplay.Size([4, 3, 2, 2])
    """

    expected_dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """
    Normalisation of each channel over each sample of a batch of volumes.

    Parameters
    ----------
    num_features : int
        Number of channels.
    eps : float, default 1e-5
        Added to the variance.
    momentum : float, default 0.1
        Weight of a batch in the running statistics.
    affine : bool, default False
        Whether there is a learned scale (and a shift) of each channel.
    track_running_stats : bool, default False
        Whether there are running statistics, which count in evaluation.
    device, dtype
        Of parameters and buffers.
    bias : bool, default True
        Whether there is a shift.

    Notes
    -----
    Input (N, C, D, H, W) or (C, D, H, W). Ulyanov et al., Instance normalization, 2016.

    Examples
    --------
    >>> tp.nn.InstanceNorm3d(3)(tp.ones(4, 3, 2, 2, 2)).shape
    tensorplay.Size([4, 3, 2, 2, 2])
    """

    expected_dims = (4, 5)
