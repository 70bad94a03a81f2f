"""ULA against what is known on paper."""


import numpy as np
import pytest

from sampler import ULA, GaussianMean, LinearRegression, Settings
from tests.sampler.algorithms.streams import CountingOracle, stream


def test_stationary_variance_on_the_gaussian_mean():
    t, eta0, c = 20, 0.5, 1.0
    y = np.random.default_rng(0).standard_normal(t)
    ula = ULA(GaussianMean(1), Settings(eta0=eta0, i_max=1, offset=c, random_length=False), chains=200, seed=1)
    ula.observe(y[:-1])
    ula.arrive(y[-1])
    ula.settings = ula.settings.replace(i_max=600)
    pooled = []
    for _ in range(30):
        ula.advance(20)  # eta_t lambda = 0.95: 20 steps forget the start
        pooled.append(ula.positions[:, 0] - y.mean())
    # relative sd of a variance from 6,000 independent draws: 0.0183
    assert np.var(np.concatenate(pooled)) * 2 * t == pytest.approx(1 / (1 - eta0 * t / (t + c)), rel=4 * 0.0183)


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


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson", "gaussian"])
def test_compiled_gradient_is_the_posteriors(kind):
    problem, data = stream(kind, 100)
    oracle = CountingOracle(problem, data)
    settings = Settings(eta0=0.2, i_max=4, acceptance_radius=2.0)
    ours = ULA(problem, settings, chains=2, seed=3, start=np.full(3, 0.1))
    theirs = ULA(oracle.problem, settings, chains=2, seed=3, start=np.full(3, 0.1))
    for i in range(100):
        a, b = ours.observe(*(part[i] for part in data)), theirs.observe()
        np.testing.assert_allclose(a.samples, b.samples, rtol=1e-9, atol=1e-9)
    assert ours.gradient_evaluations == theirs.gradient_evaluations == oracle.count


def test_cost_grows_with_t():
    problem, data = stream("logistic", 50)
    ula = ULA(problem, Settings(i_max=3, random_length=False), chains=2)
    for i in range(50):
        assert ula.observe(*(part[i] for part in data)).gradient_evaluations == 2 * 3 * (i + 1)
