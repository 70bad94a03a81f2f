"""Manifest of the module: declarations of its entries, and the digest of its sources."""

import ast
import hashlib
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from sampler.wasm.entries import CONSTANTS, ENTRIES
from sampler.wasm.entry import Array, Entry
from sampler.wasm.files import FOLDER
from sampler.wasm.lowering import parameters

PACKAGE = FOLDER.parents[1]
BUILT_BY = ("entry.py", "entries.py", "lowering.py", "linking.py")
MADE_WITH = ("numba", "llvmlite", "ziglang")


def sources() -> list[Path]:
    """Return the source files of the module: those that build it, and the kernels they import, directly or not."""
    waiting = [FOLDER / name for name in BUILT_BY]
    sources: set[Path] = set()
    while waiting:
        path = waiting.pop()
        sources.add(path)
        named = {name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
                 for name in (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))}
        kernels = (PACKAGE / f"{name.replace('.', '/')}.py" for name in named if name.startswith("sampler.kernels."))
        waiting += [kernel for kernel in kernels if kernel.exists() and kernel not in sources]
    return [*sorted(sources), FOLDER / "runtime.ll"]


def digest() -> str:
    """Return the SHA-256 of the sources' code, without comments and docstrings of Python."""
    total = hashlib.sha256()
    for path in sources():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            tree = ast.parse(text)
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    node.body = [one for one in node.body if not _is_docstring(one)] or [ast.Pass()]
            text = ast.unparse(tree)
        total.update(f"{path.relative_to(PACKAGE).as_posix()}\n{text}\n".encode())
    return total.hexdigest()


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def manifest(module: bytes) -> dict[str, Any]:
    """Return the manifest of a newly built module.

    ``entries`` lists each entry's ``arguments`` in order, with a ``dtype`` each, and an array's ``shape`` in numbers and
    symbols. The symbols are arguments themselves. A record's dtype is its ``bytes``, and dtype and offset of each field.
    """
    return {"sources": digest(), "module": hashlib.sha256(module).hexdigest(), "bytes": len(module),
            "made_with": {name: metadata.version(name) for name in MADE_WITH if _installed(name)},
            "constants": CONSTANTS, "entries": {name: _described(entry) for name, entry in ENTRIES.items()}}


def _installed(name: str) -> bool:
    try:
        return bool(metadata.version(name))
    except metadata.PackageNotFoundError:
        return False


def _described(entry: Entry) -> dict[str, Any]:
    arguments = [{"name": name, **_argument(value, entry)} for name, value in parameters(entry).items()]
    return {"arguments": arguments, "returns": entry.returns}


def _argument(value: str | Array, entry: Entry) -> dict[str, Any]:
    if isinstance(value, str):
        return {"dtype": value}
    dtype = np.dtype(value.dtype)
    fields = {name: [str(inner), offset] for name, (inner, offset, *_) in (dtype.fields or {}).items()}
    return {"dtype": {"bytes": dtype.itemsize, "fields": fields} if fields else str(dtype),
            "shape": [entry.sizes.get(str(size), size) for size in value.shape]}
