"""Chains on several threads: the path is the same, bit for bit, whatever the number."""

import copy
import pickle
import threading

import numpy as np
import pytest

from sampler import DivergenceError, OnlineSagaLD, chain_blocks
from sampler.algorithms import epoch_copies
from tests.sampler.algorithms.streams import CountingOracle, stream
from tests.sampler.algorithms.test_stream_sampler import LANGEVIN, SAMPLERS, SETTINGS, pairs

CHAINS = 7  # no multiple of any number of threads tried
THREADS = [2, 3, 5]
IN_PYTHON = {("ULA", "gaussian"), ("MALA", "gaussian"), ("RandomWalkMetropolis", "gaussian"), ("PolyaGamma", "logistic")}


@pytest.fixture
def cuts(monkeypatch):
    """Make any work enough to share; the list of numbers of blocks it was cut into."""
    seen, plain = [], chain_blocks.cut

    def counted(count, threads, work):
        blocks = plain(count, threads, work)
        seen.append(len(blocks))
        return blocks

    monkeypatch.setattr(chain_blocks, "LEAST_WORK", 1e-3)
    monkeypatch.setattr("sampler.algorithms.stream_sampler.cut", counted)
    return seen


def same_state(a, b):
    """Whether all that the future depends on is the same, bit for bit."""
    one, other = a.snapshot(), b.snapshot()
    assert one.meta == other.meta
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(array, other.arrays[name], err_msg=name)


def play(sampler, kind, threads, later=None):
    """Whole epochs, one in slices with a chain traced, and more; ``later`` is the number after saving and loading."""
    problem, data = stream(kind, 30)
    s = sampler(problem, SETTINGS, chains=CHAINS, seed=3, threads=threads)
    s.observe(*(part[:24] for part in data))
    s.watch(np.zeros(problem.dim))
    s.arrive(*(part[24] for part in data))
    s.advance(3, trace=5 if s.traceable else None)
    trace = s.trace
    if later is not None:
        s = sampler.from_snapshot(s.snapshot(), threads=later)
        assert s.threads == later
    s.advance(10**6)
    s.observe(*(part[25:] for part in data))
    return s, trace


@pairs(SAMPLERS)
def test_the_path_does_not_depend_on_the_number_of_threads(sampler, kind, cuts):
    one, trace = play(sampler, kind, 1)
    assert set(cuts) <= {1}
    for threads in THREADS:
        cuts.clear()
        many, again = play(sampler, kind, threads)
        same_state(one, many)
        if trace is not None:
            for name in ("before", "guess", "correction", "noise", "after"):
                np.testing.assert_array_equal(getattr(trace, name), getattr(again, name))
        if (sampler.__name__, kind) not in IN_PYTHON:
            assert max(cuts) >= threads


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_state_saved_under_one_number_goes_on_under_another(sampler, cuts):
    whole, _ = play(sampler, "logistic", 1)
    for threads, later in [(1, 3), (3, 1), (2, 5)]:
        same_state(whole, play(sampler, "logistic", threads, later)[0])


@pytest.mark.parametrize("sampler", LANGEVIN)
def test_divergence_is_the_same_on_any_number(sampler, cuts):
    problem, data = stream("linear", 40)
    found = []
    for threads in (1, 3):
        s = sampler(problem, SETTINGS.replace(eta0=50.0), chains=CHAINS, seed=0, threads=threads)
        with pytest.raises(DivergenceError) as error:
            s.observe(*data)
        s.settings = SETTINGS.replace(eta0=0.05)
        assert s.restart_diverged() > 0
        s.observe(*(part[0] for part in data))
        found.append((s, str(error.value)))
    same_state(found[0][0], found[1][0])
    assert found[0][1] == found[1][1]


def test_a_rebuilt_calendar_is_the_same_on_any_number(cuts):
    problem, data = stream("logistic", 60)
    runs = [OnlineSagaLD(problem, SETTINGS.replace(refresh=False), chains=CHAINS, threads=n) for n in (1, 3)]
    for s in runs:
        s.observe(*(part[:40] for part in data))
        s.settings = SETTINGS
        s.observe(*(part[40:] for part in data))
    same_state(*runs)


def test_a_gradient_in_python_stays_on_the_callers_thread(cuts):
    problem, data = stream("logistic", 20)
    counted, idents = CountingOracle(problem, data), set()
    plain = counted.gradients

    def gradients(indices, theta):
        idents.add(threading.get_ident())
        return plain(indices, theta)

    counted.problem.gradients = gradients
    s = OnlineSagaLD(counted.problem, SETTINGS, chains=CHAINS, threads=3)
    for _ in range(20):
        s.observe()
    assert idents == {threading.get_ident()} and set(cuts) == {1}


def test_one_chain_and_little_work_touch_no_thread(monkeypatch):
    monkeypatch.setattr(chain_blocks._pool, "submit", lambda *_: pytest.fail("handed to a thread"))
    problem, data = stream("logistic", 30)
    OnlineSagaLD(problem, SETTINGS.replace(i_max=500), chains=1, threads=2).observe(*data)
    OnlineSagaLD(problem, SETTINGS, chains=CHAINS, threads=2).observe(*(part[0] for part in data))


def test_copies_and_pickles_go_on_the_same(cuts):
    problem, data = stream("logistic", 30)
    s = OnlineSagaLD(problem, SETTINGS, chains=CHAINS, seed=1, threads=3)
    s.observe(*(part[:20] for part in data))
    others = copy.deepcopy(s), pickle.loads(pickle.dumps(s))
    for each in (s, *others):
        assert each.threads == 3
        each.observe(*(part[20:] for part in data))
    for other in others:
        same_state(s, other)
    one = OnlineSagaLD(problem, SETTINGS, chains=1, threads=2)
    one.observe(*data)
    assert epoch_copies.copies_of(one, CHAINS, 0).threads == 2


def test_the_number_may_change_at_any_time_and_a_bad_one_changes_nothing(cuts):
    problem, data = stream("logistic", 30)
    s, plain = (OnlineSagaLD(problem, SETTINGS, chains=CHAINS, threads=n) for n in (5, 1))
    for i in range(30):
        s.threads = 1 + i % 4
        for each in (s, plain):
            each.observe(*(part[i] for part in data))
    same_state(s, plain)
    for bad in (0, -2, 1.5, "two", True):
        with pytest.raises(ValueError, match="threads must be a whole number"):
            s.threads = bad
    assert s.threads == 1 + 29 % 4
    s.threads = None
    assert s.threads == chain_blocks.checked_threads(None)
