"""From what was asked for, a link, a lesson or a run of Live as it was lived, to a `Plan`; errors in words."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from app.lessons.lesson import Lesson
from app.lessons.page_facts import told_pages
from app.lessons.reader import gather_lessons
from app.live.moment import Moment, moment_in
from app.live.snapshot import HORIZON
from app.live.timeline import Change
from app.recording.exit_plan import ExitPlan
from app.recording.lesson_text import part_epochs
from app.recording.pace import Pace, even_pace, rate_of
from app.recording.plan import Plan
from app.state.live import SPEEDS, LiveConfig, LiveState
from app.state.own_data_defaults import OWN

EPOCHS = 300
"""Of a recording, unless said otherwise."""
_LESSON = re.compile(r"(?:lesson[-_ ]?)?(\w+)")
_OTHER_KEYS = ("v", "page", "theme", "lesson", "t", "log")


def plan_of(asked: str, epochs: int | None = None) -> Plan | ExitPlan:
    """Return the plan of a link or a lesson: "lesson-2", "too_hot", or a link of the Live page, whole or from its "?" on.

    Raises
    ------
    ValueError
        In words: no such lesson, not a link of Live, a link cut off, data that are not here, epochs out of range.
    """
    asked = asked.strip()
    name = _LESSON.fullmatch(asked)
    return plan_of_lesson(name[1], epochs) if name else plan_of_link(asked, epochs)


def plan_of_link(link: str, epochs: int | None = None) -> Plan | ExitPlan:
    """Return the plan of a link of the Live page, from its first datum."""
    query = _query(link)
    if "lesson" in query:
        plan = plan_of_lesson(_key_of(query["lesson"]), epochs)
        return _as_lived(plan, query, epochs, link) if "t" in query and isinstance(plan, Plan) else plan
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


def plan_of_lesson(asked: str, epochs: int | None = None) -> Plan | ExitPlan:
    """Return the plan of a lesson: its key, such as too_hot, or its number in the list of lessons, from 0."""
    lessons, words = gather_lessons(told_pages())
    keys = [lesson.key for lesson in lessons]
    at = keys.index(asked) if asked in keys else int(asked[:9]) if asked.isdecimal() else -1
    if not 0 <= at < len(lessons):
        raise ValueError(f"lesson must be a number from 0 to {len(keys) - 1} or one of {', '.join(keys)}; got"
                         f" {asked[:40]!r}. Choose one, or give a whole link of the Live page. {' '.join(words)}".rstrip())
    lesson = lessons[at]
    if lesson.cases:
        raise ValueError(f"lesson {lesson.key}, “{lesson.title}”, waits for answers, which a recording cannot take; recorded"
                         f" are {', '.join(recorded_lessons())}. Choose one of these.")
    if lesson.page != "live":
        if epochs is not None:
            raise ValueError(f"epochs cannot be chosen for lesson {lesson.key}, “{lesson.title}”: it is about one epoch and"
                             f" all its steps; got {epochs}. Leave it out.")
        return ExitPlan.of(lesson, at)
    until = (lesson.until or max(EPOCHS, lesson.arrive + 100)) if epochs is None else epochs
    config, changes, pace = _played(lesson, until)
    return Plan(config, until, pace, changes, lesson=lesson, number=at, source=f"lesson {lesson.key}")


def _as_lived(lesson: Plan, query: dict[str, str], epochs: int | None, link: str) -> Plan:
    """Return a lesson as the link's history has it: every knob that was turned, up to the epoch that the link shows."""
    query = lesson.lesson.query() | query
    config, words = LiveState.from_query(query)
    moment, more = moment_in(query, config, HORIZON)
    if moment is None:
        return replace(lesson, words=(*words, *more))
    plan = plan_of_moment(config, moment, epochs, link, (*words, *more))
    due = [change for change in lesson.lesson.changes if change.epoch > moment.t]
    later = _changes(config, query, [(change.epoch, change.settings) for change in due])
    return replace(plan, pace=lesson.pace, changes=(*plan.changes, *later), lesson=lesson.lesson, number=lesson.number)


def _changes(config: LiveConfig, query: dict[str, str], made: list[tuple[int, dict[str, str]]]) -> list[Change]:
    """Return what settings made at the ends of epochs change in the run; query are those in force before."""
    found = []
    for epoch, settings in made:
        query = query | settings
        before, config = config, LiveState.from_query(query)[0]
        if (config.settings, config.escape_radius) != (before.settings, before.escape_radius):
            found.append(Change(epoch, None, config.settings, config.escape_radius))
    return found


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


def _key_of(given: str) -> str:
    """Return the key of the lesson that a link names, perhaps with a step; a number is the one it had in version 0.4."""
    key = given.partition(".")[0]
    was = {lesson.was: lesson.key for lesson in gather_lessons(told_pages())[0] if lesson.was is not None}
    return was.get(int(key[:9]), key) if key.isdecimal() else key


def recorded_lessons() -> list[str]:
    """Return the keys of the lessons that can be recorded: all but a test whose cases wait for answers."""
    return [lesson.key for lesson in gather_lessons(told_pages())[0] if not lesson.cases]


def lesson_plans(epochs: int | None = None) -> list[Plan | ExitPlan]:
    """Return the plans of all recorded lessons; `epochs` holds for those that are told on Live."""
    timed = {lesson.key: lesson.page == "live" for lesson in gather_lessons(told_pages())[0]}
    return [plan_of_lesson(key, epochs if timed[key] else None) for key in recorded_lessons()]


def _played(lesson: Lesson, until: int) -> tuple[LiveConfig, tuple[Change, ...], Pace]:
    """What the lesson begins with, the changes it and its steps make by themselves, and how fast it plays."""
    query = lesson.query()
    first = LiveState.from_query(query)[0]
    made = [*((change.epoch, change.settings) for change in lesson.changes), *_set_by_steps(lesson, until)]
    made.sort(key=lambda one: one[0])
    turned = [(epoch, settings["speed"]) for epoch, settings in made if "speed" in settings]
    starts, rates = [0.0], [_rate(lesson.pace) if lesson.pace else rate_of(first.speed)]
    for epoch, speed in turned:
        starts.append(float(epoch))
        rates.append(_rate(speed))
    return first, tuple(_changes(first, query, made)), Pace(tuple(starts), tuple(rates))


def _rate(speed: str) -> float:
    return rate_of(LiveState.from_query({"speed": speed})[0].speed)


def _set_by_steps(lesson: Lesson, until: int) -> list[tuple[int, dict[str, str]]]:
    """Return the epoch at which each later step is shown, with what it sets."""
    found, last = [], lesson.steps[0]
    for epoch, (step, _) in zip(part_epochs(lesson, until), lesson.parts, strict=True):
        if step is not last and step.settings:
            found.append((epoch, step.settings))
        last = step
    return found


def _query(link: str) -> dict[str, str]:
    """Return the parameters of a link; ValueError for one that is none, or was cut off."""
    text = urlsplit(link).query if "?" in link else link.partition("#")[0]
    if "=" not in text:
        raise ValueError(f"link must be a link of the Live page or a lesson such as lesson-2; got {link[:60]!r}. Press"
                         " Share on Live and copy the whole link.")
    parts = [part for part in text.split("&") if part]
    for part in parts:
        if "=" not in part or part.endswith("=") or part.endswith("%"):
            raise ValueError(f"link seems to be cut off at {part[:40]!r}: a parameter has no value. Copy the whole link.")
    return dict(parse_qsl(text))
