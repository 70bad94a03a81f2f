"""The share of chains still inside, with what chance alone can do to it."""

from dataclasses import dataclass

import numpy as np
from scipy.special import (
    betaincinv,  # the beta law's quantile; scipy.stats would cost half a second at import
)

from sampler.arguments import real_array, real_number, shown, whole_number


@dataclass(frozen=True, eq=False)
class Survival:
    """Share of chains that have not left by each step, and its band."""

    steps: np.ndarray  #: (j,)
    share: np.ndarray  #: (j,) in [0, 1]
    low: np.ndarray  #: (j,) lower confidence limit, pointwise
    high: np.ndarray  #: (j,) upper confidence limit, pointwise
    level: float  #: confidence of the band at each step


def exit_limits(exits: int | np.ndarray, chains: int, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Clopper-Pearson limits of the exit probability: each side errs with probability (1 - level)/2 or less.

    Parameters
    ----------
    exits : number of chains, of ``chains`` independent ones, that left.
    level : float in (0, 1)

    Raises
    ------
    ValueError
        For exits beyond the chains, or a level outside (0, 1).
    """
    level = real_number("level", level, "try 0.95", above=0.0)
    if level >= 1.0:
        raise ValueError(f"level must lie in (0, 1); got {level:g}. Try 0.95.")
    chains = whole_number("chains", chains, advice="count the chains that were run")
    k, tail = real_array("exits", exits, f"whole numbers in [0, {chains}]", "count those that left"), (1.0 - level) / 2.0
    if not np.all((k >= 0) & (k <= chains)):
        raise ValueError(f"exits must lie in [0, {chains}], the number of chains; got {shown(exits)}. Count those that "
                         "left.")
    # At k = 0 and k = n one shape is 0 and the quantile NaN: the limits there are 0 and 1.
    low = np.where(k > 0, betaincinv(np.maximum(k, 1.0), chains - k + 1.0, tail), 0.0)
    high = np.where(k < chains, betaincinv(k + 1.0, np.maximum(chains - k, 1.0), 1.0 - tail), 1.0)
    return low, high


def survival_curve(exit_steps: np.ndarray, at_steps: np.ndarray, level: float = 0.95) -> Survival:
    """Survival by each step of ``at_steps``.

    Parameters
    ----------
    exit_steps : (K,) int array, K >= 1
        First exit step of each chain, 0 for none.
    at_steps : (n,) int array
        Steps at which survival is wanted.
    level : float in (0, 1)
        Confidence of the band, exact (Clopper and Pearson) at each step by itself.

    Raises
    ------
    ValueError
        For no chains, and a level out of its range.
    """
    exit_steps = real_array("exit_steps", exit_steps, "whole numbers of shape (K,)", "0 is a chain that stayed")
    at = real_array("at_steps", at_steps, "whole numbers of shape (n,)", "give the steps of the curve")
    if np.isnan(exit_steps).any() or np.isnan(at).any():
        name, values = ("at_steps", at) if np.isnan(at).any() else ("exit_steps", exit_steps)
        raise ValueError(f"{name} must be whole numbers, got {shown(values)}; 0 is a chain that stayed")
    if exit_steps.ndim != 1 or exit_steps.size == 0:
        raise ValueError(f"exit_steps must be (K,), K at least 1; got {exit_steps.shape}. Run a chain first.")
    left = np.searchsorted(np.sort(exit_steps[exit_steps > 0]), at, side="right")
    low, high = exit_limits(left, exit_steps.size, level)
    return Survival(at, 1.0 - left / exit_steps.size, 1.0 - high, 1.0 - low, level)
