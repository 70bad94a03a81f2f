"""Where a recording is written: looked at before the work begins, written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sampler.atomic_file import atomic_file, why_not_written


def check_place(path: Path) -> None:
    """Find out whether a file can be written there.

    Raises
    ------
    ValueError
        When its folder is not there, or nothing can be written into it, or the path is a folder.
    """
    folder = path.parent
    if path.is_dir():
        raise ValueError(f"out must be a file, such as out.html; {str(path)!r} is a folder. Add a name.")
    if not folder.is_dir():
        raise ValueError(f"out must lie in a folder that is there; {str(folder)!r} is not. Make it, or choose another.")
    if path.exists() and not os.access(path, os.W_OK):
        raise ValueError(f"out must be a file that can be written; {str(path)!r} is protected. Choose another name.")
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{path.name}."):
            pass
    except OSError as wrong:
        raise ValueError(f"out cannot be written into {str(folder)!r}: {wrong.strerror}. Choose another folder.") from None


def write(path: Path, html: str) -> None:
    """Write a recording; ValueError, with what was there before untouched, when the disk refuses."""
    try:
        with atomic_file(path) as file:
            file.write(html.encode())
    except OSError as wrong:
        before = "; the file before it is unchanged" if path.exists() else ""
        raise ValueError(f"out: {str(path)!r} could not be written ({why_not_written(wrong)}){before}") from None
