"""Runs of the advised setting: equal to the command's, stored, stopped, resumed, exported."""

import html
import itertools
import json
import threading
from contextlib import chdir
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from app.jobs.background_job import BackgroundJob
from app.state.tune import TuneConfig
from app.state.user_data import UserData
from app.tune import advised_job, cell_words, export, sweep_words
from app.tune.cell_words import about_others
from app.tune.figure_cards import map_figure, run_marks, slice_figure
from app.tune.sweep_job import SweepJobs
from app.visit import Visit
from sampler import GradientOracle, Tuned
from sampler.__main__ import main
from sampler.tuning import advised_setting, key_of
from tests.app.jobs.waiting import finish, wait
from tests.waiting import wait_for


def run(config, workers=0):
    """Run the advised setting's job to its end and return the last result."""
    update = finish(SweepJobs(Visit(), workers).job(config, advised=True))
    assert update.error == ""
    return update.value


def without_seconds(runs):
    return [{**cell.to_dict(), "seconds": 0.0} for cell in runs.cells]


@pytest.mark.parametrize("seed, algorithm", [(2, "saga-ld"), (0, "both")])
def test_page_and_command_run_and_choose_the_same_settings(csv_file, keep, tmp_path, capsys, seed, algorithm):
    path = csv_file(rows=80)
    with chdir(tmp_path):
        command = ["tune", path.name, "--scale", "--rows", "60", "--seed", str(seed), "--algorithm", algorithm,
                   "--json", "--quiet"]
        assert main(command) == 0
    output = json.loads(capsys.readouterr().out)
    result = run(TuneConfig(data=f"file-{keep(path)}", scale=True, rows=60, seed=seed, algorithm=algorithm))
    assert without_seconds(result.runs) == [{**cell, "seconds": 0.0} for cell in output["cells"]]
    taken, written = export.tuned_of(result, result.taken, None), Tuned.load(tmp_path / "tuned.toml")
    assert len(output["cells"]) == 2 and result.looked_at == result.taken == result.recommended
    assert taken.settings == written.settings and taken.algorithm == written.algorithm
    assert {**taken.data, "name": path.name} == written.data and written.data["rows"] == 60
    for name in ("verdict", "verdict_words", "chains", "rows", "settings_tried", "gradients_an_epoch", "memory", "widest",
                 "fits_words", "laplace_lag", "rvga_widest"):
        assert taken.evidence[name] == written.evidence[name], name
    needed = f"<b>Is a sampler needed?</b> {html.escape(taken.evidence['fits_words'])}"
    assert needed in cell_words.about_cell(result, result.taken).body


def test_each_run_is_displayed_with_verdict_cost_and_reason_for_the_next(small):
    result = run(small)
    runs, key = result.runs, result.taken
    assert runs.over and len(runs.cells) > 1 and result.cells == {} and result.finished == frozenset() and result.ended == ""
    assert runs.first.references is None
    body = cell_words.about_cell(result, key).body
    for index, cell in enumerate(runs.cells):
        assert f"<li value='{index + 1}'><b>{cell_words.name_of(key_of(cell), 1)}</b>: {runs.words(index)}." in body
    assert body.count("Next, because ") == len(runs.cells) - 1 and "eta0" not in body and "i_max" not in body
    half = replace(runs, cells=runs.cells[:1], verdicts=runs.verdicts[:1], asked=runs.asked[:1])
    assert "The next run has not ended." in cell_words.about_runs(replace(result, runs=half))
    assert advised_job.words_ahead(half) == f"Run 2 of at most 3. Run 1: {runs.asked[0].reason}."
    assert runs.fitted and advised_job.words_ahead(runs) == ""
    unfitted = replace(runs, first=replace(runs.first, reference={"method": "exact", "ess": None}))
    assert advised_job.words_ahead(unfitted) == "fitting Gaussians: is a sampler needed?"
    assert "sweep tries other settings" in sweep_words.about_sweep(result, 2, False)
    assert f"runs of the advised setting: eta0 = {key.eta0:g}" in sweep_words.spoken(result, key)
    marks = run_marks(result)
    assert sorted("".join(marks.values())) == sorted("①②③"[:len(runs.cells)]) and set(marks) <= set(result.cell_forecasts)
    cell = replace(runs.cells[0], **next(iter(result.cell_forecasts))._asdict())  # a run with the setting of a cell
    on = replace(result, runs=replace(runs, cells=(cell, *runs.cells[1:])))
    later = list(result.run_forecasts.items())[1:]
    on = replace(on, run_forecasts=dict([(key_of(cell), result.cell_forecasts[key_of(cell)]), *later]))
    for one, count in ((result, 0), (on, 1)):
        assert len(one.on_map) == count and map_figure(one) is not None and slice_figure(one) is not None
    assert len(export.rows_of(result)) == result.config.cells + len(set(result.run_forecasts) - set(result.cell_forecasts))


@pytest.mark.parametrize("verdict, heading, end, others", [
    ("safe", "Use ", "is chosen: it is the last safe run", "chosen from the advised setting’s runs: safe, at"),
    ("hot", "", "None of them is safe: run a sweep to find a safe setting.", "Start near <b>")])
def test_the_chosen_run_is_recommended_if_it_is_safe(small, verdict, heading, end, others):
    result = run(small)
    runs = replace(result.runs, verdicts=(verdict,) * len(result.runs.verdicts))
    result = replace(result, runs=runs)
    key = result.taken
    card = cell_words.about_cell(result, key)
    assert (card.heading.startswith(heading) or verdict != "safe") and end in card.body
    assert others in about_others(result) and (result.recommended == key) == (verdict == "safe")


def test_stored_runs_are_not_run_again_and_a_sweep_has_separate_cells(small, monkeypatch):
    small = small.replace(i_max=(4, 4), eta0=(0.1, 0.2))
    first, jobs = run(small), SweepJobs(Visit(), workers=0)
    monkeypatch.setattr(advised_job, "advised_runs", lambda *arguments: pytest.fail("run again"))
    again = finish(jobs.job(small, advised=True)).value
    assert without_seconds(again.runs) == without_seconds(first.runs)
    swept = finish(jobs.job(small.replace(going=True))).value
    assert swept.ended == "finished" and swept.runs is not None and swept.recommended in (swept.best_key, swept.taken)
    other = finish(jobs.job(small.replace(seed=3))).value
    assert other.runs is None and other.looked_at == other.advised_key


def test_after_a_damaged_file_or_a_full_disk_the_setting_is_run_again(small, own_cache, monkeypatch):
    def full(path, runs):
        raise OSError("no space left")

    monkeypatch.setattr("app.tune.sweep_job.write_runs", full)
    assert run(small).runs.over and not list(own_cache.rglob("*.runs.json"))
    monkeypatch.undo()
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(own_cache))
    run(small)
    (path,) = own_cache.rglob("*.runs.json")
    path.write_text(path.read_text()[:200])
    assert advised_job.read_runs(path) is None and run(small).runs.over and advised_job.read_runs(path).over


def test_after_a_cancellation_finished_runs_are_kept(small, monkeypatch):
    begun, run_cell, calls = threading.Event(), advised_setting.run_cell, itertools.count()

    def held(job, settings, rung, stop):
        if next(calls) > len(advised_setting.TRIAL):  # after two trials and the first run
            begun.set()
            wait_for(stop)
        return run_cell(job, settings, rung, stop)

    monkeypatch.setattr("sampler.tuning.advised_setting.run_cell", held)
    background, jobs = BackgroundJob("test"), SweepJobs(Visit(), workers=0)
    background.start(jobs.job(small, advised=True))
    wait_for(lambda: begun.is_set())
    background.cancel()
    end = wait(background)
    background.close()
    assert end.cancelled and len(end.value.runs.cells) == 1 and not end.value.runs.over
    kept = finish(jobs.job(small)).value
    assert len(kept.runs.cells) == 1 and kept.looked_at == kept.taken
    assert sweep_words.about_sweep(kept, 2, False).endswith("“Run as advised” resumes.")
    monkeypatch.setattr("sampler.tuning.advised_setting.run_cell", run_cell)
    monkeypatch.setattr("sampler.tuning.advised_setting.first_run", lambda *arguments: pytest.fail("the first is run again"))
    whole = finish(jobs.job(small, advised=True)).value.runs
    assert whole.over and whole.cells[0] == end.value.runs.cells[0]


def test_runs_not_published_by_a_worker_process_are_in_its_result(small, monkeypatch):
    """Not every result is published if results arrive fast."""
    monkeypatch.setattr("app.tune.sweep_job.run_advised", lambda *arguments: advised_job.run_advised(
        *arguments[:-1], SimpleNamespace(stopped=False, publish=lambda *one, **more: None)))
    assert run(small).runs.over


def test_runs_of_a_gradient_without_a_name_are_kept_with_the_page():
    centres = np.random.default_rng(0).normal(size=(60, 2))
    visit = Visit()
    visit.user_data = UserData("own", GradientOracle(lambda i, x: x - centres[i], 2, lambda x: x), length=60)
    jobs, config = SweepJobs(visit, workers=0), TuneConfig(data="given", eta0=(0.2, 0.4), i_max=(10, 10), chains=8)
    assert finish(jobs.job(config, advised=True)).value.runs.over
    assert finish(jobs.job(config)).value.runs.over and SweepJobs(visit, workers=0)._own_runs is None
    assert finish(SweepJobs(visit, workers=0).job(config)).value.runs is None


def test_runs_in_a_worker_process_equal_those_in_this_process(small, own_cache):
    here = run(small)
    for path in own_cache.rglob("*.runs.json"):
        path.unlink()
    there = run(small, workers=1)
    assert without_seconds(there.runs) == without_seconds(here.runs)
