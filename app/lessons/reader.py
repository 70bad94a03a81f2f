"""Reads lessons from their files; what is wrong is said in words that name the file and the key."""

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
"""How the text names a place: [1], [2] ..."""
LONGEST_RUN = 65_536
KEYS = {
    "": ("title", "page", "card", "minutes", "arrive", "window", "text", "places", "step", "settings", "change", "question",
         "try", "signs", "case"),
    "step": ("heading", "card", "text", "places", "set", "seconds", "arrive"),
    "question": ("ask", "option", "after"), "option": ("text", "why", "right"),
    "try": ("words", "hint", "card"), "hint": ("do", "expect", "places", "set", "restart", "arrive"),
    "case": ("set", "arrive", "options", "right", "why"),
}
"""Table -> the keys it may have; those of [signs] and [[change]] are free."""


class LessonError(ValueError):
    """A lesson's file is wrong; the words name the file, the key and what would be right."""


OPENING = "opening.toml"
"""The file of the opening, for those who have never heard of any of it; it has no number and plays by itself."""


def lesson_files() -> list[Path]:
    """Return the files of the story in the order of their names."""
    return sorted(FOLDER.glob("[0-9]*.toml"))


def gather_lessons(files: Iterable[Path] | None = None) -> tuple[list[Lesson], list[str]]:
    """Read some files, by default those of the story: the sound lessons, and one sentence for each that is left out."""
    lessons, words = [], []
    for file in lesson_files() if files is None else files:
        try:
            lessons.append(read_lesson(file))
        except LessonError as error:
            words.append(str(error))
    return lessons, words


def read_lesson(file: Path) -> Lesson:
    """Read one lesson; LessonError when anything in it is wrong. A file that has not changed is read once."""
    try:
        about = file.stat()
        return _read_once(file, about.st_mtime_ns, about.st_size)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{file.name}: not a TOML file: {error}.") from None


@lru_cache(maxsize=256)
def _read_once(file: Path, changed: int, size: int) -> Lesson:
    """Read a file as it is since `changed`; every visit shows the same lessons, which nothing alters."""
    table = _Table(file.name, tomllib.loads(file.read_text(encoding="utf-8")))
    title, page = table.words("title"), table.words("page")
    if page not in PAGE_FACTS:
        table.wrong(f"no lesson can be told on {page!r}; choose one of {', '.join(PAGE_FACTS)}", "page")
    table.facts = PAGE_FACTS[page]
    table.base = settings = table.settings(table.values.get("settings", {}), "settings")
    steps, hints = _steps(table), table.table("try")
    cases = _cases(table) if "case" in table.values else ()
    return Lesson(
        file=file.name, title=title, page=page, settings=settings, steps=steps, cases=cases,
        question=cases[0].question if cases else _question(table.table("question")), hints=_hints(hints),
        changes=_changes(table), try_words=str(hints.values.get("words", "")).strip(),
        minutes=table.whole("minutes", most=60, default=3), arrive=table.epoch("arrive"), span=_span(table),
        try_side=hints.side(steps[-1].side))


class _Table:
    """One table of a lesson's file, its place in which every message names; `number` is which of several it is."""

    facts: Any = None  #: of the lesson's page
    base: dict[str, str] = {}  #: the lesson's own settings

    def __init__(self, file: str, values: dict[str, Any], parent: _Table | None = None, name: str = "",
                 number: int | None = None) -> None:
        self.file, self.values = file, values
        self.path: tuple[str, ...] = ()
        if parent is not None:
            self.facts, self.base = parent.facts, parent.base
            self.path = (*parent.path, name if number is None else f"{name} {number}")
        for key in values:
            if key not in KEYS.get(name, values):
                self.wrong(f"is not known here; known are {', '.join(KEYS[name])}", key)

    def wrong(self, words: str, *key: str) -> NoReturn:
        raise LessonError(f"{self.file}: {'.'.join((*self.path, *key))}: {words}.")

    def table(self, key: str) -> _Table:
        if not isinstance(self.values.get(key), dict):
            self.wrong(f"is missing; write a table [{key}]", key)
        return _Table(self.file, self.values[key], self, key)

    def tables(self, key: str, least: int = 0, most: int = 99, first: int = 1) -> list[_Table]:
        tables = self.values.get(key, [])
        sound = isinstance(tables, list) and all(isinstance(one, dict) for one in tables)
        if not sound or not least <= len(tables) <= most:
            self.wrong(f"must be {f'{least} to {most} ' * bool(least)}tables [[{'.'.join((*self.path, key))}]]", key)
        return [_Table(self.file, one, self, key, k) for k, one in enumerate(tables, first)]

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            self.wrong(f"must be text; got {value!r}" if key in self.values else "is missing", key)
        return value

    def words(self, key: str) -> str:
        """Return a text in one line."""
        return " ".join(self.text(key).split())

    def whole(self, key: str, *, most: int, default: int = 0, needed: bool = False) -> int:
        value = self.values.get(key, default)
        if (needed or key in self.values) and not (type(value) is int and 1 <= value <= most):
            self.wrong(f"must be a whole number from 1 to {most:,}; got {value!r}", key)
        return value

    def epoch(self, key: str, needed: bool = False) -> int:
        """Return an epoch of a page that has them; 0 where none is named."""
        if needed or key in self.values:
            self.timed(key)
        return self.whole(key, most=LONGEST_RUN - 1, needed=needed)

    def timed(self, key: str) -> None:
        if not self.facts.timed:
            self.wrong(f"the page {self.facts.label} has no epochs", key)

    def side(self, default: str) -> str:
        side = self.values.get("card", default)
        if side not in self.facts.sides:
            self.wrong(f"must be one of {', '.join(self.facts.sides)}; got {side!r}", "card")
        return side

    def places(self) -> tuple[Place, ...]:
        names, places = self.values.get("places", []), self.facts.places
        if not isinstance(names, list) or len(names) > 5:
            self.wrong("must be a list of at most five names", "places")
        for name in names:
            if name not in places:
                self.wrong(f"the page {self.facts.label} has no place {name!r}; it has {', '.join(places)}", "places")
        return tuple(places[name] for name in names)

    def turned(self) -> dict[str, str] | None:
        """Return what the key `set` turns; None where there is none."""
        return self.settings(self.values["set"], "set") if "set" in self.values else None

    def settings(self, values: Any, *key: str) -> dict[str, str]:
        """Return URL parameters of the page as a link holds them, in range together with the lesson's own."""
        if not isinstance(values, dict):
            self.wrong("must be a table of URL parameters", *key)
        query = {}
        for name, value in values.items():
            if name not in self.facts.keys:
                self.wrong(f"the page {self.facts.label} has no such URL parameter; it has {', '.join(self.facts.keys)}",
                           *key, name)
            if not isinstance(value, str | int | float):
                self.wrong(f"must be a number, true, false or a word; got {value!r}", *key, name)
            query[name] = str(int(value)) if isinstance(value, bool) else str(value)
        words = self.facts.state.from_query(self.base | query)[1]
        if words:
            self.wrong(" ".join(words).rstrip("."), *key)
        return query


def _steps(table: _Table) -> tuple[Step, ...]:
    """Return the steps: the text at the head of the file is the first, tables [[step]] follow."""
    side = table.side("left")
    head = [table] if "text" in table.values or not table.values.get("step") else []
    return tuple(_step(one, side) for one in [*head, *table.tables("step", first=len(head) + 1)])


def _step(table: _Table, side: str) -> Step:
    places, head = table.places(), not table.path
    return Step(_paragraphs(table, len(places)), places, side=table.side(side), settings=table.turned(),
                heading=table.words("heading") if "heading" in table.values else "",
                seconds=table.whole("seconds", most=600), arrive=0 if head else table.epoch("arrive"))


def _paragraphs(table: _Table, places: int) -> tuple[str, ...]:
    text = table.text("text")
    used = [int(number) for number in NUMBER.findall(text)]
    names = ", ".join(f"[{n}]" for n in used) or "none"
    if set(used) != set(range(1, places + 1)):
        table.wrong(f"must name each of the {places} places as [1] to [{places}]; it names {names}", "text")
    if list(dict.fromkeys(used)) != sorted(set(used)):
        table.wrong(f"must name its places in order; it names {names}", "text")
    return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def _span(table: _Table) -> tuple[int, int] | None:
    if "window" not in table.values:
        return None
    table.timed("window")
    span = table.values["window"]
    numbers = isinstance(span, list) and len(span) == 2 and all(type(one) is int for one in span)
    if not numbers or not 8 <= span[0] < span[1] <= LONGEST_RUN:
        table.wrong(f"must be the first and the last epoch, from 8 to {LONGEST_RUN:,}; got {span!r}", "window")
    return tuple(span)


def _question(table: _Table) -> Question:
    options = [Option(option.words("text"), option.words("why"), option.values.get("right") is True)
               for option in table.tables("option", 2, 4)]
    if sum(option.right for option in options) != 1:
        table.wrong("exactly one of them must have right = true", "option")
    return Question(table.words("ask"), tuple(options), table.epoch("after"))


def _cases(table: _Table) -> tuple[Case, ...]:
    """Tables [[case]]: what each sets, the answers to choose among, the right one and why; [signs] say why not."""
    signs, ask, cases = table.table("signs"), table.table("question").words("ask"), []
    for case in table.tables("case"):
        right, why, names = case.words("right"), case.words("why"), case.values.get("options", [])
        if not 2 <= len(names) <= 4 or right not in names or not set(names) <= set(signs.values):
            case.wrong(f"must be two to four of [signs], {right!r} among them; got {names!r}", "options")
        options = tuple(Option(name, why if name == right else signs.words(name), name == right) for name in names)
        cases.append(Case(case.turned() or {}, Question(ask, options), case.epoch("arrive") or table.epoch("arrive")))
    return tuple(cases)


def _hints(table: _Table) -> tuple[Hint, ...]:
    return tuple(Hint(hint.words("do"), hint.words("expect"), hint.places(), hint.turned(),
                      hint.values.get("restart") is True, hint.epoch("arrive")) for hint in table.tables("hint", 1, 3))


def _changes(table: _Table) -> tuple[Change, ...]:
    changes = []
    for entry in table.tables("change"):
        epoch = entry.epoch("epoch", needed=True)
        turned = {name: value for name, value in entry.values.items() if name != "epoch"}
        if not turned:
            entry.wrong("nothing changes there; name a setting", "epoch")
        for name in turned.keys() & set(table.facts.fixed):
            entry.wrong("cannot change in the middle of a run; set it in [settings]", name)
        changes.append(Change(epoch, entry.settings(turned)))
    return tuple(sorted(changes, key=lambda change: change.epoch))
