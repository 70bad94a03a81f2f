import numpy as np
import pytest

from sampler import threads as pool
from sampler.problems.glm import LinearRegression, LogisticRegression
from sampler.reference.exact_chains import potential_at_points
from sampler.reference.gaussian_reference import gaussian_reference
from sampler.reference.long_chain import SampleReference, long_chain_reference
from tests.sampler.algorithms.streams import grid_of, stream


def logistic(t=30, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(t, 2))
    return x, (rng.random(t) < 1 / (1 + np.exp(-x @ [2.0, -1.0]))).astype(float)


@pytest.mark.parametrize("method", ["polya_gamma", "mala", "hmc"])
def test_chains_agree_with_the_grid_on_a_skewed_posterior(method):
    x, y = logistic()
    problem = LogisticRegression(2, prior_precision=0.5)
    grid = grid_of(problem, x, y)
    found = long_chain_reference(problem.posterior(x, y), draws=4000, seed=1, method=method)
    assert found.samples.shape == (4000, 2)
    assert np.all(found.rhat < 1.02)
    assert np.all(found.ess > 500)
    # Standard errors: of a mean sd/sqrt(ess), of a sd about sd/sqrt(2 ess) (times 1.3 for the skew); four
    # of each.
    np.testing.assert_array_less(np.abs(found.mean - grid.mean) / grid.std, 4 / np.sqrt(found.ess))
    np.testing.assert_array_less(np.abs(found.std / grid.std - 1), 4 / np.sqrt(found.ess))
    at = grid.mean + grid.std * np.linspace(-3, 3, 31)[:, None]
    # Kolmogorov: 1.95/sqrt(n) is passed once in 1,000.
    assert np.abs(found.cdf(at) - grid.cdf(at)).max() < 1.95 / np.sqrt(found.ess.min())


def test_draws_in_many_dimensions_are_nearly_independent():
    rng = np.random.default_rng(2)
    posterior = LinearRegression(60).posterior(rng.normal(size=(90, 60)), rng.normal(size=90))
    exact, found = gaussian_reference(posterior), long_chain_reference(posterior, draws=1600)
    assert np.median(found.ess) > 1000  # 16 chains of 100
    # The largest of 60 standard errors is below 4 but for one data set in 260.
    np.testing.assert_array_less(np.abs(found.mean - exact.mean) / exact.std, 4 / np.sqrt(found.ess))
    np.testing.assert_array_less(np.abs(found.std / exact.std - 1), 4 / np.sqrt(found.ess))


def test_one_seed_one_reference_and_a_stop_that_stops():
    posterior = LogisticRegression(2).posterior(*logistic())
    first, second = (long_chain_reference(posterior, draws=200, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.samples, second.samples)
    asked = []

    def stop():
        asked.append(1)
        return len(asked) == 7

    assert long_chain_reference(posterior, draws=10**6, stop=stop) is None
    assert len(asked) == 7


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson"])
def test_value_and_gradient_do_not_depend_on_threads_or_neighbours(kind, monkeypatch):
    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)  # any work is enough to share
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
