"""Kernels that only kernels call have no way in from Python, and only they: it takes a quarter of the time to compile."""

import ast
from collections.abc import Iterator

from tests.sources import texts, tree_of

ROOM = "sampler.kernels"
KERNELS = [path for path in texts("sampler/kernels") if not path.endswith("__init__.py")]


def options_of(node: ast.AST) -> dict[str | None, ast.expr] | None:
    """Return what a function's ``@kernel(...)`` is called with by name, None where it has none."""
    marks = [mark for mark in getattr(node, "decorator_list", ()) if isinstance(mark, ast.Call)]
    found = [mark for mark in marks if isinstance(mark.func, ast.Name) and mark.func.id == "kernel"]
    return {option.arg: option.value for option in found[0].keywords} if found else None


def named_outside_kernels(path: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of what a file uses of the kernels' modules, but for what its own kernels call."""
    tree, modules = tree_of(path), {}
    names = {node.name: (path.removesuffix(".py").replace("/", "."), node.name) for node in tree.body
             if path in KERNELS and isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            whole = node.module == ROOM
            (modules if whole else names).update({alias.asname or alias.name: f"{ROOM}.{alias.name}" if whole else (
                node.module, alias.name) for alias in node.names})
    compiled = {id(part) for node in tree.body if options_of(node) is not None for part in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in compiled:
            continue
        if isinstance(node, ast.Name) and node.id in names:
            yield names[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


def test_a_kernel_has_a_way_in_from_python_where_python_calls_it_and_only_there():
    marked = {(path.removesuffix(".py").replace("/", "."), node.name): "inner" in options
              for path in KERNELS for node in tree_of(path).body  # those written in at each call are no functions
              if (options := options_of(node)) is not None and "inline" not in options}
    assert len(marked) > 200
    called = {name for room in ("sampler", "app", "tests", "assets") for path, text in texts(room).items()
              if path in KERNELS or ROOM in text for name in named_outside_kernels(path)}
    assert {name for name, inner in marked.items() if inner} == set(marked) - called
