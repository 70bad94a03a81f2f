"""`Holder`: components within another, for which Panel builds no models."""

import panel as pn
import pytest

from app.js.component import Holder
from app.widgets.choices import Menu, Segments


class Box(Holder):
    """Holder that stores its messages in a list."""

    def __init__(self, held):
        self.sent = []
        super().__init__(held)

    def send_msg(self, message):
        self.sent.append(message)


@pytest.fixture
def chosen():
    return []


@pytest.fixture
def box(chosen):
    first = Segments(chosen.append, options=[["a", "A"], ["b", "B"]], value="a", css_classes=["letters"], visible=False)
    return Box([first, pn.Row(), Menu(options={"one": 1, "two": 2}, value=2)])


def test_components_without_children_are_drawn_and_the_rest_are_children(box):
    first, second, third = box.parts
    assert len(box.items) == 1 and second is None
    assert (first["kind"], first["classes"], third["kind"]) == ("Segments", "letters", "Menu")
    assert first["values"]["value"] == "a" and not first["values"]["visible"] and third["values"]["chosen"] == 1
    assert "sizing_mode" not in first["values"] and "name" not in first["values"]


def test_changes_of_a_part_are_sent_in_one_message_and_again_to_a_new_view(box):
    first = box.held[0]
    first.param.update(label="Letter", visible=True)
    assert box.sent == [{"part": 0, "values": {"label": "Letter", "visible": True}}]
    first.value = "b"
    box.sent.clear()
    box.on_hello()
    assert box.sent == [{"part": 0, "values": {"label": "Letter", "visible": True, "value": "b"}}]


def test_messages_are_passed_in_both_directions(box, chosen):
    box.held[0].send_msg({"save": True})
    assert box.sent == [{"part": 0, "message": {"save": True}}]
    for part, message in ((0, {"type": "choose", "value": "b"}), (2, {"type": "choose", "index": 0})):
        box._handle_msg({"type": "part", "part": part, "message": message})
    assert chosen == ["b"] and box.held[2].value == 1


@pytest.mark.parametrize(("part", "message"), [
    (-1, {"type": "choose", "value": "b"}), (1, {"type": "choose"}), (3, {}), (0, {"type": "choose", "value": 1}), (0, None),
    (0, "choose"), ("0", {"type": "choose", "value": "b"})])
def test_a_message_that_fits_no_part_changes_nothing(box, chosen, part, message):
    box._handle_msg({"type": "part", "part": part, "message": message})
    assert not chosen and box.held[0].value == "a"


def test_a_component_with_children_is_a_child(box):
    assert [type(one) for one in Box([box]).items] == [Box]
