"""The page's sidebar: target and knobs of one epoch, where the chains start, pictures to try, what it cost."""

from __future__ import annotations

from collections.abc import Callable

from app.exit_time.presets import PRESETS
from app.state.exit_time import ExitState
from app.widgets.controls import segmented
from app.widgets.knob_slider import KnobSlider
from app.widgets.preset_buttons import PresetButtons
from app.widgets.sidebar import PageSidebar, Section

TARGETS = {"m‖x‖²/2": "quadratic", "Live’s posterior": "live"}
STARTS = {"at the mode": "mode", "at ρ₀": "distance", "live chains": "live"}


class ExitSidebar:
    """Controls of the page's state; `preset(key)` is called for a picture to try, and "live" for the link."""

    def __init__(self, state: ExitState, preset: Callable[[str], None]) -> None:
        values = state.param
        self.knobs = {name: KnobSlider.from_param(values[name], grouped=True) for name in state.knobs()}
        self.knobs["distance"].visible = values.start.rx() == "distance"
        self.target = segmented(values.target, TARGETS, lambda value: state.choose("target", value), label="F",
                                spoken="Target F")
        self.start = segmented(values.start, STARTS, lambda value: state.choose("start", value), label="", spoken="Start")
        self.presets = PresetButtons(preset, presets=[[p.key, p.label, p.says] for p in PRESETS.values()])
        epoch = [knob for name, knob in self.knobs.items() if name not in ("distance", "chains")]
        self.starts = Section("Start", [self.start, self.knobs["distance"], self.knobs["chains"]])
        self.cost = Section("", [])
        self.view = PageSidebar([
            Section("One epoch", [self.target, *epoch], lambda: preset("live"), action="from Live",
                    hint="Take everything from the Live page: posterior, step size, radius, chains"),
            self.starts, Section("Pictures to try", [self.presets]), self.cost])

    def show_preset(self, key: str, from_live: str) -> None:
        """Say which picture is shown, and what target and start take from Live."""
        self.presets.param.update(chosen=key, says=PRESETS[key].says if key else "")
        self.starts.note = from_live

    def show_cost(self, words: str) -> None:
        """Say what the computation took; nothing new leaves what was said."""
        if words:
            self.cost.note = words
