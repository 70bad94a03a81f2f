"""Import graph: the picture of the packages, eight layers of the dashboard, isolated extras, no import cycle."""

import ast
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "assets"))
from make_architecture import PICTURE, picture  # noqa: E402
from package_imports import arrows, layers, reach, rooms_of  # noqa: E402

from tests.sources import names_in, texts, tree_of  # noqa: E402

LAYERS, TOP_LEVEL_FILES = 8, 12
FILES = {path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): path for path in texts("app", "sampler")}
"""Module -> path."""


def test_the_picture_is_made_from_the_imports_of_today():
    assert PICTURE.read_text(encoding="utf-8") == picture(), "run python assets/make_architecture.py"


@pytest.mark.parametrize("graph", [
    {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set()},
    {"a": {"b", "c", "e"}, "b": {"c", "e"}, "c": {"d"}, "d": {"b"}, "e": set()},  # with a cycle
    rooms_of("sampler")], ids=["chain", "cycle", "sampler"])
def test_arrows_that_are_left_out_follow_from_those_that_stay(graph):
    drawn = {room: {other for one, other in arrows(graph) if one == room} for room in graph}
    for room in graph:
        assert reach(drawn, room) == reach(graph, room) and drawn[room] <= graph[room]
    height = layers(graph)
    assert all(height[one] > height[other] or one in reach(graph, other) for one in graph for other in graph[one])
    assert sum(map(len, drawn.values())) < sum(map(len, graph.values()))


def runtime(node):
    """Yield a node and its descendants without `if TYPE_CHECKING` blocks."""
    yield node
    if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
        for part in ast.iter_child_nodes(node):
            yield from runtime(part)


@pytest.fixture(scope="module")
def modules():
    """Path in `app` -> imports of the module, without type-only imports."""
    return {Path(path).relative_to("app"): set().union(*map(names_in, runtime(tree_of(path)))) for path in texts("app")}


def test_nothing_outside_the_extras_imports_one(modules):
    outside = {path: names for path, names in modules.items() if path.parts[0] != "extras"}
    assert not {str(path) for path, names in outside.items() if any(name.startswith("app.extras") for name in names)}


def test_an_extra_imports_no_other(modules):
    for path, names in modules.items():
        if path.parts[0] == "extras" and len(path.parts) > 2:
            others = {name.split(".")[2] for name in names if name.startswith("app.extras.")} - {path.parts[1]}
            assert not others, path


def test_the_dashboard_has_eight_layers_and_no_cycle(modules):
    """A node is a folder of `app` or a top-level file; its layer is above all layers that it imports."""
    rooms = {".".join(path.with_suffix("").parts): path.parts[0] for path in modules}
    graph = {room: set() for room in rooms.values()}
    for path, names in modules.items():
        for name in names:
            inside = name.removeprefix("app.")
            room = rooms.get(inside) or rooms.get(f"{inside}.__init__")
            if name.startswith("app.") and room not in (None, path.parts[0]):
                graph[path.parts[0]].add(room)
    assert not [room for room in graph if room in reach(graph, room)], "folders that import each other"
    height = layers(graph)
    top = max(height, key=height.get)
    assert height[top] < LAYERS, f"{top} is above {height[top]} layers"
    assert sum(len(path.parts) == 1 for path in modules) <= TOP_LEVEL_FILES


@cache
def imports(module):
    """Return the project modules that a module imports at its top level, including type-only imports.

    An import inside a function runs on call and closes no cycle; a package's `__init__` counts only if a name is
    imported from it.
    """
    imported, body = set(), list(tree_of(FILES[module]).body)
    while body:
        node = body.pop()
        if isinstance(node, ast.If | ast.Try):
            body += [*node.body, *node.orelse]
        names = names_in(node)
        inner = {name for name in names - {getattr(node, "module", None)} if name in FILES}
        imported |= inner or names
    return (imported & FILES.keys()) - {module}


def test_no_import_cycle():
    TopologicalSorter({module: imports(module) for module in FILES}).prepare()  # raises CycleError


def test_live_opens_without_holoviews():
    """The start page does not import `app.plots`: importing HoloViews takes a second."""
    reached, queue = set(), ["app.pages.live", "app.chrome.frame", "app.main"]
    while queue:
        module = queue.pop()
        reached.add(module)
        queue += imports(module) - reached
    assert "app.live.engine" in reached and not {module for module in reached if module.startswith("app.plots")}
