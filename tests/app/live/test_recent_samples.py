"""The pool of recent samples: its ceiling is the score of exact draws, also if the reference changes within it."""

import numpy as np
import pytest
from scipy.special import ndtr

from app.live.recent_samples import EPOCHS, Pool
from sampler import Settings
from sampler.reference import SampleReference
from sampler.tuning import Measurements, judge

CHAINS = 64


def pool_of_exact_draws(rng, references):
    """Return a pool of 16 epochs of exact draws of N(0, I_2), scored with the references one after the other."""
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
    # The mean of 60 has a standard deviation of sd/sqrt(60); empirical bins and a smoothed end may add 0.003. Treated as
    # one reference, four would score 0.03 above their ceiling.
    assert abs(np.mean(missed)) < 4 * np.mean(spread) / np.sqrt(60) + 0.003


def test_an_exact_reference_adds_no_noise_and_a_partly_exact_one_less():
    pool, sound = Pool(), np.ones(CHAINS, dtype=bool)
    uniforms = np.random.default_rng(0).random((CHAINS, 2))
    pool.add(1, uniforms, uniforms, sound)
    assert pool.reference_draws is None
    pool.add(2, uniforms, uniforms, sound, (2, 100))
    assert pool.reference_draws == 400  # half of the pool with 1/100: (1/2)^2/100
    assert pool.copy().reference_draws == 400


@pytest.mark.parametrize("width, centre, kind", [(1.3, 0.0, "hot"), (0.7, 0.0, "narrow"), (1.0, 0.45, "lagging"),
                                                 (1.0, 0.0, "safe")])
def test_every_coordinate_of_a_pool_is_checked(width, centre, kind):
    """One of 21 deviates; two others have correlations of -0.6 and 0.2 between epochs."""
    rng, pool, sound = np.random.default_rng(4), Pool(), np.ones(CHAINS, dtype=bool)
    memory = np.array([0.0, -0.6, 0.2] + 18 * [0.0])
    white = rng.standard_normal((CHAINS, 21))
    for epoch in range(EPOCHS):
        white = memory * white + np.sqrt(1.0 - memory**2) * rng.standard_normal((CHAINS, 21))
        scores = white * np.r_[width, np.ones(20)] + np.r_[centre, np.zeros(20)]
        pool.add(epoch, ndtr(scores), scores, sound)
    wide, lag, narrow = pool.shape()
    # Standard errors of 1,024 draws: 0.022 of a width, 0.031 of a mean (the largest of 20 at 3), 0.032 of a correlation.
    assert wide == pytest.approx(max(width - 1.0, 0.05), abs=0.1)
    assert narrow == pytest.approx(max(1.0 - width, 0.05), abs=0.1)
    assert lag == pytest.approx(max(centre, 0.07), abs=0.1) and pool.memory() == pytest.approx(0.2, abs=0.1)
    ceiling, sd = pool.ceiling()
    assert judge(Measurements(Settings(), 99, CHAINS, 99, accuracy=pool.accuracy(), ceiling=ceiling, ceiling_sd=sd,
                              width_bias=wide, narrowness=narrow, lag=lag, memory=pool.memory(), dim=21, draws=pool.size,
                              pairs=pool.pairs)).kind == kind
