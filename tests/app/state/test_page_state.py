"""A knob is declared once: its range, words and URL key serve state, link, slider and worker alike."""

import dataclasses

import param
import pytest

from app.state.page_state import Frozen, PageState, frozen_copy_of
from app.state.parameters.knob import Choice, Choices, Knob, Switch
from app.widgets.knob_slider import KnobSlider


class Kettle(PageState):
    """A small state."""

    heat = Knob(2.0, 0.5, 8.0, "heat", "How hot.", symbol="h", plain="h", key="h")
    cups = Knob(4, 1, 9, "cups", "How many.", plain="cups", key="n", whole=True, lowest="one")
    on = Switch(True, "On", "Whether it is on.", key="on")
    tea = Choice("green", ("green", "black"), "tea", key="tea", tokens=("g", "b"))
    extras = Choices(("milk",), ("milk", "sugar", "lemon"), "extras", key="x")
    note = param.String("", doc="Not in links.")

    @param.depends("heat", watch=True)
    def _few_cups_when_hot(self):
        if self.heat > 6 and self.cups > 2:
            self.cups = 2

    def taken_along(self, name, value, typed):
        if name == "cups" and value == 9 and typed:
            raise ValueError("nine is too many. Kept it.")
        return {name: value, "note": f"{name} was set"}


@frozen_copy_of(Kettle)
class KettleConfig(Frozen):
    """Its frozen copy."""

    @property
    def total(self):
        """Heat times cups."""
        return self.heat * self.cups


def test_a_frozen_copy_has_the_defaults_compares_by_value_and_never_changes():
    state = Kettle()
    copy = state.frozen()
    assert copy == KettleConfig() and hash(copy) == hash(KettleConfig()) and copy.total == 8
    state.heat = 3.0
    assert copy.heat == 2.0 and state.frozen() == copy.replace(heat=3.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        copy.heat = 1.0


def test_a_number_is_read_from_what_is_typed_and_refused_in_words():
    state = Kettle()
    state.put("heat", "2,5")
    assert state.heat == 2.5 and state.note == "heat was set"
    state.put("cups", "one")
    assert state.cups == 1
    for typed, words in (("1e9", "h must be from 0.5 to 8. Kept 2.5."), ("hot", "is not a number"),
                         ("nan", "is not a number")):
        with pytest.raises(ValueError, match=words):
            state.put("heat", typed)
    with pytest.raises(ValueError, match="a whole number from 1 to 9"):
        state.put("cups", 2.5)
    with pytest.raises(ValueError, match="nine"):
        state.put("cups", "9")
    assert (state.heat, state.cups) == (2.5, 1)
    state.put("cups", 9.0)  # slid
    assert state.cups == 9 and isinstance(state.cups, int)


def test_param_itself_refuses_what_is_out_of_range():
    state = Kettle()
    for name, value in (("heat", 9.0), ("tea", "red"), ("extras", ("salt",)), ("on", 3)):
        with pytest.raises(ValueError):
            setattr(state, name, value)
    assert state.frozen() == KettleConfig()


def test_a_rule_between_knobs_holds_whichever_way_a_knob_is_set():
    state = Kettle()
    state.put("heat", 7.0)
    assert state.cups == 2
    loaded = Kettle.of(KettleConfig(heat=7.0, cups=5))
    assert loaded.cups == 2


def test_reset_goes_back_to_the_base():
    state = Kettle.of(KettleConfig(heat=5.0, cups=6), base=KettleConfig(heat=3.0))
    state.to_defaults("heat")
    assert (state.heat, state.cups) == (3.0, 6)
    state.to_defaults()
    assert state.frozen() == KettleConfig(heat=3.0)


class TestSlider:
    def test_it_follows_the_state_and_sets_it(self):
        state = Kettle(base=KettleConfig())
        slider = KnobSlider.from_param(state.param.heat)
        assert (slider.value, slider.default, slider.low, slider.high, slider.words) == (2.0, 2.0, 0.5, 8.0, "heat")
        state.heat = 4.0
        assert slider.value == 4.0
        slider.on_slide(5.0)
        assert state.heat == 5.0
        state.base = KettleConfig(heat=3.0)
        assert slider.default == 3.0

    def test_an_error_is_shown_until_the_knob_is_set_or_escape_pressed(self):
        state = Kettle()
        slider = KnobSlider.from_param(state.param.heat)
        slider.on_typed("1e9")
        assert "from 0.5 to 8" in slider.error and state.heat == 2.0
        slider.on_escape()
        assert slider.error == ""
        slider.on_typed("1e9")
        state.heat = 3.0
        assert slider.error == ""
