"""Cards of the page: its runs, the paper's figures with their controls, and the limits of the figures."""

from collections.abc import Callable
from html import escape

import numpy as np
import param

from app.coreset import run_words
from app.coreset.models import OwnData, plotted
from app.coreset.paper_figure_job import FigureJobs
from app.coreset.paper_figure_plan import FIGURES, SCALES, TEXT, FigureResult, axis_of, seconds_of
from app.coreset.result import CoresetResult
from app.glossary import marked, marked_first
from app.jobs.background_job import BackgroundJob, JobHandle, JobUpdate
from app.jobs.worker_processes import in_process
from app.js.component import Holder
from app.plots import (
    coreset_norms,
    coreset_panel,
    coreset_points,
    coreset_rates,
    coreset_scores,
    coreset_sums,
    coreset_variance,
    hot_start,
)
from app.state.coreset import MODELS, CoresetConfig
from app.visit import Visit
from app.widgets.cards import TableCard, TextCard
from app.widgets.choices import Menu, RunButtons, Segments
from app.widgets.figure_card import FigureCard, FigureView
from sampler.coreset import RepeatedPoints, WeightConvergence, weight_convergence
from sampler.time_left import time_words

EXPORTS = ["png", "svg"]
SMALL = {
    "norms": (coreset_norms, "Gradient norms", "medians, log scale",
              "Large at first if the chains start far from the posterior; the hot start waits until they decrease."),
    "rates": (coreset_rates, "Effective rates", "a weight’s step ÷ its gradient",
              "Median over the weights with the band of 80 % of them; no band: one rate for all weights."),
    "sums": (coreset_sums, "Sum of weights ÷ N", "1: total weight of the full data",
             "Above 1 the coreset weighs more than the full data, and its posterior is too narrow."),
}
"""Name -> figure, title, subtitle, caption."""


COMPARE = [["compare", "Compare samplers on this coreset", "", False]]


class RunCards:
    """Cards of the runs; `show` updates their contents.

    Parameters
    ----------
    look_at
        Called with the key of the run selected for display of its points.
    view
        Called with ("view", value) of the points.
    press
        Called with the key of a button.
    """

    def __init__(self, look_at: Callable[[str], None], view: Callable[[str, str], None],
                 press: Callable[[str], None]) -> None:
        self.result: CoresetResult | None = None
        self.scores = FigureCard(
            [FigureView(coreset_scores({}), 240, share=0.6), FigureView(coreset_variance({}), 190, share=0.4)],
            acts={"csv": lambda: self.result and run_words.curves_csv(self.result)}, label="Z-scores and variance ratio",
            heads=[[marked("Average squared [[z-score]]"), "Eq. 6, of the second half of all draws so far"],
                   [marked("Posterior [[variance ratio]]"), "coreset ÷ full data; not measured by the z-score"]],
            exports=["csv", *EXPORTS], filename="coreset-scores", caption=run_words.reading(None))
        nothing = np.empty(0)
        self.points = FigureCard(
            [FigureView(coreset_points(nothing, nothing, nothing), 280)], acts={"choose": view},
            label="Coreset points and their weights", heads=[["The coreset", ""]],
            segments=[["view", [["response", "as modelled"], ["principal", "principal axes"]]]],
            chosen={"view": "response"}, exports=EXPORTS, filename="coreset-points", caption=run_words.points_reading(None))
        self.hot = FigureCard(
            [FigureView(hot_start({}), 230)], label="Hot-start statistic", exports=EXPORTS, filename="coreset-hot-start",
            heads=[[marked("[[Hot start]]"), "are the chains stationary?"]])
        self.small = {
            name: FigureCard([FigureView(figure({}), 230)], label=title, heads=[[title, subtitle]], exports=EXPORTS,
                             filename=f"coreset-{name}", caption=caption)
            for name, (figure, title, subtitle, caption) in SMALL.items()}
        self.table = TableCard(
            look_at, title="The runs", subtitle="same coreset, same seed; click a row to see its points",
            columns=run_words.COLUMNS, name_column="optimizer", filename="coreset-runs",
            empty="Waiting for the first results.")
        self.summary = TextCard(press, title="Summary", heading="Training begins.", buttons=COMPARE)
        self.by_area = {"scores": self.scores, "points": self.points, "hot": self.hot, "table": self.table,
                        "says": self.summary, **self.small}

    @property
    def figures(self) -> list[FigureCard]:
        """Cards with figures."""
        return [self.scores, self.points, self.hot, *self.small.values()]

    def mark(self, config: CoresetConfig) -> None:
        """Mark the view and the run of a configuration."""
        self.points.chosen = {"view": config.view}
        self.table.chosen = config.shown.text

    def clear(self, words: str) -> None:
        """Remove the results on other data and display a text in their place."""
        self.result = None
        for card in self.figures:
            card.param.update(empty=words, warnings=[], spoken="")
        for card in (self.scores, self.points, self.hot):
            card.caption = ""
        self.points.heads = [["The coreset", ""]]
        self.table.rows = []
        self.summary.param.update(heading="No results yet.", body=f"<p>{escape(words)}</p>", buttons=[])

    def show(self, update: JobUpdate) -> None:
        """Display an update of the runs."""
        result: CoresetResult | None = update.value
        self.scores.param.update(progress=update.progress, working=update.working)
        if result is None:
            return
        self.result = result
        for card in self.figures:
            card.empty = ""
        self._draw(result)
        self.table.param.update(rows=run_words.rows(result), chosen=result.config.shown.text)
        self.scores.param.update(warnings=run_words.warnings(result), caption=run_words.reading(result),
                                 spoken=run_words.spoken(result) if update.done else self.scores.spoken)
        self.hot.caption = run_words.hot_reading(result)
        of = f"{result.config.size:,} points, {result.name_of(result.config.shown)}"
        self.points.param.update(caption=run_words.points_reading(result), heads=[["The coreset", of]])
        self.summary.param.update(heading=run_words.heading(result), body=run_words.summary(result),
                                  buttons=COMPARE if result.has_gradients else [])

    def _draw(self, result: CoresetResult) -> None:
        config, both = result.config, result.config.hot == "both"
        runs = {plotted(trace.key, both): trace for trace in result.traces if trace.t}
        end = float(max([config.iterations, *(trace.t for trace in runs.values())]))
        looks = {"shown": plotted(config.shown, both), "end": end}
        scores, variance = self.scores.views
        floor = None if result.floor is None else lambda t: result.floor / t
        scores.show(coreset_scores(runs, floor, truth_noise=result.truth_noise, **looks))
        variance.show(coreset_variance(runs, **looks))
        for name, card in self.small.items():
            card.views[0].show(SMALL[name][0](runs, **looks))
        warm = {key: trace for key, trace in runs.items() if trace.key.hot}
        self.hot.views[0].show(hot_start(warm, config.threshold, shown=looks["shown"]))
        points = result.points
        if points is not None:
            self.points.views[0].show(coreset_points(
                points.x, points.y, points.weight, rows=points.row, positive=points.positive, behind=points.behind,
                names=points.names, xlim=points.xlim, ylim=points.ylim))


class ControlCard(Holder):
    """Card of controls with a title."""

    title = param.String("")
    body = param.String("", doc="HTML above the controls.")


FIRST = "5"
"""Initial figure, at the small scale: warm-ups only, a few seconds."""


class PaperFigures:
    """Figures 1 to 13 at a chosen scale; finished runs are stored when another is chosen or one is cancelled."""

    def __init__(self, visit: Visit | None = None) -> None:
        self.jobs, self.worker = FigureJobs(), BackgroundJob("coreset-figures", self._show, visit=visit)
        self.figure, self.scale = FIRST, SCALES["small"]
        self.result: FigureResult | None = None
        self.own: OwnData | None = None
        self.began = False
        self._started: tuple[object, ...] = ()  # last request to the worker
        self.sizes = Segments(self._rescale, label="scale", value="small",
                              options=[[key, scale.label] for key, scale in SCALES.items()])
        self.menu = Menu(label="figure", value=FIRST,
                         options={f"{key}. {figure.title}": key for key, figure in FIGURES.items()})
        self.menu.param.watch(lambda event: self.choose(event.new), "value")
        self.buttons = RunButtons(self._start, self.worker.cancel)
        self.card = ControlCard([self.menu, self.sizes, self.buttons], title="The paper’s figures",
                                sizing_mode="stretch_both")
        self.figures = FigureCard(
            [FigureView(coreset_panel((), y=""), 210, share=0.5) for _ in MODELS], row=True, label="The paper’s figure",
            acts={"csv": lambda: run_words.figure_csv(self.result), "press": self._start}, heads=[["", ""]] * 7,
            exports=["csv", "png", "svg"])
        self._turn()

    def choose(self, figure: str) -> None:
        """Display the finished runs of a figure; at the small scale, run the missing ones."""
        self.figure = self.menu.value = figure
        self._turn()
        if self.scale.key == "small":
            self._start()

    def use(self, own: OwnData | None) -> None:
        """Use the user's file for the panel of its model; None: generated data."""
        if own is self.own:
            return
        self.own, self.began = own, self.began and self.scale.key != "small"
        self._turn()

    def _rescale(self, key: str) -> None:
        self.scale = SCALES[key]
        self._turn()

    def _turn(self) -> None:
        """Cancel the running job and display the finished runs of the current figure."""
        self.worker.cancel()
        scale = self.scale
        self.card.body = (
            f"N up to {scale.n:,}, T = {scale.iterations:,}, {scale.trials} trials, M = {scale.size:,}"
            f" ({', '.join(f'{size:,}' for size in scale.sizes)} in Figures 1, 2 and 7). This figure takes"
            f" <b>{time_words(seconds_of(self.figure, scale))}</b> here, on one core.")
        self.buttons.param.update(count="", words="")
        self._label()
        self._show_result()

    def _start(self) -> None:
        self.began, self._started = True, (self.figure, self.scale, self.own)
        self.worker.start(self.jobs.job(self.figure, self.scale, self.own))
        self._label()

    def begin(self) -> None:
        """Run the first figure, unless a run has been started before."""
        if not self.began:
            self._start()

    def _show(self, update: JobUpdate) -> None:
        result: FigureResult | None = update.value
        if result is not None and not self._same(result):  # of an earlier choice
            self.buttons.running = self.buttons.running and not update.done
            self._label()
            return
        if result is not None:
            self.result = result
            self._show_result()
        done = "" if self.result is None else f"{self.result.done} of {self.result.whole} runs"
        self.buttons.show(update, done)
        self._label()

    def _same(self, result: FigureResult | None) -> bool:
        """Return whether a result is of the current figure, scale and data."""
        own = self.own and (self.own.model_key, self.own.name, self.own.key)
        return result is not None and (result.figure, result.scale, result.own) == (self.figure, self.scale, own)

    def _show_result(self) -> None:
        if not self._same(self.result):
            self.result = self.jobs.result(self.figure, self.scale, self.own)
        result = self.result
        for view, panel in zip(self.figures.views, result.panels, strict=True):
            words, start, end = axis_of(result, panel)
            view.show(coreset_panel(panel.series, x=words, y="", start=start, end=end, level=panel.level,
                                    ticks=panel.ticks or None))
        self.figures.param.update(
            heads=run_words.titles(result), filename=f"hot-dog-figure-{self.figure}",
            caption=run_words.figure_reading(result, run_words.legend(result)), warnings=list(result.notes),
            spoken=f"Figure {self.figure}, {FIGURES[self.figure].title}: {result.done} of {result.whole} runs done.")

    def _label(self) -> None:
        """Set the labels of the buttons, and the text in place of empty panels."""
        result = self.result
        same = self._same(result)
        whole = same and result.done == result.whole
        self.buttons.label = (f"Figure {self.figure} is complete" if whole else f"Continue Figure {self.figure}"
                              if same and result.done else f"Run Figure {self.figure}")
        drawn = same and any(panel.series for panel in result.panels)
        running = self.worker.running and self._started == (self.figure, self.scale, self.own)
        words = (f"Figure {self.figure} is running: panels appear as their runs finish." if running else
                 f"Figure {self.figure} starts automatically after the runs above." if not self.began else
                 f"Figure {self.figure} has not been run at this scale.")
        self.figures.param.update(empty="" if drawn else words,
                                  button="" if drawn or running or not self.began else f"Run Figure {self.figure}")


LIMITS_OF_THE_FIGURES = marked_first(TEXT["limits"]["text"].strip(), *TEXT["limits"]["terms"])
"""Limits of the figures, as HTML."""
ITERATIONS, SEEDS = 300_000, 8
"""Size of the measurement: some five seconds on one core."""
BUTTON = ["rate", "Measure the rate of Theorem 4.1", "", False]


class LimitsCard:
    """Text card with one button, which starts a measurement in its `worker`."""

    def __init__(self, visit: Visit | None = None) -> None:
        self.worker = BackgroundJob("coreset-rate", self._show, visit=visit)
        self.card = TextCard(self._press, title="Limits of the figures", body=LIMITS_OF_THE_FIGURES, buttons=[BUTTON])

    def _press(self, key: str) -> None:
        if not self.worker.settled:
            return
        self.card.buttons = [["rate", "Measuring …", "wait", False]]
        self.worker.start(in_process(_measured))

    def _show(self, update: JobUpdate) -> None:
        """Display the measurement above the text."""
        if update.done:
            words = update.error or run_words.convergence_reading(update.value)
            self.card.param.update(body=f"<p>{words}</p>{LIMITS_OF_THE_FIGURES}", buttons=[BUTTON])


def _measured(handle: JobHandle) -> WeightConvergence | None:
    return weight_convergence(RepeatedPoints.synthetic(), ITERATIONS, SEEDS, stop=lambda: handle.stopped)
