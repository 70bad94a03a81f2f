"""A page the story has to itself: how a lesson's settings reach it, and what it says of its epochs.

The person's own page is not touched: it stands still behind the story, with its run, until the story is closed.
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
    """Return [label, text] of the accuracy chart's last value and of the verdict's meters; empty while too early."""
    accuracy = page.stack.view.accuracy_shown
    if not accuracy or page.verdict.kind == "waiting":
        return []
    return [["accuracy", accuracy], *([label, text] for label, text, *_ in page.verdict.meters)]


Listener = Callable[[list[list[str]], str, int], None]
"""Takes the numbers that the page shows, what is said while the run plays fast to the lesson's epoch, and the epoch."""


class StoryPage:
    """Any page: settings are given when it is made, and again with its `load(query)`."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.linked = False  # the address bar keeps the user's own state

    def open(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        """Begin a lesson; a link's URL parameters `shown` matter only to pages that show moments."""
        self.page.load(lesson.settings)

    def set(self, query: dict[str, str], restart: bool, arrive: int = 0) -> None:
        """Turn every knob: one that is not named stands at its default."""
        self._turn(query)

    def take_up(self, step: Step) -> None:
        """Turn what a step of the lesson sets; the rest stays as it is."""
        if step.settings:
            self._turn(step.settings if "preset" in step.settings else self.page.query() | step.settings)

    def _turn(self, query: dict[str, str]) -> None:
        self.page.load(query)


class LiveStoryPage(StoryPage):
    """The Live page: a run begins afresh with each lesson, and timed changes follow its epochs; `listen` hears of each."""

    def __init__(self, page: Any, listen: Listener) -> None:
        super().__init__(page)
        self._listen = listen
        self._due: list[Change] = []
        self._run = self._old_run = -1
        self._arrive = 0
        self._recalling = False  #: on the way to the moment of a link, whose history has this lesson's changes too
        page.watcher = self._watch
        page.visit = Visit()  # what it leaves for other pages is nobody's

    def open(self, lesson: Lesson, shown: dict[str, Any] | None = None) -> None:
        """Begin a lesson: its knobs, a new run, its changes still to come; or at the moment of it that a link shows."""
        self._due, self._recalling = list(lesson.changes), False
        self.page.charts.fit(lesson.span)
        if shown and "t" in shown:
            self._old_run, self._recalling, self._arrive = self._run, True, 0
            self.page.load(lesson.settings | shown)  # a link that was cut off keeps the lesson's own settings
            return
        self._turn(lesson.settings)
        self._restart(lesson.arrive)

    def set(self, query: dict[str, str], restart: bool, arrive: int = 0) -> None:
        """Turn every knob mid-run, or begin again so, where asked or where a run must, and play fast up to an epoch.

        What the lesson would still have changed by itself is among what is set.
        """
        before = self.page.query()
        self._due = []
        self._turn(query)
        now = self.page.query()
        if restart or any(before.get(key) != now.get(key) for key in RESTARTING):
            self.page.charts.fit(None)
            self._restart(arrive)

    def take_up(self, step: Step) -> None:
        """Turn what a step sets, and play fast to where it can be seen."""
        super().take_up(step)
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
            return  # a picture of the run before this one
        if self._recalling:
            self._due = [change for change in self._due if change.epoch > snapshot.t]
            self._recalling = snapshot.notice_kind == "replaying"
        while self._due and snapshot.t >= self._due[0].epoch:
            change = self._due.pop(0)
            self._turn(self.page.query() | change.settings)
        arriving = snapshot.t < self._arrive and snapshot.playing
        words = f"Playing to epoch {self._arrive:,}: {snapshot.t:,} so far." if arriving else ""
        self._listen(shown_numbers(self.page), words, snapshot.t)
