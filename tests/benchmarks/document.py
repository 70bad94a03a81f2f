"""The document of the Live page as a server builds it: size, models, seconds; and the figures that follow it."""

import asyncio
import json
import time
from typing import NamedTuple

import panel as pn
from bokeh.application.handlers import FunctionHandler
from bokeh.application.handlers.document_lifecycle import DocumentLifecycleHandler
from bokeh.document import Document
from bokeh.events import DocumentReady
from bokeh.models import Plot
from bokeh.server.contexts import ApplicationContext
from bokeh.util.token import generate_jwt_token
from panel.io.application import Application
from panel.io.state import set_curdoc
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.ioloop import IOLoop

from tests.benchmarks.timing import Row, row


class Built(NamedTuple):
    """One document, as it is sent first and with the figures that follow once a browser has it."""

    kilobytes: float  #: of its JSON
    models: int
    seconds: float  #: of the processor, to build it
    all_kilobytes: float
    all_models: int
    later_seconds: float  #: of the processor, to add the figures


def kilobytes(document: Document) -> float:
    return len(json.dumps(document.to_json(deferred=False))) / 1e3


def build_live() -> Built:
    """Build the document of a visit of Live in a session of a server, without the server."""
    from app.server.visits import page_of

    seconds = []

    def fill(document: Document) -> None:
        start = time.thread_time()
        with set_curdoc(document):
            page_of({}, []).server_doc(document)
        seconds.append(time.thread_time() - start)

    async def visit() -> Built:
        application = Application(FunctionHandler(fill), DocumentLifecycleHandler())
        context = ApplicationContext(application, io_loop=IOLoop.current(), url="/app")
        request = HTTPServerRequest(start_line=RequestStartLine("GET", "/app", "HTTP/1.1"),
                                    headers=HTTPHeaders({"Host": "127.0.0.1"}))
        token = generate_jwt_token("visit", extra_payload={"headers": {}, "cookies": {}, "arguments": {}})
        session = await context.create_session_if_needed("visit", request, token)
        document = session.document
        first = kilobytes(document), len(document.models)
        start = time.thread_time()
        await session.with_document_locked(document.callbacks.trigger_event, DocumentReady())
        while not any(isinstance(model, Plot) for model in document.models):  # they come in turns of their own
            await asyncio.sleep(0.01)
        seconds.append(time.thread_time() - start)
        built = Built(*first, seconds[0], kilobytes(document), len(document.models), seconds[1])
        await application.on_session_destroyed(document.session_context)  # its run stops
        session.destroy()
        return built

    with pn.config.set(sizing_mode="stretch_width"):
        return asyncio.run(visit())


def measure(quick: bool) -> list[Row]:
    build_live()  # classes of models are made once a server
    built = [build_live() for _ in range(3 if quick else 9)]
    return [row("Live's document: models", built[0].models, at_most=200, unit=""),
            row("Live's document: processor time to build", [each.seconds for each in built], at_most=0.25, unit="s"),
            row("Live's figures: processor time to add", [each.later_seconds for each in built], unit="s")]
