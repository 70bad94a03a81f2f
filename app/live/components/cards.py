"""Cards of the Live page: chains, charts, transport bar, measured assumptions, bounds of the theorem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import panel as pn
import param
from panel.viewable import Child, Children

from app.js.component import LabComponent
from app.live.charts.stack import ChartStack
from app.number_words import scientific
from app.state.live import SPEEDS

if TYPE_CHECKING:
    from app.live.snapshot import Assumption, Comparison, Promise, Series, Snapshot


class Transport(LabComponent):
    """Transport bar: calls `press(name)` for a button and `rewind(t)`; readouts are sent as one small message per frame.

    A new view calls `appear(still)`, where `still` is whether its user prefers reduced motion.
    """

    labels = param.List([label for label, _, _ in SPEEDS], doc="Label of each speed.")
    speed = param.Integer(0, allow_refs=True)
    playing = param.Boolean(False)
    step = param.List(["η<sub>t</sub>", "= η₀/(t + c)"], doc="HTML of the step's symbol, and its value.", allow_refs=True)
    marks = param.List([], doc="Epochs of the events, marked on the rewind slider.")

    def __init__(self, press: Callable[[str], None], set_speed: Callable[[int], None],
                 rewind: Callable[[int], None], appear: Callable[[bool], None], **params: object) -> None:
        self._press, self._set_speed, self._rewind, self._appear = press, set_speed, rewind, appear
        self._last: list | None = None
        super().__init__(sizing_mode="stretch_width", **params)

    def show(self, snapshot: Snapshot) -> None:
        """Send the readouts if they changed."""
        message = [snapshot.t, snapshot.step, snapshot.run_length, scientific(snapshot.step_size),
                   snapshot.furthest, snapshot.playing]
        if message != self._last:
            self._last = message
            self.send_msg(message)

    def mark(self, events: Iterable[Any]) -> None:
        """Mark the start and the end of these events."""
        self.marks = sorted({t for event in events for t in (event.t, event.t_end) if t is not None})

    def on_ready(self, still: bool) -> None:
        """Send the readouts to a new view."""
        if self._last is not None:
            self.send_msg(self._last)
        self._appear(still)

    def on_press(self, name: str) -> None:
        """Handle a button or its key; the readouts are sent again even if nothing changes."""
        self._last = None
        self._press(name)

    def on_speed(self, index: int) -> None:
        """Handle the speed slider."""
        if 0 <= index < len(self.labels):
            self._set_speed(int(index))

    def on_rewind(self, t: float) -> None:
        """Handle the rewind slider."""
        self._rewind(int(t))


class ChainsCard(LabComponent):
    """Card with the animated `ChainCanvas`. `rescale(bool)` is called when the view is selected."""

    canvas = Child()
    axes = Child(doc="Menu of the plotted coordinates; hidden in two dimensions.")
    title = param.String("64 chains and their target")
    hint = param.String("click a chain to follow it")
    rescaled = param.Boolean(False, allow_refs=True)
    has_axes = param.Boolean(False)

    def __init__(self, rescale: Callable[[bool], None], **params: object) -> None:
        self._rescale = rescale
        super().__init__(sizing_mode="stretch_both", **params)

    def on_view(self, rescaled: bool) -> None:
        """Handle the segmented control."""
        self._rescale(rescaled)

    def on_save(self) -> None:
        """Make the browser save the picture."""
        self.canvas.export_png()


class _FigurePane(pn.pane.Bokeh):
    """Bokeh pane with its own design: a template's design would be set on the figure, which has no such property."""

    design = param.ClassSelector(class_=pn.theme.Design, default=pn.theme.Native, is_instance=False)


class ChartsCard(LabComponent):
    """Card with a `ChartStack`, which is fitted to its size in the browser."""

    charts = Children()
    titles = param.List([], doc="[title, subtitle, short title] of each panel.")
    terms = param.List([], doc="[term of the glossary, description] of each title.")
    window = param.String("all")
    ghost = param.List([], doc="Differences from the ghost run: words, then [name, ghost's value, this run's value] of knobs"
                       " and of measurements; empty without a ghost.")
    fitted = param.Boolean(False, doc="Whether a window fitted to an event can be selected.")
    empty = param.Boolean(True, doc="Whether there is no data to draw.")

    def __init__(self, stack: ChartStack, keep: Callable[[bool], None], **params: object) -> None:
        self.stack, self._keep = stack, keep
        super().__init__(titles=stack.titles, terms=stack.terms, sizing_mode="stretch_both", **params)

    def draw(self) -> Iterator[None]:
        """Build the figures one at a time, then display them."""
        yield from self.stack.draw()
        self.charts = [_FigurePane(figure, sizing_mode="stretch_width") for figure in self.stack.figures]

    def show(self, snapshot: Snapshot, series: Series, held: bool) -> None:
        """Draw the series of a snapshot; held: keep the accuracy labels until the texts are updated."""
        config = snapshot.config
        self.stack.view.update(series, snapshot.t, config.chains, config.settings.variance_reduction, config.algorithm, held)
        self.stack.show()
        self.empty = len(series.t) == 0

    def show_words(self, accuracy: str, variance: str, comparison: Comparison | None) -> None:
        """Set the subtitles of accuracy and gradient variance, and the differences from the ghost, if any."""
        self.titles = [[title, subtitle if new is None else new, short] for (title, subtitle, short), new in
                       zip(self.titles, (accuracy, None, variance, None), strict=True)]
        self.ghost = [] if comparison is None else [
            comparison.words, list(map(list, comparison.knobs)), list(map(list, comparison.measured))]

    def on_size(self, width: float, height: float, compact: bool) -> None:
        """Fit the figures to the card's size in the browser."""
        self.stack.view.resize(width, height, compact)
        self.stack.show()

    def on_window(self, window: str) -> None:
        """Handle All | Last minute | Event."""
        if window in ("all", "recent") or (window == "span" and self.fitted):
            self.stack.view.set_window(window)
            self.stack.show()
            self.window = window

    def on_ghost(self, keep: bool) -> None:
        """Handle Keep as ghost and its removal."""
        self._keep(keep)

    def fit(self, span: tuple[int, int] | None) -> None:
        """Show the epochs around an event; None: the whole run, without an event window."""
        window = "all" if span is None else "span"
        self.stack.view.set_window(window, span)
        self.stack.show()
        self.param.update(fitted=span is not None, window=window)

    def on_csv(self) -> None:
        """Send the displayed data as CSV text."""
        self.send_msg({"csv": self.stack.csv()})


class Assumptions(LabComponent):
    """Three rows: number and name, measured constant, tick as an icon with a text for screen readers."""

    rows = param.List([], doc="[number, name, text, ok or None, help] of each.")

    def show(self, assumptions: tuple[Assumption, ...]) -> None:
        """Display the assumptions."""
        self.rows = [[a.number, a.name, a.text, a.ok, a.help] for a in assumptions]


class PromiseRows(LabComponent):
    """Rows of name and value, with an explanation as the title."""

    rows = param.List([], doc="[name, value, help] of each.")
    note = param.String("", doc="One sentence under the rows.")

    def show(self, promise: Promise | None) -> None:
        """Display the bounds, or that there are none yet."""
        rows = [] if promise is None else [list(row) for row in promise.rows]
        self.change(rows=rows, note="Nothing is certified yet." if promise is None else promise.note)
