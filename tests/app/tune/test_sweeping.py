"""The page's sweeps: what comes first, what is kept, who else is at work, a gradient of one's own."""

import json
import time
import tomllib

import numpy as np

from app.background_job import BackgroundJob, wait
from app.tune import saving, words
from app.tune.bands import bands
from app.tune.cache import only_one, study_path
from app.tune.config import TuneConfig
from app.tune.job import Job
from app.tune.visiting import live_query
from app.tune.watching import rehearsal
from app.user_data import Given
from sampler import GradientOracle, Settings, Tuned


def test_before_a_sweep_there_is_the_formula(run, small):
    update = run(small)
    picture = update.value
    assert update.error == "" and picture.cells == {} and picture.config.settled and picture.ended == ""
    assert picture.looked_at == picture.advised_key and picture.forecast(picture.looked_at).accuracy > 0.8
    said = words.about_cell(picture, picture.looked_at)
    assert said.kind == "waiting" and "Start near" in said.heading and "Theorem 6.7" in said.body
    assert {band.kind for band in bands(picture, 40, 4)} <= {"cold", "safe", "hot"}


def test_nobody_chose_anything(run):
    update = run(TuneConfig(data="paper21"))
    config = update.value.config
    assert config.rows == 1000 and config.chains == 64 and config.settled
    advised = update.value.foresight.advice.settings
    assert config.eta0[0] < advised.eta0 < config.eta0[1] and config.batches == (advised.batch_size,)


def test_a_sweep_is_kept_and_comes_back(run, small):
    small = small.replace(i_max=(4, 4))
    whole = run(small.replace(going=True)).value
    assert whole.ended == "finished" and len(whole.finished) == whole.total == 9 and whole.reference["method"] == "laplace"
    again = run(small).value  # not going: read, not run
    assert again.ended == "finished" and {k: c.to_dict() for k, c in again.cells.items()} == {
        k: c.to_dict() for k, c in whole.cells.items()}
    wider = run(small.replace(eta0=(0.1, 100.0))).value
    assert len(wider.finished) >= 5 and wider.total == 13 and wider.ended == ""
    other = run(small.replace(seed=3)).value
    assert other.cells == {}


def test_cancelled_it_goes_on_where_it_stood(small, run):
    background, job = BackgroundJob("test"), Job(lambda: None, workers=0)
    background.start(job.work(small.replace(going=True)))
    while True:
        update = background.take()
        if update is not None and update.value is not None and len(update.value.finished) >= 3:
            background.cancel()
            break
        time.sleep(0.005)
    end = wait(background)
    background.close()
    kept = set(end.value.finished)
    assert end.cancelled and 3 <= len(kept) < end.value.total and set(end.value.cells) == kept
    assert words.about_sweep(end.value, 2, False).startswith("Cancelled")
    times = {k: c.seconds for k, c in end.value.cells.items()}
    whole = run(small.replace(going=True)).value
    assert len(whole.finished) == whole.total and all(whole.cells[k].seconds == times[k] for k in kept)


def test_a_sweep_at_work_elsewhere_is_looked_on_at(small, run):
    small = small.replace(i_max=(4, 4), eta0=(0.1, 0.2))
    done = run(small.replace(going=True)).value
    job = Job(lambda: None, workers=0)
    sweep = job._sweep(small.replace(eta0=(0.1, 1.0)), done.loaded, run(small.replace(eta0=(0.1, 1.0))).value)
    background = BackgroundJob("test")
    with only_one(study_path(sweep.identity()).with_suffix(".lock")) as mine:
        assert mine
        background.start(job.work(small.replace(eta0=(0.1, 1.0), going=True)))
        while True:
            update = background.take()
            if update is not None and update.value is not None and update.value.watching:
                break
            time.sleep(0.005)
        assert len(update.value.finished) >= 1 and "Another page" in words.about_sweep(update.value, 2, False)
    end = wait(background)  # the other one has gone: it goes on itself
    background.close()
    assert end.value.ended == "finished" and not end.value.watching


def test_what_is_taken_away(run, small, tmp_path):
    picture = run(small.replace(i_max=(20, 20), going=True)).value
    key = picture.best_key
    background = BackgroundJob("test")
    background.start(rehearsal(picture.loaded, saving.settings_of(picture, key), 64, 8, 2))
    watched = wait(background).value
    background.close()
    assert watched.mean_score < 0 and watched.kind == "logistic" and len(watched.t) == 8 and watched.rhat is not None
    assert "Log score" in words.about_watched(watched) and "Split R-hat" in words.about_watched(watched)
    tables = tomllib.loads(saving.toml(saving.tuned_of(picture, key, watched)))
    assert tables["settings"]["eta0"] == key[0] and tables["gates"]["max_rhat"] == 1.1
    assert tables["evidence"]["verdict"] and tables["data"]["name"] == "stream.csv"
    (tmp_path / "tuned.toml").write_text(saving.toml(saving.tuned_of(picture, key, watched)))
    assert Tuned.load(tmp_path / "tuned.toml").settings == saving.settings_of(picture, key)
    found = json.loads(saving.everything_json(picture, watched))
    assert len(found["cells"]) == picture.total and found["settings"]["i_max"] == 20
    lines = saving.cells_csv(picture).splitlines()
    assert lines[0].startswith("eta0,i_max") and len(lines) == picture.total + 1 and saving.cells_csv(None) == ""
    names: dict = {}
    code = saving.python(picture, key).replace("in zip(", "in list(zip(").replace("):\n    epoch", "))[:20]:\n    epoch")
    exec(compile(code, "code", "exec"), names)  # noqa: S102 - our own words
    assert names["saga"].t == 20 and names["saga"].settings == saving.settings_of(picture, key)
    query = live_query(picture, key)
    assert query["problem"] == "logistic2" and float(query["eta0"]) == key[0] and query["imax"] == "20"
    assert saving.stream_csv(picture.loaded).startswith("x1,x2,y\n")


def test_every_kind_of_cell_has_its_words(run, small):
    picture = run(small.replace(eta0=(0.02, 200.0), i_max=(2, 60), going=True)).value
    kinds = {}
    for key in picture.cells:
        said = words.about_cell(picture, key)
        kinds[said.kind] = said
        assert said.heading and "<p" in said.body
    assert {"safe", "diverged"} <= set(kinds) and len(kinds) >= 3
    assert kinds["diverged"].change["eta0"] < 200 and "costs" in kinds["diverged"].body


def test_a_gradient_of_ones_own_is_swept(run):
    centres = np.random.default_rng(0).normal(size=(60, 2))
    own = Given("own", GradientOracle(lambda i, x: x - centres[i], 2, lambda x: x), length=60)
    update = run(TuneConfig(data="given", eta0=(0.2, 0.4), i_max=(10, 10), chains=8, going=True), given=own)
    picture = update.value
    assert update.error == "" and picture.ended == "finished" and picture.best.accuracy > 0.7
    assert "OnlineSagaLD(problem" in saving.python(picture, picture.looked_at)
    assert saving.tuned_of(picture, picture.looked_at, None).model == {}
    assert live_query(picture, picture.looked_at)["problem"] == "given"


def test_settings_keep_the_examples_own_offset(run, small):
    picture = run(small).value
    assert saving.settings_of(picture, picture.looked_at) == Settings(
        eta0=picture.looked_at[0], batch_size=4, i_max=picture.looked_at[1], acceptance_radius=22.0, offset=1.0)
