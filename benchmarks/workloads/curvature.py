"""Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from benchmarks.workloads.per_sample import MLP
from benchmarks.workloads.workload import (
    Call,
    Function,
    Workload,
    jax_cross_entropy,
    jax_linear,
    labels,
    linear_pass,
    matmul,
    mlp,
    mlp_params,
    numbers,
)


@dataclass(frozen=True)
class JacrevMLP(MLP):
    """Jacobians of a network's ten outputs by its input, at many samples."""

    def inputs(self) -> tuple[Any, ...]:
        return mlp_params(self.sizes), numbers(self.batch, self.features, seed=20)

    def in_torch(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def network(params: Any, x: Any) -> Any:
            return mlp(functional.linear, functional.relu, params, x)

        return lib.func.vmap(lib.func.jacrev(network, argnums=1), in_dims=(None, 0))

    def in_jax(self, jax: Any) -> Function:
        def network(params: Any, x: Any) -> Any:
            return mlp(jax_linear, jax.nn.relu, params, x)

        return jax.vmap(jax.jacrev(network, argnums=1), in_axes=(None, 0))

    def calls(self) -> list[Call]:
        n, width = self.features, self.width
        forward = [matmul(self.batch, n, width), matmul(self.batch, width, width), matmul(self.batch, width, 10)]
        # the last layer's Jacobian is its weight
        return [*forward, matmul(10 * self.batch, width, width), matmul(10 * self.batch, width, n)]


@dataclass(frozen=True)
class JacfwdTall(Workload):
    """Jacobian of many outputs by few inputs."""

    rows: int = 4096
    columns: int = 8
    tiny: ClassVar = {"rows": 6, "columns": 2}

    def inputs(self) -> tuple[Any, ...]:
        return numbers(self.rows, self.columns), numbers(self.columns, seed=1)

    def in_torch(self, lib: Any) -> Function:
        def f(a: Any, x: Any) -> Any:
            y = a @ x
            return y.sin() * (y * 0.1).exp() + y.tanh()

        return lib.func.jacfwd(f, argnums=1)

    def in_jax(self, jax: Any) -> Function:
        jnp = jax.numpy

        def f(a: Any, x: Any) -> Any:
            y = a @ x
            return jnp.sin(y) * jnp.exp(y * 0.1) + jnp.tanh(y)

        return jax.jacfwd(f, argnums=1)


@dataclass(frozen=True)
class Hessian(Workload):
    """Hessian of a function of one vector."""

    size: int = 128
    tiny: ClassVar = {"size": 4}

    def inputs(self) -> tuple[Any, ...]:
        return numbers(self.size, self.size, scale=self.size**-0.5), numbers(self.size, seed=1)

    def in_torch(self, lib: Any) -> Function:
        return lib.func.hessian(lambda a, x: ((a @ x).tanh() * x).sum(), argnums=1)

    def in_jax(self, jax: Any) -> Function:
        return jax.hessian(lambda a, x: (jax.numpy.tanh(a @ x) * x).sum(), argnums=1)


@dataclass(frozen=True)
class HessianVectorProduct(Workload):
    """Product of a network's Hessian with a direction: `jvp` of `grad`."""

    batch: int = 32
    width: int = 64
    tiny: ClassVar = {"batch": 2, "width": 4}

    def inputs(self) -> tuple[Any, ...]:
        sizes = (self.width, self.width, 10)
        return mlp_params(sizes), mlp_params(sizes, seed=7), numbers(self.batch, self.width), labels(self.batch, 10)

    def in_torch(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def product(params: Any, direction: Any, x: Any, y: Any) -> Any:
            def loss(params: Any) -> Any:
                return functional.cross_entropy(mlp(functional.linear, lib.tanh, params, x), y)

            return lib.func.jvp(lib.func.grad(loss), (params,), (direction,))[1]

        return product

    def in_jax(self, jax: Any) -> Function:
        def product(params: Any, direction: Any, x: Any, y: Any) -> Any:
            def loss(params: Any) -> Any:
                return jax_cross_entropy(jax, mlp(jax_linear, jax.numpy.tanh, params, x), y)

            return jax.jvp(jax.grad(loss), (params,), (direction,))[1]

        return product


@dataclass(frozen=True)
class Linearize(Workload):
    """A network linearised at a point, and many tangents pushed one by one."""

    pushes: int = 50
    width: int = 64
    tiny: ClassVar = {"pushes": 2, "width": 4}

    def inputs(self) -> tuple[Any, ...]:
        sizes = (self.width,) * 4
        return mlp_params(sizes), numbers(self.width), numbers(self.pushes, self.width, seed=1)

    def in_torch(self, lib: Any) -> Function:
        def work(params: Any, x: Any, tangents: Any) -> Any:
            out, push = lib.func.linearize(lambda x: mlp(lib.nn.functional.linear, lib.tanh, params, x), x)
            return out, [push(tangent) for tangent in tangents.unbind(0)]

        return work

    def in_jax(self, jax: Any) -> Function:
        def work(params: Any, x: Any, tangents: Any) -> Any:
            out, push = jax.linearize(lambda x: mlp(jax_linear, jax.numpy.tanh, params, x), x)
            return out, [push(tangent) for tangent in tangents]

        return work


@dataclass(frozen=True)
class NeuralTangentKernel(Workload):
    """Kernel of a network between two sets of samples: products of their Jacobians by the parameters."""

    batch: int = 32
    features: int = 64
    width: int = 128
    group: ClassVar = "large"
    tiny: ClassVar = {"batch": 2, "features": 3, "width": 4}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of the layers."""
        return self.features, self.width, self.width, 10

    def inputs(self) -> tuple[Any, ...]:
        shape = (self.batch, self.features)
        return mlp_params(self.sizes), numbers(*shape, seed=20), numbers(*shape, seed=21)

    def in_torch(self, lib: Any) -> Function:
        functional = lib.nn.functional

        def network(params: Any, x: Any) -> Any:
            return mlp(functional.linear, functional.relu, params, x)

        jacobians = lib.func.vmap(lib.func.jacrev(network), in_dims=(None, 0))

        def kernel(params: Any, x1: Any, x2: Any) -> Any:
            left, right = (
                {name: jacobian.flatten(2) for name, jacobian in jacobians(params, x).items()} for x in (x1, x2)
            )
            return sum(lib.einsum("Naf,Mbf->NMab", left[name], right[name]) for name in params)

        return kernel

    def in_jax(self, jax: Any) -> Function:
        def network(params: Any, x: Any) -> Any:
            return mlp(jax_linear, jax.nn.relu, params, x)

        jacobians = jax.vmap(jax.jacrev(network), in_axes=(None, 0))

        def kernel(params: Any, x1: Any, x2: Any) -> Any:
            left, right = (
                {name: jacobian.reshape(*jacobian.shape[:2], -1) for name, jacobian in jacobians(params, x).items()}
                for x in (x1, x2)
            )
            return sum(jax.numpy.einsum("Naf,Mbf->NMab", left[name], right[name]) for name in params)

        return kernel

    def calls(self) -> list[Call]:
        outputs = 10 * self.batch
        params = sum(array.size for array in mlp_params(self.sizes).values())
        forward = linear_pass(self.batch, self.sizes, weights=False)
        return [*forward, *forward, matmul(outputs, params, outputs)]


@dataclass(frozen=True)
class PDEResidual(Workload):
    """Gradient by a network's parameters of the mean square of what is left of Burgers' equation at many points."""

    points: int = 1024
    width: int = 64
    group: ClassVar = "large"
    tiny: ClassVar = {"points": 3, "width": 4}

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of the layers."""
        return 2, self.width, self.width, self.width, 1

    def inputs(self) -> tuple[Any, ...]:
        return mlp_params(self.sizes), numbers(self.points, seed=20), numbers(self.points, seed=21)

    def in_torch(self, lib: Any) -> Function:
        def network(params: Any, t: Any, x: Any) -> Any:
            return mlp(lib.nn.functional.linear, lib.tanh, params, lib.stack([t, x])).squeeze(0)

        return self._gradient(lib.func.grad, lib.func.vmap, network)

    def in_jax(self, jax: Any) -> Function:
        def network(params: Any, t: Any, x: Any) -> Any:
            return mlp(jax_linear, jax.numpy.tanh, params, jax.numpy.stack([t, x])).squeeze(0)

        return self._gradient(jax.grad, jax.vmap, network)

    @staticmethod
    def _gradient(grad: Function, vmap: Function, network: Function) -> Function:
        u_t, u_x = grad(network, argnums=1), grad(network, argnums=2)
        u_xx = grad(u_x, argnums=2)

        def residual(params: Any, t: Any, x: Any) -> Any:
            at = (params, t, x)
            return u_t(*at) + network(*at) * u_x(*at) - 0.01 * u_xx(*at)

        residuals = vmap(residual, (None, 0, 0))
        return grad(lambda params, t, x: (residuals(params, t, x) ** 2).mean())

    def calls(self) -> list[Call]:
        # the value, its first derivatives by t and x and the second by x go through each layer once, then back
        return linear_pass(4 * self.points, self.sizes)
