"""Cached texts and syntax trees of the project's modules."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]


@cache
def texts(*folders: str) -> dict[str, str]:
    """Return path -> text of every module in folders of the project."""
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
            for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))}


@cache
def tree_of(path: str) -> ast.Module:
    """Return the cached syntax tree of a module; do not modify it."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def names_in(node: ast.AST) -> set[str]:
    """Return the modules of an import statement and the names imported from them."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return set()
