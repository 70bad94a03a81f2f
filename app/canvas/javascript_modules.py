"""Join small JavaScript modules into the one module that a custom component may load."""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r"^import\s[^;]*?\sfrom\s+\"\./(?P<name>[\w.]+)\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def join_modules(entry: Path) -> str:
    """Return the source of `entry` with every local module it imports placed before it.

    Panel loads a component from a blob, where a relative import has no base to resolve against, and its own
    bundler needs Node. Local modules here only use `import {...} from "./name.js";` and `export` before a
    declaration, so joining them in order of dependency gives the same program. All share one scope: top-level
    names must differ between files (a test looks).

    Parameters
    ----------
    entry
        Path of the module whose `render` the component calls.

    Returns
    -------
    str
        One module that exports what `entry` exports.

    Raises
    ------
    FileNotFoundError
        When an imported module is not beside `entry`.
    """
    done: list[str] = []
    sources = [_own_source(entry, name) for name in _in_order(entry, entry.name, done)]
    return "\n".join(sources)


def _in_order(entry: Path, name: str, done: list[str]) -> list[str]:
    """Names of `name` and of what it imports, dependencies first, each once."""
    if name in done:
        return []
    done.append(name)
    source = (entry.parent / name).read_text(encoding="utf-8")
    order: list[str] = []
    for found in _IMPORT.finditer(source):
        order += _in_order(entry, found["name"], done)
    return [*order, name]


def _own_source(entry: Path, name: str) -> str:
    """Source of one module without its imports, and without exports unless it is the entry."""
    source = _IMPORT.sub("", (entry.parent / name).read_text(encoding="utf-8"))
    return source if name == entry.name else _EXPORT.sub("", source)
