"""`Rehearsal`: the chosen setting run once as production runs it; what the stream itself says, with no truth known."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from app.jobs.background_job import JobHandle
from app.tune.tuning_rows import TuningRows
from sampler import Settings
from sampler.production import ReplayResult, rehearse, stream_evidence, summaries

EVERY = 8
"""Epochs between two points of the curves."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """How a rehearsal went."""

    settings: Settings
    t: np.ndarray  #: (n,) epochs
    score: np.ndarray  #: (n,) mean log score of the rows of each block, predicted before they were seen; NaN if none
    replay: ReplayResult
    evidence: dict = field(default_factory=dict)  #: as `stream_evidence` says

    @property
    def kind(self) -> str:
        """Kind of the problem that predicted, or "oracle", which predicts nothing."""
        predictor = self.replay.watch.prequential
        return "oracle" if predictor is None else predictor.problem.kind

    @property
    def calibration(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities predicted and observed, (m,) each."""
        curve = self.replay.watch.calibration
        return (np.empty(0), np.empty(0)) if curve is None else (curve.predicted, curve.observed)


class _BlockScores(summaries.NullWriter):
    """Keeps t and score of each block of a replay, nothing on a disk, and tells how far it is."""

    def __init__(self, tell: Callable[[int], None]) -> None:
        self.t: list[int] = []
        self.score: list[float] = []
        self._tell = tell

    def write(self, summary: dict) -> None:
        """Keep one block."""
        self.t.append(summary["t"])
        self.score.append(np.nan if summary["score"] is None else summary["score"])
        self._tell(summary["t"])


def rehearsal_job(stream: TuningRows, settings: Settings, rows: int, chains: int,
                  seed: int) -> Callable[[JobHandle], Rehearsal | None]:
    """Return the job that runs a setting over the rows it was tuned on."""
    def job(handle: JobHandle) -> Rehearsal | None:
        scores = _BlockScores(lambda t: handle.publish(None, t / rows, "rehearsing"))
        replay = rehearse(stream.problem, settings, *stream.first(rows), chains, seed, rows, EVERY, scores,
                          lambda: handle.stopped)
        if handle.stopped:
            return None
        return Rehearsal(settings, np.array(scores.t), np.array(scores.score, float), replay, stream_evidence(replay))

    return job
