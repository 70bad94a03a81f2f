"""A headless Firefox driven by WebDriver BiDi over its websocket, with the functions that tests of the lab file use."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from websocket import create_connection

from tests.browser.person import DEEP
from tests.ports import wait_for_output

LIMIT = 60
"""Timeout of an answer in seconds."""
ENTER = "\uE007"


def locate(*selectors: str) -> str:
    """Return an expression of an element through all shadow roots, each selector within the match of the previous one."""
    return f"{json.dumps(selectors)}.reduce((node, one) => deep(one, node.shadowRoot ?? node), document)"


class Firefox:
    """One process with one profile; downloads are saved to the folder ``saved``, ``close`` ends it."""

    def __init__(self, path: str, profile: Path) -> None:
        self.saved, self.log = profile / "saved", profile / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [path, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", str(profile), "about:blank"],
                stdout=log, stderr=log, env=os.environ | {"HOME": str(profile)})
        self.events: list[dict[str, Any]] = []
        self._last = 0
        address = wait_for_output(self.process, self.log, r"BiDi listening on (ws://\S+)", LIMIT)[1]
        self.socket = create_connection(f"{address}/session", timeout=LIMIT, suppress_origin=True)
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self.send("browser.setDownloadBehavior", downloadBehavior={"type": "allowed", "destinationFolder": str(self.saved)})
        self.send("script.addPreloadScript", functionDeclaration=f"() => {{ {DEEP} }}")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and return its result; store events that arrive before it."""
        self._last += 1
        self.socket.send(json.dumps({"id": self._last, "method": method, "params": params}))
        while (message := json.loads(self.socket.recv())).get("id") != self._last:
            self.events.append(message)
        assert message["type"] == "success", f"{method}: {message}"
        return message["result"]

    def problems(self) -> list[str]:
        """Return errors and warnings of pages and their consoles, and network requests."""
        logged = [event["params"]["text"] for event in self.events
                  if event["method"] == "log.entryAdded" and event["params"]["level"] in ("error", "warn")]
        requests = [event["params"]["request"]["url"] for event in self.events if event["method"].startswith("network.")]
        return logged + [f"request: {url}" for url in requests if not url.startswith(("file:", "blob:", "data:", "about:"))]

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait(LIMIT)


class FirefoxTab:
    """A page in a separate tab, with the part of Playwright's ``Page`` that the tests use."""

    def __init__(self, firefox: Firefox, address: str, width: int = 1440, height: int = 900) -> None:
        self.firefox = firefox
        self.context = firefox.send("browsingContext.create", type="tab")["context"]
        self.send("browsingContext.setViewport", viewport={"width": width, "height": height}, devicePixelRatio=1)
        self.send("browsingContext.navigate", url=address, wait="complete")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        return self.firefox.send(method, context=self.context, **params)

    def evaluate(self, words: str) -> Any:
        """Return the JSON value of an expression of the page; a promise is awaited."""
        answer = self.firefox.send("script.evaluate", expression=f"(async () => JSON.stringify(await ({words})))()",
                                   target={"context": self.context}, awaitPromise=True)
        assert answer["type"] == "success", f"{words}: {answer['exceptionDetails']['text']}"
        return json.loads(answer["result"].get("value", "null"))

    def click(self, *selectors: str, count: int = 1) -> None:
        """Click the middle of the element of `locate` once it is at rest and uncovered, as after the slide of a sheet."""
        x, y = self.evaluate(f"""(async () => {{ const node = {locate(*selectors)}; node.scrollIntoView({{block: "nearest"}})
            const hit = (x, y, root = document) => {{ const n = root.elementFromPoint(x, y)
              return n === node || node.contains(n) || !!n?.shadowRoot && n.shadowRoot !== root && hit(x, y, n.shadowRoot) }}
            for (let r = node.getBoundingClientRect(), old = {{}}, still = 0; ; old = r, r = node.getBoundingClientRect()) {{
              const x = Math.round(r.x + r.width / 2), y = Math.round(r.y + r.height / 2)
              still = r.x === old.x && r.y === old.y && hit(x, y) ? still + 1 : 0
              if (still > 5) return [x, y]
              await new Promise(requestAnimationFrame) }} }})()""")
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.send("input.performActions", actions=[
            {"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": x, "y": y}, *press * count]}])

    def press(self, *keys: str) -> None:
        """Press keys, one after the other: characters, or `ENTER`."""
        self.send("input.performActions", actions=[{"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]}])

    def give(self, path: Path, *selectors: str) -> None:
        """Choose a file in a file input."""
        target = {"context": self.context}
        node = self.firefox.send("script.evaluate", expression=locate(*selectors), target=target, awaitPromise=False)
        self.send("input.setFiles", element={"sharedId": node["result"]["sharedId"]}, files=[str(path)])

    def close(self) -> None:
        self.send("browsingContext.close")
