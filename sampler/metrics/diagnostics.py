"""Convergence diagnostics of parallel chains, computed by arviz-stats."""

from dataclasses import dataclass

import numpy as np

from sampler.argument_faults import names_faults


@dataclass(frozen=True)
class Diagnostics:
    """(d,) arrays: split rank R-hat (best 1), bulk effective size, Monte Carlo error of the mean."""

    rhat: np.ndarray
    ess: np.ndarray
    mcse: np.ndarray


@names_faults
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


@names_faults
def nested_rhat(draws: np.ndarray, segments: int = 4) -> np.ndarray:
    """Nested R-hat of chains that are copies of one start, by coordinate, (d,); best 1.

    Rank R-hat wants every chain by itself to cross the law, and over-dispersed starts. Many short chains from one start
    may have the right law together though none has crossed it. So segments of time are the superchains here: B is the
    variance of the segments' means over all chains, W the mean variance within a segment, between chains and in them,
    and R-hat = sqrt(1 + B/W) (Margossian et al. 2024, eq. 4-8, computed by arviz-stats): above 1 while the chains still
    move away from their start together.

    Parameters
    ----------
    draws : (chains, draws, d) array
        At least 4 draws a segment; the last ones count.
    segments : int >= 2
    """
    draws = np.asarray(draws, dtype=float)
    length = draws.shape[1] // segments if draws.ndim == 3 else 0
    if segments < 2 or length < 4 or not np.isfinite(draws).all():
        raise ValueError(f"draws must be finite, of shape (chains, draws >= {4 * max(segments, 2)}, d) for {segments} "
                         f"segments, got {draws.shape}; run the chains longer")
    from arviz_stats.base import array_stats

    chains = len(draws)
    parts = draws[:, -segments * length:].reshape(chains, segments, length, -1)
    by_coordinate = np.moveaxis(parts, (3, 1), (0, 1)).reshape(draws.shape[2], segments * chains, length)
    owners = np.repeat(np.arange(segments), chains)
    return np.atleast_1d(array_stats.rhat_nested(np.ascontiguousarray(by_coordinate), owners, chain_axis=-2, draw_axis=-1))
