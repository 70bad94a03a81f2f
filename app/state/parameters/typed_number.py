"""Read the numbers people type."""

from __future__ import annotations

import math
import re

_DIGITS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


def read_number(given: float | str) -> float | None:
    """Return the number in 5e-6, 5 × 10⁻⁶, 100,000 or 0,5; None when there is none."""
    text = str(given).strip().translate(_DIGITS)
    text = re.sub(r"\s*[×x*]\s*10\s*\^?\s*", "e", text)
    if text.count(",") == 1 and "." not in text and len(text.split(",")[1]) != 3:
        text = text.replace(",", ".")
    try:
        value = float(text.replace(",", "").replace(" ", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
