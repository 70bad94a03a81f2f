"""The exponential supermartingale as a process, and an anytime exit bound from a mixture over exponents and epochs.

**Process.** ``exit_bounds`` shows that exp(theta_i ||D_i||^2 + C_i) is a supermartingale until the exit. At the
first exit, at a step i in 1..n, the process is at least exp(min_i (theta_i r^2 + C_i)), its *level*; its mean is at most
exp(theta_0 rho_0^2 + C_0), its *start*. So P(exit) <= start / level. Here one theta is used for the whole epoch.

**Mixture.** ``exit_bounds`` and ``moving_mode_bound`` use a union bound over blocks of steps, with one exponent theta
per block. A sum of non-negative supermartingales is a supermartingale, so no union bound is needed (Howard, Ramdas,
McAuliffe and Sekhon 2020, the method of mixtures). For a step e of an epoch, the end of a block, and an exponent theta
let

    M_j(e, theta) = exp(t_j ||D_j||^2 + C_j - W(t_0) - C_0) for j <= e, 0 after,

t_j and C_j walked back from theta at e as in ``exit_bounds``, W(t) >= log E[exp(t ||D_0||^2); inside so far] at the
epoch's start, as in ``moving_mode_bound``; before its epoch M is its conditional expectation. Each has mean 1 or less
and is a supermartingale until the exit. For weights w >= 0 that sum to 1 over all epochs, e and theta,
M = sum w M(e, theta) has mean 1 or less, and at a first exit at step j of epoch s it is at least

    f_s(j) = sum over (e, theta) of epoch s, e >= j, of w exp(t_j r_s^2 + C_j - W(t_0) - C_0).

By Ville's inequality, uniformly in time and for a stream of any length,

    P(the chain ever leaves) <= 1 / min_{s, j} f_s(j).

Within an epoch the best weights solve a linear program: the largest z with f(j) >= z for all j. Across epochs, w_s
proportional to 1/z_s equalizes the minima, and the bound is sum_s 1/z_s. A union bound over blocks is one choice of
weights (each block's M counts on its own block only), so the mixture is never worse; on a long epoch it is about half.

Between two steps of the program's grid, t_j r^2 + C_j is at least the smaller of its end values: in time it increases, or
increases and then decreases (``sampler.theory.block_bounds``). The solver's rounding does not affect validity: its weights
are normalized to sum to 1, and z is computed from them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampler.arguments import real_array, shown, whole_number
from sampler.theory.exit_bounds import exit_bounds
from sampler.theory.moving_mode_bound import (
    EpochStart,
    Leg,
    MovingModeBound,
    block_exit_bound,
    chord,
    path_back,
    stream_bound,
)

THETAS = 160
"""Number of candidate exponents in each of two grids, the second near the best point of the first."""
LEAST = -0.01
"""A bound above exp(LEAST) = 0.99 counts as none: the process is then nearly constant."""


@dataclass(frozen=True)
class ExitProcess:
    """Exponential supermartingale at selected steps, returned by ``exit_process``; logarithms are natural."""

    steps: np.ndarray  #: (p,) steps i from 0 to n
    exponent: np.ndarray  #: (p,) theta_i, one over a squared length
    cost: np.ndarray  #: (p,) C_i
    log_level: float  #: log of the lower bound on the process at the exit
    log_start: float  #: log of its initial value, an upper bound on its mean

    @property
    def bound(self) -> float:
        """Upper bound on P(exit by n)."""
        return float(min(1.0, np.exp(self.log_start - self.log_level)))

    def log_share(self, squared_distance: np.ndarray) -> np.ndarray:
        """Return log(process / level) along paths, ``squared_distance`` (..., p) at ``steps``; positive above the level."""
        return self.exponent * np.asarray(squared_distance, float) + self.cost - self.log_level


def exit_process(dim: int, step_size: float, steps: int, radius: float, start: float, at_steps: Sequence[int],
                 noise_bound: float = 0.0, smoothness: float | None = None,
                 strong_convexity: float | None = None) -> ExitProcess | None:
    """Return the process with the best theta; None if its bound is vacuous, for example without ``smoothness``.

    Parameters
    ----------
    dim, step_size, steps, radius, start, noise_bound, smoothness, strong_convexity
        As for ``exit_bounds``, which checks them.
    at_steps : (p,) whole numbers from 0 to ``steps``, increasing.
    """
    at = _steps_within(at_steps, whole_number("steps", steps, advice="give the number of steps of the epoch"))
    bounds = exit_bounds(dim, step_size, steps, radius, start, noise_bound, smoothness, strong_convexity)
    if not bounds.stable:
        return None
    dim, steps, step_size, k, r2 = bounds.dim, bounds.steps, bounds.step_size, bounds.contraction, bounds.radius**2
    back = np.array([steps - 1, steps] if steps > 1 else [0, 1])
    lasting = min(float(steps), 1.0 / max(1.0 - k, 1e-300))  # steps until the contraction balances the noise
    largest = min(1.0 / (4.0 * step_size), (dim + 60.0) / (2.0 * step_size * lasting))
    thetas = np.geomspace(1e-3 / r2, max(largest, 2e-3 / r2), THETAS)
    for _ in range(2):  # the second grid covers the two intervals about the best point of the first
        exponent, cost = path_back(bounds, thetas, back)
        with np.errstate(invalid="ignore"):
            level = np.minimum(thetas * r2, exponent[0] * r2 + cost[0])  # the minimum is at one end: block_bounds
            log_start = exponent[1] * float(start) ** 2 + cost[1]
            log_bound = np.where(np.isfinite(log_start), log_start - level, np.inf)
        best = int(np.argmin(log_bound))
        theta = thetas[best : best + 1]
        thetas = np.geomspace(thetas[max(best - 1, 0)], thetas[min(best + 1, THETAS - 1)], THETAS)
    if not log_bound[best] < LEAST:
        return None
    exponent, cost = path_back(bounds, theta, steps - at[::-1])
    return ExitProcess(at, exponent[::-1, 0].copy(), cost[::-1, 0].copy(), float(level[best]), float(log_start[best]))


def _steps_within(at_steps: Sequence[int], steps: int) -> np.ndarray:
    """Return the checked steps, non-empty and increasing in [0, steps], as int64."""
    wanted, advice = f"whole numbers of shape (p,), increasing in [0, {steps}]", "give the steps of the curve"
    at = real_array("at_steps", at_steps, wanted, advice)
    fine = at.ndim == 1 and at.size and np.all((at >= 0) & (at <= steps) & (at == np.floor(at)))
    if not fine or np.any(np.diff(at) <= 0):
        raise ValueError(f"at_steps must be {wanted}, got {shown(at_steps)}; {advice}")
    return at.astype(np.int64)


ENDS = 56  # candidate ends of blocks
EXPONENTS = 20  # per end, spread over the useful ones
STEPS = 120  # at which f(j) is constrained, besides the ends
SPAN = 6.0  # columns more than e^6 below the target level at every step are dropped
HIGHEST = 4.0  # f(j) is capped at e^4 times the target level


def anytime_bound(dim: int, legs: Sequence[Leg], start: float = 0.0, resets: bool = True) -> MovingModeBound:
    """Bound the probability that a chain ever leaves its ball, over all epochs, by one mixture.

    Parameters
    ----------
    dim : d.
    legs : epochs 1, 2, ..., in order; a single one gives the mixture form of ``exit_bounds(...).local``.
    start : initial distance from the first mode.
    resets : whether an epoch may begin at its checkpoint, as Algorithm 2 allows; see ``moving_mode_bound``.

    Returns
    -------
    MovingModeBound
        ``.by_epoch`` is the contribution of each epoch; ``.total[-1]`` holds uniformly over the stream. Never larger
        than ``moving_mode_bound`` with the same arguments.

    Examples
    --------
    >>> leg = Leg(step_size=0.025, steps=400, radius=3.5355, smoothness=1.0, strong_convexity=1.0)
    >>> f"{anytime_bound(2, [leg]).total[0]:.2f}"  # blocks: 0.42; true probability: 0.124
    '0.23'
    """
    return stream_bound(dim, legs, start, resets, _epoch_bound)


def _epoch_bound(at: EpochStart) -> float:
    """Bound the probability of a first exit in one epoch by the smaller of blocks and mixture."""
    blocks = block_exit_bound(at)
    return min(blocks, _mixture(at, blocks)) if 0.0 < blocks else blocks


def _mixture(at: EpochStart, level: float) -> float:
    """Return 1/z at the best weights, at most 1; ``level`` is a bound computed before, which sets the scale."""
    steps = _steps(at.epoch.steps, STEPS, 0 if not at.first else 1)
    ends = _steps(at.epoch.steps, ENDS, 1)
    steps = np.union1d(steps, ends)
    base = -np.log(min(level, 1.0))
    logs = _columns(at, steps, ends, base)
    if not logs.shape[1]:
        return 1.0
    held = np.exp(np.minimum(logs - base, HIGHEST))
    # Between two steps a column takes its smaller end value; beyond its end it is 0.
    rows = np.vstack([held[:1], np.minimum(held[1:], held[:-1])])
    weights = best_weights(rows)
    least = float((rows @ weights).min())
    return float(min(np.exp(-base) / least, 1.0)) if least > 0.0 else 1.0


def _steps(last: int, count: int, first: int) -> np.ndarray:
    """Return steps from ``first`` to ``last``: three in four evenly spaced, the rest geometrically."""
    even, ratio = np.linspace(1, last, count - count // 4), np.geomspace(1, last, count // 4)
    return np.unique(np.concatenate([[first], even.round(), ratio.round()]).astype(np.int64))


def _columns(at: EpochStart, steps: np.ndarray, ends: np.ndarray, base: float) -> np.ndarray:
    """Return the logarithms of M at the exit radius, (steps, columns); -inf after a column's end."""
    back = np.unique(np.concatenate([(ends[:, None] - steps[None, :])[ends[:, None] >= steps[None, :]], ends]))
    exponent, cost = path_back(at.epoch, at.grid, back)
    with np.errstate(invalid="ignore"):
        paid = chord(exponent, at.grid, at.started) + cost  # W(t_0) + C_0, for a block that ends ``back`` steps in
        held = exponent * at.epoch.radius**2 + cost
    made = []
    for end in ends:
        before = steps[steps <= end]
        at_start = np.searchsorted(back, end)
        with np.errstate(invalid="ignore"):
            column = held[np.searchsorted(back, end - before)] - paid[at_start]
        usable = np.flatnonzero(np.isfinite(column).all(axis=0))
        usable = usable[column[:, usable].max(axis=0) > base - SPAN]
        if usable.size:
            few = np.linspace(0, usable.size - 1, min(EXPONENTS, usable.size)).round().astype(int)
            chosen = np.unique(np.append(usable[few], usable[column[-1, usable].argmax()]))
            part = np.full((steps.size, chosen.size), -np.inf)
            part[: before.size] = column[:, chosen]
            made.append(part)
    return np.hstack(made) if made else np.empty((steps.size, 0))


def best_weights(rows: np.ndarray) -> np.ndarray:
    """Return weights on the columns, summing to 1, that maximize the minimum of ``rows @ weights``."""
    from scipy.optimize import linprog  # imported lazily: takes 0.2 s, and only this bound needs it

    count = rows.shape[1]
    solved = linprog(
        np.append(np.zeros(count), -1.0), A_ub=np.hstack([-rows, np.ones((len(rows), 1))]), b_ub=np.zeros(len(rows)),
        A_eq=np.append(np.ones(count), 0.0)[None, :], b_eq=[1.0], bounds=(0, None), method="highs")
    weights = np.full(count, 1.0 / count) if solved.x is None else np.maximum(solved.x[:-1], 0.0)
    return weights / weights.sum()
