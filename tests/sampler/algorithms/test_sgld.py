"""SGLD: the path of OnlineSagaLD without variance reduction, and its own law."""


import numpy as np
import pytest

from sampler import GaussianMean, OnlineSagaLD, Settings
from sampler.algorithms.sgld import SGLD
from tests.sampler.algorithms.streams import CountingOracle, stream

KINDS = ["logistic", "linear", "poisson", "gaussian"]
SETTINGS = Settings(eta0=0.2, batch_size=7, i_max=6, acceptance_radius=2.0, offset=1.0, variance_reduction=False)


@pytest.mark.parametrize("kind", KINDS)
def test_it_walks_the_path_of_saga_ld_without_variance_reduction(kind):
    problem, data = stream(kind, 90)
    settings = SETTINGS.replace(eta0=0.05) if kind == "poisson" else SETTINGS
    saga, sgld = (s(problem, settings, chains=3, seed=5) for s in (OnlineSagaLD, SGLD))
    resets = steps = 0
    for i in range(90):
        a, b = (s.observe(*(part[i] for part in data)) for s in (saga, sgld))
        np.testing.assert_allclose(b.samples, a.samples, rtol=1e-9, atol=1e-9)
        assert (b.resets, b.steps, b.refreshed) == (a.resets, a.steps, 0)
        assert b.gradient_evaluations == 7 * b.steps < a.gradient_evaluations
        resets, steps = resets + b.resets, steps + b.steps
    assert resets > 0 and sgld.gradient_evaluations == 7 * steps


@pytest.mark.parametrize("kind", KINDS)
def test_an_oracle_walks_the_same_path_and_every_evaluation_is_counted(kind):
    problem, data = stream(kind, 60)
    oracle = CountingOracle(problem, data)
    ours = SGLD(problem, SETTINGS, chains=2, seed=3, start=np.full(3, 0.1))
    theirs = SGLD(oracle.problem, SETTINGS, chains=2, seed=3, start=np.full(3, 0.1))
    for i in range(60):
        a, b = ours.observe(*(part[i] for part in data)), theirs.observe()
        np.testing.assert_allclose(a.samples, b.samples, rtol=1e-9, atol=1e-9)
    assert oracle.count == theirs.gradient_evaluations == ours.gradient_evaluations


def test_stationary_variance_with_its_gradient_noise():
    # X' - m = (1 - 2 eta t)(X - m) + eta (2t/b) sum of b centred draws + sqrt(2 eta) xi, so with r = 1 - 2 eta t
    # the variance is (2 eta + eta^2 (2t)^2 V/b) / (1 - r^2), V the scatter of the data.
    t, eta0, b = 50, 0.3, 4
    y = np.random.default_rng(0).standard_normal(t)
    s = SGLD(GaussianMean(1), Settings(eta0=eta0, batch_size=b, i_max=1, offset=1.0, random_length=False), chains=200)
    s.observe(y[:-1])
    s.arrive(y[-1])
    s.settings = s.settings.replace(i_max=900)
    eta = eta0 / (t + 1)
    expected = (2 * eta + eta**2 * (2 * t) ** 2 * y.var() / b) / (1 - (1 - 2 * eta * t) ** 2)
    pooled = []
    for _ in range(60):
        s.advance(15)  # 0.41^15: independent
        pooled.append(s.positions[:, 0] - y.mean())
    # relative sd of a variance from 12,000 independent draws, nearly normal: sqrt(2/12000) = 0.0129
    assert np.var(np.concatenate(pooled)) == pytest.approx(expected, rel=4 * 0.0129)
    assert expected * 2 * t > 3.0  # three times pi_t's: a wrong batch factor could not hide


def test_an_oracle_that_fails_leaves_batch_and_chain_as_they_were():
    problem, data = stream("logistic", 20)
    posterior, broken = problem.posterior(*data), []

    def gradients(indices, theta):
        if broken:
            raise RuntimeError("not now")
        return posterior.term_gradients(theta, indices)

    from sampler import GradientOracle
    settings = SETTINGS.replace(random_length=False, reset=False)
    runs = [SGLD(GradientOracle(gradients, 3), settings, chains=2, seed=1, start=np.zeros(3)) for _ in range(2)]
    for s in runs:
        s.observe()
        s.arrive()
        s.advance(2)
    broken.append(True)
    with pytest.raises(RuntimeError):
        runs[0].advance(4)
    broken.clear()
    assert all(s.advance(4) for s in runs)
    np.testing.assert_array_equal(runs[0].positions, runs[1].positions)
