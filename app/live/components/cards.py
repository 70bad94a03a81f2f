"""The cards of the Live page: chains, charts, transport bar, measured assumptions, what the theorem promises."""

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
    """Sends `press(name)` for a button and `rewind(t)`; readouts arrive as one small message a frame.

    A view that has just been made calls `appear(still)`, where `still` is whether its user wants no motion.
    """

    labels = param.List([label for label, _, _ in SPEEDS], doc="Words of each speed.")
    speed = param.Integer(0, allow_refs=True)
    playing = param.Boolean(False)
    step = param.List(["η<sub>t</sub>", "= η₀/(t + c)"], doc="HTML of the step's symbol, and what it is.", allow_refs=True)
    marks = param.List([], doc="Epochs of the events, ticked on the rewind slider.")

    def __init__(self, press: Callable[[str], None], set_speed: Callable[[int], None],
                 rewind: Callable[[int], None], appear: Callable[[bool], None], **params: object) -> None:
        self._press, self._set_speed, self._rewind, self._appear = press, set_speed, rewind, appear
        self._last: list | None = None
        super().__init__(sizing_mode="stretch_width", **params)

    def show(self, snapshot: Snapshot) -> None:
        """Send the readouts that changed."""
        message = [snapshot.t, snapshot.step, snapshot.run_length, scientific(snapshot.step_size),
                   snapshot.furthest, snapshot.playing]
        if message != self._last:
            self._last = message
            self.send_msg(message)

    def mark(self, events: Iterable[Any]) -> None:
        """Tick where these events begin and end."""
        self.marks = sorted({t for event in events for t in (event.t, event.t_end) if t is not None})

    def on_ready(self, still: bool) -> None:
        """Send the readouts again: a view has just been made."""
        if self._last is not None:
            self.send_msg(self._last)
        self._appear(still)

    def on_press(self, name: str) -> None:
        """Take a button or its key; the browser hears again how things stand, also where nothing comes of it."""
        self._last = None
        self._press(name)

    def on_speed(self, index: int) -> None:
        """Take the speed slider."""
        if 0 <= index < len(self.labels):
            self._set_speed(int(index))

    def on_rewind(self, t: float) -> None:
        """Take the rewind slider."""
        self._rewind(int(t))


class ChainsCard(LabComponent):
    """Holds the animated canvas, a `ChainCanvas`. `rescale(bool)` is called when the view is chosen."""

    canvas = Child()
    axes = Child(doc="Choice of the plotted coordinates; hidden in two dimensions.")
    title = param.String("64 chains and their target")
    hint = param.String("click a chain to follow it")
    rescaled = param.Boolean(False, allow_refs=True)
    has_axes = param.Boolean(False)

    def __init__(self, rescale: Callable[[bool], None], **params: object) -> None:
        self._rescale = rescale
        super().__init__(sizing_mode="stretch_both", **params)

    def on_view(self, rescaled: bool) -> None:
        """Take the segmented control."""
        self._rescale(rescaled)

    def on_save(self) -> None:
        """Have the browser save the picture."""
        self.canvas.export_png()


class _FigurePane(pn.pane.Bokeh):
    """A pane with a design of its own: a template that gives it one would set it on the figure, which has none."""

    design = param.ClassSelector(class_=pn.theme.Design, default=pn.theme.Native, is_instance=False)


class ChartsCard(LabComponent):
    """Shows a `ChartStack`, and tells it how much room the browser gives."""

    charts = Children()
    titles = param.List([], doc="[title, subtitle, short title] of each panel.")
    terms = param.List([], doc="[term of the glossary, what is drawn] of each title.")
    window = param.String("all")
    ghost = param.List([], doc="What differs from the run kept as a ghost: words, then [name, ghost's, this run's] of knobs"
                       " and of measurements; empty: no run is kept.")
    fitted = param.Boolean(False, doc="Whether there is a window fitted to an event to choose.")
    empty = param.Boolean(True, doc="Whether there is nothing to show yet.")

    def __init__(self, stack: ChartStack, keep: Callable[[bool], None], **params: object) -> None:
        self.stack, self._keep = stack, keep
        super().__init__(titles=stack.titles, terms=stack.terms, sizing_mode="stretch_both", **params)

    def draw(self) -> Iterator[None]:
        """Build the figures, one at a time, and show them."""
        yield from self.stack.draw()
        self.charts = [_FigurePane(figure, sizing_mode="stretch_width") for figure in self.stack.figures]

    def show(self, snapshot: Snapshot, series: Series, held: bool) -> None:
        """Draw the series of a snapshot; held: only the next words go with them."""
        config = snapshot.config
        self.stack.view.update(series, snapshot.t, config.chains, config.settings.variance_reduction, config.algorithm, held)
        self.stack.show()
        self.empty = len(series.t) == 0

    def show_words(self, accuracy: str, variance: str, comparison: Comparison | None) -> None:
        """Say what accuracy and gradient variance are measured in, and what differs from the ghost, if there is one."""
        self.titles = [[title, subtitle if new is None else new, short] for (title, subtitle, short), new in
                       zip(self.titles, (accuracy, None, variance, None), strict=True)]
        self.ghost = [] if comparison is None else [
            comparison.words, list(map(list, comparison.knobs)), list(map(list, comparison.measured))]

    def on_size(self, width: float, height: float, compact: bool) -> None:
        """Fit the figures into the card as the browser laid it out."""
        self.stack.view.resize(width, height, compact)
        self.stack.show()

    def on_window(self, window: str) -> None:
        """Take All | Last minute | Event."""
        if window in ("all", "recent") or (window == "span" and self.fitted):
            self.stack.view.set_window(window)
            self.stack.show()
            self.window = window

    def on_ghost(self, keep: bool) -> None:
        """Take Keep as ghost, or let it go."""
        self._keep(keep)

    def fit(self, span: tuple[int, int] | None) -> None:
        """Show the epochs round an event; None: the whole run, and no such window to choose."""
        window = "all" if span is None else "span"
        self.stack.view.set_window(window, span)
        self.stack.show()
        self.param.update(fitted=span is not None, window=window)

    def on_csv(self) -> None:
        """Send what is shown as CSV text."""
        self.send_msg({"csv": self.stack.csv()})


class Assumptions(LabComponent):
    """Three rows: number and name, measured constant, verdict as an icon and a word for screen readers."""

    rows = param.List([], doc="[number, name, text, ok or None, help] of each.")

    def show(self, assumptions: tuple[Assumption, ...]) -> None:
        """Show what changed."""
        self.rows = [[a.number, a.name, a.text, a.ok, a.help] for a in assumptions]


class PromiseRows(LabComponent):
    """A row each: name and value, with what they stand on as its title."""

    rows = param.List([], doc="[name, value, help] of each.")
    note = param.String("", doc="One sentence under the rows.")

    def show(self, promise: Promise | None) -> None:
        """Show what changed."""
        rows = [] if promise is None else [list(row) for row in promise.rows]
        self.change(rows=rows, note="Nothing is certified yet." if promise is None else promise.note)
