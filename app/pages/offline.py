"""The Offline page: Algorithm 3's ladder of temperatures, and races of the SVRG-LD family on fixed data.

It opens with shipped results and runs nothing before the user presses a button or turns a knob.
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
"""Seconds without a change of a knob before a new run starts."""
PATIENCE = 8.0
"""Longest estimated race, in seconds, that starts automatically after a change of a knob."""
SHIPPED = "A shipped run with these settings is displayed. Press Run for your own."
NOT_RUN = "These settings have not been run yet: press Run."


class OfflinePage(Page):
    """Page object: served as a tab, or displayed as the last line of a notebook cell.

    Parameters
    ----------
    config
        Initial configuration; by default the ladder in the plane.
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
        self.runs = runs = {LADDER: self.ladder, **self.races}  #: view -> its runs and display
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

    # Actions of the user

    def use_file(self, own: OwnFile | None) -> None:
        """Run the likelihood race on a file; None selects the generated stream."""
        self.state.nll.param.update(source="generated" if own is None else "file", rows=None)
        self.run(LIKELIHOOD)

    def run(self, view: str) -> None:
        """Start the run of a view."""
        self._due.pop(view, None)
        self._opened.add(view)
        self._requests += 1
        if view == LIKELIHOOD:
            self.races[view].start(self.sidebar.own)
        else:
            self.runs[view].start()
        self._publish_state()

    def load(self, query: dict[str, Any]) -> None:
        """Display the state of URL parameters."""
        config, self.notices.words = OfflineState.from_query(query)
        self.state.load(config)

    # Reactions

    def _turn_to(self, event: Any) -> None:
        self.unwritten = True
        self._open(event.new)

    def _open(self, view: str) -> None:
        """When a view is first opened, display the shipped result if its settings match."""
        if view in self._opened:
            return
        self._opened.add(view)
        shipped, config = shipped_results()[view], self.state.part(view).frozen()
        same = shipped.config.run == config.run if view == LADDER else shipped.config == config
        self.runs[view].show_run(shipped if same else None, SHIPPED if same else NOT_RUN)
        self._publish_state()

    def _changed(self, view: str, *events: Any) -> None:
        """React to a part of the state: a change of the run's settings requests a new run after SETTLE seconds."""
        self.unwritten = True
        if view not in self._opened:
            return
        run, config = self.runs[view], self.state.part(view).frozen()
        if view == LADDER:
            if {event.name for event in events} - {"speed", "zoom", "axes"}:
                self._soon(view)
            return
        shown = None if run.race is None else run.race.config
        if shown == config:  # values read from a file, or a return to the displayed race
            return
        if shown is not None and shown.replace(samplers=config.samplers) == config and (
                set(config.samplers) < set(shown.samplers)):  # fewer curves to draw, nothing to run
            run.show()
        elif run.seconds(config) <= PATIENCE:
            self._soon(view)
        else:
            run.background.cancel()
            run.buttons.param.update(words=f"Knobs have changed: press Run, about {run.seconds(config):.0f} s.", error="")

    def _soon(self, view: str) -> None:
        self._due[view] = time.monotonic() + SETTLE
        self._publish_state()

    def look(self) -> None:
        """Start due runs and display the next frame."""
        now = time.monotonic()
        for view, due in list(self._due.items()):
            if now >= due:
                self.run(view)
        self.ladder.tick()
        self._publish_state()

    def _adopt(self, update: Any) -> None:
        """Adopt values that the worker has read from a file: the number of rows, and a B that fits."""
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

    def _publish_state(self) -> None:
        view = self.state.view
        front = self.runs[view]
        done = view not in self._due and front.background.settled
        self.shell.state = {"view": view, "request": str(self._requests), "done": str(int(done)), **front.shown()}

    # Lifecycle

    @property
    def going(self) -> bool:
        """Whether the view in front has been run on this page."""
        return self.runs[self.state.view].background.requests > 0

    def go_on(self) -> None:
        """Run the view in front again."""
        self.run(self.state.view)

    def begin(self) -> None:
        """Display the view in front and continue playing; offer the file loaded on another page."""
        self.sidebar.picker.offer_loaded()
        self._open(self.state.view)

    def end(self) -> None:
        """Delete the user's file."""
        self.sidebar.picker.close()
