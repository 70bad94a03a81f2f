"""A page as an ipywidget, without a browser: its messages go through the widget's connection, both ways."""

from queue import Queue

import pytest

from app.notebook import ipywidget
from app.notebook.relay import open_relay
from app.notebook.server import KernelServer
from app.notebook.widget import WidgetComm
from tests.app.notebook.test_server import PATIENCE, SmallPage


class Widget:
    """What ipywidgets makes of a connection."""

    def __init__(self):
        self.said = Queue()

    def send(self, content, buffers=None):
        self.said.put((content, buffers))

    def on_msg(self, take):
        self.take = take


def test_a_widget_carries_what_a_frame_asks_and_what_it_gets():
    server, page, widget = KernelServer(), SmallPage(), Widget()
    shown = server.keep(page)
    open_relay(server, WidgetComm(widget))
    widget.take(widget, {"kind": "get", "number": 7, "path": server.address(shown)}, [])
    said, (body,) = widget.said.get(timeout=PATIENCE)
    assert (said["kind"], said["number"], said["status"]) == ("got", 7, 200)
    assert b"<html" in body
    server.drop(shown)


def test_outside_a_notebook_it_says_what_to_do():
    with pytest.raises(ValueError, match="panel serve app"):
        ipywidget(SmallPage())
