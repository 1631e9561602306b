"""
Per-sample gradients on real handwritten digits.

Trains a small convolutional network on the digits that scikit-learn ships, then computes the gradient of every sample
at once with ``vmap(grad(loss))``: to take a differentially private step (Abadi et al., 2016) and to find the digits
that the network finds hardest. Prints a table with times and saves a picture. Runs in well under a minute on two cores.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from sklearn.datasets import load_digits
from tqdm import tqdm

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay import nn
from tensorplay.func import functional_call, grad, grad_and_value, vmap
from tensorplay.optim.functional import adam, adam_init

mpl.use("Agg")
import matplotlib.pyplot as plt

Params = dict[str, tp.Tensor]

SAMPLES, CHECKED = 512, 8
CLIP, NOISE = 1.0, 0.5


class DigitNet(nn.Module):
    """Two convolutions and two linear layers for one 1x8x8 image (or a batch of them)."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)
        )
        self.head = nn.Sequential(nn.Linear(32 * 4 * 4, 64), nn.ReLU(), nn.Linear(64, 10))

    def forward(self, image: tp.Tensor) -> tp.Tensor:
        """Scores of the ten digits."""
        return self.head(self.features(image).flatten(-3))  # [..., 1, 8, 8] -> [..., 10]


def load() -> tuple[tp.Tensor, tp.Tensor, tp.Tensor, tp.Tensor]:
    """Images [N, 1, 8, 8] in [0, 1] and labels [N], for training and for testing."""
    digits = load_digits()
    images = tp.tensor(digits.images / 16.0, dtype=tp.float32).unsqueeze(1)
    labels = tp.tensor(digits.target, dtype=tp.int64)
    order = tp.randperm(len(labels))
    images, labels = images[order], labels[order]
    return images[:1500], labels[:1500], images[1500:], labels[1500:]


def train(model: nn.Module, images: tp.Tensor, labels: tp.Tensor, epochs: int, batch: int = 64) -> Params:
    """Parameters after a few epochs of Adam; progress goes to the terminal."""
    params = {name: p.detach() for name, p in model.named_parameters()}
    state = adam_init(params)

    def loss(params: Params, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
        return F.cross_entropy(functional_call(model, params, (x,)), y)

    step = grad_and_value(loss)
    bar = tqdm(range(epochs), desc="training", unit="epoch", file=sys.stdout)
    for _ in bar:
        order = tp.randperm(len(labels))
        total = 0.0
        for start in range(0, len(labels), batch):
            rows = order[start : start + batch]
            grads, value = step(params, images[rows], labels[rows])
            params, state = adam(params, grads, state, lr=2e-3)
            total += value.item() * len(rows)
        bar.set_postfix(loss=f"{total / len(labels):.4f}")
    return params


def norms_of(grads: Params) -> tp.Tensor:
    """Norm of each sample's gradient over all parameters: [N, ...] each -> [N]."""
    return sum((g.flatten(1) ** 2).sum(1) for g in grads.values()) ** 0.5


def private_gradient(grads: Params, norms: tp.Tensor) -> Params:
    """Average of the gradients, each clipped to norm CLIP, with Gaussian noise: the gradient of a DP-SGD step."""
    scale = (CLIP / (norms + 1e-6)).clamp(max=1.0)  # [N]
    count = len(norms)
    clipped = {name: tp.einsum("n,n...->...", scale, g) for name, g in grads.items()}
    return {name: (g + NOISE * CLIP * tp.randn(g.shape)) / count for name, g in clipped.items()}


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """Result of a call and the milliseconds it took."""
    start = time.perf_counter()
    result = function()
    return result, (time.perf_counter() - start) * 1e3


def picture(path: Path, images: tp.Tensor, labels: tp.Tensor, guesses: tp.Tensor, norms: tp.Tensor) -> None:
    """Save the hardest digits with their gradient norms, and a histogram of all norms."""
    hardest = norms.topk(10).indices
    figure = plt.figure(figsize=(10, 5.2), layout="constrained")
    grid = figure.add_gridspec(3, 5, height_ratios=[1, 1, 1.1])
    for place, i in enumerate(hardest.tolist()):
        axes = figure.add_subplot(grid[place // 5, place % 5])
        axes.imshow(images[i, 0].numpy(), cmap="gray_r")
        axes.set_title(f"{labels[i].item()} read as {guesses[i].item()}, norm {norms[i].item():.1f}", fontsize=9)
        axes.set_axis_off()
    axes = figure.add_subplot(grid[2, :])
    axes.hist(norms.log10().numpy(), bins=60, color="#3b6ea5")
    axes.axvline(0.0, color="#c0392b", lw=1.5, label=f"clipping at norm {CLIP:g}")
    axes.set_xlabel("log10 of the per-sample gradient norm")
    axes.set_ylabel("samples")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"Per-sample gradients of {len(labels)} digits: the ten hardest, and all norms")
    figure.savefig(path, dpi=130)


def main() -> None:
    """Train, differentiate every sample, take a private step, show the hardest digits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--out", type=Path, default=Path("per_sample_gradients.png"))
    options = parser.parse_args()

    tp.manual_seed(0)
    train_x, train_y, test_x, test_y = load()
    model = DigitNet()
    params, train_ms = timed(lambda: train(model, train_x, train_y, options.epochs))
    accuracy = (functional_call(model, params, (test_x,)).argmax(1) == test_y).to(tp.float32).mean().item()

    def loss(params: Params, image: tp.Tensor, label: tp.Tensor) -> tp.Tensor:
        return F.cross_entropy(functional_call(model, params, (image,)), label)

    x, y = train_x[:SAMPLES], train_y[:SAMPLES]
    per_sample = vmap(grad(loss), in_dims=(None, 0, 0))
    grads, at_once_ms = timed(lambda: per_sample(params, x, y))
    looped, loop_ms = timed(lambda: [grad(loss)(params, x[i], y[i]) for i in range(CHECKED)])
    error = max((grads[name][i] - g).abs().max().item() for i, one in enumerate(looped) for name, g in one.items())
    if error > 1e-5:
        raise SystemExit(f"per-sample gradients differ from the loop by {error:.1e}")

    guesses = functional_call(model, params, (x,)).argmax(1)
    norms, norm_ms = timed(lambda: norms_of(grads))
    noisy, private_ms = timed(lambda: private_gradient(grads, norms))
    params = {name: p - 0.1 * noisy[name] for name, p in params.items()}

    count = sum(p.numel() for p in params.values())
    loop_all_ms = loop_ms / CHECKED * SAMPLES
    print(f"\n{'step':<46}{'time':>12}")
    print(
        f"{'training, ' + str(options.epochs) + ' epochs of ' + str(len(train_y)) + ' digits':<46}{train_ms:>9.0f} ms"
    )
    print(f"{f'{SAMPLES} gradients of {count} parameters, vmap(grad)':<46}{at_once_ms:>9.1f} ms")
    print(f"{f'the same in a loop (from {CHECKED} of them)':<46}{loop_all_ms:>9.1f} ms")
    print(f"{'norms of all gradients':<46}{norm_ms:>9.1f} ms")
    print(f"{'clip, average, add noise (DP-SGD)':<46}{private_ms:>9.1f} ms")
    print(f"\naccuracy on {len(test_y)} unseen digits: {accuracy:.1%}")
    print(f"largest difference from the loop: {error:.1e}; {loop_all_ms / at_once_ms:.1f} times faster than the loop")
    print(f"gradients above the clipping norm: {(norms > CLIP).to(tp.float32).mean().item():.1%}")

    print("\nhardest digits:  " + "  ".join(f"#{i} ({y[i].item()})" for i in norms.topk(5).indices.tolist()))
    picture(options.out, x, y, guesses, norms)
    print(f"picture: {options.out}")


if __name__ == "__main__":
    main()
