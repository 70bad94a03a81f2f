"""The chosen setting run once as production runs it: what the stream itself says, with no truth known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from app.background_job import JobHandle
from app.tune.data import Loaded
from sampler import Replay, Settings
from sampler.production import Gates, ReplayResult, gates_from

EVERY = 8
"""Epochs between two points of the curves."""


@dataclass(frozen=True, eq=False)
class Watched:
    """How a rehearsal went."""

    settings: Settings
    chains: int
    seed: int
    t: np.ndarray  #: (n,) epochs
    score: np.ndarray  #: (n,) mean log score of the rows of each block, foretold before they were seen; NaN if none
    mean_score: float | None  #: of the last 1,000 rows
    foretold: np.ndarray  #: reliability curve
    observed: np.ndarray
    calibration_error: float | None
    kind: str  #: of the problem
    drifts: tuple[tuple[int, int], ...]  #: noticed at, begun near
    rhat: float | None  #: largest over coordinates
    ess: float | None  #: smallest over coordinates
    mcse: float | None  #: largest, in posterior standard deviations
    reset_rate: float
    gates: Gates = field(default_factory=Gates)
    failure: str = ""  #: why it ended early


class _Curves:
    """Takes a replay's summaries in memory."""

    def __init__(self, tell: Callable[[dict], None]) -> None:
        self.rows: list[dict] = []
        self._tell = tell

    def resume(self, mark: int) -> None:
        """Begin."""

    def write(self, summary: dict) -> None:
        """Keep one."""
        self.rows.append(summary)
        self._tell(summary)

    def mark(self) -> int:
        """Nothing is on a disk."""
        return 0

    def close(self) -> None:
        """Nothing to close."""


def rehearsal(loaded: Loaded, settings: Settings, rows: int, chains: int,
              seed: int) -> Callable[[JobHandle], Watched | None]:
    """Return the work that runs a setting over the rows it was tuned on."""

    def work(control: JobHandle) -> Watched | None:
        features, labels = loaded.first(rows)
        batches = [(np.zeros((rows, 0)), None)] if features is None else [(features, labels)]
        curves = _Curves(lambda row: control.publish(None, row["t"] / rows, "rehearsing"))
        replay = Replay(loaded.problem, settings, batches, chains, seed, every=EVERY, output=curves)
        replay.resume()
        result = replay.run(lambda: control.stopped)
        return None if control.stopped else watched_of(result, settings, chains, seed, curves.rows)

    return work


def watched_of(result: ReplayResult, settings: Settings, chains: int, seed: int, rows: list[dict]) -> Watched:
    """Read out a finished rehearsal."""
    watch = result.watch
    curve = watch.prequential.calibration() if watch.prequential is not None and watch.prequential.n else None
    found, sd = watch.window.diagnostics(), np.maximum(result.samples.std(axis=0), 1e-300)
    return Watched(
        settings, chains, seed, np.array([row["t"] for row in rows]),
        np.array([np.nan if row["score"] is None else row["score"] for row in rows], float), watch.score,
        np.empty(0) if curve is None else curve.foretold, np.empty(0) if curve is None else curve.observed,
        watch.calibration_error, replay_kind(watch), tuple(watch.drifts),
        None if found is None else float(found.rhat.max()), None if found is None else float(found.ess.min()),
        None if found is None else float((found.mcse / sd).max()), watch.reset_rate,
        gates_from(result), "" if result.failure is None else result.failure.words)


def replay_kind(watch) -> str:
    """Kind of the problem that foretold, or "oracle"."""
    return "oracle" if watch.prequential is None else watch.prequential.problem.kind
