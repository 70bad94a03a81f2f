"""Reads lessons from their files; what is wrong is said in words that name the file and the key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.lessons.lesson import Case, Change, Hint, Lesson, Option, Question, Step
from app.lessons.page_facts import PageFacts, facts_of, told_pages
from app.lessons.places import Place

FOLDER = Path(__file__).parent
NUMBER = re.compile(r"\[(\d)\]")
"""How the text names a place: [1], [2] ..."""
LONGEST_RUN = 65_536


class LessonError(ValueError):
    """A lesson's file is wrong; the words name the file, the key and what would be right."""


OPENING = "opening.toml"
"""The file of the opening, for those who have never heard of any of it; it has no number and plays by itself."""


def lesson_files(folder: Path = FOLDER) -> list[Path]:
    """Return the files of the story in the order of their names."""
    return sorted(file for file in folder.glob("*.toml") if file.name != OPENING)


def gather_lessons(pages: Iterable[str], folder: Path = FOLDER) -> tuple[list[Lesson], list[str]]:
    """Read the story in the order of the file names: the sound lessons, and one sentence for each that is left out."""
    known, lessons, words = tuple(pages), [], []
    for file in lesson_files(folder):
        try:
            lessons.append(read_lesson(file, known))
        except LessonError as wrong:
            words.append(str(wrong))
    return lessons, words


def read_lesson(file: Path, pages: Iterable[str]) -> Lesson:
    """Read one lesson; LessonError when anything in it is wrong. A file that has not changed is read once."""
    try:
        about = file.stat()
    except OSError as wrong:
        raise LessonError(f"{file.name}: cannot be read: {wrong}.") from None
    return _read_once(file, tuple(pages), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=256)
def _read_once(file: Path, pages: tuple[str, ...], changed: int, size: int) -> Lesson:
    """Read a file as it is since `changed`; every visit shows the same lessons, which nothing alters."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as wrong:
        raise LessonError(f"{file.name}: not a TOML file: {wrong}.") from None
    except (OSError, UnicodeDecodeError) as wrong:
        raise LessonError(f"{file.name}: cannot be read: {wrong}.") from None
    return _Reader(file.name, pages).lesson(table)


class _Reader:
    """Checks one table; every message begins with the file's name."""

    def __init__(self, file: str, pages: tuple[str, ...]) -> None:
        self._file, self._pages = file, pages
        self._facts: PageFacts

    def lesson(self, table: dict[str, Any]) -> Lesson:
        self._known(table, "", ("title", "page", "card", "minutes", "arrive", "window", "was", "text", "places", "step",
                                "settings", "change", "question", "try", "recording", "signs", "case"))
        title = self._words(table, "title")
        self._facts = self._page(self._words(table, "page"))
        settings = self._settings(table.get("settings", {}), "settings")
        steps = self._steps(table)
        try_ = self._table(table, "try")
        self._known(try_, "try.", ("words", "hint", "card"))
        cases = self._cases(table, settings) if "case" in table else ()
        question = cases[0].question if cases else self._question(self._table(table, "question"))
        lesson = Lesson(self._file, title, self._facts.key, settings, steps, question, self._hints(try_.get("hint")),
                        self._changes(table.get("change", []), settings), str(try_.get("words", "")).strip(),
                        self._whole(table, "minutes", 1, 60, 3), self._arrive(table), self._span(table),
                        self._whole(table, "was", 1, 99, None), self._side(try_, "try.", steps[-1].side),
                        cases=cases)
        return self._recorded(lesson, self._table(table, "recording")) if "recording" in table else lesson

    def _steps(self, table: dict[str, Any]) -> tuple[Step, ...]:
        """The text at the head of the file is the first step; tables [[step]] follow."""
        more = table.get("step", [])
        if not isinstance(more, list):
            self._wrong("step", "must be tables [[step]]")
        side = self._side(table, "", "left")
        steps = [self._step(table, "", side)] if "text" in table or not more else []
        for k, step in enumerate(more, len(steps) + 1):
            where = f"step {k}."
            self._known(step, where, ("heading", "card", "text", "places", "set", "seconds", "arrive"))
            steps.append(self._step(step, where, side))
        return tuple(steps)

    def _step(self, table: dict[str, Any], where: str, side: str) -> Step:
        places = self._places(table.get("places", []), f"{where}places")
        heading = self._words(table, "heading", where) if "heading" in table else ""
        settings = self._settings(table["set"], f"{where}set") if "set" in table else None
        return Step(self._text(self._words(table, "text", where), len(places), where), places, heading,
                    self._side(table, where, side), settings, self._whole(table, "seconds", 1, 600, 0),
                    self._arrive(table, where) if where else 0)

    def _side(self, table: dict[str, Any], where: str, usual: str) -> str:
        side = table.get("card", usual)
        if side not in self._facts.sides:
            self._wrong(f"{where}card", f"must be one of {', '.join(self._facts.sides)}; got {side!r}")
        return side

    def _whole(self, table: dict[str, Any], key: str, low: int, high: int, usual: Any) -> Any:
        value = table.get(key, usual)
        if value is not usual and (not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high):
            self._wrong(key, f"must be a whole number from {low:,} to {high:,}; got {value!r}")
        return value

    def _arrive(self, table: dict[str, Any], where: str = "", key: str = "arrive") -> int:
        if key in table and not self._facts.timed:
            self._wrong(f"{where}{key}", f"the page {self._facts.label} has no epochs to arrive at")
        return self._whole(table, key, 1, LONGEST_RUN - 1, 0)

    def _span(self, table: dict[str, Any]) -> tuple[int, int] | None:
        span = table.get("window")
        if span is None:
            return None
        if not self._facts.timed:
            self._wrong("window", f"the page {self._facts.label} has no charts against the epoch")
        sound = isinstance(span, list) and len(span) == 2 and all(type(t) is int for t in span)
        if not sound or not 8 <= span[0] < span[1] <= LONGEST_RUN:
            self._wrong("window", f"must be the first and the last epoch, from 8 to {LONGEST_RUN:,}; got {span!r}")
        return tuple(span)

    def _page(self, key: str) -> PageFacts:
        if key not in self._pages:
            self._wrong("page", f"there is no page {key!r}; the pages are {', '.join(self._pages)}")
        found = facts_of(key)
        if found is None:
            self._wrong("page", f"no lesson can be told on {key!r}; choose one of {', '.join(told_pages())}")
        return found

    def _settings(self, given: Any, key: str, fixed: tuple[str, ...] = ()) -> dict[str, str]:
        if not isinstance(given, dict):
            self._wrong(key, "must be a table of URL parameters")
        query = {}
        for name, value in given.items():
            if name not in self._facts.keys:
                self._wrong(f"{key}.{name}", f"the page {self._facts.label} has no such URL parameter; it has "
                                             f"{', '.join(self._facts.keys)}")
            if name in fixed:
                self._wrong(f"{key}.{name}", "cannot change in the middle of a run; set it in [settings]")
            if not isinstance(value, str | int | float):
                self._wrong(f"{key}.{name}", f"must be a number, true, false or a word; got {value!r}")
            query[name] = str(int(value)) if isinstance(value, bool) else str(value)
        words = self._facts.wrong(query)
        if words:
            self._wrong(key, " ".join(words).rstrip("."))
        return query

    def _places(self, given: Any, key: str) -> tuple[Place, ...]:
        known = self._facts.places
        if not isinstance(given, list) or len(given) > 5:
            self._wrong(key, "must be a list of at most five names")
        for name in given:
            if name not in known:
                self._wrong(key, f"the page {self._facts.label} has no place {name!r}; it has {', '.join(known)}")
        return tuple(known[name] for name in given)

    def _text(self, text: str, places: int, where: str) -> tuple[str, ...]:
        used = [int(number) for number in NUMBER.findall(text)]
        if sorted(set(used)) != list(range(1, places + 1)):
            self._wrong(f"{where}text", f"must name each of the {places} places as [1] to [{places}]; it names "
                                        f"{', '.join(f'[{n}]' for n in used) or 'none'}")
        if list(dict.fromkeys(used)) != sorted(set(used)):
            self._wrong(f"{where}text", f"must name its places in order; it names {', '.join(f'[{n}]' for n in used)}")
        return tuple(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))

    def _question(self, table: dict[str, Any]) -> Question:
        self._known(table, "question.", ("ask", "option", "after"))
        given = table.get("option")
        if not isinstance(given, list) or not 2 <= len(given) <= 4:
            self._wrong("question.option", "must be two to four tables [[question.option]]")
        options = []
        for k, option in enumerate(given, 1):
            place = f"question.option {k}."
            self._known(option, place, ("text", "why", "right"))
            options.append(Option(self._words(option, "text", place), self._words(option, "why", place),
                                  option.get("right") is True))
        if sum(option.right for option in options) != 1:
            self._wrong("question.option", "exactly one of them must have right = true")
        return Question(self._words(table, "ask", "question."), tuple(options), self._arrive(table, "question.", "after"))

    def _cases(self, table: dict[str, Any], settings: dict[str, str]) -> tuple[Case, ...]:
        """Tables [[case]]: what each sets, the answers to choose among, the right one and why; [signs] say why not."""
        signs, asked = self._table(table, "signs"), self._table(table, "question")
        self._known(asked, "question.", ("ask",))
        ask, cases = self._words(asked, "ask", "question."), []
        if not isinstance(table["case"], list):
            self._wrong("case", "must be tables [[case]]")
        for k, case in enumerate(table["case"], 1):
            where = f"case {k}."
            self._known(case, where, ("set", "arrive", "options", "right", "why"))
            right, why, names = self._words(case, "right", where), self._words(case, "why", where), case.get("options", [])
            if not isinstance(names, list) or not 2 <= len(names) <= 4 or right not in names or not set(names) <= set(signs):
                self._wrong(f"{where}options", f"must be two to four of [signs], {right!r} among them; got {names!r}")
            options = tuple(Option(name, why if name == right else self._words(signs, name, "signs."), name == right)
                            for name in names)
            own = self._settings(case.get("set", {}), f"{where}set")
            words = self._facts.wrong(settings | own)
            if words:
                self._wrong(f"{where}set", " ".join(words).rstrip("."))
            arrive = self._arrive(case, where) or self._arrive(table)
            cases.append(Case(own, Question(ask, options), arrive))
        return tuple(cases)

    def _hints(self, given: Any) -> tuple[Hint, ...]:
        if not isinstance(given, list) or not 1 <= len(given) <= 3:
            self._wrong("try.hint", "must be one to three tables [[try.hint]]")
        hints = []
        for k, hint in enumerate(given, 1):
            place = f"try.hint {k}."
            self._known(hint, place, ("do", "expect", "places", "set", "restart", "arrive"))
            settings = self._settings(hint["set"], f"{place}set") if "set" in hint else None
            hints.append(Hint(self._words(hint, "do", place), self._words(hint, "expect", place),
                              self._places(hint.get("places", []), f"{place}places"), settings,
                              hint.get("restart") is True, self._arrive(hint, place)))
        return tuple(hints)

    def _changes(self, given: Any, settings: dict[str, str]) -> tuple[Change, ...]:
        if not isinstance(given, list):
            self._wrong("change", "must be tables [[change]]")
        if given and not self._facts.timed:
            self._wrong("change", f"the page {self._facts.label} has no epochs at which something could change")
        changes = []
        for k, table in enumerate(given, 1):
            place = f"change {k}."
            epoch = table.get("epoch")
            if not _is_epoch(epoch):
                self._wrong(f"{place}epoch", f"must be a whole number from 1 to {LONGEST_RUN - 1:,}; got {epoch!r}")
            rest = {name: value for name, value in table.items() if name != "epoch"}
            if not rest:
                self._wrong(f"{place}epoch", "nothing changes there; name a setting")
            change = self._settings(rest, f"change {k}", self._facts.fixed)
            words = self._facts.wrong(settings | change)
            if words:
                self._wrong(f"change {k}", " ".join(words).rstrip("."))
            changes.append(Change(epoch, change))
        return tuple(sorted(changes, key=lambda change: change.epoch))

    def _recorded(self, lesson: Lesson, table: dict[str, Any]) -> Lesson:
        """Read when a recording ends, and when it shows each part of the text."""
        self._known(table, "recording.", ("until", "parts", "speed"))
        if not self._facts.timed:
            self._wrong("recording", f"the page {self._facts.label} has no epochs to record")
        until, parts = table.get("until"), table.get("parts")
        if not _is_epoch(until):
            self._wrong("recording.until", f"must be a whole number from 1 to {LONGEST_RUN - 1:,}; got {until!r}")
        count = len(lesson.parts)
        if not isinstance(parts, list) or len(parts) != count or not all(map(_is_epoch, parts)) or sorted(parts) != parts \
                or parts[-1] > until:
            self._wrong("recording.parts", f"must be {count} epochs in order, one for each step (text in one step is cut at"
                                           f" paragraphs and before [1], [2] ...), none after {until:,}; got {parts!r}")
        pace = self._settings({"speed": table["speed"]}, "recording")["speed"] if "speed" in table else ""
        return replace(lesson, until=until, shown_at=tuple(parts), pace=pace)

    # what all of them need ---------------------------------------------------------------------------------

    def _table(self, table: dict[str, Any], key: str) -> dict[str, Any]:
        if not isinstance(table.get(key), dict):
            self._wrong(key, f"is missing; write a table [{key}]")
        return table[key]

    def _words(self, table: dict[str, Any], key: str, where: str = "") -> str:
        value = table.get(key)
        if not isinstance(value, str) or not value.strip():
            self._wrong(f"{where}{key}", f"must be text; got {value!r}" if key in table else "is missing")
        return value if key == "text" and "option" not in where else " ".join(value.split())

    def _known(self, table: Any, where: str, keys: tuple[str, ...]) -> None:
        if not isinstance(table, dict):
            self._wrong(where.rstrip("."), "must be a table")
        for key in table:
            if key not in keys:
                self._wrong(f"{where}{key}", f"is not known here; known are {', '.join(keys)}")

    def _wrong(self, key: str, words: str) -> Any:
        raise LessonError(f"{self._file}: {key}: {words}.")


def _is_epoch(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value < LONGEST_RUN
