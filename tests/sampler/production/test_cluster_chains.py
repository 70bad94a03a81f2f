"""Chains shared out over the workers of a cluster: the numbers of one machine, whatever happens to a worker."""

import signal
import threading
import time

import numpy as np
import pytest

from sampler import GaussianMean, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms import DivergenceError, PreconditionedSagaLD
from sampler.production import ClusterChains, ClusterLost, cluster_share, cluster_shares
from sampler.production.cluster_calls import ClusterCalls, WorkerCall

pytest.importorskip("distributed")

PROBLEM, SETTINGS = LogisticRegression(2), Settings(eta0=0.3, batch_size=8, i_max=10, acceptance_radius=4.0, offset=5.0)


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 2))
    return features, (rng.random(n) < 1 / (1 + np.exp(-features @ [1.0, -1.0]))).astype(float)


def same(epoch, other):
    assert np.array_equal(epoch.samples, other.samples)
    assert (epoch.t, epoch.gradient_evaluations, epoch.resets, epoch.refreshed, epoch.steps) == (
        other.t, other.gradient_evaluations, other.resets, other.refreshed, other.steps)


@pytest.mark.parametrize(("algorithm", "single"), [("saga-ld", OnlineSagaLD), ("preconditioned", PreconditionedSagaLD)])
def test_chains_on_two_workers_go_the_way_of_one_machine_bit_for_bit(client, algorithm, single):
    one, (features, labels) = single(PROBLEM, SETTINGS, chains=16, seed=7), rows(150)
    with ClusterChains(PROBLEM, SETTINGS, 16, client, seed=7, algorithm=algorithm) as many:
        assert sorted(share for shares in many.workers.values() for share in shares) in (
            [(0, 5), (5, 16)], [(0, 10), (10, 16)])
        np.testing.assert_array_equal(many.positions, one.positions)
        for epoch, first in zip(many.observe_blocks([(features, labels)], every=50), (0, 50, 100), strict=True):
            same(epoch, one.observe(features[first:first + 50], labels[first:first + 50]))
        many.settings = one.settings = SETTINGS.replace(i_max=5, refresh=False)
        same(many.observe(*rows(10, 1)), one.observe(*rows(10, 1)))
        assert many.gradient_evaluations == one.gradient_evaluations


def test_a_start_of_ones_own_and_rows_in_several_calls_change_nothing(client, monkeypatch):
    monkeypatch.setattr(cluster_shares, "MOST_BYTES", 200)  # six rows of this stream
    start = np.random.default_rng(4).normal(size=(16, 2))
    one = OnlineSagaLD(PROBLEM, SETTINGS, chains=16, seed=7, start=start)
    with ClusterChains(PROBLEM, SETTINGS, 16, client, seed=7, start=start) as many:
        np.testing.assert_array_equal(many.positions, start)
        same(many.observe(*rows(30)), one.observe(*rows(30)))
        assert many._cluster._number == 5
        np.testing.assert_array_equal(many.posterior.features, one.posterior.features)


def test_a_divergence_is_the_one_of_one_machine_and_can_be_mended(client):
    hot = Settings(eta0=60.0, batch_size=4, i_max=8, acceptance_radius=1e9)
    data = np.random.default_rng(0).normal(size=(12, 2))
    one = OnlineSagaLD(GaussianMean(2), hot, chains=6, seed=3)
    with ClusterChains(GaussianMean(2), hot, 6, client, seed=3) as many:
        with pytest.raises(DivergenceError) as single:
            one.observe(data)
        with pytest.raises(DivergenceError) as shared:
            many.observe(data)
        assert str(shared.value) == str(single.value) and many.divergence == one.divergence
        many.settings = one.settings = hot.replace(eta0=0.1)
        with pytest.raises(DivergenceError):
            many.observe(data)
        assert many.t == 12 and many.restart_diverged() == one.restart_diverged()
        same(many.observe(data[:3]), one.observe(data[:3]))


@pytest.mark.parametrize("kept", [False, True])
def test_a_share_that_its_worker_has_forgotten_is_made_anew(client, tmp_path, kept):
    one = OnlineSagaLD(PROBLEM, SETTINGS, chains=16, seed=7)
    with ClusterChains(PROBLEM, SETTINGS, 16, client, seed=7, folder=tmp_path if kept else None, keep_every=40) as many:
        for seed in range(3):
            features, labels = rows(30, seed)
            expected = one.observe(features.copy(), labels)
            same(many.observe(features, labels), expected)
            features[:] = np.nan  # the caller's own array, used for something else: the rows are kept as they were
        client.submit(cluster_share.forget, many._cluster._run, pure=False).result()
        same(many.observe(*rows(30, 3)), one.observe(*rows(30, 3)))
        assert len(list(tmp_path.iterdir())) == 2 * kept
    assert not list(tmp_path.iterdir())


def test_chains_of_a_client_that_is_gone_do_not_stay_in_the_workers_memory(client):
    with type(client)(client.scheduler.address, set_as_default=False) as killed:
        ClusterChains(PROBLEM, SETTINGS, 4, killed).observe(*rows(3))
        with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
            many.observe(*rows(3))
            assert len({run for run, _ in cluster_share._shares}) == 2  # both are at work
    with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
        assert {run for run, _ in cluster_share._shares} == {many._cluster._run}


def test_a_worker_busy_with_other_work_does_not_end_a_run_that_begins(client, monkeypatch):
    ask = ClusterCalls.ask

    def busy(self, calls, within=None):
        if calls and calls[0].function is cluster_share.forget_all_but:
            raise ClusterLost("no answer within 10 s")
        return ask(self, calls, within)

    monkeypatch.setattr(ClusterCalls, "ask", busy)
    with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
        assert many.observe(*rows(3)).t == 3


def test_a_worker_lost_with_its_answer_is_lost_at_once(client, monkeypatch):
    class Future:
        status = "finished"

        def __init__(self, found=None):
            self.found = found

        def result(self, timeout):
            if self.found is None:
                time.sleep(0.002)
                raise TimeoutError
            return self.found

        def release(self):
            pass

    calls, lost, there = ClusterCalls(client, 0.001), Future(), Future("here")
    submitted, ended = iter([lost, there]), iter([[lost], [there]])
    monkeypatch.setattr(calls, "_submit", lambda call: next(submitted))
    monkeypatch.setattr(calls, "_ended", lambda futures: next(ended))
    addresses = ["tcp://127.0.0.1:1", next(iter(client.nthreads()))]  # the time is over when the second is looked at
    assert calls.ask([WorkerCall(address, "answer", len, ((),)) for address in addresses]) == [None, "here"]


def test_bad_rows_change_nothing_and_other_mistakes_are_said(client, tmp_path, monkeypatch):
    with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
        before = many.positions
        for wrong in ((np.full((3, 2), np.nan), np.zeros(3)), (np.zeros((0, 2)), np.zeros(0)),
                      (np.zeros((2, 5)), np.ones(2))):
            with pytest.raises(ValueError, match="features"):
                many.observe(*wrong)
        with pytest.raises(ValueError, match="folder must be given"):
            many.keep()
        with pytest.raises(ValueError, match="settings must be a Settings"):
            many.settings = {"eta0": 1.0}
        assert many.t == 0 and np.array_equal(many.positions, before)
    for wrong, words in (({"chains": 0}, "chains"), ({"client": "tcp://127.0.0.1:1"}, "client must be a distributed.Client"),
                         ({"timeout": 0}, "timeout"), ({"timeout": np.inf}, "above 0 seconds and finite, got inf"),
                         ({"timeout": "5"}, "timeout"), ({"folder": tmp_path / "none"}, "folder must be a folder"),
                         ({"settings": None}, "settings"),
                         ({"start": [1.0]}, "start must be finite with shape"),
                         ({"algorithm": "hmc"}, "algorithm must be one of")):
        with pytest.raises(ValueError, match=words):
            ClusterChains(**{"problem": PROBLEM, "settings": SETTINGS, "chains": 4, "client": client, **wrong})


def test_a_worker_of_another_version_or_with_none_is_named(client, monkeypatch):
    def theirs_differ():
        return {"numba": "1.0" if threading.current_thread() is threading.main_thread() else "0.1"}

    def none_there():
        raise ModuleNotFoundError("No module named 'sampler'")

    monkeypatch.setattr(cluster_shares, "versions", theirs_differ)
    with pytest.raises(ValueError, match=r"worker inproc://.* has numba 0\.1, here 1\.0: .*install the same"):
        ClusterChains(PROBLEM, SETTINGS, 4, client)
    monkeypatch.setattr(cluster_shares, "versions", none_there)
    with pytest.raises(ValueError, match="worker inproc://.* has another version of this library, or none"):
        ClusterChains(PROBLEM, SETTINGS, 4, client)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [False, True])
def test_a_worker_hangs_then_is_killed_then_the_other_then_the_scheduler(processes, tmp_path, kept):
    client, scheduler, workers = processes
    one, folder = OnlineSagaLD(PROBLEM, SETTINGS, chains=16, seed=7), tmp_path if kept else None
    many = ClusterChains(PROBLEM, SETTINGS, 16, client, seed=7, folder=folder, keep_every=50)
    for seed in range(3):
        same(many.observe(*rows(40, seed)), one.observe(*rows(40, seed)))
    hanging, other = many.workers
    many._cluster._calls.timeout = 5.0  # compiling is over
    workers[hanging].send_signal(signal.SIGSTOP)
    with pytest.raises(ClusterLost, match=f"no answer within 5 s from worker {hanging}, asked to run chains 0 to 7"):
        many.observe(*rows(40, 3))
    one.observe(*rows(40, 3))
    workers[hanging].send_signal(signal.SIGKILL)
    workers[hanging].wait()
    many._cluster._calls.timeout = 240.0
    same(many.observe(*rows(40, 4)), one.observe(*rows(40, 4)))
    assert many.workers == {other: [(0, 8), (8, 16)]}
    workers[other].send_signal(signal.SIGKILL)
    workers[other].wait()
    with pytest.raises(ClusterLost, match="the cluster has none"):
        many.observe(*rows(40, 5))
    scheduler.send_signal(signal.SIGKILL)
    scheduler.wait()
    with pytest.raises(ClusterLost, match="scheduler: it does not answer any more"):
        many.observe(*rows(40, 6))
