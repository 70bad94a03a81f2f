"""Chains on several threads: the path is the same, bit for bit, whatever the number."""

import threading

import numpy as np
import pytest

from sampler import DivergenceError, OnlineSagaLD
from sampler import threads as pool
from tests.sampler.algorithms.streams import CountingOracle, stream
from tests.sampler.algorithms.test_stream_sampler import LANGEVIN, SAMPLERS, SETTINGS, assert_unchanged, pairs

CHAINS = 7  # no multiple of any number of threads tried
THREADS = [(3, None), (5, 2)]  # and, from mid-epoch on, after saving and loading
IN_PYTHON = {("ULA", "gaussian"), ("MALA", "gaussian"), ("RandomWalkMetropolis", "gaussian"), ("PolyaGamma", "logistic"),
             ("IBIS", "logistic"), ("IBIS", "linear"), ("IBIS", "poisson")}


@pytest.fixture
def cuts(monkeypatch):
    """Make any work enough to share; the list of numbers of blocks it was cut into."""
    seen, plain = [], pool.cut

    def counted(count, threads, work):
        blocks = plain(count, threads, work)
        seen.append(len(blocks))
        return blocks

    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)
    monkeypatch.setattr("sampler.algorithms.stream_sampler.cut", counted)
    return seen


def same_state(a, b):
    """Whether all that the future depends on is the same, bit for bit."""
    assert_unchanged(a.snapshot(), b.snapshot())


def play(sampler, kind, threads, later=None):
    """Whole epochs, one in slices with a chain traced, and more; ``later`` is the number after saving and loading."""
    problem, data = stream(kind, 20)
    s = sampler(problem, SETTINGS, chains=CHAINS, seed=3, threads=threads)
    s.observe(*(part[:15] for part in data))
    s.watch(np.zeros(problem.dim))
    s.arrive(*(part[15] for part in data))
    s.advance(3, trace=5 if s.traceable else None)
    trace = s.trace
    if later is not None:
        s = sampler.from_snapshot(s.snapshot(), threads=later)
        assert s.threads == later
    s.advance(10**6)
    s.threads = later or 1  # at any time
    s.observe(*(part[16:] for part in data))
    return s, trace


@pairs(SAMPLERS)
def test_the_path_does_not_depend_on_the_number_of_threads(sampler, kind, cuts):
    one, trace = play(sampler, kind, 1)
    assert set(cuts) <= {1}
    for threads, later in THREADS:
        cuts.clear()
        many, again = play(sampler, kind, threads, later)
        same_state(one, many)
        if trace is not None:
            for name in ("before", "guess", "correction", "noise", "after"):
                np.testing.assert_array_equal(getattr(trace, name), getattr(again, name))
        if (sampler.__name__, kind) not in IN_PYTHON:
            assert max(cuts) >= threads


@pytest.mark.parametrize("sampler", LANGEVIN)
def test_divergence_is_the_same_on_any_number(sampler, cuts):
    problem, data = stream("linear", 40)
    outcomes = []
    for threads in (1, 3):
        s = sampler(problem, SETTINGS.replace(eta0=50.0), chains=CHAINS, seed=0, threads=threads)
        with pytest.raises(DivergenceError) as error:
            s.observe(*data)
        s.settings = SETTINGS.replace(eta0=0.05)
        assert s.restart_diverged() > 0
        s.observe(*(part[0] for part in data))
        outcomes.append((s, str(error.value)))
    same_state(outcomes[0][0], outcomes[1][0])
    assert outcomes[0][1] == outcomes[1][1]


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
    monkeypatch.setattr(pool._pool, "submit", lambda *_: pytest.fail("handed to a thread"))
    problem, data = stream("logistic", 30)
    OnlineSagaLD(problem, SETTINGS.replace(i_max=500), chains=1, threads=2).observe(*data)
    OnlineSagaLD(problem, SETTINGS, chains=CHAINS, threads=2).observe(*(part[0] for part in data))
