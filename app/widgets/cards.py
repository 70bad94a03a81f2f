"""`TableCard` and `TextCard`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import param

from app.csv_text import result_rows
from app.js.component import LabComponent


def folded(words: str, html: str) -> str:
    """Return HTML in a fold with this summary."""
    return f"<details><summary>{words}</summary>{html}</details>"


class TableCard(LabComponent):
    """Sortable table; `choose(key)` is called when a row is clicked.

    A cell is ``[text, value]``: displayed as text, sorted by value, a number or a string; None sorts last in both orders.
    """

    title = param.String("")
    subtitle = param.String("")
    columns = param.List([], doc="[key, heading, tooltip, glossary term] of each column after the name's.")
    name_column = param.String("", doc="Heading of the first column.")
    rows = param.List([], doc="[key, name, mark, token, bold, cells] of each row.")
    chosen = param.String("", doc="Key of the selected row.")
    clickable = param.Boolean(False)
    note = param.String("", doc="HTML under the table.")
    empty = param.String("", doc="Message without rows.")
    filename = param.String("table")

    def __init__(self, choose: Callable[[str], None] | None = None, **params: Any) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_both", clickable=choose is not None, **params)

    def on_choose(self, key: str) -> None:
        """Handle the choice of a row."""
        if self._choose is not None and key in [row[0] for row in self.rows]:
            self._choose(key)

    def on_csv(self) -> None:
        """Send the values as CSV text, one line per row."""
        columns = [self.name_column, *(heading.replace("\n", " ") for _, heading, *_ in self.columns)]
        rows = [[name, *(value for _, value in cells)] for _, name, _, _, _, cells in self.rows]
        self.send_msg({"csv": result_rows(columns, rows)})


class TextCard(LabComponent):
    """Card of text; `press(key)` is called when one of its buttons is pressed."""

    title = param.String("Summary")
    heading = param.String("", doc="The result, in one line.")
    announces = param.Boolean(False, doc="Whether screen readers announce each new heading.")
    look = param.List([], doc="[icon, colour token, background token] next to the heading, or empty.")
    body = param.String("", doc="HTML.")
    buttons = param.List([], doc="[key, label, icon, filled] of each; icon may be empty.")
    links = param.Dict({}, doc="Key of a button -> URL that it opens instead.")

    def __init__(self, press: Callable[[str], None] | None = None, **params: Any) -> None:
        self._press = press
        super().__init__(sizing_mode="stretch_both", **params)

    def on_press(self, key: str) -> None:
        """Handle a button."""
        if self._press is not None and key in [button for button, *_ in self.buttons]:
            self._press(key)

    def save(self, filename: str, text: str) -> None:
        """Save a text file in the browser."""
        self.send_msg({"save": text, "name": filename})

    def copy(self, text: str) -> None:
        """Copy text to the browser's clipboard."""
        self.send_msg({"copy": text})
