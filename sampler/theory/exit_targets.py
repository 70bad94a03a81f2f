"""Potentials of an exit-time simulation: flat, quadratic, or a logistic posterior."""

from dataclasses import dataclass, field

import numpy as np

from sampler.arguments import LARGEST, real_array, real_number, sample_array, shown, whole_number
from sampler.kernels.exit_walk import FLAT, LOGISTIC, QUADRATIC
from sampler.kernels.glm_langevin import LOGISTIC as LOGISTIC_TERMS
from sampler.kernels.posterior_mode import gradients_at, solve_mode
from sampler.problems.base import coordinate_numbers


@dataclass(frozen=True, eq=False)
class ExitTarget:
    """Convex F relative to its mode, returned by ``flat_target``, ``quadratic_target``, ``logistic_target``.

    Positions are D = X - mode, so that the gradient is 0 at D = 0.
    """

    name: str  #: "flat", "quadratic" or "logistic"
    kind: int
    mode: np.ndarray  #: (d,)
    precision: np.ndarray  #: (d,) curvatures of a quadratic F, or precision of the prior
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 1)))  #: (t, d) features
    labels: np.ndarray = field(default_factory=lambda: np.zeros(0))  #: (t,) in {0, 1}

    @property
    def dim(self) -> int:
        """d, number of coordinates."""
        return self.mode.size

    @property
    def scores(self) -> np.ndarray:
        """(t,) scores of the rows at the mode."""
        return self.rows @ self.mode if self.kind == LOGISTIC else np.zeros(0)

    def gradient(self, displacement: np.ndarray) -> np.ndarray:
        """Return the gradient of F at mode + ``displacement``, (..., d) -> (..., d)."""
        D = np.asarray(displacement, float)
        if self.kind != LOGISTIC:
            return self.precision * D
        points = (D + self.mode).reshape(-1, self.dim)
        out = np.empty(points.shape)
        gradients_at(LOGISTIC_TERMS, self.precision, self.rows, self.labels, len(self.rows), points, out)
        return out.reshape(D.shape)

    @property
    def hessian(self) -> np.ndarray:
        """(d, d) second derivatives of F at the mode."""
        return self._hessian(_slope(self.scores)) if self.kind == LOGISTIC else np.diag(self.precision)

    @property
    def smoothness(self) -> float:
        """Certified L_F on all of R^d; a logistic term has curvature at most ||u||^2 / 4."""
        return float(np.linalg.eigvalsh(self._hessian(np.full(len(self.rows), 0.25)))[-1])

    def curvature(self, radius: float) -> tuple[float, float]:
        """Return certified (m, L_F): every Hessian in the ball of ``radius`` has eigenvalues in [m, L_F].

        Logistic: h(z) = sigma(z) (1 - sigma(z)) decreases in |z|, and within the ball the score of row u
        changes by at most radius ||u||; the Hessians with each row's least and largest h bound all of them.
        """
        if self.kind != LOGISTIC:
            return float(self.precision.min()), float(self.precision.max())
        moved = radius * np.linalg.norm(self.rows, axis=1)
        far, near = np.abs(self.scores) + moved, np.maximum(np.abs(self.scores) - moved, 0.0)
        least = np.linalg.eigvalsh(self._hessian(_slope(far)))[0]
        largest = np.linalg.eigvalsh(self._hessian(_slope(near)))[-1]
        return float(max(least, self.precision.min())), float(largest)

    def _hessian(self, slopes: np.ndarray) -> np.ndarray:
        return np.diag(self.precision) + (self.rows.T * slopes) @ self.rows


def flat_target(dim: int) -> ExitTarget:
    """Return F = 0 in ``dim`` coordinates: the free walk."""
    d = whole_number("dim", dim, advice="give the number of coordinates")
    return ExitTarget("flat", FLAT, np.zeros(d), np.zeros(d))


def quadratic_target(curvature: float | np.ndarray, dim: int | None = None) -> ExitTarget:
    """Return F = sum_j curvature_j x_j^2 / 2 with one ``curvature`` in ``dim`` directions, or (d,); each must be >= 0."""
    values = np.atleast_1d(real_array("curvature", curvature, "numbers of 0 or more", "use 0 for a flat F"))
    if dim is not None:
        size = whole_number("dim", dim, advice="give the number of coordinates")
        if values.size not in (1, size):
            raise ValueError(f"dim must be {values.size}, the number of curvatures, got {dim}; leave it out")
        values = np.full(size, values[0]) if values.size == 1 else values
    if values.ndim != 1 or not values.size or not np.all((values >= 0.0) & (values <= LARGEST)):
        raise ValueError(f"curvature must be finite, in [0, {LARGEST:g}]; got {shown(curvature)}. Use 0 for a flat F.")
    return ExitTarget("quadratic", QUADRATIC, np.zeros(values.size), values)


def logistic_target(
    features: np.ndarray, labels: np.ndarray, prior_precision: float | np.ndarray = 1.0
) -> ExitTarget:
    """Return a logistic posterior relative to its mode.

    Parameters
    ----------
    features : (t, d) array, finite
    labels : (t,) array
        All in {0, 1}, or all in {-1, +1}; ValueError otherwise.
    prior_precision : float > 0, or (d,) array
    """
    rows = np.ascontiguousarray(sample_array("features", features))
    y = real_array("labels", labels, f"numbers of shape ({len(rows)},)", "recode texts as 0 and 1")
    if y.shape != rows.shape[:1] or not (np.isin(y, (0, 1)).all() or np.isin(y, (-1, 1)).all()):
        wanted = f"of shape ({len(rows)},), in {{0, 1}} or {{-1, +1}}"
        raise ValueError(f"labels must be {wanted}; got {shown(labels)}. Recode them.")
    precision = coordinate_numbers(prior_precision, rows.shape[1])
    real_number("prior_precision", precision.min(), "a flat prior may have no mode", above=0.0)
    y, mode = np.where(y > 0, 1.0, 0.0), np.zeros(rows.shape[1])
    if not solve_mode(LOGISTIC_TERMS, precision, rows, y, len(rows), mode, *np.empty((2, mode.size, mode.size))):
        raise ValueError("features must have a mode under this prior, got none; raise prior_precision")
    return ExitTarget("logistic", LOGISTIC, mode, precision, rows, y)


def _slope(score: np.ndarray) -> np.ndarray:
    """h(z) = sigma(z) (1 - sigma(z))."""
    fall = np.exp(-np.abs(score))
    return fall / (1.0 + fall) ** 2
