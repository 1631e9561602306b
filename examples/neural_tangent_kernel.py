# %% [markdown]
# # Neural tangent kernels: when is a network a linear model?
#
# Gradient descent moves the parameters of a wide network so little that the network stays near its first-order
# expansion in the parameters. Training then is linear regression, and what it converges to is known in closed form
# (Jacot et al., 2018; Lee et al., 2019). The kernel of that regression holds the inner products of per-sample
# gradients,
#
#     K(x, x′) = ∂f(x)/∂θ · ∂f(x′)/∂θ
#
# Here networks of growing width are trained on a few points and compared with what their kernel at the start
# predicts.

# %%
import matplotlib.pyplot as plt
from presenting import BLUE, ORANGE, Options, milliseconds, options, progress, save, table

import tensorplay as tp
from tensorplay.func import grad, jvp, vjp, vmap
from tensorplay.optim.functional import sgd, sgd_init

Params = dict[str, tp.Tensor]

# %% [markdown]
# ## A network of any width
#
# The *NTK parametrisation* divides by the root of the width in the forward pass, and draws all parameters from a
# standard normal distribution. So the kernel has a limit as the width grows.


# %%
def first_parameters(width: int) -> Params:
    """Two hidden layers, one input, one output; standard normal."""
    shapes = {"w1": (width, 1), "b1": (width,), "w2": (width, width), "b2": (width,), "w3": (width,)}
    return {name: tp.randn(*shape, dtype=tp.float64) for name, shape in shapes.items()}


def network(params: Params, x: tp.Tensor) -> tp.Tensor:
    """Output for one number."""
    root = len(params["b1"]) ** 0.5
    hidden = (params["w1"][:, 0] * x * 1.5 + 0.3 * params["b1"]).erf()
    hidden = (params["w2"] @ hidden / root * 1.5 + 0.3 * params["b2"]).erf()
    return params["w3"] @ hidden / root


outputs = vmap(network, in_dims=(None, 0))  # for a batch of numbers

# %% [markdown]
# ## The kernel, two ways
#
# The direct way makes all per-sample gradients and multiplies them: quick, but it holds N × parameters numbers. The
# other never has a Jacobian: K is the matrix of the linear map that pulls a vector of outputs back to the parameters
# and pushes it forward again, so that `vmap` over a basis gives its columns (Novak et al., 2022, compare the ways).


# %%
def kernel(params: Params, x1: tp.Tensor, x2: tp.Tensor) -> tp.Tensor:
    """Tangent kernel [N1, N2] from the gradients of each point."""
    gradients = vmap(grad(network), in_dims=(None, 0))
    j1, j2 = gradients(params, x1), gradients(params, x2)
    return sum(j1[name].flatten(1) @ j2[name].flatten(1).T for name in params)


def kernel_by_products(params: Params, x1: tp.Tensor, x2: tp.Tensor) -> tp.Tensor:
    """The same kernel from products of the Jacobian with vectors."""

    def column(cotangent: tp.Tensor) -> tp.Tensor:
        _, pull = vjp(lambda p: outputs(p, x2), params)
        return jvp(lambda p: outputs(p, x1), (params,), pull(cotangent))[1]

    return vmap(column)(tp.eye(len(x2), dtype=x2.dtype)).T


# %% [markdown]
# ## What training does, and what the kernel says it does
#
# Gradient descent with momentum on half the sum of squared errors. The network linearised at its first parameters,
# f₀(x) + J(x)(θ − θ₀), predicts at the end of training, for all x at once,
#
#     f∞(x) = f₀(x) + K(x, X) K(X, X)⁻¹ (Y − f₀(X))


# %%
def train(params: Params, x: tp.Tensor, y: tp.Tensor, steps: int, what: str) -> Params:
    """Parameters after gradient descent with momentum; the kernel tells which step is safe."""

    def loss(params: Params) -> tp.Tensor:
        return ((outputs(params, x) - y) ** 2).sum() / 2

    rate = 1 / tp.linalg.eigvalsh(kernel(params, x, x))[-1]
    gradient, state = grad(loss), sgd_init(params)
    for _ in progress(steps, what):
        params, state = sgd(params, gradient(params), state, lr=rate.item(), momentum=0.5)
    return params


def predict(params: Params, x: tp.Tensor, y: tp.Tensor, x_test: tp.Tensor) -> tp.Tensor:
    """Outputs of the linearised network after infinite training, in closed form."""
    coefficients = tp.linalg.solve(kernel(params, x, x), y - outputs(params, x))
    return outputs(params, x_test) + kernel(params, x_test, x) @ coefficients


def distance(params: Params, start: Params) -> float:
    """How far the parameters went, relative to their norm."""
    moved = sum(((p - start[name]) ** 2).sum() for name, p in params.items())
    return (moved / sum((p**2).sum() for p in start.values())).sqrt().item()


def norm_change(new: tp.Tensor, old: tp.Tensor) -> float:
    """Relative difference in norm."""
    return ((new - old).norm() / old.norm()).item()


# %% [markdown]
# ## Pictures


# %%
def picture(curves: dict[int, tuple[tp.Tensor, tp.Tensor]], x: tp.Tensor, y: tp.Tensor, line: tp.Tensor) -> plt.Figure:
    """Trained network and closed form, for the smallest and the largest width."""
    figure, both = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axes, width in zip(both, (min(curves), max(curves)), strict=True):
        trained, closed = curves[width]
        axes.plot(line, trained, color=BLUE, label="trained network")
        axes.plot(line, closed, color=ORANGE, ls="--", label="tangent kernel, closed form")
        axes.plot(x, y, "o", color="k", label="data")
        axes.set(xlabel="x", title=f"width {width}")
    both[0].set_ylabel("output")
    both[0].legend(fontsize=9)
    return figure


def heat_maps(kernels: dict[int, tuple[tp.Tensor, tp.Tensor]]) -> plt.Figure:
    """Kernel at the start for each width, and how it changed in training."""
    figure, grid = plt.subplots(2, len(kernels), figsize=(2.1 * len(kernels) + 1.2, 4.4), sharex=True, sharey=True)
    shown = [[start for start, _ in kernels.values()], [end - start for start, end in kernels.values()]]
    for row, label, maps in zip(grid, ("at the start", "change in training"), shown, strict=True):
        limit = max(values.abs().max().item() for values in maps)
        for axes, values in zip(row, maps, strict=True):
            image = axes.imshow(values, cmap="RdBu_r", vmin=-limit, vmax=limit, extent=(-2, 2, 2, -2))
        row[0].set_ylabel("x")
        figure.colorbar(image, ax=row, label=label, pad=0.01)
    for top, bottom, width in zip(*grid, kernels, strict=True):
        top.set_title(f"width {width}")
        bottom.set_xlabel("x′")
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Compare both kernels; train some networks of each width; compare with the closed form."""
    tp.manual_seed(0)
    x = tp.tensor([-1.6, -1.0, -0.3, 0.2, 0.9, 1.5], dtype=tp.float64)
    y = (2 * x).sin()
    grid, line = tp.linspace(-2, 2, 41, dtype=tp.float64), tp.linspace(-2, 2, 161, dtype=tp.float64)
    widths, steps, draws = ([8, 16], 20, 1) if options.quick else ([8, 32, 128, 512], 600, 3)

    params = first_parameters(widths[-1])
    ways = {"products of gradients": kernel, "jvp of vjp": kernel_by_products}
    print(f"kernel of {len(grid)} × {len(grid)} points, width {widths[-1]}:")
    rows = [(name, f"{milliseconds(lambda way=way: way(params, grid, grid), 2):.0f} ms") for name, way in ways.items()]
    table(("way", "time"), *rows)
    both = [way(params, grid, grid) for way in ways.values()]
    print(f"relative difference {norm_change(*both):.0e}\n")

    rows, curves, kernels = [("width", "loss", "parameters moved", "kernel changed", "from closed form")], {}, {}
    for width in widths:
        measured = []
        for _ in range(draws):
            start = first_parameters(width)
            params = train(start, x, y, steps, f"width {width}")
            curves[width] = outputs(params, line), predict(start, x, y, line)
            kernels[width] = kernel(start, grid, grid), kernel(params, grid, grid)
            loss = ((outputs(params, x) - y) ** 2).sum().item() / 2
            changes = [distance(params, start), norm_change(*kernels[width][::-1]), norm_change(*curves[width])]
            measured.append([loss, *changes])
        loss, *changes = tp.tensor(measured).mean(0).tolist()
        rows.append((str(width), f"{loss:.0e}", *(f"{change:.1%}" for change in changes)))
    table(*rows)
    save(picture(curves, x, y, line), options.folder, "neural_tangent_kernel.png")
    save(heat_maps(kernels), options.folder, "tangent_kernel_heat_maps.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![Trained networks and the closed form, for the smallest and largest width](../images/neural_tangent_kernel.png)
#
# The table has means of three networks each. The wider they are, the less parameters and kernel change on the way,
# and the closer the trained network comes to the closed form that was known before training. A narrow network learns
# features: its kernel changes.
#
# ![Kernels of all widths at the start, and what training changes](../images/tangent_kernel_heat_maps.png)
