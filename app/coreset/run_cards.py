"""Cards of the page's runs: scores, points, hot start, table, words, norms, rates, sums."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import numpy as np

from app.coreset import run_words
from app.coreset.models import plotted
from app.coreset.result import CoresetResult
from app.glossary import marked
from app.jobs.background_job import JobUpdate
from app.plots import (
    coreset_norms,
    coreset_points,
    coreset_rates,
    coreset_scores,
    coreset_sums,
    coreset_variance,
    hot_start,
)
from app.state.coreset import CoresetConfig
from app.widgets.cards import TableCard, TextCard
from app.widgets.figure_card import FigureCard, FigureView

EXPORTS = ["png", "svg"]
SMALL = {
    "norms": (coreset_norms, "Gradient norms", "medians, log scale",
              "Large at first where the chains start far from where they belong: that is what the hot start waits out."),
    "rates": (coreset_rates, "Effective rates", "a weight’s step ÷ its gradient",
              "Median over the weights; the band holds 80 % of them. Where it has no width, one rate serves all."),
    "sums": (coreset_sums, "Sum of weights ÷ N", "1: as much data as there are",
             "Above 1 the coreset claims more data than there are, and its posterior is too narrow."),
}
"""Name -> figure, title, subtitle, caption."""


class PaperCard(FigureCard):
    """Six figures, three in a row, one in a row on a phone."""


COMPARE = [["compare", "Compare samplers on this coreset", "", False]]


class RunCards:
    """Built once; `show` replaces what they show.

    Parameters
    ----------
    look_at
        Called with the key of a run whose points are wanted.
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
            acts={"csv": lambda: run_words.curves_csv(self.result)}, label="Z-scores and variance ratio",
            heads=[[marked("Average squared [[z-score]]"), "Eq. 6, of the second half of all draws so far"],
                   [marked("Posterior [[variance ratio]]"), "coreset ÷ full data, which the z-score does not see"]],
            exports=["csv", *EXPORTS], filename="coreset-scores", caption=run_words.reading(None))
        nothing = np.empty(0)
        self.points = FigureCard(
            [FigureView(coreset_points(nothing, nothing, nothing), 280)], acts={"choose": view},
            label="Coreset points and their weights", heads=[["The coreset", ""]],
            segments=[["view", [["response", "as modelled"], ["principal", "principal axes"]]]],
            chosen={"view": "response"}, exports=EXPORTS, filename="coreset-points", caption=run_words.points_reading(None))
        self.hot = FigureCard(
            [FigureView(hot_start({}), 230)], label="Hot-start statistic", exports=EXPORTS, filename="coreset-hot-start",
            heads=[[marked("[[Hot start]]"), "have the chains settled?"]])
        self.small = {
            name: FigureCard([FigureView(figure({}), 230)], label=title, heads=[[title, subtitle]], exports=EXPORTS,
                             filename=f"coreset-{name}", caption=caption)
            for name, (figure, title, subtitle, caption) in SMALL.items()}
        self.table = TableCard(
            look_at, title="The runs", subtitle="same coreset, same seed; click a row to see its points",
            columns=run_words.COLUMNS, name_column="optimizer", filename="coreset-runs",
            empty="The first numbers come in a moment.")
        self.says = TextCard(press, title="What this says", heading="Training begins.", buttons=COMPARE)
        self.by_area = {"scores": self.scores, "points": self.points, "hot": self.hot, "table": self.table,
                        "says": self.says, **self.small}

    @property
    def figures(self) -> list[FigureCard]:
        """Cards with figures."""
        return [self.scores, self.points, self.hot, *self.small.values()]

    def mark(self, config: CoresetConfig) -> None:
        """Mark what a configuration looks at."""
        self.points.chosen = {"view": config.view}
        self.table.chosen = config.shown.text

    def clear(self, words: str) -> None:
        """Take runs on other data off: words stand in the place of their curves, numbers and sentences."""
        self.result = None
        for card in self.figures:
            card.param.update(empty=words, warnings=[], spoken="")
        for card in (self.scores, self.points, self.hot):
            card.caption = ""
        self.points.heads = [["The coreset", ""]]
        self.table.rows = []
        self.says.param.update(heading="Nothing to say yet.", body=f"<p>{escape(words)}</p>", buttons=[])

    def show(self, update: JobUpdate) -> None:
        """Show how the runs stand."""
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
        self.says.param.update(heading=run_words.heading(result), body=run_words.says(result),
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
        behind, points = result.background, result.points
        if points is not None:
            self.points.views[0].show(coreset_points(
                points.x, points.y, points.weight, rows=points.row, positive=points.positive,
                behind=(behind.x, behind.y), names=behind.names, xlim=behind.xlim, ylim=behind.ylim))
