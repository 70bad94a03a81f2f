"""The verdict and what is taken away: two cards about the cell looked at, and what their buttons do."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from app.tune import saving, words
from app.tune.picture import Key, TunePicture
from app.tune.visiting import live_query
from app.tune.watching import Watched
from app.widgets.text_card import TextCard
from app.widgets.verdict_card import button_words

if TYPE_CHECKING:
    from app.handover import Session

PRE = "font-size:11.5px;line-height:14px;margin:0 0 6px;padding:7px 9px;max-height:140px"


class Taking:
    """Cards of one page.

    Parameters
    ----------
    session
        Where data are left for the Live page.
    watched
        Returns the rehearsal of a cell, or None while there is none yet.
    suggest
        Called with the change a verdict suggests.
    """

    def __init__(self, session: Session, watched: Callable[[TunePicture, Key], Watched | None],
                 suggest: Callable[[dict], None]) -> None:
        self._session, self._watched, self._suggest = session, watched, suggest
        self._shown: tuple[TunePicture, Key] | None = None
        self._change: dict | None = None
        self.wants_toml = False  #: whether a file is owed once the rehearsal is done
        self.verdict = TextCard(self.press, title="The cell looked at", heading="Looking at the data",
                                look=["wait", "ink2", "chip"],
                                body="<p>The formula speaks in a moment, the cells after it.</p>")
        self.code = TextCard(self.press, title="Take it with you")

    def show(self, picture: TunePicture, key: Key) -> None:
        """Show a cell."""
        self._shown = picture, key
        said = words.about_cell(picture, key)
        self._change = said.change
        buttons = [["live", "Run in Live", "play", True], ["copy", "Copy Python", "", False], ["csv", "CSV", "save", False],
                   ["json", "JSON", "save", False]]
        if said.change:
            buttons.insert(0, ["again", button_words(said.change), "", False])
        self.verdict.param.update(heading=said.heading, look=said.look, body=said.body, buttons=buttons)
        cell, foretold = picture.cell(key), picture.forecast(key)
        cost = cell.cost if cell is not None else foretold.cost
        taken = [["toml", "Export tuned.toml", "save", True]]
        if picture.loaded.example is not None:
            taken.append(["stream", "The rows as CSV", "save", False])
        self.code.param.update(
            body=f"<pre style='{PRE}'>{escape(saving.python(picture, key))}</pre><p class='soft'>A row costs about"
                 f" {cost:,.0f} gradients a chain, however long the stream.</p>", buttons=taken)

    def press(self, key: str) -> None:
        """Take a button."""
        if self._shown is None:
            return
        picture, cell = self._shown
        if key == "live":
            self._visit_live(picture, cell)
        elif key == "copy":
            self.verdict.copy(saving.python(picture, cell))
        elif key == "csv":
            self.verdict.save("sweep.csv", saving.cells_csv(picture))
        elif key == "json":
            self.verdict.save("sweep.json", saving.everything_json(picture, self._watched(picture, cell)))
        elif key == "stream":
            self.code.save(picture.loaded.data["name"].replace(" ", "-"), saving.stream_csv(picture.loaded))
        elif key == "toml":
            self.wants_toml = True
        elif key == "again" and self._change:
            self._suggest(dict(self._change))

    def give_toml(self, running: bool) -> None:
        """Hand the file over, with gates from the rehearsal; while that runs, the file waits for it."""
        if not self.wants_toml or self._shown is None:
            return
        picture, cell = self._shown
        watched = self._watched(picture, cell)
        if watched is None and running:
            return
        self.wants_toml = False
        self.code.save("tuned.toml", saving.toml(saving.tuned_of(picture, cell, watched)))

    def _visit_live(self, picture: TunePicture, cell: Key) -> None:
        loaded = picture.loaded
        own = loaded.example is None or not loaded.example.live
        if own and loaded.source[0] != "given":
            self._session.given = loaded.given
        if self._session.visit is not None:
            self._session.visit("live", live_query(picture, cell))
