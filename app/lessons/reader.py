"""Reader of lesson files; errors name the file and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from app.lessons.lesson import Case, Change, Hint, Lesson, Option, Question, Step
from app.lessons.page_facts import PAGE_FACTS, Place

FOLDER = Path(__file__).parent
NUMBER = re.compile(r"\[(\d)\]")
"""Reference to a place in a text: [1], [2] ..."""
LONGEST_RUN = 65_536
KEYS = {
    "": ("title", "page", "card", "minutes", "arrive", "window", "text", "places", "step", "settings", "change", "question",
         "try", "signs", "case"),
    "step": ("heading", "card", "text", "places", "set", "seconds", "arrive"),
    "question": ("ask", "option", "after"), "option": ("text", "why", "right"),
    "try": ("words", "hint", "card"), "hint": ("do", "expect", "places", "set", "restart", "arrive"),
    "case": ("set", "arrive", "options", "right", "why"),
}
"""Table -> allowed keys; those of [signs] and [[change]] are free."""


class LessonError(ValueError):
    """Error in a lesson file; the message names the file, the key and the valid values."""


OPENING = "opening.toml"
"""File of the opening, an introduction for beginners; it has no number and plays automatically."""


def lesson_files() -> list[Path]:
    """Return the lesson files, sorted by name."""
    return sorted(FOLDER.glob("[0-9]*.toml"))


def gather_lessons(files: Iterable[Path] | None = None) -> tuple[list[Lesson], list[str]]:
    """Return the valid lessons of some files, by default all lesson files, and one message per invalid file."""
    lessons, messages = [], []
    for file in lesson_files() if files is None else files:
        try:
            lessons.append(read_lesson(file))
        except LessonError as error:
            messages.append(str(error))
    return lessons, messages


def read_lesson(file: Path) -> Lesson:
    """Return the lesson of a file, cached until the file changes; raise LessonError for invalid content."""
    try:
        about = file.stat()
        return _read_once(file, about.st_mtime_ns, about.st_size)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{file.name}: not a TOML file: {error}.") from None


@lru_cache(maxsize=256)
def _read_once(file: Path, changed: int, size: int) -> Lesson:
    """Read a file last modified at `changed`; the immutable lesson is shared by all visits."""
    table = _Table(file.name, tomllib.loads(file.read_text(encoding="utf-8")))
    title, page = table.line("title"), table.line("page")
    if page not in PAGE_FACTS:
        table.fail(f"must be one of {', '.join(PAGE_FACTS)}; got {page!r}", "page")
    table.facts = PAGE_FACTS[page]
    table.base = settings = table.settings(table.values.get("settings", {}), "settings")
    steps, hints = _steps(table), table.table("try")
    cases = _cases(table) if "case" in table.values else ()
    return Lesson(
        file=file.name, title=title, page=page, settings=settings, steps=steps, cases=cases,
        question=cases[0].question if cases else _question(table.table("question")), hints=_hints(hints),
        changes=_changes(table), try_words=str(hints.values.get("words", "")).strip(),
        minutes=table.integer("minutes", most=60, default=3), arrive=table.epoch("arrive"), span=_span(table),
        try_side=hints.side(steps[-1].side))


class _Table:
    """Table of a lesson file; its path is part of every error message. `number` is its index among tables of its name."""

    facts: Any = None  #: `PageFacts` of the lesson's page
    base: dict[str, str] = {}  #: settings of the lesson

    def __init__(self, file: str, values: dict[str, Any], parent: _Table | None = None, name: str = "",
                 number: int | None = None) -> None:
        self.file, self.values = file, values
        self.path: tuple[str, ...] = ()
        if parent is not None:
            self.facts, self.base = parent.facts, parent.base
            self.path = (*parent.path, name if number is None else f"{name} {number}")
        for key in values:
            if key not in KEYS.get(name, values):
                self.fail(f"is an unknown key; use one of {', '.join(KEYS[name])}", key)

    def fail(self, message: str, *key: str) -> NoReturn:
        raise LessonError(f"{self.file}: {'.'.join((*self.path, *key))}: {message}.")

    def table(self, key: str) -> _Table:
        if not isinstance(self.values.get(key), dict):
            self.fail(f"is missing; write a table [{key}]", key)
        return _Table(self.file, self.values[key], self, key)

    def tables(self, key: str, least: int = 0, most: int = 99, first: int = 1) -> list[_Table]:
        tables = self.values.get(key, [])
        sound = isinstance(tables, list) and all(isinstance(one, dict) for one in tables)
        if not sound or not least <= len(tables) <= most:
            self.fail(f"must be {f'{least} to {most} ' * bool(least)}tables [[{'.'.join((*self.path, key))}]]", key)
        return [_Table(self.file, one, self, key, k) for k, one in enumerate(tables, first)]

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            self.fail(f"must be text; got {value!r}" if key in self.values else "is missing", key)
        return value

    def line(self, key: str) -> str:
        """Return a text as one line."""
        return " ".join(self.text(key).split())

    def integer(self, key: str, *, most: int, default: int = 0, needed: bool = False) -> int:
        value = self.values.get(key, default)
        if (needed or key in self.values) and not (type(value) is int and 1 <= value <= most):
            self.fail(f"must be a whole number from 1 to {most:,}; got {value!r}", key)
        return value

    def epoch(self, key: str, needed: bool = False) -> int:
        """Return an epoch, or 0 if the key is absent; refused on pages without epochs."""
        if needed or key in self.values:
            self.timed(key)
        return self.integer(key, most=LONGEST_RUN - 1, needed=needed)

    def timed(self, key: str) -> None:
        if not self.facts.timed:
            self.fail(f"the page {self.facts.label} has no epochs", key)

    def side(self, default: str) -> str:
        side = self.values.get("card", default)
        if side not in self.facts.sides:
            self.fail(f"must be one of {', '.join(self.facts.sides)}; got {side!r}", "card")
        return side

    def places(self) -> tuple[Place, ...]:
        names, places = self.values.get("places", []), self.facts.places
        if not isinstance(names, list) or len(names) > 5:
            self.fail("must be a list of at most five names", "places")
        for name in names:
            if name not in places:
                self.fail(f"the page {self.facts.label} has no place {name!r}; it has {', '.join(places)}", "places")
        return tuple(places[name] for name in names)

    def optional_set(self) -> dict[str, str] | None:
        """Return the settings of the key `set`; None if it is absent."""
        return self.settings(self.values["set"], "set") if "set" in self.values else None

    def settings(self, values: Any, *key: str) -> dict[str, str]:
        """Return values as URL parameters of the page, validated together with the settings of the lesson."""
        if not isinstance(values, dict):
            self.fail("must be a table of URL parameters", *key)
        query = {}
        for name, value in values.items():
            if name not in self.facts.keys:
                self.fail(f"the page {self.facts.label} has no such URL parameter; it has {', '.join(self.facts.keys)}",
                           *key, name)
            if not isinstance(value, str | int | float):
                self.fail(f"must be a number, true, false or a text; got {value!r}", *key, name)
            query[name] = str(int(value)) if isinstance(value, bool) else str(value)
        messages = self.facts.state.from_query(self.base | query)[1]
        if messages:
            self.fail(" ".join(messages).rstrip("."), *key)
        return query


def _steps(table: _Table) -> tuple[Step, ...]:
    """Return the steps: the text at the top of the file, if any, then the tables [[step]]."""
    side = table.side("left")
    head = [table] if "text" in table.values or not table.values.get("step") else []
    return tuple(_step(one, side) for one in [*head, *table.tables("step", first=len(head) + 1)])


def _step(table: _Table, side: str) -> Step:
    places, head = table.places(), not table.path
    return Step(_paragraphs(table, len(places)), places, side=table.side(side), settings=table.optional_set(),
                heading=table.line("heading") if "heading" in table.values else "",
                seconds=table.integer("seconds", most=600), arrive=0 if head else table.epoch("arrive"))


def _paragraphs(table: _Table, places: int) -> tuple[str, ...]:
    text = table.text("text")
    used = [int(number) for number in NUMBER.findall(text)]
    names = ", ".join(f"[{n}]" for n in used) or "none"
    if set(used) != set(range(1, places + 1)):
        table.fail(f"must name each of the {places} places as [1] to [{places}]; it names {names}", "text")
    if list(dict.fromkeys(used)) != sorted(set(used)):
        table.fail(f"must name its places in order; it names {names}", "text")
    return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def _span(table: _Table) -> tuple[int, int] | None:
    if "window" not in table.values:
        return None
    table.timed("window")
    span = table.values["window"]
    numbers = isinstance(span, list) and len(span) == 2 and all(type(one) is int for one in span)
    if not numbers or not 8 <= span[0] < span[1] <= LONGEST_RUN:
        table.fail(f"must be the first and the last epoch, from 8 to {LONGEST_RUN:,}; got {span!r}", "window")
    return tuple(span)


def _question(table: _Table) -> Question:
    options = [Option(option.line("text"), option.line("why"), option.values.get("right") is True)
               for option in table.tables("option", 2, 4)]
    if sum(option.right for option in options) != 1:
        table.fail("exactly one of them must have right = true", "option")
    return Question(table.line("ask"), tuple(options), table.epoch("after"))


def _cases(table: _Table) -> tuple[Case, ...]:
    """Return the cases; the explanations of wrong options are those of [signs]."""
    signs, ask, cases = table.table("signs"), table.table("question").line("ask"), []
    for case in table.tables("case"):
        right, why, names = case.line("right"), case.line("why"), case.values.get("options", [])
        if not 2 <= len(names) <= 4 or right not in names or not set(names) <= set(signs.values):
            case.fail(f"must be two to four of [signs], {right!r} among them; got {names!r}", "options")
        options = tuple(Option(name, why if name == right else signs.line(name), name == right) for name in names)
        cases.append(Case(case.optional_set() or {}, Question(ask, options), case.epoch("arrive") or table.epoch("arrive")))
    return tuple(cases)


def _hints(table: _Table) -> tuple[Hint, ...]:
    return tuple(Hint(hint.line("do"), hint.line("expect"), hint.places(), hint.optional_set(),
                      hint.values.get("restart") is True, hint.epoch("arrive")) for hint in table.tables("hint", 1, 3))


def _changes(table: _Table) -> tuple[Change, ...]:
    changes = []
    for entry in table.tables("change"):
        epoch = entry.epoch("epoch", needed=True)
        turned = {name: value for name, value in entry.values.items() if name != "epoch"}
        if not turned:
            entry.fail("has no setting to change; add one", "epoch")
        for name in turned.keys() & set(table.facts.fixed):
            entry.fail("cannot change in the middle of a run; set it in [settings]", name)
        changes.append(Change(epoch, entry.settings(turned)))
    return tuple(sorted(changes, key=lambda change: change.epoch))
