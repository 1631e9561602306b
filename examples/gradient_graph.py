"""
What a gradient computes, as a picture.

Traces the gradient of a small network's loss, prints the graph, and draws it: arguments at the top, gradients at the
bottom, each box with its operator, operands, shape and the line it comes from.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import tensorplay as tp
from tensorplay.func import grad, make_graph

Params = dict[str, tp.Tensor]


def loss(params: Params, x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    """Mean squared error of a network with one hidden layer."""
    hidden = (x @ params["w"] + params["b"]).tanh()
    return ((hidden @ params["v"] - y) ** 2).mean()


def main(path: Path) -> None:
    """Print the graph and save its picture."""
    params = {"w": tp.randn(3, 8), "b": tp.zeros(8), "v": tp.randn(8)}
    graph = make_graph(grad(loss))(params, tp.randn(20, 3), tp.randn(20))
    print(graph)
    graph.save(path)
    print(f"saved {path}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("gradient_graph.svg"), help="where the picture goes")
    main(parser.parse_args().out)
