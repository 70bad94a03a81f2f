"""`record_epoch`: from the plan of a lesson on the Exit time page to the page that plays it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from app.exit_time.job import ExitJobs
from app.exit_time.live_default import LiveSource
from app.exit_time.result import ExitResult
from app.handover import Session
from app.lessons.lesson import Lesson
from app.number_words import short
from app.recording.cloud_columns import CloudColumns
from app.recording.exit_figures import HEADS, describe_figures, looks
from app.recording.exit_film import film_epoch
from app.recording.exit_plan import ExitPlan
from app.recording.lesson_text import told_steps
from app.recording.packing import FINEST, NO_NUMBER, REACH, Blocks
from app.recording.page import page_of
from app.recording.recorder import FORMAT, Recording
from app.state.exit_time import ExitConfig, ExitState
from sampler.version import VERSION

RATE = 60
"""Frames a second of film."""
SHOWN = {"er": "r", "eeta": "eta", "ed": "d", "en": "imax", "em": "m", "eS": "S", "eC": "Cxi"}
"""URL key of a knob -> its place in a lesson, in the order in which the recording says them."""


class _Told:
    """Stands for a background job's handle."""

    stopped = False

    def __init__(self, progress: Callable[[float], None]) -> None:
        self._progress = progress

    def publish(self, value: Any = None, fraction: float | None = None, words: str = "", left: Any = None) -> None:
        """Tell how far the computation is."""
        if fraction is not None:
            self._progress(0.9 * fraction)


def record_epoch(plan: ExitPlan, progress: Callable[[float], None] = lambda share: None) -> Recording:
    """Compute one epoch of the Exit time page and return it as a page.

    Parameters
    ----------
    plan : ExitPlan
    progress : callable
        Called with the share of the work that is done, in [0, 1].
    """
    source, handle = LiveSource(Session()), _Told(progress)
    result = ExitJobs(source).run(plan.config, handle)
    names = {place.name for place in plan.lesson.places} & HEADS.keys()
    if "good" in names and result.live is None:
        result = _with_live(result, source)
    clouds, blocks = CloudColumns(), Blocks()
    for frame in film_epoch(result):
        clouds.add(frame)
    clouds.pack(blocks)
    inside = result.crowd.inside
    at = np.searchsorted(inside.steps, clouds.epochs(), side="right") - 1
    blocks.add("inside", "f4", np.asarray(inside.share)[at])
    figures = describe_figures(names, result, blocks)
    head = _head(plan, result, clouds, figures) | {"blocks": blocks.directory}
    progress(1.0)
    passes = len(head["lesson"]["parts"])
    return Recording(page_of(head, blocks.text()), clouds.length * passes, RATE, result.config.steps, (), "steps")


def _with_live(result: ExitResult, source: LiveSource) -> ExitResult:
    return replace(result, live=source(lambda words: None, lambda: False))


def _head(plan: ExitPlan, result: ExitResult, clouds: CloudColumns, figures: list[dict]) -> dict[str, Any]:
    """What the page needs besides the arrays."""
    config, shown = result.config, len(result.crowd.paths)
    target = "Flat F" if config.curvature == 0.0 else "F = m‖x‖²/2"
    about = f"{target}, d = {config.dim}, {result.crowd.chains:,} chains through one epoch of {config.steps:,} steps"
    return {
        "kind": "epoch", "unit": ["step", "steps"], "format": FORMAT, "version": VERSION, "title": plan.title,
        "titleHtml": plan.title_html,
        "about": about, "source": plan.source, "own": False, "chains": shown, "frames": clouds.length, "rate": RATE,
        "epochs": config.steps, "follow": None, "rescaled": False, "axes": list(clouds.axis_names), "ownMetric": False,
        "codes": {"reach": REACH, "finest": FINEST, "none": NO_NUMBER}, "figures": figures, "looks": looks(),
        "heading": f"{shown} of {result.crowd.chains:,} chains", "settings": _settings(config, plan.lesson),
        "lesson": {"number": plan.number, "parts": told_steps(plan.lesson)},
    }


def _settings(config: ExitConfig, lesson: Lesson) -> list[list[str]]:
    """Return [lesson's name, symbol in HTML, value] of each knob; noise and cut-off where they are set or named."""
    named, knobs = {place.name for place in lesson.places}, {knob.key: name for name, knob in ExitState.knobs().items()}
    rows = []
    for key, place in SHOWN.items():
        knob, value = ExitState.param[knobs[key]], getattr(config, knobs[key])
        if key not in ("eS", "eC") or value != 0.0 or place in named:
            rows.append([place, knob.symbol, short(value) if key == "eeta" else knob.say(value)])
    return rows
