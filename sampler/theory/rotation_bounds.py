"""Exit bounds from Altschuler and Talwar's rotation-invariant moment generating function.

Source: Altschuler and Talwar (2023), *Concentration of the Langevin Algorithm's Stationary Distribution*, arXiv:2212.12629,
who show with

    Phi_l(z) = E exp(l <v, z>),  v uniform on the unit sphere of R^d     (a Bessel function: 0F1(d/2; l^2 |z|^2/4))

that the stationary law of X' = X - eta grad F(X) + sqrt(2 eta) xi is sub-exponential for convex F and sub-Gaussian for
strongly convex F, and that each iterate is. The function is theirs; all constants below are derived here, and
so is the extension from one iterate to a whole path. With D, k, S and eta as in ``exit_bounds``, inside the ball:

1. Noise: E Phi_l(w + sqrt(2 eta) xi) = exp(eta l^2) Phi_l(w), for each v separately.
2. Batch: for each v, <v, zeta> has mean 0 and lies in [-S, S]; by Hoeffding's lemma
   E Phi_l(w - eta zeta) <= exp(eta^2 l^2 S^2/2) Phi_l(w).
3. Gradient: Phi_l increases with |z|, and Phi_l(a z) = Phi_(a l)(z), so Phi_l(D*) <= Phi_(sqrt(k) l)(D).

For one iterate, as in the paper: P(|D_i| >= r) <= exp(c l^2 g_i) Phi_l(k^(i/2) rho_0)/Phi_l(r), c = eta (1 + eta S^2/2),
g_i = 1 + k + ... + k^(i-1). A union bound over an epoch costs a factor n. But with l_i = l k^((e-i)/2) the process
exp(c l^2 g_(e-i)) Phi_(l_i)(D_i), stopped at the exit, is a supermartingale, so for every l > 0

    P(first exit in (s, e]) <= exp(c l^2 g_e) Phi_l(k^(e/2) rho_0) / min_(0 <= j < e-s) exp(c l^2 g_j) Phi_l(k^(j/2) r)

without a union bound. The minimum is at one end: log 0F1 is concave in its argument (its zeros are all negative), hence
the logarithm of the minimised expression is concave in k^j; for k = 1 it increases in j.

**Comparison with exp(theta |D|^2).** That is the mean of exp(<g, D>) over g ~ N(0, 2 theta I), a mixture of Phi_l over
l = |g|. Without noise and for k = 1 both have the same cost, so the exponential bound is a ratio of mixtures, never below
the best ratio: this bound is sharper. A free walk from 0, 2 eta n = 1: d = 1, r = 3.2, 0.012 against 0.032; d = 20, r = 7.2,
0.0016 against 0.0020. For k < 1 it is sharper in short epochs and close in long ones (d = 20, eta m n = 10, r = 6.7: 0.36
against 0.34). With batch noise it is weaker: Hoeffding for each v costs S^2 in every direction, d times the cost of
|zeta| <= S. At d = 20, eta = 0.001, n = 500, S = 60, r = 2.4 sqrt(d) it is 0.030, the sharp bound 0.00004.
"""

import numpy as np

from sampler.theory.block_bounds import geometric_time

POINTS, FINER = 400, 4  # trial values of l; table points of the function per trial value
SMALLEST = 0.1  # least l r: below it the bound is 0.99 at best
LARGEST, A_DIMENSION = 1500.0, 6.0  # largest l r: there the bound is 0 in double precision, or another l is better


def log_rotation_mean(dim: int, x: np.ndarray) -> np.ndarray:
    """Return log E exp(x <v, e>), v uniform on the unit sphere of R^dim and e a unit vector, up to rounding.

    <v, e> = tanh u has density proportional to cosh(u)^(1 - dim): the integrand is analytic in a strip about the real line
    and vanishes at its ends, so the trapezoidal rule converges exponentially.

    Parameters
    ----------
    dim : int >= 1
    x : (n,) array >= 0

    Returns
    -------
    (n,) array >= 0, convex in x and concave in x^2.
    """
    x = np.asarray(x, float)
    if dim == 1:
        return x + np.log(0.5 + 0.5 * np.exp(-2.0 * x))
    step = min(0.1, 0.25 / np.sqrt(dim))
    half = np.ceil((3.0 + 40.0 / (dim - 1) + 0.5 * np.log(1.0 + 4.0 * x.max() / (dim - 1))) / step)
    u = np.arange(-half, half + 1.0) * step
    density = (1.0 - dim) * (np.abs(u) + np.log(0.5 + 0.5 * np.exp(-2.0 * np.abs(u))))
    exponent = density[None, :] - x[:, None] * (2.0 / (1.0 + np.exp(2.0 * u)))[None, :]  # 1 - tanh u, without cancellation
    top = exponent.max(1)
    return x + top + np.log(np.exp(exponent - top[:, None]).sum(1)) - np.log(np.exp(density).sum())


def rotation_logs(
    ends: np.ndarray, lengths: np.ndarray, dim: int, step_size: float, radius: float, start: float,
    contraction: float, noise_bound: float,
) -> np.ndarray:
    """Return log bounds on P(first exit in (end - length, end]), each at its own best l of one grid; as ``block_logs``.

    Between points of the grid the function is interpolated conservatively: its logarithm is concave in x^2, which is used
    in the denominator, and convex in x, which is used in the numerator.

    Parameters
    ----------
    ends, lengths : (N,) whole numbers, e and e - s of each block.
    dim, step_size, radius, start, contraction, noise_bound
        d, eta, r, rho_0, k and S of ``exit_bounds``.

    Returns
    -------
    (N,) logarithms of the bounds, possibly above 0.
    """
    grid = np.append(np.zeros(1), np.geomspace(SMALLEST, LARGEST + A_DIMENSION * dim, POINTS * FINER))
    mean = log_rotation_mean(dim, grid)
    x, here = grid[FINER::FINER], mean[FINER::FINER]  # l r
    end, back = np.asarray(ends, float)[:, None], np.asarray(lengths, float)[:, None] - 1.0
    cost = step_size * (1.0 + 0.5 * step_size * noise_bound**2) * (x / radius)[None, :] ** 2
    log_k = np.log(contraction)
    at_back = np.interp((np.exp(back * log_k) * x[None, :] ** 2).ravel(), grid**2, mean).reshape(back.size, x.size)
    level = np.minimum(here[None, :], cost * geometric_time(back, contraction) + at_back)
    begun = np.interp((np.exp(0.5 * end * log_k) * x[None, :] * (start / radius)).ravel(), grid, mean)
    paid = cost * geometric_time(end, contraction) + begun.reshape(end.size, x.size)
    return (paid - level).min(1)
