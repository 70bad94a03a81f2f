"""Files that `build.mjs` writes: ``dist/<entry>-<hash>.js``, one for each entry."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
"""Of the JavaScript package."""


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
        If `dist` holds no bundle of the entry, or more than one.
    """
    paths = sorted((FOLDER / "dist").glob(f"{entry}-*.js"))
    if len(paths) != 1:
        raise FileNotFoundError(f"entry must have one bundle in {FOLDER / 'dist'}; got {entry!r} with {len(paths)}."
                                f" Run `npm ci && npm run build` in {FOLDER}.")
    return paths[0]


@cache
def bundle_text(entry: str) -> str:
    """Return the script of a bundle, to be put into a page; it cannot end the element that holds it."""
    return bundle(entry).read_text(encoding="utf-8").replace("</script", "<\\/script")
