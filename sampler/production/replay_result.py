"""`ReplayResult`: the result of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.draws import Draws, HasDraws
from sampler.predictive.predictive import Predictive, refuse_without_response
from sampler.production.gates import GateFailure
from sampler.production.run_monitor import Watch
from sampler.streams.row_encoding import RowReading


@dataclass(frozen=True)
class ReplayResult(HasDraws):
    """Result of a run: ``ended`` is "finished", "stopped" or "gate", ``t`` the total number of epochs, ``resumed_at`` the
    epoch it resumed from, ``samples`` (K, d) is X^t, ``fingerprint`` the checksum of the rows as sampled, ``names`` are
    the names of the coefficients if the stream has them. ``rows_taken`` counts rows learnt, buffered and left out since
    the first run, ``skipped`` those left out, ``warnings`` are sentences on missing, late and forgotten rows,
    ``reading`` is a DataStream's conversion of rows to features, and ``forgotten`` counts forgotten rows.
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
    reading: RowReading | None = None
    forgotten: int = 0

    def predictive(self) -> Predictive:
        """Return predictions from X^t; raise a ValueError before the first row and for a GradientOracle."""
        if self.t == 0:
            raise ValueError("predictive needs draws, and there are none yet; replay a row first")
        scores = self.watch.prequential
        refuse_without_response("oracle" if scores is None else scores.problem.kind)
        return Predictive(self.samples, getattr(scores, "problem", None), self.reading)

    def draws(self, names: Sequence[str] | None = None) -> Draws:
        """Return X^t, one draw per chain, and draws of up to 199 earlier blocks (32 chains), each at its own epoch.

        Parameters
        ----------
        names : sequence of str, optional
            Names of the coefficients, one per dimension; None numbers them.
        """
        names, window = self.names if names is None else names, self.watch.window
        past = Draws(np.swapaxes(window.draws[:-1], 0, 1), window.epochs[:-1], names,
                     {"words": "each draw is from the posterior of its own epoch, which moves and contracts"})
        return Draws(self.samples[:, None], np.array([self.t]), names,
                     {"ended": self.ended, "gradient_evaluations": self.gradient_evaluations,
                      "fingerprint": self.fingerprint}, past if len(past.epochs) else None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        watch, failure = self.watch, self.failure
        return {"ended": self.ended, "t": self.t, "resumed_at": self.resumed_at, "chains": len(self.samples),
                "mean": self.samples.mean(axis=0).tolist(), "sd": self.samples.std(axis=0).tolist(),
                **watch.measurements(), "gradient_evaluations": self.gradient_evaluations,
                "rows_taken": self.rows_taken, "skipped": self.skipped, "forgotten": self.forgotten,
                "warnings": [*watch.warnings.values(), *self.warnings],
                "drifts": [drift._asdict() for drift in watch.drifts],
                "gate": None if failure is None else failure.to_dict(),
                "fingerprint": self.fingerprint}
