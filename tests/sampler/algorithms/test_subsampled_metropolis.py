"""MH-SS: its bound, detailed balance summed over all subsamples, the kernel's draws, its law, and what a step costs."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import poisson

from sampler import LogisticRegression, Settings, SubsampledMetropolis, find_mode, gaussian_reference
from sampler.algorithms.sampler_copies import standing_at
from sampler.kernels.rng import spawn_generators
from sampler.kernels.subsampled_metropolis import logistic_remainder, proposal, rate_of_datum, sampled_ratio
from tests.sampler.algorithms.streams import grid_of, stream


def controlled(t, dim, seed=0, scale=1.0):
    """Sampler after t logistic data, its rows stretched by ``scale``."""
    problem, (features, labels) = stream("logistic", t, dim, seed)
    s = SubsampledMetropolis(problem, Settings(i_max=1), chains=2)
    s.observe(features * scale, labels)
    return s


def limit_of(s, x, y):
    """M of two points, by the kernel that proposes."""
    factor, dim = s.control.factor, s.dim
    whiten = np.ascontiguousarray(np.linalg.inv(factor).T)
    out = np.empty(dim)
    change, limit = proposal(whiten, whiten.T @ s.control.hessian @ whiten, whiten.T @ s.control.gradient, x,
                             s.control.point, factor.T @ (y - x), 0, 1.0, np.ascontiguousarray(factor.T),
                             np.empty((2, dim)), out)
    np.testing.assert_allclose(out, y, atol=1e-9)
    return change, limit


def remainders(s, x, y):
    control, rows = s.control, s.posterior.rows
    return np.array([logistic_remainder(rows[k] @ x, rows[k] @ y, control.scores[k], control.means[k])
                     for k in range(s.t)])


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_the_remainder_is_what_is_left_of_the_potential_and_stays_within_its_bound(scale):
    s, rng = controlled(11, 2, scale=scale), np.random.default_rng(1)
    weights, closest = np.diff(s.control.sums[0, :11], prepend=0.0), 0.0
    for _ in range(200):
        x, y = s.control.point + rng.standard_normal((2, 2)) * np.exp(rng.normal(0, 2))
        change, limit = limit_of(s, x, y)
        left = remainders(s, x, y)
        f = s.posterior
        assert abs(f.potential(y) - f.potential(x) - change - left.sum()) < 1e-9 * (1 + abs(f.potential(y)) + abs(change))
        assert (np.abs(left) <= weights * limit * (1 + 1e-9) + 1e-12).all()
        closest = max(closest, (np.abs(left) / (weights * limit)).max())
    assert closest > 0.1  # no empty bound


def acceptance(changes, limits, change):
    """Chance of both tests, summed over all subsamples: numbers of each of three data from 0 to where none is left."""
    rates = [rate_of_datum(*pair) for pair in zip(changes, limits, strict=True)]
    back = [rate - one for rate, one in zip(rates, changes, strict=True)]
    most = [int(poisson.isf(1e-13, rate)) + 1 for rate in rates]
    logs = [np.log(b / r) for b, r in zip(back, rates, strict=True)]
    total = 0.0
    for counts in product(*(range(m + 1) for m in most)):
        chance = np.prod([poisson.pmf(n, rate) for n, rate in zip(counts, rates, strict=True)])
        total += chance * min(1.0, np.exp(np.dot(counts, logs)))
    return total * min(1.0, np.exp(-change)), total


@pytest.mark.parametrize(("x", "y"), [(0.3, 1.2), (-1.0, 0.4), (2.0, 1.5)])
def test_detailed_balance_holds_to_rounding_and_the_kernel_draws_those_subsamples(x, y):
    s = controlled(3, 1, scale=2.0)
    x, y = s.control.point + np.array([x]), s.control.point + np.array([y])
    change, limit = limit_of(s, x, y)
    weights, left = np.diff(s.control.sums[0, :3], prepend=0.0), remainders(s, x, y)
    forth, second = acceptance(left, weights * limit, change)
    back, _ = acceptance(-left, weights * limit, -change)
    f = s.posterior
    assert abs(np.exp(f.potential(x) - f.potential(y)) * forth / back - 1) > 0.005 or abs(left.sum()) < 0.005
    # pi(x) P(x accepts y) = pi(y) P(y accepts x); what is left out of the sums has a chance of 3e-13
    assert np.exp(f.potential(y) - f.potential(x)) * forth == pytest.approx(back, rel=1e-9)
    rng, draws, control = spawn_generators(5, 1, 1)[0, 0], 40_000, s.control
    ends = np.zeros((2, 8))
    ends[:, 0] = x[0], y[0]
    ratios = np.array([sampled_ratio(rng, s._rows.rows, control.sums[0], control.scores, control.means, 3, *ends, limit)
                       for _ in range(draws)])
    passed, mean = np.minimum(1.0, np.exp(ratios[:, 0])), weights.sum() * limit
    # a mean of draws with the spread that they show; a Poisson number's variance is its mean: five deviations each
    assert abs(passed.mean() - second) < 5 * passed.std() / np.sqrt(draws) + 1e-12
    assert abs(ratios[:, 1].mean() - mean) < 5 * np.sqrt(mean / draws)


@pytest.mark.parametrize(("t", "scale", "reads_all"), [(40, 1.0, False), (6, 6.0, True)])
def test_its_law_is_that_of_a_grid(t, scale, reads_all):
    problem, (features, labels) = stream("logistic", t, 2)
    features = features * scale
    s = SubsampledMetropolis(problem, Settings(i_max=1, random_length=False), chains=2000, seed=4)
    s.observe(features[:-1], labels[:-1])
    s.settings = s.settings.replace(i_max=60)
    before = s.gradient_evaluations
    epoch = s.observe(features[-1], labels[-1])
    a_step = (s.gradient_evaluations - before) / epoch.steps
    assert (a_step > 1.3 * t) if reads_all else (1.1 < a_step < 0.5 * t)
    u = np.sort(grid_of(problem, features, labels).cdf(epoch.samples), axis=0)
    # Kolmogorov's distance of 2,000 independent draws: 0.0497 is passed once in 10,000 times.
    steps = np.arange(1, 2001)[:, None] / 2000
    assert np.maximum(np.abs(steps - u), np.abs(steps - 1 / 2000 - u)).max() < 0.0497
    assert 0.2 < s.acceptance_rate < 0.9


def test_a_linear_model_reads_no_datum_and_has_its_exact_law():
    problem, data = stream("linear", 50)
    s = SubsampledMetropolis(problem, Settings(i_max=1, random_length=False), chains=4000, seed=3)
    s.observe(*(part[:-1] for part in data))
    s.settings = s.settings.replace(i_max=80)
    epoch, truth = s.observe(*(part[-1] for part in data)), gaussian_reference(s.posterior)
    assert epoch.gradient_evaluations == epoch.steps + 1  # the new datum's expansion
    white = (epoch.samples - truth.mean) @ np.linalg.cholesky(np.linalg.inv(truth.covariance))
    # 4,000 independent draws of N(0, I): sd of a mean 0.0158, of a second moment at most 0.0224; five of them.
    assert np.abs(white.mean(axis=0)).max() < 5 * 0.0158
    assert np.abs(white.T @ white / 4000 - np.eye(3)).max() < 5 * 0.0224


def test_a_step_reads_fewer_data_as_they_grow():
    reads = []
    for t in (257, 4097):
        problem, data = stream("logistic", t, 3)
        held, mode = tuple(part[:-1] for part in data), find_mode(problem.posterior(*data))
        s = standing_at(SubsampledMetropolis, problem, held, Settings(i_max=100, random_length=False), 400, 1, mode)
        s.follow(t - 1)  # a refit one datum ago: the control point is the mode
        epoch = s.observe(*(part[-1] for part in data))
        reads.append((epoch.gradient_evaluations - 1) / epoch.steps - 1)
    # A posterior 4 times narrower has remainders 64 times smaller, of 16 times as many data: a fourth. Rows of 257 normal
    # data have third moments within 10 % of their law's.
    assert 4 / 1.3 < reads[0] / reads[1] < 4 * 1.3


def test_the_scale_is_saved():
    s = SubsampledMetropolis(LogisticRegression(2), chains=2, scale=0.5)
    assert SubsampledMetropolis.from_snapshot(s.snapshot()).scale == 0.5
