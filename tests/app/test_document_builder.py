"""A new visit's document is built on a thread of its own, and nobody else's code sees it meanwhile."""

import asyncio
import threading
from types import SimpleNamespace

from bokeh.document import Document
from bokeh.io.doc import curdoc, patch_curdoc

from app.document_builder import build_aside


def test_a_visits_callback_sees_its_own_document_while_another_is_built(monkeypatch):
    monkeypatch.setattr("bokeh.io.doc._PATCHED_CURDOCS", [])  # what stood there comes back after the test
    here, new, found = Document(), Document(), {}
    begun, looked = threading.Event(), threading.Event()

    def build(document):
        outside = curdoc()
        with patch_curdoc(document):
            begun.set()
            assert looked.wait(60)
            found["in the build"] = curdoc()
        found["before the build"] = outside
        found["thread"] = threading.current_thread()

    async def created(context):
        found["created"] = context

    application = SimpleNamespace(on_session_created=created, initialize_document=build)
    build_aside(SimpleNamespace(application_context=SimpleNamespace(application=application)))
    outside = curdoc()
    context = SimpleNamespace(_document=new)

    async def serve():
        with patch_curdoc(here):
            building = asyncio.ensure_future(application.on_session_created(context))
            await asyncio.to_thread(begun.wait, 60)
            found["in the callback"] = curdoc()
        looked.set()
        await building

    asyncio.run(serve())
    assert found["in the callback"] is here and found["in the build"] is new and found["created"] is context
    assert found["before the build"] is outside and curdoc() is outside  # nobody's document is left behind as everybody's
    assert found["thread"] is not threading.current_thread()
    found.clear()
    application.initialize_document(new)  # the loop takes what is built
    assert not found
