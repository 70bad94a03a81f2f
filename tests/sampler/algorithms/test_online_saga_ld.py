"""Online SAGA-LD against a direct implementation, with and without forgetting; sum, run lengths, resets, divergence."""

import numpy as np
import pytest

from sampler import GaussianMean, OnlineSagaLD, PreconditionedSagaLD, Settings
from sampler.algorithms import SGLD
from sampler.algorithms.checkpoint_calendar import CheckpointCalendar
from sampler.algorithms.results import Divergence, DivergenceError
from tests.sampler.algorithms.streams import CountingOracle, Randoms, stream

SETTINGS = Settings(eta0=0.3, batch_size=6, i_max=4, acceptance_radius=1.5, offset=1.0)


def part_of(data, first, last):
    return [each[first:last] for each in data]


def reference_path(problem, data, settings, random, keep, start):
    """Run LMV-n Algorithms 1 and 2 with forgetting, implemented directly; ``keep``: number of arrived rows -> n kept."""
    everything = problem.posterior(*data)
    x, checkpoint, gradients, last = start.copy(), start.copy(), [], []
    first, since, lapsed, resets, evaluations = 0, None, False, 0, 0
    for at in range(1, len(data[0]) + 1):
        t = at - first
        if t == 1 or (t - 1) & (t - 2) == 0 or (since is not None and bin(at - 1 - since).count("1") < 2):
            checkpoint, checkpoint_at = x.copy(), at - 1
        if np.linalg.norm(x - checkpoint) > settings.acceptance_radius / np.sqrt(t + settings.offset):
            x, resets = checkpoint.copy(), resets + 1
        gradients.append(everything.term_gradients(x, [at - 1])[0])
        last.append(t)
        due = [k for k in range(t - 1) if (2 * last[k] <= t if lapsed else 2 * last[k] == t)]
        for k in due:
            gradients[k], last[k] = everything.term_gradients(x, [first + k])[0], t
        lapsed, evaluations = False, evaluations + 1 + len(due)
        for _ in range(random.length(settings.i_max)):
            batch = random.batch(t, settings.batch_size)
            fresh = everything.term_gradients(x, first + batch)
            g = problem.prior_precision * x + sum(gradients) + t / len(batch) * sum(
                f - gradients[k] for f, k in zip(fresh, batch, strict=True))
            eta = settings.eta0 / (t + settings.offset)
            x = x - eta * g + np.sqrt(2 * eta) * random.normal(problem.dim)
            for f, k in zip(fresh, batch, strict=True):
                gradients[k], last[k] = f, t
            evaluations += len(batch)
        n = keep.get(at, t)
        if n < t:
            if since is None or 2 * (t - n) >= t or 2 * (at - since) >= n:
                since = at
            gradients, last = gradients[t - n:], [max(epoch - (t - n), 0) for epoch in last[t - n:]]
            first, lapsed = first + t - n, True
    return x, checkpoint, checkpoint_at, np.array(last), np.array(gradients), resets, evaluations


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson", "gaussian"])
@pytest.mark.parametrize("keep", [{}, {60: 13}, {40 + i: 25 for i in range(50)}, {64: 63, 70: 1}],
                         ids=["all", "once", "sliding", "1"])
def test_every_step_is_that_of_the_rule(kind, keep):
    problem, data = stream(kind, 100)
    start = np.full(3, 0.2)
    saga, before = OnlineSagaLD(problem, SETTINGS, chains=2, seed=9, start=start), 0
    resets = 0
    for at in [*keep, 100]:
        resets += saga.observe(*part_of(data, before, at)).resets
        if at in keep:
            saga.keep_last(keep[at])
        before = at
    expected = [reference_path(problem, data, SETTINGS, Randoms(9, 2, chain), keep, start) for chain in range(2)]
    for chain, (x, checkpoint, checkpoint_at, last, gradients, *_) in enumerate(expected):
        np.testing.assert_allclose(saga.positions[chain], x, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(saga.checkpoints[chain], checkpoint, rtol=1e-8, atol=1e-8)
        np.testing.assert_array_equal(saga.cached_epochs(chain), last)
        np.testing.assert_allclose(saga.cached_gradients(chain), gradients, rtol=1e-8, atol=1e-8)
        assert saga.checkpoint_epoch == checkpoint_at - saga.forgotten
    assert [resets, saga.gradient_evaluations] == np.sum([path[5:] for path in expected], axis=0).tolist()
    assert resets > 0 and saga.forgotten + saga.t == 100


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson", "gaussian"])
@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
def test_forgetting_updates_only_the_sum_and_the_metric(kind, algorithm):
    problem, data = stream(kind, 110)
    saga = algorithm(problem, SETTINGS.replace(eta0=0.05), chains=3, seed=1)
    saga.observe(*part_of(data, 0, 90))
    kept, positions = [saga.cached_gradients(k)[60:] for k in range(3)], saga.positions
    view, rows = saga.posterior, saga._rows.rows[60:90].copy()
    saga.keep_last(30)
    assert (saga.t, saga.forgotten, saga.posterior.t, view.t) == (30, 60, 30, 90)
    for k in range(3):
        np.testing.assert_array_equal(saga.cached_gradients(k), kept[k])
        in_order = np.cumsum(kept[k], axis=0)[-1]
        if kind != "poisson" or algorithm is OnlineSagaLD:
            np.testing.assert_array_equal(saga.gradient_sum(k), in_order)
        # A Poisson metric limits means and recomputes the sum with fused products: within 30 roundings of sum |G|.
        np.testing.assert_allclose(saga.gradient_sum(k), in_order, rtol=0, atol=60 * 2.3e-16 * np.abs(kept[k]).sum())
    np.testing.assert_array_equal(saga.positions, positions)
    np.testing.assert_array_equal(saga._rows.rows[:30], rows)
    saga.keep_last(31)  # nothing to forget
    assert (saga.t, saga.forgotten) == (30, 60)
    if algorithm is PreconditionedSagaLD:
        assert not saga.acceptance_in_force.any()
        saga.observe(*part_of(data, 90, 110))
        if kind in ("linear", "gaussian"):
            np.testing.assert_allclose(saga.precision_matrix(1), saga.posterior.hessian(np.zeros(3)), rtol=1e-12)


def test_checkpoints_restart_once_half_of_the_data_are_replaced():
    calendar = CheckpointCalendar()
    assert not calendar.is_due(0) and calendar.coming(5) is None and calendar.newest(5) == 0
    calendar.forget(200, 200, 199)
    for at in range(201, 300):
        calendar.forget(at, 200, 199)
    assert calendar.since == 200  # 100 of the 199 are replaced at 300
    assert [at for at in range(200, 300) if calendar.is_due(at)] == [200, 201, 202, 204, 208, 216, 232, 264]
    assert [calendar.coming(at) for at in (200, 201, 202, 203, 204, 263, 264)] == [201, 202, 204, 204, 208, 264, 328]
    assert [calendar.newest(at) for at in (199, 200, 201, 203, 204, 263, 264)] == [0, 200, 201, 202, 204, 232, 264]
    calendar.forget(300, 200, 199)
    assert calendar.since == 300
    calendar.forget(310, 210, 105)  # half at once
    assert calendar.since == 310


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
def test_the_cost_per_datum_is_bounded(algorithm):
    problem, data = stream("logistic", 500)
    saga = algorithm(problem, SETTINGS, chains=4, seed=1)
    saga.observe(*part_of(data, 0, 400))
    saga.keep_last(50)
    assert saga.observe(*part_of(data, 400, 401)).refreshed <= 4 * 50
    refreshed = 0
    for i in range(401, 500):
        saga.keep_last(50)
        refreshed += saga.observe(*part_of(data, i, i + 1)).refreshed
    assert refreshed <= 4 * 2 * 99  # an anchor is renewed at most once per 25 epochs
    assert saga._rows.capacity <= 128 and saga._memory.arrays(saga.t)["items"].nbytes == 16 * 4 * 51


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
@pytest.mark.parametrize("kind", ["logistic", "gaussian"])
def test_the_path_is_independent_of_files_pieces_and_threads(algorithm, kind, tmp_path):
    problem, data = stream(kind, 130)
    ends = []
    for pieces, rows, threads in ((1, True, 1), (35, False, 3), (7, True, 2)):
        saga = algorithm(problem, SETTINGS, chains=3, seed=4, threads=threads)
        if pieces == 7:
            saga.keep_rows_in(tmp_path)
        saga.observe(*part_of(data, 0, 80))
        saga.keep_last(50)  # moves rows in memory
        for i in range(80, 115, pieces):
            saga.observe(*part_of(data, i, min(115, i + pieces)))
        saga.save(tmp_path / "state.npz", rows=rows)
        holder = algorithm(problem, SETTINGS, chains=3)
        holder.hold_rows(*part_of(data, 0, 115))
        saga = algorithm.load(tmp_path / "state.npz", rows=None if rows else holder)
        saga.keep_last(20)
        saga.observe(*part_of(data, 115, 130))
        ends.append((saga.positions, saga.checkpoints, saga.forgotten, saga.t, saga.checkpoint_epoch,
                     saga.gradient_evaluations))
    for end in ends[1:]:
        for actual, first in zip(end, ends[0], strict=True):
            np.testing.assert_array_equal(actual, first)
    short = algorithm(problem, SETTINGS, chains=3)
    short.hold_rows(*part_of(data, 0, 65))
    saga.save(tmp_path / "state.npz", rows=False)
    with pytest.raises(ValueError, match="rows must hold the 35 data of the saved sampler, and 95 before them, got 65"):
        algorithm.load(tmp_path / "state.npz", rows=short)


def test_a_chain_far_away_is_not_held_by_the_old_checkpoint():
    """The truth jumps by 40 acceptance radii; the old checkpoint would keep the chain in its ball."""
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(300, 2)), rng.normal(size=(60, 2)) + 30.0
    settings = Settings(eta0=0.05, batch_size=8, i_max=20, acceptance_radius=8.0, offset=1.0)
    saga = OnlineSagaLD(GaussianMean(2), settings, chains=50, seed=1)
    saga.observe(before)
    saga.observe(after[:20])
    saga.keep_last(20)
    epoch = saga.observe(after[20:])
    # An epoch has 10.5 steps on average, each covers 10 % of the distance: less than 1e-12 remains after 40 epochs.
    assert np.abs(epoch.samples - after.mean(axis=0)).max() < 6 / np.sqrt(2 * 60)


def test_impossible_forgetting_is_an_error():
    problem, data = stream("logistic", 20)
    saga = OnlineSagaLD(problem, SETTINGS, chains=2)
    saga.arrive(*(each[0] for each in data))
    with pytest.raises(ValueError, match="epoch 1 is unfinished"):
        saga.keep_last(5)
    saga.advance(100)
    for bad in (0, -1, 2.5, None):
        with pytest.raises(ValueError, match=r"n must be a whole number .*; it is the number of data to keep"):
            saga.keep_last(bad)
    with pytest.raises(ValueError, match="SGLD cannot forget; use OnlineSagaLD or PreconditionedSagaLD"):
        SGLD(problem).keep_last(5)
    with pytest.raises(ValueError, match="keep_last requires data stored in the sampler, got GradientOracle"):
        OnlineSagaLD(CountingOracle(problem, data).problem).keep_last(5)


def invariant(saga, chain):
    """Return s minus the sum of the cached gradients: zero to rounding."""
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


def test_reenabled_refresh_recomputes_overdue_gradients_and_counts_them():
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


def test_run_lengths_use_the_same_draws_when_i_max_changes():
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


def test_a_diverged_chain_restarts_at_its_checkpoint_with_a_new_cache():
    problem, data = stream("linear", 13)
    saga = OnlineSagaLD(problem, Settings(eta0=0.05, i_max=12, batch_size=4), chains=3)
    saga.observe(*(part[:12] for part in data))
    saga.settings = saga.settings.replace(eta0=1e6, random_length=False)
    with pytest.raises(DivergenceError):
        saga.observe(*(part[12] for part in data))
    lost, evaluations_before = saga.diverged, saga.gradient_evaluations
    assert saga.restart_diverged() == lost.sum() > 0 and not saga.diverged.any()
    np.testing.assert_array_equal(saga.positions[lost], saga.checkpoints[lost])
    np.testing.assert_array_equal(saga.steps_done[lost], saga.run_lengths[lost])  # this epoch is over
    assert saga.gradient_evaluations == evaluations_before + 13 * lost.sum()
    assert all(invariant(saga, chain) < 1e-13 for chain in np.flatnonzero(lost))
    saga._state.diverged_epoch[:], saga._state.diverged_step[:] = (13, 12, 0), (1, 7, 0)
    assert saga.divergence == Divergence(1, 12, 7)  # the first in time
