"""MALA against its definition, against exact laws, and calibrated against the model itself."""


import numpy as np
import pytest

from sampler import ULA, GradientOracle, Settings
from sampler.algorithms.mala import MALA
from tests.sampler.algorithms.calibration import LIMIT, rank_statistics
from tests.sampler.algorithms.streams import stream

KINDS = ["logistic", "linear", "poisson", "gaussian"]
SETTINGS = Settings(eta0=0.5, i_max=5, acceptance_radius=4.0, offset=1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_every_step_is_the_papers(kind):
    """The acceptance ratio written out in full, with the sampler's own random numbers."""
    from sampler.kernels.chains import INDEX_STREAM, NOISE_STREAM
    from sampler.kernels.rng import fill_normal, next_uniform, spawn_generators
    problem, data = stream(kind, 40)
    start, rng, normals = np.full(3, 0.2), spawn_generators(9, 1, 3)[0], []
    s = MALA(problem, SETTINGS.replace(random_length=False, reset=False), chains=1, seed=9, start=start)
    x, accepted = start.copy(), 0
    for t in range(1, 41):
        s.observe(*(part[t - 1] for part in data))
        eta, f = s.settings.step_size(t), s.posterior
        for _ in range(5):
            if len(normals) < 3:
                block = np.empty(512)
                fill_normal(rng[NOISE_STREAM], block)
                normals = list(block)
            xi, normals = np.array(normals[:3]), normals[3:]
            y = x - eta * f.gradient(x) + np.sqrt(2 * eta) * xi
            back, there = x - y + eta * f.gradient(y), y - x + eta * f.gradient(x)
            ratio = f.potential(x) - f.potential(y) - (back @ back - there @ there) / (4 * eta)
            if np.log(next_uniform(rng[INDEX_STREAM])) < ratio:
                x, accepted = y, accepted + 1
        np.testing.assert_allclose(s.positions[0], x, rtol=1e-8, atol=1e-8)
    assert 20 < accepted < 200  # both answers of the test were taken


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson"])
def test_compiled_steps_are_the_posteriors(kind):
    problem, data = stream(kind, 60)
    runs = [MALA(problem, SETTINGS, chains=3, seed=2) for _ in range(2)]
    runs[1]._compiled = False
    for i in range(60):
        a, b = (s.observe(*(part[i] for part in data)) for s in runs)
        np.testing.assert_allclose(a.samples, b.samples, rtol=1e-8, atol=1e-8)
        assert a.gradient_evaluations == b.gradient_evaluations == 3 * (i + 1) + a.steps * (i + 1)
        assert runs[0].acceptance_rate == runs[1].acceptance_rate


@pytest.mark.parametrize(("kind", "chains", "blocks"), [("linear", 400, 25), ("gaussian", 60, 15)])
def test_it_is_exact_where_the_posterior_is_known(kind, chains, blocks):
    problem, data = stream(kind, 20, dim=2)
    s = MALA(problem, Settings(eta0=0.6 if kind == "linear" else 0.4, i_max=1, random_length=False), chains=chains)
    s.observe(*(part[:-1] for part in data))
    s.arrive(*(part[-1] for part in data))
    hessian = s.posterior.hessian(np.zeros(2))
    mode = -np.linalg.solve(hessian, s.posterior.gradient(np.zeros(2)))
    s.settings = s.settings.replace(i_max=1000)
    root, pooled = np.linalg.cholesky(hessian), []
    for i in range(blocks + 1):
        s.advance(40 if kind == "linear" else 15)  # the round one forgets faster
        if i:
            pooled.append((s.positions - mode) @ root)
    white = np.concatenate(pooled)  # draws of N(0, I): sd of a mean 1/sqrt(n), of a second moment sqrt(2) as much
    sd = 1 / np.sqrt(len(white))
    # Five of them, and 10 % for what the steps between leave.
    assert np.abs(white.mean(axis=0)).max() < 5.5 * sd
    assert np.abs(white.T @ white / len(white) - np.eye(2)).max() < 5.5 * np.sqrt(2) * sd
    assert 0.3 < s.acceptance_rate < 0.95


def test_simulation_based_calibration():
    hot = Settings(eta0=8.0)
    assert max(rank_statistics(MALA, hot, 80, 400)) < LIMIT
    # The same step without the test is not calibrated: the statistic can fail.
    assert max(rank_statistics(ULA, hot, 80, 400)) > LIMIT


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


def test_a_trace_shows_what_was_proposed_and_what_came_of_it():
    problem, data = stream("logistic", 30)
    s = MALA(problem, Settings(eta0=6.0, i_max=40, random_length=False), chains=2)
    s.observe(*(part[:-1] for part in data))
    s.arrive(*(part[-1] for part in data))
    s.advance(40, trace=1)
    step = s.trace
    proposed = step.before - step.step_size * (step.guess + step.correction) + step.noise
    moved = (step.after != step.before).any(axis=1)
    assert 5 < moved.sum() < 40
    np.testing.assert_allclose(step.after[moved], proposed[moved], atol=1e-12)
    np.testing.assert_allclose(step.guess[0], s.posterior.gradient(step.before[0]), rtol=1e-10)


def test_an_oracle_without_potential_is_refused():
    with pytest.raises(ValueError, match="problem must be one that knows its potential.*for MALA"):
        MALA(GradientOracle(lambda i, x: np.zeros((len(i), 2)), 2))
