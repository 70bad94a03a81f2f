"""The kernel's server and relay without a browser: a page is served, updated, paused, closed; figures of `setup`."""

import asyncio
import json
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from queue import Queue
from secrets import token_hex

import panel as pn
import param
import pytest
from bokeh.document import Document
from bokeh.events import DocumentReady
from bokeh.models import ColumnDataSource, Plot

from app.js.component import LabComponent
from app.notebook import ipywidget
from app.notebook import server as kernel_server
from app.notebook.relay import Relay
from app.notebook.server import KernelServer
from app.page import Page
from tests.app.test_who_may_connect import upgraded
from tests.waiting import wait_for

PATIENCE = 60


class State(param.Parameterized):
    x = param.List([0])


class SmallPage(Page):
    """Page with a slider, a figure that is not Panel's, and a list of its events."""

    def __init__(self):
        super().__init__()
        self.state = State()
        self.watch(lambda event: self.source.data.update(x=event.new), ["x"])
        self.slider, self.source, self.events = pn.widgets.FloatSlider(value=0.25), ColumnDataSource({"x": [0]}), []
        self.plot = Plot(tags=[self.source])

    def deactivate(self):
        self.events.append("rests")

    def activate(self):
        self.events.append("wakes")

    def close(self):
        self.closed = True

    def __panel__(self):
        self.note_document()
        return pn.Column(self.slider, pn.pane.Bokeh(self.plot))


class Browser:
    """Counterpart of `frame.js` in Python: requests the page through the relay and opens its socket."""

    def __init__(self, server, address):
        self.sent, self.server, self.address = Queue(), server, address
        self.relay = Relay(server, lambda data, buffers=(): self.sent.put((data, list(buffers))))

    def send(self, buffers=(), **data):
        self.server.loop.add_callback(self.relay.take, data, list(buffers))

    def receive(self):
        return self.sent.get(timeout=PATIENCE)

    def get(self, path):
        self.send(kind="get", number=1, path=path)
        data, (body,) = self.receive()
        return data["status"], body.decode()

    def open(self):
        status, html = self.get(self.address)
        assert status == 200
        token = re.search(r'"token":"([^"]+)"', html)[1]
        self.send(kind="open", number=2, path=self.address.split("?")[0] + "/ws", protocols=["bokeh", token])
        data, _ = self.receive()
        assert data["kind"] == "opened" and data["protocol"] == "bokeh"
        assert self.message()["msgtype"] == "ACK"
        return self

    def message(self):
        """Return the next message of the server: its header, content and buffers."""
        texts, binaries = [], []
        while len(texts) < 3 or len(binaries) < texts[0].get("num_buffers", 0):
            data, buffers = self.receive()
            assert data["kind"] == "fragments"
            for is_text, part in zip(data["text"], buffers, strict=True):
                if is_text:
                    texts.append(json.loads(part))
                else:
                    binaries.append(part)
        return texts[0] | {"content": texts[2], "binaries": binaries}

    def close(self):
        self.send(kind="close", number=2)


@pytest.fixture(scope="module")
def server():
    return KernelServer()


@pytest.fixture
def shown(server, monkeypatch):
    monkeypatch.setattr(kernel_server, "GRACE", 2)
    shown = server.keep(SmallPage())
    yield shown
    server.drop(shown)


@pytest.fixture
def browser(server, shown):
    browser = Browser(server, server.address(shown)).open()
    yield browser
    browser.close()


def status(server, path, **headers):
    try:
        request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def definitions(name):
    """Make a component of a new class; return how often a document defines the class."""
    name += token_hex(4)  # unique in this process
    component, shows = type(name, (LabComponent,), {"x": param.Integer(0)})(), Document()
    shows.add_root(component.get_root(shows))
    page = shows.to_json(deferred=False)
    return sum(one["name"].startswith(name) for one in page["defs"]) + len(page["roots"][0]["attributes"].get("_defs", []))


def test_a_component_imported_by_a_cell_belongs_to_no_running_page(server, shown, browser):
    """Bokeh has one current document for all threads: during a callback it is that of the server's thread."""
    document = wait_for(lambda: shown.session, "the page has not been shown", PATIENCE).document
    entered, leave, made = threading.Event(), threading.Event(), []

    def callback():
        document.callbacks.trigger_event(DocumentReady())  # as sent by a browser
        entered.set()
        assert leave.wait(PATIENCE)
        made.append(definitions("Late"))

    async def cell():
        return definitions("Imported")

    document.add_next_tick_callback(callback)
    assert entered.wait(PATIENCE)
    times = asyncio.run(cell())
    leave.set()
    assert times == 1, "the browser refuses a second definition"
    wait_for(lambda: made, "the callback has not ended", PATIENCE)
    assert made == [2], "a class made by the page itself is new to its browser"


def test_only_addresses_below_the_path_are_served(server):
    assert status(server, f"{server.path}/alive") == 204
    assert len(server.path) > 30
    for path in ("/", "/app", "/alive", server.path[:-1]):
        assert status(server, path) == 404


def test_a_socket_from_another_site_is_refused(server):
    assert " 403 " in upgraded(server.port, "token", "http://127.0.0.1.evil.com", server.path)


def test_a_page_is_stored_once(server, shown, browser):
    assert server.keep(shown.page) is shown
    second = Browser(server, server.address(shown)).open()
    wait_for(lambda: shown.session is not None and shown.session.connection_count == 2)
    second.close()


def test_a_change_from_another_thread_reaches_the_browser(shown, browser):
    shown.page.slider.value = 0.75
    content = browser.message()["content"]
    assert [event["new"] for event in content["events"] if event["attr"] == "value"] == [0.75]
    shown.page.state.x = [1, 2, 3]  # not Panel's source: Bokeh accepts changes only under its lock
    assert "[1,2,3]" in json.dumps(browser.message()["content"], separators=(",", ":"))


def test_a_page_pauses_without_viewers_and_resumes_with_one(server, shown):
    browser = Browser(server, server.address(shown)).open()
    wait_for(lambda: shown.session is not None and not shown.resting)
    browser.close()
    wait_for(lambda: shown.page.events == ["rests"])
    browser = Browser(server, server.address(shown)).open()
    wait_for(lambda: shown.page.events == ["rests", "wakes"])
    browser.close()


def test_dropping_a_page_closes_it_and_destroys_its_session(server):
    shown = server.keep(SmallPage())
    browser = Browser(server, server.address(shown)).open()
    wait_for(lambda: shown.session is not None)
    browser.close()
    server.drop(shown)
    wait_for(lambda: shown.page.closed)
    wait_for(lambda: shown.session.destroyed)
    assert Browser(server, server.address(shown)).get(server.address(shown))[0] == 200  # a message instead of the page


def test_outside_a_notebook_a_widget_is_an_error_with_the_command_to_use():
    with pytest.raises(ValueError, match="panel serve app"):
        ipywidget(SmallPage())


SHOW = """
import re
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import holoviews as hv
from app import plots
from app.notebook import setup
setup()
setup()  # a cell that is run again
line = plots.lines([plots.Line("a", [1, 2], [1, 2])], "x", "y")
for figure in (hv.Curve([1, 2, 3]) * hv.Scatter([1, 2, 3]), line, line + line):
    data, _ = shell.display_formatter.format(figure)
    print(len(data["text/html"]) > 5_000, re.findall(r"https?://cdn[.]\\S+", data["text/html"]))
"""


def test_a_figure_loads_no_files_from_other_hosts():
    """In a separate process, since `setup` changes global state."""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", SHOW], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-3:] == ["True []"] * 3
