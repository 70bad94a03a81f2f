"""Rows shared by several test files."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def rows():
    """330 rows of logistic regression; the last feature is 1."""
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(size=(330, 2)), np.ones(330)])
    return features, (rng.random(330) < 1 / (1 + np.exp(-features @ [1.0, -1.0, 0.3]))).astype(float)
