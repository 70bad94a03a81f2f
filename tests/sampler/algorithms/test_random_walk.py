"""Random-walk Metropolis: exact laws, calibration, and its count of potential evaluations."""


import numpy as np
import pytest

from sampler import GradientOracle, Settings
from sampler.algorithms.random_walk import RandomWalkMetropolis
from tests.sampler.algorithms.calibration import LIMIT, rank_statistics
from tests.sampler.algorithms.streams import stream


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson"])
def test_compiled_steps_are_the_posteriors(kind):
    problem, data = stream(kind, 50)
    runs = [RandomWalkMetropolis(problem, Settings(eta0=0.5, i_max=5, acceptance_radius=4.0), chains=3, seed=2)
            for _ in range(2)]
    runs[1]._compiled = False
    for i in range(50):
        a, b = (s.observe(*(part[i] for part in data)) for s in runs)
        np.testing.assert_allclose(a.samples, b.samples, rtol=1e-8, atol=1e-8)
        assert a.gradient_evaluations == b.gradient_evaluations == (3 + a.steps) * (i + 1)
        assert runs[0].acceptance_rate == runs[1].acceptance_rate


def test_the_ratio_is_that_of_the_potentials():
    from sampler.kernels.chains import INDEX_STREAM
    from sampler.kernels.rng import next_uniform, spawn_generators
    problem, data = stream("poisson", 20)
    s = RandomWalkMetropolis(problem, Settings(eta0=0.5, i_max=30, random_length=False), chains=1, seed=4)
    chances = spawn_generators(4, 1, 3)[0, INDEX_STREAM]
    accepted = 0
    for i in range(20):
        s.arrive(*(part[i] for part in data))
        s.advance(30, trace=0)
        step, f = s.trace, s.posterior
        assert not step.guess.any() and not step.correction.any()
        for before, noise, after in zip(step.before, step.noise, step.after, strict=True):
            yes = np.log(next_uniform(chances)) < f.potential(before) - f.potential(before + noise)
            np.testing.assert_allclose(after, before + noise if yes else before, atol=1e-12)
            accepted += yes
    assert 100 < accepted < 500


def test_it_is_exact_where_the_posterior_is_known():
    problem, data = stream("linear", 20, dim=2)
    s = RandomWalkMetropolis(problem, Settings(eta0=0.6, i_max=1, random_length=False), chains=400)
    s.observe(*(part[:-1] for part in data))
    s.arrive(*(part[-1] for part in data))
    hessian = s.posterior.hessian(np.zeros(2))
    mode = -np.linalg.solve(hessian, s.posterior.gradient(np.zeros(2)))
    s.settings = s.settings.replace(i_max=3000)
    root, pooled = np.linalg.cholesky(hessian), []
    for i in range(30):
        s.advance(100)
        if i > 2:
            pooled.append((s.positions - mode) @ root)
    white = np.concatenate(pooled)  # 10,800 draws of N(0, I), 100 steps apart: sd of a mean 0.0096
    assert np.abs(white.mean(axis=0)).max() < 5.5 * 0.0096
    assert np.abs(white.T @ white / len(white) - np.eye(2)).max() < 5.5 * 0.0136


def test_simulation_based_calibration():
    assert max(rank_statistics(RandomWalkMetropolis, Settings(eta0=3.0), 300, 400)) < LIMIT
    # Three steps from the prior are not enough: the statistic can fail.
    assert max(rank_statistics(RandomWalkMetropolis, Settings(eta0=0.1), 3, 400)) > LIMIT


def test_an_oracle_without_potential_is_refused():
    with pytest.raises(ValueError, match="problem must be one that knows its potential.*for RandomWalkMetropolis"):
        RandomWalkMetropolis(GradientOracle(lambda i, x: np.zeros((len(i), 2)), 2))
