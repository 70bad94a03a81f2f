"""What the recording says besides its pictures: verdict and meters, and the settings as they stood, each when it changes."""

from __future__ import annotations

from typing import Any

from app.live.snapshot import Snapshot
from app.live.titles import titles_of
from app.recording.plan import Plan
from app.state.algorithm_menu import ALGORITHMS
from app.state.live import SAMPLER, SWITCHES, LiveConfig, LiveState
from app.widgets.verdict_card import LOOK, emphasise


def settings_line(config: LiveConfig, named: frozenset[str] = frozenset()) -> list[list[str]]:
    """Return [lesson's name, symbol in HTML, value] of each knob, and of each switch that is off or that a text names."""
    params, unused = LiveState.param, ALGORITHMS[config.algorithm].unused
    knobs = [[params[name].key, params[name].symbol, params[name].say(getattr(config, name))]
             for name in SAMPLER if name not in unused]
    switches = [(params[name], getattr(config, name)) for name in SWITCHES]
    return knobs + [[switch.key, switch.label.lower(), "on" if on else "off"] for switch, on in switches
                    if not on or switch.key in named]


class Said:
    """Takes snapshots in order; `messages` are [frame, what, value] for each change."""

    def __init__(self, plan: Plan, frames_a_second: int) -> None:
        self._plan, self._rate = plan, frames_a_second
        lesson = plan.lesson
        self._named = frozenset(place.name for place in lesson.places) if lesson is not None else frozenset()
        self._last: dict[str, Any] = {}
        self.messages: list[list[Any]] = []

    def add(self, frame: int, snapshot: Snapshot) -> None:
        """Take in a frame."""
        self._say(frame, "settings", settings_line(snapshot.config, self._named))
        titles = titles_of(snapshot)
        self._say(frame, "title", titles.chains)
        self._say(frame, "measured", titles.accuracy)
        self._say(frame, "varied", titles.variance)
        self._say(frame, "playing", round(self._plan.pace.played(max(snapshot.t - 1, 0), self._rate), 2))
        if snapshot.series is None or snapshot.verdict is None:
            return  # verdict and meters are read with the series
        verdict = snapshot.verdict
        self._say(frame, "verdict", {
            "look": list(LOOK.get(verdict.kind, LOOK["waiting"])), "title": verdict.title, "subtitle": verdict.subtitle,
            "sentence": emphasise(verdict.sentence), "meters": [
                [meter.label, meter.text, round(meter.fill, 3), meter.tick, meter.bad] for meter in snapshot.meters]})

    def _say(self, frame: int, what: str, value: Any) -> None:
        if self._last.get(what) != value:
            self._last[what] = value
            self.messages.append([frame, what, value])
