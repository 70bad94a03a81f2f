"""`Ghost`: stored run for comparison with the current one: curves and outlines of its cloud; table of differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.live.epoch_records import CloudOutlines, Outline
from app.live.history import History
from app.live.run import LiveRun
from app.live.snapshot import Comparison, Row, Series
from app.state.live import EVERY_SWITCH, SAMPLER, LiveConfig, LiveState
from app.state.live_menu import choice_of
from app.state.parameters.knob_values import knob_text

_KNOBS = {name: (LiveState.param[name].plain, LiveState.param[name].whole) for name in SAMPLER}
_SWITCHES = {name: LiveState.param[name].label.lower() for name in EVERY_SWITCH}


@dataclass(frozen=True, eq=False)
class Ghost:
    """Immutable record of a run."""

    config: LiveConfig  #: its knobs when it was stored
    t: int  #: its last epoch
    series: Series
    history: History
    outlines: CloudOutlines

    @classmethod
    def of(cls, run: LiveRun) -> Ghost:
        """Return the record of a run up to its last recorded epoch, which may be after a rewound one."""
        t = run.history.t
        return cls(run.state.config, t, run.history.series(t, ()), run.history.copy(), run.outlines.copy())

    def outline(self, t: int, dim: int) -> Outline | None:
        """Return mean and covariance of its chains at epoch t; None if not recorded, or if the dimension differs."""
        outline = self.outlines.at(t) if t <= self.t else None
        return outline if outline is not None and len(outline[0]) == dim else None


def target_label(config: LiveConfig) -> str:
    """Return the label of a run's target."""
    return choice_of(config.problem, config.user_data).label


def compare(ghost: Ghost, run: LiveRun, label: Callable[[LiveConfig], str]) -> Comparison:
    """Compare a ghost and a run at the run's last finished epoch, or the ghost's last if earlier.

    ``label`` returns the label of a run's target.
    """
    now = run.state.t if run.state.done else run.state.t - 1
    t = min(now, ghost.t)
    words = f"at epoch {t:,}" + (", where the ghost ends" if ghost.t < now else "")
    return Comparison(_knobs(ghost.config, run.state.config, label), measured_rows(ghost.history, run.history, t), words)


def _knobs(kept: LiveConfig, present: LiveConfig, label: Callable[[LiveConfig], str]) -> tuple[Row, ...]:
    rows = []
    if kept.problem != present.problem or kept.user_data is not present.user_data:
        rows.append(("target", label(kept), label(present)))
    rows.extend((name, str(getattr(kept, name)).replace("_", " "), str(getattr(present, name)).replace("_", " "))
                for name in ("stream", "algorithm", "chains", "seed") if getattr(kept, name) != getattr(present, name))
    for name, (symbol, whole) in _KNOBS.items():
        old, new = getattr(kept, name), getattr(present, name)
        if old != new:
            rows.append((symbol, knob_text(old, whole), knob_text(new, whole)))
    rows.extend((words, *("on" if getattr(config, name) else "off" for config in (kept, present)))
                for name, words in _SWITCHES.items() if getattr(kept, name) != getattr(present, name))
    return tuple(rows)


def measured_rows(kept: History, present: History, t: int) -> tuple[Row, ...]:
    """Return the measurements of both runs at epoch t."""
    rows = []
    for name, key in _MEASURED if t > 0 else ():
        old, new = kept.latest(key, t), present.latest(key, t)
        if old is not None and new is not None:
            rows.append((name, _format(key, old), _format(key, new)))
    return tuple(rows)


def _format(key: str, value: float) -> str:
    if key == "farthest":
        return "> 10⁴" if value >= 1e4 else f"{value:,.2f}"
    if key == "memory":
        return f"{value:.0%}"
    return f"{value:,.0f}" if key == "cost" else f"{value:.3f}"


_MEASURED = (("accuracy", "accuracy"), ("memory", "memory"), ("farthest/r²", "farthest"), ("gradients", "cost"))
