"""Laplace, exact where F_t is quadratic and every pass counted; online Laplace against the minimisation that defines it."""


import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from sampler import GradientOracle, LogisticRegression, Settings, find_mode, gaussian_reference
from sampler.algorithms.laplace import Laplace, OnlineLaplace, proximal_score
from tests.sampler.algorithms.streams import CountingOracle, stream


@pytest.mark.parametrize("kind", ["linear", "gaussian"])
def test_it_is_exact_where_the_posterior_is_gaussian(kind):
    problem, data = stream(kind, 50)
    s = Laplace(problem, chains=4000, seed=3)
    samples = s.observe(*data).samples
    truth = gaussian_reference(s.posterior)
    np.testing.assert_allclose(s.mean, truth.mean, rtol=1e-9)
    np.testing.assert_allclose(s.covariance, truth.covariance, rtol=1e-9, atol=1e-15)
    white = (samples - truth.mean) @ np.linalg.cholesky(np.linalg.inv(truth.covariance))
    # 4,000 independent draws of N(0, I): sd of a mean 0.0158, of a second moment at most 0.0224; five of them.
    assert np.abs(white.mean(axis=0)).max() < 5 * 0.0158
    assert np.abs(white.T @ white / 4000 - np.eye(3)).max() < 5 * 0.0224


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_mode_and_hessian_are_those_of_every_epoch(kind):
    problem, data = stream(kind, 60)
    s = Laplace(problem, chains=2)
    for i in range(60):
        epoch = s.observe(*(part[i] for part in data))
        mode = find_mode(s.posterior)
        np.testing.assert_allclose(s.mean, mode, atol=1e-6)
        np.testing.assert_allclose(np.linalg.inv(s.covariance), s.posterior.hessian(mode), rtol=1e-4)
        # the first gradient, then one pass a Newton step; never a pass that is not one of t data
        assert epoch.gradient_evaluations % (i + 1) == 0 and 2 <= epoch.gradient_evaluations / (i + 1) <= 12
        assert epoch.steps == 2 and (s.run_lengths == 1).all()


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_an_oracles_hessian_is_counted(kind):
    problem, data = stream(kind, 15)
    oracle = CountingOracle(problem, data)
    ours, theirs = Laplace(problem, chains=2, seed=1), Laplace(oracle.problem, chains=2, seed=1, start=np.zeros(3))
    for i in range(15):
        ours.observe(*(part[i] for part in data))
        theirs.observe()
    np.testing.assert_allclose(theirs.mean, ours.mean, atol=1e-5)
    np.testing.assert_allclose(theirs.covariance, ours.covariance, rtol=1e-3, atol=1e-6)
    assert oracle.count == theirs.gradient_evaluations > 3 * ours.gradient_evaluations


def test_without_a_mode_or_a_hessian_it_says_so_and_nothing_changes():
    flat = Laplace(LogisticRegression(2, prior_precision=0.0), chains=2)
    linear = Laplace(GradientOracle(lambda i, x: np.ones((len(i), 2)), 2), chains=2)
    for s, datum in [(flat, ([1.0, 0.0], 1)), (linear, ())]:
        before = s.snapshot()
        with pytest.raises(ValueError, match="prior_precision above 0"):
            s.observe(*datum)
        assert s.snapshot().meta == before.meta and s.t == 0
        with pytest.raises(ValueError, match="prior_precision above 0"):
            s.arrive(*datum)
        assert s.snapshot().meta == before.meta and s.t == 0 and s.posterior.t == 0


def test_draws_are_new_in_every_epoch_and_settings_do_not_matter():
    problem, data = stream("logistic", 40)
    runs = [Laplace(problem, settings, chains=500, seed=2) for settings in (None, Settings(eta0=5.0, i_max=7))]
    first, second = (s.observe(*(part[:39] for part in data)).samples for s in runs)
    np.testing.assert_array_equal(first, second)
    later = runs[0].observe(*(part[39] for part in data)).samples
    correlation = np.corrcoef(first[:, 0], later[:, 0])[0, 1]
    assert abs(correlation) < 5 / np.sqrt(500)


# online ------------------------------------------------------------------------------------------------------


def test_every_update_is_the_papers():
    problem, (features, labels) = stream("logistic", 40)
    s = OnlineLaplace(problem, chains=2)
    mean, precision = np.zeros(3), np.ones(3)
    for row, label in zip(features, 2.0 * labels - 1.0, strict=True):
        def objective(w, mean=mean, precision=precision, row=row, label=label):
            return 0.5 * precision @ (w - mean) ** 2 + np.logaddexp(0.0, -label * (row @ w))
        w = minimize(objective, mean, method="BFGS", options={"gtol": 1e-9}).x
        p = 1 / (1 + np.exp(-row @ w))
        mean, precision = w, precision + row**2 * p * (1 - p)
        s.observe(row, label)
        np.testing.assert_allclose(s.mean, mean, atol=2e-6)
        np.testing.assert_allclose(s.precision, precision, rtol=1e-5)
        mean, precision = s.mean, s.precision


@pytest.mark.parametrize("score", [-1e4, -30.0, -1.0, 0.0, 2.0, 50.0, 1e4])
@pytest.mark.parametrize("leverage", [1e-8, 0.1, 3.0, 1e6])
def test_the_root_is_found_from_anywhere(score, leverage):
    z, made = proximal_score(score, leverage)
    assert abs(z + leverage * expit(z) - score) < 1e-12 * (1 + abs(score) + leverage)
    assert made <= 20
