"""Exit bound for batch noise in terms of the variance of the noise instead of its largest value.

A batch's noise is zeta = Y_1 + ... + Y_b, Y_j = (t/b) (delta_{k_j} - mean delta), independent and of mean 0
conditional on the past, with ||Y_j|| <= B/b, B = t max_k ||delta_k - mean delta||, covariance Sigma of the sum,
v = lambda_max(Sigma) and V = tr Sigma. This replaces the Hoeffding step of ``exit_bounds``.

With a, k, D* as there, ||D* - eta zeta||^2 = ||D*||^2 - 2 eta <D*, zeta> + eta^2 ||zeta||^2. Hoelder's
inequality with 1/p + 1/q = 1 separates the linear from the quadratic term.

* Linear. Each <D*, Y_j> is at most sqrt(k) r B/b, their variances sum to at most v ||D*||^2, so Bennett's
  bound on each moment generating function gives
  (E exp(-2 q a eta <D*, zeta>))^(1/q) <= exp(4 a^2 eta^2 v q phi(M) ||D*||^2),
  M = 2 q a eta sqrt(k) r B/b, phi(M) = (e^M - 1 - M)/M^2.
* Quadratic, for ||zeta|| <= Sbar: exp is convex, hence below its chord on [0, Sbar^2], and
  (E exp(p a eta^2 ||zeta||^2))^(1/p) <= (1 + (V/Sbar^2)(e^(p a eta^2 Sbar^2) - 1))^(1/p).

Hence t_i = a k (1 + 4 a eta^2 v q phi(M)) and c_i = log(1 + (V/Sbar^2)(e^(p a eta^2 Sbar^2) - 1))/p
- (d/2) log(1 - 4 eta t_{i+1}). Both are convex in t_{i+1}, so a block is bounded as in ``block_bounds``.
"""

import math
from dataclasses import dataclass

import numpy as np

from sampler.arguments import choice, real_number, sample_array, whole_number
from sampler.kernels.supermartingale import batch_noise_path
from sampler.theory.block_bounds import Path, best_partition, noise_search, noisy_logs
from sampler.theory.exit_bounds import ExitBounds, exit_bounds

ADDED_FAILURE = 0.01
"""Probability added to the bound for a batch beyond a certified Sbar."""
HOLDERS = (1.01, 1.05, 1.15, 1.4, 2.0)
LANE_STEPS = 4_000_000  # each step of this recursion costs three transcendental functions


@dataclass(frozen=True)
class BatchNoise:
    """Stochastic-gradient noise of one state, in the notation of ``conditional_variance_bound``."""

    variance_trace: float  #: V = tr Sigma
    variance_max: float  #: v, largest eigenvalue of Sigma
    increment_bound: float  #: B, upper bound over all batches, attained by one repeated index


def batch_noise(fresh: np.ndarray, cached: np.ndarray | None, batch_size: int) -> BatchNoise:
    """Return V, v and B of one state of SAGA-LD, or of SGLD if nothing is cached.

    Parameters
    ----------
    fresh : (t, d) gradients of every term at the position.
    cached : (t, d) cached gradients; None for SGLD.
    batch_size : int >= 1
        Gradients per step, b.

    Raises
    ------
    ValueError
        For gradients that are not finite, or not of shape (t, d).
    """
    b = whole_number("batch_size", batch_size, advice="give the number of terms in a batch")
    delta = sample_array("fresh", fresh)
    if cached is not None:
        before = sample_array("cached", cached, dim=delta.shape[1])
        if len(before) != len(delta):
            raise ValueError(f"cached must have {len(delta)} rows, as fresh, got {len(before)}; evaluate every term once")
        delta = delta - before
    delta = delta - delta.mean(0)
    t = len(delta)
    # The smaller of the two Gram matrices has all nonzero eigenvalues.
    gram = (delta.T @ delta if delta.shape[1] <= t else delta @ delta.T) * (t / b)
    largest = np.linalg.eigvalsh(gram)[-1]
    return BatchNoise(float(np.trace(gram)), float(largest), t * float(np.linalg.norm(delta, axis=1).max()))


@dataclass(frozen=True)
class ConditionalVarianceBound:
    """Bound on P(exit by n) and its assumptions."""

    value: float  #: the bound, ``added`` included, in [0, 1]
    sbar: float  #: largest ||zeta|| that the bound covers
    added: float  #: part of ``value`` for the event that some ||zeta_i|| exceeds ``sbar``; 0 if sbar = B
    assumes: tuple[str, ...]  #: assumptions under which ``value`` is a bound, to verify on a run


def conditional_variance_bound(
    dim: int, step_size: float, steps: int, radius: float, start: float, batch_size: int, variance_trace: float,
    variance_max: float, increment_bound: float, strong_convexity: float | None = None, smoothness: float | None = None,
    sbar: str = "best",
) -> ConditionalVarianceBound:
    """Bound P(exit by n while v, V, B and the curvature stay within these values inside the ball).

    Parameters
    ----------
    dim, step_size, steps, radius, start, strong_convexity, smoothness : as in ``exit_bounds``; without
        ``smoothness`` the value is 1, and 0.0 is a flat F.
    batch_size : b, drawn with replacement.
    variance_trace : V >= 0, the exact conditional variance of the gradient.
    variance_max : v in [0, V], largest eigenvalue of its covariance.
    increment_bound : B >= 0, attained by a batch of one repeated index.
    sbar : "bound" uses Sbar = B and adds nothing. "certified" uses a smaller Sbar, not exceeded by any of n batches
        with probability 1 - ``ADDED_FAILURE`` (matrix Bernstein). "best" returns the smaller of the two bounds.

    Raises
    ------
    ValueError
        For an argument outside its range.
    """
    b = whole_number("batch_size", batch_size, advice="give the number of terms in a batch")
    V = real_number("variance_trace", variance_trace, "measure the conditional variance", least=0.0)
    v = real_number("variance_max", variance_max, "measure its largest eigenvalue", least=0.0)
    B = real_number("increment_bound", increment_bound, "measure t max_k ||delta_k - mean delta||", least=0.0)
    if B > 0.0:
        real_number("increment_bound", B, "0 means that all terms are equal", above=0.0)
    if v > V * (1.0 + 1e-9):
        raise ValueError(f"variance_max must lie in [0, variance_trace = {V:g}]; got {v:g}. "
                         "An eigenvalue cannot exceed the trace: measure both at the same states.")
    sbar = choice("sbar", sbar, ("best", "bound", "certified"))
    quiet = exit_bounds(dim, step_size, steps, radius, start, 0.0, smoothness, strong_convexity)
    assumed = [
        f"in the ball every conditional covariance has trace V = {V:g} and eigenvalues v = {v:g} at most",
        f"no term moves the gradient by more than B/b = {B / b:g}, B = {B:g}",
        quiet.assumes[-1],
    ]
    if not quiet.stable:
        return ConditionalVarianceBound(1.0, B, 0.0, (*quiet.conditions, *assumed))
    if B == 0.0:
        return ConditionalVarianceBound(quiet.local, 0.0, 0.0, tuple(assumed))

    log_count = math.log(quiet.steps * (quiet.dim + 1) / ADDED_FAILURE)
    certified = _bernstein(log_count, B / (3.0 * b), V)
    choices = [(B, 0.0)] if sbar != "certified" or certified >= B else []
    if sbar != "bound" and certified < B:
        choices.append((certified, ADDED_FAILURE))
    made = [(_bound(quiet, b, V, v, B, size) + added, size, added) for size, added in choices]
    value, size, added = min(made, key=lambda one: one[0])
    if added > 0.0:
        assumed.append(f"the bound includes {added:g} for a batch beyond Sbar = {size:g} (matrix Bernstein)")
    return ConditionalVarianceBound(min(value, 1.0), size, added, tuple(assumed))


def _bernstein(log_count: float, a: float, variance: float) -> float:
    """Return Sbar with n (d + 1) exp(-Sbar^2 / (2 (V + a Sbar))) = ``ADDED_FAILURE``, a = B/(3b)."""
    return log_count * a + math.sqrt((log_count * a) ** 2 + 2.0 * log_count * variance)


def _bound(quiet: ExitBounds, batch_size: int, V: float, v: float, B: float, sbar: float) -> float:
    """Bound P(exit by n) at the best partition into blocks, theta and Hoelder exponent."""
    d, eta, r, k = quiet.dim, quiet.step_size, quiet.radius, quiet.contraction
    increment = math.sqrt(k) * r * B / batch_size
    share = min(1.0, V / sbar**2)

    def walk(q: float) -> Path:
        def path(theta: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            exponent, cost = np.empty((2, at.size, theta.size))
            batch_noise_path(theta, at, d, eta, k, q, increment, v, share, sbar, exponent, cost)
            return exponent, cost

        return path

    def logs(ends: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        low, high = noise_search(ends, eta, k, math.sqrt(V))
        best = np.full(ends.size, np.inf)
        for q in HOLDERS:
            # Beyond M = 1 the linear term grows exponentially: search well below that too.
            least = min(low, 1e-3 / (2.0 * q * eta * increment))
            best = np.minimum(best, noisy_logs(ends, lengths, r, quiet.start, walk(q), least, high, k, LANE_STEPS))
        return best

    return float(best_partition(quiet.steps, np.array([quiet.steps]), k, logs)[0])
