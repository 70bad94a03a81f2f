"""The Coreset page: weights of a small part of the data trained live, and the figures of the paper."""

from __future__ import annotations

import time
from typing import Any

import panel as pn

from app.background_job import BackgroundJob, JobUpdate
from app.coreset import words
from app.coreset.bench import Bench
from app.coreset.charts.paper import PaperSheet
from app.coreset.components.file_desk import FileDesk
from app.coreset.components.paper_desk import PaperDesk
from app.coreset.components.run_cards import RunCards
from app.coreset.components.sidebar import CoresetSidebar
from app.coreset.config import LIMITS, CoresetConfig
from app.coreset.files import OwnData
from app.coreset.kinds import KINDS
from app.coreset.knobs import affordable, of_file, of_model, turn
from app.coreset.methods import METHODS
from app.coreset.picture import CoresetPicture
from app.coreset.posterior import posterior_of
from app.coreset.presets import PRESETS, preset_of
from app.coreset.query import from_query, to_query
from app.handover import session
from app.page import Page
from app.widgets.notices import Notices
from app.widgets.shell import PageShell
from app.widgets.text_card import TextCard

SETTLE = 0.2
"""Seconds that a knob must have stood still before the runs begin."""
URL_EVERY = 0.4
LAYOUT = """
grid-template-columns: repeat(12, minmax(0, 1fr));
grid-template-rows: calc((100cqh - 40px) * .56) calc((100cqh - 40px) * .44) auto 290px auto minmax(320px, auto);
grid-template-areas:
  "scores scores scores scores scores scores scores points points points points points"
  "scores scores scores scores scores scores scores hot hot hot hot hot"
  "table table table table table table table table says says says says"
  "norms norms norms norms rates rates rates rates sums sums sums sums"
  "desk desk desk desk paper paper paper paper paper paper paper paper"
  "limits limits limits limits paper paper paper paper paper paper paper paper"
"""


class CoresetPage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to run first; by default the Gaussian model, where the best there can be is known.
    words
        Sentences to show on arrival, such as what was wrong with a link.
    dark
        Start in the dark theme.
    framed
        Whether the page fills a window under a header (the dashboard) or stands alone (a notebook).
    """

    period = 50

    def __init__(self, config: CoresetConfig | None = None, *, words: tuple[str, ...] | list[str] = (),
                 dark: bool = False, framed: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.config = self._base = config or CoresetConfig()
        self.session = session()
        self.bench, self.worker = Bench(), BackgroundJob("coreset-runs")
        self._request, self._due, self._began = 0, 0.0, False
        self._ended: JobUpdate | None = None
        self._build(list(words), framed)
        self._reflect()
        if dark:
            self.dark(True)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> CoresetPage:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, said = from_query(query)
        return cls(config, words=said, dark=dark, framed=True)

    def _build(self, said: list[str], framed: bool) -> None:
        self.cards = RunCards(self.look_at, self.choose, self._press)
        self.files = FileDesk(self._took)
        self.paper = PaperDesk(PaperSheet())
        self.sidebar = CoresetSidebar(self, self.files)
        limits = TextCard(title="What the figures do not say", body=words.LIMITS_OF_THE_FIGURES)
        self.notices = Notices(lambda kind: self.run(), words=said)
        self.shell = PageShell(
            {**self.cards.by_area, "desk": self.paper.card, "paper": self.paper.figures, "limits": limits},
            layout=LAYOUT, notices=self.notices, sidebar=self.sidebar.view, label="Coreset",
            foot="Knobs and pictures to try", framed=framed)

    # What a person does

    def turn(self, name: str, given: float | str) -> str:
        """Turn a knob; return what was wrong with it, or nothing."""
        try:
            self._post(turn(self.config, name, given))
        except ValueError as wrong:
            return str(wrong)
        return ""

    def choose(self, field: str, value: str) -> None:
        """Take a menu or a segmented control."""
        if field == "model":
            self._post(of_model(self.config, value))
        elif field == "data":
            own = self.files.own
            if value == "file" and own is not None and own.kind == self.config.model:
                self._post(of_file(self.config, own))
            elif value == "file":  # nothing is run before there is a file
                self.sidebar.ask_for_file(self.config)
                self.files.read()  # the last one, if there was one, for this model
            else:
                self._post(of_model(self.config, self.config.model))
        else:
            self._try(self.config.replace(**{field: value}))

    def switch(self, optimizer: str, on: bool) -> None:
        """Switch an optimizer on or off; one must stay."""
        chosen = {*self.config.optimizers, optimizer} if on else set(self.config.optimizers) - {optimizer}
        if not chosen:
            self._reflect()
            self.sidebar.rules.note = "One optimizer must stay on."
            return
        self._try(self.config.replace(optimizers=tuple(key for key in METHODS if key in chosen)))

    def _try(self, config: CoresetConfig) -> None:
        """Take a configuration unless it asks for too much memory."""
        try:
            self._post(affordable(config))
        except ValueError as wrong:
            self._reflect()
            self.sidebar.rules.note = str(wrong)

    def show_preset(self, key: str) -> None:
        """Show one of the pictures to try."""
        self._base = PRESETS[key].config
        self._post(self._base)

    def look_at(self, key: str) -> None:
        """Draw this run's points."""
        self._post(self.config.replace(focus=key))

    def run(self) -> None:
        """Go on: to the end when it was stopped, twice as far when it was there."""
        ended = self._ended
        if ended is None or ended.cancelled or ended.error or ended.value is None:
            self._post(self.config)
            return
        error = self.turn("iterations", min(2 * self.config.iterations, int(LIMITS["iterations"][1])))
        self.sidebar.runner.error = error

    def cancel(self) -> None:
        """Stop; what is done stays, and can go on."""
        self.worker.cancel()

    def _press(self, key: str) -> None:
        """Leave the coreset to the Compare page, and go there."""
        run = None if self.worker.running else self.bench.run_of(self.config, self.config.shown)
        if run is None:
            self.notices.words = [*self.notices.words, "The run is not done yet: stop it, or wait for its end."]
            return
        kind = KINDS[self.config.model]
        label = f"Coreset of {kind.label}, M = {run.size:,}, {METHODS[self.config.shown.optimizer].label}"
        try:
            self.session.coreset = posterior_of(run.coreset, label, run.variance_ratio)
        except ValueError as wrong:
            self.notices.words = [*self.notices.words, str(wrong)]
            return
        if self.session.visit is not None:
            self.session.visit("compare", {"cproblem": "coreset"})
        self.notices.words = [*self.notices.words, f"{label} is there for the Compare page."]

    # What follows from it

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return to_query(self.config)

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        self.config = self._base = from_query(query)[0]
        self._post(self.config)

    def _post(self, config: CoresetConfig) -> None:
        if config.data != "file" and config.model != self._base.model:
            self._base = of_model(self._base, config.model)
        self.config, self.address.due = config, True
        self._due = time.monotonic() + (SETTLE if self._began else 0.0)
        with pn.io.hold():
            self._reflect()

    def _reflect(self) -> None:
        """Make the sidebar stand as the configuration does."""
        self.sidebar.rules.note = ""
        self.sidebar.reflect(self.config, self._base, preset_of(self.config))
        self.cards.reflect(self.config)
        self.shell.state = {"request": str(self._request + bool(self._due)), "done": "0"}

    def _start(self) -> None:
        self._due, self._began = 0.0, True
        self._request = self.worker.start(self.bench.work(self.config, self.files.own))

    def show(self, update: JobUpdate) -> None:
        """Show what the runs have done; called under the document's lock."""
        self._ended = update if update.done else None
        if update.error:
            self.notices.param.update(notice=f"The runs stopped: {update.error}", kind="error", action="Try again")
        elif self.notices.kind:
            self.notices.param.update(notice="", kind="", action="")
        self.sidebar.runner.show(update)
        at_end = update.done and not update.cancelled and not update.error
        self.sidebar.runner.label = "Twice as far" if at_end else "Go on"
        self.cards.show(update)
        if update.value is not None:
            self._say_state(update, update.value)

    def _say_state(self, update: JobUpdate, picture: CoresetPicture) -> None:
        shown = picture.trace(picture.config.shown)
        self.shell.state = {
            "request": str(update.number), "done": str(int(update.done and not self._due)), "t": str(picture.t),
            "cancelled": str(int(update.cancelled)), "z": f"{shown.score:.6g}" if shown else "",
            "runs": str(len(picture.traces)), "hot": "" if shown is None or shown.hot_at is None else str(shown.hot_at)}

    def _took(self, own: OwnData) -> None:
        """A file was read: run on it."""
        self._base = of_file(self.config, own)
        self._post(self._base)

    def look(self) -> None:
        """Show what the workers have."""
        if self._due and time.monotonic() >= self._due:
            self._start()
        with pn.io.hold():
            update = self.worker.take()
            if update is not None:
                self.show(update)
            self.files.tick()
            self.paper.tick(idle=self._ended is not None)

    # Life

    def dark(self, dark: bool) -> None:
        """Change theme."""
        if dark != self.cards.sheet.dark:
            with pn.io.hold():
                self.cards.sheet.restyle(dark)
                self.paper.sheet.restyle(dark)

    def begin(self) -> None:
        """Begin the first runs."""
        if not self._began:
            self._post(self.config)

    def end(self) -> None:
        """End the worker threads."""
        for thing in (self.paper, self.files, self.worker):
            thing.close()
