"""`LiveSidebar`: algorithm, knobs, switches, problem, measured assumptions, bounds of the theorem, presets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

import panel as pn

from app.live.components.cards import Assumptions, PromiseRows
from app.state.live import EVERY_SWITCH, MORE, PRESETS, SAMPLER, SWITCHES, LiveState
from app.state.live_menu import ALGORITHMS, PROBLEMS, choice_of, stream_labels, unmet_requirement
from app.state.user_data import OWN, UserData
from app.widgets.choices import PresetButtons, SwitchList
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import menu, segmented


def _problems(user_data: UserData | None) -> dict[str, str]:
    """Return label -> key of the problem menu, the user's data first."""
    own = {} if user_data is None else {user_data.label: OWN}
    return own | {choice.label: key for key, choice in PROBLEMS.items()}


def _streams(problem: str) -> dict[str, str]:
    """Return label -> key of the stream menu."""
    if problem == OWN:
        return {"In the order given": OWN}
    return stream_labels(PROBLEMS[problem].problem.kind)


def _refused(problem: str, user_data: UserData | None) -> dict[str, str]:
    """Return algorithm -> reason why the problem does not support it."""
    choice = choice_of(problem, user_data)
    return {key: f"{why}." for key in ALGORITHMS if (why := unmet_requirement(key, choice))}


class LiveSidebar(PageSidebar):
    """Controls of the page's state.

    Parameters
    ----------
    state
        State that the controls set and display.
    show_preset
        Called with the key of a preset.
    own
        Items for loading the user's data.
    """

    def __init__(self, state: LiveState, show_preset: Callable[[str], None], own: Sequence[Any] = ()) -> None:
        self._state, params = state, state.param
        self.knobs = {name: self._knob(name) for name in state.knobs()}
        self.algorithm = segmented(
            params.algorithm, {choice.short: key for key, choice in ALGORITHMS.items()}, label="", spoken="Algorithm",
            refused=pn.bind(_refused, params.problem, params.user_data), css_classes=["choice-algorithm"])
        self.switches = SwitchList(
            lambda name, on: params.update(**{name: on}), label="Switches", warns=list(SWITCHES),
            rows=[[name, params[name].label, "", "", "", params[name].doc, params[name].term] for name in EVERY_SWITCH],
            active=pn.bind(lambda *on: list(compress(EVERY_SWITCH, on)), *(params[name] for name in EVERY_SWITCH)))
        self.problem = menu(params.problem, pn.bind(_problems, params.user_data), css_classes=["menu-problem"])
        self.stream = menu(params.stream, pn.bind(_streams, params.problem), css_classes=["menu-stream"])
        self.assumptions = Assumptions(sizing_mode="stretch_width", css_classes=["assumptions"])
        self.promise = PromiseRows(sizing_mode="stretch_width", css_classes=["promise"])
        self.presets = PresetButtons(show_preset, presets=[[p.key, p.label, p.hint] for p in PRESETS.values()])
        self.sampler = Section(
            "Sampler", [self.algorithm, *(self.knobs[name] for name in SAMPLER if name not in MORE)], self._to_defaults,
            more=[self.knobs[name] for name in MORE], action="defaults",
            hint="Knobs and switches back to this problem’s and algorithm’s defaults")
        super().__init__([
            self.sampler, Section("Switches", [self.switches]),
            Section("Problem", [self.problem, self.stream, self.knobs["chains"], self.knobs["seed"], *own]),
            Section("Assumptions, measured", [self.assumptions]),
            Section("The theorem and this run", [self.promise]),
            Section("Pictures to try", [self.presets])])
        for knob in self.knobs.values():
            knob.param.watch(self.mark, "error")
        params.watch(self.mark, state.settable())
        self.mark()

    def _knob(self, name: str) -> KnobSlider:
        """Return a knob with texts that depend on the selected algorithm."""
        knob, chosen = self._state.param[name], self._state.param.algorithm

        def per_algorithm(field: str, plain: str) -> Any:
            return pn.bind(lambda key: getattr(ALGORITHMS[key], field).get(name, plain), chosen)

        return KnobSlider.from_param(knob, words=per_algorithm("words", knob.label), help=per_algorithm("help", knob.doc),
                                     unused=per_algorithm("unused", ""))

    def forget_errors(self) -> None:
        """Discard invalid input."""
        for knob in self.knobs.values():
            knob.error = ""

    def _to_defaults(self) -> None:
        self.forget_errors()
        self._state.to_defaults(*SAMPLER, *EVERY_SWITCH)

    def mark(self, *events: Any) -> None:
        """Mark the displayed preset; offer the defaults if any value differs from them or an input is invalid."""
        key = LiveState.preset_of(self._state.frozen())
        self.presets.param.update(chosen=key, says=PRESETS[key].hint if key else "")
        self.sampler.active = not self._state.at_defaults or any(knob.error for knob in self.knobs.values())
