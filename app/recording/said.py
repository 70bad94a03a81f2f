"""What the recording says besides its pictures: verdict and meters, and the settings as they stood, each when it changes."""

from __future__ import annotations

from typing import Any

from app.live.card_titles import chains_title, measured_on
from app.live.snapshot import Snapshot
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

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._last: dict[str, Any] = {}
        self.messages: list[list[Any]] = []

    def add(self, frame: int, snapshot: Snapshot) -> None:
        """Take in a frame."""
        self._say(frame, "settings", settings_line(snapshot.config))
        self._say(frame, "title", chains_title(snapshot.config, slow=False)[0])
        self._say(frame, "measured", measured_on(snapshot.config, snapshot.reference))
        self._say(frame, "playing", self._plan.pace.at(snapshot.t))
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
