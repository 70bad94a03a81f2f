"""ULA, MALA, random-walk Metropolis and Polya-Gamma Gibbs against their definitions; SGLD against SAGA-LD.

The law of Polya-Gamma sweeps is compared with a grid in tests/sampler/reference/test_modes_and_chains.py.
"""

import numpy as np
import pytest

from sampler import SGLD, ULA, OnlineSagaLD, Settings
from sampler.algorithms.metropolis import MALA, RandomWalkMetropolis
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.reference.exact_chains import polya_gamma_chain
from tests.sampler.algorithms.streams import Randoms, stream

KINDS = ["logistic", "linear", "poisson", "gaussian"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sampler", [ULA, MALA, RandomWalkMetropolis])
def test_every_metropolis_step_is_the_papers(sampler, kind):
    """Compute the acceptance ratio in full, with the sampler's random numbers; ULA accepts every proposal."""
    problem, data = stream(kind, 40)
    start, random = np.full(3, 0.2), Randoms(9)
    settings = Settings(eta0=0.1 if sampler is ULA else 0.5, i_max=5, offset=1.0, random_length=False, reset=False)
    s = sampler(problem, settings, chains=1, seed=9, start=start)
    x, accepted = start.copy(), 0
    for t in range(1, 41):
        s.observe(*(part[t - 1] for part in data))
        eta, f = s.settings.step_size(t), s.posterior
        for _ in range(5):
            xi = random.normal(3)
            if sampler is RandomWalkMetropolis:
                y = x + np.sqrt(2 * eta) * xi
                back = forth = np.zeros(3)
            else:
                y = x - eta * f.gradient(x) + np.sqrt(2 * eta) * xi
                back, forth = x - y + eta * f.gradient(y), y - x + eta * f.gradient(x)
            ratio = f.potential(x) - f.potential(y) - (back @ back - forth @ forth) / (4 * eta)
            if sampler is ULA or np.log(random.uniform()) < ratio:
                x, accepted = y, accepted + 1
        np.testing.assert_allclose(s.positions[0], x, rtol=1e-8, atol=1e-8)
    assert 20 < accepted < 200 or sampler is ULA  # both outcomes of the test occurred


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
def test_a_trace_contains_proposals_and_outcomes(sampler):
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


@pytest.mark.parametrize("kind", KINDS)
def test_it_walks_the_path_of_saga_ld_without_variance_reduction(kind):
    problem, data = stream(kind, 90)
    settings = Settings(eta0=0.05 if kind == "poisson" else 0.2, batch_size=7, i_max=6, acceptance_radius=2.0, offset=1.0,
                        variance_reduction=False)  # resets are frequent
    saga, sgld = (s(problem, settings, chains=3, seed=5) for s in (OnlineSagaLD, SGLD))
    resets = steps = 0
    for i in range(90):
        a, b = (s.observe(*(part[i] for part in data)) for s in (saga, sgld))
        np.testing.assert_array_equal(b.samples, a.samples)
        assert (b.resets, b.steps, b.refreshed) == (a.resets, a.steps, 0)
        assert b.gradient_evaluations == 7 * b.steps < a.gradient_evaluations
        resets, steps = resets + b.resets, steps + b.steps
    assert resets > 0 and sgld.gradient_evaluations == 7 * steps
