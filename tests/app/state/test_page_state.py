"""A knob is declared once: its range, words and URL key serve state, link, slider and worker alike."""

import dataclasses

import pytest

from app.state.page_state import Frozen, PageState, frozen_copy_of
from app.state.parameters.knob import Choice, Choices, Knob, Switch
from app.widgets.knob_slider import KnobSlider


class Kettle(PageState):
    """Small page state."""

    heat = Knob(2.0, 0.5, 8.0, "heat", "How hot.", symbol="h", plain="h", key="h")
    cups = Knob(4, 1, 9, "cups", "How many.", plain="cups", key="n", whole=True)
    on = Switch(True, "On", "Whether it is on.", key="on")
    tea = Choice("green", ("green", "black"), "tea", key="tea", tokens=("g", "b"))
    extras = Choices(("milk",), ("milk", "sugar", "lemon"), "extras", key="x")


@frozen_copy_of(Kettle)
class KettleConfig(Frozen):
    """Frozen copy of `Kettle`."""


def test_a_frozen_copy_has_the_defaults_compares_by_value_and_never_changes():
    state = Kettle()
    copy = state.frozen()
    assert copy == KettleConfig() and hash(copy) == hash(KettleConfig())
    state.heat = 3.0
    assert copy.heat == 2.0 and state.frozen() == copy.replace(heat=3.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.heat = 1.0


def test_param_refuses_values_out_of_range():
    state = Kettle()
    for name, value in (("heat", 9.0), ("tea", "red"), ("extras", ("salt",)), ("on", 3)):
        with pytest.raises(ValueError):
            setattr(state, name, value)
    assert state.frozen() == KettleConfig()


def test_reset_restores_the_base():
    state = Kettle.of(KettleConfig(heat=5.0, cups=6), base=KettleConfig(heat=3.0))
    state.to_defaults("heat")
    assert (state.heat, state.cups) == (3.0, 6)
    state.to_defaults()
    assert state.frozen() == KettleConfig(heat=3.0)


def test_a_slider_follows_the_state_sets_it_and_shows_an_error_until_it_is_set_or_escape_pressed():
    state = Kettle(base=KettleConfig())
    slider = KnobSlider.from_param(state.param.heat)
    assert (slider.value, slider.default, slider.low, slider.high, slider.words) == (2.0, 2.0, 0.5, 8.0, "heat")
    state.heat = 4.0
    assert slider.value == 4.0
    slider.on_slide(5.0)
    assert state.heat == 5.0
    state.base = KettleConfig(heat=3.0)
    assert slider.default == 3.0
    slider.on_typed("1e9")
    assert "from 0.5 to 8" in slider.error and state.heat == 5.0
    slider.on_escape()
    assert slider.error == ""
    slider.on_typed("1e9")
    state.heat = 3.0
    assert slider.error == ""
