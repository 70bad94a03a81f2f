"""The paper's figures with their controls, and what they do not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import param
from panel.viewable import Children

from app.coreset.own_data import OwnData
from app.coreset.paper_figure_job import FigureJobs
from app.coreset.paper_figure_plan import FIGURES, SCALES, TEXT, FigureResult, axis_of, seconds_of
from app.coreset.run_cards import PaperCard
from app.coreset.run_words import convergence_reading, figure_csv, figure_reading, legend, titles
from app.glossary import marked_first
from app.handover import Visit
from app.jobs.background_job import BackgroundJob, JobHandle, JobUpdate
from app.jobs.worker_processes import in_process
from app.js.component import LabComponent
from app.plots import coreset_panel
from app.state.coreset import MODELS
from app.widgets.cards import TextCard
from app.widgets.choices import Menu, RunButtons, Segments
from app.widgets.figure_card import FigureView
from sampler.coreset import RepeatedPoints, WeightConvergence, weight_convergence
from sampler.time_left import time_words


class ControlCard(LabComponent):
    """Only the frame: its items are kit components."""

    title = param.String("")
    body = param.String("", doc="HTML above the items.")
    items = Children()

    def __init__(self, items: Sequence[Any], **params: Any) -> None:
        super().__init__(items=list(items), sizing_mode="stretch_both", **params)


FIRST = "5"
"""The figure that is drawn on arrival, at the small scale: warm-ups only, a few seconds."""


class PaperFigures:
    """Figures 1 to 13 at a chosen scale; what was done is kept when another is chosen or one is cancelled."""

    def __init__(self, visit: Visit | None = None) -> None:
        self.jobs, self.worker = FigureJobs(), BackgroundJob("coreset-figures", self._show, visit=visit)
        self.figure, self.scale = FIRST, SCALES["small"]
        self.result: FigureResult | None = None
        self.own: OwnData | None = None
        self.began = False
        self._started: tuple[object, ...] = ()  # what the worker was asked for last
        self.sizes = Segments(self._rescale, label="scale", value="small",
                              options=[[key, scale.label] for key, scale in SCALES.items()])
        self.menu = Menu(label="figure", value=FIRST,
                         options={f"{key}. {figure.title}": key for key, figure in FIGURES.items()})
        self.menu.param.watch(lambda event: self.choose(event.new), "value")
        self.buttons = RunButtons(self._start, self.worker.cancel)
        self.card = ControlCard([self.menu, self.sizes, self.buttons], title="The paper’s figures")
        self.figures = PaperCard(
            [FigureView(coreset_panel((), y=""), 210, share=0.5) for _ in MODELS], row=True, label="The paper’s figure",
            acts={"csv": lambda: figure_csv(self.result), "press": self._start}, heads=[["", ""]] * 7,
            exports=["csv", "png", "svg"])
        self._turn()

    def choose(self, figure: str) -> None:
        """Show a figure as far as it is done, and run what is missing if that takes seconds."""
        self.figure = self.menu.value = figure
        self._turn()
        if self.scale.key == "small":
            self._start()

    def use(self, own: OwnData | None) -> None:
        """Run the figures on the user's file where its model is drawn; None: on generated data."""
        if own is self.own:
            return
        self.own, self.began = own, self.began and self.scale.key != "small"
        self._turn()

    def _rescale(self, key: str) -> None:
        self.scale = SCALES[key]
        self._turn()

    def _turn(self) -> None:
        """Leave what is running, and show what is done of the figure chosen now."""
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
        """Run the first figure, unless one has been run."""
        if not self.began:
            self._start()

    def _show(self, update: JobUpdate) -> None:
        result: FigureResult | None = update.value
        if result is not None and not self._same(result):  # of what was chosen before
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
        """Whether a result is of the figure, scale and data that are chosen."""
        own = self.own and self.own.key
        return result is not None and (result.figure, result.scale, result.own_key) == (self.figure, self.scale, own)

    def _show_result(self) -> None:
        if not self._same(self.result):
            self.result = self.jobs.result(self.figure, self.scale, self.own)
        result = self.result
        for view, panel in zip(self.figures.views, result.panels, strict=True):
            words, start, end = axis_of(result, panel)
            view.show(coreset_panel(panel.series, x=words, y="", start=start, end=end, level=panel.level,
                                    ticks=panel.ticks or None))
        self.figures.param.update(
            heads=titles(result), filename=f"hot-dog-figure-{self.figure}",
            caption=figure_reading(result, legend(result)), warnings=list(result.notes),
            spoken=f"Figure {self.figure}, {FIGURES[self.figure].title}: {result.done} of {result.whole} runs done.")

    def _label(self) -> None:
        """Say on the button what it does, and words in place of six empty panels."""
        result = self.result
        same = self._same(result)
        whole = same and result.done == result.whole
        self.buttons.label = (f"Figure {self.figure} is done" if whole else f"Go on with Figure {self.figure}"
                              if same and result.done else f"Run Figure {self.figure}")
        drawn = same and any(panel.series for panel in result.panels)
        running = self.worker.running and self._started == (self.figure, self.scale, self.own)
        words = (f"Figure {self.figure} is being run here: its panels come as its runs end." if running else
                 f"Figure {self.figure} begins by itself once the runs above are done." if not self.began else
                 f"Figure {self.figure} has not been run here at this scale.")
        self.figures.param.update(empty="" if drawn else words,
                                  button="" if drawn or running or not self.began else f"Run Figure {self.figure}")


LIMITS_OF_THE_FIGURES = marked_first(TEXT["limits"]["text"].strip(), *TEXT["limits"]["terms"])
"""What the figures do not say, as HTML."""
ITERATIONS, SEEDS = 300_000, 8
"""Some five seconds on one core."""
BUTTON = ["rate", "Measure the rate of Theorem 4.1", "", False]


class LimitsCard:
    """A card of words with one button, whose work its `worker` does."""

    def __init__(self, visit: Visit | None = None) -> None:
        self.worker = BackgroundJob("coreset-rate", self._show, visit=visit)
        self.card = TextCard(self._press, title="What the figures do not say", body=LIMITS_OF_THE_FIGURES, buttons=[BUTTON])

    def _press(self, key: str) -> None:
        if not self.worker.settled:
            return
        self.card.buttons = [["rate", "Measuring …", "wait", False]]
        self.worker.start(in_process(_measured))

    def _show(self, update: JobUpdate) -> None:
        """Say what was measured, above the rest."""
        if update.done:
            words = update.error or convergence_reading(update.value)
            self.card.param.update(body=f"<p>{words}</p>{LIMITS_OF_THE_FIGURES}", buttons=[BUTTON])


def _measured(handle: JobHandle) -> WeightConvergence | None:
    return weight_convergence(RepeatedPoints.synthetic(), ITERATIONS, SEEDS, stop=lambda: handle.stopped)
