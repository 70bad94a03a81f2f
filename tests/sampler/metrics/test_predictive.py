"""Held-out likelihood against the formula on paper."""

import numpy as np
import pytest

from sampler import GaussianMean, LogisticRegression, PoissonRegression
from sampler.metrics.predictive import negative_log_likelihood


def test_logistic_is_the_papers_formula():
    rng = np.random.default_rng(0)
    x, y, theta = rng.standard_normal((50, 3)), np.arange(50) % 2, rng.standard_normal((4, 3))
    problem = LogisticRegression(3, [1.0, 2.0, 0.5])
    chance = 1 / (1 + np.exp(-x @ theta.T))
    expected = -np.log(np.where(y[:, None] == 1, chance, 1 - chance)).mean(axis=0)
    np.testing.assert_allclose(negative_log_likelihood(problem, x, y, theta), expected)
    assert negative_log_likelihood(problem, x, y, np.zeros(3)) == pytest.approx(np.log(2))


def test_others_up_to_a_constant_and_what_it_refuses():
    x, y = np.ones((2, 1)), np.array([1.0, 3.0])
    values = negative_log_likelihood(PoissonRegression(1), x, y, np.array([[0.0], [0.5]]))
    np.testing.assert_allclose(values, [1.0, np.exp(0.5) - 2 * 0.5])
    with pytest.raises(ValueError, match="problem must be a regression, got GaussianMean"):
        negative_log_likelihood(GaussianMean(1), x, y, np.zeros(1))
