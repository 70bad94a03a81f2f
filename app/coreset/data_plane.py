"""Where data lie in two dimensions: fitted value against response, teams, or principal axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampler import coreset

MOST_BACKGROUND = 1200
MOST_POINTS = 1200


@dataclass(frozen=True, eq=False)
class PlaneData:
    """The data behind the coreset: a sample of them, in plotted coordinates."""

    x: np.ndarray  #: (b,)
    y: np.ndarray  #: (b,)
    positive: np.ndarray  #: (b,) bool, where labels are 0 and 1; all False otherwise
    names: tuple[str, str]  #: of the axes
    xlim: tuple[float, float]
    ylim: tuple[float, float]
    classes: bool  #: whether labels are 0 and 1


@dataclass(frozen=True, eq=False)
class PlanePoints:
    """Coreset points with their weights, the heaviest when there are many."""

    x: np.ndarray  #: (m,)
    y: np.ndarray  #: (m,)
    weight: np.ndarray  #: (m,) in units of the first weight N / M
    row: np.ndarray  #: (m,) index in the data
    positive: np.ndarray  #: (m,) bool
    left_out: int  #: points not drawn


class DataPlane:
    """Plotted coordinates of one model's data; computed once."""

    def __init__(self, model: coreset.GaussianLocation, view: str) -> None:
        self.model, labels = model, np.asarray(model.labels)
        self._binary = isinstance(model, coreset.CauchyLogistic | coreset.BradleyTerry)
        self.positive = (labels == 1) if self._binary else np.zeros(model.n, bool)
        if view == "principal" or model.dim < 2:
            self.x, self.y, names = self._principal()
        elif isinstance(model, coreset.GaussianLocation):
            self.x, self.y, names = model.rows[:, 0].copy(), model.rows[:, 1].copy(), ("x, coordinate 1", "coordinate 2")
        elif isinstance(model, coreset.BradleyTerry):
            self.x, self.y, names = self._teams()
        else:
            self.x, self.y, names = self._fitted()
        self.background = self._sample(names)

    def _sample(self, names: tuple[str, str]) -> PlaneData:
        n = self.model.n
        chosen = np.arange(n) if n <= MOST_BACKGROUND else np.random.default_rng(0).choice(n, MOST_BACKGROUND, False)
        rare = np.flatnonzero(self.positive)
        if rare.size < 100:  # rare positives are what such a coreset is about: all are shown
            chosen = np.union1d(chosen, rare)
        return PlaneData(self.x[chosen], self.y[chosen], self.positive[chosen], names, _limits(self.x), _limits(self.y),
                         self._binary)

    def points(self, indices: np.ndarray, weights: np.ndarray) -> PlanePoints:
        """Coreset points at ``indices`` (M,) with ``weights`` (M,)."""
        share = weights * len(indices) / self.model.n
        order = np.argsort(-share, kind="stable")[:MOST_POINTS]  # heavy first, so that light ones lie on top
        rows = indices[order]
        return PlanePoints(self.x[rows], self.y[rows], share[order], rows, self.positive[rows], len(indices) - len(order))

    def _features(self) -> np.ndarray:
        """(n, p) without padding and without columns that never vary."""
        rows = self.model.rows
        return rows[:, rows.std(axis=0) > 0]

    def _principal(self) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
        features = self._features()
        centred = features - features.mean(axis=0)
        _, axes = np.linalg.eigh(centred.T @ centred)
        axes = axes[:, ::-1][:, :2]
        if axes.shape[1] < 2:
            jitter = 0.2 * np.random.default_rng(1).standard_normal(len(centred))
            return centred[:, 0], jitter, ("the only feature", "jitter, to keep points apart")
        plane = centred @ axes
        return plane[:, 0].copy(), plane[:, 1].copy(), ("first principal axis of the data", "second principal axis")

    def _fitted(self) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
        model = self.model
        count = len(model.names) - isinstance(model, coreset.LinearLogVariance | coreset.SparseRegression)
        score = model.rows[:, :count] @ model.truth.mean[:count]
        y = np.asarray(model.labels, dtype=float)
        if self._binary:
            jitter = 0.1 * np.random.default_rng(1).standard_normal(y.size)
            return score, y + jitter, ("score x·β at the posterior mean", "label, spread out")
        return score, y, ("score x·β at the posterior mean", "response y")

    def _teams(self) -> tuple[np.ndarray, np.ndarray, tuple[str, str]]:
        rows, rng = self.model.rows, np.random.default_rng(1)
        jitter = rng.uniform(-0.35, 0.35, (2, len(rows)))
        return rows.argmax(axis=1) + 1 + jitter[0], rows.argmin(axis=1) + 1 + jitter[1], ("home team", "visitor")


def _limits(values: np.ndarray) -> tuple[float, float]:
    """Range that nearly all values lie in, with a margin."""
    low, high = np.percentile(values, (0.1, 99.9))
    low, high = (low, high) if high > low else (low - 1, high + 1)
    return float(low - 0.06 * (high - low)), float(high + 0.06 * (high - low))
