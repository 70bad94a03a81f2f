"""Menus, switches and segmented controls follow the parameters of a state and set them."""

import panel as pn
import param

from app.state.parameters.knob import Choice, Choices, Switch
from app.widgets.param_controls import axes_menu, menu, segmented, switch, switches

STREAMS = {"paper": {"Shuffled": "shuffled", "By length": "sorted"}, "own": {"As given": "given"}}


class Stall(param.Parameterized):
    """Small state with a second choice that depends on the first."""

    problem = Choice("paper", ("paper", "own"), "target")
    stream = Choice("sorted", ("shuffled", "sorted", "given"), "stream")
    on = Switch(True, "On")
    extras = Choices(("milk",), ("milk", "sugar", "lemon"), "extras")

    def choose(self, problem):
        """Set the problem and its first stream."""
        self.param.update(problem=problem, stream=next(iter(STREAMS[problem].values())))


def test_options_that_depend_on_another_parameter_change_together_with_the_value():
    stall, seen = Stall(), []
    stream = menu(stall.param.stream, pn.bind(STREAMS.get, stall.param.problem))
    stall.param.watch(lambda event: seen.append(event.new), "stream")
    stall.choose("own")
    assert (stream.value, stream.options, seen) == ("given", {"As given": "given"}, ["given"])
    stall.problem = "paper"  # the stream of the other problem: the menu waits for one that fits
    assert (stream.value, seen) == ("given", ["given"])
    stall.stream = "sorted"
    assert (stream.value, stream.options) == ("sorted", STREAMS["paper"])


def test_a_value_refused_by_the_state_is_reset_in_the_menu():
    stall = Stall()
    target = menu(stall.param.problem, {"paper": "paper", "own": "own"}, stall.choose)
    target.value = "own"
    assert (stall.problem, stall.stream) == ("own", "given")
    stubborn = menu(stall.param.problem, {"paper": "paper", "own": "own"}, lambda value: None)
    stubborn.value = "paper"
    assert stubborn.value == stall.problem == "own"


def test_switch_and_segments_follow_and_set():
    stall = Stall()
    on, problem = switch(stall.param.on), segmented(stall.param.problem, {"Paper": "paper", "Own": "own"})
    stall.param.update(on=False, problem="own")
    assert (on.active, problem.value, problem.label) == ([], "own", "target")
    on.on_turn("on", True)
    assert on.active == ["on"]
    problem.on_choose("paper")
    problem.on_choose("neither")
    assert (stall.on, stall.problem) == (True, "paper")


def test_a_list_of_switches_keeps_the_order_of_the_options():
    stall = Stall()
    listed = switches(stall.param.extras, [[name, name, "", "", ""] for name in ("milk", "sugar", "lemon")])
    listed.on_turn("lemon", True)
    listed.on_turn("sugar", True)
    assert stall.extras == ("milk", "sugar", "lemon") and listed.active == ["milk", "sugar", "lemon"]
    listed.on_turn("milk", False)
    stall.extras = stall.extras[:1]
    assert listed.active == ["sugar"]


class Look(param.Parameterized):
    """State with the two plotted coordinates."""

    axes = param.Parameter((0, 1))
    names = param.List(["a", "b", "c"])


def test_two_menus_choose_two_different_coordinates():
    look = Look()
    first, second = axes_menu(look.param.axes, look.param.names)
    assert first.options == {"principal axes": "principal", "a": 0, "b": 1, "c": 2} and second.value == 1
    first.value = 1  # in use: the other menu changes
    assert look.axes == (1, 0) and (first.value, second.value) == (1, 0)
    second.value = 1
    assert look.axes == (0, 1)
    first.value = "principal"
    assert look.axes == "principal" and not second.visible
    first.value = 2
    assert look.axes == (2, 1) and second.visible


def test_menus_of_coordinates_follow_names_and_axes():
    look, seen = Look(), []
    first, second = axes_menu(look.param.axes, look.param.names)
    look.param.watch(lambda event: seen.append(event.new), "axes")
    look.axes = (2, 0)
    assert (first.value, second.value) == (2, 0)
    look.param.update(axes=(0, 1), names=["u", "v"])
    assert second.options == {"u": 0, "v": 1} and (first.value, second.value) == (0, 1) and look.axes == (0, 1)
    assert seen == [(2, 0), (0, 1)]
