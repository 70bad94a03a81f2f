"""Monitor of a run, from the stream alone: chains against each other, forecasts against data."""

from collections import deque
from statistics import median_low
from typing import Any

import numpy as np

from sampler.algorithms.epoch_records import Epoch
from sampler.arguments import instance_of, whole_number
from sampler.problems.base import Posterior, Problem
from sampler.problems.data_check import check_problem
from sampler.production.gates import GateFailure, Gates, failed
from sampler.production.mode_lag import ModeLag
from sampler.production.prequential import Prequential, has_likelihood
from sampler.production.rolling_diagnostics import SampleWindow

WINDOW = 200
"""Blocks of epochs looked back over."""
RHAT_EVERY = 50
"""Blocks between two computations of R-hat, each as dear as hundreds of epochs."""


class Watch:
    """Split R-hat, lag behind the mode, common drift, predictive score, calibration, drift, resets and time of a run.

    Attributes
    ----------
    rhat : float or None
        Largest over coordinates, as last computed.
    lag : ModeLag
        The chains' common centre against the mode.
    common_drift : float or None
        See `SampleWindow.common_drift`; as last computed.
    prequential : Prequential or None
        None for a gradient alone, which foretells nothing.
    """

    def __init__(self, problem: Problem, gates: Gates, chains: int, offset: float) -> None:
        check_problem(problem)
        instance_of("gates", gates, Gates, "make them with Gates()")
        self.gates, self._chains = gates, whole_number("chains", chains)
        self.window = SampleWindow(WINDOW, offset)
        self.prequential = Prequential(problem) if has_likelihood(problem) else None
        self._resets: deque[tuple[int, int]] = deque(maxlen=WINDOW)  # (epochs, resets) of each block
        self._times: deque[tuple[int, float]] = deque(maxlen=WINDOW)
        self._blocks, self.lag = 0, ModeLag()
        self.rhat: float | None = None
        self.common_drift: float | None = None

    def foretell(self, features: np.ndarray, labels: Any, samples: np.ndarray) -> float | None:
        """Mean log score of a block about to be learnt, with samples drawn before it.

        Parameters
        ----------
        features : (n, dim) array
        labels : (n,) array
        samples : (K, dim) array
            One row a chain.
        """
        return None if self.prequential is None else self.prequential.add(features, labels, samples)

    def learn(self, n: int, epoch: Epoch, seconds: float, posterior: Posterior | None = None) -> GateFailure | None:
        """Take in a block of ``n`` epochs and, for the mode, F_t of the data so far; the gate it failed, if any.

        Parameters
        ----------
        n : int >= 1
            Epochs of the block.
        epoch : Epoch
            The block's last, with the samples.
        seconds : float >= 0
            That the block took.
        posterior : Posterior, optional
            F_t of the data so far.
        """
        self._blocks += 1
        self._resets.append((n, epoch.resets))
        self._times.append((n, seconds))
        self.window.add(epoch.t, epoch.samples)
        if self._blocks % RHAT_EVERY == 0:
            self.diagnose(posterior, epoch.samples)
        drifts = self.drifts
        return failed(self.gates, epoch.t, {
            "max_rhat": self.rhat, "max_lag": self.lag.value, "max_common_drift": self.common_drift,
            "min_predictive_score": self.score, "max_reset_rate": self.reset_rate,
            "max_seconds_per_epoch": self.seconds_per_epoch}, drifts[-1][0] if drifts else None)

    def diagnose(self, posterior: Posterior | None, samples: np.ndarray) -> None:
        """Compute R-hat, the common drift and, if F_t is given, the lag of samples (K, d) now.

        Parameters
        ----------
        posterior : Posterior or None
        samples : (K, dim) array
        """
        found = self.window.diagnostics()
        self.rhat = None if found is None else float(found.rhat.max())
        self.common_drift = self.window.common_drift()
        if posterior is not None:
            self.lag.look(posterior, samples)

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
    def calibration_error(self) -> float | None:
        """Mean gap between foretold and observed, of the last data."""
        return self.prequential.calibration().error if self.prequential is not None and self.prequential.n else None

    @property
    def calibration_noise(self) -> float | None:
        """The gap that chance alone gives a calibrated model with as many data."""
        return self.prequential.calibration().noise if self.prequential is not None and self.prequential.n else None

    @property
    def drifts(self) -> list[tuple[int, int]]:
        """Drift alarms, (noticed at, begun near), data counted from 1."""
        return [] if self.prequential is None else [(d.at, d.since) for d in self.prequential.alarm.drifts]

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
        arrays = {"window_draws": self.window.draws, "window_epochs": self.window.epochs}
        if self.prequential is not None:
            arrays |= {f"foretold_{name}": a for name, a in self.prequential.state().items()}
        lag, arrays["mode"] = self.lag.state()
        return {"resets": list(self._resets), "blocks": self._blocks, "rhat": self.rhat, "lag": lag,
                "common_drift": self.common_drift}, arrays

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
