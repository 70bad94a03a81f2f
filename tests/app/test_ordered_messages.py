"""What a callback changes goes out in the order in which it happened."""

from __future__ import annotations

from threading import get_ident

import panel as pn
from bokeh.document import Document
from bokeh.io.doc import patch_curdoc
from bokeh.models import Column, Div
from bokeh.themes import Theme
from panel.io.state import set_curdoc, state

from app import plots
from app.js.component import in_order


def test_a_change_stands_behind_the_page_it_belongs_to_and_before_the_next():
    document, first, second = Document(), Div(text="first"), Div(text="second")
    column, sent = Column(), []
    document.add_root(column)
    document.on_change(lambda event: sent.append((event.model, event.new)) if hasattr(event, "model") else None)
    state._connected[document], state._thread_id_[document] = True, get_ident()
    with set_curdoc(document), in_order():
        column.children = [first]
        first.text = "changed"
        with pn.io.hold():  # an inner hold neither combines nor sends
            column.children = [second]
        assert not sent
    assert sent == [(column, [first]), (first, "changed"), (column, [second])]


def test_a_figure_that_is_drawn_leaves_the_document_of_the_session_alone():
    document = Document()
    document.theme = theme = Theme(json={})
    with patch_curdoc(document):
        plots.to_plot(plots.lines([plots.Line("a", [1.0, 2.0], [1.0, 2.0])], "x", "y"))
    assert document.theme is theme and not document.session_destroyed_callbacks
