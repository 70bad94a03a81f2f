"""Menus, switches and segmented controls follow a state's parameters, and set them."""

import panel as pn
import param

from app.state.knob import Choice, Choices, Switch
from app.widgets.controls import menu, segmented, switch, switches

STREAMS = {"paper": {"Shuffled": "shuffled", "By length": "sorted"}, "own": {"As given": "given"}}


class Stall(param.Parameterized):
    """A small state whose second choice depends on the first."""

    problem = Choice("paper", ("paper", "own"), "target")
    stream = Choice("sorted", ("shuffled", "sorted", "given"), "stream")
    on = Switch(True, "On")
    extras = Choices(("milk",), ("milk", "sugar", "lemon"), "extras")

    def choose(self, problem):
        """Take the stream along."""
        self.param.update(problem=problem, stream=next(iter(STREAMS[problem].values())))


def test_a_menu_follows_its_parameter_and_sets_it():
    stall = Stall()
    target = menu(stall.param.problem, {"The paper's": "paper", "My own": "own"})
    assert (target.label, target.value) == ("target", "paper")
    stall.problem = "own"
    assert target.value == "own"
    target.value = "paper"
    assert stall.problem == "paper"
    assert menu(stall.param.problem).options == {"paper": "paper", "own": "own"}


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


def test_a_rule_of_the_state_decides_and_what_it_refuses_is_taken_back():
    stall = Stall()
    target = menu(stall.param.problem, choose=stall.choose)
    target.value = "own"
    assert (stall.problem, stall.stream) == ("own", "given")
    stubborn = menu(stall.param.problem, choose=lambda value: None)
    stubborn.value = "paper"
    assert stubborn.value == stall.problem == "own"


def test_switch_and_segments_follow_and_set():
    stall = Stall()
    on, problem = switch(stall.param.on), segmented(stall.param.problem, {"Paper": "paper", "Own": "own"})
    stall.param.update(on=False, problem="own")
    assert (on.value, problem.value, problem.label) == (False, "own", "target")
    on.value = True
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
