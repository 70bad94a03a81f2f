"""Exactly the kernels called only by kernels have no Python wrapper, which takes a quarter of the compile time."""

import ast
from collections.abc import Iterator

from tests.sources import texts, tree_of

ROOM = "sampler.kernels"
KERNELS = [path for path in texts("sampler/kernels") if not path.endswith("__init__.py")]


def options_of(node: ast.AST) -> dict[str | None, ast.expr] | None:
    """Return the keyword arguments of a function's ``@kernel(...)``; None without the decorator."""
    marks = [mark for mark in getattr(node, "decorator_list", ()) if isinstance(mark, ast.Call)]
    decorators = [mark for mark in marks if isinstance(mark.func, ast.Name) and mark.func.id == "kernel"]
    return {option.arg: option.value for option in decorators[0].keywords} if decorators else None


def named_outside_kernels(path: str) -> Iterator[tuple[str, str]]:
    """Yield (module, name) of kernel functions that a file uses outside its own kernels."""
    tree, modules = tree_of(path), {}
    names = {node.name: (path.removesuffix(".py").replace("/", "."), node.name) for node in tree.body
             if path in KERNELS and isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            package = node.module == ROOM
            (modules if package else names).update({alias.asname or alias.name: f"{ROOM}.{alias.name}" if package else (
                node.module, alias.name) for alias in node.names})
    compiled = {id(part) for node in tree.body if options_of(node) is not None for part in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in compiled:
            continue
        if isinstance(node, ast.Name) and node.id in names:
            yield names[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            yield modules[node.value.id], node.attr


def test_exactly_the_kernels_called_from_python_have_a_wrapper():
    marked = {(path.removesuffix(".py").replace("/", "."), node.name): "inner" in options
              for path in KERNELS for node in tree_of(path).body  # inlined kernels are no functions
              if (options := options_of(node)) is not None and "inline" not in options}
    assert len(marked) > 200
    called = {name for room in ("sampler", "app", "tests", "assets") for path, text in texts(room).items()
              if path in KERNELS or ROOM in text for name in named_outside_kernels(path)}
    assert {name for name, inner in marked.items() if inner} == set(marked) - called
