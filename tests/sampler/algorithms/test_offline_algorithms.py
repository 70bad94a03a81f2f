"""Offline SAGA-LD and CV-ULD against their definitions."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.linalg import solve_discrete_lyapunov

from sampler import GaussianMean, LinearRegression
from sampler.algorithms.cv_uld import CvULD, position_noise, underdamped
from sampler.algorithms.offline_langevin import OfflineSagaLD, temperature_ladder
from sampler.problems.gaussian_mean import GaussianAverage
from sampler.theory.gaussian_recursions import _Dynamics, _saga
from tests.sampler.algorithms.streams import CountingOracle, stream


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 5, 7, 8, 1000, 1023, 1024, 1025, 50_000])
def test_the_ladder_doubles_and_ends_at_one(terms):
    ladder = temperature_ladder(terms)
    assert len(ladder) == int(np.ceil(np.log2(terms))) + 1 == int(np.ceil(np.log2(terms) + 1))
    assert ladder[0] == 1 / terms and ladder[-1] == 1.0
    ratios = np.divide(ladder[1:], ladder[:-1])
    assert (ratios[:-1] == 2).all() and ((1 < ratios) & (ratios <= 2)).all()


@pytest.mark.parametrize("terms", [1, 6, 64, 100])
def test_the_cost_is_the_papers_and_the_counted_one(terms):
    problem, data = stream("logistic", terms)
    oracle = CountingOracle(problem, data)
    sampler = OfflineSagaLD(eta0=0.1, batch_size=5, i_max=7)
    result = sampler.sample(oracle.problem, terms, chains=3, frames=2)
    epochs = int(np.ceil(np.log2(terms) + 1))
    assert sampler.cost(terms) == (terms + 5 * 7) * epochs
    assert oracle.count == result.gradient_evaluations == 3 * sampler.cost(terms)
    assert result.passes == pytest.approx(sampler.cost(terms) / terms)
    assert [e.beta for e in result.epochs] == list(temperature_ladder(terms))
    assert [e.evaluations for e in result.epochs] == [3 * (j + 1) * (terms + 35) for j in range(epochs)]
    assert len(result.trace) == 1 + 2 * epochs and result.trace[0].evaluations == 0
    assert [e.steps.tolist() for e in result.epochs] == [[7 * (j + 1)] * 3 for j in range(epochs)]
    assert result.step_size == 0.1 / terms


def test_every_epoch_is_saga_at_its_own_temperature():
    # At beta the terms are those of a Gaussian experiment of curvature 2 T beta, whose SAGA moments are exact.
    terms, eta0, i_max, chains = 37, 0.2, 6, 5_000
    y = np.random.default_rng(0).standard_normal((terms, 1))
    result = OfflineSagaLD(eta0, 4, i_max).sample(GaussianMean(1), y, chains=chains, seed=3, start=[50.0])
    mean, covariance = np.array([50.0]) - y.mean(axis=0), np.zeros((1, 1))
    for beta, epoch in zip(temperature_ladder(terms), result.epochs, strict=True):
        dynamics = _Dynamics(np.array([2 * terms * beta]), eta0 / (beta * terms))
        mean, covariance = _saga(dynamics, (mean, covariance), terms, 4, i_max)
        variance = covariance[0, 0]
        # standard errors sqrt(variance/K) and variance sqrt(2/K) if Gaussian; SAGA's noise from a far start is not
        assert abs(epoch.mean[0] - y.mean() - mean[0]) < 5 * np.sqrt(variance / chains)
        assert epoch.covariance[0, 0] == pytest.approx(variance, rel=8 * np.sqrt(2 / chains))


def test_the_prior_is_tempered_too():
    # no information in the data: the posterior is the prior, N(0, 1/precision); at beta its variance is 1/(beta p)
    problem = LinearRegression(1, prior_precision=4.0)
    chains = 1000
    # at beta the step is 0.5/(beta 8), so eta beta p = 0.25 at every beta: variance 1/(beta p (1 - 0.125))
    result = OfflineSagaLD(0.5, 2, 60).sample(problem, np.zeros((8, 1)), np.zeros(8), chains=chains, start=[0.0])
    for epoch in result.epochs:
        assert epoch.covariance[0, 0] * epoch.beta * 4.0 == pytest.approx(1 / 0.875, rel=4 * np.sqrt(2 / chains))


@pytest.mark.parametrize("friction, step, mass", [(2.0, 0.3, 0.5), (0.1, 1e-3, 3.0), (30.0, 1.0, 1.0), (1.0, 0.5, 2)])
def test_the_step_is_the_sdes_exact_gaussian(friction, step, mass):
    law = underdamped(step, friction, mass)
    kick = np.sqrt(2 * friction * mass)

    def velocity(s):  # response of v(step) to noise s before the end, and of x(step)
        return kick * np.exp(-friction * s)

    def position(s):
        return -kick * np.expm1(-friction * s) / friction

    def integral(f):
        return quad(f, 0, step, epsabs=0, epsrel=1e-12)[0]

    assert law.noise_velocity**2 == pytest.approx(integral(lambda s: velocity(s) ** 2), rel=1e-9)
    shared = integral(lambda s: velocity(s) * position(s))
    assert law.noise_velocity * law.noise_shared == pytest.approx(shared, rel=1e-9)
    assert law.noise_shared**2 + law.noise_own**2 == pytest.approx(integral(lambda s: position(s) ** 2), rel=1e-9)
    assert law.decay == np.exp(-friction * step)
    assert law.reach == pytest.approx(integral(lambda s: np.exp(-friction * s)), rel=1e-12)
    assert law.pull == pytest.approx(mass * law.reach)
    drift = integral(lambda s: mass * -np.expm1(-friction * s) / friction)
    assert law.drift == pytest.approx(drift, rel=1e-9)


def test_series_and_formula_meet():
    assert position_noise(0.5 - 1e-12) == pytest.approx(position_noise(0.5 + 1e-12), rel=1e-9)
    assert position_noise(1e-6) == pytest.approx(2 / 3 * 1e-18, rel=1e-5)


def test_stationary_covariance_on_a_quadratic():
    # Terms share their curvature, so the control variate is exact for B = n and the state (x, v) is a linear
    # recursion z <- M z + noise, with stationary covariance from the discrete Lyapunov equation. With B < n and an
    # anchor at every step (m = 1) each step adds an independent error e, Cov e = L S L (n - B)/(B (n - 1)).
    # B = n is test_simulated_chains_have_the_recursions_moments'.
    n, anchor_batch, curvatures, step, friction, mass = 60, 20, np.array([0.5, 1.0, 2.0]), 0.4, 2.0, 0.5
    data = np.random.default_rng(1).standard_normal((n, 3))
    chains = 1000
    sampler = CvULD(step, 1, anchor_batch, 1, friction=friction, inverse_mass=mass)
    result = sampler.sample(GaussianAverage(curvatures), data, passes=80 * (20 + 2) / n, chains=chains, seed=4, record=[])
    law = underdamped(step, friction, mass)
    noise = np.array([[law.noise_shared**2 + law.noise_own**2, law.noise_velocity * law.noise_shared],
                      [law.noise_velocity * law.noise_shared, law.noise_velocity**2]])
    error = (n - anchor_batch) / (anchor_batch * (n - 1))
    expected = []
    for i, curvature in enumerate(curvatures):
        step_map = np.array([[1 - law.drift * curvature, law.reach], [-law.pull * curvature, law.decay]])
        assert np.abs(np.linalg.eigvals(step_map)).max() ** 160 < 1e-3  # 80 steps reach it
        spread = curvature**2 * data[:, i].var() * error
        pulled = np.array([law.drift, law.pull])
        expected.append(solve_discrete_lyapunov(step_map, noise + spread * np.outer(pulled, pulled))[0, 0])
    # relative standard error of a variance: sqrt(2/1000) = 0.045
    np.testing.assert_allclose(result.positions.var(axis=0), expected, rtol=4 * 0.045)
    assert np.abs(result.positions.mean(axis=0) - data.mean(axis=0)).max() < 4 * np.sqrt(2 / chains) + 0.002
