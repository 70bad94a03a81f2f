"""Exit bounds over one or several blocks of steps, at the best exponents of the supermartingales.

A *block* (s, e] is a range of steps. With t_j, C_j the exponent and the cost j steps before e (t_0 = theta), for a chain
that starts at distance rho_0 from the centre of a ball of radius r, ``exit_bounds`` shows that for every theta > 0

    P(first exit in (s, e]) <= exp(t_e rho_0^2 + C_e - min_{0 <= j < e-s} (t_j r^2 + C_j)).

The minimum is at one end. One step back is t <- phi(t) with phi increasing, so t_j is monotone in j; and
t_j r^2 + C_j grows by G(t_j), G(t) = (phi(t) - t) r^2 + c(t), convex with G(0) = 0. If t_j rises, every
growth is positive and the minimum is at j = 0. If t_j falls, G is positive first (if ever) and negative
after, so the sequence rises and then falls: the minimum is at j = 0 or at j = e-s-1.
"""

from collections.abc import Callable

import numpy as np

from sampler.kernels.supermartingale import bounded_noise_path

MOST_BLOCKS = 2**14
FOREVER = 2**40
LANE_STEPS = 150_000_000  # work budget for refining the theta grid: some tenths of a second
ROUNDING = 1e-9
REFINEMENTS = 10  # the optimum in theta is sharp near the unstable fixed point
BLOCK_COST = 30  # evaluating one block costs about as much as 30 lane steps
Path = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def geometric_time(steps: np.ndarray, contraction: float) -> np.ndarray:
    """Return g_j = 1 + k + ... + k^(j-1), the noise accumulated over j steps in units of one step."""
    steps = np.asarray(steps, float)
    if contraction >= 1.0:
        return steps
    log_k = np.log(contraction)
    return np.expm1(steps * log_k) / np.expm1(log_k)


def noiseless_logs(
    ends: np.ndarray, lengths: np.ndarray, dim: int, step_size: float, radius: float, start: float,
    contraction: float,
) -> np.ndarray:
    """Return log bounds of blocks without gradient noise, each at its own best theta.

    For S = 0 the recursion is linear in 1/t, so that t_j = k^j theta / w_j and C_j = -(d/2) log w_j with
    w_j = 1 - 4 eta theta g_j. The search over u = w_e in (0, 1) uses a grid in log(u/(1-u)) with five refinements.

    Parameters
    ----------
    ends, lengths : (N,) whole numbers, e and e - s of each block.

    Returns
    -------
    (N,) logarithms of the bounds, possibly above 0.
    """
    back = np.asarray(lengths, float)[:, None] - 1.0
    end = np.asarray(ends, float)[:, None]
    g_end, g_back = geometric_time(end, contraction), geometric_time(back, contraction)
    log_k = np.log(contraction)
    ratio = g_back / g_end

    def value(logit: np.ndarray) -> np.ndarray:
        u = 1.0 / (1.0 + np.exp(-logit))
        theta = (1.0 - u) / (4.0 * step_size * g_end)
        w = 1.0 - (1.0 - u) * ratio
        at_back = theta * np.exp(back * log_k) / w * radius**2 - 0.5 * dim * np.log(w)
        paid = theta * np.exp(end * log_k) / u * start**2 - 0.5 * dim * np.log(u)
        return paid - np.minimum(theta * radius**2, at_back)

    width = 0.5
    grid = np.arange(-14.0, 14.0, width)[None, :]
    values = value(grid)
    centre = grid[0, values.argmin(1)][:, None]
    best = values.min(1)
    for _ in range(5):
        grid = centre + np.linspace(-width, width, 9)[None, :]
        values = value(grid)
        centre = np.take_along_axis(grid, values.argmin(1)[:, None], 1)
        best = np.minimum(best, values.min(1))
        width /= 4.0
    return best


def noisy_logs(
    ends: np.ndarray, lengths: np.ndarray, radius: float, start: float, path: Path, low: float, high: float,
    contraction: float, lane_steps: int = LANE_STEPS,
) -> np.ndarray:
    """Return log bounds of blocks for a recursion without closed form, minimized over a shared grid of theta.

    The path from theta does not depend on the block, so one backward pass serves every block. After the
    first grid, cells with the minimum of some block are refined within the work budget.

    Parameters
    ----------
    ends : e; a value of ``memory`` or more represents every later e.
    path : (theta (P,), steps back (J,) increasing) -> exponents and costs, both (J, P), inf outside the domain.
    low, high : search range of theta.
    lane_steps : work budget of all refinements together.
    """
    old = ends >= memory(contraction)
    at, where = np.unique(np.concatenate([ends, lengths - 1, ends[old] + 1]), return_inverse=True)
    at_end, at_back, at_next = np.split(where, [ends.size, 2 * ends.size])
    points = int(np.clip(16.0 * np.log(high / low), 96, 384))
    theta = np.geomspace(low, high, points)
    best = np.full(ends.size, np.inf)
    for _ in range(REFINEMENTS):
        exponent, cost = path(theta, at)
        with np.errstate(invalid="ignore", divide="ignore"):
            held = np.minimum(theta * radius**2, (exponent * radius**2 + cost)[at_back])
            values = exponent[at_end] * start**2 + cost[at_end] - held
            values[old] += _rest(exponent, cost, at_end[old], at_next)
        values[~np.isfinite(values)] = np.inf
        best = np.minimum(best, values.min(1))
        cells = np.unique(values.argmin(1))
        left, right = theta[np.maximum(cells - 1, 0)], theta[np.minimum(cells + 1, theta.size - 1)]
        theta = np.unique(np.linspace(left, right, 6)[1:-1])
        lane_steps -= theta.size * (int(at[-1]) + BLOCK_COST * ends.size)
        if lane_steps < 0:
            break
    return best


def _rest(exponent: np.ndarray, cost: np.ndarray, here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Bound the remaining cost beyond the rows ``here`` from the next step, the rows ``there``.

    phi and c are convex and 0 at 0: with phi(t) = q t here, the cost i steps later is below q^i times this one.
    """
    q = exponent[there] / exponent[here]
    rest = np.maximum(cost[there] - cost[here], 1e-15) / (1.0 - q)
    return np.where(q < 1.0, rest, np.inf)


def noise_search(ends: np.ndarray, step_size: float, contraction: float, noise_bound: float) -> tuple[float, float]:
    """Return the search range of theta: above it the recursion leaves its domain, below it the bound is 1."""
    longest, shortest = geometric_time(np.array([ends.max(), ends.min()]), contraction)
    rate = 4.0 * step_size + 2.0 * (step_size * noise_bound) ** 2
    return 1e-3 / (rate * longest), 1.0 / (4.0 * step_size * shortest)


def walk_back(theta: np.ndarray, at: np.ndarray, dim: int, step_size: float, contraction: float,
              noise_bound: float) -> tuple[np.ndarray, np.ndarray]:
    """Return exponents and costs (J, P) of ``theta`` (P,) after ``at`` (J,) steps back, for noise up to ``noise_bound``."""
    exponent, cost = np.empty((2, at.size, theta.size))
    bounded_noise_path(theta, at, dim, step_size, contraction, noise_bound, exponent, cost)
    return exponent, cost


def block_logs(
    ends: np.ndarray, lengths: np.ndarray, dim: int, step_size: float, radius: float, start: float,
    contraction: float, noise_bound: float,
) -> np.ndarray:
    """Return log bounds on P(first exit in (end - length, end]); arguments as in ``noiseless_logs``."""
    if noise_bound == 0.0:
        return noiseless_logs(ends, lengths, dim, step_size, radius, start, contraction)

    def path(theta: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return walk_back(theta, at, dim, step_size, contraction, noise_bound)

    low, high = noise_search(ends, step_size, contraction, noise_bound)
    return noisy_logs(ends, lengths, radius, start, path, low, high, contraction)


def probability(logs: np.ndarray) -> np.ndarray:
    """Return bounds from their logarithms, at most 1; values within rounding of 1 become 1."""
    return np.where(logs > -ROUNDING, 1.0, np.exp(np.minimum(logs, 0.0)))


def block_counts(steps: int, contraction: float) -> list[int]:
    """Return 1, 2, 4, ..., 64, and more until a block is an eighth of the relaxation time, -1/log k steps."""
    enough = min(steps, MOST_BLOCKS, max(64, int(-8.0 * steps * np.log(contraction))))
    return sorted({2**i for i in range(int(np.log2(enough)) + 1)} | {enough})


def memory(contraction: float) -> int:
    """Return the number of steps until k^j is about 1e-20, so that the start is negligible."""
    return int(np.ceil(-46.0 / np.log(contraction))) if contraction < 1.0 else FOREVER


def best_partition(
    steps: int, at_steps: np.ndarray, contraction: float, logs: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Bound P(exit by n) for each n in ``at_steps`` by a sum over equal blocks, at the best number of blocks.

    Blocks divide {1..steps} into 1, 2, 4, ... parts; a block that contains n is truncated at n.
    Blocks of equal length that begin after ``memory`` steps share one bound.

    Parameters
    ----------
    logs : (ends, lengths) -> log bounds, each (N,).

    Returns
    -------
    (j,) probabilities in [0, 1], nondecreasing in n.
    """
    at_steps = np.asarray(at_steps, np.int64)
    counts = block_counts(steps, contraction)
    partitions = [np.unique(np.linspace(0, steps, 1 + c).round().astype(np.int64)) for c in counts]
    begun = [np.searchsorted(edges, at_steps, side="right") - 1 for edges in partitions]
    blocks = [np.stack([edges[1:], np.diff(edges)]) for edges in partitions]
    short = [np.stack([at_steps, at_steps - edges[i]]) for edges, i in zip(partitions, begun, strict=True)]
    ends, lengths = np.concatenate(blocks + short, axis=1)
    ends = np.minimum(ends, np.maximum(memory(contraction), lengths))
    some = lengths > 0
    unique, where = np.unique(ends[some] * (steps + 1) + lengths[some], return_inverse=True)
    chance = np.zeros(ends.size)
    chance[some] = probability(logs(*np.divmod(unique, steps + 1)))[where]
    bounds = np.ones(at_steps.size)
    first, first_short = 0, sum(b.shape[1] for b in blocks)
    for block, i in zip(blocks, begun, strict=True):
        whole = np.concatenate([[0.0], np.cumsum(chance[first : first + block.shape[1]])])
        part = chance[first_short : first_short + at_steps.size]
        bounds = np.minimum(bounds, whole[i] + part)
        first, first_short = first + block.shape[1], first_short + at_steps.size
    # Leaving by n is less likely than leaving by any later n'.
    order = np.argsort(at_steps, kind="stable")
    bounds[order] = np.minimum.accumulate(bounds[order][::-1])[::-1]
    return bounds
