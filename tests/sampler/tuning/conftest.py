"""Rows shared by several test files."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def rows():
    """Return 256 rows of logistic regression."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(256, 2))
    return features, (rng.random(256) < 1 / (1 + np.exp(-features @ [1.0, -1.0]))).astype(float)
