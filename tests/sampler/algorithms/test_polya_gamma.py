"""Polya-Gamma Gibbs: calibrated, exact, and for logistic regression only."""


import numpy as np
import pytest

from sampler import GridReference, LinearRegression, LogisticRegression, Settings
from sampler.algorithms.polya_gamma import PolyaGamma
from sampler.reference.polya_gamma_chains import polya_gamma_chain
from tests.sampler.algorithms.calibration import LIMIT, rank_statistics
from tests.sampler.algorithms.streams import stream


class WrongKappa(PolyaGamma):
    """A sampler with a mistake: kappa is y - 1/2 for labels -1 and 1."""

    def _step(self, posterior, chain, record, counts):
        self._pull_at, self._pull = posterior.t, -posterior.rows.sum(axis=0)
        return super()._step(posterior, chain, record, counts)


def test_simulation_based_calibration():
    assert max(rank_statistics(PolyaGamma, Settings(), 8, 200)) < LIMIT
    assert max(rank_statistics(WrongKappa, Settings(), 8, 200)) > LIMIT  # the statistic can fail


def test_its_law_is_that_of_a_grid():
    problem, data = stream("logistic", 40, dim=2)
    grid = GridReference(problem)
    s = PolyaGamma(problem, Settings(i_max=1, random_length=False), chains=200)
    for row, label in zip(*data, strict=True):
        grid.add(row, label)
    s.observe(*(part[:-1] for part in data))
    s.settings = s.settings.replace(i_max=10)
    u = np.sort(grid.cdf(s.observe(*(part[-1] for part in data)).samples), axis=0)
    # Kolmogorov's distance of 200 independent draws: 0.157 is passed once in 10,000 times.
    steps = np.arange(1, 201)[:, None] / 200
    assert np.maximum(np.abs(steps - u), np.abs(steps - 1 / 200 - u)).max() < 0.157


def test_a_sweep_counts_t_and_a_step_is_a_sweep():
    problem, data = stream("logistic", 30)
    s = PolyaGamma(problem, Settings(i_max=3), chains=4)
    for t in range(1, 31):
        epoch = s.observe(*(part[t - 1] for part in data))
        assert epoch.steps == s.run_lengths.sum() and epoch.gradient_evaluations == t * epoch.steps


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


def test_it_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="problem must be a LogisticRegression.*for PolyaGamma.*LinearRegression"):
        PolyaGamma(LinearRegression(2))
    with pytest.raises(ValueError, match="prior_precision must be above 0"):
        PolyaGamma(LogisticRegression(2, prior_precision=[1.0, 0.0]))
    s = PolyaGamma(LogisticRegression(2), chains=2)
    s.arrive([1.0, 0.0], 1)
    with pytest.raises(ValueError, match="trace must be None for PolyaGamma"):
        s.advance(1, trace=0)
