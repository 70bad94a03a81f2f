"""Messages from the browser: no shape of JSON raises in a handler, and what does not fit changes nothing."""

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
from tests.fuzz.components import components, handlers, messages, put
from tests.fuzz.nonsense import amounts, search
from tests.fuzz.queries import queries, sentences, written

PAGE_KEYS = list(PAGES)
PLAIN = (bool, int, float, str, bytes, type(None))


@pytest.fixture(autouse=True)
def at_rest(tmp_path, monkeypatch):
    """No work starts: what is asked for is enough."""
    monkeypatch.setenv("EXIT_TIME_LAB_CACHE", str(tmp_path))
    monkeypatch.setattr(BackgroundJob, "start", lambda self, job: 0)
    monkeypatch.setattr(Engine, "start", lambda self: None)


@pytest.fixture(scope="module")
def page(request):
    page = PAGES[request.param].load().from_query({})
    page.visit = Visit()
    yield page
    page.close()


def standing(page, component):
    return (page.config, compared(component.param.values().values()), len(component._msg__callbacks),
            len(component._event__callbacks))


def compared(values):
    """Values to compare later, lists by what is in them now; of what is shown inside a component, which one it is."""
    return [id(value) if isinstance(value, Viewable | Viewer) else compared(value) if isinstance(value, list | tuple)
            else compared([*value, *value.values()]) if isinstance(value, dict) else value if type(value) in PLAIN
            else repr(value) for value in values]


@pytest.mark.parametrize("page", PAGE_KEYS, indirect=True, scope="module")
@amounts(quick=6, slow=30_000)
def test_no_message_breaks_a_page(page, examples):
    """Every component of a page takes whatever comes, and the page's link still says what the page is set to."""
    shown = [one for one in components(page.shell) if isinstance(one, LabComponent)]
    shown = [one for one in shown if handlers(one) or isinstance(one, ChainCanvas)]
    assert shown
    batches = st.one_of([st.tuples(st.just(one), st.lists(messages(one), min_size=1, max_size=4)) for one in shown])

    def check(batch):
        component, sent = batch
        stood = None
        for message in sent:
            stood = put(component, message, lambda: standing(page, component), stood)
        config, words = type(page).read_link(page.query(), page.visit)
        assert not words and page.state.to_query(config) == page.query()

    search(examples, batches, check)


@pytest.mark.parametrize("page", PAGE_KEYS, indirect=True, scope="module")
@amounts(quick=2, slow=3_000)
def test_a_page_that_loads_a_link_leads_back_to_itself(page, examples):
    def check(query):
        page.load(query)
        assert sentences(page.notices.words)
        link = page.query()
        page.load(link)
        assert page.query() == link

    search(examples, queries(written(type(page), type(page.state))), check)


@pytest.fixture
def frame(monkeypatch):
    """A visit whose pages come to the front without working."""
    monkeypatch.setattr(Page, "activate", lambda self: self.begin())
    monkeypatch.setitem(SERVER.parts, Visit, Visit())  # a frame leaves its mark in it
    frame = Frame({}, Arguments())
    yield frame
    frame._story.close()
    for page in frame._pages.values():
        page.close()


def where(frame):
    return repr((frame._key, frame._dark, frame._story.at, frame._story.card.param.values(),
                 frame._story.case, sorted(frame._pages), frame._header.param.values()))


@amounts(quick=10, slow=25_000)
def test_no_message_breaks_a_visit(frame, examples):
    """Header and lesson card; the open lesson stays one that there is."""
    story = frame._story
    shown = [frame._header, *[story.card] * 3]
    kinds = st.one_of([st.tuples(st.just(one), st.lists(messages(one), min_size=1, max_size=4)) for one in shown])

    def check(batch):
        component, sent = batch
        for message in sent:
            put(component, message, lambda: where(frame))
            assert frame._key in PAGE_KEYS and frame._header.page in PAGE_KEYS
            if story.at is not None:
                lesson = story.lesson
                assert -1 <= story.card.chosen < len(lesson.question.options)
                assert 0 <= story.card.step < len(lesson.steps)

    search(examples, kinds, check)
