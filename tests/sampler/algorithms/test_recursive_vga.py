"""R-VGA: the Kalman filter on a linear model, the minimiser of the divergence at one datum, and near on a whole stream."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, roots_hermitenorm

from sampler import GridReference, LogisticRegression, OnlineLaplace, PoissonRegression, gaussian_reference
from sampler.algorithms.recursive_vga import PROBIT, RecursiveVGA, logistic_expectations, poisson_expectation
from tests.sampler.algorithms.streams import stream

SCORES, LEVERAGES = [-1e4, -30.0, -1.0, 0.0, 2.0, 50.0, 1e4], [1e-8, 0.1, 3.0, 100.0, 1e6]


@pytest.mark.parametrize("kind", ["linear", "gaussian"])
def test_it_is_exact_at_every_datum_where_the_posterior_is_gaussian(kind):
    problem, data = stream(kind, 200)
    s = RecursiveVGA(problem, chains=2)
    for i in range(200):
        assert s.observe(*(part[i] for part in data)).gradient_evaluations == 1
        truth = gaussian_reference(s.posterior)
        np.testing.assert_allclose(s.mean, truth.mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(s.covariance, truth.covariance, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("leverage", LEVERAGES)
def test_the_papers_two_equations_hold_from_anywhere(score, leverage):
    expected, curvature, made = logistic_expectations(score, leverage)
    mean, variance = score - leverage * expected, leverage / (1 + leverage * curvature)
    k = math.sqrt(PROBIT / (PROBIT + variance))
    assert expected == pytest.approx(expit(k * mean), rel=1e-6, abs=1e-9)
    assert curvature == pytest.approx(k * expit(k * mean) * expit(-k * mean), rel=1e-6, abs=1e-9)
    assert made < 80


@pytest.mark.parametrize("score", [-50.0, -1.0, 0.0, 2.0, 30.0])
@pytest.mark.parametrize("leverage", LEVERAGES)
@pytest.mark.parametrize("count", [0, 1, 40])
def test_poissons_equation_holds_from_anywhere(score, leverage, count):
    expected, made = poisson_expectation(score, leverage, count)
    mean, variance = score - leverage * (expected - count), leverage / (1 + leverage * expected)
    assert math.log(expected) == pytest.approx(mean + variance / 2, abs=1e-9 * (1 + abs(score) + leverage * (1 + count)))
    assert made < 30


NODES, WEIGHTS = roots_hermitenorm(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def divergence(parameters, before, problem, row, target):
    """KL of N(m, LL') to N(m', P') times the likelihood, up to a constant."""
    mean, lower = parameters[:2], np.array([[np.exp(parameters[2]), 0.0], [parameters[3], np.exp(parameters[4])]])
    precision = np.linalg.inv(before.covariance)
    away = mean - before.mean
    prior = 0.5 * (away @ precision @ away + np.trace(precision @ lower @ lower.T)) - parameters[2] - parameters[4]
    scores = row @ mean + np.linalg.norm(lower.T @ row) * NODES
    return prior + WEIGHTS @ problem.score_loss(scores, np.full(60, target))


@pytest.mark.parametrize(("kind", "within"), [("poisson", 1e-4), ("logistic", 0.02)])
def test_a_datum_leads_to_the_nearest_gaussian(kind, within):
    """Of Poisson to the minimiser's own accuracy; of logistic to that of the probit, 0.01 of a probability at most."""
    problem, data = stream(kind, 6, dim=2, seed=3)
    s = RecursiveVGA(problem, chains=2)
    for i in range(6):
        before = RecursiveVGA.from_snapshot(s.snapshot())
        s.observe(*(part[i] for part in data))
        row, target = s.posterior.rows[-1], s.posterior.targets[-1]
        lower = np.linalg.cholesky(before.covariance)
        start = [*before.mean, np.log(lower[0, 0]), lower[1, 0], np.log(lower[1, 1])]
        best = minimize(divergence, start, (before, problem, row, target), "BFGS", options={"gtol": 1e-8}).x
        root = np.array([[np.exp(best[2]), 0.0], [best[3], np.exp(best[4])]])
        sd = np.sqrt(np.diag(before.covariance))
        np.testing.assert_allclose(s.mean / sd, best[:2] / sd, atol=within)
        np.testing.assert_allclose(s.covariance / np.outer(sd, sd), root @ root.T / np.outer(sd, sd), atol=within)


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_it_is_near_the_exact_posterior_on_a_whole_stream(kind):
    problem, (features, labels) = stream(kind, 800, dim=2)
    s, grid = RecursiveVGA(problem, chains=2), GridReference(problem)
    s.observe(features, labels)
    for row, label in zip(features, labels, strict=True):
        grid.add(row, label)
    # Early data are taken in under a law that is far from Gaussian, and what is lost there, a share of one datum's
    # information, is never won back: a few hundredths of the width.
    assert np.abs((s.mean - grid.mean) / grid.std).max() < 0.1
    np.testing.assert_allclose(np.sqrt(np.diag(s.covariance)) / grid.std, 1.0, atol=0.03)
    correlation = s.covariance[0, 1] / np.sqrt(s.covariance[0, 0] * s.covariance[1, 1])
    assert correlation == pytest.approx(grid.covariance[0, 1] / grid.std.prod(), abs=0.03)


def test_correlations_are_kept_where_online_laplace_has_none():
    rng = np.random.default_rng(0)
    features = np.ones((2_000, 3)) + 0.3 * rng.standard_normal((2_000, 3))
    labels = (rng.random(2_000) < expit(features @ [1.0, -0.5, 0.2])).astype(int)
    laws = [kind(LogisticRegression(3), chains=2) for kind in (RecursiveVGA, OnlineLaplace)]
    for law in laws:
        law.observe(features, labels)
    truth = np.linalg.inv(laws[0].posterior.hessian(laws[0].mean))
    ratios = [np.sqrt(np.diag(law.covariance) / np.diag(truth)) for law in laws]
    assert np.abs(ratios[0] - 1).max() < 0.05 < 0.4 < np.abs(ratios[1] - 1).max()


def test_what_it_cannot_do_is_refused_and_a_row_of_zeros_tells_nothing():
    with pytest.raises(ValueError, match="prior_precision must be above 0"):
        RecursiveVGA(LogisticRegression(2, prior_precision=0.0))
    with pytest.raises(ValueError, match="problem must have at most 2,000 dimensions for RecursiveVGA, got 2,001"):
        RecursiveVGA(PoissonRegression(2_001))
    s = RecursiveVGA(LogisticRegression(2), chains=2)
    s.observe([1.0, 2.0], 1)
    mean, covariance = s.mean, s.covariance
    assert s.observe([0.0, 0.0], 1).gradient_evaluations == 0
    np.testing.assert_array_equal(s.mean, mean)
    np.testing.assert_array_equal(s.covariance, covariance)
