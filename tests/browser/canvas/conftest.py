"""The canvas in a separate page with a stub of Panel; views are closed at the end of a test."""

import base64
from contextlib import ExitStack

import pytest

from app.canvas.frame_bytes import encode
from app.theme import TOKENS
from tests.browser.module_page import script_page

STAGE = """<div id=stage style='width:%dpx;height:%dpx'></div>
<script>LAB_RELEASE = 'test', LAB_PNG_CHUNK = [116, 101, 115, 116]</script>"""
# Mounts a view with a model that stores sent messages, and records the box of every label.
HARNESS = """
import { Labels } from "/canvas/label_placement.js";
import { ChainCanvas } from "/canvas/chain_canvas.js";
const { render } = ChainCanvas;
const Base = Labels.prototype.write;
window.boxes = [];
const begin = Labels.prototype.begin;
Labels.prototype.begin = function (...args) { window.boxes = []; return begin.apply(this, args); };
Labels.prototype.write = function (lines, box, ...rest) {
  window.boxes.push({ text: lines[0].text, ...box });
  return Base.call(this, lines, box, ...rest);
};
window.sent = [];
const listeners = {};
window.model = {
  palette: PALETTE, dark: false, font: "Arial, sans-serif", axes: ["θ₁", "θ₂"], name: "test", answered: 1,
  on: (names, f) => [names].flat().forEach((name) => (listeners[name] ??= []).push(f)),
  off: (name, f) => (listeners[name] = listeners[name].filter((g) => g !== f)),
  send_msg: (data) => window.sent.push(data),
};
window.fire = (name, value) => [...(listeners[name] ?? [])].forEach((f) => f(value));
window.mount = () => {
  const box = render({ model: window.model, view: window });
  document.getElementById("stage").replaceChildren(box);
  window.canvas = box.querySelector("canvas");
};
window.feed = (text) => fire("msg:custom", Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
window.ink = () => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let n = 0;
  for (let i = 3; i < data.length; i += 4) n += data[i] > 0;
  return n;
};
window.pixel = (x, y) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
mount();
""".replace("PALETTE", str(TOKENS["light"]))


class CanvasView:
    """Page with one view: sends frames and reads its answers."""

    def __init__(self, page):
        self.page, self.sequence = page, 0

    def send(self, *clouds, t=100, run=1, painted=True, **numbers):
        frames = []
        for cloud in clouds:
            self.sequence += 1
            data = encode(cloud, sequence=self.sequence, frame=self.sequence, t=t, run=run, **numbers)
            frames.append(base64.b64encode(data).decode())
        self.page.evaluate("frames => frames.forEach(feed)", frames)
        if painted:
            self.page.wait_for_function(f"sent.includes({self.sequence})")

    def labelled(self):
        """Return the labels of the last paint, after fonts have loaded."""
        self.page.wait_for_function("boxes.length > 0")
        return self.page.evaluate("boxes")


@pytest.fixture(scope="module")
def tab(chromium):
    with chromium.new_page() as page:
        yield page


@pytest.fixture
def open_view(chromium, tab):
    with ExitStack() as pages:
        def open_(width=564, height=532, **window):
            tab.mouse.move(0, 0)  # away from the stage
            return CanvasView(pages.enter_context(
                script_page(chromium, HARNESS, STAGE % (width, height), None if window else tab, **window)))

        yield open_
