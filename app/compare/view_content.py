"""What the table and the words beside it show under each view."""

from __future__ import annotations

from typing import NamedTuple

from app.compare import paper_words, race_words, table_rows
from app.compare.results import FigureOneResult, RaceResult, TablesResult
from app.state.compare import CompareConfig


class ViewContent(NamedTuple):
    """One table and the words beside it."""

    columns: list
    rows: list
    title: str  #: of the table
    subtitle: str
    heading: str  #: of the words
    body: str  #: HTML
    note: str = ""  #: under the table, HTML


def content_of(config: CompareConfig, race: RaceResult | None, figure: FigureOneResult | None,
               tables: TablesResult | None, running: bool = False) -> ViewContent:
    """Return what the view shows of what is known; ``running``: whether more is under way."""
    if config.view == "paper":
        figure = figure or FigureOneResult(config.steps)
        return ViewContent(table_rows.PAPER_COLUMNS, table_rows.paper_rows(figure), "Figure 1",
                           "eight data sets, the last epoch run 1,000 times", paper_words.paper_headline(figure),
                           paper_words.paper_body(figure))
    if config.view == "tables":
        tables = tables or TablesResult(config, ())
        return ViewContent(table_rows.tables_columns(tables), table_rows.tables_rows(tables),
                           "Evaluations to reach the accuracy", "of one chain", paper_words.tables_headline(tables),
                           paper_words.tables_body(tables))
    race = race or RaceResult(config)
    return ViewContent(table_rows.race_columns(race), table_rows.race_rows(race, config), "Samplers",
                       "a click on a heading sorts", race_words.headline(race, config, running),
                       race_words.body(race, config, running), race_words.table_note(race, config))
