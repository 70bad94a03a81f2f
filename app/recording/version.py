"""Which release made a recording."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def own_version() -> str:
    """Return the version: of the source tree where there is one, else as installed; "unknown" when neither says."""
    try:
        return str(tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, ValueError, KeyError):
        pass
    try:
        return version("exit-time-lab")
    except PackageNotFoundError:
        return "unknown"
