"""How differently columns of features are spread: where they differ much, no single step size suits all of them."""

import numpy as np

from sampler.argument_faults import names_faults

UNEQUAL = 10.0
"""Times one column may spread as far as another."""


def varying(features: np.ndarray) -> np.ndarray:
    """Which columns of features (n, d) vary by more than rounding: (d,) booleans."""
    return np.ptp(features, axis=0) > 1e-12 * np.abs(features).max(axis=0)


@names_faults
def spread_ratio(features: np.ndarray) -> float:
    """How many times as far the widest of the columns that vary spreads as the narrowest; 1 where fewer than two vary.

    The smaller of two ratios, of standard deviations and of largest absolute values: a column far from zero with
    little spread is not taken for a wide one.

    Parameters
    ----------
    features : (n, d) array
    """
    moving = features[:, varying(features)] if len(features) else features[:, :0]
    if moving.shape[1] < 2:
        return 1.0
    spread, size = moving.std(axis=0), np.abs(moving).max(axis=0)
    return min(float(spread.max() / spread.min()), float(size.max() / size.min()))
