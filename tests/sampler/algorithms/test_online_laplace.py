"""Online Laplace against the minimisation it is defined by, and against what it leaves out."""


import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from sampler import LogisticRegression, PoissonRegression, find_mode
from sampler.algorithms.online_laplace import OnlineLaplace, proximal_score
from tests.sampler.algorithms.streams import stream


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


def test_one_datum_a_time_costs_the_same_for_ever():
    problem, data = stream("logistic", 400)
    s = OnlineLaplace(problem, chains=3)
    costs = [s.observe(*(part[i] for part in data)).gradient_evaluations for i in range(400)]
    assert max(costs) <= 12 and abs(np.polyfit(np.log(np.arange(1, 401)), np.log(costs), 1)[0]) < 0.15


def test_its_draws_are_its_gaussians():
    problem, data = stream("logistic", 10)
    s = OnlineLaplace(problem, chains=5000)
    white = (s.observe(*data).samples - s.mean) * np.sqrt(s.precision)
    assert np.abs(white.mean(axis=0)).max() < 5 / np.sqrt(5000)
    assert np.abs(white.T @ white / 5000 - np.eye(3)).max() < 5 * np.sqrt(2 / 5000)


def test_it_is_near_where_coordinates_do_not_meet_and_too_sure_of_itself_where_they_do():
    rng = np.random.default_rng(0)
    apart, together = np.eye(3)[rng.integers(0, 3, 3000)], np.ones((3000, 3)) + 0.3 * rng.standard_normal((3000, 3))
    for features, separate in ((apart, True), (together, False)):
        problem = LogisticRegression(3)
        labels = (rng.random(3000) < 1 / (1 + np.exp(-features @ [1.0, -0.5, 0.2]))).astype(int)
        s = OnlineLaplace(problem, chains=2)
        s.observe(features, labels)
        mode = find_mode(s.posterior)
        truth = np.linalg.inv(s.posterior.hessian(mode))
        ratio = np.sqrt(np.diag(s.covariance) / np.diag(truth))
        if separate:
            assert np.abs(ratio - 1).max() < 0.1
            assert np.abs((s.mean - mode) / np.sqrt(np.diag(truth))).max() < 1.0
        else:
            assert ratio.max() < 0.6


def test_it_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="problem must be a LogisticRegression for OnlineLaplace"):
        OnlineLaplace(PoissonRegression(2))
    with pytest.raises(ValueError, match="prior_precision must be above 0"):
        OnlineLaplace(LogisticRegression(2, prior_precision=0.0))
