"""Hot start: test on log potentials whether the chains have converged (Hot DoG Algorithm 3)."""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import check_size, positive_number, real_array, whole_number

LEAST_ITERATIONS = 7  # n = ceil(7 / 3) = 3: a line through two points leaves no residual


@dataclass(frozen=True)
class HotStart:
    """Schedule of the hot-start test, and its last iteration.

    Differs from the paper: it tests at every iteration, so that by chance the test passes near iteration 10 on any
    chains; here, as in its experiments, it tests every ``every`` iterations from ``first`` on. At ``cap`` training
    starts anyway, with a notice of the run.

    Parameters
    ----------
    threshold : float > 0
        The test passes below it.
    every : int >= 1
    first : int or None
        None uses 3 times the dimension of theta.
    cap : int >= 1
    """

    threshold: float = 0.5
    every: int = 30
    first: int | None = None
    cap: int = 10_000

    def __post_init__(self) -> None:
        positive_number("threshold", self.threshold, np.inf, "the paper's is 0.5")
        for name in ("every", "cap", *(["first"] if self.first is not None else [])):
            whole_number(name, getattr(self, name), 1, None, "30, 10000 and None are usual")

    def next_check(self, t: int, dim: int) -> int:
        """Return the first iteration after ``t`` at which to test (or to stop testing).

        Parameters
        ----------
        t : int >= 0
            Iterations done.
        dim : int >= 1
            Of theta.
        """
        first = max(LEAST_ITERATIONS, 3 * dim if self.first is None else self.first)
        at = max(t + 1, first)
        return min(-(-at // self.every) * self.every, self.cap)


def hot_start_statistic(log_potentials: np.ndarray) -> float:
    """Return the median over chains of the change in mean between two segments, in residual standard deviations.

    With n = ceil(t / 3), the segments are the last n values and the n before them.

    Differs from the paper: its segments start at n + 1 and 2n + 1 and the last one is short when 3 does not divide t.

    Parameters
    ----------
    log_potentials : (t, K) or (t,) array
        sum_m w_0m l_m(theta_tk), one row per iteration, one column per chain.

    Returns
    -------
    float
        inf if t < 7, too few for residuals.

    Raises
    ------
    ValueError
        For another shape than (t, K), and values that are not finite.
    """
    values = real_array("log_potentials", log_potentials, "numbers of shape (t, K)", "one row per iteration")
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.shape[1] < 1:
        raise ValueError(f"log_potentials must have shape (t, K), got {np.shape(log_potentials)}; one row per iteration")
    check_size("log_potentials", values, "leave out chains that diverged")
    t = len(values)
    if t < LEAST_ITERATIONS:
        return np.inf
    n = -(-t // 3)
    segments = values[t - 2 * n:].reshape(2, n, -1)
    means = segments.mean(axis=1)
    time = np.arange(n) - 0.5 * (n - 1)
    centred = segments - means[:, None, :]
    slopes = np.einsum("i,jik->jk", time, centred) / (time @ time)
    rest = centred - slopes[:, None, :] * time[:, None]
    deviation = np.sqrt((rest * rest).sum(axis=1) / (n - 2)).max(axis=0)
    change = np.abs(means[0] - means[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        # A chain that does not move gives no evidence of convergence.
        ratio = np.where(deviation > 0, change / deviation, np.inf)
    return float(np.median(ratio))


def hot_start_test(log_potentials: np.ndarray, threshold: float = 0.5) -> bool:
    """Return whether the chains have converged (Hot DoG Algorithm 3): `hot_start_statistic` < ``threshold``.

    False for fewer than 7 iterations.

    Parameters
    ----------
    log_potentials : (t, K) array
    threshold : float > 0
    """
    threshold = positive_number("threshold", threshold, np.inf, "the paper's is 0.5")
    return bool(hot_start_statistic(log_potentials) < threshold)
