# %% [markdown]
# # A physics-informed net: solve Burgers' equation by minimising its residual
#
# A *physics-informed network* (Raissi, Perdikaris and Karniadakis, 2019) is a function u(t, x) with parameters,
# trained not on data but on an equation that it must obey. The equation has derivatives of the network by its inputs;
# training then differentiates those by the parameters. With transforms each derivative is written down as it is in
# the equation.
#
# Burgers' equation is a model of waves that steepen and are smoothed by viscosity ν:
#
#     ∂u/∂t + u ∂u/∂x = ν ∂²u/∂x²,   u(0, x) = −sin(πx),   u(t, ±1) = 0
#
# It has an exact solution, with which the network is compared. None of it is used in training.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
from presenting import BLUE, GREY, ORANGE, Options, options, save, table
from scipy.optimize import minimize
from scipy.stats import qmc
from tqdm import tqdm

import tensorplay as tp
from tensorplay.func import grad_and_value, jvp, vmap

VISCOSITY, WIDTH = 0.03, 20

# %% [markdown]
# ## The network
#
# The ansatz −sin(πx) + t (1 − x²) N(t, x) fulfils the initial and the boundary condition for every network N, so that
# the residual is all there is to minimise. The parameters are one vector, as SciPy's optimisers want them.


# %%
SHAPES = {"w1": (WIDTH, 2), "b1": (WIDTH,), "w2": (WIDTH, WIDTH), "b2": (WIDTH,), "w3": (WIDTH,)}
SIZES = [int(np.prod(shape)) for shape in SHAPES.values()]


def first_parameters() -> tp.Tensor:
    """Random weights and biases: those of the first layer spread the hidden units over the domain."""
    scales = {"w1": 1.0, "b1": 1.0, "w2": 0.3, "b2": 0.3, "w3": 0.3}
    return tp.cat([scales[name] * tp.randn(size) for name, size in zip(SHAPES, SIZES, strict=True)]).double()


def solution(params: tp.Tensor, t: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    """The network's u at one point."""
    w1, b1, w2, b2, w3 = (p.reshape(s) for p, s in zip(params.split(SIZES), SHAPES.values(), strict=True))
    hidden = (w2 @ (w1 @ tp.stack([t, x]) + b1).tanh() + b2).tanh()
    return -(tp.pi * x).sin() + t * (1 - x * x) * (w3 @ hidden)


# %% [markdown]
# ## The equation
#
# `jvp` along x gives u and ∂u/∂x in one run; `jvp` of that function gives ∂²u/∂x² as well. Forward mode suits
# functions of few inputs: nothing is kept for a pull.


# %%
def residual(params: tp.Tensor, t: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    """What is left of Burgers' equation at one point; zero for a solution."""
    one = tp.ones_like(x)

    def u_and_slope(x: tp.Tensor) -> tuple[tp.Tensor, tp.Tensor]:
        return jvp(lambda x: solution(params, t, x), (x,), (one,))

    (u, u_x), (_, u_xx) = jvp(u_and_slope, (x,), (one,))
    _, u_t = jvp(lambda t: solution(params, t, x), (t,), (one,))
    return u_t + u * u_x - VISCOSITY * u_xx


def loss(params: tp.Tensor, t: tp.Tensor, x: tp.Tensor) -> tp.Tensor:
    """Mean square of the residual over points."""
    return (vmap(residual, in_dims=(None, 0, 0))(params, t, x) ** 2).mean()


# %% [markdown]
# ## Training
#
# Points are spread evenly over the domain by a Sobol sequence. L-BFGS, a quasi-Newton method, gets a far smaller
# residual than plain gradient descent; SciPy's takes any function that returns a value and a gradient.


# %%
def train(params: tp.Tensor, points: int, steps: int) -> tuple[tp.Tensor, list[float]]:
    """Parameters after L-BFGS, and the loss after each step."""
    t, x = tp.tensor(qmc.Sobol(2, seed=0).random(points)).unbind(1)
    gradient, history = grad_and_value(loss), []

    def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
        grads, value = gradient(tp.from_numpy(flat), t, 2 * x - 1)
        return value.item(), grads.numpy()

    with tqdm(total=steps, desc="L-BFGS", unit="step") as bar:

        def note(intermediate_result: object) -> None:
            history.append(float(intermediate_result.fun))
            bar.update()
            bar.set_postfix(loss=f"{history[-1]:.1e}")

        limits = {"maxiter": steps, "maxfun": 10 * steps, "maxcor": 50, "ftol": 0, "gtol": 0}
        found = minimize(objective, params.numpy(), method="L-BFGS-B", jac=True, callback=note, options=limits)
    return tp.from_numpy(found.x), history


# %% [markdown]
# ## The exact solution
#
# The substitution of Cole and Hopf turns Burgers' equation into the heat equation, whose solution is an integral with
# a Gaussian, which Gauss-Hermite quadrature takes to machine precision.


# %%
def exact(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Solution u at points of any shape, t > 0."""
    nodes, weights = np.polynomial.hermite.hermgauss(80)
    y = x[..., None] - 2 * np.sqrt(VISCOSITY * t)[..., None] * nodes
    density = weights * np.exp(-(np.cos(np.pi * y) + 1) / (2 * np.pi * VISCOSITY))
    return -(density * np.sin(np.pi * y)).sum(-1) / density.sum(-1)


def picture(
    t: np.ndarray, x: np.ndarray, found: np.ndarray, truth: np.ndarray, history: list[float], times: list[int]
) -> plt.Figure:
    """The field, profiles at some times, and the loss."""
    figure, (field, profile, curve) = plt.subplots(1, 3, figsize=(11, 3.5), width_ratios=[1.2, 1, 1])
    shown = field.contourf(t, x, found, np.linspace(-1, 1, 21), cmap="RdBu_r")
    figure.colorbar(shown, ax=field, label="u", ticks=[-1, -0.5, 0, 0.5, 1])
    field.set(xlabel="time t", ylabel="place x", title="network")
    for colour, column in zip((GREY, ORANGE, BLUE), times, strict=True):
        profile.plot(x[:, 0], truth[:, column], color=colour, lw=5, alpha=0.3)
        profile.plot(x[:, 0], found[:, column], color=colour, ls="--", label=f"t = {t[0, column]:.2f}")
    profile.set(xlabel="place x", ylabel="u", title="network (dashed), exact (wide)")
    profile.legend(fontsize=9)
    curve.semilogy(history, color=BLUE)
    curve.set(xlabel="step of L-BFGS", ylabel="mean squared residual", title="training")
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Train, compare with the exact solution on a grid."""
    tp.manual_seed(0)
    points, steps = (64, 10) if options.quick else (512, 800)
    start = time.perf_counter()
    params, history = train(first_parameters(), points, steps)
    seconds = time.perf_counter() - start

    t, x = np.meshgrid(np.linspace(0.01, 1, 100), np.linspace(-1, 1, 101))
    on_grid = vmap(vmap(solution, in_dims=(None, 0, 0)), in_dims=(None, 0, 0))
    found, truth = on_grid(params, tp.tensor(t), tp.tensor(x)).numpy(), exact(t, x)
    times = [0, 32, 99]
    rows = [("time", "relative error", "largest error")]
    for column in times:
        difference = found[:, column] - truth[:, column]
        relative = np.linalg.norm(difference) / np.linalg.norm(truth[:, column])
        rows.append((f"{t[0, column]:.2f}", f"{relative:.1e}", f"{abs(difference).max():.1e}"))
    whole = np.linalg.norm(found - truth) / np.linalg.norm(truth)
    rows.append(("all", f"{whole:.1e}", f"{abs(found - truth).max():.1e}"))
    print(f"{len(params)} parameters, {points} points, {len(history)} steps, {seconds:.0f} s")
    print(f"mean squared residual {history[0]:.1e} -> {history[-1]:.1e}\n")
    table(*rows)
    save(picture(t, x, found, truth, history, times), options.folder, "physics_informed.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![The field u(t, x), profiles beside the exact solution, and the residual in training](../images/physics_informed.png)
#
# The sine steepens to a front at x = 0. The network, which was told nothing but the equation, follows the exact
# solution.
