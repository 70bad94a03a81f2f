"""The Tune page: a stream, a map of what every setting does on it, and a setting to take away."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import panel as pn

from app.background_job import BackgroundJob, JobUpdate
from app.handover import session
from app.page import Page
from app.tune import saving, words
from app.tune.bringing import Bringing
from app.tune.charts.sheet import TuneSheet
from app.tune.components.cards import advice_card, map_card, slice_card
from app.tune.components.panel import TunePanel
from app.tune.components.taking import Taking
from app.tune.components.watcher import Watcher
from app.tune.config import TuneConfig
from app.tune.job import WORKERS, Job
from app.tune.picture import Key, TunePicture
from app.tune.query import DEFAULT, from_query, to_query
from app.tune.turning import add_batch, remove_batch, turn, turn_range
from app.widgets.notices import Notices
from app.widgets.shell import PageShell

LAYOUT = ('grid-template: "map verdict" 556px "slice take" 262px "watch advice" 280px'
          " / minmax(0, 704fr) minmax(0, 440fr)")


class TunePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to sweep; by default the first example. A problem left with `app.handover.session().given` is
        ``TuneConfig(data="given")``.
    words
        Sentences to show on arrival, such as what was wrong with a link.
    dark
        Start in the dark theme.
    framed
        Whether the page fills a window under a header (the dashboard) or stands alone (a notebook).
    """

    period = 60

    def __init__(self, config: TuneConfig | None = None, *, words: tuple[str, ...] | list[str] = (),
                 dark: bool = False, framed: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.session = session()
        self.config = config or (TuneConfig(data="given") if self.session.given is not None else DEFAULT)
        self.picture: TunePicture | None = None
        self.job = Job(lambda: self.session.given, self.session.scheduler)
        self.sweeps, self.sheet = BackgroundJob("tune-sweep"), TuneSheet(self.look_at)
        self.watcher = Watcher(self.sheet)
        self.taking = Taking(self.session, self.watcher.watched, self._follow)
        self._asked, self._done = 0, 0
        self._began, self._good, self._fresh = time.monotonic(), 0.0, False
        self._build(list(words), framed)
        self._reflect()
        if dark:
            self.sheet.restyle(True)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> TunePage:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, said = from_query(query)
        given = session().given
        if given is not None and "tdata" not in query:
            config = config.replace(data="given", going=False)
        return cls(config, words=said, dark=dark, framed=True)

    def _build(self, said: list[str], framed: bool) -> None:
        self.panel = TunePanel(self, Bringing(self.bring))
        self.map = map_card(self.sheet, {"step": self._step_cell, "csv": lambda: saving.cells_csv(self.picture)})
        self.slice, self.advice = slice_card(self.sheet), advice_card()
        self.notices = Notices(lambda kind: self.sweep(), words=said)
        self.shell = PageShell(
            {"map": self.map, "verdict": self.taking.verdict, "slice": self.slice, "take": self.taking.code,
             "watch": self.watcher.card, "advice": self.advice},
            sidebar=self.panel.view, notices=self.notices, layout=LAYOUT, label="Tune", foot="Data and sweep",
            framed=framed)

    # What a person does

    def turn(self, name: str, given: float | str) -> str:
        """Turn a knob; return what was wrong with it, or nothing."""
        return self._try(lambda: turn(self.config, name, given, self.picture))

    def turn_range(self, name: str, low: object, high: object) -> str:
        """Set the range of a knob; return what was wrong with it, or nothing."""
        return self._try(lambda: turn_range(self.config, name, low, high))

    def _try(self, change: Any) -> str:
        try:
            self._change(change())
        except ValueError as wrong:
            return str(wrong)
        return ""

    def add_batch(self, batch: int) -> None:
        """Sweep one more b."""
        self.panel.batch_error = self._try(lambda: add_batch(self.config, batch))

    def remove_batch(self, batch: int) -> None:
        """Leave a b out."""
        self._change(remove_batch(self.config, batch))

    def show_batch(self, batch: int) -> None:
        """Show the cells of one b."""
        if self.config.batches and batch in self.config.batches:
            key = None if self.picture is None else self.picture.looked_at
            chosen = None if key is None else (key[0], key[1], batch)
            self.config = self.config.replace(plane=batch, chosen=chosen)
            self._look()

    def choose(self, field: str, value: Any) -> None:
        """Set what a menu or a switch sets."""
        if getattr(self.config, field) == value:
            return
        if field in ("data", "kind"):
            base = TuneConfig() if field == "data" else self.config
            self.bring(base.replace(**{field: value}, reference=self.config.reference, prune=self.config.prune))
        else:
            self._change(self.config.replace(**{field: value}))

    def bring(self, config: TuneConfig) -> None:
        """Take other data: every range is advised afresh, and nothing is swept until somebody asks."""
        self._change(config.replace(rows=None, eta0=None, i_max=None, batches=None, acceptance_radius=None, chains=None,
                                    chosen=None, plane=None, going=False))

    def sweep(self) -> None:
        """Begin, or go on with, the sweep."""
        self.config = self.config.replace(going=True)
        self._start()

    def cancel(self) -> None:
        """Stop; what was finished stays."""
        self.config = self.config.replace(going=False)
        self.address.due = True
        self.sweeps.cancel()

    def look_at(self, key: Key) -> None:
        """Look at a cell."""
        self.config = self.config.replace(chosen=key, plane=key[2])
        self._look()

    def _step_cell(self, by: int) -> None:
        if self.picture is not None:
            eta0, length, batch = self.picture.looked_at
            etas = self.picture.config.etas
            at = min(len(etas) - 1, max(0, etas.index(eta0) + by))
            self.look_at((etas[at], length, batch))

    def _follow(self, change: dict) -> None:
        """Do what a verdict suggests: look at the nearest cell, or sweep with another C'."""
        picture = self.picture
        if "acceptance_radius" in change:
            self.turn("acceptance_radius", change["acceptance_radius"])
        elif picture is not None:
            config, key = picture.config, picture.looked_at
            near = lambda values, want: min(values, key=lambda v: abs(v - want) / want)  # noqa: E731
            self.look_at((near(config.etas, change.get("eta0", key[0])), near(config.lengths, change.get("i_max", key[1])),
                          near(config.batches, change.get("batch_size", key[2]))))

    # What follows from it

    def _change(self, config: TuneConfig) -> None:
        """Another sweep: one under way is dropped, its finished cells stay in its file."""
        self.config = config.replace(going=self.config.going and self.sweeps.running and config.source == self.config.source)
        self._start()

    def _start(self) -> None:
        self._asked, self._began = self.sweeps.start(self.job.work(self.config)), time.monotonic()
        self._good, self._fresh = 0.0, False
        self.address.due = True
        self._reflect()

    def _look(self) -> None:
        """Another cell of the same sweep."""
        self.address.due = True
        if self.picture is not None:
            self.picture = replace(self.picture, config=self.picture.config.replace(
                chosen=self.config.chosen, plane=self.config.plane))
            with pn.io.hold():
                self._show_picture(self.picture)

    def _reflect(self) -> None:
        """Make the sidebar stand as the configuration does."""
        self.panel.reflect(self.config, self.picture)
        self.shell.state = {"asked": str(self._asked), "done": str(self._done)}

    def show(self, update: JobUpdate) -> None:
        """Show what the sweep's worker has; called under the document's lock."""
        picture = update.value
        if picture is not None and not update.error:
            keep = {"chosen": self.config.chosen, "plane": self.config.plane}
            picture = replace(picture, config=picture.config.replace(**keep))
            settled = picture.config.replace(going=self.config.going)
            if settled != self.config:
                self.config, self.address.due = settled, True
            self.picture, self._fresh = picture, True
            self._show_picture(picture)
        if update.done:
            self._done = update.number
            if update.error:
                self.config = self.config.replace(going=False)
        self.panel.progress(update, self.picture)
        self._tell_state()

    def _show_picture(self, picture: TunePicture) -> None:
        key = picture.looked_at
        batch = key[2]
        self.panel.reflect(self.config, picture)
        self.sheet.show(picture, batch)
        many = len(picture.config.batches) > 1
        self.map.param.update(
            heads=[["Accuracy for each setting" + (f", b = {batch}" if many else ""),
                    "measured; lines: what the formula predicts; notched cell: an epoch forgets less than half"]],
            stepper=f"η₀ = {key[0]:g}", spoken=words.spoken(picture, key), caption="", empty="")
        self.slice.heads = [[f"Along the row i<sub>max</sub> = {key[1]:,}",
                             "dots measured (hollow: given up early), dashed: the formula, which needs no sweep"]]
        self.advice.body = words.about_advice(picture)
        self.taking.show(picture, key)
        if picture.ended or not (self.sweeps.running and picture.config.going):  # cells at work come first
            self.watcher.want(picture, key)
        self._tell_state()

    def _tell_state(self) -> None:
        picture = self.picture
        state = {"asked": str(self._asked), "done": str(self._done)}
        if picture is not None:
            best, cell = picture.best, picture.cell(picture.looked_at)
            if best is not None and self._fresh and not self._good and best.accuracy >= best.ceiling - 0.01:
                self._good = time.monotonic() - self._began
            state |= {"cells": str(len(picture.finished)), "total": str(picture.total), "ended": picture.ended,
                      "looked": ",".join(f"{v:g}" for v in picture.looked_at), "data": self.config.data,
                      "accuracy": "" if cell is None else f"{cell.accuracy:.4f}",
                      "good": f"{self._good:.2f}" if self._good else "",
                      "watched": "1" if self.watcher.watched(picture, picture.looked_at) else "0"}
        self.shell.state = state

    def look(self) -> None:
        """Show what the sweep and the watched cell have."""
        update = self.sweeps.take()
        if update is not None:
            with pn.io.hold():
                self.show(update)
        with pn.io.hold():
            if self.watcher.tick():
                self._tell_state()
            self.taking.give_toml(self.watcher.running)

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return to_query(self.config)

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        self.config, self.notices.words = from_query(query)
        self._start()

    # Life

    @property
    def workers(self) -> int:
        """Processes cells run on."""
        return WORKERS

    def dark(self, dark: bool) -> None:
        """Change theme."""
        if dark != self.sheet.dark:
            with pn.io.hold():
                self.sheet.restyle(dark)

    def begin(self) -> None:
        """Ask for the first picture."""
        if self._asked == 0:
            self._start()

    def end(self) -> None:
        """End the threads and the workers; what was finished is in the sweep’s file."""
        self.sweeps.close()
        self.watcher.close()
