"""Figures of the Tune page and their cards: map of settings, one row of it, accuracy against cost, rehearsal."""

from collections.abc import Callable
from functools import partial

import numpy as np

from app.jobs.background_job import BackgroundJob, JobHandle, JobUpdate
from app.plots import (
    accuracy_against_cost,
    calibration,
    forecast,
    log_scores,
    memory_against_cost,
    tuning_map,
    tuning_slice,
)
from app.state.tune import ALGORITHMS, CellKey
from app.tune import sweep_words
from app.tune.cell_words import verdict_kinds
from app.tune.rehearsal import Rehearsal, rehearsal_job
from app.tune.result import TuneResult
from app.visit import Visit
from app.widgets.figure_card import FigureCard, FigureView


def map_figure(result: TuneResult):
    """Return the map of all cells of the selected batch size, with contours of the forecast."""
    seen, key = result.forecast, result.looked_at
    states = {cell: result.state(cell) for cell in seen.cells}
    cells = tuning_map(result.on_map, key.batch_size, forecasts=seen.cells, states=states, best=result.best,
                       chosen=result.nearest(*key), ceiling=seen.ceiling, verdicts=verdict_kinds(result),
                       marks=run_marks(result))
    return cells * forecast(seen.surface[key.batch_size], seen.etas, seen.lengths, seen.ceiling,
                            (result.config.etas_of(key.algorithm), result.config.lengths))


def run_marks(result: TuneResult) -> dict[CellKey, str]:
    """Return nearest cell of the map -> numbers of the advised setting's runs."""
    marks: dict[CellKey, str] = {}
    for number, key in zip("①②③", result.run_forecasts, strict=False):
        near = result.nearest(*key)
        marks[near] = marks.get(near, "") + number
    return marks


def slice_figure(result: TuneResult):
    """Return the map's row of the selected cell, measured and predicted."""
    seen, key = result.forecast, result.looked_at
    eta0, i_max, batch, algorithm = result.nearest(*key)
    row = seen.surface[batch][int(np.searchsorted(seen.lengths, i_max))]
    return tuning_slice(result.on_map, i_max, batch, predicted=(seen.etas, row), forecasts=seen.cells,
                        states={cell: result.state(cell) for cell in seen.cells}, chosen=eta0, ceiling=seen.ceiling,
                        algorithm=algorithm)


def cost_figures(result: TuneResult):
    """Return accuracy and memory of every cell against its cost."""
    kinds, cells = verdict_kinds(result), list(result.measured.values())
    return (accuracy_against_cost(cells, verdicts=kinds, chosen=result.looked_at),
            memory_against_cost(cells, verdicts=kinds, chosen=result.looked_at))


WAITING = "Measuring the curvature …"
HEIGHTS = (380, 220, 200, 200)
"""Height of each figure in pixels on a narrow screen."""
BEFORE = "Available with the first cells."
"""Text of an empty card, instead of axes without data."""
WAITING_WORDS = f"<p class='soft'>{BEFORE}</p>"


class MapCards:
    """Map, row and cost cards. Taps on cells call `chosen(key)`, arrows `step(by)`; `saved(kind)` returns CSV or JSON."""

    def __init__(self, chosen: Callable[[CellKey], None], step: Callable[[int], None], saved: Callable[[str], str]) -> None:
        self.map_view, self.slice_view, *self.cost_views = (
            FigureView(None, height, chosen=lambda key: chosen(CellKey(*key))) for height in HEIGHTS)
        self.map = FigureCard([self.map_view], label="Accuracy for each setting", filename="sweep",
                              acts={"step": step, "csv": partial(saved, "csv"), "json": partial(saved, "json")},
                              heads=[["Accuracy for each setting", ""]], exports=["csv", "json", "png", "svg"],
                              stepped="step size", empty=WAITING)
        self.slice = FigureCard([self.slice_view], label="Accuracy along a row", heads=[["Along the row", ""]],
                                exports=["png", "svg"], filename="sweep-row", empty=BEFORE)
        self.cost = FigureCard(self.cost_views, row=True, label="Accuracy and cost", exports=["png", "svg"],
                               filename="sweep-cost", heads=[["Accuracy and cost", ""], ["Accuracy", ""], ["Memory", ""]],
                               empty=BEFORE)

    def clear(self) -> None:
        """Replace a result on other data by placeholders."""
        for card, words in ((self.map, WAITING), (self.slice, BEFORE), (self.cost, BEFORE)):
            card.param.update(empty=words, caption="", spoken="", stepper="")

    def show(self, result: TuneResult) -> None:
        """Display a result and its selected cell."""
        key = result.looked_at
        eta0, i_max, batch, algorithm = result.nearest(*key)
        spoken = sweep_words.spoken(result, key)
        self.map_view.show(map_figure(result), spoken)
        self.slice_view.show(slice_figure(result))
        for figure, drawn in zip(self.cost_views, cost_figures(result), strict=True):
            figure.show(drawn)
        self.cost.param.update(caption=sweep_words.about_cost(result), empty="")
        plane = f", b = {batch}" if len(result.config.batches) > 1 else ""
        head = f"Accuracy for each setting{plane}"
        if len(result.forecasts) > 1 or algorithm != "saga-ld":
            head += f", {ALGORITHMS[algorithm]}"
        self.map.param.update(heads=[[head, "measured; lines: predicted"]], stepper=f"η₀ = {eta0:g}", spoken=spoken,
                              caption=sweep_words.LEGEND + sweep_words.RUNS_LEGEND * (result.runs is not None), empty="")
        self.slice.param.update(heads=[[f"Along the row i<sub>max</sub> = {i_max:,}", sweep_words.SLICE_LEGEND]], empty="")


class RehearsalCard:
    """Card of one rehearsal; requesting another cancels a running one. Each update is followed by a call of `shown()`."""

    def __init__(self, shown: Callable[[], None], visit: Visit | None = None) -> None:
        self._shown, self.job = shown, BackgroundJob("tune-rehearsal", self._show, visit=visit)
        self._requested: tuple | None = None
        self._rehearsal: Rehearsal | None = None
        self._function: Callable[[JobHandle], Rehearsal | None] | None = None
        nothing = np.empty(0)
        self.score = FigureView(log_scores(nothing, nothing), 200)
        self.calibration = FigureView(calibration(nothing, nothing), 200)
        self.card = FigureCard(
            [self.score, self.calibration], {"press": self._start}, row=True, label="Rehearsal, without a reference",
            exports=["png", "svg"], filename="rehearsal",
            heads=[["Rehearsal, without a reference", "this setting run once as in production, judged by its predictions"],
                   ["Log score of predicted rows", ""], ["Calibration", ""]], empty=BEFORE)

    def request(self, result: TuneResult, key: CellKey) -> None:
        """Rehearse a cell unless it was the last request or its forecast is unstable."""
        config = result.config
        requested = result.stream, key, config.radius_of(key.algorithm), config.rows, config.chains, config.seed
        if requested == self._requested or not result.cell_forecast(key).stable:
            return
        self._requested, self._rehearsal = requested, None
        self._function = rehearsal_job(result.stream, result.settings(key), config.rows, config.chains, config.seed)
        self._start()

    def _start(self) -> None:
        """Start the requested rehearsal."""
        self.card.param.update(empty="" if self.card.caption else "Rehearsing the selected cell …", button="")
        if self._function is not None:
            self.job.start(self._function)

    def rehearsal(self, result: TuneResult, key: CellKey) -> Rehearsal | None:
        """Return the finished rehearsal of a cell, or None."""
        last = self._rehearsal
        return last if last is not None and last.settings == result.settings(key) else None

    def _show(self, update: JobUpdate) -> None:
        rehearsal = update.value
        if isinstance(rehearsal, Rehearsal) and update.done:
            self._rehearsal = rehearsal
            drifts = rehearsal.replay.watch.drifts
            self.score.show(log_scores(rehearsal.t, rehearsal.score, [drift.at for drift in drifts]))
            self.calibration.show(calibration(*rehearsal.calibration, "predicted probability"
                                              if rehearsal.kind == "logistic" else "predicted quantile"))
            self.card.param.update(caption=sweep_words.about_rehearsal(rehearsal), progress=None, empty="")
        elif update.error:
            self.card.param.update(caption="", progress=None, button="Try again",
                                   empty=f"The rehearsal failed: {update.error}")
        elif not update.done:
            self.card.param.update(progress=update.progress)
        self._shown()
