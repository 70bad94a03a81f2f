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
        live.engine.close(wait=5.0)
        left = [weakref.ref(thing) for thing in (document, session(), frame, live, live.engine, live.stack)]
    assert not live.engine.alive
    del document, frame, live
    process_memory.look_through_all()
    assert [found() for found in left] == [None] * len(left)


def test_an_upload_is_forgotten_with_the_visits_that_have_it(rows):
    mine = Given(rows.label, rows.problem, rows.features, rows.labels)
    assert choice_of(OWN, mine) is choice_of(OWN, mine)  # advice is asked for once
    found = weakref.ref(mine)
    del mine
    process_memory.look_through_all()
    assert found() is None


@pytest.fixture
def settled(monkeypatch):
    """A process that has settled; what it was comes back after the test."""
    thresholds = gc.get_threshold()
    monkeypatch.setattr(panel_documents, "_garbage_collect", gc.collect)
    was = list(gc.callbacks)
    process_memory.settle()
    yield
    gc.callbacks[:] = was
    gc.set_threshold(*thresholds)
    gc.unfreeze()


class Ring:
    """Holds itself, so that only a collection frees it."""

    def __init__(self):
        self.itself = self


def test_what_was_imported_is_looked_at_no_more(settled):
    """Or else each look would stop everybody for twice as long."""
    assert gc.get_freeze_count() > 100_000
    held = Ring()
    gc.collect()
    assert any(one is held for one in gc.get_objects())  # what is made from now on is
    found = weakref.ref(held)
    del held
    process_memory.look_through_all()
    assert found() is None and gc.get_freeze_count() > 100_000


def test_nothing_but_this_module_looks_through_all(settled):
    """However much is made; what is dropped young is freed all the same."""
    full, dropped = [], weakref.ref(Ring())
    gc.callbacks.append(lambda phase, about: phase == "start" and about["generation"] == 2 and full.append(1))
    made = [[] for _ in range(8 * process_memory.THRESHOLDS[0])]
    assert len(made) and not full and dropped() is None


NOBODY, MUCH, UNKNOWN = 0, 1.2 * process_memory.GROWTH, float("nan")


@pytest.mark.parametrize(("there", "grown", "looked"), [
    (NOBODY, 0.0, True), (2, 0.0, True), (process_memory.FEW - 2, 0.0, False), (20, 0.0, False), (20, MUCH, True),
    (20, UNKNOWN, True)])
def test_many_are_stopped_for_ended_visits_only_where_much_memory_waits(monkeypatch, settled, there, grown, looked):
    """Panel would stop everybody after each visit; visits that end together are looked for once."""
    monkeypatch.setattr(process_memory, "DELAY", 3600.0)
    before, found, timers = process_memory._resident(), [], []
    monkeypatch.setattr(process_memory, "_resident", lambda: before + there * process_memory.TAKEN + grown)
    monkeypatch.setattr(process_memory, "look_through_all", lambda: found.append(1))
    collections = []
    monkeypatch.setattr(gc, "collect", lambda: collections.append(1))
    try:
        for _ in range(3):
            process_memory.give_back_soon(lambda: there)
            panel_documents._garbage_collect()
        timers = list(process_memory._waiting)
        assert not collections and not found and len(timers) == 1
        timers[0].function(*timers[0].args)
        assert len(found) == looked and not process_memory._waiting
    finally:
        for timer in timers:
            timer.cancel()
        process_memory._waiting.clear()


@pytest.mark.parametrize(("grown", "looked"), [
    (0.5 * process_memory.SOME, False), (1.5 * process_memory.SOME, True), (float("nan"), False)])
def test_who_stays_for_long_has_what_was_left_freed(monkeypatch, settled, grown, looked):
    """Nobody ends, and figures drawn anew leave rings."""
    before, found = process_memory._resident(), []
    monkeypatch.setattr(process_memory, "_resident", lambda: before + process_memory.TAKEN + grown)
    monkeypatch.setattr(process_memory, "look_through_all", lambda: found.append(1))
    process_memory.give_back_what_has_grown(lambda: 1)
    for timer in tuple(process_memory._waiting):
        timer.join(5.0)
    assert bool(found) == looked and not process_memory._waiting
    process_memory.give_back_what_has_grown(lambda: 1)
    assert not process_memory._waiting  # what is in use, however much, is looked through once
