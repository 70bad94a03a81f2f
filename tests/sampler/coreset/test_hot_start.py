"""Algorithm 3 against lines fitted by NumPy, its schedule, and what happens at the cap."""

import numpy as np
import pytest

from sampler.coreset import (
    PAPER_MEMORY,
    CoresetMCMC,
    GaussianKernel,
    GaussianLocation,
    HotStart,
    hot_start_statistic,
    hot_start_test,
)


def by_hand(values):
    t = len(values)
    n = -(-t // 3)
    shares = []
    for chain in np.asarray(values).T:
        means, spreads = [], []
        for part in (chain[t - 2 * n:t - n], chain[t - n:]):
            time = np.arange(n)
            rest = part - np.polyval(np.polyfit(time, part, 1), time)
            means.append(part.mean())
            spreads.append(np.sqrt(rest @ rest / (n - 2)))
        shares.append(abs(means[0] - means[1]) / max(spreads))
    return np.median(shares)


@pytest.mark.parametrize("t", [7, 8, 9, 30, 61])
@pytest.mark.parametrize("chains", [1, 2, 5])
def test_the_statistic_is_the_papers_on_the_last_two_segments(t, chains):
    values = np.random.default_rng(t).standard_normal((t, chains)).cumsum(axis=0)
    assert hot_start_statistic(values) == pytest.approx(by_hand(values), rel=1e-9)


def test_settled_chains_pass_and_moving_ones_do_not():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((300, 2))
    assert hot_start_test(noise) is True
    assert hot_start_test(noise + 0.02 * np.arange(300)[:, None]) is False  # means differ by 2 deviations
    assert hot_start_test(noise[:6]) is False and hot_start_test(np.ones((60, 2))) is False
    early = noise - 1000 * (np.arange(300) < 90)[:, None]  # the first third is not looked at
    assert hot_start_test(early) is True


def test_the_schedule_is_every_thirty_from_three_times_the_dimension_and_ends_at_the_cap():
    at = HotStart()
    assert [at.next_check(t, 20) for t in (0, 59, 60, 61)] == [60, 60, 90, 90]
    assert at.next_check(0, 2) == 30 and at.next_check(9_990, 2) == 10_000
    assert HotStart(every=1, first=9).next_check(3, 20) == 9


MODEL = GaussianLocation.synthetic(n=2000, dim=4, seed=0)


def assert_first_step(weights, r=1e-3):
    """Every weight moved by r, short of it only where |g| is not large against the root of epsilon."""
    moved = np.abs(weights - 40.0)
    assert moved.max() < r * (1 + 1e-6) and np.median(moved) == pytest.approx(r, rel=1e-4) and moved.min() > 0.5 * r


def test_weights_wait_for_the_chains():
    sampler = CoresetMCMC(MODEL, 50, kernel=GaussianKernel(PAPER_MEMORY), start="far", seed=1)
    run = sampler.start()
    while run.hot_start_iteration is None:
        assert np.all(run.weights == 40.0) and run.rates.shape == (50,) and np.isnan(run.rates).all()
        run.advance(30)
    assert run.hot_start_passed and run.t == run.hot_start_iteration == run.hot_start_checks[-1][0]
    assert [t for t, _ in run.hot_start_checks] == list(range(30, run.t + 1, 30))
    for t, statistic in run.hot_start_checks:
        assert statistic == hot_start_statistic(run.log_potentials[:t])
        assert (statistic < 0.5) == (t == run.t)
    # The first update is the next iteration's, and moves every weight by r.
    assert np.all(run.weights == 40.0)
    assert_first_step(run.advance(1).weights)


def test_at_the_cap_training_starts_and_the_run_says_so():
    run = CoresetMCMC(MODEL, 50, hot_start=HotStart(threshold=1e-12, cap=100), seed=0).run(150)
    assert run.hot_start_iteration == 100 and run.hot_start_passed is False
    assert "did not pass in 100 iterations" in run.notices[0]
    assert np.all(run.weights != 40.0)


def test_without_a_hot_start_training_begins_at_once():
    run = CoresetMCMC(MODEL, 50, hot_start=False, seed=0).run(1)
    assert run.hot_start_iteration == 0 and run.hot_start_passed is None
    assert_first_step(run.weights)
