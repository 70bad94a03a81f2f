"""Warm Laplace: SciPy's mode at every refit, exact where F_t is quadratic, and no lag between two refits."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from sampler import Laplace, LogisticRegression, WarmLaplace, find_mode, gaussian_reference
from sampler.algorithms.warm_laplace import implicit_score, next_refit
from tests.sampler.algorithms.streams import stream

MEANS = {"logistic": expit, "linear": float, "poisson": math.exp}


@pytest.mark.parametrize("kind", ["linear", "gaussian"])
def test_it_is_exact_at_every_datum_where_the_posterior_is_gaussian(kind):
    problem, data = stream(kind, 150)
    s = WarmLaplace(problem, chains=2)
    for i in range(150):
        s.observe(*(part[i] for part in data))
        truth = gaussian_reference(s.posterior)
        np.testing.assert_allclose(s.mean, truth.mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(s.covariance, truth.covariance, rtol=1e-10, atol=1e-12)
    assert s.fitted < 150  # the last datum was filtered, not fitted


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_its_mode_at_a_refit_is_scipys_and_its_covariance_the_hessians(kind):
    problem, data = stream(kind, 400)
    s = WarmLaplace(problem, chains=2)
    refits = 0
    for i in range(400):
        s.observe(*(part[i] for part in data))
        if s.fitted == s.t and s.t in (1, 2, 20, 100, 106, 300) or s.t == s.fitted > 380:
            refits += 1
            posterior = s.posterior
            found = minimize(posterior.potential, np.zeros(3), jac=posterior.gradient, hess=posterior.hessian,
                             method="trust-exact", options={"gtol": 1e-9})
            hessian = posterior.hessian(found.x)
            off = np.abs((s.mean - found.x) * np.sqrt(np.diag(hessian))).max()
            # The last step, 0.01 widths at most, leaves its square times the change of curvature over a width, 1/sqrt(t).
            assert off < 2e-4 / np.sqrt(s.t)
            np.testing.assert_allclose(np.linalg.inv(s.covariance), hessian, rtol=1e-3, atol=1e-3 * np.abs(hessian).max())
    assert refits >= 3


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_between_two_refits_it_stays_near_the_mode(kind):
    problem, data = stream(kind, 2_000)
    s = WarmLaplace(problem, chains=2)
    s.observe(*data)
    stale = WarmLaplace(problem, chains=2)
    stale.observe(*(part[:s.fitted] for part in data))
    mode, covariance = find_mode(s.posterior), np.linalg.inv(s.posterior.hessian(find_mode(s.posterior)))
    off, before = (np.abs((law.mean - mode) / np.sqrt(np.diag(covariance))).max() for law in (s, stale))
    # A filtered datum errs by the change of its curvature over the posterior's width, 1/sqrt(t) of itself: of 5 % new data
    # 1/sqrt(2,000) of what leaving them out costs, and some.
    assert s.fitted < 2_000 and off < 0.02 < before
    np.testing.assert_allclose(np.sqrt(np.diag(s.covariance) / np.diag(covariance)), 1.0, atol=0.01)


def test_refits_are_at_every_datum_first_and_then_each_time_the_data_have_grown():
    problem, data = stream("logistic", 300)
    s, fitted = WarmLaplace(problem, chains=2, refit=0.1), []
    for i in range(300):
        epoch = s.observe(*(part[i] for part in data))
        if s.fitted == s.t:
            fitted.append(s.t)
            assert epoch.gradient_evaluations % s.t == 0
        else:
            assert epoch.gradient_evaluations <= 10
    assert fitted[:12] == [*range(1, 12), 13] and next_refit(13, 0.1) == 15 == fitted[12]
    assert all(later == next_refit(earlier, 0.1) for earlier, later in zip(fitted, fitted[1:], strict=False))


def test_refitted_at_every_datum_it_is_full_laplace():
    problem, data = stream("poisson", 60)
    warm, full = WarmLaplace(problem, chains=3, seed=1, refit=0), Laplace(problem, chains=3, seed=1)
    np.testing.assert_allclose(warm.observe(*data).samples, full.observe(*data).samples, atol=1e-4)
    assert warm.gradient_evaluations < full.gradient_evaluations


@pytest.mark.parametrize("kind", MEANS)
@pytest.mark.parametrize("score", [-30.0, -1.0, 0.0, 2.0, 50.0])
@pytest.mark.parametrize("leverage", [0.0, 1e-8, 0.1, 3.0, 1e4])
def test_the_filters_step_is_the_minimiser_on_its_line(kind, score, leverage):
    target = {"logistic": 0.0, "linear": 1.5, "poisson": 4.0}[kind]
    z, _ = implicit_score(kind, score, leverage, target)
    scale = 1 + abs(score) + leverage * (1 + target)
    assert abs(z + leverage * (MEANS[kind](z) - target) - score) < 1e-10 * scale


def test_the_share_is_checked_and_saved():
    for bad in (-0.1, np.nan, "often", 1e9):
        with pytest.raises(ValueError, match="refit must be"):
            WarmLaplace(LogisticRegression(2), refit=bad)
    s = WarmLaplace(LogisticRegression(2), chains=2, refit=0.5)
    s.observe(np.ones((5, 2)), [0, 1, 1, 0, 1])
    again = WarmLaplace.from_snapshot(s.snapshot())
    assert (again.refit, again.fitted) == (0.5, s.fitted) and s.fitted > 0


def test_without_a_mode_it_says_so_and_nothing_changes():
    s = WarmLaplace(LogisticRegression(2, prior_precision=0.0), chains=2)
    with pytest.raises(ValueError, match="prior_precision above 0"):
        s.observe([1.0, 0.0], 1)
    assert s.t == s.fitted == 0
