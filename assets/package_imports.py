"""Which rooms import which, read from the source: a room is a folder of `sampler` or `app`, or the files beside them."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENTRY, SHARED = "entry", "shared files"
"""The files beside a package's folders, as two rooms: those that import a folder, and those that folders import."""


def rooms_of(package: str) -> dict[str, set[str]]:
    """Return the rooms of a package, each with the other rooms of the package that its modules import.

    An import inside a function counts too: the room needs the other one when it runs.
    """
    folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    found: dict[str, set[str]] = {}
    for file in sorted((ROOT / package).rglob("*.py")):
        inner = file.relative_to(ROOT / package).parts
        named = {name.split(".")[1] for name in _imported(file, package)}
        own = inner[0] if len(inner) > 1 else ENTRY if named & folders else SHARED
        found.setdefault(own, set()).update(name if name in folders else SHARED for name in named)
    return {room: others - {room} for room, others in found.items()}


def _imported(file: Path, package: str) -> set[str]:
    """Names of the package's modules, or of names of its facade, that a file imports; each has a dot."""
    names: set[str] = set()
    body: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while body:  # statements alone: a walk through all expressions takes three times as long
        node = body.pop()
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, None)
            body += inner if isinstance(inner, list) else []
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == package:
            names |= {f"{package}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name for name in names if name.startswith(f"{package}.")}


def reach(graph: dict[str, set[str]], start: str) -> set[str]:
    """Return all rooms that a room needs, through others too; itself where it is on a circle."""
    found: set[str] = set()
    waiting = [*graph[start]]
    while waiting:
        room = waiting.pop()
        if room not in found:
            found.add(room)
            waiting += graph[room]
    return found


def layers(graph: dict[str, set[str]]) -> dict[str, int]:
    """Return each room's height: one more than the highest that it imports; rooms of one circle stand side by side."""
    reached = {room: reach(graph, room) for room in graph}
    circle = {room: {room} | {other for other in reached[room] if room in reached[other]} for room in graph}
    height: dict[str, int] = {}
    while len(height) < len(graph):
        for room in graph:
            below = {other for one in circle[room] for other in graph[one]} - circle[room]
            if room not in height and below <= height.keys():
                height |= dict.fromkeys(circle[room], max((height[other] + 1 for other in below), default=0))
    return height


def arrows(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the imports that no way through other rooms implies; those along a circle all stay."""
    reached = {room: reach(graph, room) for room in graph}

    def implied(room: str, other: str) -> bool:
        """Whether another room lies on the way; rooms of one circle with either end do not count."""
        return any(other in reached[middle] and middle not in reached[other] and room not in reached[middle]
                   for middle in graph[room] - {other})

    return [(room, other) for room in graph for other in sorted(graph[room]) if not implied(room, other)]
