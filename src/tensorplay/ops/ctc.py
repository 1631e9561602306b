"""Connectionist temporal classification: the likelihood of label sequences under all their alignments in time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorplay.core.value import Value, ground
from tensorplay.ops import families
from tensorplay.ops.arithmetic import add, div, neg
from tensorplay.ops.comparison import clamp_min, eq, ge, gt, isinf, logical_and, logical_or, lt, ne
from tensorplay.ops.families import reshape
from tensorplay.ops.indexing import concrete, take_along, where
from tensorplay.ops.loss import reduced, reduction_of
from tensorplay.ops.promotion import cast
from tensorplay.ops.shape import broadcast_to, cat, slice_key
from tensorplay.ops.softmax import logsumexp

INT64 = np.dtype("int64")


def ctc_loss(
    log_probs: Value,
    targets: Value,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Value:
    """
    Negative log-likelihood of label sequences, summed over all their alignments with a longer input.

    Parameters
    ----------
    log_probs : Tensor
        Logarithms of probabilities, of shape ``[time, batch, classes]``, or ``[time, classes]`` for a single sequence.
    targets : Tensor
        Classes, of shape ``[batch, longest]``, or those of all sequences one after the other; ``[longest]`` for a
        single sequence.
    input_lengths, target_lengths : Tensor or sequence of int
        Lengths of the sequences, of shape ``[batch]``, or 0-d for a single one.
    blank : int, default 0
        The class that separates equal labels and stands where there is none.
    reduction : {"mean", "sum", "none"}, default "mean"
        What becomes of the sequences; for the mean, each is divided by its target length first.
    zero_infinity : bool, default False
        Whether sequences that are too long for their input cost nothing, instead of infinitely much.

    Returns
    -------
    Tensor
        0-d, or of shape ``[batch]`` where nothing is reduced.

    Raises
    ------
    RuntimeError
        If shapes, lengths or classes do not fit.

    Notes
    -----
    Graves et al., "Connectionist temporal classification", 2006; the forward recursion in logarithms.

    Examples
    --------
    >>> logs = tp.tensor([[-1.0, -0.5], [-1.0, -0.5]])
    >>> tp.nn.functional.ctc_loss(logs, tp.tensor([1]), tp.tensor(2), tp.tensor(1))
    tensor(0.2056)
    """
    how = reduction_of("ctc_loss", reduction)
    single = log_probs.ndim == 2
    if log_probs.ndim not in (2, 3) or log_probs.dtype.kind != "f":
        raise RuntimeError(
            f"ctc_loss(): log_probs must be floating-point, [time, batch, classes] or [time, classes], got "
            f"{log_probs.dtype} and shape {list(log_probs.shape)}"
        )
    if single:
        log_probs = reshape(log_probs, shape=(log_probs.shape[0], 1, log_probs.shape[1]))
    steps, batch, classes = log_probs.shape
    inputs = _lengths("input_lengths", input_lengths, batch, steps)
    lengths = _lengths("target_lengths", target_lengths, batch)
    labels = _padded_targets(targets, lengths, batch)
    _check_classes(labels, lengths, blank, classes)
    loss = _negative_log_likelihood(log_probs, labels, inputs, lengths, blank)
    if zero_infinity:
        loss = where(isinf(loss), np.zeros((), loss.dtype), loss)
    if how == "mean":
        loss = div(loss, cast(clamp_min(lengths, 1), loss.dtype))
    return reshape(loss, shape=()) if single and how == "none" else reduced(loss, how)


# ---- arguments -------------------------------------------------------------------------------------------------------


def _lengths(title: str, given: Any, batch: int, most: int | None = None) -> Value:
    """Lengths as a value [batch]."""
    lengths = given if hasattr(given, "dtype") else np.asarray(given, INT64)
    if lengths.dtype.kind not in "iu" or lengths.size != batch:
        raise RuntimeError(f"ctc_loss(): {title} must hold {batch} integers, got shape {list(lengths.shape)}")
    numbers = ground(lengths)
    if numbers.size and (numbers.min() < 0 or (most is not None and numbers.max() > most)):
        raise RuntimeError(f"ctc_loss(): {title} must lie between 0 and {most}, got {numbers.tolist()}")
    return reshape(cast(lengths, INT64), shape=(batch,))


def _padded_targets(targets: Value, lengths: Value, batch: int) -> Value:
    """Targets [batch, longest]."""
    if targets.dtype.kind not in "iu":
        raise RuntimeError(f"ctc_loss(): targets must hold integers, got {targets.dtype}")
    targets = cast(targets, INT64)
    if targets.ndim == 2 and targets.shape[0] == batch:
        if ground(lengths).max(initial=0) > targets.shape[1]:
            raise RuntimeError(f"ctc_loss(): target_lengths exceed the targets, of shape {list(targets.shape)}")
        return targets
    if targets.ndim != 1:
        raise RuntimeError(
            f"ctc_loss(): targets must have shape [{batch}, longest] or be one sequence, got {list(targets.shape)}"
        )
    counts = concrete(lengths, "ctc_loss() with the targets of all sequences one after the other")
    if counts.sum() > targets.shape[0]:
        raise RuntimeError(
            f"ctc_loss(): target_lengths add up to {counts.sum()}, but there are {targets.shape[0]} targets"
        )
    starts = np.cumsum(counts) - counts
    places = starts[:, None] + np.arange(int(counts.max(initial=0)))
    flat = np.minimum(places, max(targets.shape[0] - 1, 0)).ravel()
    return reshape(take_along(targets, flat, dim=0), shape=places.shape)


def _check_classes(labels: Value, lengths: Value, blank: int, classes: int) -> None:
    if not 0 <= blank < classes:
        raise RuntimeError(f"ctc_loss(): blank must be one of {classes} classes, got {blank}")
    padding = ge(np.arange(labels.shape[-1]), reshape(lengths, shape=(*lengths.shape, 1)))
    within = logical_or(padding, logical_and(ge(labels, 0), lt(labels, classes)))
    if (~ground(within)).any():
        raise RuntimeError(f"ctc_loss(): targets must be classes from 0 to {classes - 1}")


# ---- the recursion ---------------------------------------------------------------------------------------------------


def _column(value: Value, start: int, stop: int) -> Value:
    return slice_key(value, key=(slice(None), slice(start, stop)))


def _negative_log_likelihood(log_probs: Value, labels: Value, inputs: Value, lengths: Value, blank: int) -> Value:
    """
    Loss of each sequence.

    The states of a sequence of labels a, b are: blank, a, blank, b, blank. ``alpha[s]`` is the log-likelihood of all
    alignments of the input so far that end in state s; the last state is the last blank or the last label.
    """
    steps, batch, _ = log_probs.shape
    states = _states(labels, lengths, blank)
    count = states.shape[1]
    index = broadcast_to(states, (steps, batch, count))
    emitted = take_along(log_probs, index, dim=2)  # [time, batch, states]
    skips = _may_skip(states, blank)
    never = np.full((batch, count), -math.inf, log_probs.dtype)
    alpha = where(np.arange(count) < 2, np.zeros((), log_probs.dtype), never)
    for t in range(steps):
        now = slice_key(emitted, key=(t, slice(None), slice(None)))
        moved = add(alpha, now) if t == 0 else add(_arrivals(alpha, skips), now)
        alpha = where(reshape(gt(inputs, t), shape=(batch, 1)), moved, alpha)
    last = families.mul(reshape(lengths, shape=(batch, 1)), np.asarray(2))
    before = where(gt(last, 0), families.add(last, np.asarray(-1)), last)
    ends = cat([take_along(alpha, last, dim=1), take_along(alpha, before, dim=1)], 1)
    none = np.asarray(-math.inf, log_probs.dtype)
    counted = cat([np.ones((batch, 1), bool), broadcast_to(gt(last, 0), (batch, 1))], 1)
    loss = neg(logsumexp(where(counted, ends, none), 1))
    nothing = where(eq(lengths, 0), np.zeros((), loss.dtype), np.asarray(math.inf, loss.dtype))
    return where(eq(inputs, 0), nothing, loss)


def _states(labels: Value, lengths: Value, blank: int) -> Value:
    """Classes of the states, [batch, 2 * longest + 1]: labels between blanks, only blanks behind the end."""
    batch, longest = labels.shape
    given = lt(np.arange(longest), reshape(lengths, shape=(batch, 1)))
    labels = where(given, labels, np.asarray(blank))
    pairs = cat([np.full((batch, longest, 1), blank), reshape(labels, shape=(batch, longest, 1))], 2)
    return cat([reshape(pairs, shape=(batch, 2 * longest)), np.full((batch, 1), blank)], 1)


def _may_skip(states: Value, blank: int) -> Value:
    """Whether a state may follow the last but one: it is a label, and another one."""
    batch, count = states.shape
    other = ne(_column(states, 2, count), _column(states, 0, count - 2))
    allowed = logical_and(other, ne(_column(states, 2, count), blank))
    return cat([np.zeros((batch, min(2, count)), bool), allowed], 1) if count > 2 else np.zeros((batch, count), bool)


def _arrivals(alpha: Value, skips: Value) -> Value:
    """Log-likelihoods of coming into each state: from itself, from the one before, or from the last but one."""
    batch, count = alpha.shape
    never = np.full((batch, 2), -math.inf, alpha.dtype)
    one = cat([never[:, :1], _column(alpha, 0, count - 1)], 1)
    two = _column(cat([never, alpha], 1), 0, count)
    two = where(skips, two, np.asarray(-math.inf, alpha.dtype))
    stacked = cat([reshape(x, shape=(1, batch, count)) for x in (alpha, one, two)], 0)
    return logsumexp(stacked, 0)
