"""The constants of LMV's assumptions as a stream measures them, and L of F_t from its rows."""

import numpy as np
import pytest

from sampler import GaussianMean, GradientOracle, LinearRegression, LogisticRegression, PoissonRegression
from sampler.theory import posterior_smoothness
from sampler.theory.assumptions import AssumptionMeter, concentration_constant


def test_smoothness_is_the_largest_row():
    meter = AssumptionMeter(0.25)
    for norm in (1.0, 2.0, 0.5):
        meter.add(norm, np.zeros(2))
    assert meter.smoothness == pytest.approx(1.0)
    assert AssumptionMeter(np.inf).smoothness == 0
    poisson = AssumptionMeter(np.inf)
    poisson.add(1.0, np.zeros(1))
    assert poisson.smoothness == np.inf


def test_concentration_of_a_gaussian():
    # sqrt(t + c) sqrt(tr I/(2t)): sqrt(d/2) for large t.
    found = concentration_constant(10_000, 1.0, np.eye(2) / 20_000, [1.0, 2.0], [1.0, 2.0])
    assert found == pytest.approx(1.0, rel=1e-4)
    moved = concentration_constant(10_000, 0.0, np.eye(2) / 20_000, [1.0, 2.0], [1.01, 2.0])
    assert moved == pytest.approx(np.sqrt(2))


def test_drift_is_that_of_the_whole_history():
    rng = np.random.default_rng(0)
    modes = np.cumsum(rng.normal(size=(5000, 2)) / np.arange(1, 5001)[:, None], axis=0)
    meter, epochs = AssumptionMeter(0.25, offset=2.0), np.arange(1, 5001)
    for t, mode in enumerate(modes, start=1):
        meter.add(1.0, mode)
        if t in (2, 3, 10, 200, 1000, 5000):
            last = epochs[:t] >= t / 2
            gaps = np.linalg.norm(modes[:t][last] - mode, axis=1) * np.sqrt(epochs[:t][last] + 2.0)
            assert meter.drift <= gaps.max() * (1 + 1e-12)
            assert meter.drift == pytest.approx(gaps.max(), rel=1e-12 if t <= 256 else 0.08)
    found = meter.constants(np.eye(2), modes[-1], modes[-1])
    assert found.t == 5000
    assert found.drift == meter.largest_drift >= meter.drift


@pytest.mark.parametrize("offset", [0.0, 2.0, 50.0])
def test_the_largest_drift_is_the_supremum_over_every_epoch(offset):
    rng = np.random.default_rng(1)
    modes, epochs = np.cumsum(rng.normal(size=(400, 2)) / np.arange(1, 401)[:, None], axis=0), np.arange(1, 401)
    meter, known = AssumptionMeter(0.25, offset=2.0), 0.0
    for mode in modes:
        meter.add(1.0, mode)
    meter.offset = offset  # the knob moves: the past is measured with the new one
    for t in range(2, 401):
        last = (epochs[:t] >= t / 2) & (epochs[:t] < t)
        gaps = np.linalg.norm(modes[:t][last] - modes[t - 1], axis=1) * np.sqrt(epochs[:t][last] + offset)
        known = max(known, gaps.max())
    assert meter.largest_drift <= known * (1 + 1e-12)
    # Up to epoch 256 every one is remembered, later ones to 1/256; another c than it was measured with may choose
    # another pair of the same epoch.
    assert meter.largest_drift == pytest.approx(known, rel=0.03 if offset == 2.0 else 0.25)
    assert meter.largest_drift >= meter.drift


def test_the_largest_drift_outlives_a_mode_that_has_settled():
    meter = AssumptionMeter(0.25)
    for t in range(1, 3000):
        meter.add(1.0, [0.0 if t < 100 else 1.0])
    assert meter.drift == 0.0
    assert meter.largest_drift == pytest.approx(np.sqrt(99.0))  # from epoch 99 to 100, and on to 198


def test_smoothness_of_a_posterior_by_hand():
    assert posterior_smoothness(GaussianMean(3).posterior(np.zeros((7, 3)))) == 14.0
    rows = np.array([[2.0, 0.0], [0.0, 1.0], [2.0, 0.0]])
    assert posterior_smoothness(LogisticRegression(2, [1.0, 3.0]).posterior(rows, [0, 1, 0])) == pytest.approx(3.25)
    assert posterior_smoothness(LinearRegression(2, 0.5, noise_std=0.5).posterior(rows, [0, 1, 0])) == pytest.approx(32.5)


def test_in_a_metric_it_is_that_of_the_whitened_coordinates():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 3))
    posterior = LinearRegression(3, 0.5).posterior(rows, rng.normal(size=30))
    metrics = np.array([posterior.hessian(np.zeros(3)), np.eye(3), np.diag([1.0, 2.0, 9.0])])
    white = np.linalg.inv(np.linalg.cholesky(metrics))
    found = [np.linalg.eigvalsh(C @ posterior.hessian(np.zeros(3)) @ C.T)[-1] for C in white]
    assert found[0] == pytest.approx(1.0)
    for metric, value in zip(metrics, found, strict=True):
        assert posterior_smoothness(posterior, metric) == pytest.approx(value)
    assert posterior_smoothness(posterior, metrics) == pytest.approx(max(found))


def test_a_posterior_without_smoothness_says_so():
    assert posterior_smoothness(PoissonRegression(1).posterior([[1.0]], [2])) == np.inf
    assert posterior_smoothness(GradientOracle(lambda indices, theta: np.zeros((len(indices), 1)), 1).posterior(3)) is None
