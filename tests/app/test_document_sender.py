"""A new visit's document is written for its browser on a thread of its own, whole, and as it is."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
from bokeh.document import Document
from bokeh.models import Div
from bokeh.server import contexts

from app.document_sender import SessionWrittenAside, write_aside


class Connection:
    """Writes a document down as a browser's connection does; `meanwhile` happens while it is written."""

    def __init__(self, meanwhile):
        self.protocol, self.threads, self._meanwhile = self, [], meanwhile

    def create(self, kind, number, document):
        assert (kind, number) == ("PULL-DOC-REPLY", "7")
        self.threads.append(threading.current_thread().name)
        text = document.roots[0].text
        self._meanwhile(document)
        return text


def asked(meanwhile, times=1):
    """Ask for the document so often; returns the answers, and where each was written."""
    async def ask():
        document = Document()
        document.add_root(Div(text="as made"))
        session, connection = SessionWrittenAside("one", document), Connection(meanwhile)
        message = SimpleNamespace(header={"msgid": "7"})
        answers = [await session._handle_pull(message, connection) for _ in range(times)]
        left = len(document.callbacks._change_callbacks)
        return answers, [name.startswith("document-sender") for name in connection.threads], left

    answers, aside, left = asyncio.run(ask())
    assert left == 1  # the session's own
    return answers, aside


def test_the_first_answer_is_written_aside_and_later_ones_on_the_loop():
    assert asked(lambda document: None, times=2) == (["as made", "as made"], [True, False])


def test_what_changes_meanwhile_is_in_the_answer():
    def change(document):
        document.roots[0].text = "changed"

    assert asked(change) == (["changed"], [True, False])


def test_a_document_that_cannot_be_gone_through_aside_is_written_on_the_loop():
    def grow(document):
        if threading.current_thread().name.startswith("document-sender"):
            raise RuntimeError("dictionary changed size during iteration")

    assert asked(grow) == (["as made"], [True, False])


def test_another_fault_is_told():
    def fail(document):
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        asked(fail)


def test_sessions_made_by_the_server_write_aside(monkeypatch):
    monkeypatch.setattr(contexts, "ServerSession", contexts.ServerSession)  # comes back after the test
    write_aside()
    application = SimpleNamespace(initialize_document=lambda document: None)

    async def created(context):
        application.context = context

    application.on_session_created = created
    context = contexts.ApplicationContext(application)
    session = asyncio.run(context.create_session_if_needed("one"))
    assert type(session) is SessionWrittenAside
