"""Chains distributed over the workers of a cluster: the same results as on one machine, also after a lost worker."""

import threading

import numpy as np
import pytest

from sampler import GaussianMean, LogisticRegression, OnlineSagaLD, Settings
from sampler.algorithms import DivergenceError, PreconditionedSagaLD
from sampler.production import ClusterChains, cluster_placement, cluster_worker
from tests.sampler.algorithms.streams import stream

pytest.importorskip("distributed")

PROBLEM, SETTINGS = LogisticRegression(2), Settings(eta0=0.3, batch_size=8, i_max=10, acceptance_radius=4.0, offset=5.0)


def rows(n, seed=0):
    return stream("logistic", n, 2, seed)[1]


def assert_same(epoch, other):
    assert np.array_equal(epoch.samples, other.samples)
    assert (epoch.t, epoch.gradient_evaluations, epoch.resets, epoch.refreshed, epoch.steps) == (
        other.t, other.gradient_evaluations, other.resets, other.refreshed, other.steps)


@pytest.mark.parametrize(("algorithm", "single", "start"), [
    ("saga-ld", OnlineSagaLD, None), ("preconditioned", PreconditionedSagaLD, np.linspace(-1, 1, 32).reshape(16, 2))])
def test_chains_on_two_workers_equal_one_machine_bit_for_bit(client, algorithm, single, start, monkeypatch):
    monkeypatch.setattr(cluster_placement, "MOST_BYTES", 200)  # six rows of this stream per call
    one, (features, labels) = single(PROBLEM, SETTINGS, chains=16, seed=7, start=start), rows(150)
    with ClusterChains(PROBLEM, SETTINGS, 16, client, seed=7, algorithm=algorithm, start=start) as many:
        assert sorted(share for shares in many.workers.values() for share in shares) in (
            [(0, 5), (5, 16)], [(0, 10), (10, 16)])
        np.testing.assert_array_equal(many.positions, one.positions)
        for first in (0, 50, 100):
            block = features[first:first + 50], labels[first:first + 50]
            assert_same(many.observe(*block), one.observe(*block))
        np.testing.assert_array_equal(many.posterior.features, one.posterior.features)
        many.settings = one.settings = SETTINGS.replace(i_max=5, refresh=False)
        assert_same(many.observe(*rows(10, 1)), one.observe(*rows(10, 1)))
        assert many.gradient_evaluations == one.gradient_evaluations


def test_a_divergence_is_that_of_one_machine_and_can_be_repaired(client):
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
        assert_same(many.observe(data[:3]), one.observe(data[:3]))


@pytest.mark.parametrize("kept", [False, True])
def test_a_share_lost_by_its_worker_is_rebuilt(client, tmp_path, kept):
    one = OnlineSagaLD(PROBLEM, SETTINGS, chains=16, seed=7)
    with ClusterChains(PROBLEM, SETTINGS, 16, client, seed=7) as many:
        for seed in range(3):
            features, labels = rows(30, seed)
            expected = one.observe(features.copy(), labels)
            assert_same(many.observe(features, labels), expected)
            features[:] = np.nan  # the caller reuses its array; the rows were copied
            if kept and seed == 1:
                many.save(tmp_path / "state.npz")
        client.submit(cluster_worker.forget, many._cluster._run, pure=False).result()
        assert_same(many.observe(*rows(30, 3)), one.observe(*rows(30, 3)))


def test_chains_of_a_disconnected_client_are_freed(client):
    with type(client)(client.scheduler.address, set_as_default=False) as killed:
        ClusterChains(PROBLEM, SETTINGS, 4, killed).observe(*rows(3))
        with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
            many.observe(*rows(3))
            assert len({run for run, _ in cluster_worker._shares}) == 2  # both are running
    with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
        assert {run for run, _ in cluster_worker._shares} == {many._cluster._run}


def test_bad_rows_change_nothing_and_bad_arguments_are_rejected(client):
    with ClusterChains(PROBLEM, SETTINGS, 4, client) as many:
        before = many.positions
        for wrong in ((np.full((3, 2), np.nan), np.zeros(3)), (np.zeros((0, 2)), np.zeros(0)),
                      (np.zeros((2, 5)), np.ones(2))):
            with pytest.raises(ValueError, match="features"):
                many.observe(*wrong)
        with pytest.raises(ValueError, match="settings must be of type Settings"):
            many.settings = {"eta0": 1.0}
        assert many.t == 0 and np.array_equal(many.positions, before)
    for wrong, words in (({"chains": 0}, "chains"), ({"client": "tcp://127.0.0.1:1"}, "client must be a distributed.Client"),
                         ({"timeout": 0}, "timeout"), ({"timeout": np.inf}, "timeout must be .* got inf; 600 seconds"),
                         ({"timeout": "5"}, "timeout"), ({"settings": None}, "settings"),
                         ({"start": [1.0]}, "start must be finite with shape"),
                         ({"algorithm": "hmc"}, "algorithm must be one of")):
        with pytest.raises(ValueError, match=words):
            ClusterChains(**{"problem": PROBLEM, "settings": SETTINGS, "chains": 4, "client": client, **wrong})


def test_a_worker_with_another_version_or_without_the_library_is_named(client, monkeypatch):
    def other_versions():
        return {"numba": "1.0" if threading.current_thread() is threading.main_thread() else "0.1"}

    def missing():
        raise ModuleNotFoundError("No module named 'sampler'")

    monkeypatch.setattr(cluster_placement, "versions", other_versions)
    with pytest.raises(ValueError, match=r"worker inproc://.* has numba 0\.1, here 1\.0: .*install the same"):
        ClusterChains(PROBLEM, SETTINGS, 4, client)
    monkeypatch.setattr(cluster_placement, "versions", missing)
    with pytest.raises(ValueError, match="worker inproc://.* has another version of this library, or none"):
        ClusterChains(PROBLEM, SETTINGS, 4, client)
