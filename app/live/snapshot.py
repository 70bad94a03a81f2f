"""`Snapshot`: immutable display data of a run at one instant, made on the engine's thread and drawn by the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.canvas.frame_bytes import Cloud
    from app.live.moment_link import Moment
    from app.live.timeline import Event
    from app.state.live import LiveConfig
    from sampler.tuning import Verdict


COLUMNS = {
    "t": "epoch",
    "accuracy": "marginal accuracy of all chains over the last 16 epochs, in [0, 1]",
    "ceiling_low": "accuracy of an exact sampler, minus two standard deviations",
    "ceiling_high": "the same, plus two",
    "predicted": "accuracy that eta0 predicts",
    "tv": "1 - accuracy, the mean total variation of the marginals (noisy, see the ceiling)",
    "median": "squared distance to the mode over r^2 = R^2/(t + c), at the end of the epoch: median of the chains",
    "q95": "the same: 95 % quantile",
    "farthest": "the same: maximum over chains and over the steps of the epoch",
    "memory": "correlation of a chain's successive samples, maximum over coordinates, in [-1, 1]",
    "saga": "E||g - grad F||^2 with the cached gradients, interpolated (log, log) between measurements",
    "sgld": "the same without the cache",
    "bound": "Lemma 6.2's bound of it; NaN if the model has no finite smoothness",
    "cost": "gradient evaluations of one chain in the epoch",
    "full": "gradient evaluations of a full-gradient chain: t times the steps of the epoch",
}
"""Name -> meaning of the columns of a `Series`, in the order of its CSV file."""
JUDGED = ("accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "memory")
"""Columns that compare the chains with the target: NaN until a reference is available."""


@dataclass(frozen=True, eq=False)
class Series:
    """Measurements at up to 230 log-spaced epochs from t = 8, for the charts.

    A value that was not measured at an epoch is the latest one before it.
    """

    columns: dict[str, Sequence[float]]  #: as in `COLUMNS`, (n,) numbers in single precision each
    exits_t: Sequence[int]  #: (m,) epochs with an exit, at most one per log-spaced point
    exits_value: Sequence[float]  #: (m,) largest squared distance over r^2 of these exits, > 1
    events: Sequence[Event]
    checkpoints: Sequence[int]  #: (c,) epochs from 8 at the end of which the checkpoints of the series were taken
    recent: Series | None = None  #: the last 480 epochs, evenly spaced; None in the recent series

    @property
    def t(self) -> Sequence[float]:
        """(n,) epochs."""
        return self.columns["t"]


@dataclass(frozen=True)
class Meter:
    """One of the verdict's four meters."""

    key: str  #: "width", "noise", "memory" or "resets"
    label: str  #: "width bias", "gradient noise", "memory", "epochs reset"
    text: str  #: "6 %", "5.7 ×", "3", or "…" without a measurement
    fill: float  #: length of the bar, in [0, 1]
    tick: float  #: position of the limit, in [0, 1]
    bad: bool  #: whether the value exceeds its limit


@dataclass(frozen=True)
class Assumption:
    """One line of the assumption meter."""

    number: int  #: 1, 2, 3
    name: str  #: "smooth", "concentrated", "slow drift"
    text: str  #: "L = 1.0"
    ok: bool | None  #: whether the assumption is met; None: unknown
    help: str  #: the measured quantity, and causes of a violation


@dataclass(frozen=True)
class Promise:
    """Bounds of the theorem for the latest certified epoch, and the measured distance."""

    rows: tuple[tuple[str, str, str], ...]  #: (name, value, help)
    note: str  #: which inputs were measured and which certified, or why the bounds are trivial


Row = tuple[str, str, str]
"""Name, value of the ghost, value of the current run."""


@dataclass(frozen=True)
class Comparison:
    """Differences between a ghost and the current run."""

    knobs: tuple[Row, ...]  #: different settings
    measured: tuple[Row, ...]  #: measurements at the current epoch, or the ghost's last
    words: str  #: description of the compared epoch


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Display data of the page at one instant."""

    run: int  #: run number, incremented by restart, rewind and restarting configurations: views clear their trails
    playing: bool
    config: LiveConfig
    t: int  #: epoch, 0 before the first datum
    step: int  #: number of steps in this epoch of the followed chain (else of chain 0)
    run_length: int  #: its i_t
    step_size: float  #: eta0 / (t + c), or eta0 for preconditioned chains
    furthest: int  #: right end of the rewind slider: last recorded epoch
    cloud: Cloud
    series: Series | None  #: None when unchanged since the last frame
    verdict: Verdict | None
    meters: tuple[Meter, ...]  #: four
    assumptions: tuple[Assumption, ...]  #: three
    notice: str | None = None  #: text of the notice, see `app.live.page_words.RunNotice`
    notice_kind: str | None = None  #: "compiling", "replaying", "diverged", "ended", "arrived", "error"
    progress: float | None = None  #: progress of a replay, in [0, 1]
    reference: str | None = None  #: description of the reference, such as "exact", "grid"
    moment: Moment | None = None  #: position and history of the run, for a link
    ghost: Series | None = None  #: curves of the ghost run
    comparison: Comparison | None = None  #: of ghost and run; None without a ghost
    frame: int = 0  #: number of snapshots published by the engine
    promise: Promise | None = None  #: None before the first certified epoch

    def replacing(self, unseen: Snapshot | None) -> Snapshot:
        """Return this snapshot merged with an undisplayed one that it replaces: its series, resets, exits and jumps."""
        if unseen is None or unseen.run != self.run:
            return self
        new, old = self.cloud, unseen.cloud
        flashes = {name: np.unique(np.concatenate([getattr(old, name), getattr(new, name)]), axis=0)
                   for name in ("resets", "exits")}
        return replace(self, series=self.series or unseen.series,
                       cloud=replace(new, reset=old.reset | new.reset, **flashes))
