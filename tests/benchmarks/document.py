"""Documents of the pages as built by a server: size, models, seconds; and the figures added afterwards."""

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

from tests.benchmarks.server import Beats
from tests.benchmarks.timing import Row, row

FIGURES = {"live": 4, "exit": 8, "tune": 2, "compare": 4, "offline": 4, "coreset": 13}
"""Page -> number of its figures before the first results."""


class Built(NamedTuple):
    """Measurements of one document: as first sent, and with the figures added once a browser has it."""

    kilobytes: float  #: of its JSON
    models: int
    seconds: float  #: processor time to build it
    all_kilobytes: float
    all_models: int
    later_seconds: float  #: processor time to add the figures
    turn: float  #: processor time, in ms, of the longest iteration of the loop meanwhile


def kilobytes(document: Document) -> float:
    return len(json.dumps(document.to_json(deferred=False))) / 1e3


def build(page: str) -> Built:
    """Build the document of a page in a server session without the server."""
    from app.server.visits import page_of

    seconds = []

    def fill(document: Document) -> None:
        start = time.thread_time()
        with set_curdoc(document):
            page_of({"page": page}, []).server_doc(document)
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
        assert not plots(document)
        beats, start = Beats(IOLoop.current()), time.thread_time()
        await session.with_document_locked(document.callbacks.trigger_event, DocumentReady())
        while plots(document) < FIGURES[page]:  # figures are added in separate iterations
            await asyncio.sleep(0.01)
        seconds.append(time.thread_time() - start)
        turn = beats.take()["work"]
        built = Built(*first, seconds[0], kilobytes(document), len(document.models), seconds[1], turn)
        await application.on_session_destroyed(document.session_context)  # stops its run
        session.destroy()
        return built

    with pn.config.set(sizing_mode="stretch_width"):
        return asyncio.run(visit())


def plots(document: Document) -> int:
    return sum(isinstance(model, Plot) for model in document.models)


def measure(quick: bool) -> list[Row]:
    rows = []
    for page in FIGURES:
        build(page)  # model classes are made once per server
        built = [build(page) for _ in range(3 if quick else 9)]
        rows += [row(f"{page}: models of its document", built[0].models, at_most=200, unit=""),
                 row(f"{page}: processor time to build it", [each.seconds for each in built], at_most=0.25, unit="s"),
                 row(f"{page}: processor time to add its figures", [each.later_seconds for each in built], unit="s"),
                 row(f"{page}: longest turn meanwhile", [each.turn for each in built], at_most=250, unit="ms",
                     note="processor time")]
    return rows
