"""
Where the boxes and edges of a drawn graph go: in layers, each below what it is computed from.

Sugiyama, Tagawa & Toda (1981): layers by the longest path, orders by barycentres, then places. An edge that passes a
layer has a place of its own in it, so that it runs between the boxes; edges from one output share these places.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

Point = tuple[float, float]

BOX_GAP, EDGE_GAP, LAYER_GAP = 22.0, 14.0, 30.0
PORT_GAP = 18.0  # between the ends of edges at one box
SNAP = 8.0  # ends move by less than this, to make an edge straight
SWEEPS = 12


class Edge(NamedTuple):
    """From an output of a box to another box, which comes later in the list of boxes."""

    source: int
    output: int
    target: int


class Layout(NamedTuple):
    """Upper left corners of the boxes, the points that each edge passes, and the size of the whole."""

    corners: list[Point]
    routes: list[list[Point]]
    width: float
    height: float


class Way:
    """The places in which edges from one output pass layers, and where they would be if the way were straight."""

    __slots__ = ("centre", "places")

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.centre = 0.0

    def straighten(self) -> None:
        """Take the mean of the places, and a little of the boxes at the ends."""
        ends = [*self.places[0].above, *[end for place in self.places for end in place.below if end.box is not None]]
        straight = sum([place.x for place in self.places]) / len(self.places)
        self.centre = 0.8 * straight + 0.2 * sum([end.x for end in ends]) / len(ends)


class Place:
    """A box in a layer, or where an edge passes it (`box` is None) on its way."""

    __slots__ = ("above", "below", "box", "layer", "way", "width", "x")

    def __init__(self, layer: int, width: float = 0.0, box: int | None = None) -> None:
        self.layer = layer
        self.width = width
        self.box = box
        self.above: list[Place] = []  # neighbours, one entry per edge
        self.below: list[Place] = []
        self.way: Way | None = None
        self.x = 0.0  # of the centre


def arrange(sizes: Sequence[Point], edges: Sequence[Edge]) -> Layout:
    """Places for boxes of some sizes and for the edges between them."""
    depths = layer_numbers(len(sizes), edges)
    places = [Place(depth, size[0], box) for box, (depth, size) in enumerate(zip(depths, sizes, strict=True))]
    passing: dict[tuple[int, int, int], Place] = {}
    chains = [_chain(edge, places, passing) for edge in edges]
    layers: list[list[Place]] = [[] for _ in range(max(depths, default=0) + 1)]
    for place in [*places, *passing.values()]:
        layers[place.layer].append(place)
    _order(layers)
    _spread(layers)
    return _drawn(sizes, edges, places, chains, layers)


def layer_numbers(count: int, edges: Sequence[Edge]) -> list[int]:
    """Each box below all that it is computed from, and close to where it is used if that shortens edges."""
    depths = [0] * count
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for edge in edges:
        above[edge.target].append(edge.source)
        below[edge.source].append(edge.target)
    for box in range(count):
        depths[box] = max([depths[source] + 1 for source in above[box]], default=0)
    for box in reversed(range(count)):
        if len(below[box]) > len(above[box]):
            depths[box] = min([depths[target] for target in below[box]]) - 1
    return depths


def _chain(edge: Edge, places: Sequence[Place], passing: dict[tuple[int, int, int], Place]) -> list[Place]:
    """The places that an edge passes, from its source to its target."""
    chain = [places[edge.source]]
    for layer in range(chain[0].layer + 1, places[edge.target].layer):
        key = (edge.source, edge.output, layer)
        if key not in passing:
            place = passing[key] = Place(layer)
            place.way = chain[-1].way or Way()
            place.way.places.append(place)
            _join(chain[-1], place)
        chain.append(passing[key])
    _join(chain[-1], places[edge.target])
    return [*chain, places[edge.target]]


def _join(upper: Place, lower: Place) -> None:
    upper.below.append(lower)
    lower.above.append(upper)


# ---- orders ----------------------------------------------------------------------------------------------------------


def _order(layers: list[list[Place]]) -> None:
    """Sort each layer so that few edges cross."""
    best, fewest = [list(layer) for layer in layers], crossings(layers)
    position = {place: number for layer in layers for number, place in enumerate(layer)}
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            centres = {place: _mean([position[n] for n in _towards(place, downwards)]) for place in layer}
            wanted = {place: position[place] if centre is None else centre for place, centre in centres.items()}
            layer.sort(key=wanted.__getitem__)
            position.update({place: number for number, place in enumerate(layer)})
        count = crossings(layers)
        if count < fewest:
            best, fewest = [list(layer) for layer in layers], count
    layers[:] = best


def _towards(place: Place, above: bool) -> list[Place]:
    return place.above if above else place.below


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def crossings(layers: Sequence[Sequence[Place]]) -> int:
    """How many pairs of edges cross between layers."""
    count = 0
    for upper, lower in pairwise(layers):
        position = {place: number for number, place in enumerate(lower)}
        seen: list[int] = []
        for place in upper:
            ends = sorted([position[target] for target in place.below])
            count += sum([len(seen) - bisect(seen, end) for end in ends])
            for end in ends:
                insort(seen, end)
    return count


# ---- places ----------------------------------------------------------------------------------------------------------


def _spread(layers: Sequence[Sequence[Place]]) -> None:
    """Centres of all places: close to those of the neighbours, in order, without overlaps."""
    ways = {place.way for layer in layers for place in layer if place.way is not None}
    for layer in layers:
        _settle(layer, [0.0] * len(layer))
    for sweep in range(3 * SWEEPS):
        both = sweep >= SWEEPS  # first from one side, to find the rough shape
        downwards = sweep % 2 == 0
        for way in ways:
            way.straighten()
        for layer in layers if downwards else reversed(layers):
            _settle(layer, [_wanted(place, downwards, both) for place in layer])


def _wanted(place: Place, downwards: bool, both: bool) -> float:
    if place.way is not None and both:
        return place.way.centre
    neighbours = [*place.above, *place.below] if both else _towards(place, downwards)
    centre = _mean([neighbour.x for neighbour in neighbours])
    return place.x if centre is None else centre


def _settle(layer: Sequence[Place], wanted: Sequence[float]) -> None:
    """Least squares from the `wanted` centres, by pooling neighbours that would overlap (isotonic regression)."""
    starts, start = [], 0.0
    for place, previous in zip(layer, [None, *layer], strict=False):
        start += 0.0 if previous is None else _distance(previous, place)
        starts.append(start)
    pools: list[tuple[float, float, int]] = []  # mean, weight, length
    for place, centre, start in zip(layer, wanted, starts, strict=True):
        mean, weight, length = centre - start, 1.0 if place.box is not None else 4.0, 1
        while pools and pools[-1][0] > mean:
            other, other_weight, other_length = pools.pop()
            mean = (mean * weight + other * other_weight) / (weight + other_weight)
            weight, length = weight + other_weight, length + other_length
        pools.append((mean, weight, length))
    shifts = [mean for mean, _, length in pools for _ in range(length)]
    for place, shift, start in zip(layer, shifts, starts, strict=True):
        place.x = shift + start


def _distance(left: Place, right: Place) -> float:
    gap = BOX_GAP if left.box is not None and right.box is not None else EDGE_GAP
    return (left.width + right.width) / 2 + gap


# ---- points ----------------------------------------------------------------------------------------------------------


def _drawn(
    sizes: Sequence[Point],
    edges: Sequence[Edge],
    places: Sequence[Place],
    chains: Sequence[list[Place]],
    layers: Sequence[Sequence[Place]],
) -> Layout:
    left = min([place.x - place.width / 2 for layer in layers for place in layer], default=0.0)
    width = max([place.x + place.width / 2 - left for layer in layers for place in layer], default=0.0)
    bands, bottom = [], 0.0
    for layer in layers:
        height = max([sizes[place.box][1] for place in layer if place.box is not None], default=0.0)
        reach = max([abs(place.x - below.x) for place in layer for below in place.below], default=0.0)
        bands.append((bottom, bottom + height))
        bottom += height + LAYER_GAP + min(reach / 10, 2 * LAYER_GAP)
    for layer in layers:
        for place in layer:
            place.x -= left
    corners = []
    for place, (box_width, box_height) in zip(places, sizes, strict=True):
        top, low = bands[place.layer]
        corners.append((place.x - box_width / 2, (top + low - box_height) / 2))
    starts, ends = _ports(edges, sizes, corners, chains)
    leaving = Counter([(edge.source, edge.output) for edge in edges])
    routes = [
        _route(chain, bands, start, end, leaving[edge.source, edge.output] == 1)
        for edge, chain, start, end in zip(edges, chains, starts, ends, strict=True)
    ]
    return Layout(corners, routes, width, bands[-1][1] if layers else 0.0)


def _ports(
    edges: Sequence[Edge], sizes: Sequence[Point], corners: Sequence[Point], chains: Sequence[list[Place]]
) -> tuple[list[Point], list[Point]]:
    """Where edges leave their boxes, by output, and where they arrive, in the order in which they come in."""
    outputs = [0] * len(sizes)
    arriving: list[list[int]] = [[] for _ in sizes]
    for number, edge in enumerate(edges):
        outputs[edge.source] = max(outputs[edge.source], edge.output + 1)
        arriving[edge.target].append(number)
    starts = [_port(corners[e.source], sizes[e.source], e.output, outputs[e.source], sizes[e.source][1]) for e in edges]
    ends: list[Point] = [(0.0, 0.0)] * len(edges)
    for target, numbers in enumerate(arriving):
        numbers.sort(key=lambda number: (chains[number][-2].x, number))
        for position, number in enumerate(numbers):
            ends[number] = _port(corners[target], sizes[target], position, len(numbers), 0.0)
    return starts, ends


def _port(corner: Point, size: Point, position: int, count: int, down: float) -> Point:
    gap = min(PORT_GAP, size[0] / (count + 1))
    return corner[0] + size[0] / 2 + (position - (count - 1) / 2) * gap, corner[1] + down


def _route(chain: Sequence[Place], bands: Sequence[Point], start: Point, end: Point, alone: bool) -> list[Point]:
    """Straight down through layers; what is not straight lies between them. `alone`: no other edge has its start."""
    xs = _straightened([start[0], *[place.x for place in chain[1:-1]], end[0]], alone)
    points = [(xs[0], start[1]), (xs[0], bands[chain[0].layer][1])]
    for place, x in zip(chain[1:-1], xs[1:-1], strict=True):
        points += [(x, y) for y in bands[place.layer]]
    return [*points, (xs[-1], bands[chain[-1].layer][0]), (xs[-1], end[1])]


def _straightened(xs: list[float], alone: bool) -> list[float]:
    """An edge's course without slight bends, which look like mistakes."""
    for i in range(2, len(xs) - 1):
        if abs(xs[i] - xs[i - 1]) < SNAP / 2:
            xs[i] = xs[i - 1]
    if alone and abs(xs[0] - xs[1]) < SNAP:
        xs[0] = xs[1]
    if abs(xs[-1] - xs[-2]) < SNAP:
        xs[-1] = xs[-2]
    return xs
