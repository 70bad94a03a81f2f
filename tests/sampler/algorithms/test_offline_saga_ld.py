"""Algorithm 3: the ladder, its cost, and cold starts that end in the posterior."""


import numpy as np
import pytest

from sampler import GaussianMean, LinearRegression
from sampler.algorithms.offline_saga_ld import OfflineSagaLD, temperature_ladder
from sampler.theory.gaussian_recursions import _Dynamics, _saga, _State
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
    # At beta the terms are those of a Gaussian experiment of curvature 2 T beta, whose SAGA moments are known exactly.
    terms, eta0, i_max, chains = 37, 0.2, 6, 20_000
    y = np.random.default_rng(0).standard_normal((terms, 1))
    result = OfflineSagaLD(eta0, 4, i_max).sample(GaussianMean(1), y, chains=chains, seed=3, start=[50.0])
    state = _State(np.array([50.0]) - y.mean(axis=0), np.zeros((1, 1)))
    for beta, epoch in zip(temperature_ladder(terms), result.epochs, strict=True):
        dynamics = _Dynamics(np.array([2 * terms * beta]), eta0 / (beta * terms))
        state = _saga(dynamics, state, terms, 4, i_max)
        variance = state.covariance[0, 0]
        # standard errors sqrt(variance/K) and variance sqrt(2/K) if Gaussian; SAGA's noise from a far start is not
        assert abs(epoch.mean[0] - y.mean() - state.mean[0]) < 5 * np.sqrt(variance / chains)
        assert epoch.covariance[0, 0] == pytest.approx(variance, rel=8 * np.sqrt(2 / chains))


def test_the_prior_is_tempered_too():
    # no information in the data: the posterior is the prior, N(0, 1/precision); at beta its variance is 1/(beta p)
    problem = LinearRegression(1, prior_precision=4.0)
    chains = 4000
    # at beta the step is 0.5/(beta 8), so eta beta p = 0.25 at every beta: variance 1/(beta p (1 - 0.125))
    result = OfflineSagaLD(0.5, 2, 60).sample(problem, np.zeros((8, 1)), np.zeros(8), chains=chains, start=[0.0])
    for epoch in result.epochs:
        assert epoch.covariance[0, 0] * epoch.beta * 4.0 == pytest.approx(1 / 0.875, rel=4 * np.sqrt(2 / chains))
