"""A lesson's text cut into parts, each with the epoch at which a recording shows it."""

from __future__ import annotations

import html
import re
from typing import Any

from app.glossary import text_html, unmarked
from app.lessons.lesson import Lesson, Step

_NUMBER = re.compile(r"\[(\d)\]")
SHOWN = {"canvas": "canvas", "accuracy": "accuracy", "distance": "distance", "variance": "variance", "cost": "cost",
         **dict.fromkeys(("verdict", "meters", "width", "noise", "memory", "resets"), "verdict"),
         **{name: name for name in ("paths", "survival", "sums", "square", "plain", "process", "promise", "good", "price")},
         "pushes": "square", "stream": "about", "algorithm": "about", "problem": "about", "chains": "about", "seed": "about"}
"""Place of a lesson -> what of it a recording has; knobs and switches are in the line of settings."""
ABSENT = ("presets", "target", "assumptions", "restart", "epoch", "speed", "rewind")
"""Places of which a recording has nothing: their badges are left out."""


def part_epochs(lesson: Lesson, epochs: int) -> list[int]:
    """Return the epoch at which each part is shown, as the lesson says; else spread evenly."""
    parts = len(lesson.parts)
    if lesson.shown_at:
        return list(lesson.shown_at)
    return [max(1, round(k * epochs / parts)) for k in range(parts)]


def told_steps(lesson: Lesson) -> list[dict[str, Any]]:
    """Return each step of a lesson on one epoch, which is played once for each: HTML, and what its badges name."""
    return [{"html": (f"<h2>{text_html(step.heading)}</h2>" if step.heading else "") + _html(text, step),
             "name": unmarked(step.heading), "badges": _badges(text, step)}
            for step, text in ((step, "\n\n".join(step.paragraphs)) for step in lesson.steps)]


def told_parts(lesson: Lesson, epochs: int) -> list[dict[str, Any]]:
    """Return each part that comes within so many epochs as the page takes it: epoch, HTML, and what its badges name."""
    found, last = [], None
    for epoch, (step, part) in zip(part_epochs(lesson, epochs), lesson.parts, strict=True):
        if epoch > epochs:
            break
        heading = f"<h2>{html.escape(step.heading)}</h2>" if step.heading and step is not last else ""
        last = step
        found.append({"epoch": epoch, "html": heading + _html(part, step), "badges": _badges(part, step)})
    return found


def _badges(part: str, step: Step) -> list[dict[str, Any]]:
    named = ((int(number), step.places[int(number) - 1]) for number in _NUMBER.findall(part))
    return [{"number": number, "words": place.words, "place": SHOWN.get(place.name, "settings"), "key": place.name}
            for number, place in named if place.name not in ABSENT]


def _html(part: str, step: Step) -> str:
    """Return a part as HTML paragraphs: its marks are set, a badge is a button."""
    def badge(match: re.Match) -> str:
        place = step.places[int(match[1]) - 1]
        if place.name in ABSENT:
            return ""
        words = html.escape(place.words)
        return (f'<button class="badge" data-n="{match[1]}" aria-label="{match[1]}: show {words}"'
                f' title="{words}">{match[1]}</button>')

    return "".join(f"<p>{_NUMBER.sub(badge, text_html(paragraph))}</p>" for paragraph in part.split("\n\n"))
