"""Threads that share a sampler take turns: every row is learnt once, and no call finds the chains half moved."""

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sampler import GradientOracle, OnlineSagaLD
from tests.sampler.algorithms.streams import stream
from tests.sampler.algorithms.test_stream_sampler import SAMPLERS, SETTINGS

THREADS, EACH = 4, 12


def in_threads(*works):
    """Run each work in a thread of its own, all beginning at once; return what they raised."""
    start = threading.Barrier(len(works))
    with ThreadPoolExecutor(len(works)) as pool:
        begun = [pool.submit(lambda work=work: (start.wait(30), work())) for work in works]
        return [one.exception() for one in begun if one.exception()]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_threads_that_observe_at_once_take_turns(sampler):
    problem, data = stream("logistic", THREADS * EACH)
    s, seen, kept = sampler(problem, SETTINGS, chains=3, seed=1), [], []
    s.observe(*(part[:1] for part in data))  # compiled, so that calls meet

    def learn(first):
        for i in range(first or THREADS, len(data[0]), THREADS):
            seen.append(s.observe(*(part[i] for part in data)).t)

    def look():
        for _ in range(20):
            kept.append(s.snapshot())
            assert np.isfinite(s.positions).all()
            s.settings = s.settings.replace(eta0=0.2)

    assert not in_threads(*(lambda first=first: learn(first) for first in range(THREADS)), look)
    assert s.t == THREADS * EACH and sorted(seen) == list(range(2, s.t + 1))
    learnt = np.sort(s.posterior.features[:, 0])
    np.testing.assert_array_equal(learnt, np.sort(data[0][:, 0]))  # each row once
    for state in kept:  # whole epochs of as many rows
        assert state.meta["done"] and len(state.arrays["rows_rows"]) == state.meta["t"]
    if hasattr(s, "cached_gradients"):
        np.testing.assert_allclose(s.gradient_sum(1), s.cached_gradients(1).sum(axis=0), atol=1e-9)


def test_a_call_from_inside_a_call_is_refused_and_changes_nothing():
    inside = []

    def gradients(indices, theta):
        for call in (s.observe, lambda: s.advance(1), s.snapshot):
            with pytest.raises(ValueError, match="must wait until observe of this sampler has returned"):
                call()
        inside.append(s.positions)  # may be read
        return theta - np.ones((len(indices), 1))

    s = OnlineSagaLD(GradientOracle(gradients, 2), SETTINGS, chains=2)
    assert s.observe().t == s.t == 1 and inside


def test_a_copy_has_a_turn_of_its_own():
    problem, data = stream("logistic", 20)
    s = OnlineSagaLD(problem, SETTINGS, chains=2)
    s.observe(*(part[:10] for part in data))
    with s._turn.lock:  # held by this thread, as by a call that is at work
        others = copy.deepcopy(s), pickle.loads(pickle.dumps(s)), OnlineSagaLD.from_snapshot(s.snapshot())
        assert not in_threads(*(lambda one=one: one.observe(*(part[10:] for part in data)) for one in others))
    s.observe(*(part[10:] for part in data))
    for other in others:
        np.testing.assert_array_equal(other.positions, s.positions)
