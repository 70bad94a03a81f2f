"""Zig-Zag: its events and bounds, one datum's estimate of a rate, the flow's law on exact posteriors."""

import numpy as np
import pytest

from sampler import DivergenceError, LinearRegression, LogisticRegression, Settings, ZigZag, gaussian_reference
from sampler.kernels.rng import spawn_generators
from sampler.kernels.zigzag import estimated_rate, first_event, flow
from tests.sampler.algorithms.streams import grid_of, stream

KINDS = ["logistic", "linear"]


@pytest.mark.parametrize(("level", "growth"), [(0.0, 2.0), (3.0, 0.0), (1e-9, 1e-3), (5.0, 7.0)])
def test_an_event_comes_when_the_rates_integral_reaches_its_exponential(level, growth):
    for exponential in (1e-6, 0.3, 40.0):
        time = first_event(level, growth, exponential)
        assert level * time + 0.5 * growth * time**2 == pytest.approx(exponential, rel=1e-12)
    assert first_event(0.0, 0.0, 1.0) == np.inf


def standing(kind, t=13, dim=3):
    problem, data = stream(kind, t, dim)
    s = ZigZag(problem, Settings(i_max=1), chains=2)
    s.observe(*data)
    return problem, s, s.control, s.posterior


@pytest.mark.parametrize("kind", KINDS)
def test_data_estimate_the_derivative_without_bias_and_within_the_bound(kind):
    problem, s, control, posterior = standing(kind)
    rng, closest = np.random.default_rng(3), 0.0
    for _ in range(100):
        x, v = control.point + rng.standard_normal(3) * np.exp(rng.normal(0, 1)), rng.choice([-1.0, 1.0], 3)
        later = rng.exponential()
        y = x + later * v
        slopes = v * posterior.gradient(y)
        for i in range(3):
            weights = np.diff(control.sums[i, :s.t], prepend=0.0)
            total = control.sums[i, s.t - 1]
            rates = np.array([estimated_rate(i, problem.kind_code, row, mean, total, problem.prior_precision, control.point,
                                             control.gradient, y, v)
                              for row, mean in zip(posterior.rows, control.means, strict=False)])
            assert weights / total @ rates == pytest.approx(slopes[i], rel=1e-9, abs=1e-9 * total)
            most, away = problem.curvature_bound * total, x - control.point
            bound = (max(0.0, v[i] * (control.gradient[i] + problem.prior_precision[i] * away[i]))
                     + most * np.linalg.norm(away) + (problem.prior_precision[i] + most * np.sqrt(3)) * later)
            assert rates.max() <= bound * (1 + 1e-12)
            closest = max(closest, rates.max() / bound)
    assert closest > 0.5  # no empty bound


def test_a_coordinate_without_data_turns_by_its_prior_alone():
    """N(0, 1/4) in one coordinate: after a long time the places of 4,000 processes have its law."""
    x, v, rng = np.zeros(1), np.ones(1), spawn_generators(0, 1, 1)[0, 0]
    places = np.empty(4000)
    for k in range(4000):
        read = flow(0, 0.25, np.array([4.0]), np.zeros((1, 8)), np.zeros(1), np.zeros(1), np.full(1, 0.5),
                    np.zeros((1, 1)), 1, x, v, 5.0, rng)  # ten widths on
        assert read == 0
        places[k] = x[0]
    # Places ten widths apart are nearly independent: sd of the mean 0.0158 widths, of the variance 0.0224; five of them.
    assert abs(places.mean() / 0.5) < 5 * 0.0158 and abs(places.var() / 0.25 - 1) < 5 * 0.0224


def drawn(kind, t, dim, eta0, steps):
    problem, data = stream(kind, t, dim)
    s = ZigZag(problem, Settings(eta0=eta0, i_max=1, random_length=False), chains=2000, seed=6)
    s.observe(*(part[:-1] for part in data))
    s.settings = s.settings.replace(i_max=steps)
    return problem, data, s, s.observe(*(part[-1] for part in data))


@pytest.mark.parametrize(("eta0", "steps"), [(2.0, 12), (0.05, 80)])
def test_its_law_is_that_of_a_grid_however_long_a_step(eta0, steps):
    problem, data, s, epoch = drawn("logistic", 40, 2, eta0, steps)
    u = np.sort(grid_of(problem, *data).cdf(epoch.samples), axis=0)
    # Kolmogorov's distance of 2,000 independent draws: 0.0497 is passed once in 10,000 times.
    ranks = np.arange(1, 2001)[:, None] / 2000
    assert np.maximum(np.abs(ranks - u), np.abs(ranks - 1 / 2000 - u)).max() < 0.0497
    assert set(np.unique(s.velocities)) == {-1.0, 1.0} and epoch.gradient_evaluations > 1


def test_its_law_on_a_linear_model_is_the_exact_one():
    _, _, s, epoch = drawn("linear", 50, 3, 1.0, 30)
    truth = gaussian_reference(s.posterior)
    white = (epoch.samples - truth.mean) @ np.linalg.cholesky(np.linalg.inv(truth.covariance))
    # 2,000 independent draws of N(0, I): sd of a mean 0.0224, of a second moment at most 0.0316; five of them.
    assert np.abs(white.mean(axis=0)).max() < 5 * 0.0224
    assert np.abs(white.T @ white / 2000 - np.eye(3)).max() < 5 * 0.0316


def test_a_step_without_end_stops_the_chain_with_an_error():
    s = ZigZag(LinearRegression(2), Settings(eta0=1e6, i_max=3), chains=2, start=np.ones(2))
    with pytest.raises(DivergenceError, match="eta0.*diverged at epoch 1"):
        s.observe([300.0, 300.0], 1.0)  # a time of 800, in a posterior 0.003 wide
    assert np.array_equal(s.positions, np.ones((2, 2))) and s.gradient_evaluations >= 200_000
    s.settings = s.settings.replace(eta0=1e-6)
    assert s.restart_diverged() == 2 and np.isfinite(s.observe([300.0, 0.0], 1.0).samples).all()


def test_many_dimensions_are_refused_in_words():
    with pytest.raises(ValueError, match="at most 25 dimensions for ZigZag, got 26"):
        ZigZag(LogisticRegression(26))
    assert ZigZag(LogisticRegression(25), chains=1).dim == 25
