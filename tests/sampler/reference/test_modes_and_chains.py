"""Modes solved and tracked, with forgetting, for models and oracles; long chains against exact laws."""

import copy
import itertools

import numpy as np
import pytest

from sampler import threads as pool
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression
from sampler.reference import ModeTracker, OracleModeTracker, find_mode
from sampler.reference.base import gaussian_reference
from sampler.reference.exact_chains import potential_at_points
from sampler.reference.long_chain import SampleReference, long_chain_reference
from tests.sampler.algorithms.streams import CountingOracle, grid_of, stream

KINDS = ("logistic", "linear", "poisson")


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_vanishes_at_the_mode(kind):
    problem, data = stream(kind, 400)
    posterior = problem.posterior(*data)
    mode = find_mode(posterior)
    assert np.abs(posterior.gradient(mode)).max() < 1e-8 * posterior.t
    # F is convex: no nearby point is lower.
    nearby = mode + 1e-3 * np.random.default_rng(0).normal(size=(50, 3))
    assert np.all(posterior.potential(nearby) > posterior.potential(mode))


def test_far_starts_and_separable_data_converge_under_a_prior():
    x = np.concatenate([np.eye(2) * 40, -np.eye(2) * 40])
    posterior = LogisticRegression(2).posterior(x, [1, 1, 0, 0])
    for start in ([0.0, 0.0], [50.0, -80.0], [-3000.0, 1.0]):
        mode = find_mode(posterior, np.array(start))
        assert np.abs(posterior.gradient(mode)).max() < 1e-6


def test_a_missing_mode_is_an_error():
    x = np.concatenate([np.eye(2), -np.eye(2)])
    for missing in (LogisticRegression(2, prior_precision=0.0).posterior(x, [1, 1, 0, 0]),
                    LinearRegression(2, prior_precision=0.0).posterior(np.ones((1, 2)), [1.0])):
        with pytest.raises(ValueError, match="prior_precision above 0"):
            find_mode(missing)
    with pytest.raises(ValueError, match="start must"):
        find_mode(LogisticRegression(2).posterior(x, [1, 1, 0, 0]), [np.nan, 0])


@pytest.mark.parametrize("kind", KINDS)
def test_tracked_mode_stays_far_within_a_standard_deviation(kind):
    problem, (x, labels) = stream(kind, 1500, seed=2)
    tracker, worst = ModeTracker(problem), 0.0
    for k in range(1500):
        tracker.add(x[k], labels[k])
        if k % 37 == 0 or 1300 < k < 1310:
            exact = find_mode(problem.posterior(x[: k + 1], labels[: k + 1]), tracker.mode)
            hessian = problem.posterior(x[: k + 1], labels[: k + 1]).hessian(exact)
            worst = max(worst, np.abs((tracker.mode - exact) * np.sqrt(np.diagonal(hessian))).max())
            np.testing.assert_allclose(tracker.hessian, hessian, atol=0.03 * hessian.max())
    assert tracker.t == 1500
    assert worst < 0.01
    np.testing.assert_allclose(tracker.covariance @ tracker.hessian, np.eye(3), atol=1e-6)
    tracker.resolve()
    assert np.abs(tracker.posterior.gradient(tracker.mode)).max() < 1e-6


def test_an_outlier_far_beyond_the_quadratic_model_is_solved():
    problem = PoissonRegression(2)
    tracker = ModeTracker(problem)
    rng = np.random.default_rng(0)
    x = np.concatenate([0.3 * rng.normal(size=(60, 2)), [[4.0, 3.0]]])
    counts = np.append(rng.poisson(1.0, 60), 3000.0)
    for row, label in zip(x, counts, strict=True):
        tracker.add(row, label)
    exact = find_mode(problem.posterior(x, counts))
    np.testing.assert_allclose(tracker.mode, exact, atol=0.05 * np.sqrt(np.diagonal(tracker.covariance)).max())


def test_a_copy_is_independent():
    problem, (x, labels) = stream("logistic", 100)
    tracker = ModeTracker(problem)
    for k in range(70):
        tracker.add(x[k], labels[k])
    other = copy.deepcopy(tracker)
    for k in range(70, 100):
        tracker.add(x[k], labels[k])
        other.add(-x[k], labels[k])
    assert tracker.t == other.t == 100
    np.testing.assert_array_equal(tracker.posterior.features, x)
    np.testing.assert_array_equal(other.posterior.features[:70], x[:70])
    np.testing.assert_array_equal(other.posterior.features[70:], -x[70:])
    tracker = OracleModeTracker(CountingOracle(problem, (x, labels)).problem)
    for _ in range(40):
        tracker.add()
    other, before = copy.deepcopy(tracker), tracker.mode.copy()
    other.add()
    assert tracker.t == 40 and np.array_equal(tracker.mode, before) and other.t == 41


def test_an_oracles_tracked_mode_is_that_of_its_model():
    problem, data = stream("logistic", 400, seed=3)
    exact, by_oracle = ModeTracker(problem), OracleModeTracker(CountingOracle(problem, data).problem)
    for row, label in zip(*data, strict=True):
        exact.add(row, label)
        by_oracle.add()
        if exact.t >= 20:  # both are within 0.01 sd of the mode, the first by its documented bound
            away = (by_oracle.mode - exact.mode) / np.sqrt(np.diagonal(exact.covariance))
            assert np.abs(away).max() < 0.03, exact.t
    # errors of a central difference with step 1e-5: 1e-10 F''' and 1e-16 |grad| / 1e-5, far below 1e-4 of H
    by_oracle.resolve(), exact.resolve()
    assert np.allclose(by_oracle.hessian, exact.hessian, rtol=1e-4, atol=1e-4 * np.abs(exact.hessian).max())
    assert np.allclose(by_oracle.mode, exact.mode, atol=1e-6)


@pytest.mark.parametrize("by_oracle", [False, True])
def test_a_flat_prior_has_no_covariance_until_the_data_span_every_direction(by_oracle):
    problem, rows, labels = LinearRegression(2, 0.0), np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.ones(4)
    tracker = OracleModeTracker(CountingOracle(problem, (rows, labels)).problem) if by_oracle else ModeTracker(problem)
    for t, datum in enumerate(zip(rows, labels, strict=True)):
        assert np.isinf(np.diagonal(tracker.covariance)).all() == (t < 3)
        tracker.add(*(() if by_oracle else datum))
    assert np.allclose(tracker.mode, np.linalg.lstsq(rows, labels)[0], atol=1e-6)
    assert np.allclose(tracker.hessian, rows.T @ rows, rtol=1e-5)


@pytest.mark.parametrize("method", ["polya_gamma", "mala", "hmc"])
def test_chains_agree_with_the_grid_on_a_skewed_posterior(method):
    x, y = stream("logistic", 30, dim=2)[1]
    problem = LogisticRegression(2, prior_precision=0.5)
    grid = grid_of(problem, x, y)
    reference = long_chain_reference(problem.posterior(x, y), draws=4000, seed=1, method=method)
    assert reference.samples.shape == (4000, 2)
    assert np.all(reference.rhat < 1.02) and np.all(reference.ess > 500)
    # Standard errors: sd/sqrt(ess) of a mean, about sd/sqrt(2 ess) of an sd (times 1.3 for the skew); four of each.
    np.testing.assert_array_less(np.abs(reference.mean - grid.mean) / grid.std, 4 / np.sqrt(reference.ess))
    np.testing.assert_array_less(np.abs(reference.std / grid.std - 1), 4 / np.sqrt(reference.ess))
    at = grid.mean + grid.std * np.linspace(-3, 3, 31)[:, None]
    # Kolmogorov: exceeds 1.95/sqrt(n) with probability 1e-3.
    assert np.abs(reference.cdf(at) - grid.cdf(at)).max() < 1.95 / np.sqrt(reference.ess.min())


def test_draws_in_many_dimensions_are_nearly_independent():
    rng = np.random.default_rng(2)
    posterior = LinearRegression(60).posterior(rng.normal(size=(90, 60)), rng.normal(size=90))
    exact, reference = gaussian_reference(posterior), long_chain_reference(posterior, draws=1600)
    assert np.median(reference.ess) > 1000  # 16 chains of 100
    # The largest of 60 standard errors exceeds 4 for one data set in 260.
    np.testing.assert_array_less(np.abs(reference.mean - exact.mean) / exact.std, 4 / np.sqrt(reference.ess))
    np.testing.assert_array_less(np.abs(reference.std / exact.std - 1), 4 / np.sqrt(reference.ess))


def test_the_seed_determines_the_reference_and_stop_ends_it():
    posterior = LogisticRegression(2).posterior(*stream("logistic", 30, dim=2)[1])
    first, second = (long_chain_reference(posterior, draws=200, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.samples, second.samples)
    calls = itertools.count(1)
    assert long_chain_reference(posterior, draws=10**6, stop=lambda: next(calls) == 7) is None
    assert next(calls) == 8


@pytest.mark.parametrize("kind", KINDS)
def test_value_and_gradient_do_not_depend_on_threads_or_neighbours(kind, monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # share any amount of work
    problem, data = stream(kind, 150)
    posterior, theta = problem.posterior(*data), np.random.default_rng(0).normal(size=(7, 3))
    value, gradient = potential_at_points(posterior, 1)(theta)
    moved = value - posterior.potential(theta)  # the constant
    np.testing.assert_allclose(moved, moved[0], atol=1e-9 * np.abs(value).max())
    np.testing.assert_allclose(gradient, posterior.gradient(theta), rtol=1e-10, atol=1e-8)
    for threads in (2, 5):
        again = potential_at_points(posterior, threads)(theta)
        np.testing.assert_array_equal(again[0], value)
        np.testing.assert_array_equal(again[1], gradient)
    np.testing.assert_array_equal(potential_at_points(posterior, 1)(theta[4:5])[0], value[4:5])


def test_sampled_cdf_is_continuous_increasing_and_has_tails():
    draws = np.random.default_rng(4).normal(size=(500, 1))
    reference = SampleReference(draws, 10, np.array([500.0]), np.array([1.0]))
    at = np.linspace(-9, 9, 4001)[:, None]
    values = reference.cdf(at)[:, 0]
    assert np.all(np.diff(values) >= 0)
    assert np.diff(values).max() < 0.02
    assert 0 < values[0] < 1e-6
    assert 1 - 1e-6 < values[-1] <= 1
    np.testing.assert_allclose(reference.cdf(np.sort(draws, axis=0))[:, 0], (np.arange(500) + 0.5) / 500)
    moved = reference.moved(shift=[2.0], scale=0.5, t=40)
    assert moved.mean == pytest.approx(reference.mean + 2)
    assert moved.std == pytest.approx(reference.std / 2)
    assert moved.t == 40


@pytest.mark.parametrize("kind", ["logistic", "linear", "gaussian"])
def test_mode_and_curvature_are_those_of_the_remaining_data(kind):
    problem, data = stream(kind, 90, dim=2)
    tracker, fresh = ModeTracker(problem), ModeTracker(problem)
    for i in range(60):
        tracker.add(*(part[i] for part in data))
    tracker.forget(25)
    for i in range(60, 90):
        tracker.forget(1)
        tracker.add(*(part[i] for part in data))
    for i in range(55, 90):
        fresh.add(*(part[i] for part in data))
    fresh.resolve()
    sd = np.sqrt(np.diagonal(fresh.covariance))
    assert (tracker.t, tracker.forgotten) == (35, 55)
    np.testing.assert_allclose(tracker.mode, fresh.mode, atol=0.01 * sd.min())  # the documented accuracy of a tracker
    np.testing.assert_allclose(np.diagonal(tracker.covariance), sd**2, rtol=0.02)
    for bad in (0, 35, 1.5):
        with pytest.raises(ValueError, match="n must be a whole number .*; one datum at least must be left"):
            tracker.forget(bad)


def test_a_grid_is_that_of_the_remaining_data():
    problem, (features, labels) = stream("logistic", 60, dim=2)
    grid, fresh = grid_of(problem, features, labels), grid_of(problem, features[20:], labels[20:])
    grid.forget(20)
    # Windows were fitted to different data; one extra row would move the mean by a tenth of an sd.
    np.testing.assert_allclose(grid.mean, fresh.mean, atol=1e-4 * fresh.std.min())
    np.testing.assert_allclose(grid.std, fresh.std, rtol=1e-4)
    points = fresh.mean + fresh.std * np.random.default_rng(4).normal(size=(20, 2))
    np.testing.assert_allclose(grid.cdf(points), fresh.cdf(points), atol=1e-4)
    with pytest.raises(ValueError, match="n must be a whole number"):
        grid.forget(41)
