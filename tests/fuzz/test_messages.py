"""Messages from the browser: no JSON raises in a handler, and invalid messages change nothing."""

import pytest
from hypothesis import strategies as st
from panel.viewable import Viewable, Viewer

from app.canvas.chain_canvas import ChainCanvas
from app.chrome.frame import PAGES, Frame
from app.jobs.background_job import BackgroundJob
from app.js.component import LabComponent
from app.live.engine import Engine
from app.page import Page
from app.server.arguments import Arguments
from app.visit import SERVER, Visit
from tests.fuzz.components import components, handlers, messages, send
from tests.fuzz.nonsense import amounts, search
from tests.fuzz.queries import queries, sentences, written_values

PAGE_KEYS = list(PAGES)
PLAIN = (bool, int, float, str, bytes, type(None))


@pytest.fixture(autouse=True)
def no_background_work(tmp_path, monkeypatch):
    """Disable background work."""
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path))
    monkeypatch.setattr(BackgroundJob, "start", lambda self, job: 0)
    monkeypatch.setattr(Engine, "start", lambda self: None)


@pytest.fixture(scope="module")
def page(request):
    page = PAGES[request.param].load().from_query({})
    page.visit = Visit()
    yield page
    page.close()


def page_state(page, component):
    return (page.config, comparable(component.param.values().values()), len(component._msg__callbacks),
            len(component._event__callbacks))


def comparable(values):
    """Return values for a later comparison: containers by content, nested components by identity."""
    return [id(value) if isinstance(value, Viewable | Viewer) else comparable(value) if isinstance(value, list | tuple)
            else comparable([*value, *value.values()]) if isinstance(value, dict) else value if type(value) in PLAIN
            else repr(value) for value in values]


@pytest.mark.parametrize("page", PAGE_KEYS, indirect=True, scope="module")
@amounts(quick=6, slow=30_000)
def test_no_message_breaks_a_page(page, examples):
    """Every component accepts any message, and the page's link still describes its settings."""
    shown = [one for one in components(page.shell) if isinstance(one, LabComponent)]
    shown = [one for one in shown if handlers(one) or isinstance(one, ChainCanvas)]
    assert shown
    batches = st.one_of([st.tuples(st.just(one), st.lists(messages(one), min_size=1, max_size=4)) for one in shown])

    def check(batch):
        component, sent = batch
        unchanged = None
        for message in sent:
            unchanged = send(component, message, lambda: page_state(page, component), unchanged)
        config, words = type(page).read_link(page.query(), page.visit)
        assert not words and page.state.to_query(config) == page.query()

    search(examples, batches, check)


@pytest.mark.parametrize("page", PAGE_KEYS, indirect=True, scope="module")
@amounts(quick=2, slow=3_000)
def test_a_page_that_loads_a_link_reproduces_itself(page, examples):
    def check(query):
        page.load(query)
        assert sentences(page.notices.words)
        link = page.query()
        page.load(link)
        assert page.query() == link

    search(examples, queries(written_values(type(page), type(page.state))), check)


@pytest.fixture
def frame(monkeypatch):
    """A visit with pages that start no work."""
    monkeypatch.setattr(Page, "activate", lambda self: self.begin())
    monkeypatch.setitem(SERVER.parts, Visit, Visit())  # a frame modifies it
    frame = Frame({}, Arguments())
    yield frame
    frame._story.close()
    for page in frame._pages.values():
        page.close()


def visit_state(frame):
    return repr((frame._key, frame._dark, frame._story.at, frame._story.card.param.values(),
                 frame._story.case, sorted(frame._pages), frame._header.param.values()))


@amounts(quick=10, slow=25_000)
def test_no_message_breaks_a_visit(frame, examples):
    """Header and lesson card; the open lesson remains valid."""
    story = frame._story
    shown = [frame._header, *[story.card] * 3]
    kinds = st.one_of([st.tuples(st.just(one), st.lists(messages(one), min_size=1, max_size=4)) for one in shown])

    def check(batch):
        component, sent = batch
        for message in sent:
            send(component, message, lambda: visit_state(frame))
            assert frame._key in PAGE_KEYS and frame._header.page in PAGE_KEYS
            if story.at is not None:
                lesson = story.lesson
                assert -1 <= story.card.chosen < len(lesson.question.options)
                assert 0 <= story.card.step < len(lesson.steps)

    search(examples, kinds, check)
