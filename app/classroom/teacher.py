"""`Teacher`: the visit whose page the room follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import panel as pn

from app.classroom.answers import question_key
from app.classroom.class_panel import ClassPanel
from app.classroom.member import Member
from app.classroom.room import EACH
from app.connection import Connection
from app.ordered_messages import in_order
from app.state.live import LiveState

if TYPE_CHECKING:
    from app.classroom.member import ClassChrome
    from app.classroom.room import Room
    from app.lessons.story import Story

LOOK_EVERY = 400
"""Milliseconds between two looks at how many are here and what they have answered."""
ELSEWHERE = "Another window of yours leads the class now. Reload this page to lead from here."


class Teacher(Member):
    """Leads the room: what its page shows, the room shows.

    A teacher who comes back finds the room as it was left: the run is replayed to its epoch.
    """

    def __init__(self, room: Room, by_link: bool = False) -> None:
        super().__init__()
        self._room, self._connection = room, Connection()
        self._story: Story | None = None
        self._front: tuple[Any, str] | None = None
        self._seen = False
        self.panel = ClassPanel(role="teacher", code=room.code, secret=room.secret if by_link else "")
        self._looking = pn.io.PeriodicCallback(callback=self._look, period=LOOK_EVERY, background=True, log=False)

    @property
    def here(self) -> bool:
        """Whether the browser is connected."""
        return self._connection.here

    def query(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return where the room stands; before its first picture, what was asked for with chains for every seat."""
        self._room.lead(self)
        asked = {key: value for key, value in query.items() if key not in ("teacher", "class")}
        resumed = self._room.resumed()
        if resumed:
            return {key: asked[key] for key in ("theme",) if key in asked} | resumed
        most = LiveState.param.chains.bounds[1]
        return {"chains": str(min(EACH * self._room.size, int(most)))} | asked

    def story(self, chrome: ClassChrome, keys: list[str]) -> Story:
        """Return the story, whose question the room answers."""
        self._story = super().story(chrome, keys)
        self._story.card.reveal = self._reveal
        return self._story

    def begin(self, dark: bool) -> bool:
        """Begin to look at the room."""
        pn.state.onload(self._looking.start)
        return False

    def front(self, page: Any, label: str) -> None:
        """Let the room follow this page, where it can be followed."""
        self._front = page, label
        self._room.show(self, getattr(page, "engine", None), label, page if getattr(page, "shows_epoch", False) else None)

    def lesson(self, told: str | None) -> None:
        """Open the lesson for the room."""
        self._room.tell(self, told, self._story.case)

    def _reveal(self) -> None:
        lesson = self._story.lesson
        if lesson is not None:
            self._room.answers.reveal(question_key(lesson, self._story.case))
            self._look()

    def _look(self) -> None:
        room, story = self._room, self._story
        with in_order():
            _hide_secret()
            self.panel.tell(present=room.seats.present, words="" if room.leads(self) else ELSEWHERE)
            lesson = story.lesson if story is not None else None
            if lesson is None:
                return
            key = question_key(lesson, story.case)
            counts = room.answers.counts(key, len(lesson.question.options))
            poll = {"leads": True, "counts": counts, "of": max(room.seats.present, sum(counts)),
                    "revealed": room.answers.revealed(key)}
            if poll != story.card.poll:
                story.card.poll = poll


def _hide_secret() -> None:
    """Take the secret out of the address bar, which a class may see; the browser keeps it in a cookie (`TeacherCookie`)."""
    location = pn.state.location
    if location is not None:
        query = location.query_params
        if query.pop("teacher", None) is not None:
            location.search = f"?{urlencode(query)}" if query else ""
