"""NUTS in a race, where blackjax is installed, and words where it is not."""

import gc
import io
import pickle
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from sampler import LogisticRegression, PoissonRegression, Settings, synthetic_stream
from sampler.racing import CONTESTANTS, nuts_process, nuts_runner, prepare_race, race
from sampler.racing.blackjax_nuts import NutsTarget

KEYS = ("nuts_warm", "nuts_scratch")
SETTINGS = Settings(eta0=0.3, batch_size=8)


def setup_of(problem, n=40, chains=200):
    made = synthetic_stream(problem.kind, 2, "paper", n, 0)
    return prepare_race(problem, (made.features[:n], made.labels[:n]), SETTINGS, chains=chains, seed=1)


def test_where_blackjax_is_missing_the_words_say_how_to_get_it(monkeypatch):
    monkeypatch.setattr(nuts_runner, "PACKAGES", ("no_such_package",))
    for key in KEYS:
        assert CONTESTANTS[key].refuses(LogisticRegression(2)) == (
            "needs blackjax, which is not installed here: pip install 'exit-time-lab[nuts]', then start again")
    assert "pip install" not in CONTESTANTS["saga"].refuses(LogisticRegression(2))


class Answers:
    """A process that answers at once: each call takes 3 gradients a chain."""

    def __init__(self, job):
        self.job, self.calls, self.closed = job, 0, False

    def more(self, stop=None):
        if stop is not None and stop():
            return None
        self.calls += 1
        n = self.job.chains if self.job.before is not None else self.job.block
        draws = np.random.default_rng(self.calls).normal(size=(n, 2))
        return nuts_process.NutsAnswer(draws, 500 + 3 * n * self.calls, 0.01 * self.calls, 0.5)

    def close(self):
        self.closed = True


def test_what_it_takes_is_counted_a_chain_and_processes_are_ended(monkeypatch):
    monkeypatch.setattr(nuts_runner, "missing", lambda: "")
    monkeypatch.setattr(nuts_runner, "NutsProcess", lambda job: made.append(Answers(job)) or made[-1])
    made, setup = [], setup_of(LogisticRegression(2), 20)
    runners = [nuts_runner.NutsRunner(setup, warm) for warm in (True, False)]
    assert np.array_equal(made[0].job.before.rows[:-1], made[0].job.target.rows[:-1])
    assert not made[0].job.before.rows[-1].any() and made[1].job.before is None and not made[1].job.start.any()
    for runner in runners:
        runner.advance(0.0)
    warm, scratch = runners
    assert warm.evaluations == (500 + 3 * 200) * 20 / 200 and warm.steps == 1.0 and warm.positions.shape == (200, 2)
    assert scratch.evaluations == (500 + 3 * 10) * 20 / 200 and scratch.positions.shape == (200, 2)
    assert np.array_equal(scratch.positions[:10], scratch.positions[10:20])  # ten draws stand for all
    warm.advance(10 * warm.evaluations)
    assert warm.step_cost == 60.0 and warm.evaluations <= 1100 < warm.evaluations + 60
    scratch.advance(1e9)
    assert not scratch.moving and made[1].calls == 20 and len(np.unique(scratch.positions[:, 0])) == 200
    warm.advance(1e9, lambda: True)  # stopped: nothing changes
    runners[0].close()
    assert made[0].closed


def test_the_process_says_what_went_wrong(monkeypatch):
    monkeypatch.setattr(nuts_process, "ScratchNuts", lambda *given: 1 / 0)
    told = []
    job = nuts_process.NutsJob(NutsTarget("linear", np.ones((2, 1)), np.ones(2), np.ones(1)), None, np.zeros(1), 4, 2, 0)
    asked = io.BytesIO(pickle.dumps(job))
    nuts_process.serve(lambda: pickle.load(asked), told.append)
    assert told[0].trouble == "ZeroDivisionError: division by zero"
    process = nuts_process.NutsProcess(job)
    process._process.kill()
    with pytest.raises(ValueError, match="NUTS's process ended by itself .exit code -9"):
        process.more()
    process.close()


def test_the_process_ends_with_python_although_nobody_closed_it(monkeypatch):
    killed = []
    started = SimpleNamespace(kill=lambda: killed.append(1), stdin=io.BytesIO(), stdout=io.BytesIO())
    monkeypatch.setattr(nuts_process.subprocess, "Popen", lambda *given, **named: started)
    job = nuts_process.NutsJob(NutsTarget("linear", np.ones((2, 1)), np.ones(2), np.ones(1)), None, np.zeros(1), 4, 2, 0)
    process = nuts_process.NutsProcess(job)
    (end,) = (one for one in weakref.finalize._registry if one.peek() and one.peek()[0] is process)
    assert end.atexit and not killed
    del process
    gc.unfreeze()  # a server that another test ran in this process sets objects aside
    gc.collect()
    assert killed == [1]


@pytest.mark.slow
@pytest.mark.parametrize("problem", [LogisticRegression(2), PoissonRegression(2, 4.0)])
def test_nuts_reaches_the_ceiling_at_a_cost_that_is_counted(problem):
    pytest.importorskip("blackjax")
    setup = setup_of(problem, 60)
    found = race(setup, KEYS, evaluations=50_000)
    for key, curve in found.items():
        assert not curve.trouble and curve.finished and np.all(np.diff(curve.evaluations) > 0)
        assert curve.accuracy[-1] > setup.ceiling.mean - 6 * setup.ceiling.sd, key
        assert curve.evaluations[0] >= setup.t and curve.seconds[-1] > 0 and curve.step_size > 0
    assert found["nuts_warm"].reaches(0.85) < 60 * setup.t
    assert np.isfinite(found["nuts_warm"].rhat) and np.isnan(found["nuts_scratch"].rhat)
