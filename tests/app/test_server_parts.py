"""What the app changes of Bokeh and Panel, or reads though it is private: the installed releases have all of it."""

import ast
import asyncio
import importlib
import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.document import document as document_of_bokeh
from bokeh.io import doc
from bokeh.server import contexts
from bokeh.server.connection import ServerConnection
from bokeh.server.session import ServerSession
from bokeh.server.urls import per_app_patterns
from bokeh.server.views.ws import WSHandler
from panel.config import panel_extension
from panel.io import document, resources, server

from app.server_parts import REPLACED, SOCKETS, answer_at, extend_handlers, replace

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in REPLACED.items() for name in names])
def test_the_installed_release_has_what_is_replaced(module, name):
    assert hasattr(importlib.import_module(module), name), f"{module}.{name} has moved: see app/server_parts.py"


def parameters(function):
    return list(inspect.signature(function).parameters)


def test_what_is_replaced_is_called_as_our_parts_expect():
    assert parameters(resources.bundle_resources)[:2] == ["roots", "resources"], "app/page_resources.py"
    assert "bundle_resources(" in inspect.getsource(server.server_html_page_for_session), "app/page_resources.py"
    writer = importlib.import_module("bokeh.protocol.messages.patch_doc")
    assert "Serializer(references=doc.models.synced_references)" in inspect.getsource(writer), "app/message_tables.py"
    assert "Deserializer(list(self.models), setter=setter)" in inspect.getsource(document_of_bokeh), "app/message_tables.py"
    assert "_garbage_collect" in inspect.getsource(document._destroy_document), "app/process_memory.py"
    assert parameters(ServerSession._handle_pull) == ["self", "message", "connection"], "app/document_sender.py"
    made = inspect.getsource(contexts.ApplicationContext.create_session_if_needed)
    assert "ServerSession(" in made, "app/document_sender.py"
    for use in ("append(", "pop(", "len(_PATCHED_CURDOCS)", "_PATCHED_CURDOCS[-1]"):
        assert use in inspect.getsource(doc), f"app/documents_by_thread.py: {use}"


def test_the_handlers_that_our_parts_extend_are_as_expected():
    handlers = {route: handler for route, handler, *_ in per_app_patterns}
    assert issubclass(handlers[SOCKETS], WSHandler), "app/visits/pings.py, app/visits/browser_cookie.py"
    for name in ("_async_open", "on_pong", "on_message", "ping_interval"):
        assert hasattr(WSHandler, name), f"app/visits/pings.py: {name}"
    pages = [route for route, handler in handlers.items() if hasattr(handler, "get_session")]
    assert len(pages) >= 2, f"app/visits/browser_cookie.py: only {pages} give visits"


def test_what_is_read_of_sessions_and_state_is_there():
    """Names that are private, by the file that reads them."""
    application = SimpleNamespace(on_session_created=None, initialize_document=lambda document: None)

    async def created(context):
        assert context._document is not None, "app/document_builder.py"

    application.on_session_created = created
    context = contexts.ApplicationContext(application)
    session = asyncio.run(context.create_session_if_needed("one"))
    assert context._sessions == {"one": session} and context._pending_sessions == {}, "app/visits/browser_cookie.py"
    assert "_token" in vars(session) and "_subscribed_connections" in vars(session), "app/visits, app/immediate_messages.py"
    assert list(context.server_context.application_context.sessions) == [session], "app/app_hooks.py"
    assert "_socket" in vars(ServerConnection(None, "socket", context, session)), "app/visits/pings.py"
    assert callable(session._document_patched), "app/notebook/server.py"
    for owner, names in ((pn.state, ("_thread_id_", "_extensions", "_schedule_busy_cleanup")),
                         (panel_extension, ("_loaded_extensions",)), (resources, ("_use_mathjax", "_panel_use_mathjax")),
                         (Document().callbacks, ("_change_callbacks",))):
        for name in names:
            assert hasattr(owner, name), f"{owner}.{name} has moved"


def test_a_name_that_has_moved_is_told():
    with pytest.raises(ValueError, match="panel.io.server._not_there is not among"):
        replace(server, "_not_there", None)


def test_a_name_that_the_release_does_not_have_is_told(monkeypatch):
    monkeypatch.delattr(server, "bundle_resources")
    with pytest.raises(ValueError, match="panel.io.server has no bundle_resources in this release"):
        replace(server, "bundle_resources", None)


def test_handlers_are_extended_and_added_once(monkeypatch):
    class Part:
        pass

    class Ours:
        pass

    before = list(per_app_patterns)
    try:
        for _ in range(2):
            extend_handlers(lambda route, handler: Part if route == SOCKETS else None)
            answer_at("/ours", Ours)
        changed = [(route, handler) for route, handler, *_ in per_app_patterns]
        assert changed[0] == ("/ours", Ours) and len(changed) == len(before) + 1
        (extended,) = [handler for route, handler in changed if issubclass(handler, Part)]
        assert issubclass(extended, WSHandler) and extended.__mro__[1] is Part
    finally:
        per_app_patterns[:] = before


def imported(tree):
    """Names in a module that are modules or parts of Bokeh or Panel."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("bokeh", "panel"):
            yield from ((alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.asname for alias in node.names
                        if alias.asname and alias.name.split(".")[0] in ("bokeh", "panel"))


def test_no_other_file_changes_what_is_bokehs_or_panels():
    found = []
    for path in (ROOT / "app").rglob("*.py"):
        text, where = path.read_text(), str(path.relative_to(ROOT))
        if where != "app/server_parts.py" and "per_app_patterns" in text:
            found.append(f"{where}: per_app_patterns")
        if not re.search(r"(from|import) (bokeh|panel)\b(?! as pn)", text):
            continue
        tree = ast.parse(text)
        theirs = set(imported(tree)) - {"pn"}  # pn.config and pn.state are public, and there to be set
        for node in ast.walk(tree):
            for target in getattr(node, "targets", [getattr(node, "target", None)]):
                if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in theirs:
                    found.append(f"{where}:{node.lineno}: {ast.unparse(target)}")
    assert not found, "say it in app/server_parts.py"
