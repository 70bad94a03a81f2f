"""The paper's figures: their runs, panels, and storage of finished runs."""

from dataclasses import replace

import numpy as np
import pytest

from app.coreset import paper_figure_job
from app.coreset.models import read
from app.coreset.paper_figure_job import FigureJobs, draw, median_trace
from app.coreset.paper_figure_plan import FIGURES, RIVALS, SCALES, WARM_UP, Cell, Scale, cells_of
from app.coreset.result import RunTrace
from app.coreset.run_words import figure_csv, figure_reading
from app.jobs.background_job import BackgroundJob
from app.state.coreset import MODELS, RunKey
from tests.app.jobs.waiting import finish, wait

TINY = Scale("tiny", "tiny", 150, 200, 1, (10,), 10, (1e-3,), (1.0, 10.0), (1e-6, 1e-3))


def result(last, fault=""):
    at = np.array([1, 10, 100])
    return RunTrace(RunKey("hot_dog", True), 100, at, np.array([9.0, 3.0, last]), norms=np.ones(3),
                    statistic=np.array([[60, 0.3]]), hot_at=60, passed=True, fault=fault)


@pytest.mark.journey
@pytest.mark.parametrize("figure", ["3", "4", "5", "6", "7"])  # all runs of the other figures are in these or below
def test_every_figure_job_whole_at_a_small_size(figure):
    update = finish(FigureJobs().job(figure, TINY))
    assert not update.error and update.value.done == update.value.whole == len(cells_of(figure, TINY))
    assert [panel.key for panel in update.value.panels] == list(MODELS)
    assert all(panel.series for panel in update.value.panels)
    text = figure_csv(update.value)
    assert text.startswith("model,series,x,y") and all(f"{key}," in text for key in MODELS)
    assert figure_reading(update.value, "legend").startswith("legend")


def test_a_cancelled_figure_keeps_its_runs_and_can_be_continued(monkeypatch):
    runs, made = FigureJobs(), []

    def counted(model, cell, scale, stopped, going):
        made.append(cell)
        if len(made) == 4:
            background.cancel()
        return None if stopped() else result(1.0)

    monkeypatch.setattr(paper_figure_job, "_model", lambda *args: object())
    monkeypatch.setattr(paper_figure_job, "run_cell", counted)
    background = BackgroundJob()
    background.start(runs.job("6", TINY))
    cut = wait(background)
    assert cut.cancelled and cut.value.done == 3 == runs.result("6", TINY).done
    background.start(runs.job("6", TINY))
    whole = wait(background)
    assert whole.value.done == whole.value.whole and len(made) == whole.value.whole + 1  # the interrupted one is repeated
    made.clear()
    background.start(runs.job("1", TINY))  # shares all its runs with Figure 6 at this scale
    assert wait(background).value.done and made == []
    background.close()


def test_a_file_takes_the_place_of_its_models_data(monkeypatch):
    small = {key: replace(shape, dim=3) for key, shape in MODELS.items()}  # as wide as the file: one kernel for both
    monkeypatch.setattr(paper_figure_job, "MODELS", small)
    rng = np.random.default_rng(4)
    x = rng.standard_normal((200, 3))
    rows = "".join(f"{a:.3f},{b:.3f},1.0,{k}\n" for (a, b, _), k in zip(x, rng.poisson(np.exp(x[:, 0])), strict=True))
    own = read("<bike>.csv", rows.encode(), "poisson")
    runs = FigureJobs()
    plain = finish(runs.job("2", TINY)).value
    assert runs.result("2", TINY, own).done == plain.whole * 5 // 6  # the other five models' runs are shared
    filed = finish(runs.job("2", TINY, own)).value
    assert filed.done == filed.whole and filed.own == ("poisson", "<bike>.csv", own.key)
    panels = {panel.key: panel for panel in filed.panels}
    assert panels["poisson"].title.endswith(": <bike>.csv")
    for before in plain.panels:
        same = np.array_equal(before.series[0].y, panels[before.key].series[0].y)
        assert same == (before.key != "poisson")
    assert "runs on &lt;bike&gt;.csv, all of it" in figure_reading(filed, "")
    assert runs.result("2", TINY).panels[0].series and runs.result("2", TINY).own is None


SMALL = SCALES["small"]


@pytest.mark.parametrize(("figure", "value", "names", "level", "first"), [
    ("1", lambda cell: 2.0 if cell.optimizer == "hot_dog" else 3.0 * cell.rate, ["M = 50", "M = 200"], 1.0,
     1.5 * np.array(SMALL.rates)),  # ADAM over Hot DoG
    ("2", lambda cell: 3.0 * cell.rate, ["M = 50", "M = 200"], None, 3.0 * np.array(SMALL.rates)),  # ADAM itself
    ("3", lambda cell: 1.0 if cell.rate == 0.1 else 2.0, [
        *(f"{rule}, r = {r:g}" for rule in ("DoG", "DoWG") for r in SMALL.reaches), "D-Adaptation", "Prodigy",
        "ADAM, best rate 0.1/√t"], None, None),
    ("6", lambda cell: 1.0 if cell.optimizer == "hot_dog" else abs(np.log(cell.rate)) + 0.1,
     ["Hot DoG, r = 0.001", "Hot DoG, r = 0.1", "Hot DoG, r = 10", "ADAM, best rate 1/√t"], None, None)])
def test_lines_of_a_figure(figure, value, names, level, first):
    results = {cell: result(value(cell)) for cell in cells_of(figure, SMALL)}
    panel = draw(figure, SMALL, results).panels[2]
    assert [series.name for series in panel.series] == names and panel.level == level
    assert first is None or panel.series[0].y == pytest.approx(first) == panel.series[1].y
    assert any(cell.hot for cell in results) == (figure != "3")  # Figure 3 has no hot start


def test_figure_7_names_the_optimizer_whose_runs_diverged():
    results = {cell: result(2.0, "diverged" if cell.optimizer == "d_adaptation" and not cell.hot else "")
               for cell in cells_of("7", SMALL)}
    figure = draw("7", SMALL, results)
    hot = next(s for s in figure.panels[0].series if s.name == "M = 50, hot start")
    cold = next(s for s in figure.panels[0].series if s.name == "M = 50, no hot start")
    grids = {rival: len(getattr(SMALL, grid)) for rival, grid in RIVALS.items()}
    assert hot.y.size == sum(grids.values()) and cold.y.size == hot.y.size - grids["d_adaptation"] and (hot.y == 1).all()
    assert len(np.unique(hot.x)) == hot.x.size and (np.diff(hot.x) > 0).all()  # no dot hides another
    assert len(figure.notes) == 1 and figure.notes[0].startswith("D-Adaptation diverged in 48 of its 96 runs")


@pytest.mark.parametrize(("figure", "kind", "size"), [("8", "4", 100), ("11", "5", 500), ("12", "6", 100)])
def test_the_appendix_repeats_figures_at_another_size(figure, kind, size):
    cells = cells_of(figure, SCALES["paper"])
    assert {cell.size for cell in cells} == {size} and len(cells) == len(cells_of(kind, SCALES["paper"]))
    assert FIGURES[figure].title == f"{FIGURES[kind].title}, M = {size}"


def test_figure_5_needs_warm_ups_only():
    cells = cells_of("5", SCALES["paper"])
    assert {cell.optimizer for cell in cells} == {WARM_UP} and len(cells) == len(MODELS)
    panel = draw("5", SCALES["paper"], {cell: result(1.0) for cell in cells}).panels[0]
    assert panel.note == "passed at 60" and panel.level == 0.5 and panel.series[1].y.tolist() == [0.3]


def test_medians_are_over_the_finished_trials():
    cells = [Cell("gaussian", 10, "dog", 1e-3, True, trial) for trial in range(3)]
    assert median_trace(cells, {}) is None
    at, z = median_trace(cells, {cells[0]: result(1.0), cells[2]: result(3.0)})
    assert at.tolist() == [1, 10, 100] and z.tolist() == [9, 3, 2]


def test_an_unfinished_figure_draws_its_finished_runs():
    for figure in FIGURES:
        empty = draw(figure, SMALL, {})
        assert empty.done == 0 and all(not panel.series for panel in empty.panels) and figure_csv(empty) == ""
