"""The picture of the rooms and their imports: ``python assets/make_architecture.py`` writes ``architecture.svg``.

A room stands above all that it imports. An arrow is an import; one that follows from others is left out. The picture is
made from nothing but the imports, and a test fails when it is not what they say.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from package_imports import arrows, layers, rooms_of  # noqa: E402

PICTURE = HERE / "architecture.svg"
WIDTH, BOX, GAP, TALL, STEP, HEAD, MARGIN = 860, 104, 20, 34, 76, 52, 16
"""Pixels: of the picture; of a room; of an arrow passing a layer; a room's height; from layer to layer; of a title; round
the picture."""
TITLES = {
    "app": ("app", "the dashboard: it imports sampler’s facade and rooms"),
    "sampler": ("sampler", "the library: it imports nothing of the dashboard"),
}
STYLE = """
.card{fill:#fff;stroke:#d9dee4} .room{fill:#eef2f6;stroke:#8792a0} .way{fill:none;stroke:#566270;stroke-width:1.3}
.tip{fill:#566270} text{font:14px Roboto,Arial,sans-serif;fill:#1b232d} .title{font-size:17px;font-weight:700}
.soft{fill:#566270}
@media (prefers-color-scheme:dark){.card{fill:#181d23;stroke:#2a313a} .room{fill:#222931;stroke:#75818f}
.way{stroke:#a3aebb} .tip{fill:#a3aebb} text{fill:#e9edf1} .soft{fill:#a3aebb}}
"""


def ways_through(graph: dict[str, set[str]], height: dict[str, int]) -> list[list[str]]:
    """Return each arrow as the rooms at its ends and, between them, one gap in each layer that it crosses."""
    return [[one, *(f"{one} to {other} at {layer}" for layer in range(height[one] - 1, height[other], -1)), other]
            for one, other in arrows(graph)]


def places(ways: list[list[str]], height: dict[str, int]) -> dict[str, tuple[float, float]]:
    """Return the middle of the top edge of each room and gap, from the package's own corner, so that few arrows cross.

    Each sweep sorts the layers by the mean of what their rooms are joined to (Sugiyama's barycentres).
    """
    at = dict(height)
    for way in ways:
        at |= {gap: height[way[0]] - k for k, gap in enumerate(way) if gap not in height}
    joined: dict[str, set[str]] = {name: set() for name in at}
    for way in ways:
        for one, other in zip(way, way[1:], strict=False):
            joined[one].add(other)
            joined[other].add(one)
    rows = [sorted(name for name in at if at[name] == layer) for layer in range(max(at.values()) + 1)]
    x = dict.fromkeys(at, WIDTH / 2)
    for sweep in range(24):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = {name: round(sum(x[other] for other in joined[name]) / max(len(joined[name]), 1), 3) for name in row}
            row.sort(key=lambda name: (wanted[name], name))  # noqa: B023 - sorted at once
            widths = [BOX if name in height else GAP for name in row]
            space = (WIDTH - 2 * MARGIN - sum(widths)) / len(row)
            x |= {name: MARGIN + sum(widths[:k]) + widths[k] / 2 + space * (k + 0.5) for k, name in enumerate(row)}
    return {name: (x[name], HEAD + STEP * (len(rows) - 1 - at[name])) for name in at}


def drawn(package: str, top: float) -> tuple[str, float]:
    """Return a package's card with its rooms and arrows, and how tall it is."""
    graph = rooms_of(package)
    height = layers(graph)
    ways = ways_through(graph, height)
    at = {name: (round(x, 1), y + top) for name, (x, y) in places(ways, height).items()}
    tall = max(y for _, y in at.values()) - top + TALL + MARGIN
    parts = [f'<rect class="card" x="1" y="{top + 1:g}" width="{WIDTH - 2}" height="{tall - 2:g}" rx="10"/>']
    title, words = TITLES[package]
    parts.append(f'<text class="title" x="{MARGIN}" y="{top + 28:g}">{title} '
                 f'<tspan class="soft" font-size="14" font-weight="400">{words}</tspan></text>')
    parts += [_arrow([at[name] for name in way]) for way in ways]
    for room in graph:
        x, y = at[room]
        parts.append(f'<rect class="room" x="{x - BOX / 2:g}" y="{y:g}" width="{BOX}" height="{TALL}" rx="6"/>'
                     f'<text x="{x:g}" y="{y + 22:g}" text-anchor="middle">{room}</text>')
    return "\n".join(parts), tall


def _arrow(points: list[tuple[float, float]]) -> str:
    """An import: from a room's lower edge through gaps to the upper edge of the room imported; in a layer, side to side."""
    (x, y), (to_x, to_y) = points[0], points[-1]
    if y == to_y:
        return _sideways(x, to_x, y)
    x += _aside(points[1][0] - x)
    to_x += _aside(points[-2][0] - to_x)
    stops = [(x, y + TALL, y + TALL), *((gap, top, top + TALL) for gap, top in points[1:-1]), (to_x, to_y - 6, to_y)]
    path = f"M{x:g} {y + TALL:g}"
    for (from_x, _, leave), (next_x, enter, _) in zip(stops, stops[1:], strict=False):
        bend = (enter - leave) / 2
        path += f"C{from_x:g} {leave + bend:g} {next_x:g} {enter - bend:g} {next_x:g} {enter:g}"
        path += f"V{enter + TALL:g}" if enter != to_y - 6 else ""
    return f'<path class="way" d="{path}"/><path class="tip" d="M{to_x:g} {to_y:g}l-4 -8h8z"/>'


def _aside(difference: float) -> float:
    """How far from the middle of an edge an arrow begins, towards where it goes: arrows of one room stay apart."""
    return round(max(-1.0, min(1.0, difference / 300)) * BOX * 0.38, 1)


def _sideways(x: float, to_x: float, y: float) -> str:
    """An arrow in one layer; over what stands between the two, and back beside the way there."""
    side = 1 if to_x > x else -1
    if abs(to_x - x) > 3 * BOX:
        x, to_x, rise = x + side * BOX * 0.3, to_x - side * BOX * 0.3, y - STEP * 0.4
        return (f'<path class="way" d="M{x:g} {y:g}C{x:g} {rise:g} {to_x:g} {rise:g} {to_x:g} {y - 6:g}"/>'
                f'<path class="tip" d="M{to_x:g} {y:g}l-4 -8h8z"/>')
    x, to_x, y = x + side * BOX / 2, to_x - side * BOX / 2, y + TALL * (0.32 if side > 0 else 0.68)
    return (f'<path class="way" d="M{x:g} {y:g}H{to_x - side * 6:g}"/>'
            f'<path class="tip" d="M{to_x:g} {y:g}l{-side * 8} -4v8z"/>')


def picture() -> str:
    """Return the whole picture as SVG."""
    parts, top = [], 0.0
    for package in TITLES:
        part, tall = drawn(package, top)
        parts.append(part)
        top += tall + 12
    size = f'viewBox="0 0 {WIDTH} {top - 12:g}" width="{WIDTH}" height="{top - 12:g}"'
    return (f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n'
            "<title>Rooms of app and sampler; an arrow points from a room to one that it imports</title>\n"
            f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(PICTURE)
