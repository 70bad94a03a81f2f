"""The Offline page: Algorithm 3's ladder of temperatures, and the SVRG-LD family's races on fixed data.

Opening it runs nothing: it shows what came with the app, and runs what the user asks for, by a button or a knob.
"""

import time
from functools import partial
from typing import Any

import panel as pn

from app.offline.ladder_view import LAYOUT, LadderView
from app.offline.likelihood_race_job import OwnFile
from app.offline.race_view import LAYOUTS, RaceView
from app.offline.shipped_results import shipped_results
from app.offline.sidebar import OfflineSidebar
from app.page import Page
from app.state.offline import LADDER, OfflineConfig, OfflineState
from app.state.offline_races import GAUSSIAN, LIKELIHOOD

SETTLE = 0.25
"""Seconds a knob rests before a new run begins."""
PATIENCE = 8.0
"""Seconds a race may take to be run by itself when a knob is turned."""
SHIPPED = "Shown: a run with these settings that came with the app. Press Run for one of your own."
NOT_RUN = "These settings have not been run yet: press Run."


class OfflinePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to show first; by default the ladder in the plane.
    words, dark, framed
        See `Page`.
    """

    State = OfflineState
    period, in_frames = 33, True

    def __init__(self, config: OfflineConfig | None = None, *, dark: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.state = OfflineState()
        self.state.load(config or OfflineConfig())
        self._due: dict[str, float] = {}
        self._opened: set[str] = set()
        self._requests = 0
        self.ladder = LadderView(self.state.ladder, self.visit)
        self.races = {view: RaceView(self.state.part(view), self.visit) for view in (GAUSSIAN, LIKELIHOOD)}
        self.runs = runs = {LADDER: self.ladder, **self.races}  #: view -> what runs and shows it
        self.races[LIKELIHOOD].taken = self._adopt
        self.workers = [run.background for run in runs.values()]
        self.sidebar = OfflineSidebar(self.state, {view: run.buttons for view, run in runs.items()}, self.use_file,
                                      self.visit)
        cards = {f"{view}-{area}": card for view, run in runs.items() for area, card in run.cards.items()}
        self.shell = self.framed_shell(cards, layout=pn.bind((LAYOUTS | {LADDER: LAYOUT}).get, self.state.param.view),
                                       sidebar=self.sidebar.view, label="Offline")
        for view, run in runs.items():
            run.buttons.start_run = partial(self.run, view)
            part = self.state.part(view)
            self.watch(partial(self._changed, view), part.settable(), part)
        self.watch(self._turn_to, ["view"])
        self.dark(dark)

    # What the user does

    def use_file(self, own: OwnFile | None) -> None:
        """Run the likelihood race on a file; None goes back to the generated stream."""
        self.state.nll.param.update(source="generated" if own is None else "file", rows=None)
        self.run(LIKELIHOOD)

    def run(self, view: str) -> None:
        """Run a view's work now."""
        self._due.pop(view, None)
        self._opened.add(view)
        self._requests += 1
        if view == LIKELIHOOD:
            self.races[view].start(self.sidebar.own)
        else:
            self.runs[view].start()
        self._tell()

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        config, self.notices.words = OfflineState.from_query(query)
        self.state.load(config)

    # What follows from it

    def _turn_to(self, event: Any) -> None:
        self.unwritten = True
        self._open(event.new)

    def _open(self, view: str) -> None:
        """Show what came with the app when a view comes to the front for the first time, if it has these settings."""
        if view in self._opened:
            return
        self._opened.add(view)
        shipped, config = shipped_results()[view], self.state.part(view).frozen()
        same = shipped.config.run == config.run if view == LADDER else shipped.config == config
        self.runs[view].show_run(shipped if same else None, SHIPPED if same else NOT_RUN)
        self._tell()

    def _changed(self, view: str, *events: Any) -> None:
        """Follow a part of the state: what changes a run asks for a new one, after a moment's rest."""
        self.unwritten = True
        if view not in self._opened:
            return
        run, config = self.runs[view], self.state.part(view).frozen()
        if view == LADDER:
            if {event.name for event in events} - {"speed", "zoom", "axes"}:
                self._soon(view)
            return
        shown = None if run.race is None else run.race.config
        if shown == config:  # what the worker found in a file, or back to what is shown
            return
        if shown is not None and shown.replace(samplers=config.samplers) == config and (
                set(config.samplers) < set(shown.samplers)):  # nothing new to run, one curve less to draw
            run.show()
        elif run.seconds(config) <= PATIENCE:
            self._soon(view)
        else:
            run.background.cancel()
            run.buttons.param.update(words=f"Knobs have changed: press Run, about {run.seconds(config):.0f} s.", error="")

    def _soon(self, view: str) -> None:
        self._due[view] = time.monotonic() + SETTLE
        self._tell()

    def look(self) -> None:
        """Begin runs that are due, and show the next frame."""
        now = time.monotonic()
        for view, due in list(self._due.items()):
            if now >= due:
                self.run(view)
        self.ladder.tick()
        self._tell()

    def _adopt(self, update: Any) -> None:
        """Take over what the worker found in a file: how many rows there are, and a B that fits them."""
        state = self.state.nll
        if self.sidebar.own is None or state.source != "file":
            return
        self.sidebar.show_file(update)
        race = update.value
        if race is not None and race.config.source == "file":
            state.rows = race.train
            adopted = race.config
            if adopted.with_batch(state.anchor_batch) == state.frozen():
                state.load(adopted)

    def _tell(self) -> None:
        view = self.state.view
        front = self.runs[view]
        done = view not in self._due and front.background.settled
        self.shell.state = {"view": view, "request": str(self._requests), "done": str(int(done)), **front.shown()}

    # Life

    @property
    def going(self) -> bool:
        """Whether what is in front was run here."""
        return self.runs[self.state.view].background.requests > 0

    def go_on(self) -> None:
        """Run what is in front, as it had been."""
        self.run(self.state.view)

    def begin(self) -> None:
        """Show what is in front, and go on playing; offer the file that another page has loaded."""
        self.sidebar.picker.offer_loaded()
        self._open(self.state.view)

    def end(self) -> None:
        """Delete the user's file."""
        self.sidebar.picker.close()
