"""Predictions of a replay, of its checkpoint after a kill, and of saved samplers."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sampler import (
    DataStream,
    GradientOracle,
    LinearRegression,
    LogisticRegression,
    OnlineSagaLD,
    PreconditionedSagaLD,
    Settings,
)
from sampler.production import ClusterChains, load_predictive
from tests.sampler.replays import SETTINGS, finish, replay


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("file") / "visits.csv"
    frame = pd.DataFrame({"price": rng.gamma(4, 9, 400).round(2), "colour": rng.choice(["red", "blue", "green"], 400)})
    frame["bought"] = np.where(rng.random(400) < 1 / (1 + np.exp(0.1 * (frame.price - 36))), "yes", "no")
    frame.to_csv(path, index=False)
    return path


def visits(file, checkpoint, goes_on, **watched):
    stream = DataStream(file, response="bought", categories=["colour"], scale=True)
    one = replay(stream, problem=LogisticRegression(stream.dim), checkpoint=str(checkpoint), seconds=0.0, goes_on=goes_on)
    return finish(one, **watched)


@pytest.mark.parametrize("goes_on", [False, True])
def test_predictions_after_a_kill_equal_those_of_an_uninterrupted_run(file, tmp_path, goes_on):
    """A copy of the checkpoint at epoch 100 stands for a kill."""
    frame = pd.read_csv(file)[["colour", "price"]]  # reordered, without the response
    killed = tmp_path / "killed.npz"
    whole = visits(file, tmp_path / "whole.npz", goes_on, progress=lambda t: t == 100 and shutil.copy(
        tmp_path / "whole.npz", killed)).predictive()
    expected = whole.predict_proba(frame, level=0.9)
    assert whole.classes.tolist() == ["no", "yes"] and len(whole.reading.names) == 4
    midway = load_predictive(killed)
    assert not np.array_equal(midway.predict_proba(frame), expected[0]) and midway.draws.shape == (6, 4)
    result = visits(file, killed, goes_on)
    assert 0 < result.resumed_at <= 110 and result.t == 400
    for loaded in (result.predictive(), load_predictive(killed), load_predictive(tmp_path / "whole.npz")):
        for one, other in zip(loaded.predict_proba(frame, level=0.9), expected, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(loaded.predict(frame), whole.predict(frame))


@pytest.mark.parametrize("algorithm", [OnlineSagaLD, PreconditionedSagaLD])
def test_a_saved_sampler_predicts_like_the_original(algorithm, tmp_path):
    rng = np.random.default_rng(1)
    problem = LinearRegression(3, noise_std=0.5)  # positions are padded to SIMD lanes in the file
    saga, x = algorithm(problem, SETTINGS.replace(eta0=0.02), chains=4), rng.normal(size=(20, 3))
    saga.save(tmp_path / "early.npz")
    with pytest.raises(ValueError, match="early.npz' holds no draws yet; save it after the first datum"):
        load_predictive(tmp_path / "early.npz")
    saga.observe(x, rng.normal(size=20))
    saga.save(tmp_path / "state.npz", rows=False)
    living, saved = saga.predictive().predict_dist(x), load_predictive(tmp_path / "state.npz").predict_dist(x)
    np.testing.assert_array_equal(living.quantile(0.9), saved.quantile(0.9))
    np.testing.assert_array_equal(living.sd, saved.sd)


def test_chains_of_a_cluster_are_loaded_in_order(client, rows, tmp_path):
    with ClusterChains(LogisticRegression(3), SETTINGS, 7, client) as cluster:
        cluster.observe(rows[0][:20], rows[1][:20])
        cluster.save(tmp_path / "state.npz")
        np.testing.assert_array_equal(load_predictive(tmp_path / "state.npz").draws, cluster.positions)


def test_checkpoints_of_earlier_releases_and_their_faults(tmp_path):
    packed = Path(__file__).with_name("state_of_0_6_1.npz.gz").read_bytes()
    (tmp_path / "old.npz").write_bytes(gzip.decompress(packed))
    old = load_predictive(tmp_path / "old.npz")
    assert old.reading is None and old.predict([[0.1, 0.2, 1.0]]).tolist() in ([0], [1])
    with pytest.raises(ValueError, match="path: there is no file .*none.npz"):
        load_predictive(tmp_path / "none.npz")
    (tmp_path / "cut.npz").write_bytes(gzip.decompress(packed)[:2000])
    with pytest.raises(ValueError, match="cut.npz' is not a saved sampler"):
        load_predictive(tmp_path / "cut.npz")


def test_diverged_chains_predict_nothing(tmp_path):
    saga = OnlineSagaLD(LinearRegression(1), Settings(eta0=1e6, i_max=50, random_length=False), chains=2)
    saga.arrive([1.0], 1.0)
    saga.advance(10**6)
    saga.save(tmp_path / "state.npz")
    with pytest.raises(ValueError, match="diverged at epoch 1"):
        saga.predictive()
    with pytest.raises(ValueError, match=r"holds chains that had diverged, 2 of them; save it after restart_diverged\(\)"):
        load_predictive(tmp_path / "state.npz")


def test_an_oracle_predicts_no_response(tmp_path):
    problem = GradientOracle(lambda indices, theta: np.tile(theta, (len(indices), 1)), 2)
    saga = OnlineSagaLD(problem, SETTINGS, chains=2)
    saga.observe()
    saga.save(tmp_path / "state.npz")
    result = replay([(np.zeros((5, 0)), None)], problem=problem).run()
    for call in (saga.predictive, lambda: load_predictive(tmp_path / "state.npz"), result.predictive):
        with pytest.raises(ValueError, match="the gradient of a GradientOracle defines no response"):
            call()


def test_a_replay_without_a_row_has_no_draws(file, tmp_path):
    with pytest.raises(ValueError, match="predictive needs draws, and there are none yet"):
        visits(file, tmp_path / "state.npz", False, stop=lambda: True).predictive()
