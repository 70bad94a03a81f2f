"""Samplers of the races: construction, names, and comparison of their curves."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from app.plots.looks import sampler_look
from app.plots.offline import NAMES
from app.state.offline_races import RaceConfig
from sampler import CvULD, OfflineSGLD, SagaLD, SvrgLD


def check(race: RaceConfig, n: int, terms: str) -> None:
    """Raise ValueError if a race's settings are invalid for n terms; ``terms`` is their name in the message."""
    if not race.samplers:
        raise ValueError("Choose at least one sampler.")
    if race.anchor_batch > n and "plus" in race.samplers:
        raise ValueError(f"B = {race.anchor_batch:,} must be at most n = {n:,}, {terms}; lower B, or select SVRG-LD, which"
                         " has B = n.")


def make(key: str, race: RaceConfig, n: int) -> object:
    """Return the sampler of a key for n terms."""
    if key == "ula":  # an anchor at every step: n + 2 evaluations
        return SvrgLD(batch_size=1, anchor_every=1)
    if key in ("sgld", "saga"):
        return (OfflineSGLD if key == "sgld" else SagaLD)(batch_size=race.batch_size)
    if key == "uld":
        return CvULD(batch_size=race.batch_size, anchor_every=race.own_every)
    anchors = {"plus": race.anchor_batch, "half": max(1, n // 2)}  # SVRG-LD's is all n terms
    return SvrgLD(batch_size=race.batch_size, anchor_every=race.own_every, anchor_batch=anchors.get(key))


def label(key: str, race: RaceConfig, n: int) -> str:
    """Return a sampler's name; that of SVRG-LD+ includes B."""
    if key != "plus":
        return sampler_look(key, NAMES).name
    share = n / race.anchor_batch
    return f"SVRG-LD+, B = n/{share:.0f}" if share >= 2 and abs(share - round(share)) < 0.02 * share else (
        f"SVRG-LD+, B = {race.anchor_batch:,}")


TIE = 0.02
"""Relative difference of exact curves below which they are tied."""


class Trace(NamedTuple):
    """One sampler's curve; values are positive, smaller is better."""

    key: str
    label: str
    x: np.ndarray
    y: np.ndarray
    error: np.ndarray | None = None  #: standard error of y; None if exact

    def at(self, x: float | np.ndarray) -> float | np.ndarray:
        """Return the value after x passes, the last value beyond the end."""
        return np.interp(x, self.x, self.y)

    def reached(self, level: float) -> float | None:
        """Return the first pass at which the linearly interpolated curve is at or below a level, or None."""
        below = np.flatnonzero(self.y <= level)
        if not below.size:
            return None
        i = int(below[0])
        if i == 0 or not np.isfinite(self.y[i - 1]):
            return float(self.x[i])
        part = (self.y[i - 1] - level) / (self.y[i - 1] - self.y[i])
        return float(self.x[i - 1] + part * (self.x[i] - self.x[i - 1]))


def columns_of_passes(end: float) -> list[float]:
    """Return the passes at which curves are compared: at most two round numbers, and the end."""
    return [p for p in (0.5, 1.0, 2.0, 5.0, 10.0) if p < end * 0.999][-2:] + [float(end)]


def best_at(traces: Sequence[Trace], passes: float, start: float) -> Trace | None:
    """Return the lowest curve after a number of passes.

    Returns
    -------
    Trace or None
        None if no curve is below the value `start` of the initial state, or if another curve ties: within two standard
        errors of the difference, or within `TIE` for exact curves.
    """
    values = np.array([trace.at(passes) for trace in traces])
    values = np.where(np.isfinite(values), values, np.inf)
    errors = [0.0 if trace.error is None else np.interp(passes, trace.x, trace.error) for trace in traces]
    best = int(values.argmin())
    exact = traces[best].error is None
    near = [TIE * values[best] if exact else 2.0 * np.hypot(error, errors[best]) for error in errors]
    others = [values[k] - values[best] > near[k] for k in range(len(traces)) if k != best]
    return traces[best] if values[best] < start * (1 - TIE) and all(others) else None


def best_words(traces: Sequence[Trace], end: float, start: float) -> str:
    """Return one line with the best sampler after each compared number of passes."""
    def best_label(passes: float) -> str:
        best = best_at(traces, passes, start)
        return "no clear winner" if best is None else best.label

    parts = []
    for label, stretch in groupby(columns_of_passes(end), best_label):
        *first, last = stretch
        parts.append(f"after {' and '.join([*(f'{p:g}' for p in first), passes_words(last)])}: {label}")
    return f"Best {'; '.join(parts)}."


def passes_words(value: float) -> str:
    """Return the text of a number of passes."""
    text = f"{value:.2g}" if value < 10 else f"{value:.0f}"
    return f"{text} pass" if text == "1" else f"{text} passes"


def small_anchor(plus: Trace, whole: Trace) -> float | None:
    """Return the number of passes after which the full anchor stays at least as good; None if it never does."""
    x = np.unique(np.concatenate([plus.x, whole.x]))
    worse = np.flatnonzero(plus.at(x) < whole.at(x) * (1 - 1e-9))
    if not worse.size:
        return 0.0
    last = int(worse[-1])
    return float(x[last + 1]) if last + 1 < len(x) else None
