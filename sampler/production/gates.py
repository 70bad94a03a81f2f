"""`Gates`: limits on the measurements of a production run, and their check."""

import dataclasses
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sampler.arguments import instance_of

LIMITS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("gates.toml").read_text(encoding="utf-8"))
"""Limit by name: ``range``, ``what`` is limited, and ``advice`` on failure."""
SCORE_TOLERANCE = 0.01
"""Smallest ``max_score_loss`` set by a rehearsal, in nats per row."""


@dataclass(frozen=True)
class Gates:
    """Limits of a run; None for no limit.

    Attributes
    ----------
    divergence : bool
        Stop when a chain diverges; False resets the chain to its checkpoint and continues.
    max_rhat, max_lag, max_common_drift, min_predictive_score, max_reset_rate, max_seconds_per_epoch : float or None
    max_width, min_width, max_score_loss : float or None
        Limits on measurements after an allowance for chance. ``max_common_drift`` stops a run only if no mode is available,
        as for a GradientOracle; otherwise ``max_lag`` does, and moving data cause a warning.
    drift : bool
        Stop at the drift alarm.
    verdict : bool
        Do not start with a setting whose verdict was not safe when it was tuned (see `failed_verdict`).
    warm_up : int >= 0
        Epochs in which only the divergence gate is checked; rows predicted in them are not counted.
    note : str
        Note repeated in the report, as on a limit of an older release that is not compared.
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
        """Create gates from a TOML table; raise a ValueError for an unknown gate, which would not be checked.

        Parameters
        ----------
        values : dict
            Limits by name; a missing one is no limit.
        """
        names = {field.name for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - names)
        if unknown:
            raise ValueError(f"gates: there is no gate {unknown[0]!r}; choose from {', '.join(sorted(names))}")
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for TOML, without None and empty ones."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None and value != ""}

    def as_compared_now(self, evidence: Mapping[str, Any]) -> "Gates":
        """Return the gates without a score limit set by a rehearsal of release 0.6 or older, and with a note on it.

        That limit counted rows predicted from the prior and depended on the epochs per summary. A tighter limit than
        those releases set is user-defined and stays.

        Parameters
        ----------
        evidence : dict
            Table [evidence] of the file.
        """
        limit, score = self.min_predictive_score, evidence.get("predictive_score")
        if limit is None or score is None or "score_error" in evidence or limit > score - 0.095 * abs(score):
            return self
        return dataclasses.replace(self, min_predictive_score=None, max_score_loss=SCORE_TOLERANCE, note=(
            f"min_predictive_score = {limit:g} is not compared: an older release set it from rows predicted by the prior. "
            f"Compared instead, on the rows of this run: max_score_loss = {SCORE_TOLERANCE:g}. max_width and min_width are "
            "not set and not compared; tune again to set them"))


@dataclass(frozen=True)
class GateFailure:
    """Failed gate, with the epoch, value, limit and an explanation."""

    gate: str
    t: int
    value: float | None
    limit: float | None
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"name": self.gate, "epoch": self.t, "value": self.value, "limit": self.limit, "words": self.words}


def failed(gates: Gates, t: int, measured: Mapping[str, float | None], drift: int | None,
           sure: Mapping[str, float | None] | None = None) -> GateFailure | None:
    """Return the first failure, or None.

    Parameters
    ----------
    t : int
        Current epoch.
    measured : dict of str to float or None
        Measurements by the names of LIMITS; None if not yet available. NaN fails.
    drift : int or None
        Datum of the drift alarm.
    sure : dict of str to float, optional
        ``measured`` after an allowance for chance, if there is one; compared to the limit in its place.
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
            noise = "" if least is None or least == value or math.isnan(value) else f" ({least:.4g} net of chance)"
            advice = "Not a number: a chain is not finite, or does not move" if math.isnan(value) else gate["advice"]
            return GateFailure(name, t, value, limit, f"gate {name} failed at epoch {t:,}: {gate['what']} is {value:.4g}"
                               f"{noise}, the limit {limit:g}. {advice}")
    if gates.drift and drift is not None:
        return GateFailure("drift", t, float(drift), None, f"gate drift failed at epoch {t:,}: data are predicted worse "
                           f"since datum {drift:,}. The data have changed: check them and the model")
    return None


def failed_verdict(gates: Gates, evidence: dict[str, Any]) -> GateFailure | None:
    """Return the failure of a setting whose [evidence] has a verdict other than safe; None without a verdict.

    A bare settings file has no verdict: it was not measured, and there is no evidence against it.

    Parameters
    ----------
    gates : Gates
    evidence : dict
        Table [evidence] of a ``tuned.toml``.
    """
    instance_of("gates", gates, Gates, "make them with Gates()")
    instance_of("evidence", evidence, Mapping, "pass {} without measurements")
    kind = evidence.get("verdict")
    if not gates.verdict or kind in (None, "safe"):
        return None
    words = str(evidence.get("verdict_words", "")).strip()
    return GateFailure("verdict", 0, None, None, "gate verdict failed before the first epoch: this setting was judged "
                       f"{kind} when it was tuned{': ' + words if words else '.'}")
