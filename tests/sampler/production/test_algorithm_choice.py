"""The algorithm of a tuned file, of a replay and of its checkpoint."""

import json

import numpy as np
import pytest

from sampler import LogisticRegression, OnlineSagaLD, PreconditionedSagaLD, Settings, Tuned
from sampler.production import rehearse
from sampler.production.tuned import EVIDENCE, KEYS
from sampler.tuning import with_algorithm
from tests.sampler.replays import SETTINGS, replay, run

PROBLEM = LogisticRegression(3)


@pytest.fixture
def rows(rows):
    return rows[0][:60], rows[1][:60]


def test_a_replay_runs_the_chosen_algorithm(rows):
    own = PreconditionedSagaLD(PROBLEM, SETTINGS, 6, 3).observe(*rows).samples
    tuned_settings = with_algorithm(SETTINGS, "preconditioned")
    for result in (run(rows, algorithm="preconditioned"), run(rows, settings=tuned_settings),
                   rehearse(PROBLEM, SETTINGS, *rows, 6, 3, algorithm="preconditioned")):
        np.testing.assert_array_equal(result.samples, own)
    assert not np.array_equal(run(rows, algorithm="saga-ld").samples, own)


def test_settings_of_one_algorithm_are_rejected_by_the_other(rows, tmp_path):
    whitened, path = with_algorithm(SETTINGS, "preconditioned"), tmp_path / "settings.toml"
    with pytest.raises(ValueError, match="settings must be for 'saga-ld' .*, got those of 'preconditioned'"):
        OnlineSagaLD(PROBLEM, whitened, 4, 3)
    with pytest.raises(ValueError, match="have another meaning"):
        replay(rows, settings=whitened, algorithm="saga-ld")
    whitened.save(path)
    assert Tuned.load(path).settings == whitened
    with pytest.raises(ValueError, match="got those of 'preconditioned'.*Tuned.load"):
        Settings.load(path)
    SETTINGS.save(path)  # overwrites: settings of the plain algorithm again
    assert Settings.load(path) == SETTINGS == Tuned.load(path).settings


def test_a_checkpoint_of_another_algorithm_is_rejected_and_the_default_is_plain(rows, tmp_path):
    half = tuple(part[:30] for part in rows)
    for made, requested in (("preconditioned", "saga-ld"), ("saga-ld", "preconditioned")):
        path = str(tmp_path / made)
        run(half, algorithm=made, checkpoint=path)
        if made == "saga-ld":
            with np.load(path) as file:
                arrays = dict(file)
            plain = json.loads(str(arrays["extra_plain"]))
            del plain["run"]["algorithm"]
            with open(path, "wb") as file:
                np.savez(file, **{**arrays, "extra_plain": np.array(json.dumps(plain))})
        with pytest.raises(ValueError, match=f"made with algorithm = '{made}', now it is '{requested}'"):
            run(rows, algorithm=requested, checkpoint=path)
        np.testing.assert_array_equal(run(rows, algorithm=made, checkpoint=path).samples, run(rows, algorithm=made).samples)


def test_a_file_stores_its_algorithm_and_the_default_is_plain(tmp_path):
    path = tmp_path / "tuned.toml"
    Tuned(SETTINGS, {"kind": "logistic"}, algorithm="preconditioned").save(path)
    tuned = Tuned.load(path)
    assert tuned.algorithm == "preconditioned" and tuned.settings == with_algorithm(SETTINGS, "preconditioned")
    assert Tuned(tuned.settings).algorithm == "preconditioned"  # from the settings
    assert path.read_text().startswith('format = 2\nalgorithm = "preconditioned"\n')  # rejected by readers of format 1
    Tuned(SETTINGS, {"kind": "logistic"}).save(path)
    assert path.read_text().startswith('format = 1\nalgorithm = "saga-ld"\n') and Tuned.load(path).algorithm == "saga-ld"
    SETTINGS.save(tmp_path / "bare.toml")
    assert Tuned.load(tmp_path / "bare.toml").algorithm == "saga-ld"
    with pytest.raises(ValueError, match="must be one of saga-ld, preconditioned, laplace, rvga, ibis, got 'fast'"):
        Tuned(SETTINGS, algorithm="fast")


def test_the_snippet_names_the_sampler():
    for algorithm, sampler in (("saga-ld", OnlineSagaLD), ("preconditioned", PreconditionedSagaLD)):
        for model in ({"kind": "logistic"}, {"problem": "mine:problem", "terms": 5}):
            code = Tuned(SETTINGS, model, algorithm=algorithm).snippet()
            compile(code, "snippet", "exec")
            assert f"from sampler import {sampler.__name__}, Settings" in code and f"saga = {sampler.__name__}(" in code


def test_every_allowed_key_is_read(tmp_path):
    path = tmp_path / "tuned.toml"
    whole = {name: dict.fromkeys(keys, 1) for name, keys in KEYS.items()}
    Tuned(SETTINGS, whole["model"], 1, 1, whole["reading"], whole["data"], dict.fromkeys(EVIDENCE, 1.0),
          versions=whole["versions"]).save(path)
    assert set(Tuned.load(path).evidence) == set(EVIDENCE)
    for table in KEYS:
        text = path.read_text().replace(f"[{table}]\n", f"[{table}]\nwarp = 9\n")
        (tmp_path / "other.toml").write_text(text)
        with pytest.raises(ValueError, match=rf"unknown key 'warp': \[{table}\] takes no warp; allowed there: \w+"):
            Tuned.load(tmp_path / "other.toml")
