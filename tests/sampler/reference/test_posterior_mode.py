import copy

import numpy as np
import pytest

from sampler.problems.gaussian_mean import GaussianMean
from sampler.problems.glm import LinearRegression, LogisticRegression, PoissonRegression
from sampler.problems.gradient_oracle import GradientOracle
from sampler.reference.posterior_mode import ModeTracker, find_mode

PROBLEMS = [
    LogisticRegression(3),
    LinearRegression(3, noise_std=0.5),
    PoissonRegression(3, prior_precision=2.0),
]


def stream(problem, t, seed=0):
    rng = np.random.default_rng(seed)
    x = 0.7 * rng.normal(size=(t, 3))
    z = x @ [1.0, -0.5, 0.3]
    labels = {
        "logistic": lambda: rng.random(t) < 1 / (1 + np.exp(-z)),
        "linear": lambda: z + 0.5 * rng.normal(size=t),
        "poisson": lambda: rng.poisson(np.exp(z)),
    }[problem.kind]()
    return x, np.asarray(labels, float)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_gradient_vanishes_at_the_mode(problem):
    posterior = problem.posterior(*stream(problem, 400))
    mode = find_mode(posterior)
    assert np.abs(posterior.gradient(mode)).max() < 1e-8 * posterior.t
    # F is convex: nothing near is lower.
    nearby = mode + 1e-3 * np.random.default_rng(0).normal(size=(50, 3))
    assert np.all(posterior.potential(nearby) > posterior.potential(mode))


def test_far_starts_and_separable_data_converge_under_a_prior():
    x = np.concatenate([np.eye(2) * 40, -np.eye(2) * 40])
    posterior = LogisticRegression(2).posterior(x, [1, 1, 0, 0])
    for start in ([0.0, 0.0], [50.0, -80.0], [-3000.0, 1.0]):
        mode = find_mode(posterior, np.array(start))
        assert np.abs(posterior.gradient(mode)).max() < 1e-6


def test_no_mode_is_said_in_words():
    x = np.concatenate([np.eye(2), -np.eye(2)])
    with pytest.raises(ValueError, match="prior_precision above 0"):
        find_mode(LogisticRegression(2, prior_precision=0.0).posterior(x, [1, 1, 0, 0]))
    with pytest.raises(ValueError, match="prior_precision above 0"):
        find_mode(LinearRegression(2, prior_precision=0.0).posterior(np.ones((1, 2)), [1.0]))
    with pytest.raises(ValueError, match="start must"):
        find_mode(LogisticRegression(2).posterior(x, [1, 1, 0, 0]), [np.nan, 0])


def test_an_oracles_mode_needs_gradients_only():
    y = np.array([[1.0, 2.0], [3.0, 6.0]])
    oracle = GradientOracle(lambda k, theta: 2 * (theta - y[k]), 2)
    np.testing.assert_allclose(find_mode(oracle.posterior(2)), [2.0, 4.0], atol=1e-6)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_tracked_mode_stays_far_within_a_standard_deviation(problem):
    x, labels = stream(problem, 1500, seed=2)
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
    np.testing.assert_allclose(
        tracker.mode, exact, atol=0.05 * np.sqrt(np.diagonal(tracker.covariance)).max()
    )


def test_gaussian_mean_is_followed_exactly_and_flat_priors_wait():
    y = np.random.default_rng(0).normal(size=(20, 2))
    tracker = ModeTracker(GaussianMean(2))
    assert np.isinf(np.diagonal(tracker.covariance)).all()
    for row in y:
        tracker.add(row)
    np.testing.assert_allclose(tracker.mode, y.mean(axis=0))
    np.testing.assert_allclose(tracker.hessian, 40 * np.eye(2))
    flat = ModeTracker(LinearRegression(2, prior_precision=0.0))
    flat.add([1.0, 0.0], 2.0)
    assert np.isinf(np.diagonal(flat.covariance)).all()
    flat.add([1.0, 1.0], 5.0)
    np.testing.assert_allclose(flat.mode, [2.0, 3.0])


def test_a_copy_goes_its_own_way():
    problem = PROBLEMS[0]
    x, labels = stream(problem, 100)
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


def test_bad_input_is_refused_with_words():
    tracker = ModeTracker(LogisticRegression(2))
    with pytest.raises(ValueError, match="features must"):
        tracker.add([1.0, np.inf], 1)
    with pytest.raises(ValueError, match="label must"):
        tracker.add([1.0, 2.0], 3)
    assert tracker.t == 0
    with pytest.raises(ValueError, match="problem must"):
        ModeTracker(GradientOracle(lambda k, theta: np.zeros((len(k), 1)), 1))
