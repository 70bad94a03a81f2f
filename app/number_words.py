"""Formatting of numbers in sentences, tables, labels and hover texts of pages and figures."""

from __future__ import annotations

import math

_RAISED = dict(zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))


def power_of_ten(exponent: int) -> str:
    """Return 10⁻⁴ for -4."""
    return "10" + "".join(_RAISED[digit] for digit in str(exponent))


def scientific(value: float) -> str:
    """Return a number as 4.0 × 10⁻⁴, or in decimal notation if it is in [0.01, 1000)."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "…"
    if 0.01 <= abs(value) < 1000:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa} × {power_of_ten(int(exponent))}"


def short(value: float | None) -> str:
    """Return 0.0167, 12.3, 4,560 or 1.4 × 10⁷; "…" for None, nan or inf."""
    if value is None or not math.isfinite(value):
        return "…"
    if value == 0:
        return "0"
    if 1000 <= abs(value) < 100_000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if 1e-4 <= abs(value) < 1000 else scientific(value)


def share(value: float) -> str:
    """Return a probability as 0.637, or as 1 − 2.3 × 10⁻⁵ where three digits would round to 1."""
    if not math.isfinite(value):
        return "…"
    gone = 1.0 - value
    if gone <= 0.0:
        return "1"
    if gone < 0.0005:
        return f"1 − {scientific(gone)}"
    return "0" if value <= 0.0 else scientific(value) if value < 0.0005 else f"{value:.3f}"


def percent(value: float) -> str:
    """Return a share as 12 %, 1 %, 0.43 %, 0 %."""
    return f"{100 * value:{'.0f' if value >= 0.01 or not value else '.2g'}} %"


def lasted(seconds: float | None) -> str:
    """Return seconds as 2.3 ms, 14 µs, 1.2 s; a dash for None."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def rounded(value: float | None, digits: int = 2) -> str:
    """Return a number rounded to two significant digits and grouped: 35,000 for 34,871; a dash for None."""
    if value is None or not math.isfinite(value):
        return "–"
    if value <= 0:
        return "0"
    place = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    near = round(value / place) * place
    return f"{near:,.0f}" if near >= 10 else f"{near:.{digits}g}"


def accuracy(value: float | None) -> str:
    """Return an accuracy with three digits; a dash for None."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.3f}"


def tiny(value: float | None) -> str:
    """Return 2.4 × 10⁻⁴; a dash for None or nan."""
    return "–" if value is None or not math.isfinite(value) else scientific(value)


def near_round(value: float) -> int:
    """Return the nearest of 1, 2, 3, 5 times a power of ten."""
    place = 10.0 ** math.floor(math.log10(max(value, 1.0)))
    return int(min((1, 2, 3, 5, 10), key=lambda s: abs(math.log(s * place / max(value, 1.0)))) * place)


def times(ratio: float) -> str:
    """Return a ratio as 3.2 times, 160 times."""
    return f"{ratio:.1f} times" if ratio < 10 else f"{rounded(ratio)} times"


def factor(value: float) -> str:
    """Return a factor as 1.2 ×, 31 ×."""
    return "…" if not math.isfinite(value) else f"{short(float(f'{value:.2g}'))} ×"


def growth_of(slope: float | None) -> str:
    """Return the growth rate of a cost as text, from its log-log slope."""
    if slope is None:
        return "–"
    if abs(slope) < 0.1:
        return "flat"
    return "grows as t" if abs(slope - 1) < 0.15 else f"grows as t^{slope:.2f}".replace("-", "−")


def slope_words(slope: float | None, error: float | None = None) -> str:
    """Return a slope in two digits with its standard error, 0.02 ± 0.03; a dash for None."""
    if slope is None:
        return "–"
    words = f"{slope + 0:.2f}".replace("-0.00", "0.00").replace("-", "−")
    return words if error is None else f"{words} ± {max(error, 0.01):.2f}"
