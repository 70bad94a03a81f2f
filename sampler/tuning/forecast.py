"""`Forecast`: accuracy, width and memory of a setting by a Gaussian model of the chains, without running them.

In the eigenbasis of the Hessian H at the last mode, direction i has curvature l_s = l_0 + (l - l_0) s/T at epoch s;
a step contracts deviations by r = 1 - eta_0 l_s/(s + c). With G_k the mean of r^(k n) over run lengths n, an epoch
updates mean b and variance v of the chain's deviation from the mode by

    b <- G_1 (b + x*_{s-1} - x*_s),      v <- G_2 v + (1 - G_2) S/l_s,

where x*_s is the actual mode of epoch s and S the inflation by step size and gradient noise (GradientNoise). On the
path from the start at 0 to the mode, the curvature is the mean of those at both ends.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN
from sampler.algorithms.laplace import find_mode
from sampler.arguments import instance_of
from sampler.metrics.ceiling import exact_ceiling
from sampler.problems.base import Problem
from sampler.problems.data_check import check_data, check_problem, terms_of
from sampler.reference.mode_tracker import ModeTracker
from sampler.settings import Settings, checked_settings
from sampler.theory.accuracy_prediction import WIDEST_TRUSTED, expected_accuracy, normal_share, target_share
from sampler.theory.gradient_noise import GradientNoise
from sampler.threads import one_blas_thread
from sampler.tuning.sweep_reference import judged_epochs, posterior_of

POOLS = 4
"""Number of groups of consecutive judged epochs, each approximated by one normal law of the group's mean and variance; this
changes the accuracy of useful settings by less than 0.001."""


@dataclass(frozen=True)
class CellForecast:
    """Forecast of one setting.

    Attributes
    ----------
    accuracy : float
        Expected marginal accuracy measured with the requested number of draws; 0 if not stable.
    true_accuracy : float
        Accuracy in the limit of infinitely many draws.
    width : float
        Ratio of standard deviations of cloud and posterior in the coordinate furthest from 1.
    memory : float
        Share of the start that remains after an epoch, slowest direction.
    lag : float
        Distance of the cloud's centre from the mode in target widths: root mean square over epochs, largest coordinate.
    cost : float
        Gradient evaluations per chain and epoch.
    stable, trusted : bool
        As in AccuracyPrediction.
    narrowest, widest : float
        Smallest and largest ratio of standard deviations over coordinates; nan if not computed.
    """

    accuracy: float
    true_accuracy: float
    width: float
    memory: float
    lag: float
    cost: float
    stable: bool
    trusted: bool
    narrowest: float = math.nan
    widest: float = math.nan


class Forecast:
    """Forecasts of settings on one stream of ``T`` rows; the modes, which dominate the cost, are computed once.

    Parameters
    ----------
    problem, features, labels
        Stream, (T, d) and (T,); for a GradientOracle pass ``terms`` instead.
    longer : Forecast, optional
        Forecast on a longer stream that begins with these rows; its modes are reused.

    Attributes
    ----------
    horizon : int
    mode : (d,) array
    noise : GradientNoise
        Gradient noise at the mode; ``.eigenvalues`` are ascending.
    largest_curvature : float
        Largest eigenvalue of the Hessian at the last mode, in the coordinates of the steps.
    algorithm : str
        Algorithm of the settings; see `forecast_of` for others.
    """

    algorithm = PLAIN

    @one_blas_thread()
    def __init__(self, problem: Problem, features: np.ndarray | None = None, labels: np.ndarray | None = None,
                 terms: int | None = None, longer: "Forecast | None" = None) -> None:
        check_problem(problem)
        rows: Any = features  # not None unless terms is passed
        self.problem = problem
        self.horizon = terms_of(features, terms)
        if problem.kind != "oracle":
            check_data(problem, features, labels, self.horizon)
        self._walk: Any
        precision = np.asarray(getattr(problem, "prior_precision", np.zeros(problem.dim)), float)
        if problem.kind == "oracle":
            posterior = posterior_of(problem, None, None, self.horizon)
            self.mode, path = find_mode(posterior), None
        elif longer is not None:
            posterior, path = posterior_of(problem, features, labels, self.horizon), longer._walk[:self.horizon + 1].copy()
            self.mode = path[-1] = find_mode(posterior, path[-1])
        else:
            tracker, path = ModeTracker(problem), np.zeros((self.horizon + 1, problem.dim))
            for t in range(1, self.horizon + 1):
                row = rows[t - 1]
                path[t] = tracker.add(row) if labels is None else tracker.add(row, labels[t - 1])
            self.mode, posterior = tracker.resolve(), tracker.posterior
            path[-1] = self.mode
        self.posterior, self._precision, self._walk = posterior, precision, path
        self.noise = GradientNoise.of_posterior(posterior, self.mode)
        self._set_coordinates(self.noise.vectors, self.noise.vectors.T)

    def _set_coordinates(self, vectors: np.ndarray, inverse: np.ndarray) -> None:
        """Set the coordinates y of the steps, x = vectors @ y, in which the Hessian is diagonal."""
        precision = self._precision
        self.vectors, self._last = vectors, self.noise.eigenvalues
        self.largest_curvature = float(self._last[-1])
        self._first = np.einsum("ai,a,ai->i", vectors, precision, vectors)
        # Curvature at the chains' start; the path to the mode has about the mean of this and the mode's.
        self._far = np.einsum("ai,ab,bi->i", vectors, self.posterior.hessian(np.zeros(len(precision))), vectors)
        self._centre = inverse @ self.mode
        self._path = None if self._walk is None else self._walk @ inverse.T
        spread = np.divide(1.0, precision, out=np.zeros_like(precision), where=precision > 0)
        self._start = np.einsum("ia,a,ia->i", inverse, spread, inverse)
        self._laws: dict[tuple[float, int, bool, float], tuple[np.ndarray, np.ndarray] | None] = {}

    def __call__(self, settings: Settings) -> CellForecast:
        """Return the forecast of one setting."""
        return self.many([settings])[0]

    @one_blas_thread()
    def many(self, settings: list[Settings], draws: int = 1024) -> list[CellForecast]:
        """Return the forecasts of many settings, O(cells d T).

        Parameters
        ----------
        settings : list of Settings
        draws : int >= 1
            Draws behind the measured accuracy; the reference is exact.
        """
        laws = [self._inflation(s) for s in settings]
        good = sorted((i for i, law in enumerate(laws) if law is not None), key=lambda i: _motion_key(settings[i]))
        forecasts = [CellForecast(0.0, 0.0, np.inf, 1.0, np.inf, cost(s), False, False, np.inf, np.inf) for s in settings]
        for first in range(0, len(good), 256):
            part = good[first:first + 256]
            inflation, mixed = (np.array(each) for each in zip(*(laws[i] for i in part), strict=True))
            rows = self._propagate([settings[i] for i in part], inflation, mixed, draws)
            for i, row in zip(part, rows, strict=True):
                forecasts[i] = row
        return forecasts

    def divisor(self, settings: Settings) -> float:
        """Return eta0 over the step at the last row, T + c.

        Parameters
        ----------
        settings : Settings
            Only ``offset`` (c) is used.
        """
        return self.horizon + settings.offset

    def _rate(self, eta0: Any, offset: Any, curvature: np.ndarray, away: Any, s: int) -> np.ndarray:
        """Return a deviation's contraction factor by one step of epoch s, (..., d); ``away``: 1/2 at start, 0 at mode."""
        return 1.0 - eta0 * (curvature + away * (self._far - self._last) * s / self.horizon) / (s + offset)

    def stride(self, settings: Settings) -> float:
        """Return the largest distance of the cloud's centre from that of its checkpoint, times sqrt(t + c).

        With a smaller C', chains are reset on their path to the mode and never reach it.

        Parameters
        ----------
        settings : Settings
        """
        offset, length = settings.offset, max(float(np.linalg.norm(self._centre)), 1e-12)
        path = np.tile(self._centre, (self.horizon + 1, 1)) if self._path is None else self._path
        steps, random = np.array(float(settings.i_max)), np.array(settings.random_length)
        b, centres = -path[0], np.zeros_like(path)
        for s in range(1, self.horizon + 1):
            curvature = self._first + (self._last - self._first) * s / self.horizon
            away = 0.5 * min(1.0, float(np.linalg.norm(b)) / length)
            rate = self._rate(settings.eta0, offset, curvature, away, s)
            b = _mean_power(rate, steps, random) * (b + path[s - 1] - path[s])
            centres[s] = path[s] + b
        t = np.arange(2, self.horizon + 1)
        checkpoint = 2 ** np.floor(np.log2(t - 1)).astype(int)
        return float((np.linalg.norm(centres[t - 1] - centres[checkpoint], axis=1) * np.sqrt(t + offset)).max())

    def _inflation(self, s: Settings) -> Any:
        """Return S of the module's formula along the eigenvectors and the factor of its covariances; None if unbounded.

        The factor multiplies each marginal's variance, (d,): with nearly equal curvatures, as in a good metric,
        eigenvectors are arbitrary and covariances are as large as the differences of the variances.
        """
        key = s.eta0, s.batch_size, s.variance_reduction, s.offset
        if key not in self._laws:
            law = self.noise.stationary(self.horizon, s.eta0 / self.divisor(s), s.batch_size, s.variance_reduction)
            if law.stable:
                squares = self.vectors**2 @ law.variances
                mixed = np.einsum("ai,ij,aj->a", self.vectors, law.covariance, self.vectors) / squares
                self._laws[key] = law.variances * self._last, mixed
            else:
                self._laws[key] = None
        return self._laws[key]

    def _propagate(self, settings: Any, inflation: np.ndarray, mixed: np.ndarray, draws: int) -> list[CellForecast]:
        # Settings that differ in the batch only have equal means, and variances affine in the inflation: v = u + w S.
        keys = [_motion_key(s) for s in settings]
        alike = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        which = np.array([alike[key] for key in keys])
        eta0, steps, offset, random = (np.array(column)[:, None] for column in zip(*alike, strict=True))
        steps = steps.astype(float)
        b = np.zeros((len(alike), len(self._last))) - (self._centre if self._path is None else self._path[0])
        u, w = np.tile(self._start, (len(alike), 1)), np.zeros((len(alike), len(self._last)))
        judged, pooled = judged_epochs(self.horizon), []
        shares: Any = 0.0  # sums of arrays, one entry per setting
        squares: Any = 0.0
        lags: Any = 0.0
        together = -(-len(judged) // POOLS)
        before, renew, length = self._first, 0.0, max(float(np.linalg.norm(self._centre)), 1e-12)
        for s in range(1, self.horizon + 1):
            curvature = self._first + (self._last - self._first) * s / self.horizon
            if s >= renew:  # eta_s times the curvature is nearly constant while s grows by 3 %
                away = 0.5 * np.minimum(1.0, np.linalg.norm(b, axis=1, keepdims=True) / length)
                rate = self._rate(eta0, offset, curvature, away, s)
                one, two = _mean_power(rate, steps, random), _mean_power(rate**2, steps, random)
                renew = 1.03 * s
            if self._path is not None:
                b += self._path[s - 1] - self._path[s]
            else:  # no path of modes for an oracle: add the variance of the mode's increments
                u += np.maximum(np.divide(1.0, before, out=np.zeros_like(before), where=before > 0) - 1.0 / curvature, 0.0)
            b *= one
            u *= two
            w *= two
            w += (1.0 - two) / curvature
            before = curvature
            if s in judged:
                centre, width = self._law(b[which], u[which], w[which] * inflation, mixed, curvature)
                lags = lags + centre**2
                pooled.append((centre, width))
            if pooled and (len(pooled) == together or s == judged[-1]):
                middle, spread = pooled_law(pooled)
                share = normal_share(spread, middle)
                shares, squares = shares + len(pooled) * share, squares + len(pooled) * share**2
                pooled = []
        n = len(judged)
        shares, squares, lags = shares / n, squares / n, np.sqrt(lags / n)
        forecasts, memory = [], np.abs(one).max(axis=1)[which]
        for i, s in enumerate(settings):
            measured, true = expected_accuracy(shares[i], squares[i], target_share(), draws, None)
            ceiling = exact_ceiling(draws, len(self._last)).mean
            forecasts.append(CellForecast(min(float(measured), ceiling), float(true),
                                      float(width[i, np.abs(np.log(width[i])).argmax()]), float(memory[i]),
                                      float(lags[i].max()), cost(s), True,
                                      not s.variance_reduction or np.max(inflation[i]) - 1 <= WIDEST_TRUSTED,
                                      float(width[i].min()), float(width[i].max())))
        return forecasts

    def _law(self, b: np.ndarray, u: np.ndarray, v: np.ndarray, mixed: np.ndarray,
             curvature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return centres and standard deviations of the marginals in target widths, (cells, d) each."""
        squares = (self.vectors**2).T
        sd = np.sqrt((squares.T / curvature).sum(axis=1))
        return b @ self.vectors.T / sd, np.sqrt(u @ squares + v @ squares * mixed) / sd


def _motion_key(settings: Settings) -> tuple[Any, ...]:
    """Return the knobs that determine the path of the cloud's centre."""
    return settings.eta0, settings.i_max, settings.offset, settings.random_length


def pooled_law(laws: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return centre and standard deviation, (cells, d) each, of the equal mixture of normal laws (centre, sd)."""
    centres, widths = (np.array(column) for column in zip(*laws, strict=True))
    return centres.mean(axis=0), np.sqrt((widths**2).mean(axis=0) + centres.var(axis=0))


def check_forecast(forecast: Forecast, name: str = "forecast") -> None:
    """Raise a ValueError unless ``forecast`` is a `Forecast`."""
    instance_of(name, forecast, Forecast, "make one with Forecast(problem, features, labels)")


def cost(settings: Settings) -> float:
    """Return the gradient evaluations per chain and epoch: two, plus one batch per step.

    Parameters
    ----------
    settings : Settings
    """
    checked_settings(settings)
    steps = (settings.i_max + 1) / 2 if settings.random_length else settings.i_max
    return 2.0 + steps * settings.batch_size


def _mean_power(rate: np.ndarray, steps: np.ndarray, random: np.ndarray) -> np.ndarray:
    """Return the mean of rate^n over n uniform on 1..steps (a geometric sum) if ``random``, else rate^steps."""
    rate = np.clip(rate, -0.999999999, 1.0)
    at_end = np.where(rate < 0, np.where(steps % 2 == 1, -1.0, 1.0), 1.0) * np.abs(rate) ** steps
    gap = np.maximum(1.0 - rate, 1e-300)
    mean = np.where(gap * steps < 1e-9, 1.0 - 0.5 * gap * (steps + 1), rate * (1.0 - at_end) / (steps * gap))
    return np.where(random, mean, at_end)
