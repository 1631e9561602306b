# %% [markdown]
# # Ensembles: twenty networks trained at once, and what they know that one does not
#
# A network says "seven, 99 %" of a digit that it has never seen. Several networks, trained from different first
# parameters on the same data, agree on what the data tell and differ on what they do not: the mean of their
# probabilities is the better answer, and their disagreement shows what is new to them (Lakshminarayanan et al.,
# 2017).
#
# The members need no loop. `stack_module_state` gives their parameters a new first dim, and `vmap` maps the training
# step over it: one call trains them all.

# %%
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from presenting import BLUE, GREY, ORANGE, Options, milliseconds, options, progress, save, table
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay import nn
from tensorplay.func import functional_call, grad_and_value, stack_module_state, vmap
from tensorplay.optim.functional import adam, adam_init

Params = dict[str, tp.Tensor]

BATCH, BINS = 32, 10

# %% [markdown]
# ## The data
#
# Handwritten digits that scikit-learn ships. Training sees the digits 0 to 7 only; eights and nines are kept apart,
# to see what the networks say of something that is new to them.


# %%
def load(count: int) -> tuple[tp.Tensor, tp.Tensor, tp.Tensor, tp.Tensor, tp.Tensor]:
    """Images and labels for training, then for testing; then images of the two digits nobody was shown."""
    digits = load_digits()
    order = tp.randperm(len(digits.target))
    images = tp.tensor(digits.data / 16, dtype=tp.float32)[order]
    labels = tp.tensor(digits.target)[order]
    known, new = images[labels < 8], images[labels >= 8]
    labels = labels[labels < 8]
    return known[:count], labels[:count], known[count:], labels[count:], new


def network() -> nn.Module:
    """A network with three hidden layers and eight scores."""
    sizes = [64, 32, 32, 32]
    hidden = [layer for a, b in pairwise(sizes) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(32, 8))


# %% [markdown]
# ## One step for all members
#
# `loss` knows one member. `vmap(grad_and_value(loss))` differentiates it for each member, on a batch of its own; Adam
# works element by element, so it takes stacked parameters as they are.


# %%
model = network()


def loss(params: Params, images: tp.Tensor, labels: tp.Tensor) -> tp.Tensor:
    """Cross-entropy of one member on its batch."""
    return F.cross_entropy(functional_call(model, params, (images,)), labels)


step = vmap(grad_and_value(loss))  # for stacked parameters and a batch per member


def batches(members: int, images: tp.Tensor, labels: tp.Tensor) -> tuple[tp.Tensor, tp.Tensor]:
    """A random batch for each member."""
    rows = tp.randint(0, len(labels), (members, BATCH))
    return images[rows], labels[rows]


def train(params: Params, images: tp.Tensor, labels: tp.Tensor, steps: int) -> Params:
    """Stacked parameters [M, ...] of the members after Adam."""
    count, state = len(params["0.bias"]), adam_init(params)
    for _ in progress(steps, f"{count} members"):
        grads, _ = step(params, *batches(count, images, labels))
        params, state = adam(params, grads, state, lr=3e-3)
    return params


def predict(params: Params, images: tp.Tensor) -> tp.Tensor:
    """Probabilities [M, N, 8] of each member: parameters are mapped, images are the same for all."""
    scores = vmap(lambda p, x: functional_call(model, p, (x,)), in_dims=(0, None))(params, images)
    return scores.softmax(-1)


# %% [markdown]
# ## What is measured
#
# *Calibration*: of all answers given with 80 % confidence, 80 % should be right. The expected calibration error is
# the gap between the two, averaged over answers in bins of confidence. The *negative log-likelihood* punishes
# confident mistakes. The *entropy* of the mean probabilities is high where members are unsure or disagree.


# %%
def reliability(probabilities: tp.Tensor, labels: tp.Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean confidence, accuracy, and number of answers, in each bin of confidence that has any."""
    confidence, answer = probabilities.max(-1)
    which = (confidence * BINS).long().clamp(max=BINS - 1).numpy()
    count = np.bincount(which, minlength=BINS)
    sums = [np.bincount(which, weights=w.numpy(), minlength=BINS) for w in (confidence, (answer == labels).double())]
    used = count > 0
    return sums[0][used] / count[used], sums[1][used] / count[used], count[used]


def calibration_error(probabilities: tp.Tensor, labels: tp.Tensor) -> float:
    """Expected gap between confidence and accuracy."""
    confidence, accuracy, count = reliability(probabilities, labels)
    return (count * abs(confidence - accuracy)).sum() / count.sum()


def entropy(probabilities: tp.Tensor) -> tp.Tensor:
    """Entropy of each answer, in nats."""
    return tp.special.entr(probabilities).sum(-1)


def judge(probabilities: tp.Tensor, labels: tp.Tensor, new: tp.Tensor) -> list[float]:
    """Accuracy, negative log-likelihood, calibration error, and AUC of telling new digits by entropy."""
    accuracy = (probabilities.argmax(-1) == labels).double().mean().item()
    likelihood = F.nll_loss(probabilities.log(), labels).item()
    novelty = tp.cat([entropy(probabilities), entropy(new)]).numpy()
    auc = roc_auc_score([0] * len(labels) + [1] * len(new), novelty)
    return [accuracy, likelihood, calibration_error(probabilities, labels), auc]


def picture(known: tp.Tensor, labels: tp.Tensor, new: tp.Tensor) -> plt.Figure:
    """Reliability of one member and of the ensemble, and entropies of known and new digits."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    left.plot([0, 1], [0, 1], color=GREY, ls=":", label="perfect")
    members = reliability(known.flatten(0, 1), labels.repeat(len(known)))
    ensemble = reliability(known.mean(0), labels)
    shown = ((members, "s--", ORANGE, "members, one by one"), (ensemble, "o-", BLUE, "ensemble"))
    for (confidence, accuracy, count), style, colour, label in shown:
        enough = count >= 10  # a share of fewer answers says nothing
        left.plot(confidence[enough], accuracy[enough], style, color=colour, label=label)
    left.set(xlabel="confidence", ylabel="accuracy at that confidence", xlim=(0.2, 1.02), ylim=(0, 1.02))
    left.legend()
    bins = np.linspace(0, np.log(8), 25)
    for probabilities, colour, label in ((known, BLUE, "digits 0 to 7"), (new, ORANGE, "digits 8 and 9, never seen")):
        right.hist(entropy(probabilities.mean(0)), bins, density=True, color=colour, alpha=0.65, label=label)
    right.set(xlabel="entropy of the ensemble's answer (nats)", ylabel="density")
    right.legend()
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Train all members at once; compare a member with the ensemble, and the time with that of a loop."""
    tp.manual_seed(0)
    count, steps = (4, 20) if options.quick else (20, 400)
    images, labels, unseen, answers, new = load(150)
    params, _ = stack_module_state([network() for _ in range(count)])
    params = train({name: p.detach() for name, p in params.items()}, images, labels, steps)

    known, novel = predict(params, unseen), predict(params, new)
    single = np.mean([judge(p, answers, n) for p, n in zip(known, novel, strict=True)], 0)
    ensemble = judge(known.mean(0), answers, novel.mean(0))
    names = ("accuracy", "negative log-likelihood", "calibration error", "AUC of telling new digits")
    rows = [(n, f"{s:.3f}", f"{e:.3f}") for n, s, e in zip(names, single, ensemble, strict=True)]
    table(("", "one member (mean)", f"ensemble of {count}"), *rows)
    batch = batches(count, images, labels)
    together = milliseconds(lambda: step(params, *batch), 20)
    one = {name: p[0] for name, p in params.items()}
    alone = milliseconds(lambda: grad_and_value(loss)(one, batch[0][0], batch[1][0]), 20)
    print(f"\ngradients of {count} members at once {together:.2f} ms, of one {alone:.2f} ms:", end=" ")
    print(f"{count * alone / together:.1f} times faster than a loop")
    save(picture(known, answers, novel), options.folder, "ensembles.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![Reliability of members and ensemble, and entropies of known and new digits](../images/ensembles.png)
#
# The ensemble is right more often than its members, its likelihood is better, and eights and nines, which no member
# has seen, stand out by their entropy. Left: members are overconfident, their points lie below the diagonal. The mean
# of their probabilities errs on the careful side: where they disagree the ensemble is less sure than it could be.
