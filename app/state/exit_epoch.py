"""Rules between the knobs of the Exit time page: plain Python, for the lab in one file too."""

from __future__ import annotations

import math
from typing import Any

from app.state.parameters.url_reader import LinkReader, shown


class ExitEpoch:
    """What follows from a configuration of the page: a base of `app.state.exit_time.ExitConfig`."""

    @property
    def needs_live(self) -> bool:
        """Whether it takes a state of the Live page to compute this."""
        return self.target == "live" or self.start == "live"

    @property
    def start_distance(self) -> float:
        """rho_0 where it is one number: 0 at the mode."""
        return self.distance if self.start == "distance" else 0.0

    @property
    def least_truncation(self) -> float:
        """sqrt(2 d), below which eq. 38 does not hold."""
        return math.sqrt(2 * self.dim)

    @property
    def cutoff(self) -> float | None:
        """C_xi as the library takes it: None for the best; never below what eq. 38 needs."""
        return None if self.truncation == 0.0 else max(self.truncation, self.least_truncation * (1 + 1e-9))


def chain_text(value: int | None) -> str:
    """Return the chain that is looked at as a link holds it."""
    return "auto" if value is None else str(value)


def chain_in(link: LinkReader, key: str, chains: int) -> int | None:
    """Return the chain that a link names under `key`, one of so many; None, also with words, for one that left."""
    text = link.text(key)
    if text is None or text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text[:9]) < chains:
        return int(text[:9])
    link.words.append(f"{key} = {shown(text)} is no chain; took one that left.")
    return None


def turned(present: ExitEpoch, name: str, value: float, typed: bool, kept: str) -> dict[str, Any]:
    """Return everything that changes when a knob is set.

    Parameters
    ----------
    present
        The configuration before.
    name, value, typed
        Of the knob; whether the number was typed: a slider cannot be refused on its way.
    kept
        Sentence that says what is kept where the number is refused.

    Raises
    ------
    ValueError
        Words for the user: a start outside the ball, a cut-off below sqrt(2 d).
    """
    changes: dict[str, Any] = {name: value, "adopt": False}
    start, radius, distance = present.start, present.radius, present.distance
    if name in ("dim", "curvature") and present.needs_live:  # the data fix both
        changes = {**changes, "target": "quadratic", "start": "mode"}
        start = "mode"
    if start == "distance" and name == "radius" and value <= distance:
        raise ValueError(f"r must be above the start ρ₀ = {distance:g}: the chains would begin outside. {kept}")
    if start == "distance" and name == "distance" and value >= radius:
        raise ValueError(f"ρ₀ must be below r = {radius:g}: the chains would begin outside. {kept}")
    if name == "truncation" and 0.0 < value < present.least_truncation:
        if typed:
            raise ValueError(f"Cξ must be √(2d) = {present.least_truncation:.3g} or more, or best. {kept}")
        low = value < 0.5 * present.least_truncation
        changes = {**changes, "truncation": 0.0 if low else round(present.least_truncation + 0.005, 2)}
    return changes


def kept_truncation(truncation: float, dim: int) -> float:
    """Return the cut-off under another dimension: one that d has outgrown gives way to the best."""
    return 0.0 if 0.0 < truncation < math.sqrt(2 * dim) else truncation


def chosen(present: ExitEpoch, name: str, value: str) -> dict[str, Any]:
    """Return everything that changes when target or start is chosen."""
    changes: dict[str, Any] = {name: value, "adopt": False}
    if name == "target":
        changes = {**changes, "start": "live" if value == "live" else "mode", "adopt": value == "live"}
        if value != "live":  # what Live's noise was says nothing about a bowl
            changes = {**changes, "noise": 0.0}
    if changes.get("start", present.start) == "distance" and present.distance >= present.radius:
        changes = {**changes, "distance": present.radius / 2}
    return changes


def corrected(config: ExitEpoch) -> tuple[dict[str, Any], list[str]]:
    """Return what must change in a link's configuration, and a sentence for each: start and cut-off that do not fit."""
    changes: dict[str, Any] = {}
    words = []
    if config.start == "distance" and config.distance >= config.radius:
        distance = config.radius / 2
        words.append(f"ρ₀ = {config.distance:g} must be below r = {config.radius:g}; took {distance:g}.")
        changes = {**changes, "distance": distance}
    if 0.0 < config.truncation < config.least_truncation:
        words.append(f"Cξ = {config.truncation:g} must be √(2d) = {config.least_truncation:.3g} or more; took the best.")
        changes = {**changes, "truncation": 0.0}
    return changes, words
