"""`Watch`: monitor of a run without a reference: agreement of chains, lag behind the mode, and forecasts against data."""

from collections import deque
from statistics import median_low
from typing import Any

import numpy as np

from sampler.algorithms.results import Epoch
from sampler.arguments import instance_of, real_number, whole_number
from sampler.predictive.predictive import KINDS
from sampler.problems.base import Posterior, Problem
from sampler.problems.data_check import check_problem
from sampler.production.drift_alarm import Drift
from sampler.production.gates import GateFailure, Gates, failed
from sampler.production.prequential import Calibration, Prequential
from sampler.production.run_diagnostics import ModeLag, SampleWindow, next_look

WINDOW = 200
"""Number of blocks in the rolling statistics."""
RHAT_EVERY = 50
"""Blocks between computations of R-hat, each of which costs as much as hundreds of epochs."""
MIN_ROWS = 20
"""Minimum number of rows after the warm-up for a mean score."""
SCORE_ERRORS = 5.0
"""Standard errors allowed on a mean score: exact draws exceed them in one of three million windows."""


class Watch:
    """Monitor of split R-hat, mode lag, common drift, predictive score, calibration, drift alarms, resets and time.

    Attributes
    ----------
    rhat : float or None
        Maximum over coordinates, as last computed.
    lag : ModeLag
        Mean and width of the chains relative to the posterior's normal approximation.
    common_drift : float or None
        See `SampleWindow.common_drift`; as last computed.
    prequential : Prequential or None
        None for a GradientOracle, which has no predictions.
    worst : dict of str to float
        Worst value of each measurement since the warm-up, net of chance, by gate name.
    warnings : dict of str to str
        Warnings that do not stop the run, by name.

    Parameters
    ----------
    most : int, optional
        Maximum number of rows retained if each new row replaces the oldest.
    """

    def __init__(self, problem: Problem, gates: Gates, chains: int, offset: float, most: int | None = None) -> None:
        check_problem(problem)
        instance_of("gates", gates, Gates, "make them with Gates()")
        self.gates, self._chains = gates, whole_number("chains", chains)
        self.window = SampleWindow(WINDOW, real_number("offset", offset, "use settings.offset", least=0.0), most)
        self._begun, self._forgotten, self._answered = 0, 0, 0  # epoch of the last start; rows; alarms handled
        self.prequential = Prequential(problem) if problem.kind in KINDS else None
        self._resets: deque[tuple[int, int]] = deque(maxlen=WINDOW)  # (epochs, resets) of each block
        self._times: deque[tuple[int, float]] = deque(maxlen=WINDOW)
        self._blocks, self.lag = 0, ModeLag()
        self.rhat: float | None = None
        self.common_drift: float | None = None
        self._due, self._forecasters = 0, np.empty((0, 0))
        self._law: np.ndarray | None = None
        self.worst: dict[str, float] = {}
        self.warnings = {"note": gates.note} if gates.note else {}

    def predict(self, features: np.ndarray, labels: Any, samples: np.ndarray,
                 posterior: Posterior | None = None) -> float | None:
        """Return the mean log score of rows before they are learnt, from the samples of the last look (`next_look`).

        If rows are passed in parts that end at looks, scores do not depend on the block length.

        Parameters
        ----------
        features : (n, dim) array
        labels : (n,) array
        samples : (K, dim) array
            One row per chain, drawn before these rows were learnt.
        posterior : Posterior, optional
            F_t of the rows before these, with which a look after the warm-up compares the chains.
        """
        predictor = self.prequential
        if predictor is None:
            return None
        if predictor.n >= self._due or self._forecasters.shape != samples.shape:
            self._forecasters, self._law, self._due = np.array(samples), None, next_look(predictor.n, self._forgotten)
            if posterior is not None and predictor.n - self._begun >= self.gates.warm_up:
                self.lag.look(posterior, samples)
                self._law = self.lag.law(len(samples))
        return predictor.add(features, labels, self._forecasters, self._law)

    @property
    def unanswered(self) -> bool:
        """Whether there is a drift alarm after which no rows have been forgotten."""
        return len(self.drifts) > self._answered

    def forget(self, forgotten: int, anew: bool) -> None:
        """Record that the first ``forgotten`` rows were forgotten.

        Parameters
        ----------
        forgotten : int >= 0
        anew : bool
            Whether to restart the warm-up and the measurements of the chains, as after a drift alarm, which is then marked
            as handled.
        """
        self._forgotten = forgotten
        if anew:
            self._begun = 0 if self.prequential is None else self.prequential.n
            self._answered, self._due = len(self.drifts), 0
            self.window.begin(forgotten)
            self.lag, self.rhat, self.common_drift = ModeLag(), None, None
        self.lag.move()

    def learn(self, n: int, epoch: Epoch, seconds: float) -> GateFailure | None:
        """Add a block of ``n`` epochs; return the failed gate, if any.

        Parameters
        ----------
        n : int >= 1
            Number of epochs in the block.
        epoch : Epoch
            Last epoch of the block, with the samples.
        seconds : float >= 0
            Wall time of the block.
        """
        self._blocks += 1
        self._resets.append((n, epoch.resets))
        self._times.append((n, seconds))
        self.window.add(epoch.t, epoch.samples)
        if self._blocks % RHAT_EVERY == 0:
            self.diagnose()
        return self.judge(epoch.t)

    def judge(self, t: int) -> GateFailure | None:
        """Compare all measurements with the gates at epoch ``t``; return the failed gate, if any.

        Parameters
        ----------
        t : int
        """
        measured: dict[str, float | None] = {
            "max_lag": self.lag.value, "max_width": self.lag.widest, "min_width": self.lag.narrowest, "max_rhat": self.rhat,
            "max_common_drift": self.common_drift, "max_reset_rate": self.reset_rate,
            "max_seconds_per_epoch": self.seconds_per_epoch}
        sure = dict(self.lag.sure)
        if self.prequential is not None:
            scores, gains = self.prequential.recent(self._begun + self.gates.warm_up)
            for name, values, sign in (("min_predictive_score", scores, 1.0), ("max_score_loss", -gains, -1.0)):
                if len(values) >= MIN_ROWS:
                    mean = measured[name] = float(values.mean())
                    sure[name] = mean + sign * SCORE_ERRORS * standard_error(values)
        if warm := t - self._begun >= self.gates.warm_up:
            for name, value in measured.items():
                worst = min if name.startswith("min") else max
                if value is not None:
                    self.worst[name] = worst(sure.get(name, value), self.worst.get(name, sure.get(name, value)))
        self._warn_moving_data(t, measured)
        return failed(self.gates, t, measured, self.drifts[-1].at if self.drifts else None, sure) if warm else None

    def _warn_moving_data(self, t: int, measured: dict[str, float | None]) -> None:
        """Warn of common drift while the mode is tracked, in place of its gate: chains that follow the mode are correct."""
        moved, limit, lag = measured["max_common_drift"], self.gates.max_common_drift, self.lag.value
        if moved is None or (lag is None and not self._begun):
            return
        measured["max_common_drift"] = None
        if lag is not None and limit is not None and t >= self.gates.warm_up and not moved <= limit:
            self.warnings["max_common_drift"] = (
                f"the data move: at epoch {t:,} all chains had moved {moved:.3g} standard deviations together (limit "
                f"{limit:g}) and were {lag:.2g} posterior widths from the mode, which moved the same way. The sampler "
                "follows; check whether one model suits old and new rows")

    def diagnose(self) -> None:
        """Compute R-hat and the common drift now."""
        diagnostics = self.window.diagnostics()
        self.rhat = None if diagnostics is None else float(diagnostics.rhat.max())
        self.common_drift = self.window.common_drift()

    @property
    def why_no_rhat(self) -> str | None:
        """Reason for which there is no R-hat yet; None otherwise."""
        if self.rhat is not None:
            return None
        return (f"computed every {RHAT_EVERY} blocks, from 8 blocks on, and for the result of a finished run; this is block "
                f"{self._blocks}")

    @property
    def score(self) -> float | None:
        """Mean log score of the most recent data."""
        return self.prequential.score if self.prequential is not None and self.prequential.n else None

    @property
    def calibration(self) -> Calibration | None:
        """Calibration of the forecasts of the most recent data."""
        return self.prequential.calibration() if self.prequential is not None and self.prequential.n else None

    def measurements(self) -> dict[str, Any]:
        """Return the current measurements as plain values by name; None for missing ones."""
        curve = self.calibration
        return {"score": self.score, "calibration_error": None if curve is None else curve.error,
                "calibration_noise": None if curve is None else curve.noise, "rhat": self.rhat,
                "why_no_rhat": self.why_no_rhat, "lag": self.lag.value, "common_drift": self.common_drift,
                "reset_rate": self.reset_rate, "seconds_per_epoch": self.seconds_per_epoch}

    @property
    def drifts(self) -> list[Drift]:
        """Drift alarms so far."""
        return [] if self.prequential is None else self.prequential.alarm.drifts

    @property
    def reset_rate(self) -> float:
        """Resets per epoch and chain."""
        epochs = sum(n for n, _ in self._resets)
        return sum(resets for _, resets in self._resets) / (epochs * self._chains) if epochs else 0.0

    @property
    def seconds_per_epoch(self) -> float:
        """Wall time per epoch of all chains: the median over blocks, robust to compilation and waiting."""
        return median_low([seconds / n for n, seconds in self._times]) if self._times else 0.0

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return plain values and arrays from which ``restore`` continues bit for bit; wall times are not included."""
        arrays = {"window_draws": self.window.draws, "window_epochs": self.window.epochs, "forecasters": self._forecasters}
        if self._law is not None:
            arrays["law"] = self._law
        if self.prequential is not None:
            arrays |= {f"foretold_{name}": a for name, a in self.prequential.state().items()}
        lag, arrays["mode"] = self.lag.state()
        return {"resets": list(self._resets), "blocks": self._blocks, "rhat": self.rhat, "lag": lag,
                "common_drift": self.common_drift, "worst": self.worst, "warnings": self.warnings, "due": self._due,
                "begun": [self._begun, self._forgotten, self._answered]}, arrays

    def restore(self, plain: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Restore the values and arrays returned by ``state``.

        Parameters
        ----------
        plain : dict
        arrays : dict of str to array
            Arrays as saved.
        """
        self.window.draws, self.window.epochs = arrays["window_draws"], arrays["window_epochs"]
        if self.prequential is not None:
            self.prequential.restore({name[9:]: a for name, a in arrays.items() if name.startswith("foretold_")})
        self._resets.extend((int(n), int(resets)) for n, resets in plain["resets"])
        self._blocks, self.rhat, self.common_drift = plain["blocks"], plain["rhat"], plain["common_drift"]
        self.lag.restore(plain["lag"], arrays["mode"])
        self.worst, self.warnings = plain.get("worst", {}), self.warnings | plain.get("warnings", {})
        self._forecasters, self._law = arrays.get("forecasters", self._forecasters), arrays.get("law")  # not in 0.6
        self._begun, self._forgotten, self._answered = plain.get("begun", (0, 0, 0))  # absent in earlier releases
        self.window.forgotten = 0 if self.window.most else self._forgotten
        if self.prequential is not None and self.prequential.n:
            self._due = plain.get("due", next_look(self.prequential.n - 1))


def standard_error(values: np.ndarray) -> float:
    """Return the standard error of the mean of independent values (n,), n > 1; 0 if a value is not finite."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if np.isfinite(values).all() else 0.0
