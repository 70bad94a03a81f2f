"""`Ghost`: a run kept beside the present one, its curves and the outline of its cloud; what differs, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.live.cloud_outlines import CloudOutlines, Outline
from app.live.history import History
from app.live.run import LiveRun
from app.live.snapshot import Comparison, Row, Series
from app.state.live import SAMPLER, SWITCHES, LiveConfig, LiveState
from app.state.problem_menu import choice_of


@dataclass(frozen=True, eq=False)
class Ghost:
    """What is kept of a run: it never changes."""

    config: LiveConfig  #: its knobs when it was kept
    t: int  #: its last epoch
    series: Series
    history: History
    outlines: CloudOutlines

    @classmethod
    def of(cls, run: LiveRun) -> Ghost:
        """Keep a run as far as it has been recorded, which may be later than a rewound picture."""
        t = run.history.t
        return cls(run.state.config, t, run.history.series(t, ()), run.history.copy(), run.outlines.copy())

    def outline(self, t: int, dim: int) -> Outline | None:
        """Return mean and covariance of its chains at epoch t; None where it has none, and in other dimensions."""
        found = self.outlines.at(t) if t <= self.t else None
        return found if found is not None and len(found[0]) == dim else None


def compare(ghost: Ghost, run: LiveRun) -> Comparison:
    """Return what differs between a ghost and a run at the run's last finished epoch, or the ghost's last."""
    now = run.state.t if run.state.done else run.state.t - 1
    t = min(now, ghost.t)
    words = f"at epoch {t:,}" + (", where the ghost ends" if ghost.t < now else "")
    rows = [_row(name, key, form, ghost.history, run.history, t) for name, key, form in _MEASURED] if t > 0 else []
    return Comparison(_knobs(ghost.config, run.state.config), tuple(row for row in rows if row), words)


def _knobs(there: LiveConfig, here: LiveConfig) -> tuple[Row, ...]:
    rows = []
    if there.problem != here.problem or there.given is not here.given:
        rows.append(("target", *(choice_of(config.problem, config.given).label for config in (there, here))))
    rows += [(name, str(getattr(there, name)).replace("_", " "), str(getattr(here, name)).replace("_", " "))
             for name in ("stream", "algorithm", "chains", "seed") if getattr(there, name) != getattr(here, name)]
    for name in SAMPLER:
        old, new = getattr(there, name), getattr(here, name)
        if old != new:
            knob = LiveState.param[name]
            rows.append((knob.plain, knob.say(old), knob.say(new)))
    rows += [(LiveState.param[name].label.lower(), *("on" if getattr(config, name) else "off" for config in (there, here)))
             for name in SWITCHES if getattr(there, name) != getattr(here, name)]
    return tuple(rows)


def _row(name: str, key: str, form: Callable[[float], str], there: History, here: History, t: int) -> Row | None:
    values = [_latest(history.column(key, t)) for history in (there, here)]
    return None if None in values else (name, *(form(value) for value in values))


def _latest(column: np.ndarray) -> float | None:
    """Return the newest known value."""
    known = np.flatnonzero(np.isfinite(column))
    return float(column[known[-1]]) if known.size else None


def _distance(value: float) -> str:
    return "> 10⁴" if value >= 1e4 else f"{value:,.2f}"


_MEASURED = (("accuracy", "accuracy", "{:.3f}".format), ("memory", "memory", "{:.0%}".format),
             ("farthest/r²", "farthest", _distance), ("gradients", "cost", "{:,.0f}".format))
