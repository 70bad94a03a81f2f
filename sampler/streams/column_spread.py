"""How differently columns of features are spread: where they differ much, no single step size suits all of them."""

import numpy as np

from sampler.arguments import SMALLEST, check_size, real_array

UNEQUAL = 10.0
"""Times one column may spread as far as another."""


def varying(features: np.ndarray) -> np.ndarray:
    """Which columns of features (n, d) vary by more than rounding: (d,) booleans."""
    return np.ptp(features, axis=0) > 1e-12 * np.abs(features).max(axis=0)


def spread_ratio(features: np.ndarray) -> float:
    """How many times as far the widest of the columns that vary spreads as the narrowest; 1 where fewer than two vary.

    The smaller of two ratios, of standard deviations and of largest absolute values: a column far from zero with
    little spread is not taken for a wide one.

    Parameters
    ----------
    features : (n, d) array

    Raises
    ------
    ValueError
        For another shape than (n, d), and values that are not finite.
    """
    features = real_array("features", features, "numbers of shape (n, d)")
    if features.ndim != 2:
        raise ValueError(f"features must have shape (n, d), got {features.shape}; one row a datum")
    check_size("features", features, "drop or repair that row")
    moving = features[:, varying(features)] if features.size else features[:, :0]
    moving = moving[:, moving.std(axis=0) >= SMALLEST] if moving.size else moving
    if moving.shape[1] < 2:
        return 1.0
    spread, size = moving.std(axis=0), np.abs(moving).max(axis=0)
    return min(float(spread.max() / spread.min()), float(size.max() / size.min()))
