"""Convergence diagnostics of parallel chains, computed by arviz-stats."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Diagnostics:
    """(d,) arrays: split rank R-hat (best 1), bulk effective size, Monte Carlo error of the mean."""

    rhat: np.ndarray
    ess: np.ndarray
    mcse: np.ndarray


def chain_diagnostics(draws: np.ndarray) -> Diagnostics:
    """Split R-hat, bulk effective sample size and Monte Carlo standard error of the mean.

    Parameters
    ----------
    draws : (chains, draws, d) array
        At least 4 draws a chain; R-hat needs 2 chains, or splits the only one.
    """
    draws = np.asarray(draws, dtype=float)
    if draws.ndim != 3 or draws.shape[1] < 4 or draws.shape[0] < 1 or draws.shape[2] < 1:
        raise ValueError(
            f"draws must have shape (chains, draws >= 4, d), got {draws.shape}; run the chains longer"
        )
    if not np.isfinite(draws).all():
        raise ValueError("draws must be finite, got nan or inf; leave out chains that diverged")
    from arviz_stats.base import array_stats  # 0.8 s to import, and only long reference chains need it

    by_coordinate = np.ascontiguousarray(np.moveaxis(draws, 2, 0))
    return Diagnostics(
        *(
            np.atleast_1d(np.asarray(measure(by_coordinate, chain_axis=-2, draw_axis=-1), float))
            for measure in (array_stats.rhat, array_stats.ess, array_stats.mcse)
        )
    )
