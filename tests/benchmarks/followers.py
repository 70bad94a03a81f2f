"""A class without browsers: ``python -m tests.benchmarks.followers [students] [seconds]``.

Starts the dashboard with ``--classroom``, opens the teacher's page and so many students' as a browser does (page, socket,
an acknowledgement for every frame), and prints frames a second of each, and the server's processor time and memory.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClosedError, websocket_connect

ROOT = Path(__file__).parents[2]
FRAME = 1
PORT = 18_613


class Follower:
    """One visit: counts the frames that come, and says of each, or of every so many, that it is painted."""

    def __init__(self, url: str, answered: int = 1) -> None:
        self.answered = answered
        self.url, self.frames, self.bytes, self.epoch, self.made = url, 0, 0, -1, 0.0

    async def open(self) -> None:
        """Ask for the page and connect to its session."""
        start = time.perf_counter()
        page = (await AsyncHTTPClient().fetch(self.url, request_timeout=300)).body.decode()
        self.made = time.perf_counter() - start
        token = json.loads(re.search(r'"token":("[^"]+")', page)[1])
        address = self.url.replace("http", "ws", 1).partition("?")[0] + "/ws"
        self.socket = await websocket_connect(HTTPRequest(address, request_timeout=300), subprotocols=["bokeh", token])
        await self._read()
        self._number = 0
        await self._send("PULL-DOC-REQ", {})

    async def _send(self, kind: str, content: dict) -> None:
        self._number += 1
        header = {"msgid": str(self._number), "msgtype": kind}
        for part in (header, {}, content):
            await self.socket.write_message(json.dumps(part))

    async def _read(self) -> tuple[dict, dict, dict[str, bytes]]:
        header, _, content = [json.loads(await self._part()) for _ in range(3)]
        buffers = {}
        for _ in range(header.get("num_buffers", 0)):
            name = json.loads(await self._part())["id"]
            buffers[name] = await self._part()
        return header, content, buffers

    async def _part(self) -> bytes | str:
        part = await self.socket.read_message()
        if part is None:
            raise WebSocketClosedError
        self.bytes += len(part)
        return part

    async def follow(self) -> None:
        """Answer every frame, for ever."""
        while True:
            header, content, buffers = await self._read()
            if header["msgtype"] != "PATCH-DOC":
                if header["msgtype"] == "PULL-DOC-REPLY":
                    await self._event("document_ready", {})
                continue
            for event in content["events"]:
                if event["kind"] == "MessageSent" and event.get("msg_type") == "bokeh_event":
                    await self._take(event["msg_data"], buffers)

    async def _take(self, said: dict, buffers: dict[str, bytes]) -> None:
        values = dict(said["values"]["entries"])
        data = values.get("data")
        if not isinstance(data, dict) or data.get("type") != "bytes":
            return
        frame = buffers[data["data"]["id"]]
        kind, sequence, _, epoch = struct.unpack_from("4i", frame)
        if kind == FRAME:
            self.frames, self.epoch = self.frames + 1, epoch
            if sequence % self.answered == 0:
                await self._event("data_event", {"model": values["model"], "data": sequence})

    async def _event(self, name: str, values: dict) -> None:
        said = {"type": "event", "name": name, "values": {"type": "map", "entries": list(values.items())}}
        await self._send("PATCH-DOC", {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": said}]})


class Served:
    """`panel serve app --args --classroom`, with what it says of itself and what the machine says of it."""

    def __init__(self, seats: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-m", "panel", "serve", "app", "--port", str(PORT), "--address", "127.0.0.1",
             "--args", "--classroom", str(seats)], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.code = self.secret = ""
        for line in self._process.stdout:
            self.code = self.code or (re.search(r"^Class (\w+)", line) or ["", ""])[1]
            self.secret = (re.search(r"teacher=(\S+)", line) or ["", ""])[1]
            if self.secret:
                break
        os.set_blocking(self._process.stdout.fileno(), False)
        self.url = f"http://127.0.0.1:{PORT}/app"

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> float:
        """Megabytes in memory."""
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait(30)


async def measure(students: int, seconds: float) -> None:
    """Hold a class and print what it costs."""
    served = Served(students)
    try:
        AsyncHTTPClient.configure(None, max_body_size=2**30)
        teacher = Follower(f"{served.url}?teacher={served.secret}")
        await teacher.open()
        reading = [asyncio.create_task(teacher.follow())]
        while teacher.epoch < 16:
            await asyncio.sleep(0.1)
        alone, cpu = served.resident(), served.cpu()
        await asyncio.sleep(5)
        print(f"teacher alone: {(served.cpu() - cpu) / 5:.0%} of a core, {alone:.0f} MB", flush=True)
        start, class_ = time.perf_counter(), []
        for _ in range(students):
            class_.append(Follower(f"{served.url}?class={served.code}", answered=8))
            await class_[-1].open()
            reading.append(asyncio.create_task(class_[-1].follow()))
        joined = time.perf_counter() - start
        made = [follower.made for follower in class_]
        print(f"{students} students in {joined:.0f} s, {statistics.median(made):.2f} s a page (to {max(made):.2f}), "
              f"{(served.resident() - alone) / students:.1f} MB each", flush=True)
        await asyncio.sleep(5)
        for _ in range(2):
            cpu, at = served.cpu(), time.perf_counter()
            before = [(f.frames, f.bytes) for f in [teacher, *class_]]
            await asyncio.sleep(seconds)
            spent = time.perf_counter() - at
            after = [(f.frames, f.bytes) for f in [teacher, *class_]]
            rates = sorted((b[0] - a[0]) / spent for a, b in zip(before[1:], after[1:], strict=True))
            sent = sum(b[1] - a[1] for a, b in zip(before, after, strict=True)) / spent
            print(f"frames a second: teacher {(after[0][0] - before[0][0]) / spent:.1f}, students median "
                  f"{statistics.median(rates):.1f}, least {rates[0]:.1f}, most {rates[-1]:.1f}; "
                  f"{sent / 1e3:.0f} kB/s; server {(served.cpu() - cpu) / spent:.0%} of a core, "
                  f"{served.resident():.0f} MB; epochs {teacher.epoch} and {min(f.epoch for f in class_)} to "
                  f"{max(f.epoch for f in class_)}", flush=True)
        for task in reading:
            if task.done():
                print("a page stopped:", repr(task.exception()))
            task.cancel()
    finally:
        served.close()


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 60, float(sys.argv[2]) if len(sys.argv) > 2 else 15))
