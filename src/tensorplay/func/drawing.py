"""A graph of boxes and edges as an SVG picture that reads well on light and dark pages."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tensorplay.func.layout import Edge, Point, arrange

FONT = "'DejaVu Sans Mono', Menlo, Consolas, monospace"
SIZE = 12  # of letters; those of a fixed-width font are 0.6 times as wide
LETTER, LINE = 0.602 * SIZE, 16.0
PADDING, MARGIN, HEADER = 9.0, 16.0, 30.0
LONGEST = 44  # letters in a line
EDGE_COLOUR = "#7d8795"
# fill and outline by kind of box
COLOURS = {"input": ("#dcecff", "#3d78b8"), "op": ("#ffffff", "#8791a0"), "output": ("#dcf3df", "#3f9152")}
TEXT, FAINT = "#1b2430", "#66707f"


@dataclass(frozen=True)
class Box:
    """
    What is drawn as a box: lines of text, the first in bold and the last faint.

    `kind` is "input", "op" or "output"; `details` is what a viewer shows when the pointer rests on the box.
    """

    kind: str
    lines: tuple[str, ...]
    details: str

    @property
    def size(self) -> Point:
        """Width and height."""
        widest = max([columns(shortened(line)) for line in self.lines])
        return widest * LETTER + 2 * PADDING, len(self.lines) * LINE + PADDING


def columns(text: str) -> int:
    """Width of a text in letters; those of East Asian scripts are as wide as two."""
    return sum([2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text])


def shortened(line: str) -> str:
    """A line, cut where it is too long."""
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def picture(title: str, boxes: Sequence[Box], edges: Sequence[Edge]) -> str:
    """An SVG document of boxes and the edges between them."""
    layout = arrange([box.size for box in boxes], edges)
    width = max(layout.width, columns(title) * LETTER) + 2 * MARGIN
    height = layout.height + HEADER + 2 * MARGIN
    left = (width - layout.width) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="{FONT}" font-size="{SIZE}">',
        f"<title>{_clean(title)}</title>",
        f'<text x="{width / 2:.1f}" y="{MARGIN + SIZE:.1f}" text-anchor="middle" font-weight="bold" '
        f'fill="{EDGE_COLOUR}">{_clean(title)}</text>',
        f'<g transform="translate({left:.1f} {MARGIN + HEADER:.1f})">',
        f'<g fill="none" stroke="{EDGE_COLOUR}" stroke-width="1.3">',
        *[_line(route) for route in layout.routes],
        f'</g><g fill="{EDGE_COLOUR}">',
        *[_head(route[-1]) for route in layout.routes],
        "</g>",
        *[_boxed(box, corner) for box, corner in zip(boxes, layout.corners, strict=True)],
        "</g></svg>",
    ]
    return "\n".join(parts) + "\n"


def _clean(text: str) -> str:
    """Text without what XML does not allow."""
    return escape("".join([letter if letter.isprintable() or letter == "\n" else "�" for letter in text]))


def _line(route: Sequence[Point]) -> str:
    """A path that is straight within layers and bends between them."""
    (x, y), *rest = route
    commands = [f"M{x:.1f} {y:.1f}"]
    for next_x, next_y in rest:
        middle = (y + next_y) / 2
        commands.append(
            f"V{next_y:.1f}"
            if abs(next_x - x) < 0.05
            else f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}"
        )
        x, y = next_x, next_y
    return f'<path d="{"".join(commands)}"/>'


def _head(end: Point) -> str:
    x, y = end
    return f'<path d="M{x:.1f} {y:.1f}l-3.5 -7h7z"/>'


def _boxed(box: Box, corner: Point) -> str:
    (x, y), (width, height) = corner, box.size
    fill, outline = COLOURS[box.kind]
    texts = []
    for number, line in enumerate(box.lines):
        look = ' font-weight="bold"' if number == 0 else ""
        colour = FAINT if 0 < number == len(box.lines) - 1 else TEXT
        baseline = y + PADDING / 2 + number * LINE + SIZE
        texts.append(
            f'<text x="{x + width / 2:.1f}" y="{baseline:.1f}" text-anchor="middle" fill="{colour}"{look}>'
            f"{_clean(shortened(line))}</text>"
        )
    corner_radius = 5 if box.kind == "op" else height / 2
    return (
        f'<g class="{box.kind}"><title>{_clean(box.details)}</title>'
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{corner_radius:.1f}" '
        f'fill="{fill}" stroke="{outline}"/>{"".join(texts)}</g>'
    )
