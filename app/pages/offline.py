"""The Offline page: Algorithm 3's ladder of temperatures, and the SVRG-LD family's races on fixed data."""

from __future__ import annotations

import time
from typing import Any

import panel as pn

from app.offline.components.ladder_view import LAYOUT, LadderView
from app.offline.components.race_view import LAYOUTS, RaceView
from app.offline.components.sidebar import OfflineSidebar
from app.offline.components.views import Views
from app.offline.config import GAUSSIAN, LADDER, LIKELIHOOD, VIEWS, LadderConfig, OfflineConfig, RaceConfig
from app.offline.own_file import OwnFile
from app.offline.query import from_query, to_query
from app.page import Page
from app.widgets.notices import Notices
from app.widgets.shell import PageShell

SETTLE = 0.25
"""Seconds a knob rests before a new run begins."""
PATIENCE = 8.0
"""Seconds a race may take to be run by itself when a knob is turned."""


class OfflinePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to show first; by default the ladder in the plane.
    words
        Sentences to show on arrival, such as what was wrong with a link.
    dark
        Start in the dark theme.
    framed
        Whether the page fills a window under a header (the dashboard) or stands alone (a notebook).
    """

    period = 33

    def __init__(self, config: OfflineConfig | None = None, *, words: tuple[str, ...] | list[str] = (),
                 dark: bool = False, framed: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.config = config or OfflineConfig()
        self.own: OwnFile | None = None
        self._due: dict[str, float] = {}
        self._started: set[str] = set()
        self._posted, self._requests = time.monotonic(), 0
        self._dark = dark
        self.ladder = LadderView(self.config.ladder, self._look)
        self.races = {view: RaceView(self.config.race(view), self._average) for view in (GAUSSIAN, LIKELIHOOD)}
        buttons = {LADDER: self.ladder.buttons} | {view: race.buttons for view, race in self.races.items()}
        self.sidebar = OfflineSidebar(self, buttons)
        self.views = Views({LADDER: (LAYOUT, self.ladder.cards)} | {
            view: (LAYOUTS[view], race.cards) for view, race in self.races.items()}, view=self.config.view)
        self.notices = Notices(lambda kind: None, words=list(words))
        self.shell = PageShell({"views": self.views}, sidebar=self.sidebar.view, notices=self.notices, label="Offline",
                               layout='grid-template:"views" auto/minmax(0,1fr)', foot="Knobs", framed=framed)
        for view, run in ((LADDER, self.ladder), *self.races.items()):
            run.buttons._run = lambda view=view: self.run(view)
        self.sidebar.show(self.config)
        if dark:
            self.dark(True, force=True)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> OfflinePage:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, said = from_query(query)
        return cls(config, words=said, dark=dark, framed=True)

    # What a person does

    def change(self, config: OfflineConfig, view: str | None = None) -> None:
        """Take a new configuration; what it changes about a run starts that run again, after a moment's rest."""
        old, self.config, self.address.due = self.config, config, True
        with pn.io.hold():
            if config.view != old.view:
                self.views.view = config.view
                self._ensure(config.view)
            if config.ladder.run != old.ladder.run:
                self._soon(LADDER)
            elif config.ladder != old.ladder:
                self.ladder.look(config.ladder)
            for name in self.races:
                self._change_race(name, old.race(name), config.race(name))
            self.sidebar.show(config)

    def _change_race(self, view: str, old: RaceConfig, new: RaceConfig) -> None:
        if old == new:
            return
        race = self.races[view]
        race.config = new
        gone = set(old.samplers) - set(new.samplers)
        if gone and old.replace(samplers=new.samplers) == new:  # nothing new to run, one curve less to draw
            race.show()
            return
        if race.seconds(new) <= PATIENCE:
            self._soon(view)
        else:
            race.background.cancel()
            race.buttons.param.update(words=f"Knobs have changed: press Run, about {race.seconds(new):.0f} s.", error="")

    def use_file(self, own: OwnFile | None) -> None:
        """Run the likelihood race on a file; None goes back to the generated stream."""
        self.own = own
        source = "generated" if own is None else "file"
        self.config = self.config.replace(nll=self.config.nll.replace(source=source))
        self.sidebar.show(self.config)
        self.run(LIKELIHOOD)

    def run(self, view: str) -> None:
        """Run a view's work now."""
        self._due.pop(view, None)
        self._started.add(view)
        self._requests, self._posted = self._requests + 1, time.monotonic()
        if view == LADDER:
            self.ladder.start(self.config.ladder)
        else:
            self.races[view].start(self.config.race(view), self.own if view == LIKELIHOOD else None)
        self._tell()

    def _soon(self, view: str) -> None:
        self._due[view] = time.monotonic() + SETTLE
        self._tell()

    def _ensure(self, view: str) -> None:
        if view not in self._started:
            self.run(view)

    def _look(self, ladder: LadderConfig) -> None:
        self.change(self.config.replace(ladder=ladder))

    def _average(self, value: str) -> None:
        if value in ("path", "position"):
            self.change(self.config.replace(nll=self.config.nll.replace(average=value)))

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return to_query(self.config)

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        self.change(from_query(query)[0])

    # What follows from it

    def look(self) -> None:
        """Take one look: runs that are due, what the workers have, the next frame."""
        now = time.monotonic()
        with pn.io.hold():
            for view, due in list(self._due.items()):
                if now >= due:
                    self.run(view)
            self.ladder.tick()
            for view, race in self.races.items():
                update = race.tick()
                if update is not None and view == LIKELIHOOD:
                    self._adopt(update)
            self._tell()

    def _adopt(self, update: Any) -> None:
        """Take over what the worker found in a file."""
        own = self.own
        if own is None or self.config.nll.source != "file":
            return
        self.sidebar.show_file(own, update)
        if update.value is not None and update.value.config.source == "file" and (
                update.value.config.replace(anchor_batch=self.config.nll.anchor_batch) == self.config.nll):
            found = update.value.config
            if found != self.config.nll:
                self.config, self.address.due = self.config.replace(nll=found), True
                self.races[LIKELIHOOD].config = found
                self.sidebar.show(self.config)

    @property
    def rows(self) -> int | None:
        """Training rows of the file the likelihood race runs on; None for the generated stream."""
        race = self.races[LIKELIHOOD].race
        return race.train if self.config.nll.source == "file" and race is not None and race.config.source == "file" else None

    def _tell(self) -> None:
        view = self.config.view
        front = self.ladder if view == LADDER else self.races[view]
        done = view in self._started and view not in self._due and not front.busy
        state = {"view": view, "request": str(self._requests), "done": str(int(done)), **front.state()}
        if state != self.shell.state:  # a change of the shell makes Panel walk the whole page: seldom, then
            self.shell.state = state

    # Life

    def dark(self, dark: bool, force: bool = False) -> None:
        """Change theme."""
        if dark != self._dark or force:
            self._dark = dark
            with pn.io.hold():
                for part in (self.ladder, *self.races.values()):
                    part.restyle(dark)

    def begin(self) -> None:
        """Run what is shown if it has not run yet, and go on playing."""
        self._ensure(self.config.view if self.config.view in VIEWS else LADDER)

    def end(self) -> None:
        """End the threads and delete the person's file."""
        self.ladder.background.close()
        for race in self.races.values():
            race.close()
        self.sidebar.close()
