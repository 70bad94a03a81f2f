"""Who leads where, who gets somewhere first, and when a small anchor pays: read off the curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TIE = 0.02
"""A lead of less, in proportion, is none."""
MOMENT = 1.2
"""Nor is one that ends before this many times the passes at which it began."""


class Trace(NamedTuple):
    """One sampler's curve, its values positive and better when smaller."""

    key: str
    label: str
    x: np.ndarray
    y: np.ndarray
    error: np.ndarray | None = None  #: standard error of y; None: exact


class Lead(NamedTuple):
    """A stretch of passes on which one sampler is best."""

    key: str
    label: str
    first: float
    last: float


def at(line: Trace, x: float | np.ndarray) -> float | np.ndarray:
    """Return a curve's value after x passes; its last beyond its end."""
    return np.interp(x, line.x, line.y)


def reached(line: Trace, level: float) -> float | None:
    """Return the first pass from which the curve is at or below a level, straight between its points; or None."""
    below = np.flatnonzero(line.y <= level)
    if not below.size:
        return None
    i = int(below[0])
    if i == 0 or not np.isfinite(line.y[i - 1]):
        return float(line.x[i])
    part = (line.y[i - 1] - level) / (line.y[i - 1] - line.y[i])
    return float(line.x[i - 1] + part * (line.x[i] - line.x[i - 1]))


def error_at(line: Trace, x: float | np.ndarray) -> float | np.ndarray:
    """Return a curve's standard error after x passes."""
    return np.zeros(np.shape(x)) if line.error is None else np.interp(x, line.x, line.error)


def leads(lines: Sequence[Trace], start: float, tie: float = TIE, floor: float = 0.0) -> list[Lead]:
    """Return the leaders in order of passes; one keeps its lead until another is better by more than a
    tie and by more than twice the standard error of the difference.

    Parameters
    ----------
    start
        Value before anything has moved: nobody leads there.
    floor
        Taken off every value before they are compared: what is left is what can still be gained.
    """
    if not lines:
        return []
    x = np.unique(np.concatenate([line.x for line in lines]))
    x = x[x > 0]
    values = np.array([np.where(np.isfinite(v := at(line, x)), v, np.inf) for line in lines])
    gap = values - floor
    errors = np.array([error_at(line, x) for line in lines])
    found: list[Lead] = []
    current: int | None = None
    for i, passes in enumerate(x):
        best = int(values[:, i].argmin())
        if not values[best, i] < start * (1 - tie):
            continue
        noise = 0.0 if current is None else 2.0 * float(np.hypot(errors[best, i], errors[current, i]))
        if current is None or gap[best, i] < gap[current, i] * (1 - tie) - max(noise, 1e-12):
            current = best
            found.append(Lead(lines[best].key, lines[best].label, float(passes), float(passes)))
        found[-1] = found[-1]._replace(last=float(passes))
    return _steady(found)


def _steady(found: list[Lead]) -> list[Lead]:
    """Leave out leads of a moment, such as a step of a staircase, and join what they had parted."""
    kept: list[Lead] = []
    for lead in found:
        brief = lead.last < MOMENT * lead.first and lead is not found[-1] and kept
        if kept and (brief or kept[-1].key == lead.key):
            kept[-1] = kept[-1]._replace(last=lead.last)
        else:
            kept.append(lead)
    return kept


def level_from(lines: Sequence[Trace], lead: Lead) -> float | None:
    """Return the passes from which to the end some other curve is as good as the leader's to within noise, or None."""
    first = next(line for line in lines if line.key == lead.key)
    x = first.x[first.x > 0]
    others = [line for line in lines if line.key != lead.key and line.error is not None]
    if not others or first.error is None:
        return None
    near = np.array([at(line, x) - at(first, x) <= 2 * np.hypot(error_at(line, x), error_at(first, x))
                     for line in others]).any(axis=0)
    apart = np.flatnonzero(~near)
    i = int(apart[-1]) + 1 if apart.size else 0
    return float(x[i]) if i < len(x) else None


def leading_words(found: Sequence[Lead], level: float | None = None) -> str:
    """Say who leads where, in one line; from ``level`` passes on the last lead is within noise."""
    if not found:
        return "Nobody has moved yet."
    *first, last = found
    parts = [f"{lead.label} leads up to {passes(lead.last)}" if i == 0 else f"{lead.label} to {passes(lead.last)}"
             for i, lead in enumerate(first)]
    if level is not None and level < last.last:
        if level > last.first:
            parts.append(f"{last.label} {'to' if parts else 'leads up to'} {passes(level)}")
        return f"{', '.join(parts)}, then nobody beyond noise." if parts else "Nobody leads beyond noise."
    return f"{', '.join(parts)}, then {last.label}." if parts else f"{last.label} leads throughout."


def passes(value: float) -> str:
    """Return a number of passes in words."""
    text = f"{value:.2g}" if value < 10 else f"{value:.0f}"
    return f"{text} pass" if text == "1" else f"{text} passes"


def small_anchor(plus: Trace, whole: Trace) -> float | None:
    """Return the passes from which the whole anchor is better for good; None when it never is."""
    x = np.unique(np.concatenate([plus.x, whole.x]))
    worse = np.flatnonzero(at(plus, x) < at(whole, x) * (1 - 1e-9))
    if not worse.size:
        return 0.0
    last = int(worse[-1])
    return float(x[last + 1]) if last + 1 < len(x) else None
