"""A visit belongs to the browser that opened it: its name alone leads nobody in, by page or by socket."""

import asyncio
import base64
import json
import math
import os
import re
import socket
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from bokeh.util.token import generate_jwt_token, get_session_id, get_token_payload

from app.visits import browser_cookie, pings
from app.visits.browser_cookie import COOKIE, forget, give_visits_to_browsers, guard
from app.visits.pings import SILENT, ping_visits, somebody_there


class Site:
    """A server with a guarded page of one word."""

    def __init__(self):
        from panel.io.server import get_server

        give_visits_to_browsers()
        ping_visits()
        ready = threading.Event()

        def run():
            asyncio.set_event_loop(asyncio.new_event_loop())
            import panel as pn

            self.server = get_server({"app": lambda: pn.pane.Str("seen")}, port=0, address="127.0.0.1", start=False,
                                     show=False)
            self.server.start()
            self.context = self.server._tornado._applications["/app"]
            guard(self.context)
            self.server.io_loop.add_callback(ready.set)
            self.server.io_loop.start()

        self._thread = threading.Thread(target=run, name="browsers", daemon=True)
        self._thread.start()
        assert ready.wait(60)
        self.url = f"127.0.0.1:{self.server.port}/app"

    def close(self):
        self.server.io_loop.add_callback(self.server.io_loop.stop)
        self._thread.join(60)

    def get(self, query="", cookie="", **headers):
        """What a browser has after it followed where it was sent: address, cookie that was set, token."""
        request = Request(f"http://{self.url}{query}", headers=headers | ({"Cookie": cookie} if cookie else {}))
        with urlopen(request, timeout=60) as answer:
            set_, page = answer.headers.get("Set-Cookie", ""), answer.read().decode()
        token = json.loads(re.search(r'"token":("[^"]+")', page)[1])
        return SimpleNamespace(address=answer.url, set=set_, token=token, name=get_session_id(token),
                               cookie=set_.partition(";")[0] or cookie)

    def socket(self, token, cookie=""):
        """What a socket that is opened with a token hears first; without "ACK" it was closed."""
        with self.connected(token, cookie) as (_, heard):
            return heard

    @contextmanager
    def connected(self, token, cookie=""):
        """A socket that answers nothing, and what it heard first."""
        lines = ["GET /app/ws HTTP/1.1", f"Host: {self.url.partition('/')[0]}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13",
                 f"Sec-WebSocket-Protocol: bokeh, {token}", *([f"Cookie: {cookie}"] if cookie else [])]
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as connection:
            connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
            heard = ""
            while "ACK" not in heard and "another page" not in heard and (more := connection.recv(4096)):
                heard += more.decode("latin-1")
            yield connection, heard


@pytest.fixture(scope="module")
def site():
    made = Site()
    yield made
    made.close()


@pytest.fixture
def mine(site):
    return site.get()


def test_a_browser_is_told_apart_by_a_cookie_that_no_script_reads(mine):
    assert mine.cookie.startswith(f"{COOKIE}=") and len(mine.cookie) >= len(COOKIE) + 33
    assert {"HttpOnly", "SameSite=Lax"} <= set(mine.set.split("; "))


def test_the_page_of_a_visit_does_not_repeat_the_cookie(site, mine):
    again = site.get(cookie=f"other=1; {mine.cookie}")
    payload = json.dumps(get_token_payload(again.token), default=str)
    assert mine.cookie.partition("=")[2] not in payload and get_token_payload(again.token)["cookies"] == {"other": "1"}
    assert not again.set and again.name != mine.name


@pytest.mark.parametrize("how", ["?eta0=3&bokeh-session-id={name}", "?bokeh-token={token}&eta0=3"])
@pytest.mark.parametrize("who", ["", f"{COOKIE}=somebody", f"{COOKIE}="])
def test_another_browser_that_is_sent_the_name_of_a_visit_gets_one_of_its_own(site, mine, how, who):
    other = site.get(how.format(name=mine.name, token=mine.token), who)
    assert other.name != mine.name
    if "eta0=3" in how:
        assert other.address.endswith("/app?eta0=3")  # the rest of the link holds


@pytest.mark.parametrize("query", ["/autoload.js?bokeh-autoload-element=1&bokeh-session-id={name}", ""])
def test_what_is_no_page_is_refused(site, mine, query):
    headers = {} if query else {"Bokeh-Session-Id": mine.name}
    with pytest.raises(HTTPError, match="403"):
        site.get(query.format(name=mine.name), **headers)


def test_the_browser_itself_finds_its_visit_with_a_token_that_holds(site, mine):
    session = site.context._sessions[mine.name]
    payload = get_token_payload(session.token)
    del payload["session_expiry"]
    session._token = generate_jwt_token(mine.name, expiration=-10, extra_payload=payload)  # it was opened long ago
    found = site.get(f"?bokeh-session-id={mine.name}&back=1", mine.cookie)
    assert found.name == mine.name and not found.set
    assert "ACK" in site.socket(found.token, mine.cookie) and "ACK" in site.socket(found.token)


def test_a_socket_is_opened_by_a_page_of_the_visit_alone(site, mine):
    assert "ACK" not in site.socket(generate_jwt_token(mine.name), mine.cookie)  # anybody can write such a token
    guessed = generate_jwt_token(mine.name, extra_payload={browser_cookie.SECRET: "a guess"})
    assert "ACK" not in site.socket(guessed)
    assert "ACK" in site.socket(mine.token)


def test_the_cookie_that_the_browser_kept_counts(site, mine):
    """Two tabs that open at once are each given one; the first then finds its visit by the second's."""
    late = site.get()
    assert "ACK" in site.socket(mine.token, late.cookie)
    assert site.get(f"?bokeh-session-id={mine.name}", late.cookie).name == mine.name
    assert site.get(f"?bokeh-session-id={mine.name}", mine.cookie).name != mine.name


def test_whose_a_visit_was_is_forgotten_with_it(mine):
    assert mine.name in browser_cookie._owners
    forget(mine.name)
    assert mine.name not in browser_cookie._owners


def test_who_answers_no_ping_is_not_there_though_still_connected(site, mine, monkeypatch):
    """A cable was pulled, or a laptop sleeps: its place is free; once it is heard again the same socket goes on."""
    session = site.context._sessions[mine.name]
    with site.connected(mine.token) as (connection, heard):
        assert "ACK" in heard and somebody_there(session)
        (socket,) = (one._socket for one in session._subscribed_connections)
        assert socket.ping_interval < SILENT / 3 and socket.ping_timeout == 0
        monkeypatch.setattr(pings, "SILENT", 0.0)  # since whenever it was heard
        assert not somebody_there(session) and session.connection_count == 1
        monkeypatch.setattr(pings, "SILENT", 3600.0)
        socket.heard = -math.inf
        assert not somebody_there(session)
        connection.sendall(bytes([0x8A, 0x80, 0, 0, 0, 0]))  # a pong, as a browser sends it
        deadline = time.monotonic() + 120
        while not somebody_there(session):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_socket_that_was_let_go_hears_its_last_words_in_silence(site, mine, caplog):
    """Bokeh's own pings let the visit of a closed socket go, while what it sent before waits to be read."""
    with site.connected(mine.token) as (connection, heard):
        assert "ACK" in heard
        (held,) = site.context._sessions[mine.name]._subscribed_connections
        held.detach_session()
        connection.sendall(bytes([0x81, 0x82, 0, 0, 0, 0]) + b"{}")  # a text of two letters
    deadline, over = time.monotonic() + 120, threading.Event()
    while not held._socket._on_close_called:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    site.server.io_loop.add_callback(over.set)  # after what it does at its end
    assert over.wait(60) and [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_handlers_are_made_once():
    from bokeh.server.urls import per_app_patterns

    before = list(per_app_patterns)
    give_visits_to_browsers()
    ping_visits()
    assert per_app_patterns == before
