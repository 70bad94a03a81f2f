"""A visit without a browser: requests the page, connects to its session, and answers frames as the canvas does."""

import asyncio
import json
import re
import struct
from collections.abc import Iterator
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

FRAME = 1
"""First word of a frame of the chain canvas, see `app/canvas/frame_bytes.py`."""
PATIENCE = 300
DONE = re.compile(r'"done", ?"([01])"')
"""Data attribute of a page: 0 while a job runs."""
EVERY = re.compile(r'"answered"(?:: ?|, ?"new": ?)(\d+)')
"""Number of frames that the canvas answers at once, in the document and in its changes."""

AsyncHTTPClient.configure(None, max_body_size=2**30)


def _components(value: Any, kind: str) -> Iterator[str]:
    if isinstance(value, dict):
        if value.get("attributes", {}).get("class_name") == kind:
            yield value["id"]
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _components(one, kind)


class Visit:
    """One visit of an address of the dashboard: counts frames and acknowledges each as painted."""

    def __init__(self, url: str) -> None:
        self.url, self.frames, self.epoch = url, 0, -1
        self._answered, self._every = 0, 1  #: last answered frame; frames per answer
        self.shown = asyncio.Event()  #: set at the first frame
        self.working = False  #: True while a job of the page runs
        self.begun = asyncio.Event()

    async def open(self) -> None:
        page = (await AsyncHTTPClient().fetch(self.url, request_timeout=PATIENCE)).body.decode()
        token = json.loads(re.search(r'"token":("[^"]+")', page)[1])
        address = self.url.replace("http", "ws", 1).partition("?")[0] + "/ws"
        self.socket = await websocket_connect(HTTPRequest(address, request_timeout=PATIENCE), subprotocols=["bokeh", token],
                                              max_message_size=2**30)
        await self._read()
        self._number = 0
        await self._send("PULL-DOC-REQ", {})

    def close(self) -> None:
        self.socket.close(1001)  # going away, as sent by a browser

    async def follow(self) -> None:
        while True:
            header, content, buffers = await self._read()
            for done in DONE.findall(content):
                self.working = done == "0"
                if self.working:
                    self.begun.set()
            for every in EVERY.findall(content):
                self._every = int(every)
            if header["msgtype"] != "PATCH-DOC":
                if header["msgtype"] == "PULL-DOC-REPLY":
                    await self._event("document_ready", {})
                    for transport in _components(json.loads(content), "Transport"):  # a run plays once it is visible
                        ready = {"type": "map", "entries": [["type", "ready"], ["still", False]]}
                        await self._event("data_event", {"model": {"id": transport}, "data": ready})
                continue
            if buffers:  # a frame is bytes
                for event in json.loads(content)["events"]:
                    if event["kind"] == "MessageSent" and event.get("msg_type") == "bokeh_event":
                        await self._take(event["msg_data"], buffers)

    async def _take(self, event: dict, buffers: dict[str, bytes]) -> None:
        values = dict(event["values"]["entries"])
        data = values.get("data")
        if not isinstance(data, dict) or data.get("type") != "bytes":
            return
        kind, sequence, _, epoch = struct.unpack_from("4i", buffers[data["data"]["id"]])
        if kind != FRAME:
            return
        self.frames, self.epoch = self.frames + 1, epoch
        self.shown.set()
        if sequence >= self._answered + self._every:
            self._answered = sequence
            await self._event("data_event", {"model": values["model"], "data": sequence})

    async def _event(self, name: str, values: dict) -> None:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": list(values.items())}}
        await self._send("PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}]})

    async def _send(self, kind: str, content: dict) -> None:
        self._number += 1
        header = {"msgid": str(self._number), "msgtype": kind}
        for part in (header, {}, content):
            await self.socket.write_message(json.dumps(part))

    async def _read(self) -> tuple[dict, str, dict[str, bytes]]:
        header = json.loads(await self._part())
        await self._part()
        content, buffers = await self._part(), {}
        for _ in range(header.get("num_buffers", 0)):
            name = json.loads(await self._part())["id"]
            buffers[name] = await self._part()
        return header, content, buffers

    async def _part(self) -> bytes | str:
        part = await self.socket.read_message()
        if part is None:
            raise WebSocketClosedError
        return part
