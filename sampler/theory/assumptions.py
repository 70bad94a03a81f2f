"""The constants of LMV's assumptions, measured on the stream as it arrives, never taken on trust.

1. smoothness: L = max_k h_max ||u_k||^2 over the rows seen;
2. concentration: C = sqrt(t + c) sqrt(tr Cov + ||mean - mode||^2): pi_t's root second moment about its
   mode is C / sqrt(t + c), and P(||X - x*_t|| >= s / sqrt(t + c)) <= A exp(-k s) for every s;
3. drift: D = max over t in [tau/2, tau] of ||x*_t - x*_tau|| sqrt(t + c), at tau now and, as the theorem means it,
   the largest over every tau so far.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

from sampler.arguments import SMALLEST, positive_number, real_number, square_matrix, vector, whole_number

TILTS = 2000  # points at which the tail is looked at
PER_OCTAVE = 256  # modes remembered from each octave; the drift between two of them is missed, 1 to 3 % of D


@dataclass(frozen=True)
class AssumptionConstants:
    """L, C and D so far; ``smoothness`` is inf where the curvature has no bound (Poisson)."""

    t: int
    smoothness: float
    concentration: float
    drift: float


def concentration_constant(
    t: int, offset: float, covariance: np.ndarray, mean: np.ndarray, mode: np.ndarray
) -> float:
    """C = sqrt(t + c) sqrt(tr Cov + ||mean - mode||^2), from the posterior's moments and its mode.

    Parameters
    ----------
    t : int >= 1
    offset : float >= 0
        c.
    covariance : (d, d) array
    mean, mode : (d,) arrays
        With Laplace's approximation pass the mode twice.

    Raises
    ------
    ValueError
        For a covariance whose trace is negative.
    """
    mean = vector("mean", mean)
    mode = vector("mode", mode, len(mean))
    covariance = square_matrix("covariance", covariance, len(mean))
    if np.trace(covariance) < 0:
        raise ValueError(f"covariance must have a trace of 0 or more, got {np.trace(covariance):g}; measure it from draws")
    second = np.trace(covariance) + ((mean - mode) ** 2).sum()
    return float(np.sqrt((whole_number("t", t) + _checked_offset(offset)) * second))


def tail_rate(t: int, offset: float, covariance: np.ndarray, amplitude: float = np.e) -> float:
    """K of P(||X - mode|| >= s / sqrt(t + c)) <= A exp(-k s), for X ~ N(mode, covariance), at a given A.

    The largest k that two bounds on the tail allow, of which the sharper is taken at each s: Chernoff's, and that of the
    ball with the widest direction's variance all round (exact where all are equal). With A = 1 no k > 0 would do for
    d >= 2, since the tail is flat at s = 0.

    Parameters
    ----------
    t : int >= 1
    offset : float >= 0
        c.
    covariance : (d, d) array
        Of pi_t; Laplace's stands for it where the law is not known.
    amplitude : float > 1
        A.

    Raises
    ------
    ValueError
        For an amplitude not above 1, and a covariance that is not positive definite.
    """
    covariance = square_matrix("covariance", covariance)
    amplitude = real_number("amplitude", amplitude, "e is a fair choice", above=1.0)
    v = np.linalg.eigvalsh(covariance) * (whole_number("t", t) + _checked_offset(offset))
    if not v[0] > SMALLEST:
        raise ValueError(f"covariance must be positive definite, its smallest eigenvalue is {v[0]:g}; observe more data")
    # At tilt f the Chernoff bound is sharpest at s^2 = sum v / (1 - 2 f v); f runs up to where the widest one diverges.
    f = (1.0 - np.geomspace(1.0, 1e-5, TILTS)[:, None]) / (2.0 * v[-1])
    room = 1.0 - 2.0 * f * v
    s = np.sqrt((v / room).sum(axis=1))
    chernoff = f[:, 0] * s**2 + 0.5 * np.log(room).sum(axis=1)
    near = np.linspace(0.0, s[0], TILTS)[1:]
    s, rate = np.concatenate([near, s]), np.concatenate([np.zeros(near.size), chernoff])
    with np.errstate(divide="ignore"):
        ball = -np.log(gammaincc(0.5 * v.size, 0.5 * s**2 / v[-1]))
    return float(((np.log(amplitude) + np.maximum(rate, ball)) / s).min())


class AssumptionMeter:
    """Running L and D of a stream; O(log t) memory, a few microseconds a datum.

    Parameters
    ----------
    curvature_bound : float
        Largest second derivative of a term in its score (``problem.curvature_bound``); inf for Poisson.
    offset : float >= 0
        c; set ``meter.offset`` when the knob moves: the past is measured with the new one.
    """

    def __init__(self, curvature_bound: float, offset: float = 0.0) -> None:
        self.curvature_bound = positive_number("curvature_bound", curvature_bound, np.inf, "use problem.curvature_bound")
        self.offset = _checked_offset(offset)
        self.t, self._largest_row = 0, 0.0
        self._epochs = np.empty(2 * PER_OCTAVE + 8)
        self._modes = np.empty((0, 0))
        self._kept, self._next = 0, 1
        self._farthest = np.zeros((0, 2))  # (t, ||x*_t - x*_tau||^2) of the largest drift at each remembered tau

    def add(self, row_norm: float, mode: np.ndarray) -> None:
        """Take in epoch t: the norm of its row (encoded: ``posterior.rows``) and the mode x*_t, (d,).

        For GaussianMean, whose terms have the Hessian 2 I, pass 1 as the norm.

        Parameters
        ----------
        row_norm : float >= 0
            Norm of the datum's encoded row.
        mode : (dim,) array
            x*_t.
        """
        mode = vector("mode", mode, self._modes.shape[1] or None)
        row_norm = real_number("row_norm", row_norm, "use np.linalg.norm of the row", least=0.0)
        if not self._modes.size:
            self._modes = np.empty((len(self._epochs), len(mode)))
        self.t += 1
        self._largest_row = max(self._largest_row, row_norm)
        self._latest = mode.copy()
        if self.t >= self._next:
            self._remember()

    @property
    def smoothness(self) -> float:
        """L so far; 0 before any row."""
        return self.curvature_bound * self._largest_row**2 if self._largest_row else 0.0

    @property
    def drift(self) -> float:
        """D at this epoch: the farthest x*_tau now stands from x*_t, t in [tau/2, tau], times sqrt(t + c)."""
        if self.t < 2:
            return 0.0
        epochs, modes = self._epochs[: self._kept], self._modes[: self._kept]
        recent = epochs >= self.t / 2
        if not recent.any():
            return 0.0
        gaps = ((modes[recent] - self._latest) ** 2).sum(axis=1) * (epochs[recent] + self.offset)
        return float(np.sqrt(gaps.max()))

    @property
    def largest_drift(self) -> float:
        """D of Assumption 3: the largest ``drift`` of any epoch so far (of those remembered, and of now)."""
        past = self._farthest
        before = float(np.sqrt((past[:, 1] * (past[:, 0] + self.offset)).max())) if len(past) else 0.0
        return max(before, self.drift)

    def constants(self, covariance: np.ndarray, mean: np.ndarray, mode: np.ndarray) -> AssumptionConstants:
        """L, C now, and D so far, given pi_t's moments (d, d), (d,) and its mode (d,).

        Parameters
        ----------
        covariance : (dim, dim) array
        mean : (dim,) array
            Of the posterior.
        mode : (dim,) array

        Raises
        ------
        ValueError
            Before the first datum.
        """
        if self.t < 1:
            raise ValueError("meter must have seen a datum, got none; call add first")
        concentration = concentration_constant(self.t, self.offset, covariance, mean, mode)
        return AssumptionConstants(self.t, self.smoothness, concentration, self.largest_drift)

    def _remember(self) -> None:
        """Keep this epoch's mode, forget those of octaves past, and set the next epoch to keep."""
        if self._kept == len(self._epochs):
            recent = np.flatnonzero(self._epochs[: self._kept] >= self.t / 2)
            self._kept = recent.size
            self._epochs[: self._kept], self._modes[: self._kept] = self._epochs[recent], self._modes[recent]
        if self.t >= 2:
            self._note_drift()
        self._epochs[self._kept], self._modes[self._kept] = self.t, self._latest
        self._kept += 1
        self._next = max(self.t + 1, int(np.ceil(self.t * 2 ** (1 / PER_OCTAVE))))


    def _note_drift(self) -> None:
        """Keep the pair that makes the drift now; of older ones only those that some offset could still make largest."""
        epochs, modes = self._epochs[: self._kept], self._modes[: self._kept]
        recent = epochs >= self.t / 2
        if not recent.any():
            return
        squares = ((modes[recent] - self._latest) ** 2).sum(axis=1)
        best = int((squares * (epochs[recent] + self.offset)).argmax())
        pair = np.array([[epochs[recent][best], squares[best]]])
        # squared D is square * t + square * c: a pair no larger in both is never the largest, whatever c is.
        past, new = self._farthest, (squares[best], squares[best] * pair[0, 0])
        worse = (past[:, 1] <= new[0]) & (past[:, 1] * past[:, 0] <= new[1])
        known = np.any((past[:, 1] >= new[0]) & (past[:, 1] * past[:, 0] >= new[1]))
        if not known:
            self._farthest = np.concatenate([past[~worse], pair])


def _checked_offset(offset: float) -> float:
    return real_number("offset", offset, "use settings.offset", least=0.0)
