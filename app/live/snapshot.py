"""What the engine hands to the page: one immutable `Snapshot` a frame. Every array in it is finite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.canvas.cloud import Arrows, Cloud, Ellipse, Outline
from app.live.event import Event

if TYPE_CHECKING:
    from app.live.moment import Moment
    from app.state.live import LiveConfig
    from sampler.tuning import Verdict

__all__ = ["HORIZON", "Arrows", "Cloud", "Ellipse", "Event", "Outline", "Series", "Snapshot"]

HORIZON = 65_536
"""The last epoch of a Live run: a session's memory is bounded."""


@dataclass(frozen=True, eq=False)
class Series:
    """What was measured at up to 230 log-spaced epochs from t = 8. Unknown values are carried, never NaN.

    Arrays are float64 of one length n unless said otherwise.
    """

    t: np.ndarray  #: (n,) epochs
    accuracy: np.ndarray  #: marginal accuracy of all chains over the last 16 epochs, in [0, 1]
    ceiling_low: np.ndarray  #: what an exact sampler would score, less two standard deviations
    ceiling_high: np.ndarray  #: the same, plus two
    predicted: np.ndarray  #: what eta0 predicts
    tv: np.ndarray  #: 1 - accuracy, the mean total variation of the marginals (noisy, see the ceiling)
    median: np.ndarray  #: squared distance to the mode over r^2 = R^2/(t + c): median of the chains
    q95: np.ndarray  #: 95 % quantile, at the end of the epoch
    farthest: np.ndarray  #: largest over chains and over the steps of the epoch
    exits_t: np.ndarray  #: (m,) epochs with an exit, at most one for each log-spaced point
    exits_value: np.ndarray  #: (m,) largest squared distance over r^2 among them, > 1
    memory: np.ndarray  #: correlation of a chain's successive samples, largest coordinate, in [-1, 1]
    variance_t: np.ndarray  #: (v,) epochs at which the gradient variance was measured
    saga: np.ndarray  #: (v,) E||g - grad F||^2 with the cached gradients
    sgld: np.ndarray  #: (v,) the same without
    bound: np.ndarray | None  #: (v,) Lemma 6.2's bound; None where the model has no finite smoothness
    cost: np.ndarray  #: gradient evaluations of one chain in the epoch
    full: np.ndarray  #: what a full-gradient chain would have used: t times the steps of the epoch
    events: tuple[Event, ...]
    checkpoints: np.ndarray  #: (c,) int epochs 2^k from 8 on: new checkpoints
    known_from: int | None = 0  #: first epoch with an accuracy; its columns hold that one before it. None: no epoch
    recent: Series | None = None  #: the last 480 epochs, evenly spaced; None inside itself

    @property
    def exits(self) -> tuple[np.ndarray, np.ndarray]:
        """(exits_t, exits_value)."""
        return self.exits_t, self.exits_value


@dataclass(frozen=True)
class Meter:
    """One of the verdict's four meters."""

    key: str  #: "width", "noise", "memory" or "resets"
    label: str  #: "width bias", "gradient noise", "memory", "epochs reset"
    text: str  #: "6 %", "5.7 ×", "3", or "…" while there is nothing to show
    fill: float  #: in [0, 1], length of the bar
    tick: float  #: in [0, 1], where the limit stands
    bad: bool  #: past its limit


@dataclass(frozen=True)
class Assumption:
    """One line of the assumption meter."""

    number: int  #: 1, 2, 3
    name: str  #: "smooth", "concentrated", "slow drift"
    text: str  #: "L = 1.0"
    ok: bool | None  #: None: not known yet
    help: str  #: one sentence: what is measured and what breaks it


@dataclass(frozen=True)
class Promise:
    """What the theorem promises of the latest certified epoch, and what is so."""

    rows: tuple[tuple[str, str, str], ...]  #: name, value, help of each
    note: str  #: which inputs were measured and which certified, or what makes the promise empty


Row = tuple[str, str, str]
"""Name, the ghost's value, the present run's."""


@dataclass(frozen=True)
class Comparison:
    """A run kept as a ghost beside the present one."""

    knobs: tuple[Row, ...]  #: what is set otherwise
    measured: tuple[Row, ...]  #: at the present epoch, or the ghost's last
    words: str  #: which epoch is compared


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything the page shows of one instant."""

    run: int  #: bumped by restart, rewind and any configuration that restarts: views clear their trails
    frame: int  #: bumped by every snapshot
    playing: bool
    config: LiveConfig
    t: int  #: epoch, 0 before the first datum
    step: int  #: steps done in this epoch by the followed chain (else by chain 0)
    run_length: int  #: its i_t
    step_size: float  #: eta0 / (t + c); eta0 itself where the chains are preconditioned
    horizon: int
    furthest: int  #: right end of the rewind slider: last epoch reached, until play goes on from a rewind
    cloud: Cloud
    series: Series | None  #: None when unchanged since the last frame
    verdict: Verdict | None
    meters: tuple[Meter, ...]  #: four
    assumptions: tuple[Assumption, ...]  #: three
    notice: str | None = None  #: one sentence: compiling, replaying, diverged, ended
    notice_kind: str | None = None  #: "compiling", "replaying", "diverged", "ended", "error"
    progress: float | None = None  #: fraction in [0, 1] of a replay
    reference: str | None = None  #: how the truth is known: "exact", "grid", "1,200 draws at t = 512"
    moment: Moment | None = None  #: where the run stands and how it came there, for a link
    ghost: Series | None = None  #: curves of a run kept beside this one
    comparison: Comparison | None = None  #: of the two; None without a ghost
    promise: Promise | None = None  #: None before the first epoch, and of a sampler without one

    def replacing(self, unseen: Snapshot | None) -> Snapshot:
        """Return this snapshot in the place of one that nobody has seen, with what only that one would have told."""
        if unseen is None or unseen.run != self.run:
            return self
        new, old = self.cloud, unseen.cloud
        flashes = {name: np.unique(np.concatenate([getattr(old, name), getattr(new, name)]), axis=0)
                   for name in ("resets", "exits")}
        return replace(self, series=self.series or unseen.series,
                       cloud=replace(new, reset=old.reset | new.reset, **flashes))
