"""What the table and the words beside it show under each view."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.compare import papers_words, rows, words
from app.compare.config import CompareConfig
from app.compare.picture import PaperPicture, RacePicture, TablesPicture


@dataclass(frozen=True)
class Told:
    """One table and the words beside it."""

    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    heading: str = ""
    body: str = ""
    title: str = ""
    subtitle: str = ""


def told(config: CompareConfig, race: RacePicture | None, paper: PaperPicture | None,
         tables: TablesPicture | None) -> Told:
    """Return what the view shows of what is known."""
    if config.view == "paper":
        picture = paper or PaperPicture(config.steps)
        return Told(rows.PAPER_COLUMNS, rows.paper_rows(picture), papers_words.paper_headline(picture),
                    papers_words.paper_body(picture), "Figure 1", "eight data sets, the last epoch run 1,000 times")
    if config.view == "tables":
        picture = tables or TablesPicture(config, config.table, ())
        return Told(rows.tables_columns(picture), rows.tables_rows(picture), papers_words.tables_headline(picture),
                    papers_words.tables_body(picture), "Evaluations to reach the accuracy", "of one chain")
    picture = race or RacePicture(config)
    return Told(rows.race_columns(picture), rows.race_rows(picture, config),
                words.headline(picture, config) if picture.curves else "The race is about to begin.",
                words.body(picture, config), "Samplers", "a click on a heading sorts")
