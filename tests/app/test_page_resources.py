"""What the head of a page asks for is looked up once, and anew where it may differ."""

from pathlib import Path

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.resources import Resources as BokehResources
from panel.io import server
from panel.io.resources import Resources, bundle_resources
from panel.io.state import set_curdoc, state

from app.page_resources import PageResources, look_up_once


@pytest.fixture
def look_ups(monkeypatch):
    """Panel's look-up behind ours, with a count of the questions to the disk."""
    asked, is_file = [], Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: asked.append(path) or is_file(path))
    return PageResources(bundle_resources), asked


@pytest.fixture
def head():
    """Return a function that gives the head of the page of a new document."""

    def ask(bundle, shown=pn.Spacer, path=""):
        document = Document()
        document.add_root(shown().get_root(document))
        with set_curdoc(document):
            state.rel_path = path
            found = bundle(document.roots, Resources.from_bokeh(BokehResources(mode="server", root_url="./")))
            return "\n".join(found)

    return ask


def test_the_second_visit_asks_the_disk_nothing_and_has_the_same_head(look_ups, head):
    ours, asked = look_ups
    first = head(ours)
    assert asked and first == head(bundle_resources)
    asked.clear()
    assert head(ours, pn.Row) == first and not asked


def test_what_may_differ_is_looked_up_anew(look_ups, head):
    ours, _ = look_ups
    plain, text = head(ours), head(ours, pn.pane.HTML)  # a text may hold formulas
    assert "mathjax" in text and "mathjax" not in plain and text == head(bundle_resources, pn.pane.HTML)
    assert head(ours, path="../..") == head(bundle_resources, path="../..") != plain
    assert head(ours) == plain


def test_pages_of_a_server_share_it(monkeypatch):
    monkeypatch.setattr(server, "bundle_resources", bundle_resources)  # comes back after the test
    look_up_once()
    shared = server.bundle_resources
    look_up_once()
    assert isinstance(shared, PageResources) and server.bundle_resources is shared
