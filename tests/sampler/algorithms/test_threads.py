"""Chains on several threads, also when saved in mid-run: the path is identical for any number of threads."""

import os
import threading

import numpy as np
import pytest

from sampler import DivergenceError, OnlineSagaLD
from sampler import threads as pool
from tests.sampler.algorithms.streams import CountingOracle, stream
from tests.sampler.algorithms.test_stream_sampler import LANGEVIN, SAMPLERS, SETTINGS, assert_unchanged, pairs

CHAINS = 7  # not a multiple of any number of threads tested
IN_PYTHON = {("ULA", "gaussian"), ("MALA", "gaussian"), ("RandomWalkMetropolis", "gaussian"), ("PolyaGamma", "logistic"),
             ("IBIS", "logistic"), ("IBIS", "linear"), ("IBIS", "poisson")}


@pytest.fixture
def cuts(monkeypatch):
    """Split any amount of work; return the list of block counts."""
    seen, plain = [], pool.cut

    def counted(count, threads, work):
        blocks = plain(count, threads, work)
        seen.append(len(blocks))
        return blocks

    monkeypatch.setattr(pool, "LEAST_WORK", 1e-3)
    monkeypatch.setattr("sampler.algorithms.stream_sampler.cut", counted)
    return seen


def in_mid_epoch(sampler, kind, threads):
    """Return a sampler in mid-epoch after 24 complete epochs, with a traced chain, and the data."""
    problem, data = stream(kind, 36)
    settings = SETTINGS.replace(eta0=0.05 if kind == "poisson" else 0.2)
    s = sampler(problem, settings, chains=CHAINS, seed=3, threads=threads)
    s.observe(*(part[:24] for part in data))
    s.watch(np.zeros(problem.dim))
    s.arrive(*(part[24] for part in data))
    s.advance(3, trace=5 if s.traceable else None)
    return s, data


def final_state(s, data):
    """Return the state after the remaining epochs."""
    s.advance(10**6)
    s.threads = 2  # at any time
    s.observe(*(part[25:] for part in data))
    return s.snapshot()


@pairs(SAMPLERS)
def test_the_path_does_not_depend_on_the_number_of_threads(sampler, kind, cuts, tmp_path):
    """Nor on saving in mid-epoch, with or without rows, to a file or to memory."""
    one, data = in_mid_epoch(sampler, kind, 1)
    assert set(cuts) <= {1}
    trace, end = one.trace, final_state(one, data)
    for threads in (3, 5):
        cuts.clear()
        many, _ = in_mid_epoch(sampler, kind, threads)
        if trace is not None:
            for name in ("before", "guess", "correction", "noise", "after"):
                np.testing.assert_array_equal(getattr(trace, name), getattr(many.trace, name))
        if (sampler.__name__, kind) not in IN_PYTHON:
            assert max(cuts) >= threads
        many.save(tmp_path / "state")
        assert os.listdir(tmp_path) == ["state"]
        copies = [sampler.load(tmp_path / "state", threads=2), sampler.from_snapshot(many.snapshot(), threads=2),
                  sampler.from_snapshot(many.snapshot(rows=False), rows=many, threads=2)]
        assert [copy.threads for copy in copies] == [2, 2, 2]
        for s in (many, *copies):
            assert_unchanged(end, final_state(s, data))


@pytest.mark.parametrize("sampler", LANGEVIN)
def test_a_diverged_chain_stops_finite_and_restarts_identically_on_any_number(sampler, cuts):
    problem, data = stream("linear", 40)
    outcomes = []
    for threads in (1, 3):
        s = sampler(problem, SETTINGS.replace(eta0=50.0), chains=CHAINS, seed=0, threads=threads)
        with pytest.raises(DivergenceError, match="eta0.*diverged at epoch") as error:
            s.observe(*data)
        assert s.diverged.any() and np.isfinite(s.positions).all()
        assert 1 <= s.divergence.epoch <= 40 and 1 <= s.divergence.step <= 12
        with pytest.raises(DivergenceError):
            s.observe(*(part[0] for part in data))
        s.settings = SETTINGS.replace(eta0=0.05)
        assert s.restart_diverged() > 0 and not s.diverged.any()
        assert np.isfinite(s.observe(*(part[0] for part in data)).samples).all()
        outcomes.append((s.snapshot(), str(error.value)))
    assert_unchanged(outcomes[0][0], outcomes[1][0])
    assert outcomes[0][1] == outcomes[1][1]


def test_a_rebuilt_calendar_is_the_same_on_any_number(cuts):
    problem, data = stream("logistic", 60)
    runs = [OnlineSagaLD(problem, SETTINGS.replace(refresh=False), chains=CHAINS, threads=n) for n in (1, 3)]
    for s in runs:
        s.observe(*(part[:40] for part in data))
        s.settings = SETTINGS
        s.observe(*(part[40:] for part in data))
    assert_unchanged(*(s.snapshot() for s in runs))


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


def test_one_chain_and_little_work_use_no_thread(monkeypatch):
    monkeypatch.setattr(pool._pool, "submit", lambda *_: pytest.fail("handed to a thread"))
    problem, data = stream("logistic", 30)
    OnlineSagaLD(problem, SETTINGS.replace(i_max=500), chains=1, threads=2).observe(*data)
    OnlineSagaLD(problem, SETTINGS, chains=CHAINS, threads=2).observe(*(part[0] for part in data))
