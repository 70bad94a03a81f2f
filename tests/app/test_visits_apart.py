"""One visit never reads another's data: what pages share, what a link brings back, what a class follows."""

from contextlib import suppress

import numpy as np
import pytest
from bokeh.document import Document
from bokeh.server.contexts import BokehSessionContext, _RequestProxy
from panel.io.state import set_curdoc
from tornado.httputil import HTTPServerRequest, RequestStartLine

from app.handover import session
from app.pages.live import LivePage
from app.pages.tune import TunePage
from app.state.live import LiveState
from app.state.tune import TuneState
from app.tune import kept_files
from app.user_data import Given
from app.visits import door, own_name
from sampler import LogisticRegression


@pytest.fixture
def given():
    features = np.random.default_rng(0).normal(size=(40, 2))
    return Given("mine.csv, 40 rows", LogisticRegression(2), features, np.arange(40) % 2.0)


@pytest.fixture
def other(given):
    """A visit whose neighbour has brought data; the neighbour's stays open meanwhile."""
    mine, other = Document(), Document()
    with set_curdoc(mine):
        session().given = given
        session().coreset = object()
        assert session().given is given
    yield other
    with set_curdoc(mine):
        assert session().given is given


def test_what_one_visit_has_brought_is_not_in_another(other, given):
    with set_curdoc(other):
        assert session().given is None and session().coreset is None and session().live is None
        config, words = LiveState.from_query({"problem": "given"}, session().given)
        assert config.problem != "given" and config.given is None and words
        page = LivePage.from_query({"problem": "given"}, False)
        try:
            assert page.config.given is None and page.config.problem != "given"
        finally:
            page.close()


@pytest.mark.parametrize("data", ["given", "file-mine.csv", "file-*", "file-0123456789abcdef0123-mine.csv",
                                  "file-../keys/uploads"])
def test_a_link_that_is_guessed_brings_nobodys_rows(other, data, monkeypatch, tmp_path):
    monkeypatch.setenv(kept_files.FOLDER, str(tmp_path))
    (tmp_path / "mine.csv").write_text("a,y\n" + "1,0\n2,1\n" * 20)
    kept = kept_files.keep_upload(tmp_path / "mine.csv")
    with set_curdoc(other):
        config, _ = TuneState.from_query({"tdata": data})
        from app.tune.tuning_rows import load

        with pytest.raises(ValueError, match="is gone|not kept here"):
            load(config, session().given)
        assert load(TuneState.from_query({"tdata": f"file-{kept}"})[0]).length == 40  # its own link leads back to it


def test_a_page_of_tune_in_another_visit_opens_on_an_example(other, monkeypatch, tmp_path):
    monkeypatch.setenv(kept_files.FOLDER, str(tmp_path))
    with set_curdoc(other):
        page = TunePage()
        try:
            assert page.config.data != "given"
        finally:
            page.close()


@pytest.fixture
def new_visit(monkeypatch):
    """Return a function that builds a new visit's document: its script, and how often a place was asked for."""
    asked = []

    def come(told):
        asked.append(told)
        raise InterruptedError

    monkeypatch.setattr(door, "places_of", come)

    def make(address):
        document = Document()
        context = BokehSessionContext("abc", None, document)
        request = HTTPServerRequest(start_line=RequestStartLine("GET", address, "HTTP/1.0"))
        context._request = _RequestProxy(request, arguments={"eta0": [b"3"]})
        document._session_context = lambda: context
        with set_curdoc(document):
            with suppress(InterruptedError):
                door.page_of(context.request.arguments, ())
        return document.template_variables.get("script", ""), len(asked)

    return make


@pytest.mark.parametrize("address", ["/app?bokeh-session-id=abc", "/app?eta0=3&bokeh-session-id=abc&back=1",
                                     "/app?bokeh%2Dsession%2Did=abc", "/app?bokeh-token=abc"])
def test_no_new_visit_bears_a_name_that_came_in_its_address(new_visit, address):
    """Who sent that address would see what is uploaded there; the browser asks again without it, and that is no visit."""
    script, asked = new_visit(address)
    assert asked == 0 and script.endswith("loadAnew()") and all(name in script for name in own_name.NAMES)


@pytest.mark.parametrize("address", ["/app", "/app?eta0=3&back=1", "/app/ws"])
def test_any_other_address_leads_to_the_door(new_visit, address):
    script, asked = new_visit(address)
    assert asked == 1 and script == ""
