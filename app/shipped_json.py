"""JSON of the results shipped with pages: records as objects, numbers to six digits, nan and inf as strings."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(value: Any, *without: str) -> Any:
    """Return a value that JSON can represent, without the fields `without` of a record."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name not in without}
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.6g}") if np.isfinite(value) else str(float(value))
    return value.item() if isinstance(value, np.generic) else value


def restored(value: Any) -> Any:
    """Invert `plain`: lists become arrays of numbers, "nan" and "inf" become numbers."""
    if isinstance(value, dict):
        return {key: restored(one) for key, one in value.items()}
    if isinstance(value, list):
        return np.array(value, float)
    return float(value) if value in ("nan", "inf", "-inf") else value


def text(values: dict[str, Any]) -> str:
    """Return plain values as JSON text with one line per part, for readable diffs."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).replace('],"', '],\n"') + "\n"
