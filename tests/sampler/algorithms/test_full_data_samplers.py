"""MALA, random-walk Metropolis and Polya-Gamma Gibbs against their definitions; SGLD beside SAGA-LD, ULA in law."""

import numpy as np
import pytest

from sampler import SGLD, ULA, LinearRegression, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms.metropolis import MALA, RandomWalkMetropolis
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.reference.exact_chains import polya_gamma_chain
from tests.sampler.algorithms.streams import Randoms, grid_of, stream

KINDS = ["logistic", "linear", "poisson", "gaussian"]
SETTINGS = Settings(eta0=0.5, i_max=5, acceptance_radius=4.0, offset=1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sampler", [MALA, RandomWalkMetropolis])
def test_every_metropolis_step_is_the_papers(sampler, kind):
    """The acceptance ratio written out in full, with the sampler's own random numbers."""
    problem, data = stream(kind, 40)
    start, random = np.full(3, 0.2), Randoms(9)
    s = sampler(problem, SETTINGS.replace(random_length=False, reset=False), chains=1, seed=9, start=start)
    x, accepted = start.copy(), 0
    for t in range(1, 41):
        s.observe(*(part[t - 1] for part in data))
        eta, f = s.settings.step_size(t), s.posterior
        for _ in range(5):
            xi = random.normal(3)
            if sampler is MALA:
                y = x - eta * f.gradient(x) + np.sqrt(2 * eta) * xi
                back, forth = x - y + eta * f.gradient(y), y - x + eta * f.gradient(x)
            else:
                y = x + np.sqrt(2 * eta) * xi
                back = forth = np.zeros(3)
            ratio = f.potential(x) - f.potential(y) - (back @ back - forth @ forth) / (4 * eta)
            if np.log(random.uniform()) < ratio:
                x, accepted = y, accepted + 1
        np.testing.assert_allclose(s.positions[0], x, rtol=1e-8, atol=1e-8)
    assert 20 < accepted < 200  # both answers of the test were taken


def test_acceptance_rate_falls_with_the_step_and_a_stuck_chain_stays_sound():
    problem, data = stream("logistic", 50)
    rates = []
    for eta0 in (0.01, 5.0, 1e4):
        s = MALA(problem, Settings(eta0=0.2, i_max=20), chains=20)
        s.observe(*(part[:-1] for part in data))
        s.settings = s.settings.replace(eta0=eta0, random_length=False)
        before = s.positions
        s.arrive(*(part[-1] for part in data))
        assert np.isnan(s.acceptance_rate)
        s.advance(20)
        rates.append(s.acceptance_rate)
    assert rates[0] > 0.99 and 0.2 < rates[1] < 0.98 and rates[2] == 0.0
    np.testing.assert_array_equal(s.positions, before)
    assert not s.diverged.any()


@pytest.mark.parametrize("sampler", [MALA, RandomWalkMetropolis])
def test_a_trace_shows_what_was_proposed_and_what_came_of_it(sampler):
    problem, data = stream("logistic", 30)
    s = sampler(problem, Settings(eta0=6.0, i_max=40, random_length=False), chains=2)
    s.observe(*(part[:-1] for part in data))
    s.arrive(*(part[-1] for part in data))
    s.advance(40, trace=1)
    step = s.trace
    proposed = step.before - step.step_size * (step.guess + step.correction) + step.noise
    moved = (step.after != step.before).any(axis=1)
    assert 5 < moved.sum() < 40
    np.testing.assert_allclose(step.after[moved], proposed[moved], atol=1e-12)
    pull = s.posterior.gradient(step.before[0]) if sampler is MALA else np.zeros(3)
    np.testing.assert_allclose(step.guess[0], pull, rtol=1e-10)


def test_its_law_is_that_of_a_grid():
    problem, data = stream("logistic", 40, dim=2)
    grid, s = grid_of(problem, *data), PolyaGamma(problem, Settings(i_max=1, random_length=False), chains=200)
    s.observe(*(part[:-1] for part in data))
    s.settings = s.settings.replace(i_max=10)
    u = np.sort(grid.cdf(s.observe(*(part[-1] for part in data)).samples), axis=0)
    # Kolmogorov's distance of 200 independent draws: 0.157 is passed once in 10,000 times.
    steps = np.arange(1, 201)[:, None] / 200
    assert np.maximum(np.abs(steps - u), np.abs(steps - 1 / 200 - u)).max() < 0.157


def test_the_reference_chain_makes_the_same_sweeps():
    problem, data = stream("logistic", 30)
    s = PolyaGamma(problem, Settings(i_max=5, random_length=False, reset=False), chains=1, start=np.zeros(3))
    rng = np.random.default_rng(np.random.SeedSequence([0, 2]).spawn(1)[0])
    x = np.zeros((1, 3))
    for t in range(1, 31):
        s.observe(*(part[t - 1] for part in data))
        chain = polya_gamma_chain(s.posterior, x, rng)
        for _ in range(5):
            x = next(chain)
        np.testing.assert_allclose(s.positions, x, rtol=1e-12)


def test_polya_gamma_has_no_trace():
    s = PolyaGamma(LogisticRegression(2), chains=2)
    s.arrive([1.0, 0.0], 1)
    with pytest.raises(ValueError, match="trace must be None for PolyaGamma"):
        s.advance(1, trace=0)


OFTEN_RESET = Settings(eta0=0.2, batch_size=7, i_max=6, acceptance_radius=2.0, offset=1.0, variance_reduction=False)


@pytest.mark.parametrize("kind", KINDS)
def test_it_walks_the_path_of_saga_ld_without_variance_reduction(kind):
    problem, data = stream(kind, 90)
    settings = OFTEN_RESET.replace(eta0=0.05) if kind == "poisson" else OFTEN_RESET
    saga, sgld = (s(problem, settings, chains=3, seed=5) for s in (OnlineSagaLD, SGLD))
    resets = steps = 0
    for i in range(90):
        a, b = (s.observe(*(part[i] for part in data)) for s in (saga, sgld))
        np.testing.assert_array_equal(b.samples, a.samples)
        assert (b.resets, b.steps, b.refreshed) == (a.resets, a.steps, 0)
        assert b.gradient_evaluations == 7 * b.steps < a.gradient_evaluations
        resets, steps = resets + b.resets, steps + b.steps
    assert resets > 0 and sgld.gradient_evaluations == 7 * steps


def test_stationary_covariance_on_linear_regression():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((30, 2)) * [1.0, 0.5]
    ula = ULA(LinearRegression(2), Settings(eta0=0.8, i_max=1, offset=1.0, random_length=False), chains=400, seed=1)
    ula.observe(x[:-1], x[:-1, 0])
    ula.arrive(x[-1], x[-1, 0])
    values, vectors = np.linalg.eigh(ula.posterior.hessian(np.zeros(2)))
    mode = np.linalg.solve(ula.posterior.hessian(np.zeros(2)), x.T @ x[:, 0])
    eta = ula.settings.step_size(30)
    ula.settings = ula.settings.replace(i_max=4000)
    pooled = []
    for _ in range(50):
        ula.advance(80)  # (1 - eta lambda_min)^80 < 0.001
        pooled.append((ula.positions - mode) @ vectors)
    assert (1 - eta * values[0]) ** 80 < 1e-3
    measured = np.concatenate(pooled).var(axis=0) * values
    # 20,000 independent draws: relative sd 0.01
    np.testing.assert_allclose(measured, 1 / (1 - eta * values / 2), rtol=0.04)
