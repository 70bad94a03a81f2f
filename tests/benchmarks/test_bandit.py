"""Regret of a bandit against exact values; exactness of `ExactArms`."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from sampler import LogisticRegression
from tests.benchmarks.bandit import SAMPLERS, ExactArms, bandit, measure, page_play


def played(player, arms, chances, seed=0, rounds=200):
    return page_play()(player, arms, np.array(chances), rounds, np.random.default_rng(seed))


def players(dim):
    return [*(kind(LogisticRegression(dim, 1 / 9), chains=16) for kind in SAMPLERS.values()), ExactArms(dim, 3.0)]


def test_without_a_choice_there_is_no_regret():
    for player in players(3):
        assert not played(player, np.eye(3), [0.3, 0.3, 0.3], rounds=20).any()


@pytest.mark.parametrize("place", range(3))
def test_the_better_of_two_arms_is_learned(place):
    """Random play loses 0 or 0.6 per round: 60 in 200 rounds, with a standard deviation of 0.3 sqrt(200) = 4.2."""
    regret, again, other = (played(players(2)[place], np.eye(2), [0.2, 0.8], seed) for seed in (0, 0, 1))
    assert np.array_equal(regret, again) and not np.array_equal(regret, other)
    assert regret[-1] < 60 - 5 * 4.2
    steps = np.diff(regret, prepend=0.0)
    assert np.all(np.isclose(steps, 0.0) | np.isclose(steps, 0.6))


def test_exact_draws_have_the_mean_of_the_posterior():
    """Three rewards in ten plays of one arm, no play of the other; the tolerance is five standard errors."""
    player, rng, n = ExactArms(2, 3.0), np.random.default_rng(0), 4_000
    for reward in [1] * 3 + [0] * 7:
        player.observe(np.eye(2)[0], reward)
    draws = np.array([player.predictive().thompson(rng)(np.eye(2)) for _ in range(n)])

    def moment(power, hits, misses):
        return quad(lambda x: expit(x)**(hits + power) * expit(-x)**misses * np.exp(-x**2 / 18), -25, 25, limit=200)[0]

    for arm, (hits, misses) in enumerate([(3, 7), (0, 0)]):
        mean, square = (moment(power, hits, misses) / moment(0, hits, misses) for power in (1, 2))
        sd = np.sqrt(square - mean**2)
        assert abs(draws[:, arm].mean() - mean) < 5 * sd / np.sqrt(n)


def test_rare_rewards_are_rare_and_a_quick_measurement_ends():
    chances = np.concatenate([bandit("rare", seed).chances for seed in range(50)])
    assert 0.01 < np.median(chances) < 0.03  # expit(-4) = 0.018
    rows = list(measure(quick=True))
    assert len(rows) == 9 and all(np.isfinite(row.measured) for row in rows)
