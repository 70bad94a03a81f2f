"""`record`: from a plan to the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.recording.chart_columns import ChartColumns
from app.recording.cloud_columns import CloudColumns
from app.recording.film import Epoch, Film
from app.recording.lesson_text import told_parts
from app.recording.packing import FINEST, NO_NUMBER, REACH, Blocks
from app.recording.page import page_of
from app.recording.plan import Plan
from app.recording.said import Said
from app.recording.size import frames_a_second
from sampler.version import VERSION

FORMAT = 1
"""Of the file; a page reads only its own, since it carries its reader."""


@dataclass(frozen=True)
class Recording:
    """A finished recording."""

    html: str
    frames: int
    rate: int  #: frames a second of film
    epochs: int  #: reached; fewer than asked for when a chain diverged or the data ended
    words: tuple[str, ...]  #: what the user should hear
    unit: str = "epochs"  #: of `epochs`, in words: a lesson on one epoch has steps

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.html.encode("utf-8"))


def record(plan: Plan, progress: Callable[[float], None] = lambda share: None,
           stopped: Callable[[], bool] = lambda: False) -> Recording:
    """Play a plan and return the page.

    Parameters
    ----------
    plan : Plan
    progress : callable
        Called with the share of the epochs that has been played, in [0, 1].
    stopped : callable
        Asked at every frame whether to give up.

    Raises
    ------
    ValueError
        When the file would be too large.
    app.recording.film.Stopped
        When `stopped` said so.
    """
    rate = frames_a_second(plan)
    span = plan.lesson.span if plan.lesson is not None else None
    film, clouds, charts, said = Film(plan, rate, stopped), CloudColumns(), ChartColumns(span), Said(plan, rate)
    reached = 0
    for piece in film.play():
        if isinstance(piece, Epoch):
            charts.add(piece)
            continue
        said.add(clouds.length, piece.snapshot)
        clouds.add(piece)
        reached = piece.snapshot.t
        progress(reached / plan.epochs)
    blocks = Blocks()
    clouds.pack(blocks)
    blocks.add_words("said", said.messages)
    head = _head(plan, clouds, rate, reached) | {"charts": charts.pack(blocks), "blocks": blocks.directory}
    words = list(plan.words)
    if reached < plan.epochs:
        why = "a chain diverged" if film.halted else "the data end there"
        words.append(f"The recording ends at epoch {reached:,}: {why}.")
    return Recording(page_of(head, blocks.text()), clouds.length, rate, reached, tuple(words))


def _head(plan: Plan, clouds: CloudColumns, rate: int, reached: int) -> dict[str, Any]:
    """What the page needs besides the arrays."""
    config, lesson = plan.config, plan.lesson
    names = clouds.axis_names if plan.names or not plan.own else ("θ₁", "θ₂")
    return {
        "format": FORMAT, "version": VERSION, "title": plan.title, "titleHtml": plan.title_html,
        "about": plan.about,
        "source": "" if plan.own else plan.source, "own": plan.own,
        "chains": config.chains, "frames": clouds.length, "rate": rate, "epochs": reached, "follow": config.follow,
        "rescaled": config.rescaled, "axes": list(names), "ownMetric": clouds.own_metric,
        "codes": {"reach": REACH, "finest": FINEST, "none": NO_NUMBER},
        "lesson": None if lesson is None else {"number": plan.number, "parts": told_parts(lesson, reached)},
    }
