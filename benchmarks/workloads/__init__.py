"""
The work that is measured, a file per theme.

A workload imports no library: it is given one. Its inputs are NumPy arrays from fixed seeds, the same for all.
"""

from benchmarks.workloads import chains, curvature, learning, per_sample, small
from benchmarks.workloads.workload import Workload

WORKLOADS: dict[str, Workload] = {
    "grad_small_scalar": small.GradSmall(size=0),
    "grad_small_ten_elements": small.GradSmall(size=10),
    "third_derivative": small.NestedGrad(order=3),
    "vmap_grad_small": small.VmapGradSmall(),
    "rnn_100_steps": small.RNN(),
    "jacfwd_tall": curvature.JacfwdTall(),
    "hessian_128": curvature.Hessian(),
    "hessian_vector_product": curvature.HessianVectorProduct(),
    "linearize_50_pushes": curvature.Linearize(),
    "maml_sines": learning.MAML(),
    "chain_arithmetic": chains.Arithmetic(),
    "chain_transcendental": chains.Transcendental(),
    "chain_activations": chains.Activations(),
    "per_sample_mlp": per_sample.MLP(),
    "per_sample_cnn": per_sample.CNN(),
    "per_sample_transformer": per_sample.TransformerBlock(),
    "per_sample_lstm": per_sample.LSTM(),
    "jacrev_mlp": curvature.JacrevMLP(),
    "pde_residual": curvature.PDEResidual(),
    "ensemble_forward": learning.EnsembleForward(),
    "ensemble_step": learning.EnsembleStep(),
    "neural_tangent_kernel": curvature.NeuralTangentKernel(),
    "gaussian_process": learning.GaussianProcess(),
}

# how cost grows: workloads by the size that grows
CURVES: dict[str, dict[int, Workload]] = {
    "batch": {n: per_sample.MLP(batch=n, features=64, width=64) for n in (1, 4, 16, 64, 256, 1024)},
    "depth": {n: learning.GradMLP(depth=n) for n in (1, 2, 4, 8, 16, 32)},
    "nesting": {n: small.NestedGrad(order=n) for n in (1, 2, 3, 4, 5)},
    "parameters": {3 * w * (w + 1): learning.GradMLP(depth=3, width=w) for w in (8, 16, 32, 64, 128, 256, 512)},
}


def named(name: str) -> Workload:
    """A workload by its name, or by that of a curve and a size: `batch=64`."""
    curve, equals, size = name.partition("=")
    return CURVES[curve][int(size)] if equals else WORKLOADS[name]
