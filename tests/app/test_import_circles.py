"""Import circles: no module of the app or the library needs itself, not even for types."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
         for package in ("app", "sampler") for file in sorted((ROOT / package).rglob("*.py"))}


def imports(module):
    """Return the modules of the house that a module names at its top, type-only ones too.

    An import inside a function is made when it is called and closes no circle; a package's `__init__` stands for
    itself where a name is taken from it.
    """
    found = set()
    body = list(ast.parse(FILES[module].read_text(encoding="utf-8")).body)
    while body:
        node = body.pop()
        if isinstance(node, ast.If | ast.Try):
            body += [*node.body, *node.orelse]
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            inner = {f"{node.module}.{alias.name}" for alias in node.names} & FILES.keys()
            found |= inner or {node.module}
    return (found & FILES.keys()) - {module}


def circles(graph):
    """Return the circles that a walk through the graph meets, each as the modules on it in order."""
    state, path, found = {}, [], []

    def walk(module):
        state[module] = "open"
        path.append(module)
        for other in sorted(graph[module]):
            if state.get(other) == "open":
                found.append([*path[path.index(other):], other])
            elif other not in state:
                walk(other)
        path.pop()
        state[module] = "done"

    for module in graph:
        if module not in state:
            walk(module)
    return found


def test_no_module_needs_itself():
    assert circles({module: imports(module) for module in FILES}) == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == [["a", "b", "c", "a"]]


def test_live_opens_without_holoviews():
    """The first page to open takes no figure of `app.plots`, whose library needs a second to import."""
    reached, waiting = set(), ["app.pages.live", "app.chrome.frame", "app.main"]
    while waiting:
        module = waiting.pop()
        reached.add(module)
        waiting += imports(module) - reached
    assert "app.live.engine" in reached and not {module for module in reached if module.startswith("app.plots")}
