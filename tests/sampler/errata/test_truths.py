"""True values of the errata found a second way: by simulation, quadrature or a limit."""

import math

import numpy as np
import pytest

from sampler.errata import ERRATA
from sampler.errata.lmv_exit_time import (
    averaged_divergence,
    free_walk_bound,
    planar_exit_probability,
    second_moment_constant,
)
from sampler.theory import ExitSimulation, exit_bounds, flat_target


def example(key):
    return next(record for record in ERRATA if record.key == key).example()


def test_exit_probability_is_what_walks_do():
    walks = ExitSimulation(flat_target(2), 5e-5, 10_000, 2.0, chains=4000, walk_free=False)
    walks.run()
    share = float(np.mean(walks.exit_steps > 0))
    truth = planar_exit_probability(5e-5, 10_000, 2.0)
    assert abs(share - truth) < 4.0 * math.sqrt(truth * (1.0 - truth) / 4000)


@pytest.mark.parametrize(("dim", "radius"), [(1, 1.6), (2, 2.0), (2, 3.394), (20, 7.155)])
def test_free_walk_bound_is_the_sharp_bound_without_noise_or_curvature(dim, radius):
    sharp = exit_bounds(dim, 5e-4, 1000, radius, smoothness=0.0).sharp
    assert free_walk_bound(dim, 5e-4, 1000, radius) == pytest.approx(sharp, rel=1e-3)


def test_noise_as_in_algorithm_1_keeps_lemma_6_4():
    assert averaged_divergence(2.0, 0.025, 800) <= 0.05
    variance = 1.0 / (2.0 - 0.025)  # of the stationary law with sqrt(eta) xi
    assert averaged_divergence(1.0, 0.025, 4000) == pytest.approx(0.5 * (variance - 1.0 - math.log(variance)), rel=0.02)


def test_second_chain_falls_to_the_mode_and_with_noise_it_does_not():
    rng, eta, n, chains = np.random.default_rng(1), 0.05, 4000, 400
    near = np.zeros(2)
    x, left = np.zeros((2, chains)), np.zeros(chains, bool)  # without and with noise outside
    for _ in range(n):
        noise = math.sqrt(2.0 * eta) * rng.standard_normal(chains)
        x = (1.0 - eta) * x + np.stack([np.where(left, 0.0, noise), noise])
        left |= np.abs(x[0]) > 2.0
        near += (np.abs(x) < 0.1).mean(1) / n
    share = math.erf(0.1 / math.sqrt(2.0))
    assert near[0] - share >= example("quiet-outside").true - 0.02
    assert near[1] == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize(("amplitude", "rate"), [(1.0, 1.0), (1.0, 2.0), (5.0, 0.5)])
def test_second_moment_constant_integrates_the_tail(amplitude, rate):
    s, width = np.linspace(0.0, 100.0, 400_001, retstep=True)
    moment = width * np.sum(2.0 * s * np.minimum(1.0, amplitude * np.exp(-rate * s)))
    assert second_moment_constant(amplitude, rate) ** 2 == pytest.approx(moment, rel=1e-4)


def test_posterior_tail_is_a_gaussians():
    assert 10.0 ** example("posterior-tail").true == pytest.approx(math.erfc(2.0 / math.sqrt(2.0)), rel=0.01)


def test_cross_term_in_closed_form():
    assert example("cross-term").true == pytest.approx(2.0 * 0.1**2 * 0.9 * (1.0 - 0.1))
