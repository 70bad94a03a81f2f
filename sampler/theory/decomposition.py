"""Exact decomposition of the change of a chain's squared distance into pull, drift and martingale.

With D = X - mode, g = grad F + zeta and X' = X - eta g + sqrt(2 eta) xi (LMV-a eq. 20 to 25, for this step),

    ||D'||^2 - ||D||^2 = -2 eta <grad F, D>                                                     pull
                       + 2 eta d + eta^2 ||g||^2                                                drift
                       - 2 eta <zeta, D> + 2 sqrt(2 eta) <D - eta g, xi> + 2 eta (||xi||^2 - d)  martingale

Pull is never positive (F is convex). Drift is 2 eta d at every position plus a small term in eta^2. The
martingale has mean 0 conditional on the past. The distance itself has no such decomposition: noise alone increases it by
about eta (d - 1)/||D|| per step down to ||D|| ~ sqrt(eta), which relative to 2 eta is unbounded as eta -> 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sampler.algorithms.results import StepTrace
from sampler.arguments import has_parts, sample_array, vector


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Pull, drift and martingale of each step, and their running sums."""

    pull: np.ndarray  #: (n,) -2 eta <grad F, D>
    drift: np.ndarray  #: (n,) 2 eta d + eta^2 ||g||^2
    martingale: np.ndarray  #: (n,) mean 0 conditional on the past
    squared_distance: np.ndarray  #: (n + 1,) ||D||^2 at the start and after each step, as recorded

    @property
    def change(self) -> np.ndarray:
        """(n,) change of the squared distance, from the recorded positions."""
        return np.diff(self.squared_distance)

    def running(self, part: str) -> np.ndarray:
        """Return the running sum of ``part``, "pull", "drift" or "martingale", (n + 1,); entry 0 is 0."""
        return np.append(0.0, np.cumsum(getattr(self, part)))

    @property
    def error(self) -> float:
        """Largest |pull + drift + martingale - change| of a step relative to the largest term: rounding error."""
        total = self.pull + self.drift + self.martingale
        size = np.abs([self.pull, self.drift, self.martingale]).max(initial=0.0)
        size = max(size, self.squared_distance.max())
        return float(np.abs(total - self.change).max(initial=0.0) / size) if size > 0.0 else 0.0


def decompose(
    trace: StepTrace, centre: np.ndarray, gradient: Callable[[np.ndarray], np.ndarray] | np.ndarray
) -> Decomposition:
    """Decompose every recorded step of one chain, with the sampler's own g and noise.

    Parameters
    ----------
    trace : ``saga.trace`` or ``ExitSimulation.record(chain)``; g = guess + correction.
    centre : (d,) mode, constant over the trace (one epoch).
    gradient : full gradient of F, a function (n, d) -> (n, d) or its (n, d) values at ``trace.before``.

    Raises
    ------
    ValueError
        For a trace without a step, a centre that is not dim finite numbers, and gradients that do not fit the steps.
    """
    has_parts("trace", trace, ("before", "after", "guess", "correction", "noise", "step_size"),
              "use saga.trace or ExitSimulation.record(chain)")
    before = np.asarray(trace.before, float)
    if before.ndim != 2 or len(before) == 0:
        raise ValueError(f"trace must have at least one step, got shape {before.shape}; advance with trace=chain")
    centre = vector("centre", centre, before.shape[1], "pass the mode")
    full = sample_array("gradient", gradient(before) if callable(gradient) else gradient, dim=before.shape[1])
    if full.shape != before.shape:
        raise ValueError(f"gradient must have one row per step, shape {before.shape}, got {full.shape}; "
                         "pass posterior.gradient, or its values at trace.before")
    eta, d = float(trace.step_size), before.shape[1]
    D, g, noise = before - centre, trace.guess + trace.correction, np.asarray(trace.noise)
    pull = -2.0 * eta * _dot(full, D)
    drift = 2.0 * eta * d + eta**2 * _dot(g, g)
    martingale = 2.0 * _dot(D - eta * g, noise) - 2.0 * eta * _dot(g - full, D)
    martingale += _dot(noise, noise) - 2.0 * eta * d
    last = trace.after[-1:] - centre
    squared = np.concatenate([_dot(D, D), _dot(last, last)])
    return Decomposition(pull, drift, martingale, squared)


@dataclass(frozen=True, eq=False)
class Pushes:
    """Mean increments / (2 eta) in the noise part of a step, binned by distance before it; NaN in empty bins."""

    distance: np.ndarray  #: (bins,) middle of each bin, same unit as r
    count: np.ndarray  #: (bins,) steps that start in the bin
    plain: np.ndarray  #: (bins,) mean increment of ||D|| / (2 eta); about (d - 1)/(2 ||D||)
    plain_error: np.ndarray  #: (bins,) its standard error
    square: np.ndarray  #: (bins,) mean increment of ||D||^2 / (2 eta); d everywhere
    square_error: np.ndarray  #: (bins,) its standard error

    @classmethod
    def from_sums(cls, sums: np.ndarray, radius: float, step_size: float) -> "Pushes":
        """Create from ``sums`` (5, bins): count, then sum and sum of squares of each increment."""
        bins = sums.shape[1]
        count = sums[0]
        steps = np.where(count > 0, count, np.nan)
        means = sums[1::2] / steps
        spread = np.maximum(sums[2::2] / steps - means**2, 0.0)
        errors = np.sqrt(spread / np.where(count > 1, count - 1, np.nan))
        middle = (np.arange(bins) + 0.5) * radius / max(bins, 1)
        means, errors = means / (2.0 * step_size), errors / (2.0 * step_size)
        return cls(middle, count.copy(), means[0], errors[0], means[1], errors[1])


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)
