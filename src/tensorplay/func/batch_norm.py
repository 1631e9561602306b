"""replace_all_batch_norm_modules_: batch norm without running statistics, which every transform can map."""

from __future__ import annotations

from typing import Any


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """
    The module itself, in which no batch norm keeps running statistics any more.

    Parameters
    ----------
    root : Module
        Changed in place, with all modules below it.

    Returns
    -------
    Module
        `root`. Its batch norms normalise by the batch at hand, in evaluation mode too.

    Raises
    ------
    TypeError
        If `root` is no module.

    Examples
    --------
    >>> net = tp.nn.Sequential(tp.nn.BatchNorm1d(3))
    >>> tp.func.replace_all_batch_norm_modules_(net)[0].running_mean is None
    True
    """
    if not hasattr(root, "_slots"):
        raise TypeError(f"replace_all_batch_norm_modules_: expected a tensorplay.nn.Module, got {type(root).__name__}")
    for module in root.modules():
        if hasattr(module, "_drop_running_stats"):
            module._drop_running_stats()
    return root
