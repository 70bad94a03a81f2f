"""Limits a run in production must keep, and which one it broke."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sampler.arguments import instance_of

# name -> (smallest, largest, what it limits)
LIMITS = {
    "max_rhat": (1.0, math.inf, "largest split R-hat over coordinates"),
    "max_lag": (0.0, math.inf, "distance of all chains' centre from the mode, in posterior widths"),
    "max_common_drift": (0.0, math.inf, "way all chains went together, in standard deviations"),
    "min_predictive_score": (-math.inf, math.inf, "mean log score of the last data, foretold before they were seen"),
    "max_reset_rate": (0.0, 1.0, "resets an epoch a chain"),
    "max_seconds_per_epoch": (0.0, math.inf, "wall time of an epoch, all chains: the median of the blocks"),
}


@dataclass(frozen=True)
class Gates:
    """Limits of a run; None is no limit.

    Attributes
    ----------
    divergence : bool
        Stop when a chain diverges; False puts it back at its checkpoint and goes on.
    max_rhat, max_lag, max_common_drift, min_predictive_score, max_reset_rate, max_seconds_per_epoch : float or None
    drift : bool
        Stop at the drift alarm.
    verdict : bool
        Do not begin with a setting that was judged anything but safe when it was tuned (see `failed_verdict`).
    warm_up : int >= 0
        Epochs before any but the divergence gate speaks.
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

    def __post_init__(self) -> None:
        for name, (low, high, _) in LIMITS.items():
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, (bool, str)) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise ValueError(f"gates.{name} must be a number in [{low:g}, {high:g}], got {value!r}; leave it out "
                                 "for no limit")
        for name in ("divergence", "drift", "verdict"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"gates.{name} must be true or false, got {getattr(self, name)!r}")
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
        known = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"gates: there is no gate {unknown[0]!r}; known: {', '.join(sorted(known))}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for TOML, without those that are None."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}


@dataclass(frozen=True)
class GateFailure:
    """The gate that failed, at which epoch, and why in words."""

    gate: str
    t: int
    value: float | None
    limit: float | None
    words: str


def failed(gates: Gates, t: int, measured: dict[str, float | None], drift: int | None) -> GateFailure | None:
    """The first gate that fails, or None.

    Parameters
    ----------
    t : int
        Epoch now.
    measured : dict of str to float or None
        By the names of LIMITS; None where not known yet.
    drift : int or None
        Datum at which the drift alarm went.
    """
    if t < gates.warm_up:
        return None
    for name, (_, _, what) in LIMITS.items():
        value, limit = measured[name], getattr(gates, name)
        if value is None or limit is None or math.isnan(value):
            continue
        if value < limit if name.startswith("min") else value > limit:
            return GateFailure(name, t, value, limit,
                               f"gate {name} failed at epoch {t:,}: {what} is {value:.4g}, the limit {limit:g}")
    if gates.drift and drift is not None:
        return GateFailure("drift", t, float(drift), None,
                           f"gate drift failed at epoch {t:,}: data are foretold worse since datum {drift:,}")
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
    said = str(evidence.get("verdict_words", "")).strip()
    return GateFailure("verdict", 0, None, None, "gate verdict failed before the first epoch: this setting was judged "
                       f"{kind} when it was tuned{': ' + said if said else '.'}")
