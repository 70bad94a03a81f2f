"""The mode of an oracle's posterior, against the one-score model it imitates."""

import copy

import numpy as np
import pytest

from sampler import GradientOracle, LogisticRegression, synthetic_logistic
from sampler.reference import ModeTracker, OracleModeTracker


def _twins(horizon=400, dim=3):
    features, labels, _ = synthetic_logistic(horizon, dim - 1, sparsity=1, seed=3)
    signs = np.where(labels > 0, 1.0, -1.0)

    def gradients(indices, theta):
        u = features[indices]
        return -(signs[indices] / (1 + np.exp(signs[indices] * (u @ theta))))[:, None] * u

    return features, labels, GradientOracle(gradients, dim, lambda theta: theta)


def test_it_follows_the_mode_of_the_model_it_imitates():
    features, labels, oracle = _twins()
    known, blind = ModeTracker(LogisticRegression(3)), OracleModeTracker(oracle)
    for row, label in zip(features, labels, strict=True):
        known.add(row, label)
        blind.add()
        if known.t >= 20:  # both lie within 0.01 standard deviations of the mode, the first by its own promise
            away = (blind.mode - known.mode) / np.sqrt(np.diagonal(known.covariance))
            assert np.abs(away).max() < 0.03, known.t
    # a central difference with step 1e-5 errs by 1e-10 F''' and 1e-16 |grad| / 1e-5: far below 1e-4 of H
    blind.resolve(), known.resolve()
    assert np.allclose(blind.hessian, known.hessian, rtol=1e-4, atol=1e-4 * np.abs(known.hessian).max())
    assert np.allclose(blind.mode, known.mode, atol=1e-6)


def test_a_flat_prior_has_no_covariance_until_the_data_span_every_direction():
    rows = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    oracle = GradientOracle(lambda i, theta: (rows[i] @ theta - 1.0)[:, None] * rows[i], 2)
    tracker = OracleModeTracker(oracle)
    tracker.add(), tracker.add()
    assert np.isinf(np.diagonal(tracker.covariance)).all()
    tracker.add(), tracker.add()
    assert np.allclose(tracker.mode, np.linalg.lstsq(rows, np.ones(4))[0], atol=1e-6)
    assert np.allclose(tracker.hessian, rows.T @ rows, rtol=1e-5)


def test_a_copy_goes_its_own_way():
    _, _, oracle = _twins(60)
    tracker = OracleModeTracker(oracle)
    for _ in range(40):
        tracker.add()
    other, before = copy.deepcopy(tracker), tracker.mode.copy()
    other.add()
    assert tracker.t == 40 and np.array_equal(tracker.mode, before) and other.t == 41


def test_a_one_score_model_is_refused():
    with pytest.raises(ValueError, match="must be a GradientOracle.*use ModeTracker"):
        OracleModeTracker(LogisticRegression(2))
