"""Sweeps of the page: shipped and stored results, resuming, sharing, export, user-defined gradients."""

import json
import tomllib
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.jobs.background_job import BackgroundJob
from app.state.tune import TuneConfig
from app.state.user_data import UserData
from app.tune import cell_words, export, running_sweeps, sweep_job, sweep_words
from app.tune.cell_words import about_others
from app.tune.export import live_query
from app.tune.kept_files import exclusive_lock, study_path
from app.tune.rehearsal import rehearsal_job
from app.tune.sweep_job import SweepJobs
from app.visit import Visit
from sampler import GradientOracle, LinearRegression, Settings, Tuned
from sampler.tuning import algorithm_of
from sampler.version import MADE_WITH
from tests.app.jobs.waiting import finish, wait
from tests.waiting import wait_for


def begun(config, until=lambda result: bool(result.finished), visit=None):
    """Start a sweep's job and return it with its first update that is done or whose result satisfies ``until``."""
    background = BackgroundJob("test")
    background.start(SweepJobs(visit or Visit(), workers=0).job(config))

    def reached():
        update = background.take()
        return update if update is not None and (update.done or update.value is not None and until(update.value)) else None

    return background, wait_for(reached)


def test_the_first_visit_shows_the_shipped_sweep_and_runs_nothing(run, own_cache):
    result = run(TuneConfig()).value
    assert result.shipped and result.ended == "finished" and len(result.cells) == result.config.cells == 117
    assert result.best.accuracy > 0.93 and result.reference["ess"] > 1000 and not list((own_cache / "sweeps").iterdir())
    assert "shipped with the app" in sweep_words.about_sweep(result, 2, False)
    assert not run(TuneConfig(seed=3)).value.cells  # another sweep is not shipped
    assert [fit["key"] for fit in result.reference["fits"]] == ["laplace", "rvga"]
    card = cell_words.about_cell(result, result.best_key)
    words = "<b>Is a sampler needed?</b> A Laplace approximation refitted as data grow is within"
    assert card.kind == "safe" and words in card.body
    bare = replace(result, reference={name: result.reference[name] for name in ("method", "ess")})
    assert "needed?" not in cell_words.about_cell(bare, result.best_key).body


def test_a_stored_sweep_is_read_again(run, small):
    small = small.replace(i_max=(4, 4))
    whole = run(small.replace(going=True)).value
    assert whole.ended == "finished" and len(whole.finished) == whole.config.cells == 9
    assert whole.reference["method"] == "laplace"
    again = run(small).value  # not going: read, not run
    assert again.ended == "finished" and again.reference == whole.reference and not again.shipped
    assert {k: c.to_dict() for k, c in again.cells.items()} == {
        k: c.to_dict() for k, c in whole.cells.items()}
    wider = run(small.replace(eta0=(0.1, 100.0))).value
    assert len(wider.finished) >= 5 and wider.config.cells == 13 and wider.ended == ""
    other = run(small.replace(seed=3)).value
    assert other.cells == {}


def test_a_cancelled_sweep_resumes(small, run, hold_sweeps):
    small, resume = small.replace(i_max=(4, 4)), hold_sweeps(3)
    background, _ = begun(small.replace(going=True), lambda result: len(result.finished) >= 3)
    background.cancel()
    resume.set()
    end = wait(background)
    background.close()
    kept = set(end.value.finished)
    assert end.cancelled and 3 <= len(kept) < end.value.config.cells and set(end.value.cells) == kept
    assert sweep_words.about_sweep(end.value, 2, False).startswith("Cancelled")
    times = {k: c.seconds for k, c in end.value.cells.items()}
    whole = run(small.replace(going=True)).value
    assert len(whole.finished) == whole.config.cells and all(whole.cells[k].seconds == times[k] for k in kept)


def test_a_sweep_running_elsewhere_is_displayed(small, run):
    small = small.replace(i_max=(4, 4), eta0=(0.1, 0.2))
    run(small.replace(going=True))
    jobs = SweepJobs(Visit(), workers=0)
    sweep = jobs.sweep(run(small.replace(eta0=(0.1, 1.0))).value)
    with exclusive_lock(study_path(sweep.identity()).with_suffix(".lock")) as mine:
        assert mine
        background, update = begun(small.replace(eta0=(0.1, 1.0), going=True), lambda result: result.elsewhere)
        assert len(update.value.finished) >= 1 and "Another page" in sweep_words.about_sweep(update.value, 2, False)
    end = wait(background)  # the lock is released: it runs the sweep itself
    background.close()
    assert end.value.ended == "finished" and not end.value.elsewhere


def test_a_reloaded_page_rejoins_its_sweep(small, monkeypatch, hold_sweeps):
    """The second page displays the first one's cells; the first one closes, and nothing is restarted."""
    made, resume, begin = [], hold_sweeps(2), running_sweeps.Sweep.run

    def run(self, *arguments):
        made.append(self)
        return begin(self, *arguments)

    monkeypatch.setattr(running_sweeps.Sweep, "run", run)
    config = small.replace(i_max=(4, 4), going=True)
    first, update = begun(config)
    link = update.value.config
    jobs = SweepJobs(Visit())
    running = jobs.joined(link)  # displayed when the page is built
    assert running.value.cells and running.words == "trying settings" and running.value.config == link
    assert jobs.joined(link.replace(chosen=update.value.best_key)) is not None
    assert jobs.joined(link.replace(seed=3)) is None and jobs.joined(link.replace(going=False)) is None
    assert jobs.joined(link.replace(data="given")) is None  # a problem without a name is not shared
    monkeypatch.setattr(sweep_job, "StreamForecasts", lambda *user_data: pytest.fail("measured again"))
    second, update = begun(link)
    assert not update.done and not update.value.elsewhere and update.words != "running elsewhere"
    first.close()  # the first visit ends
    resume.set()
    end = wait(second)
    second.close()
    assert end.value.ended == "finished" and len(end.value.finished) == 9 and len(made) == 1 and not end.value.elsewhere


@pytest.mark.parametrize("shared", [True, False])
def test_cancel_stops_a_sweep_unless_another_page_is_open(small, hold_sweeps, shared):
    resume, config = hold_sweeps(2), small.replace(i_max=(4, 4), going=True)
    visit = Visit()
    visit.connection = SimpleNamespace(here=shared)
    left, _ = begun(config, visit=visit)
    page, _ = begun(config)
    page.cancel()
    end = wait(page)
    resume.set()
    other = wait(left)
    left.close()
    page.close()
    assert end.cancelled and end.value.ended == "cancelled" and end.value.elsewhere == shared
    assert ("continues for another open page" in sweep_words.about_sweep(end.value, 2, False)) == shared
    assert other.value.ended == ("finished" if shared else "cancelled")


def test_exports(run, small, tmp_path):
    result = run(small.replace(i_max=(20, 20), going=True)).value
    key = result.best_key
    assert result.settings(key) == Settings(eta0=key[0], batch_size=4, i_max=20, acceptance_radius=22.0, offset=1.0)
    rehearsed = finish(rehearsal_job(result.stream, result.settings(key), 64, 8, 2)).value
    assert rehearsed.evidence["predictive_score"] < 0 and rehearsed.evidence["rhat"]
    assert rehearsed.kind == "logistic" and len(rehearsed.t) == 8
    plain = cell_words.about_cell(result, key)
    for rhat, remarked in ((1.034, True), (1.01, False), (None, False)):
        card = cell_words.about_cell(result, key, replace(rehearsed, evidence=rehearsed.evidence | {"rhat": rhat}))
        assert ("is 1.034, above 1.01: chains differ from each other" in card.body) == remarked and card.kind == plain.kind
        assert remarked or card == plain
    assert "Log score" in sweep_words.about_rehearsal(rehearsed) and "Split R-hat" in sweep_words.about_rehearsal(rehearsed)
    tables = tomllib.loads(export.toml(export.tuned_of(result, key, rehearsed)))
    assert tables["settings"]["eta0"] == key[0] and tables["gates"]["max_rhat"] == 1.1
    assert tables["evidence"]["verdict"] and tables["data"]["name"] == "stream.csv"
    (tmp_path / "tuned.toml").write_text(export.toml(export.tuned_of(result, key, rehearsed)))
    assert Tuned.load(tmp_path / "tuned.toml").settings == result.settings(key)
    saved = json.loads(export.everything_json(result, rehearsed))
    assert len(saved["cells"]) == result.config.cells and saved["settings"]["i_max"] == 20
    assert saved["made_with"] == MADE_WITH
    lines = export.cells_csv(result).splitlines()
    assert lines[0].startswith("eta0,i_max") and len(lines) == result.config.cells + 1
    names: dict = {}
    code = export.python(result, key).replace("in zip(", "in list(zip(").replace("):\n    epoch", "))[:20]:\n    epoch")
    exec(compile(code, "code", "exec"), names)  # noqa: S102 - generated by the app
    assert names["saga"].t == 20 and names["saga"].settings == result.settings(key)
    query = live_query(result, key)
    assert query["problem"] == "logistic2" and float(query["eta0"]) == key[0] and query["imax"] == "20"
    assert export.stream_csv(result.stream).startswith("x1,x2,y\n")


def test_every_kind_of_cell_has_its_texts(run, small):
    result = run(small.replace(eta0=(0.02, 200.0), i_max=(60, 60), chains=32, going=True)).value
    kinds = {}
    for key in result.cells:
        card = cell_words.about_cell(result, key)
        kinds[card.kind] = card
        assert card.heading and "<p" in card.body
    assert {"safe", "diverged"} <= set(kinds) and len(kinds) >= 3
    assert kinds["diverged"].change["eta0"] < 200 and "The cost is unchanged." in kinds["diverged"].body
    best = result.best_key
    assert cell_words.about_cell(result, best).heading.startswith("Use ")
    going = replace(result, ended="", finished=result.finished - {next(key for key in result.cells if key != best)})
    assert cell_words.about_cell(going, best).heading.startswith("Best so far: ")
    assert "Best so far: accuracy" in sweep_words.about_sweep(going, 2, False)
    assert cell_words.about_cell(replace(going, finished=frozenset()), best).heading.startswith("Safe so far: ")
    early = replace(result, last_rung=result.last_rung + 1)  # no cell has run to the end
    assert cell_words.about_cell(early, best).heading.startswith("Given up, safe so far: ")


def test_a_user_defined_gradient_is_swept(run):
    centres = np.random.default_rng(0).normal(size=(60, 2))
    own = UserData("own", GradientOracle(lambda i, x: x - centres[i], 2, lambda x: x), length=60)
    update = run(TuneConfig(data="given", eta0=(0.2, 0.4), i_max=(10, 10), chains=8, going=True), user_data=own)
    result = update.value
    assert update.error == "" and result.ended == "finished" and result.best.accuracy > 0.7
    assert "OnlineSagaLD(problem" in export.python(result, result.looked_at)
    assert export.tuned_of(result, result.looked_at, None).model == {}
    assert live_query(result, result.looked_at)["problem"] == "given"


def test_shipped_cells_equal_those_of_a_sweep(run):
    shipped = run(TuneConfig()).value
    wide = shipped.config.replace(eta0=(0.57, 0.57), i_max=(10, 10), prune=False)
    here = run(wide.replace(going=True)).value
    both = [key for key in here.cells if key in shipped.cells and shipped.state(key) == "done"]
    assert both
    for key in both:
        assert abs(here.cells[key].accuracy - shipped.cells[key].accuracy) < 1e-5


def test_a_sweep_of_both_algorithms(run, small, tmp_path):
    small = small.replace(algorithm="both", i_max=(10, 10), eta0=(1.0, 1.0), whitened_eta0=(0.1, 0.3))
    result = run(small.replace(going=True)).value
    assert result.ended == "finished" and set(result.forecasts) == {"saga-ld", "preconditioned"}
    assert {cell.algorithm for cell in result.cells.values()} == {"saga-ld", "preconditioned"}
    assert result.config.cells == len(result.finished) == 4 and result.config.whitened_radius == 20.0
    key = result.first_of("preconditioned")
    assert algorithm_of(key) == "preconditioned" == result.cell(key).algorithm
    costs = [cell.cost for cell in result.cells.values()]
    assert max(costs) < 1.02 * min(costs)  # equal: the same lengths and batches
    card = cell_words.about_cell(result, key)
    assert "preconditioned, η" in card.heading and "whitened" in card.body and "preconditioned:</p>" in card.body
    assert "The best of each: SAGA-LD" in sweep_words.about_cost(result)
    others = about_others(result)
    assert others.count("Recommended: <b>") == 1 and all(f"The {what} for {name}" in others for what in (
        "advised start", "rule of thumb 0.2/L") for name in ("SAGA-LD", "preconditioned"))
    tuned = export.tuned_of(result, key, None)
    assert tuned.algorithm == "preconditioned" and tuned.settings.acceptance_radius == 20.0
    (tmp_path / "tuned.toml").write_text(export.toml(tuned))
    assert Tuned.load(tmp_path / "tuned.toml").algorithm == "preconditioned"
    code = export.python(result, key)
    compile(code, "code", "exec")
    assert "saga = PreconditionedSagaLD(\n    LogisticRegression(2), Settings(" in code
    saved = json.loads(export.everything_json(result, None))
    assert {row["algorithm"] for row in saved["cells"]} == {"saga-ld", "preconditioned"}
    assert live_query(result, key)["algorithm"] == "preconditioned"
    again = run(small.replace(algorithm="preconditioned")).value  # its cells are stored
    assert len(again.finished) == again.config.cells == 3 and again.ended == "finished"


def test_models_that_cannot_be_preconditioned_are_swept_by_saga_ld_with_a_reason(run):
    own = UserData("own", GradientOracle(lambda i, x: x - np.ones((len(i), 2)), 2, lambda x: x), length=60)
    result = run(TuneConfig(data="given", algorithm="preconditioned", chains=8), user_data=own).value
    assert result.config.algorithm == "saga-ld" and "needs curvature" in result.stream.unpreconditioned
    flat = UserData("flat", LinearRegression(2, prior_precision=0.0), np.eye(2)[np.arange(60) % 2], np.arange(60.0) % 3)
    result = run(TuneConfig(data="given", algorithm="preconditioned", chains=8), user_data=flat).value
    assert "prior precision above 0" in result.stream.unpreconditioned
