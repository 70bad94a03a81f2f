"""The library does not import the dashboard, and its subpackages import in one direction."""

import ast
import importlib

import pytest

import sampler
from tests.sources import texts, tree_of

# Subpackages that each subpackage may import (in addition to its own files and settings.py).
ALLOWED = {
    "kernels": set(),
    "problems": {"kernels"},
    "predictive": {"problems"},
    "algorithms": {"kernels", "problems", "predictive"},
    "metrics": {"kernels", "problems", "algorithms"},
    "reference": {"kernels", "problems", "algorithms", "metrics"},
    "theory": {"kernels", "problems", "algorithms", "metrics", "reference"},
    "tuning": {"kernels", "problems", "algorithms", "metrics", "reference", "theory", "streams"},
    "racing": {"kernels", "problems", "algorithms", "metrics", "reference", "theory", "streams"},
    "production": {"problems", "predictive", "algorithms", "metrics", "streams", "tuning"},
    "streams": set(),
    "coreset": {"kernels", "problems", "predictive", "metrics"},
    "errata": {"theory", "racing"},
    "wasm": {"kernels", "problems", "algorithms"},
    "cli": {"problems", "algorithms", "streams", "tuning", "production"},
}
KERNELS = {path.removesuffix(".py").replace("/", ".") for path in texts("sampler/kernels")} | {"sampler.kernels"}
DASHBOARD = ("app", "panel", "param", "bokeh", "holoviews")


def imports_of(path: str) -> set[str]:
    """Return the modules imported by a module."""
    nodes = list(ast.walk(tree_of(path)))
    assert not any(isinstance(node, ast.ImportFrom) and node.level for node in nodes), f"{path}: relative import"
    return {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names} | {
        node.module for node in nodes if isinstance(node, ast.ImportFrom)}


def test_the_library_imports_one_way():
    wrong = []
    for path, text in texts("sampler").items():
        names, room = imports_of(path), path.split("/")[1]
        if "@kernel(" in text:  # compiled kernels are cached by the sources of this subpackage: tests/conftest.py
            assert room == "kernels" and {name for name in names if name.startswith("sampler.")} <= KERNELS, path
        rooms = {name.split(".")[1] for name in names if name.startswith("sampler.")} & set(ALLOWED)
        wrong += [(path, name) for name in names if name.split(".")[0] in DASHBOARD]
        wrong += [(path, other) for other in rooms if room in ALLOWED and other not in ALLOWED[room] | {room}]
    assert wrong == []


def test_the_dashboard_uses_the_facade_and_pages_are_independent():
    """Imports come from the facade or a subpackage: ``from sampler.theory import ...``."""
    wrong = []
    for path in texts("app"):
        names, page = imports_of(path), path.startswith("app/pages/") and not path.endswith("__init__.py")
        wrong += [(path, name) for name in names if name.startswith("sampler.") and name.count(".") > 1
                  or page and name.startswith("app.pages.")]
    assert wrong == []


def test_the_facade_exports_common_names_and_subpackages_all():
    rooms = {name: importlib.import_module(f"sampler.{name}") for name in sampler._ROOMS}
    names = [(room, name) for room, module in rooms.items() for name in module.__all__]
    assert len({name for _, name in names}) == len(names), "a name is exported by two subpackages"
    assert all(getattr(sampler, room) is module for room, module in rooms.items())
    assert all(getattr(sampler, name) is getattr(rooms[room], name) for room, name in names)
    assert len(sampler.__all__) <= 46 and set(sampler.__all__) - {name for _, name in names} == {"Settings"}
    with pytest.raises(AttributeError, match="sampler has no 'nuts', nor has any of its rooms: problems, "):
        _ = sampler.nuts
    assert not hasattr(sampler, "__wrapped__")
