"""From what was asked for, a link, a lesson or a run of Live as it was lived, to a `Plan`; errors in words."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from app.lessons.lesson import Lesson
from app.lessons.page_facts import told_pages
from app.lessons.reader import LessonError, lesson_files, read_lesson
from app.live.moment import Moment, moment_in
from app.live.snapshot import HORIZON
from app.live.timeline import Change
from app.recording.pace import Pace, even_pace, rate_of
from app.recording.plan import Plan
from app.state.live import SPEEDS, LiveConfig, LiveState
from app.state.own_data_defaults import OWN

EPOCHS = 300
"""Of a recording, unless said otherwise."""
_LESSON = re.compile(r"(?:lesson[-_ ]?)?(\d+)", re.IGNORECASE)
_OTHER_KEYS = ("v", "page", "theme", "lesson", "t", "log")


def plan_of(asked: str, epochs: int | None = None) -> Plan:
    """Return the plan of a link or a lesson: "lesson-3", "3", or a link of the Live page, whole or from its "?" on.

    Raises
    ------
    ValueError
        In words: no such lesson, not a link of Live, a link cut off, data that are not here, epochs out of range.
    """
    asked = asked.strip()
    number = _LESSON.fullmatch(asked)
    return plan_of_lesson(int(number[1]), epochs) if number else plan_of_link(asked, epochs)


def plan_of_link(link: str, epochs: int | None = None) -> Plan:
    """Return the plan of a link of the Live page, from its first datum."""
    query = _query(link)
    if "lesson" in query:
        return plan_of_lesson(_whole(query["lesson"]), epochs)
    page = query.get("page", "live")
    if page != "live":
        raise ValueError(f"link must be one of the Live page, which moves; this one is of the page {page!r}. Open Live,"
                         " press Share and copy the link.")
    if query.get("problem") == OWN:
        raise ValueError("link was made on somebody's own data, which are in no link and not here. Open Live with those data"
                         " and choose Share, Save as a page.")
    config, words = LiveState.from_query(query)
    known = (*(knob.key for knob in LiveState.linked().values()), *_OTHER_KEYS)
    words += [f"The link's {key!r} is not known here; it was left out." for key in query if key not in known]
    if SPEEDS[config.speed][1] == "steps":
        words.append(f"The link's speed counts single steps; the recording plays {rate_of(config.speed):g} epochs a second.")
    moment, more = moment_in(query, config, HORIZON)
    if moment is not None:
        return plan_of_moment(config, moment, epochs, link, (*words, *more))
    epochs = EPOCHS if epochs is None else epochs
    return Plan(config, epochs, even_pace(config.speed, max(epochs, 1)), source=link, words=tuple(words))


def plan_of_lesson(number: int, epochs: int | None = None) -> Plan:
    """Return the plan of a lesson, 1 to the number of lessons."""
    lessons = {k: file for k, file in enumerate(lesson_files(), 1)}
    if number not in lessons:
        raise ValueError(f"lesson must be from 1 to {len(lessons)}; got {number}. Choose one, such as lesson-3.")
    try:
        lesson = read_lesson(lessons[number], told_pages())
    except LessonError as wrong:
        raise ValueError(str(wrong)) from None
    if lesson.page != "live":
        raise ValueError(f"lesson {number}, “{lesson.title}”, is told on the Exit time page, which has no chains that move;"
                         f" recorded are {', '.join(str(k) for k in recorded_lessons())}. Choose one of these.")
    config, changes, pace = _played(lesson)
    return Plan(config, lesson.until or EPOCHS if epochs is None else epochs, pace, changes, lesson=lesson, number=number,
                source=f"lesson-{number}")


def plan_of_moment(config: LiveConfig, moment: Moment, epochs: int | None = None, link: str = "",
                   words: tuple[str, ...] = (), names: bool = True) -> Plan:
    """Return the plan of a run as it was lived, from its first datum to the epoch of a moment.

    Parameters
    ----------
    config : LiveConfig
        As it stands at the moment.
    moment : Moment
    epochs : int, optional
        Where it ends; the moment's epoch unless said otherwise.
    link, words, names
        See `Plan`.

    Raises
    ------
    ValueError
        When the run has had so many changes that its beginning has been forgotten.
    """
    if not moment.whole:
        raise ValueError("run must be known from its start to be recorded; this one has had so many changes that the first"
                         " are forgotten. Press Restart, and record the new run.")
    first = config.replace(moment.first[0], escape_radius=moment.first[1])
    epochs = max(moment.t, 1) if epochs is None else epochs
    return Plan(first, epochs, even_pace(config.speed, max(epochs, 1)), moment.way, source=link, words=words, names=names)


def recorded_lessons() -> list[int]:
    """Return the numbers of the lessons told on Live, which are those that can be recorded."""
    found = []
    for number, file in enumerate(lesson_files(), 1):
        if read_lesson(file, told_pages()).page == "live":
            found.append(number)
    return found


def _played(lesson: Lesson) -> tuple[LiveConfig, tuple[Change, ...], Pace]:
    """What the lesson begins with, the changes it makes by itself, and how fast it plays."""
    query = lesson.query()
    first = config = LiveState.from_query(query)[0]
    changes, starts, rates = [], [0.0], [rate_of(first.speed)]
    for change in lesson.changes:
        query |= change.settings
        before, config = config, LiveState.from_query(query)[0]
        if config.speed != before.speed:
            starts.append(float(change.epoch))
            rates.append(rate_of(config.speed))
        if (config.settings, config.escape_radius) != (before.settings, before.escape_radius):
            changes.append(Change(change.epoch, None, config.settings, config.escape_radius))
    return first, tuple(changes), Pace(tuple(starts), tuple(rates))


def _query(link: str) -> dict[str, str]:
    """Return the parameters of a link; ValueError for one that is none, or was cut off."""
    text = urlsplit(link).query if "?" in link else link.partition("#")[0]
    if "=" not in text:
        raise ValueError(f"link must be a link of the Live page or a lesson such as lesson-3; got {link[:60]!r}. Press"
                         " Share on Live and copy the whole link.")
    parts = [part for part in text.split("&") if part]
    for part in parts:
        if "=" not in part or part.endswith("=") or part.endswith("%"):
            raise ValueError(f"link seems to be cut off at {part[:40]!r}: a parameter has no value. Copy the whole link.")
    return dict(parse_qsl(text))


def _whole(text: str) -> int:
    if not text.isdigit():
        raise ValueError(f"lesson must be a number; the link says {text[:40]!r}. Copy the whole link.")
    return int(text)
