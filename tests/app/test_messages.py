"""Messages of components: only those that match a handler are accepted from a browser; the order of those sent."""

from threading import get_ident

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.io.doc import patch_curdoc
from bokeh.models import Column, Div
from bokeh.themes import Theme
from panel.io.state import set_curdoc, state
from panel.models.esm import DataEvent

from app import plots
from app.canvas.chain_canvas import ChainCanvas
from app.chrome.header import Header
from app.js.component import in_order
from app.js.messages import handler_of
from app.lessons.lesson_card import LessonCard
from app.own_data.file_picker import FilePicker
from app.state.tune import REFERENCES, TuneState
from app.tune.sidebar import RangeSlider
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import Notices, PageShell
from app.widgets.param_controls import menu


@pytest.mark.parametrize(("kind", "message"), [
    (PageShell, {"type": "glossary", "what": []}), (LessonCard, {"type": "step", "step": None}),
    (LessonCard, {"type": "choose", "option": float("nan")}), (LessonCard, {"type": "choose", "option": True}),
    (LessonCard, {"type": "choose"}), (LessonCard, {"type": "choose", "option": 1, "more": 1}),
    (LessonCard, {"type": "choose", "option": 10**400}), (LessonCard, {"type": "step", "step": 1.5}),
    (KnobSlider, {"type": "slide", "value": float("inf")}), (KnobSlider, {"type": "slide", "value": "1"}),
    (KnobSlider, {"type": "typed", "text": "\ud800"}), (KnobSlider, {"type": "typed", "text": "9" * 1_000_001}),
    (Header, {"type": "action", "key": 1}), (FilePicker, {"type": "piece", "upload": 1, "at": 0, "data": "text"}),
    (RangeSlider, {"type": "range", "low": None, "high": 1}),
    (PageShell, {"type": "msg", "callback": "x"}), (PageShell, {"type": "event", "event": "x", "callback": "y"}),
    (PageShell, {"type": ["hello"]}), (PageShell, {"type": "nothing"}), (PageShell, ["hello"]), (PageShell, None),
])
def test_a_message_that_matches_no_handler_is_refused(kind, message):
    assert handler_of(kind.__new__(kind), message) is None


@pytest.mark.parametrize(("kind", "message"), [
    (PageShell, {"type": "hello"}), (PageShell, {"type": "glossary", "what": "terms"}),
    (LessonCard, {"type": "step", "step": 2}),
    (KnobSlider, {"type": "slide", "value": 3}), (KnobSlider, {"type": "slide", "value": 0.5}),
    (Header, {"type": "action", "key": "save"}),
    (KnobSlider, {"type": "typed", "text": "5 × 10⁻⁶"}), (Header, {"type": "action", "key": "save", "choice": "all"}),
    (FilePicker, {"type": "piece", "upload": 1, "at": 0, "data": b"1,2\n"}), (Notices, {"type": "dismiss", "index": 0}),
    (RangeSlider, {"type": "range", "low": 1, "high": "1/3"}),
])
def test_a_message_of_a_script_is_accepted(kind, message):
    assert handler_of(kind.__new__(kind), message) is not None


def test_a_canvas_accepts_only_numbers_as_answers():
    canvas, calls = ChainCanvas(), []
    canvas.painted = lambda: calls.append("painted")
    for message in ([], None, "1", float("nan"), float("inf"), True, {"follow": "all"}, {"follow": 1.5}, 10**400, b"1"):
        canvas._process_event(DataEvent(None, message))
    assert calls == [] and canvas.in_flight == 0
    canvas._process_event(DataEvent(None, 1))
    assert calls == ["painted"]


@pytest.mark.parametrize("index", [None, "1", 1.5, -1, 99, [], True])
def test_a_menu_ignores_an_invalid_option_and_still_works(index):
    tune = TuneState()
    widget = menu(tune.param.reference, {words: key for key, words in REFERENCES.items()})
    handler = handler_of(widget, {"type": "choose", "index": index})
    if handler is not None:
        handler()
    assert tune.reference == widget.value == "auto"
    handler_of(widget, {"type": "choose", "index": list(REFERENCES).index("laplace")})()
    assert tune.reference == "laplace"


def test_a_change_is_sent_after_its_page_and_before_the_next():
    document, first, second = Document(), Div(text="first"), Div(text="second")
    column, sent = Column(), []
    document.add_root(column)
    document.on_change(lambda event: sent.append((event.model, event.new)) if hasattr(event, "model") else None)
    state._connected[document], state._thread_id_[document] = True, get_ident()
    with set_curdoc(document), in_order():
        column.children = [first]
        first.text = "changed"
        with pn.io.hold():  # a nested hold neither combines nor sends events
            column.children = [second]
        assert not sent
    assert sent == [(column, [first]), (first, "changed"), (column, [second])]


def test_drawing_a_figure_does_not_change_the_document_of_the_session():
    document = Document()
    document.theme = theme = Theme(json={})
    with patch_curdoc(document):
        plots.to_plot(plots.lines([plots.Line("a", [1.0, 2.0], [1.0, 2.0])], "x", "y"))
    assert document.theme is theme and not document.session_destroyed_callbacks
