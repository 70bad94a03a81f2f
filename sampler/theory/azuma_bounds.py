"""Azuma bounds on the probability of leaving the ball within an epoch, as printed and as corrected.

Setting (LMV-a Lemma 6.3): X' = X - eta g + sqrt(2 eta) xi, g = grad F + zeta with ||zeta|| <= S, xi ~ N(0, I)
in d dimensions, F convex and L_F-smooth with its mode at the centre of the ball of radius r; the chain
starts at distance rho_0 from the centre and makes n steps. With ||xi|| truncated at C_xi,

    lambda = r^2 - rho_0^2 - n [2 eta^2 (S^2 + L_F^2 r^2) + 2 eta d]
    c_max  = 2 eta S r + 2 sqrt(2 eta) C_xi (r + eta S + eta L_F r) + 2 eta C_xi^2

    printed:    P(exit by n) <= n [exp(-lambda^2 / (2 c_max^2))   + exp(-(C_xi^2 - d) / 8)]
    corrected:  P(exit by n) <= n [exp(-lambda^2 / (2 n c_max^2)) + exp(-(C_xi^2 - d) / 8)]

for lambda > 0 and C_xi^2 >= 2 d; 1 otherwise.

Differs from the paper: LMV-a eq. 38 is written for a step sqrt(eta) xi; these use the step that
is run, sqrt(2 eta) xi. Eq. 18 squares i_max [...], a misprint, and both write P(G) where P(not G) is meant.

The printed bound is NOT valid: Azuma's inequality divides by the sum of the squared differences, n c_max^2,
and not by c_max^2. Free walk, d = 2, n = 100,000, 2 eta n = 1, r = 2: it gives 2.7e-12, while a
quarter of the walks leave. It is included as printed for comparison.
"""

import numpy as np

CUTOFF_POINTS = 1601
CUTOFF_SPAN = 400.0  # C_xi^2 - 2d: at the upper end the truncation term is below e^-50


def azuma_bounds(
    dim: int, step_size: float, steps: np.ndarray, radius: float, start: float, noise_bound: float, smoothness: float,
    truncation: float | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return both bounds on P(exit by n), capped at 1, for each n in ``steps``.

    Parameters
    ----------
    steps : (j,) whole numbers of steps n.
    start, noise_bound, smoothness : rho_0, S and L_F; with L_F = inf both bounds are 1.
    truncation : C_xi; None optimizes C_xi^2 over [2d, 2d + 400] for each bound and n.

    Returns
    -------
    printed, corrected : (j,) arrays in [0, 1].
    """
    n = np.asarray(steps, float)[:, None]
    if truncation is None:
        cutoff = np.sqrt(2.0 * dim + np.linspace(0.0, CUTOFF_SPAN, CUTOFF_POINTS))[None, :]
    else:
        cutoff = np.array([[float(truncation)]])
    wobble = 2.0 * step_size * (step_size * (noise_bound**2 + (smoothness * radius) ** 2) + dim)
    room = np.maximum(radius**2 - start**2 - n * wobble, 0.0)
    reach = radius + step_size * (noise_bound + smoothness * radius)
    largest = 2.0 * step_size * noise_bound * radius
    largest = largest + 2.0 * np.sqrt(2.0 * step_size) * cutoff * reach + 2.0 * step_size * cutoff**2
    exponent = -0.5 * (room / largest) ** 2
    cut_off = np.exp(-(cutoff**2 - dim) / 8.0)
    printed = n * (np.exp(exponent) + cut_off)
    corrected = n * (np.exp(exponent / np.maximum(n, 1.0)) + cut_off)
    return np.minimum(printed.min(1), 1.0), np.minimum(corrected.min(1), 1.0)
