# %% [markdown]
# # MAML: learn first parameters from which few steps are enough
#
# *Model-agnostic meta-learning* (Finn, Abbeel and Levine, 2017) looks for parameters that are good to start from: a
# gradient step on five points of a new task should give a good model of the task. The loss **after** the step is what
# is minimised, so its gradient goes through a gradient.
#
# `grad` of a function that calls `grad` is all of it, and `vmap` takes many tasks at once.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
from presenting import BLUE, GREY, ORANGE, Options, options, progress, save, table

import tensorplay as tp
from tensorplay.func import grad, grad_and_value, vmap
from tensorplay.optim.functional import adam, adam_init

Params = dict[str, tp.Tensor]

SHOTS, RATE = 10, 0.01  # points of a task, and the rate of the inner step

# %% [markdown]
# ## Tasks
#
# Each task is a sine with an amplitude and a phase of its own, as in the paper. A few points are for adaptation,
# others to judge it.


# %%
def sines(count: int, points: int) -> tuple[tp.Tensor, tp.Tensor]:
    """Points x and y, each [tasks, points], of random sines."""
    amplitude = 0.1 + 4.9 * tp.rand(count, 1)
    phase = tp.pi * tp.rand(count, 1)
    x = 10 * tp.rand(count, points) - 5
    return x, amplitude * (x - phase).sin()


# %% [markdown]
# ## The network


# %%
def first_parameters(width: int = 40) -> Params:
    """Two hidden layers, one number in, one out."""
    sizes = [(1, width), (width, width), (width, 1)]
    params = {f"w{i}": tp.randn(*size) / size[0] ** 0.5 for i, size in enumerate(sizes)}
    return params | {f"b{i}": tp.zeros(size[1]) for i, size in enumerate(sizes)}


def network(params: Params, x: tp.Tensor) -> tp.Tensor:
    """Outputs [points] for numbers [points]."""
    hidden = (x[:, None] @ params["w0"] + params["b0"]).tanh()
    hidden = (hidden @ params["w1"] + params["b1"]).tanh()
    return (hidden @ params["w2"] + params["b2"])[:, 0]


def loss(params: Params, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Mean squared error on the points of one task."""
    return ((network(params, x) - y) ** 2).mean()


# %% [markdown]
# ## A step inside of a step
#
# `adapt` is plain gradient descent on one task. `adapted_loss` adapts on some points and looks at others. It is a
# function of the first parameters like any other, and `meta_loss` is its mean over tasks.


# %%
def adapt(params: Params, x: tp.Tensor, y: tp.Tensor, steps: int = 1) -> Params:
    """Parameters after steps of gradient descent on one task."""
    for _ in range(steps):
        grads = grad(loss)(params, x, y)
        params = {name: p - RATE * grads[name] for name, p in params.items()}
    return params


def adapted_loss(params: Params, x: tp.Tensor, y: tp.Tensor, x_new: tp.Tensor, y_new: tp.Tensor) -> tp.Tensor:
    """Loss on new points of the task after one step on the given ones."""
    return loss(adapt(params, x, y), x_new, y_new)


def meta_loss(params: Params, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Mean over tasks; the first half of the points is for adaptation."""
    halves = (x[:, :SHOTS], y[:, :SHOTS], x[:, SHOTS:], y[:, SHOTS:])
    return vmap(adapted_loss, in_dims=(None, 0, 0, 0, 0))(params, *halves).mean()


def joint_loss(params: Params, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """What is usually minimised: the loss on all tasks, without adaptation."""
    return vmap(loss, in_dims=(None, 0, 0))(params, x, y).mean()


# %% [markdown]
# ## Training, for either loss


# %%
def train(objective: Callable[..., tp.Tensor], params: Params, steps: int, what: str) -> Params:
    """Parameters after Adam on fresh tasks in each step."""
    state, step = adam_init(params), grad_and_value(objective)
    for i in (bar := progress(steps, what)):
        grads, value = step(params, *sines(10, 2 * SHOTS))
        params, state = adam(params, grads, state, lr=5e-3 * (1 - i / steps))
        if i % 100 == 0:
            bar.set_postfix(loss=f"{value.item():.2f}")
    return params


def losses_by_step(params: Params, tasks: tuple[tp.Tensor, tp.Tensor], steps: int) -> list[tp.Tensor]:
    """Loss of each task on its new points, after 0, 1, 2, ... steps of adaptation."""
    x, y = tasks
    one_step = vmap(adapt)
    mine = {name: p.expand(len(x), *p.shape) for name, p in params.items()}  # each task has parameters of its own
    losses = []
    for _ in range(steps + 1):
        losses.append(vmap(loss)(mine, x[:, SHOTS:], y[:, SHOTS:]))
        mine = one_step(mine, x[:, :SHOTS], y[:, :SHOTS])
    return losses


# %% [markdown]
# ## Pictures


# %%
def picture(models: dict[str, Params], curves: dict[str, list[tp.Tensor]]) -> plt.Figure:
    """A new sine before and after adaptation, for both models, and losses by number of steps."""
    figure, (*shown, last) = plt.subplots(1, 3, figsize=(11, 3.5))
    x, grid = 10 * tp.rand(SHOTS) - 5, tp.linspace(-5, 5, 200)
    for axes, (name, params) in zip(shown, models.items(), strict=True):
        axes.plot(grid, 3.5 * (grid - 1.2).sin(), color=GREY, lw=3, alpha=0.5, label="task")
        for steps, style in ((0, ":"), (1, "--"), (10, "-")):
            fitted = network(adapt(params, x, 3.5 * (x - 1.2).sin(), steps), grid)
            axes.plot(grid, fitted, style, color=BLUE, label=f"after {steps} steps" if steps != 1 else "after 1 step")
        axes.plot(x, 3.5 * (x - 1.2).sin(), "o", color=ORANGE, label=f"its {SHOTS} points")
        axes.set(title=name, xlabel="x", ylim=(-6.5, 6.5))
    shown[0].set_ylabel("y")
    shown[0].legend(fontsize=8, ncols=2, loc="upper center")
    for (name, losses), style in zip(curves.items(), ("o-", "s--"), strict=True):
        last.plot([loss.mean().item() for loss in losses], style, label=name)
    last.set(xlabel="steps of adaptation", ylabel="mean squared error on new tasks", ylim=(0, None))
    last.legend(fontsize=9)
    return figure


# %% [markdown]
# ## The experiment


# %%
def main(options: Options) -> None:
    """Train for adaptation and for the mean; adapt both to new tasks."""
    tp.manual_seed(0)
    steps = 20 if options.quick else 1500
    start = first_parameters()
    models = {
        "MAML": train(meta_loss, start, steps, "MAML"),
        "trained jointly": train(joint_loss, start, steps, "joint"),
    }
    tasks = sines(500, SHOTS + 100)
    curves = {name: losses_by_step(params, tasks, 10) for name, params in models.items()}
    shown = (0, 1, 5, 10)
    rows = [("mean squared error on 500 new tasks", *(f"{k} steps" if k != 1 else "1 step" for k in shown))]
    for name, losses in curves.items():
        cells = (f"{losses[k].mean().item():.2f} ± {2 * losses[k].std().item() / 500**0.5:.2f}" for k in shown)
        rows.append((name, *cells))
    table(*rows)
    save(picture(models, curves), options.folder, "maml.png")


if __name__ == "__main__":
    main(options())

# %% [markdown]
# ![A new sine before and after adaptation, and the error by number of steps](../images/maml.png)
#
# Before adaptation no model can know which sine is asked for, and both predict little more than the mean of all. One
# step from ten points makes the difference: the meta-trained parameters lie where a step leads to any of the sines,
# while from the jointly trained ones ten steps of the same rate do not lead as far.
