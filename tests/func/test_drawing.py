"""Drawn graphs: valid SVG with every box and edge, boxes apart, edges between them, the same each time."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import tensorplay as tp
from tensorplay.func import grad, hessian, make_graph, vmap
from tensorplay.func.drawing import Box, picture
from tensorplay.func.graph import Graph
from tensorplay.func.layout import Edge, Layout, Point, arrange, layer_numbers
from tensorplay.interpreters.stage import Name

SVG = "{http://www.w3.org/2000/svg}"


def network(params: dict[str, tp.Tensor], x: tp.Tensor, y: tp.Tensor) -> tp.Tensor:
    hidden = (x @ params["w"] + params["b"]).tanh()
    return ((hidden.sum(1) - y) ** 2).mean()


def attention(q: tp.Tensor, k: tp.Tensor, v: tp.Tensor) -> tp.Tensor:
    return tp.softmax(q @ k.T / 2.0, dim=-1) @ v


SQUARE = tp.ones(4, 4)
PARAMS = {"w": tp.ones(3, 4), "b": tp.zeros(4)}
GRAPHS = {
    "network": make_graph(grad(network))(PARAMS, tp.ones(5, 3), tp.ones(5)),
    "attention": make_graph(grad(lambda *a: attention(*a).sum(), argnums=(0, 1, 2)))(SQUARE, SQUARE, SQUARE),
    "hessian": make_graph(hessian(lambda x: (x.sin() * x).sum()))(tp.ones(3)),
    "mapped": make_graph(vmap(grad(lambda x: (x.exp() / (1 + x.exp())).sum())))(SQUARE),
    "several outputs": make_graph(lambda x: tp.linalg.svd(x)[1:])(SQUARE),
    "same operand twice": make_graph(lambda x: x * x)(tp.ones(2)),
    "unused argument": make_graph(lambda x, y: x.sin())(tp.ones(2), tp.ones(3)),
    "argument returned": make_graph(lambda x: (x, 3, x + 1))(tp.ones(2)),
    "no tensors": make_graph(lambda: 1.0)(),
}


def parsed(graph: Graph) -> ElementTree.Element:
    return ElementTree.fromstring(graph.svg())


def boxes_of(svg: ElementTree.Element) -> dict[str, list[ElementTree.Element]]:
    groups = svg.findall(f".//{SVG}g[@class]")
    return {kind: [group for group in groups if group.get("class") == kind] for kind in ("input", "op", "output")}


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_every_node_and_edge_is_there(graph: Graph) -> None:
    svg = parsed(graph)
    boxes = boxes_of(svg)
    assert [len(boxes["op"]), len(boxes["output"])] == [len(graph.ops), len(graph.outputs)]
    texts = str(graph).splitlines()
    assert len(boxes["input"]) == sum([" = argument" in line for line in texts])
    for op, group in zip(graph.ops, boxes["op"], strict=True):
        lines = [text.text or "" for text in group.findall(f"{SVG}text")]
        assert lines[0].startswith(f"{op.prim.name}(")
        assert lines[-1] == op.source
        shown = " ".join(lines)
        assert all(
            f"{dtype}[{', '.join(map(str, shape))}]" in shown for shape, dtype in zip(op.shapes, op.dtypes, strict=True)
        )
        assert group.findtext(f"{SVG}title") in [line.strip() for line in texts]
    named = [o for op in graph.ops for o in op.operands if isinstance(o, Name)]
    returned = [o for o in graph.outputs.values() if isinstance(o, Name)]
    assert len(svg.findall(f".//{SVG}g[@stroke]/{SVG}path")) == len(named) + len(returned)


def rectangles(svg: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    return [tuple([float(r.get(key, "")) for key in ("x", "y", "width", "height")]) for r in svg.iter(f"{SVG}rect")]  # type: ignore[misc]


def curve_points(path: str) -> list[Point]:
    """Points along a path of M, V and C commands."""
    points: list[Point] = []
    for command, numbers in re.findall(r"([MVC])([^MVC]+)", path):
        n = [float(number) for number in numbers.split()]
        if command == "M":
            points.append((n[0], n[1]))
            continue
        x, y = points[-1]
        a, b, end = ((x, y), (x, n[0]), (x, n[0])) if command == "V" else ((n[0], n[1]), (n[2], n[3]), (n[4], n[5]))
        for t in [step / 20 for step in range(1, 21)]:
            w = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
            corners = ((x, y), a, b, end)
            points.append(
                (
                    sum(k * p[0] for k, p in zip(w, corners, strict=True)),
                    sum(k * p[1] for k, p in zip(w, corners, strict=True)),
                )
            )
    return points


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())
def test_boxes_are_apart_and_edges_between_them(graph: Graph) -> None:
    svg = parsed(graph)
    places = rectangles(svg)
    width, height = float(svg.get("width", "")), float(svg.get("height", ""))
    for x, y, w, h in places:
        assert 0 <= x <= x + w <= width
        assert 0 <= y <= y + h <= height
    for (x, y, w, h), (x2, y2, w2, h2) in itertools.combinations(places, 2):
        assert x + w < x2 or x2 + w2 < x or y + h < y2 or y2 + h2 < y
    for path in svg.findall(f".//{SVG}g[@stroke]/{SVG}path"):
        for px, py in curve_points(path.get("d", "")):
            assert not any(x + 0.5 < px < x + w - 0.5 and y + 0.5 < py < y + h - 0.5 for x, y, w, h in places)


def test_text_fits_into_its_box() -> None:
    box = Box("op", ("f(" + "a, " * 40 + "b)", "x: float32[2, 3]", "日本.py:1"), "")
    (rectangle,) = rectangles(ElementTree.fromstring(picture("t", [box], [])))
    longest = max(len(text) for text in re.findall(r">([^<]*)</text>", picture("", [box], [])))
    assert longest <= 44
    assert rectangle[2] > longest * 0.6 * 12


def test_what_xml_reserves_is_escaped() -> None:
    def cut(d: Any) -> Any:
        return d["a<b>&\"c'\x00"] * 2

    graph = make_graph(cut)({"a<b>&\"c'\x00": tp.ones(2)})
    graph.title = "<&>"
    svg = parsed(graph)
    assert svg.findtext(f"{SVG}title") == "<&>"
    (box,) = boxes_of(svg)["input"]
    assert "a<b>&" in box.findtext(f"{SVG}text", "")


def test_a_drawing_is_the_same_every_time(tmp_path: Path) -> None:
    first, again = [make_graph(grad(network))(PARAMS, tp.ones(5, 3), tp.ones(5)) for _ in range(2)]
    assert first.svg() == again.svg()
    assert again._repr_svg_() == again.svg()
    again.save(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == again.svg()
    with pytest.raises(ValueError, match=r"graph\.png.*\.svg"):
        again.save(tmp_path / "graph.png")


# ---- the layout alone ------------------------------------------------------------------------------------------------


def test_layers() -> None:
    edges = [Edge(0, 0, 2), Edge(1, 0, 3), Edge(2, 0, 3), Edge(2, 0, 4)]
    assert layer_numbers(5, edges) == [0, 1, 1, 2, 2]  # 1 is moved down to where it is used
    assert layer_numbers(2, []) == [0, 0]


@pytest.mark.parametrize("seed", range(12))
def test_layouts_of_random_graphs(seed: int) -> None:
    numbers = random.Random(seed)
    count = numbers.randint(1, 40)
    sizes = [(numbers.uniform(20, 200), numbers.uniform(10, 80)) for _ in range(count)]
    pairs = [(numbers.randrange(target), target) for target in range(1, count) for _ in range(numbers.randint(0, 3))]
    edges = [Edge(source, numbers.randint(0, 1), target) for source, target in pairs]
    layout = arrange(sizes, edges)
    assert layout == arrange(sizes, edges)
    check(layout, sizes, edges)


def check(layout: Layout, sizes: list[Point], edges: list[Edge]) -> None:
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(layout.corners, sizes, strict=True)]
    for a, b in itertools.combinations(boxes, 2):
        assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
    assert min(box[0] for box in boxes) >= -1e-9
    assert max(box[3] for box in boxes) == pytest.approx(layout.height)
    for edge, route in zip(edges, layout.routes, strict=True):
        (x, y), (x2, y2) = route[0], route[-1]
        source, target = boxes[edge.source], boxes[edge.target]
        assert source[0] <= x <= source[2]
        assert y == pytest.approx(source[3])
        assert target[0] <= x2 <= target[2]
        assert y2 == pytest.approx(target[1])
        ys = [round(point[1], 6) for point in route]
        assert ys == sorted(ys)


def test_crossings_that_can_be_avoided_are() -> None:
    sizes = [(50.0, 20.0)] * 6
    layout = arrange(sizes, [Edge(0, 0, 5), Edge(1, 0, 4), Edge(2, 0, 3)])
    upper = sorted(range(3), key=lambda box: layout.corners[box])
    lower = sorted(range(3, 6), key=lambda box: layout.corners[box])
    assert [5 - box for box in upper] == lower
