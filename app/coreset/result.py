"""Immutable results of the page's runs, plotted coordinates of data, and the posterior of a trained coreset."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import numpy as np

from app.plots.looks import optimizer_look
from app.state.coreset import CoresetConfig, RunKey
from sampler import GradientOracle, coreset

MOST_BACKGROUND = 1200
MOST_POINTS = 1200


@dataclass(frozen=True, eq=False)
class PlanePoints:
    """Plotted coreset points, at most the MOST_POINTS heaviest, and a sample of the data."""

    x: np.ndarray  #: (m,)
    y: np.ndarray  #: (m,)
    weight: np.ndarray  #: (m,) in units of the initial weight N / M
    row: np.ndarray  #: (m,) index in the data
    positive: np.ndarray  #: (m,) bool, True for label 1; all False unless labels are 0 and 1
    left_out: int  #: number of omitted points
    behind: tuple[np.ndarray, np.ndarray]  #: x and y of the data, (b,) each
    names: tuple[str, str]  #: axis labels
    xlim: tuple[float, float]
    ylim: tuple[float, float]
    classes: bool  #: whether labels are 0 and 1


class DataPlane:
    """Plotted coordinates of one model's data."""

    def __init__(self, model: coreset.GaussianLocation, view: str) -> None:
        self.model, labels = model, np.asarray(model.labels)
        self._binary = isinstance(model, coreset.CauchyLogistic | coreset.BradleyTerry)
        self.positive = (labels == 1) if self._binary else np.zeros(model.n, bool)
        if view == "principal" or model.dim < 2:
            self.x, self.y, self.names = self._principal()
        elif isinstance(model, coreset.GaussianLocation):
            self.x, self.y = model.rows[:, 0].copy(), model.rows[:, 1].copy()
            self.names = "x, coordinate 1", "coordinate 2"
        elif isinstance(model, coreset.BradleyTerry):
            self.x, self.y, self.names = self._teams()
        else:
            self.x, self.y, self.names = self._fitted()
        chosen = self._sample()
        self._behind, self._limits = (self.x[chosen], self.y[chosen]), (_limits(self.x), _limits(self.y))

    def _sample(self) -> np.ndarray:
        """Return the indices of the plotted data."""
        n = self.model.n
        chosen = np.arange(n) if n <= MOST_BACKGROUND else np.random.default_rng(0).choice(n, MOST_BACKGROUND, False)
        rare = np.flatnonzero(self.positive)
        if rare.size < 100:  # rare positives matter most: plot all of them
            chosen = np.union1d(chosen, rare)
        return chosen

    def points(self, indices: np.ndarray, weights: np.ndarray) -> PlanePoints:
        """Return the coreset points at ``indices`` (M,) with ``weights`` (M,)."""
        share = weights * len(indices) / self.model.n
        order = np.argsort(-share, kind="stable")[:MOST_POINTS]  # heavy first, so that light ones are on top
        rows = indices[order]
        return PlanePoints(self.x[rows], self.y[rows], share[order], rows, self.positive[rows], len(indices) - len(order),
                           self._behind, self.names, *self._limits, self._binary)

    def _principal(self) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
        rows = self.model.rows
        features = rows[:, rows.std(axis=0) > 0]  # without padding and constant columns
        centred = features - features.mean(axis=0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        axes = axes[:, ::-1][:, :2]
        if axes.shape[1] < 2:
            jitter = 0.2 * np.random.default_rng(1).standard_normal(len(centred))
            return centred[:, 0], jitter, ("the only feature", "jitter, to separate points")
        plane = centred @ axes
        return plane[:, 0].copy(), plane[:, 1].copy(), ("first principal axis of the data", "second principal axis")

    def _fitted(self) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
        model = self.model
        count = len(model.names) - isinstance(model, coreset.LinearLogVariance | coreset.SparseRegression)
        score = model.rows[:, :count] @ model.truth.mean[:count]
        y = np.asarray(model.labels, dtype=float)
        if self._binary:
            jitter = 0.1 * np.random.default_rng(1).standard_normal(y.size)
            return score, y + jitter, ("score x·β at the posterior mean", "label, jittered")
        return score, y, ("score x·β at the posterior mean", "response y")

    def _teams(self) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
        rows, rng = self.model.rows, np.random.default_rng(1)
        jitter = rng.uniform(-0.35, 0.35, (2, len(rows)))
        return rows.argmax(axis=1) + 1 + jitter[0], rows.argmin(axis=1) + 1 + jitter[1], ("home team", "visitor")


def _limits(values: np.ndarray) -> tuple[float, float]:
    """Return the range of nearly all values, with a margin."""
    low, high = np.percentile(values, (0.1, 99.9))
    low, high = (low, high) if high > low else (low - 1, high + 1)
    return float(low - 0.06 * (high - low)), float(high + 0.06 * (high - low))


def _empty(*shape: int) -> Any:
    """Return a dataclass field whose default is an empty array."""
    return field(default_factory=lambda: np.empty(shape))


@dataclass(frozen=True, eq=False)
class RunTrace:
    """One run so far, at log-spaced iterations; arrays are empty before the first iteration."""

    key: RunKey
    t: int = 0
    iterations: np.ndarray = _empty(0)  #: (j,)
    z: np.ndarray = _empty(0)  #: (j,) average squared z-score, Eq. 6
    variance: np.ndarray = _empty(0)  #: (j,) coreset over full-data posterior variance
    sums: np.ndarray = _empty(0)  #: (j,) sum of weights / N
    norms: np.ndarray = _empty(0)  #: (j,) gradient norms, medians since the previous point
    checks: np.ndarray = _empty(0, 2)  #: (c, 2) iteration and hot-start statistic at the checks
    statistic: np.ndarray = _empty(0, 2)  #: (s, 2) the same at log-spaced iterations of the warm-up
    rate_iterations: np.ndarray = _empty(0)  #: (h,)
    rates: np.ndarray = _empty(0, 3)  #: (h, 3) 10, 50, 90 % points over weights of the effective rate; nan before training
    zeros: float = 0.0  #: share of weights that are zero
    hot_at: int | None = None  #: iteration after which the weights are trained; None during the warm-up
    passed: bool | None = None  #: False if the cap ended the warm-up
    terms: int = 0  #: number of evaluated log-likelihood terms
    seconds: float = 0.0  #: computing time
    notices: tuple[str, ...] = ()
    fault: str = ""  #: reason of a failure; empty if there was none

    @property
    def score(self) -> float:
        """Last z-score; nan before the first."""
        return float(self.z[-1]) if self.z.size else float("nan")

    @property
    def spread(self) -> float:
        """Last variance ratio."""
        return float(self.variance[-1]) if self.variance.size else float("nan")


@dataclass(frozen=True, eq=False)
class CoresetResult:
    """One instant of all runs."""

    config: CoresetConfig  #: as run
    title: str  #: title of the data
    n: int
    dim: int  #: D, number of coordinates of theta
    truth: str  #: description of the full-data posterior's source and accuracy
    floor: float | None  #: z-score floor at t = 1, Gaussian model only; it decreases as 1/t
    truth_noise: float  #: contribution of the truth's error to a z-score; subtracted from every score
    traces: tuple[RunTrace, ...]
    points: PlanePoints | None  #: points of the displayed run
    notes: tuple[str, ...] = ()
    has_gradients: bool = True

    @property
    def t(self) -> int:
        """Smallest number of iterations of the runs without a fault."""
        return min((trace.t for trace in self.traces if not trace.fault), default=0)

    def floor_at(self, t: float) -> float | None:
        """Return the z-score floor at T = t, or None if it is not available."""
        return None if self.floor is None or t < 1 else self.floor / t

    def name_of(self, key: RunKey) -> str:
        """Return the name of a run, with "hot" or "cold" if runs of both kinds exist."""
        name = optimizer_look(key.optimizer).name
        return name if self.config.hot != "both" else f"{name}, {'hot' if key.hot else 'cold'}"

    def trace(self, key: RunKey) -> RunTrace | None:
        """Return one run, or None if it has not started."""
        return next((trace for trace in self.traces if trace.key == key), None)


@dataclass(frozen=True)
class CoresetPosterior:
    """Posterior of a weighted part of the data, with moments of the full-data posterior that it approximates.

    Samplers run on ``problem.posterior(terms)``; a full gradient costs `terms` evaluations instead of one per datum.
    Copies in other processes compare equal.
    """

    label: str  #: such as "Coreset of Gaussian location, M = 500, Hot DoG"
    problem: GradientOracle = field(compare=False)  #: f_1, ..., f_terms with their weights, and the prior
    terms: int = field(compare=False)  #: M, number of points with positive weight
    mean: np.ndarray = field(compare=False)  #: (d,) mean of the full-data posterior
    std: np.ndarray = field(compare=False)  #: (d,) standard deviations of the full-data posterior
    key: str = field(default_factory=lambda: uuid4().hex)  #: identity, the same in copies of other processes

    @property
    def race_step(self) -> float:
        """Suitable eta0: 0.2 (t + 1) over the largest eigenvalue of the Hessian, at t = `terms`."""
        hessian = self.problem.posterior(self.terms).hessian(np.asarray(self.mean, float))
        largest = float(np.linalg.eigvalsh(hessian)[-1])
        return float(f"{0.2 * (self.terms + 1.0) / max(largest, 1e-9):.2g}")


def posterior_of(trained: coreset.Coreset, label: str) -> CoresetPosterior:
    """Return a coreset as a posterior to sample.

    Raises
    ------
    ValueError
        If all weights are zero, or the model has no gradients in theta (sparse regression).
    """
    truth = trained.model.truth
    return CoresetPosterior(label, trained.oracle(), int(np.count_nonzero(trained.weights)), truth.mean, truth.std)
