"""`ReplayResult`: what a run of `Replay` ended with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.draws import Draws, HasDraws
from sampler.production.gates import GateFailure
from sampler.production.run_monitor import Watch


@dataclass(frozen=True)
class ReplayResult(HasDraws):
    """Result of a run: ``ended`` is "finished", "stopped" or "gate", ``t`` the epochs in all, ``resumed_at`` the
    epoch it went on from, ``samples`` (K, d) is X^t, ``fingerprint`` the checksum of the rows as sampled, ``names`` are
    those of the coefficients where the stream has them. ``rows_taken`` counts rows learnt, held back and left out since
    the first run, ``skipped`` those left out, ``warnings`` are sentences about rows that are missing or came late.
    """

    ended: str
    t: int
    resumed_at: int
    samples: np.ndarray
    failure: GateFailure | None
    watch: Watch
    gradient_evaluations: int
    fingerprint: str
    names: tuple[str, ...] | None = None
    rows_taken: int = 0
    skipped: int = 0
    warnings: tuple[str, ...] = ()

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """X^t, one draw a chain, and those of up to 199 blocks before (32 chains), each of the posterior of its epoch.

        Parameters
        ----------
        names : sequence of str, optional
            Of the coefficients, one a dimension; None numbers them.
        """
        names, window = self.names if names is None else names, self.watch.window
        past = Draws(np.swapaxes(window.draws[:-1], 0, 1), window.epochs[:-1], names,
                     {"words": "each draw is of the posterior of its own epoch, which moves and narrows"})
        return Draws(self.samples[:, None], np.array([self.t]), names,
                     {"ended": self.ended, "gradient_evaluations": self.gradient_evaluations,
                      "fingerprint": self.fingerprint}, past if len(past.epochs) else None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        watch, failure = self.watch, self.failure
        return {"ended": self.ended, "t": self.t, "resumed_at": self.resumed_at, "chains": len(self.samples),
                "mean": self.samples.mean(axis=0).tolist(), "sd": self.samples.std(axis=0).tolist(),
                "score": watch.score, "calibration_error": watch.calibration_error,
                "calibration_noise": watch.calibration_noise, "rhat": watch.rhat,
                "why_no_rhat": watch.why_no_rhat, "lag": watch.lag.value, "common_drift": watch.common_drift,
                "reset_rate": watch.reset_rate, "seconds_per_epoch": watch.seconds_per_epoch,
                "gradient_evaluations": self.gradient_evaluations,
                "rows_taken": self.rows_taken, "skipped": self.skipped,
                "warnings": [*watch.warnings.values(), *self.warnings],
                "drifts": [{"at": at, "since": since} for at, since in watch.drifts],
                "gate": None if failure is None else {"name": failure.gate, "epoch": failure.t, "value": failure.value,
                                                      "limit": failure.limit, "words": failure.words},
                "fingerprint": self.fingerprint}
