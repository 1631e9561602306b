# %% [markdown]
# # Gaussian process hyperparameters: by Newton's method, with error bars
#
# A Gaussian process is a distribution of functions. Its *hyperparameters* say how smooth and how large they are, and
# how noisy the data: they are found by maximising the *marginal likelihood*, the probability of the data with the
# function integrated out (Rasmussen and Williams, 2006, chapter 5):
#
#     log p(y) = −½ yᵀ K⁻¹ y − ½ log det K − n/2 log 2π,   K = k(X, X) + noise² I
#
# Gradients through the Cholesky factorisation are usually worked out on paper. Here `grad` and `hessian` give them;
# the Hessian makes Newton's method possible, and says how sure the estimate is.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
from presenting import BLUE, GREY, ORANGE, Options, options, progress, save, table
from scipy.optimize import minimize
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import tensorplay as tp
from tensorplay.func import grad, hessian, vmap

# %% [markdown]
# ## The likelihood
#
# All hyperparameters are positive, so their logarithms are optimised: one length scale per feature, then the scale of
# the function and of the noise.


# %%
def kernel(log_params: tp.Tensor, x1: tp.Tensor, x2: tp.Tensor) -> tp.Tensor:
    """Covariances [N1, N2] of the function at points [N, D]: squared exponential."""
    lengths, scale = log_params[:-2].exp(), log_params[-2].exp()
    difference = (x1[:, None] - x2) / lengths
    return scale**2 * (-(difference**2).sum(-1) / 2).exp()


def covariance(log_params: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    """Covariances of the data."""
    return kernel(log_params, x, x) + (log_params[-1].exp() ** 2 + 1e-8) * tp.eye(len(x), dtype=x.dtype)


def loss(log_params: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Negative log marginal likelihood."""
    factor = tp.linalg.cholesky(covariance(log_params, x))
    white = tp.linalg.solve_triangular(factor, y[:, None], upper=False)
    return (white**2).sum() / 2 + factor.diagonal().log().sum() + len(y) / 2 * np.log(2 * np.pi)


# %% [markdown]
# ## Newton's method
#
# SciPy's trust-region method takes a value, a gradient and a Hessian. It needs some ten steps where a method with
# gradients only takes many more.


# %%
def fit(start: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tuple[tp.Tensor, float, int]:
    """Log hyperparameters of the best fit, its negative log likelihood, and the number of steps."""

    def of(function: Callable[..., tp.Tensor]) -> Callable[[np.ndarray], np.ndarray]:
        return lambda flat: function(tp.from_numpy(flat), x, y).numpy()

    found = minimize(of(loss), start.numpy(), jac=of(grad(loss)), hess=of(hessian(loss)), method="trust-exact")
    return tp.from_numpy(found.x), float(found.fun), found.nit


def standard_errors(log_params: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Standard error of each log hyperparameter: the curvature at the optimum is the information."""
    return tp.linalg.inv(hessian(loss)(log_params, x, y)).diagonal().sqrt()


def predict(log_params: tp.Tensor, x: tp.Tensor, y: tp.Tensor, x_new: tp.Tensor) -> tuple[tp.Tensor, tp.Tensor]:
    """Mean and standard deviation of the function at new points."""
    factor = tp.linalg.cholesky(covariance(log_params, x))
    cross = kernel(log_params, x, x_new)
    mean = cross.T @ tp.cholesky_solve(y[:, None], factor)[:, 0]
    white = tp.linalg.solve_triangular(factor, cross, upper=False)
    return mean, (log_params[-2].exp() ** 2 - (white**2).sum(0)).clamp(min=0).sqrt()


# %% [markdown]
# ## A function that is known
#
# Data drawn from a Gaussian process whose hyperparameters we know: the fit must find them, within its error bars.
# scikit-learn's implementation, whose gradients were derived by hand, must find the same optimum.


# %%
TRUTH = {"length scale": 0.7, "function scale": 1.5, "noise": 0.2}


def sample(count: int) -> tuple[tp.Tensor, tp.Tensor, tp.Tensor]:
    """Points [N, 1], the function there, and noisy data."""
    log_params = tp.tensor(list(TRUTH.values()), dtype=tp.float64).log()
    x = (10 * tp.rand(count, 1, dtype=tp.float64)).sort(0)[0]
    factor = tp.linalg.cholesky(kernel(log_params, x, x) + 1e-9 * tp.eye(count, dtype=tp.float64))
    f = factor @ tp.randn(count, dtype=tp.float64)
    return x, f, f + TRUTH["noise"] * tp.randn(count, dtype=tp.float64)


def reference(x: tp.Tensor, y: tp.Tensor) -> tuple[list[float], float]:
    """The same fit by scikit-learn: hyperparameters and negative log likelihood."""
    model = GaussianProcessRegressor(ConstantKernel() * RBF() + WhiteKernel(), alpha=1e-8).fit(x.numpy(), y.numpy())
    fitted = model.kernel_
    values = [fitted.k1.k2.length_scale, fitted.k1.k1.constant_value**0.5, fitted.k2.noise_level**0.5]
    return values, -model.log_marginal_likelihood_value_


def known_function(count: int) -> plt.Figure:
    """Recover hyperparameters; draw the fit, and the likelihood as a function of two of them."""
    x, _, y = sample(count)
    log_params, best, steps = fit(tp.zeros(3, dtype=tp.float64), x, y)
    errors = standard_errors(log_params, x, y)
    others, their_best = reference(x, y)
    rows = [("", "truth", "estimate", "95 % interval", "scikit-learn")]
    for name, log, error, other in zip(TRUTH, log_params.tolist(), errors.tolist(), others, strict=True):
        low, middle, high = np.exp([log - 1.96 * error, log, log + 1.96 * error])
        rows.append((name, f"{TRUTH[name]:.3f}", f"{middle:.3f}", f"{low:.3f} to {high:.3f}", f"{other:.3f}"))
    rows.append(("log likelihood", "", f"{-best:.3f}", "", f"{-their_best:.3f}"))
    table(*rows)
    print(f"{steps} steps of Newton's method\n")
    return draw(log_params, errors, x, y)


def draw(log_params: tp.Tensor, errors: tp.Tensor, x: tp.Tensor, y: tp.Tensor) -> plt.Figure:
    """The posterior of the function, and the likelihood around its maximum."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.5), width_ratios=[1.4, 1])
    grid = tp.linspace(-0.5, 11.5, 240, dtype=tp.float64)[:, None]
    mean, deviation = predict(log_params, x, y, grid)
    left.fill_between(grid[:, 0], mean - 2 * deviation, mean + 2 * deviation, color=BLUE, alpha=0.25, lw=0)
    left.plot(grid, mean, color=BLUE, label="mean ± 2 standard deviations", lw=1.5)
    left.plot(x, y, ".", color="k", label="data")
    left.set(xlabel="x", ylabel="y", ylim=(None, y.max().item() + 1))
    left.legend(fontsize=9, loc="upper left", ncols=2)

    # the likelihood on a grid of length scale and noise: one call, mapped twice
    span = tp.linspace(-4, 4, 60, dtype=tp.float64)
    lengths, noises = log_params[0] + span * errors[0], log_params[2] + span * errors[2]
    at = vmap(vmap(lambda a, b: loss(tp.stack([a, log_params[1], b]), x, y), (None, 0)), (0, None), chunk_size=10)
    surface = at(lengths, noises)
    levels = [0.5, 2, 4.5, 8, 12.5, 18]
    shown = right.contour(noises.exp(), lengths.exp(), surface - surface.min(), levels, cmap="viridis_r")
    right.clabel(shown, fontsize=8, fmt="%g")
    right.plot(log_params[2].exp(), log_params[0].exp(), "o", color=BLUE, label="estimate")
    right.plot(TRUTH["noise"], TRUTH["length scale"], "*", ms=11, color=ORANGE, label="truth")
    right.set(xlabel="noise", ylabel="length scale", title="log likelihood below its maximum")
    right.legend(fontsize=9)
    return figure


# %% [markdown]
# ## Which measurements matter? Real data
#
# The progression of diabetes after a year, from ten measurements of 442 patients. With one length scale per
# measurement, the fit decides what matters: where the function does not depend on a measurement its length scale
# grows (*automatic relevance determination*). Twelve hyperparameters are no trouble for gradients; a grid of them
# would be out of reach.


# %%
def diabetes(count: int) -> plt.Figure:
    """Fit twelve hyperparameters; compare the error on other patients with a linear model's; draw the relevances."""
    data = load_diabetes()
    order = tp.randperm(len(data.target))
    x = tp.tensor(data.data / data.data.std(0))[order]
    y = tp.tensor((data.target - data.target.mean()) / data.target.std())[order]
    x, y, x_new, y_new = x[:count], y[:count], x[count:], y[count:]

    starts = tp.tensor([1.0, 3.0, 6.0], dtype=tp.float64).log()
    bar = progress(len(starts), "diabetes", "start")
    fits = [fit(tp.cat([starts[i].expand(10), tp.zeros(2, dtype=tp.float64)]), x, y) for i in bar]
    log_params, best, steps = min(fits, key=lambda found: found[1])
    mean, deviation = predict(log_params, x, y, x_new)
    deviation = (deviation**2 + log_params[-1].exp() ** 2).sqrt()
    linear = tp.linalg.lstsq(tp.cat([x, tp.ones(len(x), 1, dtype=x.dtype)], 1), y[:, None]).solution[:, 0]
    errors = {"mean of all": y_new - y.mean(), "linear model": y_new - x_new @ linear[:-1] - linear[-1]}
    rows = [(f"{len(y_new)} other patients", "root mean squared error")]
    for name, error in (errors | {"Gaussian process": y_new - mean}).items():
        rows.append((name, f"{(error**2).mean().sqrt().item() * data.target.std():.1f}"))
    table(*rows)
    inside = ((y_new - mean).abs() < 1.96 * deviation).double().mean().item()
    print(f"inside of the 95 % interval: {inside:.1%}; log likelihood {-best:.1f} after {steps} steps\n")

    names = ["age", "sex", "body mass", "blood pressure", "cholesterol", "LDL", "HDL", "cholesterol / HDL"]
    names += ["triglycerides", "glucose"]
    relevance = (-log_params[:10]).exp()
    place = relevance.argsort().tolist()
    figure, axes = plt.subplots(figsize=(6.5, 3.6))
    axes.barh([names[i] for i in place], relevance[place], color=[BLUE if relevance[i] > 0.02 else GREY for i in place])
    axes.set_xlabel("relevance: 1 / length scale, in standard deviations of the measurement")
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Recover known hyperparameters, then fit real data."""
    tp.manual_seed(0)
    save(known_function(20 if options.quick else 80), options.folder, "gaussian_process.png")
    print()
    save(diabetes(30 if options.quick else 200), options.folder, "gaussian_process_relevance.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![The fitted process with its data, and the likelihood around its maximum](../images/gaussian_process.png)
#
# The truth lies within the intervals, and scikit-learn ends at the same likelihood. Outside of the data the process
# knows that it knows nothing.
#
# ![Relevance of ten measurements for the progression of diabetes](../images/gaussian_process_relevance.png)
