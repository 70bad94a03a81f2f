"""The paper's figures: a card of buttons, a card of figures, and the worker between them."""

from __future__ import annotations

from app.background_job import BackgroundJob, JobUpdate
from app.coreset.components.cards import paper_card
from app.coreset.components.control_card import ControlCard
from app.coreset.own_data import OwnData
from app.coreset.paper_figure_job import FigureJobs
from app.coreset.paper_figure_plan import FIGURES, SCALES, FigureResult, axis_of, seconds_of
from app.coreset.results_csv import figure_csv
from app.coreset.run_words import duration, figure_reading, legend, titles
from app.plots import coreset_panel
from app.widgets.run_buttons import RunButtons
from app.widgets.segments import Segments

FIRST = "5"
"""The figure that is drawn on arrival, at the small scale: warm-ups only, a few seconds."""


class PaperFigures:
    """Figures 1 to 13 at a chosen scale; what was done is kept when another is chosen or one is cancelled."""

    def __init__(self) -> None:
        self.jobs, self.worker = FigureJobs(), BackgroundJob("coreset-figures")
        self.figure, self.scale = FIRST, SCALES["small"]
        self.result: FigureResult | None = None
        self.own: OwnData | None = None
        self.began = False
        self._started: tuple[object, ...] = ()  # what the worker was asked for last
        self.sizes = Segments(self._rescale, label="scale", value="small",
                              options=[[key, scale.label] for key, scale in SCALES.items()])
        self.buttons = RunButtons(self._start, self.worker.cancel, self.choose)
        self.card = ControlCard([self.sizes, self.buttons], title="The paper’s figures")
        self.figures = paper_card({"csv": lambda: figure_csv(self.result), "press": self._start})
        self._describe()
        self._show_result()

    def choose(self, figure: str) -> None:
        """Show a figure as far as it is done, and run what is missing if that takes seconds."""
        self.figure = figure
        self.worker.cancel()
        self._describe()
        self._show_result()
        if self.scale.key == "small":
            self._start()

    def use(self, own: OwnData | None) -> None:
        """Run the figures on the user's file where its model is drawn; None: on generated data."""
        if own is self.own:
            return
        self.own = own
        self.worker.cancel()
        self.began = self.began and self.scale.key != "small"
        self._describe()
        self._show_result()

    def _rescale(self, key: str) -> None:
        self.scale = SCALES[key]
        self.worker.cancel()
        self._describe()
        self._show_result()

    def _start(self) -> None:
        self.began, self._started = True, (self.figure, self.scale, self.own)
        self.worker.start(self.jobs.job(self.figure, self.scale, self.own))
        self._label()

    def look(self, idle: bool) -> None:
        """Show what the worker has; ``idle``: the page's own runs are done, so the first figure may begin."""
        if idle and not self.began:
            self._start()
        update = self.worker.take()
        if update is not None:
            self._show(update)

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
        number = 0 if self.own is None else self.own.number
        return result is not None and (result.figure, result.scale, result.number) == (self.figure, self.scale, number)

    def _show_result(self) -> None:
        if not self._same(self.result):
            self.result = self.jobs.result(self.figure, self.scale, self.own)
        result, head = self.result, FIGURES[self.figure]
        for view, panel in zip(self.figures.views, result.panels, strict=True):
            words, start, end = axis_of(result, panel)
            view.show(coreset_panel(panel.series, x=words, y="", start=start, end=end, level=panel.level,
                                    ticks=panel.ticks or None))
        self.figures.param.update(
            heads=titles(result, (f"Figure {self.figure}. {head[0]}", head[1])), filename=f"hot-dog-figure-{self.figure}",
            caption=figure_reading(result, legend(result)), warnings=list(result.notes),
            spoken=f"Figure {self.figure}, {head[0]}: {result.done} of {result.whole} runs done.")

    def _describe(self) -> None:
        scale = self.scale
        self.buttons.others = [[key, f"Figure {key}. {title}", says] for key, (title, says) in FIGURES.items()]
        self.buttons.pressed = self.figure
        self.card.body = (
            f"N up to {scale.n:,}, T = {scale.iterations:,}, {scale.trials} trials, M = {scale.size:,}"
            f" ({', '.join(f'{size:,}' for size in scale.sizes)} in Figures 1, 2 and 7). This figure takes"
            f" about <b>{duration(seconds_of(self.figure, scale))}</b> here, on one core.")
        self.buttons.param.update(count="", words="")
        self._label()

    def _label(self) -> None:
        result = self.result
        same = self._same(result)
        whole = same and result.done == result.whole
        self.buttons.label = (f"Figure {self.figure} is done" if whole else f"Go on with Figure {self.figure}"
                              if same and result.done else f"Run Figure {self.figure}")
        self._say_empty(same and any(panel.series for panel in result.panels))

    def _say_empty(self, drawn: bool) -> None:
        """Put words in place of six empty panels."""
        running = self.worker.running and self._started == (self.figure, self.scale, self.own)
        words = (f"Figure {self.figure} is being run here: its panels come as its runs end." if running else
                 f"Figure {self.figure} begins by itself once the runs above are done." if not self.began else
                 f"Figure {self.figure} has not been run here at this scale.")
        self.figures.param.update(empty="" if drawn else words,
                                  button="" if drawn or running or not self.began else f"Run Figure {self.figure}")

    def restyle(self, dark: bool) -> None:
        """Change theme."""
        self.figures.restyle(dark)

    def close(self) -> None:
        """End the worker thread."""
        self.worker.close()
