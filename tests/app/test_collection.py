"""Garbage collection: an ended visit leaves no reference to its pages or data."""

import gc
import weakref

import numpy as np
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app.app_hooks import THRESHOLDS, freeze
from app.chrome.frame import Frame
from app.server.arguments import Arguments
from app.state.live_menu import choice_of
from app.state.user_data import OWN, UserData
from app.visit import Visit
from sampler import LinearRegression
from tests.waiting import close


@pytest.fixture
def rows():
    features = np.random.default_rng(0).standard_normal((30, 2))
    return UserData("mine", LinearRegression(2), features, features @ [1.0, -1.0])


def test_an_ended_visit_is_collected_with_its_data(rows):
    """Displayed models refer to their document, and the session refers to the models."""
    document = Document()
    with set_curdoc(document):
        frame = Frame({}, Arguments(), Visit(document))
        frame.visit.user_data, frame.visit.coreset = rows, document
        live = frame._current()
        live.close()
        close(live.engine)
        references = [weakref.ref(one) for one in (document, frame.visit, frame, live, live.engine, live.stack)]
    assert not live.engine._thread.is_alive()
    del document, frame, live
    gc.collect()
    assert [reference() for reference in references] == [None] * len(references)


def test_an_upload_is_forgotten_with_the_visits_that_have_it(rows):
    mine = UserData(rows.label, rows.problem, rows.features, rows.labels)
    assert choice_of(OWN, mine) is choice_of(OWN, mine)  # advice is computed once
    reference = weakref.ref(mine)
    del mine
    gc.collect()
    assert reference() is None


def test_imported_objects_are_frozen():
    """Otherwise each collection would stop all visits for twice as long."""
    thresholds = gc.get_threshold()
    freeze()
    try:
        assert gc.get_freeze_count() > 100_000 and gc.get_threshold() == THRESHOLDS
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
