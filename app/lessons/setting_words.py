"""What a hint's button sets, in words: every knob and switch that it touches."""

from __future__ import annotations

from app.state.algorithm_menu import ALGORITHMS
from app.state.exit_time import ExitState
from app.state.live import SPEEDS, LiveState
from app.state.parameters.knob import Knob, Switch
from app.state.problem_menu import PROBLEMS, STREAMS

STATES = {"live": LiveState, "exit": ExitState}


def setting_words(page: str, settings: dict[str, str] | None) -> str:
    """Return "Sets d = 20 and r = 8; all else ..." for the URL parameters of a hint, as HTML; empty when it sets nothing."""
    if not settings:
        return ""
    from app.exit_time.presets import PRESETS

    state, said = STATES[page], []
    by_key = {knob.key: knob for knob in state.linked().values()}
    if "preset" in settings:
        return f"Shows the picture “{PRESETS[settings['preset']].label}”."
    for key, value in settings.items():
        said.append(_said(by_key[key], key, value))
    *first, last = said
    return f"Sets {', '.join(first)}{' and ' if first else ''}{last}; all else as in the lesson."


def _said(knob: object, key: str, value: str) -> str:
    if isinstance(knob, Switch):
        return f"“{knob.label}” {'on' if value == '1' else 'off'}"
    if isinstance(knob, Knob):
        number = int(float(value)) if knob.whole else float(value)
        return f"{knob.symbol or knob.plain} = {knob.say(number)}"
    if key == "speed":
        labels = [label for label, _, _ in SPEEDS]
        return f"the speed to {labels[knob.tokens.index(value)]}"
    menu = {"algorithm": ALGORITHMS, "problem": PROBLEMS, "stream": STREAMS}.get(key, {})
    return f"{knob.label} “{menu[value].label if value in menu else value}”"
