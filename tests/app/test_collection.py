"""What a visit leaves when it is over: nothing that holds its pages or its data."""

import gc
import weakref

import numpy as np
import pytest
from bokeh.document import Document
from panel.io import document as panel_documents
from panel.io.state import set_curdoc

from app import process_memory
from app.chrome.frame import Frame
from app.handover import session
from app.state.own_data_defaults import OWN
from app.state.problem_menu import choice_of
from app.user_data import Given
from sampler import LinearRegression


@pytest.fixture
def rows():
    features = np.random.default_rng(0).standard_normal((30, 2))
    return Given("mine", LinearRegression(2), features, features @ [1.0, -1.0])


def test_a_visit_that_is_over_is_collected_with_its_data(rows):
    """What is shown knows its document, and the session knows what is shown."""
    document = Document()
    with set_curdoc(document):
        frame = Frame({})
        session().given, session().coreset = rows, document
        live = frame._current()
        live.close()
        left = [weakref.ref(thing) for thing in (document, session(), frame, live, live.engine, live.stack)]
    assert not live.engine.alive
    del document, frame, live
    gc.collect()
    assert [found() for found in left] == [None] * len(left)


def test_an_upload_is_forgotten_with_the_visits_that_have_it(rows):
    mine = Given(rows.label, rows.problem, rows.features, rows.labels)
    assert choice_of(OWN, mine) is choice_of(OWN, mine)  # advice is asked for once
    found = weakref.ref(mine)
    del mine
    gc.collect()
    assert found() is None


def test_visits_that_end_together_are_collected_once(monkeypatch):
    """Panel would stop everybody after each; what is left then is collected with the memory that goes back."""
    monkeypatch.setattr(panel_documents, "_garbage_collect", gc.collect)  # comes back after the test
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: None)
    monkeypatch.setattr(process_memory, "DELAY", 3600.0)
    process_memory.settle()
    collections, timers = [], []
    monkeypatch.setattr(gc, "collect", lambda: collections.append(1))
    try:
        for _ in range(3):
            process_memory.give_back_soon()
            panel_documents._garbage_collect()
        timers = list(process_memory._waiting)
        assert not collections and len(process_memory._waiting) == 1
        process_memory._waiting[0].function()
        assert len(collections) == 1
    finally:
        for timer in timers:
            timer.cancel()
        process_memory._waiting.clear()
