"""Bundles written by `build.mjs`: ``dist/<entry>-<hash>.js``, one per entry."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
"""Folder of the JavaScript package."""


@cache
def bundle(entry: str) -> Path:
    """Return the path of a bundle.

    Parameters
    ----------
    entry
        Name in `build.mjs`, such as "lab" or "lab_file".

    Raises
    ------
    FileNotFoundError
        If `dist` has no bundle of the entry, or more than one.
    """
    paths = sorted((FOLDER / "dist").glob(f"{entry}-*.js"))
    if len(paths) != 1:
        raise FileNotFoundError(f"entry must have one bundle in {FOLDER / 'dist'}; got {entry!r} with {len(paths)}."
                                f" Run `npm ci && npm run build` in {FOLDER}.")
    return paths[0]


@cache
def bundle_text(entry: str) -> str:
    """Return the script of a bundle for inlining in a page, with ``</script`` escaped."""
    return bundle(entry).read_text(encoding="utf-8").replace("</script", "<\\/script")
