# %% [markdown]
# # Jacobians and Hessians, with heat maps
#
# The *Jacobian* of a network tells which input moves which output; the *Hessian* of a loss how parameters act
# together, how sure an estimate is, and where training is stiff. Both are functions of functions: `jacrev`, `jacfwd`
# and `hessian` return them for anything that can be computed.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import SymLogNorm
from presenting import BLUE, GREEN, ORANGE, Options, milliseconds, options, progress, save, table
from sklearn.datasets import load_digits, load_iris

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay.func import grad, grad_and_value, hessian, jacfwd, jacrev, vmap
from tensorplay.optim.functional import adam, adam_init

HIDDEN = 32

# %% [markdown]
# ## Which pixel speaks for which digit?
#
# A network that reads handwritten digits maps 64 pixels to ten scores. Its Jacobian at an image is a 10×64 matrix;
# each row is itself an image: where more ink would raise the score of that digit (red), and where it would lower it
# (blue).


# %%
def scores(params: dict[str, tp.Tensor], image: tp.Tensor) -> tp.Tensor:
    """Ten scores of one image [64]."""
    hidden = (params["w"] @ image + params["b"]).tanh()
    return params["v"] @ hidden + params["c"]


def train(images: tp.Tensor, labels: tp.Tensor, steps: int) -> dict[str, tp.Tensor]:
    """Parameters after Adam with a little weight decay."""
    params = {"w": tp.randn(HIDDEN, 64) / 4, "b": tp.zeros(HIDDEN), "v": tp.randn(10, HIDDEN) / 6, "c": tp.zeros(10)}
    params = {name: p.double() for name, p in params.items()}

    def loss(params: dict[str, tp.Tensor], images: tp.Tensor, labels: tp.Tensor) -> tp.Tensor:
        fit = F.cross_entropy(vmap(scores, in_dims=(None, 0))(params, images), labels)
        return fit + 1e-4 * sum((p**2).sum() for p in params.values())

    state, step = adam_init(params), grad_and_value(loss)
    for _ in progress(steps, "training"):
        rows = tp.randint(0, len(labels), (128,))
        grads, _ = step(params, images[rows], labels[rows])
        params, state = adam(params, grads, state, lr=1e-2)
    return params


# %% [markdown]
# `jacrev` pulls the ten outputs back, `jacfwd` pushes the 64 inputs forward. Here the output is the smaller side, so
# `jacrev` is the one to take; `vmap` gives the Jacobians of many images. All must agree with central differences.


# %%
def central_differences(f: Callable[[tp.Tensor], tp.Tensor], x: tp.Tensor, step: float = 1e-5) -> tp.Tensor:
    """Jacobian [outputs, inputs], one input at a time."""
    columns = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in tp.eye(len(x), dtype=x.dtype)]
    return tp.stack(columns, 1)


def jacobians(params: dict[str, tp.Tensor], images: tp.Tensor) -> None:
    """Print what the ways to a Jacobian cost, and how far they are from the first."""

    def f(image: tp.Tensor) -> tp.Tensor:
        return scores(params, image)

    exact = vmap(jacrev(f))(images)
    ways = {
        "vmap(jacrev): ten pulls": vmap(jacrev(f)),
        "vmap(jacfwd): 64 pushes": vmap(jacfwd(f)),
        "central differences, one by one": lambda images: tp.stack([central_differences(f, x) for x in images]),
    }
    rows = [(f"Jacobians of {len(images)} images", "time", "difference")]
    for name, way in ways.items():
        difference = (way(images) - exact).abs().max().item()
        rows.append((name, f"{milliseconds(lambda way=way: way(images), 2):.1f} ms", f"{difference:.0e}"))
    table(*rows)


# %% [markdown]
# ## How sure is an estimate?
#
# Logistic regression of the iris species on four measurements, by Newton's method: the step is the gradient divided
# by the Hessian, and `hessian(loss)` is all it takes. At the optimum the inverse Hessian of the negative
# log-likelihood is the covariance of the estimate (the curvature *is* the information). For this model the Hessian
# has a closed form, Σₙ (diag(pₙ) − pₙpₙᵀ) ⊗ xₙxₙᵀ, which checks ours.


# %%
def negative_log_posterior(weights: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Of weights [species * features], with a normal prior of variance 10."""
    return F.cross_entropy(x @ weights.reshape(3, -1).T, y, reduction="sum") + (weights**2).sum() / 20


def newton(x: tp.Tensor, y: tp.Tensor) -> tuple[tp.Tensor, list[float]]:
    """Optimum, and the norm of the gradient before each step."""
    weights, norms = tp.zeros(3 * x.shape[1], dtype=tp.float64), []
    for _ in range(12):
        g = grad(negative_log_posterior)(weights, x, y)
        norms.append(g.norm().item())
        weights = weights - tp.linalg.solve(hessian(negative_log_posterior)(weights, x, y), g)
    return weights, norms


def closed_form(weights: tp.Tensor, x: tp.Tensor) -> np.ndarray:
    """The same Hessian by its formula, in NumPy."""
    p = (x @ weights.reshape(3, -1).T).softmax(-1).numpy()
    outer = np.einsum("ni,ij->nij", p, np.eye(3)) - np.einsum("ni,nj->nij", p, p)
    data = np.einsum("nij,nk,nl->ikjl", outer, x.numpy(), x.numpy())
    return data.reshape(len(weights), -1) + np.eye(len(weights)) / 10


# %% [markdown]
# ## Pictures


# %%
def draw_jacobian(params: dict[str, tp.Tensor], images: tp.Tensor, labels: tp.Tensor) -> plt.Figure:
    """Some images, and the rows of the Jacobian there as images of their own."""
    figure, grid = plt.subplots(3, 11, figsize=(11, 3.3))
    for row, digit in zip(grid, (3, 4, 8), strict=True):
        image = images[labels == digit][0]
        jacobian = jacrev(lambda x: scores(params, x))(image)
        jacobian = jacobian / jacobian.abs().max()
        row[0].imshow(image.reshape(8, 8), cmap="gray_r")
        for k, axes in enumerate(row[1:]):
            shown = axes.imshow(jacobian[k].reshape(8, 8), cmap="RdBu_r", vmin=-1, vmax=1)
    figure.colorbar(shown, ax=grid, label="∂ score / ∂ ink (of the row's largest)", pad=0.01, fraction=0.02)
    for k, axes in enumerate(grid[0]):
        axes.set_title("image" if k == 0 else f"score of {k - 1}", fontsize=9)
    for axes in grid.flat:
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(True)
    return figure


def draw_hessian(weights: tp.Tensor, curvature: tp.Tensor, names: list[str]) -> plt.Figure:
    """The Hessian in blocks of species, and the estimates with two standard errors."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), width_ratios=[1.1, 1])
    limit = curvature.abs().max().item()
    shown = left.imshow(curvature, cmap="RdBu_r", norm=SymLogNorm(0.1, vmin=-limit, vmax=limit))
    figure.colorbar(shown, ax=left, label="∂²loss / ∂wᵢ ∂wⱼ")
    size = len(names)
    for edge in (size - 0.5, 2 * size - 0.5):
        left.axhline(edge, color="k", lw=0.8)
        left.axvline(edge, color="k", lw=0.8)
    species = ["setosa", "versicolor", "virginica"]
    left.set_xticks([size * k + (size - 1) / 2 for k in range(3)], species)
    left.set_yticks([size * k + (size - 1) / 2 for k in range(3)], species, rotation=90, va="center")
    left.tick_params(length=0)
    errors = tp.linalg.inv(curvature).diagonal().sqrt().reshape(3, -1)
    for k, (colour, shift) in enumerate(((BLUE, -0.2), (ORANGE, 0.0), (GREEN, 0.2))):
        place = np.arange(size) + shift
        right.errorbar(weights.reshape(3, -1)[k], place, xerr=2 * errors[k], fmt="o", color=colour, label=species[k])
    right.axvline(0, color="k", lw=0.8)
    right.set_yticks(range(size), names)
    right.invert_yaxis()
    right.set_xlabel("weight ± 2 standard errors")
    right.legend(fontsize=9, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Differentiate a network by its inputs and a likelihood twice by its parameters; draw both."""
    tp.manual_seed(0)
    digits = load_digits()
    images, labels = tp.tensor(digits.data / 16), tp.tensor(digits.target)
    params = train(images[:1200], labels[:1200], 20 if options.quick else 600)
    read = vmap(scores, in_dims=(None, 0))(params, images[1200:]).argmax(-1)
    print(f"accuracy on unseen digits: {(read == labels[1200:]).double().mean().item():.1%}\n")
    jacobians(params, images[1200 : 1208 if options.quick else 1264])
    save(draw_jacobian(params, images[1200:], labels[1200:]), options.folder, "jacobians.png")

    iris = load_iris()
    x = tp.tensor((iris.data - iris.data.mean(0)) / iris.data.std(0))
    x, y = tp.cat([x, tp.ones(len(x), 1, dtype=tp.float64)], 1), tp.tensor(iris.target)
    weights, norms = newton(x, y)
    curvature = hessian(negative_log_posterior)(weights, x, y)
    difference = abs(curvature.numpy() - closed_form(weights, x)).max()
    print(f"\nnorms of the gradient, from Newton's fifth step on: {'  '.join(f'{n:.0e}' for n in norms[4:])}")
    print(f"hessian and its closed form differ by {difference:.0e}")
    names = [name.removesuffix(" (cm)") for name in iris.feature_names] + ["intercept"]
    save(draw_hessian(weights, curvature, names), options.folder, "hessian.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![Rows of the Jacobian for three digits, as heat maps](../images/jacobians.png)
#
# The rows are small images of what the network looks for: ink in the middle speaks against a zero, an upright stroke
# there for a one. That the map of a digit differs from image to image is what a linear model could not do.
#
# ![The Hessian in blocks of species, and estimates with standard errors](../images/hessian.png)
#
# The gradient's norm falls quadratically, as Newton's method promises. In the Hessian the blocks of versicolor and
# virginica are the strongest: the two species overlap, so that the data say much about how they differ. Petals tell
# virginica apart; of sepals zero is within the error bars.
