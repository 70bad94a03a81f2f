"""All cards that show the live runs: figures, table, words."""

from __future__ import annotations

from collections.abc import Callable

from app.background_job import JobUpdate
from app.coreset import words
from app.coreset.charts.sheet import Sheet
from app.coreset.components.cards import hot_card, points_card, scores_card, small_card
from app.coreset.config import CoresetConfig
from app.coreset.picture import CoresetPicture
from app.coreset.saving import curves_csv
from app.widgets.table_card import TableCard
from app.widgets.text_card import TextCard


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
        self.sheet = sheet = Sheet()
        self.picture: CoresetPicture | None = None
        self.scores = scores_card(sheet, {"csv": lambda: curves_csv(self.picture)})
        self.points = points_card(sheet, {"choose": view})
        self.hot = hot_card(sheet)
        self.table = TableCard(
            look_at, title="The runs", subtitle="same coreset, same seed; click a row to see its points",
            columns=words.COLUMNS, name_column="optimizer", filename="coreset-runs",
            empty="The first numbers come in a moment.")
        self.says = TextCard(press, title="What this says", heading="Training begins.", buttons=COMPARE)
        small = {name: small_card(sheet, name, *said) for name, said in SMALL.items()}
        self.by_area = {"scores": self.scores, "points": self.points, "hot": self.hot, "table": self.table,
                        "says": self.says, **small}

    def reflect(self, config: CoresetConfig) -> None:
        """Mark what a configuration looks at."""
        self.points.chosen = {"view": config.view}
        self.table.chosen = config.shown.text

    def show(self, update: JobUpdate) -> None:
        """Show how the runs stand."""
        picture: CoresetPicture | None = update.value
        part = -1.0 if update.fraction is None else round(update.fraction, 3)
        self.scores.param.update(progress=None if update.done else part, working="" if update.done else update.words)
        if picture is None:
            return
        self.picture = picture
        self.sheet.show(picture)
        self.table.param.update(rows=words.rows(picture), chosen=picture.config.shown.text)
        self.scores.param.update(warnings=words.warnings(picture), caption=words.reading(picture),
                                 spoken=words.spoken(picture) if update.done else self.scores.spoken)
        self.hot.caption = words.hot_reading(picture)
        self.points.param.update(caption=words.points_reading(picture), heads=[words.points_head(picture)])
        self.says.param.update(heading=words.heading(picture), body=words.says(picture),
                               buttons=COMPARE if picture.has_gradients else [])


COMPARE = [["compare", "Compare samplers on this coreset", "", False]]
SMALL = {
    "norms": ("Gradient norms", "medians, log scale",
              "Large at first where the chains start far from where they belong: that is what the hot start waits out."),
    "rates": ("Effective rates", "a weight’s step ÷ its gradient",
              "Median over the weights; the band holds 80 % of them. Where it has no width, one rate serves all."),
    "sums": ("Sum of weights ÷ N", "1: as much data as there are",
             "Above 1 the coreset claims more data than there are, and its posterior is too narrow."),
}
"""Figure -> title, subtitle, caption."""
