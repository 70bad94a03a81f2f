"""`StoryPage` and `LiveStoryPage`: pages owned by the story, to which lessons apply their settings.

The user's own page stays unchanged behind the story, with its run paused, until the story is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.lessons.lesson import Change, Lesson, Step
from app.state.live import RESTARTING, LiveState
from app.visit import Visit

if TYPE_CHECKING:
    from app.live.snapshot import Snapshot
    from app.pages.live import LivePage


def shown_numbers(page: LivePage) -> list[list[str]]:
    """Return [label, text] of the latest accuracy and of the verdict's meters; empty before the first verdict."""
    accuracy = page.stack.view.accuracy_shown
    if not accuracy or page.verdict.kind == "waiting":
        return []
    return [["accuracy", accuracy], *([label, text] for label, text, *_ in page.verdict.meters)]


Listener = Callable[[list[list[str]], str, int], None]
"""Callback with the displayed numbers, the message while the run plays fast (else empty), and the epoch."""


class StoryPage:
    """Page of the story, configured by its `load(query)`."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.linked = False  # the address bar keeps the state of the user's own page

    def open(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        """Start a lesson; the URL parameters `shown` of a link are used only by pages with moments."""
        self.page.load(lesson.settings)

    def set(self, query: dict[str, str], restart: bool, arrive: int = 0) -> None:
        """Set every knob to its value in `query`, or else to its default."""
        self._turn(query)

    def apply_step(self, step: Step) -> None:
        """Apply the settings of a step; all others stay unchanged."""
        if step.settings:
            self._turn(step.settings if "preset" in step.settings else self.page.query() | step.settings)

    def _turn(self, query: dict[str, str]) -> None:
        self.page.load(query)


class LiveStoryPage(StoryPage):
    """Live page of the story: each lesson starts a new run with timed changes; `listen` is called at each snapshot."""

    def __init__(self, page: Any, listen: Listener) -> None:
        super().__init__(page)
        self._listen = listen
        self._due: list[Change] = []
        self._run = self._old_run = -1
        self._arrive = 0
        self._recalling = False  #: replaying to the moment of a link, whose history includes the lesson's changes
        page.watcher = self._watch
        page.visit = Visit()  # a separate visit: its handover to other pages is ignored

    def open(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        """Start a new run with the lesson's settings and changes, or restore the moment `shown` of a link."""
        self._due, self._recalling = list(lesson.changes), False
        self.page.charts.fit(lesson.span)
        if shown and "t" in shown:
            self._old_run, self._recalling, self._arrive = self._run, True, 0
            self.page.load(lesson.settings | shown)  # a truncated link keeps the lesson's settings
            return
        self._turn(lesson.settings)
        self._restart(lesson.arrive)

    def set(self, query: dict[str, str], restart: bool, arrive: int = 0) -> None:
        """Set every knob; restart the run if requested or required, and play fast up to the epoch `arrive`.

        The lesson's remaining changes are dropped: `query` includes them.
        """
        before = self.page.query()
        self._due = []
        self._turn(query)
        now = self.page.query()
        if restart or any(before.get(key) != now.get(key) for key in RESTARTING):
            self.page.charts.fit(None)
            self._restart(arrive)

    def apply_step(self, step: Step) -> None:
        """Apply the settings of a step and play fast to its epoch."""
        super().apply_step(step)
        if step.arrive:
            self._arrive = step.arrive
            self.page.engine.post("hurry", step.arrive)

    def _turn(self, query: dict[str, str]) -> None:
        self.page.state.load(LiveState.from_query(query)[0])

    def _restart(self, arrive: int) -> None:
        self._old_run, self._arrive = self._run, arrive
        self.page.engine.post("restart")
        self.page.engine.post("hurry", arrive)
        self.page.engine.post("play")

    def _watch(self, snapshot: Snapshot) -> None:
        self._run = snapshot.run
        if snapshot.run <= self._old_run:
            return  # a snapshot of the previous run
        if self._recalling:
            self._due = [change for change in self._due if change.epoch > snapshot.t]
            self._recalling = snapshot.notice_kind == "replaying"
        while self._due and snapshot.t >= self._due[0].epoch:
            change = self._due.pop(0)
            self._turn(self.page.query() | change.settings)
        arriving = snapshot.t < self._arrive and snapshot.playing
        message = f"Playing to epoch {self._arrive:,}: {snapshot.t:,} so far." if arriving else ""
        self._listen(shown_numbers(self.page), message, snapshot.t)
