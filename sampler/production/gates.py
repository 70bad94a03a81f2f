"""Limits a run in production must keep, and which one it broke."""

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sampler.arguments import instance_of

LIMITS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("gates.toml").read_text(encoding="utf-8"))
"""Name of a limit -> its ``range``, ``what`` it limits, and ``advice`` where it is broken."""
AT_FIRST = 0.01
"""Score lost, in nats a row, that no gate made by a rehearsal minds."""


@dataclass(frozen=True)
class Gates:
    """Limits of a run; None is no limit.

    Attributes
    ----------
    divergence : bool
        Stop when a chain diverges; False puts it back at its checkpoint and goes on.
    max_rhat, max_lag, max_common_drift, min_predictive_score, max_reset_rate, max_seconds_per_epoch : float or None
    max_width, min_width, max_score_loss : float or None
        A limit is broken by what is left of a measurement once chance is taken off. ``max_common_drift`` stops a run only
        where no mode is known, as for a gradient alone; elsewhere the lag behind the mode does, and data that move warn.
    drift : bool
        Stop at the drift alarm.
    verdict : bool
        Do not begin with a setting that was judged anything but safe when it was tuned (see `failed_verdict`).
    warm_up : int >= 0
        Epochs before any but the divergence gate speaks; rows predicted in them are not counted.
    note : str
        Words the report repeats, as on a limit of an older release that is not compared.
    """

    divergence: bool = True
    max_rhat: float | None = None
    max_lag: float | None = None
    max_common_drift: float | None = None
    min_predictive_score: float | None = None
    max_reset_rate: float | None = None
    max_seconds_per_epoch: float | None = None
    drift: bool = False
    verdict: bool = True
    warm_up: int = 200
    max_width: float | None = None
    min_width: float | None = None
    max_score_loss: float | None = None
    note: str = ""

    def __post_init__(self) -> None:
        for name, gate in LIMITS.items():
            value, (low, high) = getattr(self, name), gate["range"]
            if value is None:
                continue
            if isinstance(value, (bool, str)) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise ValueError(f"gates.{name} must be a number in [{low:g}, {high:g}], got {value!r}; leave it out "
                                 "for no limit")
        for name in ("divergence", "drift", "verdict"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"gates.{name} must be true or false, got {getattr(self, name)!r}")
        if not isinstance(self.note, str):
            raise ValueError(f"gates.note must be text, got {self.note!r}; leave it out for none")
        if isinstance(self.warm_up, bool) or not isinstance(self.warm_up, int) or self.warm_up < 0:
            raise ValueError(f"gates.warm_up must be a whole number, 0 or more, got {self.warm_up!r}")

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "Gates":
        """From a TOML table; an unknown gate is an error: a gate that is not checked must not pass in silence.

        Parameters
        ----------
        values : dict
            Limits by name; what is not there is no gate.
        """
        names = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - names)
        if unknown:
            raise ValueError(f"gates: there is no gate {unknown[0]!r}; known: {', '.join(sorted(names))}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for TOML, without those that are None."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None and value != ""}

    def as_compared_now(self, evidence: Mapping[str, Any]) -> "Gates":
        """These gates without the score limit that a rehearsal of release 0.6 or older made, and a note that says so.

        It counted rows predicted from the prior, and its value depended on the epochs of a summary. A limit closer than
        those releases made it is somebody's own, and stays.

        Parameters
        ----------
        evidence : dict
            The table [evidence] of the file.
        """
        limit, score = self.min_predictive_score, evidence.get("predictive_score")
        if limit is None or score is None or "score_error" in evidence or limit > score - 0.095 * abs(score):
            return self
        return dataclasses.replace(self, min_predictive_score=None, max_score_loss=AT_FIRST, note=(
            f"min_predictive_score = {limit:g} is not compared: an older release made it from rows predicted by the prior. "
            f"Compared instead, on the rows of this run: max_score_loss = {AT_FIRST:g}. max_width and min_width were not "
            "rehearsed, and are not compared; a new tune makes them"))


@dataclass(frozen=True)
class GateFailure:
    """The gate that failed, at which epoch, and why in words."""

    gate: str
    t: int
    value: float | None
    limit: float | None
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"name": self.gate, "epoch": self.t, "value": self.value, "limit": self.limit, "words": self.words}


def failed(gates: Gates, t: int, measured: Mapping[str, float | None], drift: int | None,
           sure: Mapping[str, float | None] | None = None) -> GateFailure | None:
    """The first gate that fails, or None.

    Parameters
    ----------
    t : int
        Epoch now.
    measured : dict of str to float or None
        By the names of LIMITS; None where not known yet. NaN fails.
    drift : int or None
        Datum at which the drift alarm went.
    sure : dict of str to float, optional
        What is left of ``measured`` once chance is taken off, where it has a share: this is what a limit is held against.
    """
    if t < gates.warm_up:
        return None
    for name, gate in LIMITS.items():
        value, limit = measured.get(name), getattr(gates, name)
        if value is None or limit is None:
            continue
        least = value if sure is None else sure.get(name, value)
        broken = least is None or math.isnan(least) or (least < limit if name.startswith("min") else least > limit)
        if broken or math.isnan(value):
            noise = "" if least is None or least == value or math.isnan(value) else f" ({least:.4g} with chance taken off)"
            advice = "Not a number: a chain has left the numbers, or stands still" if math.isnan(value) else gate["advice"]
            return GateFailure(name, t, value, limit, f"gate {name} failed at epoch {t:,}: {gate['what']} is {value:.4g}"
                               f"{noise}, the limit {limit:g}. {advice}")
    if gates.drift and drift is not None:
        return GateFailure("drift", t, float(drift), None, f"gate drift failed at epoch {t:,}: data are predicted worse "
                           f"since datum {drift:,}. The data have changed: look at them, and at the model")
    return None


def failed_verdict(gates: Gates, evidence: dict[str, Any]) -> GateFailure | None:
    """The failure of a setting whose [evidence] holds a verdict other than safe; None without a verdict.

    A bare file of settings has no verdict: nobody has measured it, and nothing is known against it.

    Parameters
    ----------
    gates : Gates
    evidence : dict
        The table [evidence] of a ``tuned.toml``.
    """
    instance_of("gates", gates, Gates, "make them with Gates()")
    instance_of("evidence", evidence, Mapping, "{} says that nothing was measured")
    kind = evidence.get("verdict")
    if not gates.verdict or kind in (None, "safe"):
        return None
    words = str(evidence.get("verdict_words", "")).strip()
    return GateFailure("verdict", 0, None, None, "gate verdict failed before the first epoch: this setting was judged "
                       f"{kind} when it was tuned{': ' + words if words else '.'}")
