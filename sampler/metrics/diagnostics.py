"""Convergence diagnostics of parallel chains, computed by arviz-stats."""

from dataclasses import dataclass

import numpy as np

from sampler.arguments import chain_array, whole_number


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
    draws = chain_array(draws)
    from arviz_stats.base import array_stats  # 0.8 s to import, and only long reference chains need it

    by_coordinate = np.ascontiguousarray(np.moveaxis(draws, 2, 0))
    with np.errstate(invalid="ignore", divide="ignore"):  # nan for a coordinate that stands still
        return Diagnostics(
            *(
                np.atleast_1d(np.asarray(measure(by_coordinate, chain_axis=-2, draw_axis=-1), float))
                for measure in (array_stats.rhat, array_stats.ess, array_stats.mcse)
            )
        )


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
    segments = whole_number("segments", segments, 2, 10**6, "4 is usual")
    draws = chain_array(draws, 4 * segments)
    length = draws.shape[1] // segments
    from arviz_stats.base import array_stats

    chains = len(draws)
    parts = draws[:, -segments * length:].reshape(chains, segments, length, -1)
    by_coordinate = np.moveaxis(parts, (3, 1), (0, 1)).reshape(draws.shape[2], segments * chains, length)
    owners = np.repeat(np.arange(segments), chains)
    with np.errstate(invalid="ignore", divide="ignore"):  # nan, or inf, for a coordinate that stands still in a segment
        return np.atleast_1d(
            array_stats.rhat_nested(np.ascontiguousarray(by_coordinate), owners, chain_axis=-2, draw_axis=-1))
