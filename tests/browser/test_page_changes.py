"""Pages and themes that change faster than they are drawn: the browser gets no message about what it has dropped."""

import pytest
from bokeh.server.session import ServerSession
from panel.io.state import state

pytestmark = [pytest.mark.browser, pytest.mark.journey]

TABS = ["Exit time", "Live", "Tune", "Live", "Compare", "Live", "Offline", "Live", "Coreset", "Live"]
PRESS = """([tab, theme]) => {
  if (theme) deep('button.theme').click()
  if (tab) deepAll('[role=tab]').find(t => t.textContent === tab).click()
  return [deepAll('[role=tab]').find(t => t.ariaSelected === 'true').textContent, deep('.turning').checkVisibility(),
          deep('.turning').textContent] }"""
"""Clicks that follow each other before the server has seen the first; what is on show then."""
CHANGED = """() => {
  const Select = Bokeh.Models.get("Select"), model = new Select({options: ["one"], value: "one"})
  const view = new model.default_view({model, parent: null})
  view.initialize()
  view.connect_signals()
  model.setv({options: ["two", "three"], value: "three"})
  view.render()
  return [view.input_el !== Object.getPrototypeOf(view).input_el, view.input_el.value,
          [...view.input_el.options].map(one => one.value).join()] }"""
"""A menu that is made, changed, and drawn: what it shows."""


@pytest.fixture
def late(monkeypatch):
    """What Bokeh kept until the end of a callback, when Panel had already written what came after it."""
    found, patched = [], ServerSession._document_patched

    def spy(session, event):
        if event.setter is not session and state._loaded.get(session.document):
            found.append(f"{event.kind} {getattr(event, 'model', '')} {getattr(event, 'attr', '')}")
        return patched(session, event)

    monkeypatch.setattr(ServerSession, "_document_patched", spy)
    return found


def throttle(page, rate):
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def test_tabs_and_themes_change_faster_than_pages_are_drawn(open_page, late):
    page = open_page("?speed=32e")
    throttle(page, 2)
    for k, tab in enumerate(TABS):
        selected, covered, words = page.evaluate(PRESS, [tab, k % 3 < 2])
        assert selected == tab and covered and words.startswith(f"Opening {tab}")  # the last page is not on show under it
        page.wait_for_function(f"deep('h1')?.textContent {'=' if tab == 'Live' else '!'}== 'Live'")
    page.wait_for_function("frames_painted() > 2 && !deep('.turning').checkVisibility()")
    assert late == []


def test_a_tab_ends_the_story_and_no_other_page_comes_between(open_page, late):
    page = open_page("?lesson=too_hot&theme=light")
    throttle(page, 4)
    page.wait_for_function("deep('.lesson h2')?.textContent.startsWith('Too hot')")
    page.evaluate(PRESS, [None, True])
    page.evaluate(PRESS, ["Exit time", True])
    page.wait_for_function("!deep('.lesson') && shown().done === '1'")
    page.evaluate(PRESS, ["Live", True])
    page.wait_for_function("frames_painted() > 2")
    assert late == []


def test_a_menu_may_change_before_it_is_drawn(open_page):
    page = open_page()
    page.wait_for_function("frames_painted() > 2")
    assert page.evaluate(CHANGED) == [True, "three", "two,three"]
