"""All cards that show the live runs: figures, table, words."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from app.background_job import JobUpdate
from app.coreset import run_words, table_rows
from app.coreset.chosen_optimizers import plotted
from app.coreset.components.cards import SMALL, hot_card, points_card, scores_card, small_card
from app.coreset.result import CoresetResult
from app.coreset.results_csv import curves_csv
from app.plots import coreset_points, coreset_scores, coreset_variance, hot_start
from app.state.coreset import CoresetConfig
from app.widgets.figure_card import FigureCard
from app.widgets.table_card import TableCard
from app.widgets.text_card import TextCard

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
        self.scores = scores_card({"csv": lambda: curves_csv(self.result)})
        self.points, self.hot = points_card({"choose": view}), hot_card()
        self.small = {name: small_card(name) for name in SMALL}
        self.table = TableCard(
            look_at, title="The runs", subtitle="same coreset, same seed; click a row to see its points",
            columns=table_rows.COLUMNS, name_column="optimizer", filename="coreset-runs",
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
        part = -1.0 if update.fraction is None else round(update.fraction, 3)
        self.scores.param.update(progress=None if update.done else part, working=update.working)
        if result is None:
            return
        self.result = result
        for card in self.figures:
            card.empty = ""
        self._draw(result)
        self.table.param.update(rows=table_rows.rows(result), chosen=result.config.shown.text)
        self.scores.param.update(warnings=run_words.warnings(result), caption=run_words.reading(result),
                                 spoken=run_words.spoken(result) if update.done else self.scores.spoken)
        self.hot.caption = run_words.hot_reading(result)
        self.points.param.update(caption=run_words.points_reading(result), heads=[run_words.points_head(result)])
        self.says.param.update(heading=run_words.heading(result), body=run_words.says(result),
                               buttons=COMPARE if result.has_gradients else [])

    def _draw(self, result: CoresetResult) -> None:
        config, both = result.config, result.config.hot == "both"
        runs = {plotted(trace.key, both): trace for trace in result.traces if trace.t}
        end = float(max([config.iterations, *(trace.t for trace in runs.values())]))
        looks = {"shown": plotted(config.shown, both), "end": end}
        scores, variance = self.scores.views
        scores.show(coreset_scores(runs, result.floor, truth_noise=result.truth_noise, **looks))
        variance.show(coreset_variance(runs, **looks))
        for name, card in self.small.items():
            card.views[0].show(SMALL[name][0](runs, **looks))
        warm = {key: trace for key, trace in runs.items() if trace.key.hot}
        self.hot.views[0].show(hot_start(warm, config.threshold, shown=looks["shown"]))
        behind, points = result.background, result.points
        if points is not None:
            self.points.views[0].show(coreset_points(
                points.x, points.y, points.weight, rows=points.row, positive=points.positive,
                behind=(behind.x, behind.y), names=behind.names, xlim=(behind.low[0], behind.high[0]),
                ylim=(behind.low[1], behind.high[1])))
