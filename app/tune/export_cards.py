"""The verdict and what is taken away: two cards about the cell looked at, and what their buttons do."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from app.state.tune import ALGORITHMS, CellKey
from app.tune import export, sweep_words
from app.tune.export import live_query
from app.tune.figure_cards import WAITING_WORDS
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from app.widgets.cards import TextCard
from app.widgets.verdict_card import button_words

if TYPE_CHECKING:
    from app.handover import Visit


PRE = "font-size:11.5px;line-height:14px;margin:0 0 6px;padding:7px 9px;max-height:140px"


class ExportCards:
    """Cards of one page.

    Parameters
    ----------
    visit
        Where data are left for the Live page.
    rehearsal
        Returns the rehearsal of a cell, or None while there is none yet.
    suggest
        Called with the change a verdict suggests, or with the algorithm, or the cell, to look at.
    """

    def __init__(self, visit: Visit, rehearsal: Callable[[TuneResult, CellKey], Rehearsal | None],
                 suggest: Callable[[dict], None]) -> None:
        self._visit, self._rehearsal, self._suggest = visit, rehearsal, suggest
        self._shown: tuple[TuneResult, CellKey] | None = None
        self._change: dict | None = None
        self._kind, self._judged = "waiting", ""  #: verdict on the cell shown, and its words as HTML
        self._asking: CellKey | None = None  #: cell whose export waits for a yes
        self.wants_toml = False  #: whether a file is owed once the rehearsal is done
        self.verdict = TextCard(self.press, title="The cell looked at", announces=True)
        self.code = TextCard(self.press, title="Take it with you")
        self.clear()

    def clear(self) -> None:
        """Say what is said before the first result."""
        self._shown = self._asking = None
        self.wants_toml = False
        self.verdict.param.update(heading="Looking at the data", look=["wait", "ink2", "chip"], buttons=[],
                                  body="<p>The formula speaks in a moment, the cells after it.</p>")
        self.code.param.update(body=WAITING_WORDS, buttons=[])

    def show(self, result: TuneResult, key: CellKey) -> None:
        """Show a cell."""
        self._shown = result, key
        words = sweep_words.about_cell(result, key, self._rehearsal(result, key))
        self._change = words.change
        self._kind, self._judged = words.kind, words.judged
        if key != self._asking:
            self._asking = None
        buttons = [["live", "Run in Live", "play", True]]
        if result.recommended not in (None, key):
            buttons.append(["best", "Back to the recommended one", "", False])
        if result.taken not in (None, key, result.recommended):
            buttons.append(["runs", "Back to the advised setting", "", False])
        for name in result.forecasts:
            if name != key.algorithm:
                buttons.insert(0, [name, f"Look at {ALGORITHMS[name]}", "", False])
        if words.change:
            buttons.insert(0, ["again", button_words(words.change), "", False])
        self.verdict.param.update(heading=words.heading, look=words.look, body=words.body, buttons=buttons)
        cell, predicted = result.cell(key), result.cell_forecast(key)
        cost = cell.cost if cell is not None else predicted.cost
        if self._asking is not None:
            taken = [["anyway", "Export it all the same", "save", True], ["not", "Do not export", "", False]]
            body = (f"<p><b>This setting is not judged safe.</b> {self._judged}</p><p>The file will say so, and <code>python"
                    " -m sampler replay</code> will not run it without <code>--accept-verdict</code>.</p>")
        else:
            taken = [["toml", "Export tuned.toml", "save", True], ["copy", "Copy Python", "", False]]
            if result.stream.example is not None:
                taken.append(["stream", "Rows, CSV", "save", False])
            body = (f"<pre style='{PRE}'>{escape(export.python(result, key))}</pre><p class='soft'>A row costs about"
                    f" {cost:,.0f} gradients a chain, however long the stream.</p>")
        self.code.param.update(body=body, buttons=taken)

    def press(self, key: str) -> None:
        """Take a button."""
        if self._shown is None:
            return
        result, cell = self._shown
        if key == "live":
            self._visit_live(result, cell)
        elif key == "copy":
            self.code.copy(export.python(result, cell))
        elif key == "best" and result.recommended is not None:
            self._suggest({"cell": result.recommended})
        elif key == "runs" and result.taken is not None:
            self._suggest({"cell": result.taken})
        elif key == "stream":
            self.code.save(result.stream.data["name"].replace(" ", "-"), export.stream_csv(result.stream))
        elif key in ("toml", "anyway", "not"):
            self.wants_toml = key == "anyway" or (key == "toml" and self._kind == "safe")
            self._asking = cell if key == "toml" and self._kind != "safe" else None
            self.show(result, cell)
        elif key in ALGORITHMS:
            self._suggest({"algorithm": key})
        elif key == "again" and self._change:
            self._suggest(dict(self._change))

    def give_toml(self, running: bool) -> None:
        """Hand the file over, with gates from the rehearsal; while that runs, the file waits for it."""
        if not self.wants_toml or self._shown is None:
            return
        result, cell = self._shown
        rehearsal = self._rehearsal(result, cell)
        if rehearsal is None and running:
            return
        self.wants_toml = False
        self.code.save("tuned.toml", export.toml(export.tuned_of(result, cell, rehearsal)))

    def _visit_live(self, result: TuneResult, cell: CellKey) -> None:
        stream = result.stream
        own = stream.example is None or not stream.example.live
        if own and stream.source[0] != "given":
            self._visit.user_data = stream.user_data
        if self._visit.open_page is not None:
            self._visit.open_page("live", live_query(result, cell))
