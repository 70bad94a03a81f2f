"""What a component takes of what a browser sends: messages that fit its handlers, and nothing else."""

import pytest
from bokeh.document import Document
from panel.models.esm import DataEvent
from panel.models.reactive_html import DOMEvent

from app.browser_messages import handler_of
from app.canvas.chain_canvas import ChainCanvas
from app.chrome.header import Header
from app.lessons.lesson_card import LessonCard
from app.state.tune import REFERENCES, TuneState
from app.tune.components.range_slider import RangeSlider
from app.widgets.controls import menu
from app.widgets.knob_slider import KnobSlider
from app.widgets.notices import Notices
from app.widgets.shell import PageShell
from app.widgets.upload import UploadComponent


def made(kind):
    return kind.__new__(kind)


@pytest.mark.parametrize(("kind", "message"), [
    (PageShell, {"type": "glossary", "what": []}), (LessonCard, {"type": "step", "step": None}),
    (LessonCard, {"type": "choose", "option": float("nan")}), (LessonCard, {"type": "choose", "option": True}),
    (LessonCard, {"type": "choose"}), (LessonCard, {"type": "choose", "option": 1, "more": 1}),
    (LessonCard, {"type": "choose", "option": 10**400}), (LessonCard, {"type": "step", "step": 1.5}),
    (KnobSlider, {"type": "slide", "value": float("inf")}), (KnobSlider, {"type": "slide", "value": "1"}),
    (KnobSlider, {"type": "typed", "text": "\ud800"}), (KnobSlider, {"type": "typed", "text": "9" * 1_000_001}),
    (Header, {"type": "save", "sure": 1}), (UploadComponent, {"type": "piece", "upload": 1, "at": 0, "data": "text"}),
    (RangeSlider, {"type": "range", "low": None, "high": 1}),
    (PageShell, {"type": "msg", "callback": "x"}), (PageShell, {"type": "event", "event": "x", "callback": "y"}),
    (PageShell, {"type": ["hello"]}), (PageShell, {"type": "nothing"}), (PageShell, ["hello"]), (PageShell, None),
])
def test_what_does_not_fit_a_handler_is_no_message(kind, message):
    assert handler_of(made(kind), message) is None


@pytest.mark.parametrize(("kind", "message"), [
    (PageShell, {"type": "hello"}), (PageShell, {"type": "glossary", "what": "terms"}),
    (LessonCard, {"type": "step", "step": 2}),
    (KnobSlider, {"type": "slide", "value": 3}), (KnobSlider, {"type": "slide", "value": 0.5}), (Header, {"type": "save"}),
    (KnobSlider, {"type": "typed", "text": "5 × 10⁻⁶"}), (Header, {"type": "save", "sure": True, "names": False}),
    (UploadComponent, {"type": "piece", "upload": 1, "at": 0, "data": b"1,2\n"}), (Notices, {"type": "dismiss", "index": 0}),
    (RangeSlider, {"type": "range", "low": 1, "high": "1/3"}),
])
def test_what_a_script_sends_is_taken(kind, message):
    assert handler_of(made(kind), message) is not None


def test_a_browser_cannot_set_what_a_component_shows():
    """A patch reaches the document's copy of a component, as any browser's page is its own, and goes no further."""
    document, notices = Document(), Notices(lambda kind: None, words=["as it was"])
    model = notices.get_root(document)
    document.add_root(model)
    document.apply_json_patch({"events": [{"kind": "ModelChanged", "model": {"id": model.data.id}, "attr": "words",
                                           "new": ["nonsense"]}]})
    assert model.data.words == ["nonsense"] and notices.words == ["as it was"]


def test_only_messages_are_events():
    """Panel hands an event of a node named `msg` to the handler of messages."""
    canvas, seen = ChainCanvas(), []
    canvas.on_ack(lambda: seen.append("painted"))
    canvas._process_event(DOMEvent(None, node="msg", data={"hello": True}))
    for nonsense in ([], None, "1", float("nan"), float("inf"), True, {"follow": "all"}, {"follow": 1.5}, 10**400, b"1"):
        canvas._process_event(DataEvent(None, nonsense))
    assert seen == [] and canvas.in_flight == 0
    canvas._process_event(DataEvent(None, 1))
    assert seen == ["painted"]


@pytest.mark.parametrize("nonsense", [None, "nonsense", 3, [], {"type": "number", "value": "nan"}, True])
def test_a_menu_set_to_nonsense_stays_and_still_works(nonsense):
    """Menus are the browser's own and follow it: what is no option is refused, and the next choice is taken."""
    def choose(value):
        document.apply_json_patch({"events": [{"kind": "ModelChanged", "model": {"id": model.id}, "attr": "value",
                                               "new": value}]})

    state, document = TuneState(), Document()
    widget = menu(state.param.reference, {words: key for key, words in REFERENCES.items()})
    model = widget.get_root(document)
    document.add_root(model)
    with pytest.raises(ValueError):
        choose(nonsense)
    assert state.reference == widget.value == "auto"
    choose("laplace")
    assert state.reference == "laplace"
