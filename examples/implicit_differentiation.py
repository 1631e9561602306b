# %% [markdown]
# # Implicit differentiation: gradients through what a solver finds
#
# The result of a solver, an optimum or a root, is a function of what it was given, and that function has a
# derivative. To go back through the solver's steps is wasteful, and wrong if the solver stopped early. The *implicit
# function theorem* needs the solution alone: if w solves g(w, θ) = 0, then
#
#     dw = −(∂g/∂w)⁻¹ ∂g/∂θ dθ
#
# `custom_derivative` gives a solver that derivative, and from then on it is a function like any other: mapped,
# pushed, pulled.
#
# The example tunes several strengths of regularisation in logistic regression, by the gradient of the cross-validated
# loss.

# %%
import tracemalloc
from collections.abc import Callable

import matplotlib.pyplot as plt
from presenting import BLUE, GREY, ORANGE, Options, milliseconds, options, progress, save, table
from sklearn.datasets import load_breast_cancer

import tensorplay as tp
import tensorplay.nn.functional as F
from tensorplay.func import custom_derivative, grad, grad_and_value, hessian, jacfwd, jvp, vmap
from tensorplay.optim.functional import adam, adam_init

FOLDS, NOISE = 5, 60
GROUPS = ["mean", "spread", "worst", "noise"]

# %% [markdown]
# ## Any solver, made differentiable
#
# The rule is the theorem, word by word. It is a rule for tangents; the pull for reverse mode is its transpose, which
# the library finds. Nothing in it knows how the solver works.


# %%
def implicit(equation: Callable[..., tp.Tensor]) -> Callable[[Callable[..., tp.Tensor]], Callable[..., tp.Tensor]]:
    """Decorator for a solver of `equation(w, *args) = 0` for w [D]: derivatives by args come from the equation."""

    def rule(args: tuple, w: tp.Tensor, tangents: tuple) -> tp.Tensor:
        moved = [tp.zeros_like(a) if t is None else t for a, t in zip(args, tangents, strict=True)]
        _, pushed = jvp(lambda *args: equation(w, *args), args, tuple(moved))
        return -tp.linalg.solve(jacfwd(equation)(w, *args), pushed)

    return custom_derivative(jvp=rule)


# %% [markdown]
# ## Logistic regression with strengths
#
# The equation is that the gradient of the objective vanishes. The solver is Newton's method in a `while_loop`, which
# runs until it has converged: mapped over folds, until all have. Reverse mode could not go through such a loop; it
# does not have to.


# %%
def objective(w: tp.Tensor, log_strengths: tp.Tensor, weights: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Weighted mean loss of samples, and squares of the weights [D] with strengths [D]."""
    scores = x @ w
    fit = weights @ (F.softplus(scores) - y * scores) / weights.sum()
    return fit + (log_strengths.exp() * w**2).sum() / 2


def newton_step(w: tp.Tensor, *args: tp.Tensor) -> tp.Tensor:
    """What Newton's method subtracts."""
    return tp.linalg.solve(hessian(objective)(w, *args), grad(objective)(w, *args))


@implicit(grad(objective))
def solve(log_strengths: tp.Tensor, weights: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Weights [D] at the optimum."""
    args = (log_strengths, weights, x, y)

    def step(w: tp.Tensor, change: tp.Tensor, count: tp.Tensor) -> tuple[tp.Tensor, tp.Tensor, tp.Tensor]:
        change = newton_step(w, *args)
        return w - change, change.norm(), count + 1

    start = (tp.zeros_like(log_strengths), tp.ones((), dtype=x.dtype), tp.tensor(0))
    return tp.while_loop(lambda w, change, count: (change > 1e-9) & (count < 30), step, start)[0]


def unrolled(log_strengths: tp.Tensor, weights: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """The same by ten recorded steps, to compare with."""
    w = tp.zeros_like(log_strengths)
    for _ in range(10):
        w = w - newton_step(w, log_strengths, weights, x, y)
    return w


# %% [markdown]
# ## The cross-validated loss
#
# Each fold trains on the samples whose weight is one and is judged on the others; `vmap` takes all folds at once.
# Features come in groups, which share a strength.


# %%
def of_features(groups: tp.Tensor) -> tp.Tensor:
    """Log strength of each feature, from those of the groups [4]."""
    return groups.repeat_interleave(tp.tensor([10, 10, 10, NOISE]))


def validation_loss(
    groups: tp.Tensor, folds: tp.Tensor, x: tp.Tensor, y: tp.Tensor, solver: Callable[..., tp.Tensor] = solve
) -> tp.Tensor:
    """Mean loss on the samples that a fold was not trained on, by the log strength of each group."""

    def fold(weights: tp.Tensor) -> tp.Tensor:
        scores = x @ solver(of_features(groups), weights, x, y)
        return (1 - weights) @ (F.softplus(scores) - y * scores) / (1 - weights).sum()

    return vmap(fold)(folds).mean()


# %% [markdown]
# ## The data
#
# Measurements of cell nuclei tell benign from malignant tumours: the mean of ten quantities over the nuclei of a
# sample, their spread, and the worst nucleus. Sixty columns of pure noise are added; a good choice of strengths shuts
# them off.


# %%
def load(count: int) -> tuple[tp.Tensor, tp.Tensor, tp.Tensor, tp.Tensor]:
    """Standardised features and labels, for training and testing; the last NOISE features mean nothing."""
    data = load_breast_cancer()
    x = tp.tensor((data.data - data.data.mean(0)) / data.data.std(0))
    x = tp.cat([x, tp.randn(len(x), NOISE, dtype=x.dtype)], 1)
    y = tp.tensor(data.target).double()
    order = tp.randperm(len(y))
    x, y = x[order], y[order]
    return x[:count], y[:count], x[count:], y[count:]


# %% [markdown]
# ## Is the gradient right, and what does it cost?


# %%
def central_differences(f: Callable[[tp.Tensor], tp.Tensor], x: tp.Tensor, step: float = 1e-4) -> tp.Tensor:
    """Gradient from two calls per element."""
    steps = step * tp.eye(len(x), dtype=x.dtype)
    return tp.stack([(f(x + s) - f(x - s)) / (2 * step) for s in steps])


def check(groups: tp.Tensor, *data: tp.Tensor) -> None:
    """Compare the implicit gradient with the unrolled solver's and with central differences."""
    ways = {
        "implicit": lambda: grad(validation_loss)(groups, *data),
        "unrolled, ten steps": lambda: grad(validation_loss)(groups, *data, unrolled),
        "central differences": lambda: central_differences(lambda g: validation_loss(g, *data), groups),
    }
    exact = ways["implicit"]()
    rows = [("gradient", "time", "peak memory", "difference")]
    for name, way in ways.items():
        duration = milliseconds(way, 3)
        tracemalloc.start()
        difference = (way() - exact).abs().max().item()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rows.append((name, f"{duration:.0f} ms", f"{peak / 2**20:.1f} MB", f"{difference:.0e}"))
    table(*rows)
    print()


# %% [markdown]
# ## Tuning


# %%
def tune(groups: tp.Tensor, steps: int, *data: tp.Tensor) -> tuple[tp.Tensor, list[float]]:
    """Log strengths after Adam on the cross-validated loss, and the loss on the way."""
    state, step, history = adam_init(groups), grad_and_value(validation_loss), []
    for _ in (bar := progress(steps, "tuning")):
        grads, value = step(groups, *data)
        groups, state = adam(groups, grads, state, lr=0.3)
        history.append(value.item())
        bar.set_postfix(loss=f"{history[-1]:.4f}")
    return groups, history


def picture(grid: tp.Tensor, losses: tp.Tensor, history: list[float], groups: tp.Tensor) -> plt.Figure:
    """Loss of one strength for all, the loss while each is tuned, and the strengths found."""
    figure, (one, many, found) = plt.subplots(1, 3, figsize=(11, 3.5))
    one.semilogx(grid.exp(), losses, "o-", color=ORANGE)
    one.set(xlabel="strength, one for all features", ylabel="cross-validated loss (nats)")
    many.plot(history, color=BLUE, label="a strength per group")
    many.axhline(losses.min().item(), color=ORANGE, ls="--", label="best single strength")
    many.set(xlabel="step of Adam", ylabel="cross-validated loss (nats)")
    many.legend(fontsize=9)
    found.barh(GROUPS, groups.exp(), color=[BLUE] * 3 + [GREY])
    found.axvline(grid[losses.argmin()].exp().item(), color=ORANGE, ls="--", label="best single strength")
    found.set(xscale="log", xlabel="strength found", ylabel="group of features")
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Check the gradient, tune all strengths, compare with the best single one on unseen data."""
    tp.manual_seed(0)
    x, y, x_test, y_test = load(300)
    folds = (tp.arange(len(y)) % FOLDS != tp.arange(FOLDS)[:, None]).double()
    data = (folds, x, y)
    grid = tp.linspace(-8, 0, 3 if options.quick else 17, dtype=tp.float64)
    losses = tp.stack([validation_loss(value.expand(4), *data) for value in grid])
    single = grid[losses.argmin()].expand(4).clone()
    check(single, *data)
    tuned, history = tune(single, 2 if options.quick else 60, *data)

    rows = [("", "cross-validated loss", "loss on unseen data", "accuracy", "weight on noise")]
    for name, groups in (("best single strength", single), ("a strength per group", tuned)):
        w = solve(of_features(groups), tp.ones_like(y), x, y)
        scores = x_test @ w
        test = (F.softplus(scores) - y_test * scores).mean().item()
        accuracy = ((scores > 0) == (y_test > 0)).double().mean().item()
        share = (w[-NOISE:].norm() / w.norm()).item()
        inside = validation_loss(groups, *data).item()
        rows.append((name, f"{inside:.4f}", f"{test:.4f}", f"{accuracy:.1%}", f"{share:.1%}"))
    table(*rows)
    save(picture(grid, losses, history, tuned), options.folder, "implicit_differentiation.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![Loss by a single strength, loss while all are tuned, and the strengths](../images/implicit_differentiation.png)
#
# The implicit gradient agrees with differences and with the unrolled solver, and keeps nothing of the solver's steps.
# The group of noise gets the greatest strength, so that its weights all but vanish, and unseen data are told better.
# For the gradient a strength for each single feature would be no more work, but hyperparameters overfit the folds as
# parameters overfit the data.
