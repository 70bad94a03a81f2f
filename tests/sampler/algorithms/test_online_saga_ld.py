"""Online SAGA-LD: its cache and sum, run lengths, resets, divergence; test_forgetting has its rule, step by step."""

import numpy as np
import pytest

from sampler import OnlineSagaLD, Settings
from sampler.algorithms.results import Divergence, DivergenceError
from tests.sampler.algorithms.streams import stream


def invariant(saga, chain):
    """s - sum of the cached gradients: zero to rounding."""
    gradients = saga.cached_gradients(chain)
    return np.abs(gradients.sum(axis=0) - saga.gradient_sum(chain)).max() / max(1.0, np.abs(gradients).sum())


@pytest.mark.parametrize("kind", ["logistic", "gaussian"])
@pytest.mark.parametrize("switch", [None, "variance_reduction", "reset", "random_length", "refresh"])
def test_the_sum_is_the_sum_of_the_cache(kind, switch):
    # Batches of 40 from at most 150 data repeat indices at nearly every step; a radius of 0.5 resets often.
    settings = Settings(eta0=0.2, batch_size=40, i_max=6, acceptance_radius=0.5, offset=1.0)
    if switch:
        settings = settings.replace(**{switch: False})
    problem, data = stream(kind, 150)
    saga = OnlineSagaLD(problem, settings, chains=2, seed=2)
    resets = 0
    for i in range(150):
        epoch = saga.observe(*(part[i] for part in data))
        resets += epoch.resets
        for chain in range(2):
            assert invariant(saga, chain) < 1e-13
    assert (resets > 0) == (switch != "reset")


def test_the_sum_survives_many_steps():
    problem, data = stream("logistic", 50)
    saga = OnlineSagaLD(problem, Settings(eta0=0.1, batch_size=16, i_max=1, random_length=False), chains=1)
    saga.observe(*(part[:49] for part in data))
    saga.settings = saga.settings.replace(i_max=200_000)
    saga.observe(*(part[49] for part in data))
    assert invariant(saga, 0) < 1e-11  # rounding: 3.2e6 additions of 1e-16 relative, random signs


def test_refresh_turned_on_again_recomputes_what_is_overdue_and_counts_it():
    problem, data = stream("logistic", 400)
    on = Settings(eta0=0.1, batch_size=1, i_max=1)
    saga = OnlineSagaLD(problem, on.replace(refresh=False), chains=2)
    epoch = saga.observe(*(part[:300] for part in data))
    assert epoch.refreshed == 0
    overdue = sum(int((2 * saga.cached_epochs(k) <= 301).sum()) for k in range(2))
    assert overdue > 100
    saga.settings = on
    epoch = saga.observe(*(part[300] for part in data))
    assert epoch.refreshed == overdue
    assert epoch.gradient_evaluations == overdue + 2 * (1 + 1)
    for i in range(301, 400):
        saga.observe(*(part[i] for part in data))
        assert 2 * saga.cached_epochs(1).min() >= saga.t - 1
        assert invariant(saga, 1) < 1e-13


def test_run_lengths_are_of_the_same_draws_when_i_max_changes():
    problem, data = stream("gaussian", 1)
    saga = OnlineSagaLD(problem, Settings(i_max=10, batch_size=1), chains=50)
    saga.arrive(data[0][0])
    saga.settings = saga.settings.replace(i_max=1000)
    np.testing.assert_array_equal(saga.run_lengths, 1 + np.floor(saga._state.length_draw * 1000))


def test_a_reset_starts_the_epoch_at_the_checkpoint():
    problem, data = stream("logistic", 60)
    saga = OnlineSagaLD(problem, Settings(eta0=1.0, i_max=30, batch_size=4, acceptance_radius=4.0), chains=8)
    seen = 0
    for i in range(60):
        before = saga.positions
        saga.arrive(*(part[i] for part in data))
        distance = np.linalg.norm(before - saga.checkpoints, axis=1)
        expected = distance > 4.0 / np.sqrt(saga.t + 2.0)
        np.testing.assert_array_equal(saga.was_reset, expected)
        np.testing.assert_array_equal(saga.positions, np.where(expected[:, None], saga.checkpoints, before))
        np.testing.assert_array_equal(saga.warm_starts, before)
        seen += expected.sum()
        saga.advance(10**6)
        assert saga.epoch().resets == expected.sum()
    assert 10 < seen < 400


def test_a_chain_that_ran_off_goes_back_to_its_checkpoint_and_pays_for_a_new_cache():
    problem, data = stream("linear", 13)
    saga = OnlineSagaLD(problem, Settings(eta0=0.05, i_max=12, batch_size=4), chains=3)
    saga.observe(*(part[:12] for part in data))
    saga.settings = saga.settings.replace(eta0=1e6, random_length=False)
    with pytest.raises(DivergenceError):
        saga.observe(*(part[12] for part in data))
    lost, paid = saga.diverged, saga.gradient_evaluations
    assert saga.restart_diverged() == lost.sum() > 0 and not saga.diverged.any()
    np.testing.assert_array_equal(saga.positions[lost], saga.checkpoints[lost])
    np.testing.assert_array_equal(saga.steps_done[lost], saga.run_lengths[lost])  # this epoch is over
    assert saga.gradient_evaluations == paid + 13 * lost.sum()
    assert all(invariant(saga, chain) < 1e-13 for chain in np.flatnonzero(lost))
    saga._state.diverged_epoch[:], saga._state.diverged_step[:] = (13, 12, 0), (1, 7, 0)
    assert saga.divergence == Divergence(1, 12, 7)  # the first in time
