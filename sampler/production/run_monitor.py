"""Monitor of a run, from the stream alone: chains against each other, forecasts against data."""

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
"""Blocks of epochs looked back over."""
RHAT_EVERY = 50
"""Blocks between two computations of R-hat, each as dear as hundreds of epochs."""
FEW = 20
"""Rows after the warm-up that a mean score is of, at least."""
SURE = 5.0
"""Standard errors taken off a mean score: one window in three million of exact draws would still break its limit."""


class Watch:
    """Split R-hat, lag behind the mode, common drift, predictive score, calibration, drift, resets and time of a run.

    Attributes
    ----------
    rhat : float or None
        Largest over coordinates, as last computed.
    lag : ModeLag
        The chains' common centre and width against the posterior's normal approximation.
    common_drift : float or None
        See `SampleWindow.common_drift`; as last computed.
    prequential : Prequential or None
        None for a gradient alone, which predicts nothing.
    worst : dict of str to float
        The furthest from right that each measurement has been after the warm-up, chance taken off, by the gates' names.
    warnings : dict of str to str
        What no gate stops and is to be looked at, in words.

    Parameters
    ----------
    most : int, optional
        Rows that count at most, where each new row has the oldest forgotten.
    """

    def __init__(self, problem: Problem, gates: Gates, chains: int, offset: float, most: int | None = None) -> None:
        check_problem(problem)
        instance_of("gates", gates, Gates, "make them with Gates()")
        self.gates, self._chains = gates, whole_number("chains", chains)
        self.window = SampleWindow(WINDOW, real_number("offset", offset, "use settings.offset", least=0.0), most)
        self._begun, self._forgotten, self._answered = 0, 0, 0  # epoch of the last beginning; rows; alarms
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
        """Mean log score of rows about to be learnt, with the samples of the last look before them (`next_look`).

        Give rows in parts that end at looks, and no score depends on how they are blocked.

        Parameters
        ----------
        features : (n, dim) array
        labels : (n,) array
        samples : (K, dim) array
            One row a chain, drawn before these rows were learnt.
        posterior : Posterior, optional
            F_t of the rows before these: after the warm-up a look measures the chains against it.
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
        """Whether an alarm went that no rows have been forgotten at."""
        return len(self.drifts) > self._answered

    def forget(self, forgotten: int, anew: bool) -> None:
        """The first ``forgotten`` rows count no more.

        Parameters
        ----------
        forgotten : int >= 0
        anew : bool
            Chains set out for another posterior, as at an alarm, which this answers: the warm-up, and what is measured of
            them, begin anew.
        """
        self._forgotten = forgotten
        if anew:
            self._begun = 0 if self.prequential is None else self.prequential.n
            self._answered, self._due = len(self.drifts), 0
            self.window.begin(forgotten)
            self.lag, self.rhat, self.common_drift = ModeLag(), None, None
        self.lag.move()

    def learn(self, n: int, epoch: Epoch, seconds: float) -> GateFailure | None:
        """Take in a block of ``n`` epochs; the gate it failed, if any.

        Parameters
        ----------
        n : int >= 1
            Epochs of the block.
        epoch : Epoch
            The block's last, with the samples.
        seconds : float >= 0
            That the block took.
        """
        self._blocks += 1
        self._resets.append((n, epoch.resets))
        self._times.append((n, seconds))
        self.window.add(epoch.t, epoch.samples)
        if self._blocks % RHAT_EVERY == 0:
            self.diagnose()
        return self.judge(epoch.t)

    def judge(self, t: int) -> GateFailure | None:
        """Hold all that is measured against the gates now, at epoch ``t``; the one that failed, if any.

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
                if len(values) >= FEW:
                    mean = measured[name] = float(values.mean())
                    sure[name] = mean + sign * SURE * standard_error(values)
        if warm := t - self._begun >= self.gates.warm_up:
            for name, value in measured.items():
                furthest = min if name.startswith("min") else max
                if value is not None:
                    self.worst[name] = furthest(sure.get(name, value), self.worst.get(name, sure.get(name, value)))
        self._tell_moving_data(t, measured)
        return failed(self.gates, t, measured, self.drifts[-1].at if self.drifts else None, sure) if warm else None

    def _tell_moving_data(self, t: int, measured: dict[str, float | None]) -> None:
        """Where the mode is tracked, chains that go along with it are right: warn, and let the lag be the judge."""
        moved, limit, lag = measured["max_common_drift"], self.gates.max_common_drift, self.lag.value
        if moved is None or (lag is None and not self._begun):
            return
        measured["max_common_drift"] = None
        if lag is not None and limit is not None and t >= self.gates.warm_up and not moved <= limit:
            self.warnings["max_common_drift"] = (
                f"the data move: at epoch {t:,} all chains had gone {moved:.3g} standard deviations together (limit "
                f"{limit:g}) and stood {lag:.2g} posterior widths from the mode, which went the same way. The sampler "
                "follows; see whether one model suits old and new rows")

    def diagnose(self) -> None:
        """Compute R-hat and the common drift now."""
        diagnostics = self.window.diagnostics()
        self.rhat = None if diagnostics is None else float(diagnostics.rhat.max())
        self.common_drift = self.window.common_drift()

    @property
    def why_no_rhat(self) -> str | None:
        """Why there is no R-hat yet, in words; None once there is."""
        if self.rhat is not None:
            return None
        return f"computed every {RHAT_EVERY} blocks and at the end, from 8 blocks on; this is block {self._blocks}"

    @property
    def score(self) -> float | None:
        """Mean log score of the last data."""
        return self.prequential.score if self.prequential is not None and self.prequential.n else None

    @property
    def calibration(self) -> Calibration | None:
        """Calibration of the forecasts of the last data."""
        return self.prequential.calibration() if self.prequential is not None and self.prequential.n else None

    def measurements(self) -> dict[str, Any]:
        """What is measured now, as plain values by name; None for what is not measured yet."""
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
        """Resets an epoch a chain."""
        epochs = sum(n for n, _ in self._resets)
        return sum(resets for _, resets in self._resets) / (epochs * self._chains) if epochs else 0.0

    @property
    def seconds_per_epoch(self) -> float:
        """Wall time an epoch, all chains: the median of the blocks, since one may compile, or wait for the machine."""
        return median_low([seconds / n for n, seconds in self._times]) if self._times else 0.0

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Plain values and arrays from which ``restore`` goes on bit for bit; wall times are not kept."""
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
        """Put back what ``state`` gave.

        Parameters
        ----------
        plain : dict
        arrays : dict of str to array
            As they were saved.
        """
        self.window.draws, self.window.epochs = arrays["window_draws"], arrays["window_epochs"]
        if self.prequential is not None:
            self.prequential.restore({name[9:]: a for name, a in arrays.items() if name.startswith("foretold_")})
        self._resets.extend((int(n), int(resets)) for n, resets in plain["resets"])
        self._blocks, self.rhat, self.common_drift = plain["blocks"], plain["rhat"], plain["common_drift"]
        self.lag.restore(plain["lag"], arrays["mode"])
        self.worst, self.warnings = plain.get("worst", {}), self.warnings | plain.get("warnings", {})
        self._forecasters, self._law = arrays.get("forecasters", self._forecasters), arrays.get("law")  # not in 0.6
        self._begun, self._forgotten, self._answered = plain.get("begun", (0, 0, 0))  # earlier releases forgot nothing
        self.window.forgotten = 0 if self.window.most else self._forgotten
        if self.prequential is not None and self.prequential.n:
            self._due = plain.get("due", next_look(self.prequential.n - 1))


def standard_error(values: np.ndarray) -> float:
    """Of the mean of independent values (n,), n > 1; 0 where one is infinite: no chance makes up for that."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if np.isfinite(values).all() else 0.0
