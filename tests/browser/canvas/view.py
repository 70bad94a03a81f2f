"""The canvas in a page of its own, with a stand-in for Panel; the clouds and arrows it is fed."""

import base64
from pathlib import Path

import numpy as np

from app.canvas import chain_canvas
from app.canvas.javascript_modules import join_modules
from app.canvas.message import encode
from app.live.snapshot import Arrows, Cloud
from app.release import RELEASE_JS
from app.theme import TOKENS

SOURCE = RELEASE_JS + join_modules(Path(chain_canvas.__file__).parent / "js" / "chain_canvas.js")

# Mounts a view with a model that keeps what is sent, and records where every label is written.
HARNESS = """
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
  palette: PALETTE, dark: false, font: "Arial, sans-serif", axes: ["θ₁", "θ₂"], name: "test",
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
window.ready = true;
"""


class CanvasView:
    """A page with one view; frames go in, what it sends back comes out."""

    def __init__(self, browser, width=564, height=532, **context):
        self.page = browser.new_page(**context)
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.sequence = 0
        self.page.set_content(f"<div id=stage style='width:{width}px;height:{height}px'></div>")
        script = SOURCE + HARNESS.replace("PALETTE", str(TOKENS["light"]))
        self.page.add_script_tag(content=script, type="module")
        self.page.wait_for_function("window.ready")

    def send(self, cloud, t=100, run=1, painted=True, **numbers):
        self.sequence += 1
        data = encode(cloud, sequence=self.sequence, frame=self.sequence, t=t, run=run, **numbers)
        self.page.evaluate("text => feed(text)", base64.b64encode(data).decode())
        if painted:
            self.page.wait_for_function(f"sent.includes({self.sequence})")

    def labelled(self):
        """Labels of the last paint, once fonts are in and all is still."""
        self.page.wait_for_function("boxes.length > 0")
        return self.page.evaluate("boxes")

    def close(self):
        self.page.close()
        assert self.errors == []


def make_cloud(chains=64, seed=0, **changes):
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    circle = np.column_stack([np.cos(angle), 0.8 * np.sin(angle)])
    fields = dict(
        positions=rng.normal(size=(chains, 2)).astype(np.float32),
        reset=np.zeros(chains, bool),
        mode=np.zeros(2, np.float32),
        contours=tuple((r * circle).astype(np.float32) for r in (1.2, 2.1, 3.0)),
        checkpoint=np.array([-1.5, 1.5], np.float32),
        escape_distance=5.0,
        acceptance_distance=6.9,
        balls=((64, np.zeros(2, np.float32), 5.4),),
        half_width=5.5,
        center=np.zeros(2, np.float32),
        resets=np.empty((0, 5), np.float32),
        exits=np.empty((0, 3), np.float32),
        axis_names=("θ₁", "θ₂"),
    )
    return Cloud(**{**fields, **changes})


def make_arrows(rng, size):
    before = rng.normal(size=2)
    guess = before + size * rng.normal(size=2)
    correction = guess + size * rng.normal(size=2)
    noise = correction + size * rng.normal(size=2)
    points = [p.astype(np.float32) for p in (before, guess, correction, noise)]
    path = before + np.cumsum(rng.normal(size=(5, 2)), axis=0)
    return Arrows(*points, path=path.astype(np.float32), batch_size=9, t=2507)
