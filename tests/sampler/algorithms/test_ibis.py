"""IBIS: moments and evidence of a posterior in closed form, a posterior on a grid, a datum that dominates the others."""

import math

import numpy as np
import pytest

from sampler import IBIS, LinearRegression, gaussian_reference
from sampler.algorithms.ibis import effective_size, systematic_resampling
from tests.sampler.algorithms.streams import grid_of, stream

SEEDS = 8
QUANTILE = 5.41  # of Student's t with 7 degrees of freedom, two-sided 1 in 1,000


def runs(problem, data, particles=400, seeds=SEEDS):
    """Return the samplers at the end of the stream, one per seed."""
    clouds = [IBIS(problem, chains=particles, seed=seed) for seed in range(seeds)]
    for cloud in clouds:
        cloud.observe(*data)
    return clouds


def moments(cloud):
    mean = cloud.weights @ cloud.particles
    away = cloud.particles - mean
    return mean, np.sqrt(cloud.weights @ away**2)


def assert_near(values, truth, bias=0.0):
    """The mean over seeds is correct within 5.41 standard errors, estimated over seeds, and a bias of O(1/N)."""
    values = np.asarray(values)
    errors = values.std(axis=0, ddof=1) / math.sqrt(SEEDS)
    assert (np.abs(values.mean(axis=0) - truth) <= QUANTILE * errors + bias).all()


def log_evidence(problem, features, targets):
    """Log evidence of a linear model, encoded: N(0, Q^-1) prior, density exp(-(y - u . x)^2/2), unnormalised."""
    rows, y = features / problem.noise_std, targets / problem.noise_std
    precision = np.diag(problem.prior_precision) + rows.T @ rows
    pull = rows.T @ y
    gained = 0.5 * (pull @ np.linalg.solve(precision, pull) - y @ y)
    return gained + 0.5 * (np.log(problem.prior_precision).sum() - np.linalg.slogdet(precision)[1])


def test_moments_and_evidence_of_a_linear_model_are_the_exact_ones():
    problem, data = stream("linear", 40)
    clouds, truth = runs(problem, data), gaussian_reference(problem.posterior(*data))
    sd = np.sqrt(np.diag(truth.covariance))
    means, spreads = zip(*map(moments, clouds), strict=True)
    # Every renewal starts from about 200 effective particles; the bias of a self-normalised mean is of order 1/200.
    assert_near(np.array(means) / sd, truth.mean / sd, bias=0.01)
    assert_near(np.array(spreads) / sd, 1.0, bias=0.01)
    evidence = np.array([cloud.log_evidence for cloud in clouds])
    # Its exponential is unbiased, so the logarithm is low by half its variance, to first order.
    assert_near(evidence + 0.5 * evidence.var(ddof=1), log_evidence(problem, *data), bias=0.01)
    drawn = np.array([cloud.positions for cloud in clouds]).mean(axis=1)
    np.testing.assert_allclose(drawn / sd, np.array(means) / sd, atol=4 / math.sqrt(400))  # draws from the particles


@pytest.mark.parametrize("kind", ["logistic", "poisson"])
def test_moments_are_those_of_the_posterior_on_a_grid(kind):
    problem, data = stream(kind, 30, dim=2)
    grid = grid_of(problem, *data)
    means, spreads = zip(*map(moments, runs(problem, data)), strict=True)
    assert_near(np.array(means) / grid.std, grid.mean / grid.std, bias=0.01)
    assert_near(np.array(spreads) / grid.std, 1.0, bias=0.01)


def test_a_dominant_datum_is_tempered():
    """Its information is 10^4 times the prior's: untempered, only a few of 400 particles would remain."""
    problem = LinearRegression(2)
    data = np.array([[0.5, 0.0], [100.0, 100.0], [0.3, -0.2]]), np.array([0.2, 55.0, 0.1])
    clouds, truth = runs(problem, data), gaussian_reference(problem.posterior(*data))
    assert min(cloud.renewals for cloud in clouds) >= 4
    roots = np.linalg.cholesky(np.linalg.inv(truth.covariance))  # in units of the law's principal axes
    errors = [(moments(cloud)[0] - truth.mean) @ roots for cloud in clouds]
    assert_near(errors, 0.0, bias=0.02)


def test_proposals_from_the_clouds_own_normal_mix_in_eight_dimensions():
    """The largest error of 8 means of 1,000 independent draws is near 0.06 sd. States of a walk are correlated: the mean of
    two seeds is 0.13 at most, and 0.23 or more for random walks alone, which stay near their 20 ancestors."""
    problem, data = stream("linear", 100, dim=8)
    truth = gaussian_reference(problem.posterior(*data))
    errors = [np.abs((moments(cloud)[0] - truth.mean) / truth.std).max() for cloud in runs(problem, data, 1000, seeds=2)]
    assert np.mean(errors) < 0.18


def test_evaluations_of_a_datum_and_of_a_renewal():
    problem, data = stream("logistic", 150)
    s = IBIS(problem, chains=100, seed=3, walk=20)
    for i in range(150):
        before = s.renewals
        made = s.observe(*(part[i] for part in data)).gradient_evaluations
        assert made == 100 + (s.renewals - before) * 5 * 19 * s.t
        assert effective_size(np.log(s.weights)) >= 50 - 1e-6
    late = s.renewals
    assert 3 <= late <= 20 and IBIS.from_snapshot(s.snapshot()).renewals == late


def test_resampling_counts_match_the_weights():
    weights = np.array([0.05, 0.5, 0.25, 0.2])
    for uniform in (0.0, 0.31, 0.999):
        counts = np.bincount(systematic_resampling(weights, 40, uniform), minlength=4)
        assert (np.abs(counts - 40 * weights) < 1).all() and counts.sum() == 40
    assert systematic_resampling(np.array([1.0, 0.0]), 3, 0.99).tolist() == [0, 0, 0]
    assert effective_size(np.log([0.5, 0.5])) == pytest.approx(2.0)
