"""The cable that other tests cut: what comes at the moment of a cut is cut with the rest, and the next one passes."""

import socket
import threading
import time

from tests.browser.connection import cable as module
from tests.browser.connection.cable import Cable


def answer(listener):
    """Give back what comes, connection after connection, until the listener is closed."""
    while True:
        try:
            one, _ = listener.accept()
        except OSError:
            return
        with one:
            while data := one.recv(100):
                one.sendall(data)


def ask(cable):
    """What comes back through the cable; nothing where it is cut."""
    with socket.create_connection(("127.0.0.1", cable.port), timeout=60) as one:
        try:
            one.sendall(b"here")
            return one.recv(4)
        except ConnectionError:
            return b""


def test_a_cut_at_the_moment_a_connection_comes_ends_it_and_the_next_passes(monkeypatch):
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=answer, args=(listener,), daemon=True).start()
    cable, connect = Cable(listener.getsockname()[1]), socket.create_connection
    assert ask(cable) == b"here"

    def cut_meanwhile(address, *given, **named):
        one = connect(address, *given, **named)
        if address[1] == cable.to:
            cable.cut()
        return one

    with monkeypatch.context() as patch:
        patch.setattr(module.socket, "create_connection", cut_meanwhile)
        assert ask(cable) == b""
    deadline = time.monotonic() + 60
    while cable._open:  # the end that was asked is ended first
        assert time.monotonic() < deadline, "the far end was left open"
        time.sleep(0.01)
    assert ask(cable) == b""
    cable.mend()
    assert ask(cable) == b"here"
    cable.close()
    listener.close()
