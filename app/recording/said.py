"""What the recording says besides its pictures: verdict and meters, and the settings as they stood, each when it changes."""

from __future__ import annotations

from typing import Any

from app.live.snapshot import Snapshot
from app.live.titles import titles_of
from app.recording.plan import Plan
from app.state.algorithm_menu import ALGORITHMS
from app.state.live import SAMPLER, SWITCHES, LiveConfig, LiveState
from app.widgets.verdict_card import LOOK, emphasise


def settings_line(config: LiveConfig) -> list[list[str]]:
    """Return [lesson's name, symbol in HTML, value] of each knob and each switch that is off."""
    params, unused = LiveState.param, ALGORITHMS[config.algorithm].unused
    knobs = [[params[name].key, params[name].symbol, params[name].say(getattr(config, name))]
             for name in SAMPLER if name not in unused]
    return knobs + [[params[name].key, params[name].label.lower(), "off"] for name in SWITCHES if not getattr(config, name)]


class Said:
    """Takes snapshots in order; `messages` are [frame, what, value] for each change."""

    def __init__(self, plan: Plan, frames_a_second: int) -> None:
        self._plan, self._rate = plan, frames_a_second
        self._last: dict[str, Any] = {}
        self.messages: list[list[Any]] = []

    def add(self, frame: int, snapshot: Snapshot) -> None:
        """Take in a frame."""
        self._say(frame, "settings", settings_line(snapshot.config))
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
