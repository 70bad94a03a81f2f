"""The pool of recent samples: its ceiling is what exact draws score, also where the reference changes within it."""

import numpy as np
import pytest

from app.live.recent_samples import EPOCHS, Pool
from sampler.reference import SampleReference

CHAINS = 64


def pool_of_exact_draws(rng, references):
    """16 epochs of exact draws of N(0, I_2), each seen through one of some drawn references in turn."""
    pool, sound = Pool(), np.ones(CHAINS, dtype=bool)
    for epoch in range(EPOCHS):
        k = epoch * len(references) // EPOCHS
        draws = rng.standard_normal((CHAINS, 2))
        pool.add(epoch, references[k].cdf(draws), draws, sound, (k, references[k].ceiling_draws))
    return pool


@pytest.mark.parametrize("count", [1, 4])
def test_exact_draws_score_the_ceiling(count):
    rng, missed, spread = np.random.default_rng(count), [], []
    for _ in range(60):
        references = [SampleReference(rng.standard_normal((400, 2)), 10, [400.0, 400.0], [1.0, 1.0], [400.0, 400.0])
                      for _ in range(count)]
        pool = pool_of_exact_draws(rng, references)
        mean, sd = pool.ceiling()
        missed.append(pool.accuracy() - mean)
        spread.append(sd)
    assert pool.reference_draws == 400 * count
    # The mean of 60 has a standard deviation of sd/sqrt(60); 0.003 is what empirical bins and a smoothed end may add. Taken
    # for one reference, four would seem to score 0.03 above their ceiling.
    assert abs(np.mean(missed)) < 4 * np.mean(spread) / np.sqrt(60) + 0.003


def test_a_target_known_exactly_adds_no_noise_and_a_part_of_it_less():
    pool, sound = Pool(), np.ones(CHAINS, dtype=bool)
    uniforms = np.random.default_rng(0).random((CHAINS, 2))
    pool.add(1, uniforms, uniforms, sound)
    assert pool.reference_draws is None
    pool.add(2, uniforms, uniforms, sound, (2, 100))
    assert pool.reference_draws == 400  # half of the pool with 1/100: (1/2)^2/100
    assert pool.copy().reference_draws == 400
