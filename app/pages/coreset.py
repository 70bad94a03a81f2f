"""The Coreset page: live training of coreset weights, and the figures of the paper."""

import time
from typing import Any

import panel as pn

from app.coreset.models import OwnData
from app.coreset.result import CoresetResult
from app.coreset.run_cards import LimitsCard, PaperFigures, RunCards
from app.coreset.run_set import run_coreset, train_posterior
from app.coreset.sidebar import CoresetSidebar, FileChoice
from app.jobs.background_job import BackgroundJob, JobUpdate
from app.jobs.worker_processes import in_process
from app.page import Page
from app.state.coreset import MODELS, PRESETS, CoresetConfig, CoresetState

SETTLE = 0.2
"""Seconds without a change of a knob before the runs start."""
NOT_DONE = "The run has not finished: stop it, or wait until it ends."
WAITING = "Preparing the data and the full-data posterior that draws are scored against. The curves follow."
LAYOUT = """
grid-template-columns: repeat(12, minmax(0, 1fr));
grid-template-rows:
  calc((var(--lab-room) - 40px) * .56) calc((var(--lab-room) - 40px) * .44) auto 290px auto minmax(320px, auto);
grid-template-areas:
  "scores scores scores scores scores scores scores points points points points points"
  "scores scores scores scores scores scores scores hot hot hot hot hot"
  "table table table table table table table table says says says says"
  "norms norms norms norms rates rates rates rates sums sums sums sums"
  "plan plan plan plan paper paper paper paper paper paper paper paper"
  "limits limits limits limits paper paper paper paper paper paper paper paper"
"""


class CoresetPage(Page):
    """Page object: served as a tab, or displayed as the last line of a notebook cell.

    Parameters
    ----------
    config
        Initial configuration; by default the Gaussian model, whose optimum is known exactly.
    words, dark, framed
        See `Page`.
    """

    State = CoresetState
    period = 50

    def __init__(self, config: CoresetConfig | None = None, *, dark: bool = False, **params: Any) -> None:
        super().__init__(**params)
        config = config or CoresetConfig()
        self.state = CoresetState.of(config, base=config)
        self.worker = BackgroundJob("coreset-runs", self._take, visit=self.visit)
        self._request, self._due = 0, 0.0
        self._ended: JobUpdate | None = None
        self._drawn: tuple[Any, ...] = ()
        self._stale = 0  #: last request on other data
        self._leaving = 0  #: request for the coreset for the Compare page
        self._build()
        self._follow()
        self.watch(lambda *events: self._ask(), self.state.settable())
        self.dark(dark)

    def _build(self) -> None:
        self.cards = RunCards(self.look_at, self.choose, self._press)
        self.files = FileChoice(self._took, self.visit, model=self.state.model)
        self.paper = PaperFigures(self.visit)
        self.sidebar = CoresetSidebar(self.state, self.files, choose=self.choose, preset=self.show_preset, run=self.run,
                                      cancel=self.cancel)
        self.limits = LimitsCard(self.visit)
        self.workers = [self.worker, self.files.worker, self.paper.worker, self.limits.worker]
        self.shell = self.framed_shell(
            {**self.cards.by_area, "plan": self.paper.card, "paper": self.paper.figures, "limits": self.limits.card},
            layout=LAYOUT, sidebar=self.sidebar.view, label="Coreset", foot="Knobs and pictures to try")

    # Actions of the user

    def choose(self, name: str, value: Any) -> None:
        """Handle a menu, a segmented control or the optimizers; display the reason if the choice is invalid."""
        if name == "data":
            self._choose_data(value)
            return
        try:
            self.state.choose(name, value)
        except ValueError as wrong:
            self.sidebar.rules.note = str(wrong)

    def _choose_data(self, value: str) -> None:
        own = self.files.own
        if value != "file":
            self.state.show_model(self.state.model)
            self.files.wanted = False
            self.paper.use(None)
        elif own is not None and own.model_key == self.state.model:
            self._took(own)
        else:  # no run without a file
            self.files.wanted = True
            self.files.read()  # the last file, if any, for this model

    def show_preset(self, key: str) -> None:
        """Display a preset."""
        self._show(PRESETS[key].config)

    def look_at(self, key: str) -> None:
        """Draw the points of this run."""
        self.state.focus = key

    def take_notice(self, kind: str) -> None:
        """Repeat the run after an error."""
        self.run()

    def run(self) -> None:
        """Continue: to the end after a stop, for twice as many iterations after the end."""
        ended = self._ended
        if ended is None or ended.cancelled or ended.error or ended.value is None:
            self._ask()
            return
        try:
            self.state.put("iterations", float(min(2 * self.state.iterations, self.state.param.iterations.high)))
        except ValueError as wrong:
            self.sidebar.runner.error = str(wrong)

    def cancel(self) -> None:
        """Stop the runs; they can be continued."""
        self.worker.cancel()

    def _press(self, key: str) -> None:
        """Request the coreset of the displayed run for the Compare page."""
        result = None if self.worker.running or self._ended is None else self._ended.value
        if result is None or not result.t:
            self._notify(NOT_DONE)
            return
        at = self.config.replace(iterations=min(result.t, self.state.iterations))  # not beyond the point of a stop
        self._leaving = self.worker.start(in_process(train_posterior, at, self.files.own))

    def _leave(self, update: JobUpdate) -> None:
        """Pass the coreset to the Compare page and open it."""
        if update.value is None or update.error:
            self._notify(update.error or NOT_DONE)
            return
        self.visit.coreset = update.value
        if self.visit.open_page is not None:
            self.visit.open_page("compare", {"cproblem": "coreset"})
        self._notify(f"{update.value.label} is available on the Compare page.")

    def _notify(self, words: str) -> None:
        self.notices.words = [*self.notices.words, words]

    # Reactions

    def load(self, query: dict[str, Any]) -> None:
        """Display the state of URL parameters."""
        config, self.notices.words = CoresetState.from_query(query)
        self._show(config)

    def _show(self, config: CoresetConfig) -> None:
        """Set the whole configuration, also as the base of the knobs, and run even if it is unchanged."""
        self.state.base = config
        self.state.load(config)
        self._ask()

    def _took(self, own: OwnData) -> None:
        """Run on a file that has been read, even if the sizes are unchanged."""
        self.state.show_file(own.model_key, own.model.n, own.model.dim)
        self.paper.use(own)
        self._ask()

    def _data(self) -> tuple[Any, ...]:
        """Return the identity of the runs' data."""
        config = self.config
        if config.data == "file":
            return config.model, self.files.own
        return config.model, config.n, config.dim, config.seed

    def _ask(self) -> None:
        """Schedule the runs, SETTLE seconds after the last change."""
        self.unwritten = True
        self._due = time.monotonic() + (SETTLE if self._request else 0.0)
        with pn.io.hold():
            data = self._data()
            if data != self._drawn:  # remove the results on other data
                self._drawn, self._stale = data, self.worker.requests
                self.worker.cancel()
                self.cards.clear(WAITING)
            self._follow()

    def _follow(self) -> None:
        """Update notes, presets and marks from the state."""
        config, sidebar, own = self.config, self.sidebar, self.files.own
        file = config.data == "file"
        self.files.param.update(model=config.model, wanted=file)
        sidebar.about.note = " ".join(f"{words}." for words in own.words) if file and own else MODELS[config.model].note
        sidebar.rules.note = ""
        preset = CoresetState.preset_of(config)
        sidebar.presets.param.update(chosen=preset, says=PRESETS[preset].hint if preset else "")
        self.cards.mark(config)
        self.shell.state = {"request": str(self._request + bool(self._due)), "done": "0"}

    def show(self, update: JobUpdate) -> None:
        """Display the runs' update; called under the document's lock."""
        self._ended = update if update.done else None
        self.notices.show_error("The runs stopped", update.error)
        self.sidebar.runner.show(update)
        at_end = update.done and not update.cancelled and not update.error
        self.sidebar.runner.label = "Twice as far" if at_end else "Go on"
        self.cards.show(update)
        if update.value is not None:
            self._report(update, update.value)

    def _report(self, update: JobUpdate, result: CoresetResult) -> None:
        """Publish the progress as data attributes of the page."""
        shown = result.trace(result.config.shown)
        self.shell.state = {
            "request": str(update.number), "done": str(int(update.done and not self._due)), "t": str(result.t),
            "cancelled": str(int(update.cancelled)), "z": f"{shown.score:.6g}" if shown else "",
            "runs": str(len(result.traces)), "hot": "" if shown is None or shown.hot_at is None else str(shown.hot_at)}

    def _take(self, update: JobUpdate) -> None:
        """Display an update of runs on the current data, or pass on the requested coreset."""
        if update.number == self._leaving:
            if update.done:
                self._leave(update)
        elif update.number > self._stale:
            self.show(update)

    def look(self) -> None:
        """Start due runs, and the paper's first figure after the first runs have finished."""
        if self._due and time.monotonic() >= self._due:
            self._due = 0.0
            self._request = self.worker.start(in_process(run_coreset, self.config, self.files.own))
        if self._ended is not None:
            self.paper.begin()

    # Lifecycle

    def begin(self) -> None:
        """Start the first runs; offer the file loaded on another page."""
        self.files.picker.offer_loaded()
        if not self._request:
            self._ask()

    def end(self) -> None:
        """Delete the user's file."""
        self.files.close()
