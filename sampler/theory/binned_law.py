"""Mixtures of normals, binned 0.25 wide between -6 and 6 with open ends: shares of a predicted law."""

import numpy as np
from scipy.special import ndtr

REACH = 6.0  # target standard deviations covered by bins
EDGES = np.arange(-24, 25) * 0.25  # (49,), so 50 bins with the two open ones
CELLS_A_BIN = 4  # starts are first gathered on a finer grid, 1/16 apart
FINE_REACH = 8.0


def target_share() -> np.ndarray:
    """Shares of N(0, 1), (50,)."""
    return _differences(ndtr(EDGES))


def normal_share(widths: np.ndarray) -> np.ndarray:
    """Shares of N(0, width^2), (d,) -> (d, 50)."""
    return _differences(ndtr(EDGES / np.asarray(widths)[:, None]))


def binned_mixture(centres: np.ndarray, spreads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Shares of the mixture of N(centre, spread^2) over lengths and chains.

    Centres are gathered linearly on a grid 1/16 apart first, so a mixture of thousands costs one convolution.

    Parameters
    ----------
    centres : (lengths, k, d) array
    spreads : (lengths, d) array
    weights : (lengths,) array

    Returns
    -------
    (d, 50) array
    """
    lengths, k, d = centres.shape
    step = 0.25 / CELLS_A_BIN
    cells = int(2 * FINE_REACH / step) + 1
    place = np.clip(
        (centres.transpose(0, 2, 1).reshape(lengths * d, k) + FINE_REACH) / step, 0.0, cells - 1.001
    )
    cell = place.astype(np.int64)
    part = place - cell
    flat = (cell + np.arange(lengths * d)[:, None] * cells).ravel()
    size = lengths * d * cells
    gathered = np.bincount(flat, (1.0 - part).ravel(), size) + np.bincount(flat + 1, part.ravel(), size)
    gathered = gathered.reshape(lengths * d, cells) / k
    # Distance edge - cell is a multiple of the step, so one table of the normal CDF serves every pair.
    furthest = FINE_REACH + REACH
    table = ndtr(np.arange(-furthest, furthest + step / 2, step) / spreads.reshape(lengths * d, 1))
    windows = np.lib.stride_tricks.sliding_window_view(table, cells, axis=1)[:, ::CELLS_A_BIN]
    below = np.matmul(windows, gathered[:, ::-1, None])[:, :, 0].reshape(lengths, d, len(EDGES))
    return _differences(np.tensordot(weights, below, axes=1))


def mean_square_share(
    centres: np.ndarray, spreads: np.ndarray, weights: np.ndarray, most: int = 32
) -> np.ndarray:
    """Mean over chains of the squared share of each chain's own law, (d, 50), from at most ``most`` chains.

    A bin's count has variance sum_k q_k (1 - q_k): less than a pooled draw's where chains remember their
    starts.
    """
    every = -(-centres.shape[1] // most)
    return np.mean(np.square(each_start(centres[:, ::every], spreads, weights)), axis=0)


def each_start(centres: np.ndarray, spreads: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Shares of each chain's own law over run lengths, (k, d, 50)."""
    below: np.ndarray | float = 0.0
    for centre, spread, weight in zip(centres, spreads, weights, strict=True):
        below = below + weight * ndtr((EDGES - centre[:, :, None]) / spread[:, None])
    return _differences(np.asarray(below))


def _differences(below: np.ndarray) -> np.ndarray:
    """Shares between edges, the open ends included: (..., 49) -> (..., 50)."""
    return np.diff(below, axis=-1, prepend=0.0, append=1.0)
