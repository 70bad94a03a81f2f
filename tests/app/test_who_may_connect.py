"""Address that a server listens on, and origins that it accepts."""

import asyncio
import base64
import os
import socket
import threading
from urllib.request import urlopen

import pytest
from bokeh.server import server as bokeh_server

from app.loopback import LOOPBACK, bind_loopback, listen_on_loopback, listening_on_loopback
from tests.ports import free_port

LOOK_ALIKES = (
    "http://localhost.evil.com:{port}", "http://localhost.evil.com", "http://evil.com:{port}", "http://127.0.0.1.nip.io:{port}",
    "http://localhost:{other}", "http://localhost", "https://localhost", "http://127.0.0.1:{other}", "http://xn--lcalhost-43a:{port}",
    "http://xn--localhost-.com:{port}", "http://localhost.:{port}", "http://localhost@evil.com:{port}", "http://[::1]:{port}",
    "http://2130706433:{port}", "http://0.0.0.0:{port}", "http://evil.com/localhost:{port}", "http://localhost:{port}.evil.com",
    "http://evillocalhost:{port}", "http://*:{port}", "file://localhost:{other}", "null", "")


def test_a_server_without_an_address_listens_on_loopback_only():
    listen_on_loopback()
    assert bokeh_server.bind_sockets is bind_loopback
    for address, listens in ((None, LOOPBACK), ("", LOOPBACK), ("0.0.0.0", "0.0.0.0")):
        sockets, port = bind_loopback(address, 0)
        try:
            assert {one.getsockname()[0] for one in sockets} == {listens} and port
            with socket.create_connection((LOOPBACK, port)), sockets[0].accept()[0] as taken:
                for flag in (1, 0):  # Tornado turns it off
                    taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, flag)
                    assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        finally:
            for one in sockets:
                one.close()


def test_importing_the_hooks_replaces_the_servers_bind():
    from app import app_hooks

    assert app_hooks.listen_on_loopback is listen_on_loopback and bokeh_server.bind_sockets is bind_loopback


def test_the_bind_of_other_servers_in_a_kernel_is_restored(monkeypatch):
    monkeypatch.setattr(bokeh_server, "bind_sockets", None)
    with listening_on_loopback():
        assert bokeh_server.bind_sockets is bind_loopback
    assert bokeh_server.bind_sockets is None


@pytest.fixture(scope="module")
def port():
    """Port of a Panel server as `panel serve` starts it without options, with a one-word page."""
    import panel as pn
    from panel.io.server import get_server

    listen_on_loopback()
    ready, made = threading.Event(), []

    def run():
        asyncio.set_event_loop(asyncio.new_event_loop())
        server = get_server({"app": lambda: pn.pane.Str("seen")}, port=free_port(), start=False, show=False)
        server.start()
        made.append(server)
        server.io_loop.add_callback(ready.set)
        server.io_loop.start()

    thread = threading.Thread(target=run, name="origins", daemon=True)
    thread.start()
    assert ready.wait(60)
    yield made[0].port
    made[0].io_loop.add_callback(made[0].io_loop.stop)
    thread.join(60)


def upgraded(port: int, token: str, origin: str, path: str = "/app") -> str:
    """Return the status line of a websocket handshake from an origin."""
    lines = [f"GET {path}/ws HTTP/1.1\r\nHost: localhost:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade",
             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13",
             f"Sec-WebSocket-Protocol: bokeh, {token}", f"Origin: {origin}"]
    with socket.create_connection((LOOPBACK, port), timeout=60) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        return connection.recv(4096).decode("latin-1").partition("\r\n")[0]


def test_look_alike_origins_are_refused_and_the_servers_own_is_accepted(port):
    with urlopen(f"http://localhost:{port}/app", timeout=60) as answer:
        page = answer.read().decode()
    token = page.partition('"token":"')[2].partition('"')[0]
    assert token and " 101 " in upgraded(port, token, f"http://localhost:{port}")
    for pattern in LOOK_ALIKES:
        origin = pattern.format(port=port, other=port + 1)
        assert " 403 " in upgraded(port, token, origin), origin
