"""Copies of a sampler and threads sharing one: every row is processed once, no call reads chains in mid-step."""

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sampler import (
    SGLD,
    ULA,
    GradientOracle,
    LogisticRegression,
    OnlineSagaLD,
    PreconditionedSagaLD,
    find_mode,
    synthetic_stream,
)
from sampler.algorithms.sampler_copies import copies_of, sampler_at
from tests.sampler.algorithms.streams import stream
from tests.sampler.algorithms.test_stream_sampler import SAMPLERS, SETTINGS

THREADS, EACH = 4, 12


def in_threads(*works):
    """Run each function in its own thread, started together; return their exceptions."""
    start = threading.Barrier(len(works))
    with ThreadPoolExecutor(len(works)) as pool:
        submitted = [pool.submit(lambda work=work: (start.wait(300), work())) for work in works]
        return [one.exception() for one in submitted if one.exception()]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_threads_that_observe_at_once_take_turns(sampler):
    problem, data = stream("logistic", THREADS * EACH)
    s, seen, snapshots = sampler(problem, SETTINGS, chains=3, seed=1), [], []
    s.observe(*(part[:1] for part in data))  # compile first, so that calls overlap

    def observe_part(first):
        for i in range(first or THREADS, len(data[0]), THREADS):
            seen.append(s.observe(*(part[i] for part in data)).t)

    def read():
        for _ in range(20):
            snapshots.append(s.snapshot())
            assert np.isfinite(s.positions).all()
            s.settings = s.settings.replace(eta0=0.2)

    assert not in_threads(*(lambda first=first: observe_part(first) for first in range(THREADS)), read)
    assert s.t == THREADS * EACH and sorted(seen) == list(range(2, s.t + 1))
    observed = np.sort(s.posterior.features[:, 0])
    np.testing.assert_array_equal(observed, np.sort(data[0][:, 0]))  # each row once
    for state in snapshots:  # complete epochs of this many rows
        assert state.meta["done"] and len(state.arrays["rows_rows"]) == state.meta["t"]
    if hasattr(s, "cached_gradients"):
        np.testing.assert_allclose(s.gradient_sum(1), s.cached_gradients(1).sum(axis=0), atol=1e-9)


def test_a_nested_call_is_rejected_and_changes_nothing():
    inside = []

    def gradients(indices, theta):
        for call in (s.observe, lambda: s.advance(1), s.snapshot):
            with pytest.raises(ValueError, match="must wait until observe of this sampler has returned"):
                call()
        inside.append(s.positions)  # reading is allowed
        return theta - np.ones((len(indices), 1))

    s = OnlineSagaLD(GradientOracle(gradients, 2), SETTINGS, chains=2)
    assert s.observe().t == s.t == 1 and inside


def test_a_copy_has_its_own_lock():
    problem, data = stream("logistic", 20)
    s = OnlineSagaLD(problem, SETTINGS, chains=2)
    s.observe(*(part[:10] for part in data))
    with s._turn.lock:  # held by this thread, as during a running call
        others = copy.deepcopy(s), pickle.loads(pickle.dumps(s)), OnlineSagaLD.from_snapshot(s.snapshot())
        assert not in_threads(*(lambda one=one: one.observe(*(part[10:] for part in data)) for one in others))
    s.observe(*(part[10:] for part in data))
    for other in others:
        np.testing.assert_array_equal(other.positions, s.positions)


STREAM = synthetic_stream("logistic", 2, "paper", 200, seed=3)


def saga(kind=OnlineSagaLD):
    sampler = kind(LogisticRegression(2), SETTINGS, chains=1, seed=5)
    sampler.observe(STREAM.features[:100], STREAM.labels[:100])
    return sampler


@pytest.mark.parametrize("kind", [OnlineSagaLD, PreconditionedSagaLD])
def test_copies_share_the_cache_and_not_the_random_numbers(kind):
    one = saga(kind)
    many = copies_of(one, 6, seed=9)
    assert many.chains == 6 and many.t == one.t and many.gradient_evaluations == 0
    np.testing.assert_array_equal(many.positions, np.repeat(one.positions, 6, axis=0))
    for k in range(6):
        np.testing.assert_array_equal(many.cached_gradients(k), one.cached_gradients(0))
        np.testing.assert_array_equal(many.gradient_sum(k), one.gradient_sum(0))
    many.observe(STREAM.features[100], STREAM.labels[100])
    assert len(np.unique(many.positions, axis=0)) == 6
    assert one.t == 100


def test_copies_can_have_other_positions_and_settings():
    many = copies_of(saga(), 3, seed=1, position=[0.25, -0.5], i_max=77, random_length=False)
    np.testing.assert_array_equal(many.positions, [[0.25, -0.5]] * 3)
    assert many.settings.i_max == 77
    many.arrive(STREAM.features[100], STREAM.labels[100])
    assert (many.run_lengths == 77).all()


def test_unsupported_copies_are_rejected_with_a_remedy():
    with pytest.raises(ValueError, match="sampler_at"):
        copies_of(ULA(LogisticRegression(2), chains=1), 3, seed=0)
    with pytest.raises(ValueError, match="copies_of"):
        sampler_at(OnlineSagaLD, LogisticRegression(2), (), SETTINGS, 1, 0, [0.0, 0.0])
    open_one = saga()
    open_one.arrive(STREAM.features[100], STREAM.labels[100])
    with pytest.raises(ValueError, match="between two epochs"):
        copies_of(open_one, 3, seed=0)


def test_sampler_at_starts_at_the_position_and_counts_its_own_epoch():
    problem = LogisticRegression(2)
    mode = find_mode(problem.posterior(STREAM.features[:50], STREAM.labels[:50]))
    sgld = sampler_at(SGLD, problem, (STREAM.features[:50], STREAM.labels[:50]), SETTINGS, 4, 0, mode)
    assert sgld.t == 50 and sgld.gradient_evaluations == 0
    np.testing.assert_array_equal(sgld.positions, np.repeat(mode[None], 4, axis=0))
    sgld.arrive(STREAM.features[50], STREAM.labels[50])
    sgld.advance(3)
    assert sgld.t == 51 and sgld.gradient_evaluations == 5 * sgld.steps_done.sum() > 0
