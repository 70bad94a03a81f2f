"""A card with a table: marks as in the chart, sorted by any column, saved as CSV."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.csv_text import result_rows
from app.widgets.component import LabComponent


class TableCard(LabComponent):
    """`choose(key)` is called when a row is clicked.

    Cells are shown as text and sorted by value: a cell is ``[text, value]``, value a number or a string, or None
    for a cell that sorts last either way.
    """

    _source = "table_card"
    _scripts = ("mark.js",)

    title = param.String("")
    subtitle = param.String("")
    columns = param.List([], doc="[key, heading, hint] of each column after the name's, and its term of the glossary.")
    name_column = param.String("", doc="Heading of the first column.")
    rows = param.List([], doc="[key, name, mark, token, bold, cells] of each row.")
    chosen = param.String("", doc="Key of the row that is marked.")
    clickable = param.Boolean(False)
    note = param.String("", doc="HTML under the table.")
    empty = param.String("", doc="Words when there are no rows.")
    filename = param.String("table")

    def __init__(self, choose: Callable[[str], None] | None = None, **params: Any) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_both", clickable=choose is not None, **params)

    def on_choose(self, key: str) -> None:
        """Take a row."""
        if self._choose is not None and key in [row[0] for row in self.rows]:
            self._choose(key)

    def on_csv(self) -> None:
        """Send the table as CSV text."""
        self._send_msg({"csv": self.csv()})

    def csv(self) -> str:
        """Return the values, one line a row."""
        columns = [self.name_column, *(heading.replace("\n", " ") for _, heading, *_ in self.columns)]
        return result_rows(columns, [[name, *(value for _, value in cells)] for _, name, _, _, _, cells in self.rows])
