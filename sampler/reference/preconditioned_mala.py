"""Metropolis-adjusted Langevin chains preconditioned at the mode (Roberts and Tweedie 1996): exact for any F_t."""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import solve_triangular

TARGET = 0.574  # best acceptance in high dimension (Roberts and Rosenthal 1998)


def mala_chain(
    posterior, hessian: np.ndarray, starts: np.ndarray, warm_up: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Endless states of parallel chains, each (chains, d), two passes over the data a step.

    With R R' = hessian^-1: y = x - eta R R' grad F(x) + sqrt(2 eta) R xi, accepted with log ratio
    F(x) - F(y) - (||w - v + eta R' grad F(y)||^2 - ||v - w + eta R' grad F(x)||^2) / (4 eta), x = R w, y = R v.
    The common step eta is adapted during the first ``warm_up`` steps, then fixed, so the chain is exact after.

    Parameters
    ----------
    posterior : Posterior
        With a potential and a gradient.
    hessian : (d, d) array
        At the mode.
    starts : (chains, d) array
    warm_up : int
    rng : numpy Generator
    """
    root = np.linalg.cholesky(hessian)  # F = L L', so R = L^-T
    x = np.array(starts, dtype=float)
    chains, d = x.shape

    def spread(white):  # R w for rows w
        return solve_triangular(root, white.T, lower=True, trans="T").T

    def gather(gradients):  # R' g for rows g
        return solve_triangular(root, gradients.T, lower=True).T

    log_step = np.log(0.8 / d ** (1 / 3))
    value, slope = posterior.potential(x), gather(posterior.gradient(x))
    step_number = 0
    while True:
        step_number += 1
        eta = np.exp(log_step)
        noise = rng.standard_normal((chains, d))
        move = -eta * slope + np.sqrt(2 * eta) * noise
        y = x + spread(move)
        with np.errstate(over="ignore", invalid="ignore"):
            new_value, new_slope = posterior.potential(y), gather(posterior.gradient(y))
            back = ((eta * new_slope - move) ** 2).sum(axis=1)
            ratio = value - new_value - (back - ((move + eta * slope) ** 2).sum(axis=1)) / (4 * eta)
        ratio = np.where(np.isfinite(ratio), ratio, -np.inf)
        chance = np.exp(np.minimum(ratio, 0.0))
        accepted = rng.random(chains) < chance
        x = np.where(accepted[:, None], y, x)
        value, slope = np.where(accepted, new_value, value), np.where(accepted[:, None], new_slope, slope)
        if step_number <= warm_up:
            log_step += (chance.mean() - TARGET) / step_number**0.6
        yield x.copy()
