"""`Rehearsal`: one run of a setting as in production, judged by predictions of the stream without a reference."""

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
    """Result of a rehearsal."""

    settings: Settings
    t: np.ndarray  #: (n,) epochs
    score: np.ndarray  #: (n,) mean log score of the rows of each block, predicted before they were seen; NaN if none
    replay: ReplayResult
    evidence: dict = field(default_factory=dict)  #: result of `stream_evidence`

    @property
    def kind(self) -> str:
        """Kind of the predicting problem, or "oracle" without predictions."""
        predictor = self.replay.watch.prequential
        return "oracle" if predictor is None else predictor.problem.kind

    @property
    def calibration(self) -> tuple[np.ndarray, np.ndarray]:
        """Predicted and observed probabilities, (m,) each."""
        curve = self.replay.watch.calibration
        return (np.empty(0), np.empty(0)) if curve is None else (curve.predicted, curve.observed)


class _BlockScores(summaries.NullWriter):
    """Stores t and score of each block of a replay in memory and reports progress."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self.t: list[int] = []
        self.score: list[float] = []
        self._report = report

    def write(self, summary: dict) -> None:
        """Store one block."""
        self.t.append(summary["t"])
        self.score.append(np.nan if summary["score"] is None else summary["score"])
        self._report(summary["t"])


def rehearsal_job(stream: TuningRows, settings: Settings, rows: int, chains: int,
                  seed: int) -> Callable[[JobHandle], Rehearsal | None]:
    """Return a job that runs a setting over the rows on which it was tuned."""
    def job(handle: JobHandle) -> Rehearsal | None:
        scores = _BlockScores(lambda t: handle.publish(None, t / rows, "rehearsing"))
        replay = rehearse(stream.problem, settings, *stream.first(rows), chains, seed, rows, EVERY, scores,
                          lambda: handle.stopped)
        if handle.stopped:
            return None
        return Rehearsal(settings, np.array(scores.t), np.array(scores.score, float), replay, stream_evidence(replay))

    return job
