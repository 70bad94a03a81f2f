"""The plain sampler's rule written out, with what is forgotten and without."""

import numpy as np
import pytest

from sampler import GaussianMean, OnlineSagaLD, PreconditionedSagaLD, Settings
from sampler.algorithms import SGLD
from sampler.algorithms.checkpoint_calendar import CheckpointCalendar
from tests.sampler.algorithms.streams import CountingOracle, Randoms, stream

SETTINGS = Settings(eta0=0.3, batch_size=6, i_max=4, acceptance_radius=1.5, offset=1.0)


def part_of(data, first, last):
    return [each[first:last] for each in data]


def reference_path(problem, data, settings, random, keep, start):
    """LMV-n Algorithms 1 and 2, written out, and the rule of forgetting; ``keep``: rows that have come -> n that stay."""
    everything = problem.posterior(*data)
    x, checkpoint, gradients, last = start.copy(), start.copy(), [], []
    first, since, lapsed, resets, evaluations = 0, None, False, 0, 0
    for came in range(1, len(data[0]) + 1):
        t = came - first
        if t == 1 or (t - 1) & (t - 2) == 0 or (since is not None and bin(came - 1 - since).count("1") < 2):
            checkpoint, stood = x.copy(), came - 1
        if np.linalg.norm(x - checkpoint) > settings.acceptance_radius / np.sqrt(t + settings.offset):
            x, resets = checkpoint.copy(), resets + 1
        gradients.append(everything.term_gradients(x, [came - 1])[0])
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
        n = keep.get(came, t)
        if n < t:
            if since is None or 2 * (t - n) >= t or 2 * (came - since) >= n:
                since = came
            gradients, last = gradients[t - n:], [max(epoch - (t - n), 0) for epoch in last[t - n:]]
            first, lapsed = first + t - n, True
    return x, checkpoint, stood, np.array(last), np.array(gradients), resets, evaluations


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson", "gaussian"])
@pytest.mark.parametrize("keep", [{}, {60: 13}, {40 + i: 25 for i in range(50)}, {64: 63, 70: 1}],
                         ids=["all", "once", "sliding", "1"])
def test_every_step_is_that_of_the_rule(kind, keep):
    problem, data = stream(kind, 100)
    start = np.full(3, 0.2)
    saga, before = OnlineSagaLD(problem, SETTINGS, chains=2, seed=9, start=start), 0
    resets = 0
    for came in [*keep, 100]:
        resets += saga.observe(*part_of(data, before, came)).resets
        if came in keep:
            saga.keep_last(keep[came])
        before = came
    expected = [reference_path(problem, data, SETTINGS, Randoms(9, 2, chain), keep, start) for chain in range(2)]
    for chain, (x, checkpoint, stood, last, gradients, *_) in enumerate(expected):
        np.testing.assert_allclose(saga.positions[chain], x, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(saga.checkpoints[chain], checkpoint, rtol=1e-8, atol=1e-8)
        np.testing.assert_array_equal(saga.cached_epochs(chain), last)
        np.testing.assert_allclose(saga.cached_gradients(chain), gradients, rtol=1e-8, atol=1e-8)
        assert saga.checkpoint_epoch == stood - saga.forgotten
    assert [resets, saga.gradient_evaluations] == np.sum([path[5:] for path in expected], axis=0).tolist()
    assert resets > 0 and saga.forgotten + saga.t == 100


@pytest.mark.parametrize("kind", ["logistic", "linear", "poisson", "gaussian"])
@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
def test_sum_and_metric_are_those_of_the_rows_kept_and_nothing_else_moves(kind, algorithm):
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
        # A Poisson metric limits means and sums up again, products fused: each sum of 30 within 30 roundings of sum |G|.
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


def test_checkpoints_begin_afresh_once_half_of_the_data_are_others():
    calendar = CheckpointCalendar()
    assert not calendar.is_due(0) and calendar.coming(5) is None and calendar.newest(5) == 0
    calendar.forget(200, 200, 199)
    for came in range(201, 300):
        calendar.forget(came, 200, 199)
    assert calendar.since == 200  # 100 of the 199 are others from 300 on
    assert [came for came in range(200, 300) if calendar.is_due(came)] == [200, 201, 202, 204, 208, 216, 232, 264]
    assert [calendar.coming(came) for came in (200, 201, 202, 203, 204, 263, 264)] == [201, 202, 204, 204, 208, 264, 328]
    assert [calendar.newest(came) for came in (199, 200, 201, 203, 204, 263, 264)] == [0, 200, 201, 202, 204, 232, 264]
    calendar.forget(300, 200, 199)
    assert calendar.since == 300
    calendar.forget(310, 210, 105)  # half at once
    assert calendar.since == 310


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
def test_the_cost_a_datum_is_bounded(algorithm):
    problem, data = stream("logistic", 500)
    saga = algorithm(problem, SETTINGS, chains=4, seed=1)
    saga.observe(*part_of(data, 0, 400))
    saga.keep_last(50)
    assert saga.observe(*part_of(data, 400, 401)).refreshed <= 4 * 50
    refreshed = 0
    for i in range(401, 500):
        saga.keep_last(50)
        refreshed += saga.observe(*part_of(data, i, i + 1)).refreshed
    assert refreshed <= 4 * 2 * 99  # an anchor is taken anew at most once in half its life of 50 epochs
    assert saga._rows.capacity <= 128 and saga._memory.arrays(saga.t)["items"].nbytes == 16 * 4 * 51


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
@pytest.mark.parametrize("kind", ["logistic", "gaussian"])
def test_it_goes_on_the_same_from_a_file_in_pieces_and_on_threads(algorithm, kind, tmp_path):
    problem, data = stream(kind, 130)
    ends = []
    for pieces, rows, threads in ((1, True, 1), (35, False, 3), (7, True, 2)):
        saga = algorithm(problem, SETTINGS, chains=3, seed=4, threads=threads)
        if pieces == 7:
            saga.keep_rows_in(tmp_path)
        saga.observe(*part_of(data, 0, 80))
        saga.keep_last(50)  # rows move to where others stood
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
        for mine, first in zip(end, ends[0], strict=True):
            np.testing.assert_array_equal(mine, first)
    short = algorithm(problem, SETTINGS, chains=3)
    short.hold_rows(*part_of(data, 0, 65))
    saga.save(tmp_path / "state.npz", rows=False)
    with pytest.raises(ValueError, match="rows must hold the 35 data of the saved sampler, and 95 before them, got 65"):
        algorithm.load(tmp_path / "state.npz", rows=short)


def test_a_chain_far_away_is_not_held_by_the_old_checkpoint():
    """The truth jumps by 40 acceptance radii; one that a checkpoint held could not leave its ball."""
    rng = np.random.default_rng(0)
    before, after = rng.normal(size=(300, 2)), rng.normal(size=(60, 2)) + 30.0
    settings = Settings(eta0=0.05, batch_size=8, i_max=20, acceptance_radius=8.0, offset=1.0)
    saga = OnlineSagaLD(GaussianMean(2), settings, chains=50, seed=1)
    saga.observe(before)
    saga.observe(after[:20])
    saga.keep_last(20)
    epoch = saga.observe(after[20:])
    # An epoch has 10.5 steps in the mean, each takes 10 % of the way: 40 epochs leave less than 1e-12 of it.
    assert np.abs(epoch.samples - after.mean(axis=0)).max() < 6 / np.sqrt(2 * 60)


def test_impossible_forgetting_is_an_error():
    problem, data = stream("logistic", 20)
    saga = OnlineSagaLD(problem, SETTINGS, chains=2)
    saga.arrive(*(each[0] for each in data))
    with pytest.raises(ValueError, match="epoch 1 is unfinished"):
        saga.keep_last(5)
    saga.advance(100)
    for bad in (0, -1, 2.5, None):
        with pytest.raises(ValueError, match=r"n must be a whole number .*; the data that are to count"):
            saga.keep_last(bad)
    with pytest.raises(ValueError, match="SGLD cannot forget; use OnlineSagaLD or PreconditionedSagaLD"):
        SGLD(problem).keep_last(5)
    with pytest.raises(ValueError, match="keep_last needs data that the sampler holds, got GradientOracle"):
        OnlineSagaLD(CountingOracle(problem, data).problem).keep_last(5)
