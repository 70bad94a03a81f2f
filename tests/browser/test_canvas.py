"""The chain view in Chromium: on its own with a stand-in for Panel, then through a real server."""

import base64
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from app.canvas import chain_canvas
from app.canvas.message import encode, encode_export
from app.canvas.modules import join_modules
from app.live.snapshot import Arrows, Cloud
from app.theme import TOKENS

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
SOURCE = join_modules(Path(chain_canvas.__file__).parent / "js" / "chain_canvas.js")

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


class Stage:
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


@pytest.fixture
def stage(chromium):
    made = []

    def make(*args, **kwargs):
        made.append(Stage(chromium, *args, **kwargs))
        return made[-1]

    yield make
    for each in made:
        each.close()


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


def assert_apart_and_inside(boxes, width, height):
    for i, a in enumerate(boxes):
        assert 0 <= a["x"] and a["x"] + a["w"] <= width, f"{a['text']} clipped sideways"
        assert 0 <= a["y"] and a["y"] + a["h"] <= height, f"{a['text']} clipped above or below"
        for b in boxes[:i]:
            apart_x = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
            apart_y = a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"]
            assert apart_x or apart_y, f"{a['text']} lies over {b['text']}"


SIZES = [(564, 532), (364, 290), (260, 500), (1200, 240), (330, 180), (120, 90)]


@pytest.mark.parametrize("size", SIZES)
def test_labels_never_overlap_nor_clip(stage, size):
    view = stage(*size)
    rng = np.random.default_rng(1)
    for t in range(100, 112):
        shrink = 1 - 0.03 * (t - 100)
        cloud = make_cloud(
            seed=t,
            escape_distance=5 * shrink,
            acceptance_distance=6.9 * shrink,
            resets=[[2, *rng.uniform(-5, 5, 2), -1.5, 1.5]],
            exits=[[5, *rng.uniform(-5, 5, 2)]],
        )
        view.send(cloud, t=t, follow=2)
        boxes = view.page.evaluate("boxes")
        if t > 101 and min(size) > 100:
            assert boxes, "fonts are in, so something is named"
        assert_apart_and_inside(boxes, *size)


@pytest.mark.parametrize("size", [(564, 532), (364, 290)])
def test_slow_steps_name_their_three_terms(stage, size):
    view = stage(*size, reduced_motion="reduce")
    rng = np.random.default_rng(2)
    named = []
    for _ in range(12):
        view.send(make_cloud(arrows=make_arrows(rng, 0.8)), t=2507, follow=0)
        boxes = view.labelled()
        assert_apart_and_inside(boxes, *size)
        named += [box["text"][0] for box in boxes if box["text"][1:3] == "  "]
    # Random arrows sometimes leave no room on a phone, but each term must be named most of the time.
    assert all(named.count(number) >= 9 for number in "123"), named


def test_a_large_picture_names_everything(stage):
    view = stage()
    cloud = make_cloud(resets=[[2, 2.0, -3.0, -1.5, 1.5]], exits=[[5, 5.1, 0.5]])
    view.send(cloud, follow=2)
    view.labelled()
    view.send(cloud, follow=2)
    texts = {box["text"] for box in view.labelled()}
    expected = {"escape ball", "acceptance ball", "reset", "exit", "50 %", "90 %", "99 %"}
    assert texts == expected | {"dotted: the ball at t = 64", "2 in each coordinate θ₁, θ₂"}


def test_rescaled_radii_are_constants(stage):
    view = stage()
    view.page.evaluate("""() => {
        window.written = [];
        const pen = CanvasRenderingContext2D.prototype, old = pen.fillText;
        pen.fillText = function (text, ...rest) { written.push(text); old.call(this, text, ...rest); };
    }""")
    cloud = make_cloud(escape_distance=16, acceptance_distance=22, half_width=17.6)
    view.send(cloud, follow=1, rescaled=True)
    view.labelled()
    written = view.page.evaluate("written")
    assert "R = 16" in written and "C′ = 22" in written
    assert not any("dotted" in text for text in written)


def test_values_that_are_no_numbers_are_not_drawn(stage):
    view = stage()
    positions = make_cloud().positions.copy()
    positions[3] = np.nan
    positions[4, 0] = np.inf
    nan = np.full(2, np.nan, np.float32)
    view.send(make_cloud(positions=positions), follow=3)
    view.send(make_cloud(positions=positions + 1, checkpoint=nan), follow=3)
    ink = view.page.evaluate("ink()")
    assert ink > 1000
    view.send(make_cloud(positions=positions, mode=nan, escape_distance=np.inf, acceptance_distance=np.nan))
    view.send(make_cloud(positions=positions, contours=(np.full((5, 2), np.nan),) * 3, half_width=np.nan))
    arrows = Arrows(*[nan] * 4, path=np.full((2, 2), np.nan, np.float32), batch_size=1, t=1)
    view.send(make_cloud(arrows=arrows), follow=1)
    assert view.page.evaluate("ink()") > 1000


@pytest.mark.parametrize("chains", [1, 32, 33, 512])
def test_any_number_of_chains_and_a_change_of_it(stage, chains):
    view = stage()
    view.send(make_cloud(chains), run=1, follow=chains - 1)
    view.send(make_cloud(chains, seed=1), run=1, follow=chains - 1)
    view.send(make_cloud(64), run=2)
    assert view.page.evaluate("canvas.dataset.run") == "2"
    count = f"{chains} chain{'s' if chains > 1 else ''} at epoch 100."
    assert count in view.page.evaluate("canvas.getAttribute('aria-label')") or chains == 64


def plain_cloud(x, reset=False):
    """One chain alone on an empty card."""
    return make_cloud(
        1,
        positions=np.array([[x, 2.0]], np.float32),
        reset=np.array([reset]),
        contours=(),
        balls=(),
        escape_distance=np.nan,
    )


def trail_ink(view):
    """Whether the trail crosses the middle between x = -3 and x = 3 at height 2 (half-width 5.5 on 532)."""
    return view.page.evaluate(f"pixel({282}, {round(266 - 2 * 266 / 5.5)})[3] > 0")


def test_a_trail_joins_steps_and_breaks_at_a_reset(stage):
    view = stage()
    view.send(plain_cloud(-3.0))
    view.send(plain_cloud(3.0))
    assert trail_ink(view)
    view.send(plain_cloud(-3.0), run=2)
    assert not trail_ink(view), "a new run begins with a clean card"
    view.send(plain_cloud(3.0, reset=True), run=2)
    assert not trail_ink(view), "a reset is no step"


def test_trails_outlive_a_resize_and_a_pause(stage):
    view = stage()
    view.send(plain_cloud(-3.0))
    view.send(plain_cloud(3.0))
    for _ in range(60):
        view.send(plain_cloud(3.0))
    assert trail_ink(view), "a paused picture sent again must not fade"
    view.page.evaluate("document.getElementById('stage').style.height = '300px'")
    view.page.wait_for_function("canvas.height === 300")
    view.page.evaluate("document.getElementById('stage').style.height = '532px'")
    view.page.wait_for_function("canvas.height === 532")
    assert trail_ink(view)


def test_the_window_eases_and_trails_follow(stage):
    view = stage()
    view.send(plain_cloud(-3.0))
    view.send(plain_cloud(3.0))
    wide = {**vars(plain_cloud(3.0)), "half_width": 11.0}
    view.send(Cloud(**wide))
    at_rest = f"pixel(282, {round(266 - 2 * 266 / 11)})[3] > 0"
    view.page.wait_for_function(at_rest)


def test_reduced_motion_goes_straight_to_the_new_window(stage):
    view = stage(reduced_motion="reduce")
    view.send(plain_cloud(-3.0))
    view.send(plain_cloud(3.0))
    view.send(Cloud(**{**vars(plain_cloud(3.0)), "half_width": 11.0}))
    assert view.page.evaluate(f"pixel(282, {round(266 - 2 * 266 / 11)})[3] > 0")


def test_a_click_a_tap_and_the_keys_choose_a_chain(stage):
    view = stage()
    positions = np.array([[-3, 0], [0, 3], [3, 0]], np.float32)
    view.send(make_cloud(3, positions=positions))
    per_unit = 266 / 5.5
    box = view.page.locator("canvas").bounding_box()
    x, y = box["x"] + 282, box["y"] + 266
    view.page.mouse.click(x + 3 * per_unit + 5, y - 4)
    view.page.mouse.click(x - 5 * per_unit, y + 5 * per_unit)
    view.page.locator("canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft", "Escape", "ArrowUp"):
        view.page.keyboard.press(key)
    chosen = view.page.evaluate("sent.filter(m => typeof m === 'object' && 'follow' in m).map(m => m.follow)")
    assert chosen == [2, None, 0, 1, 0, 2, None, 2]
    view.page.wait_for_function("canvas.dataset.followed === '2'")


def test_it_says_what_it_shows(stage):
    view = stage()
    assert view.page.evaluate("[canvas.getAttribute('role'), canvas.tabIndex]") == ["img", 0]
    view.send(make_cloud(resets=[[1, 0, 0, 1, 1]], exits=[[2, 5, 0], [3, 0, 5]]), t=2507, follow=4)
    view.page.wait_for_function("canvas.getAttribute('aria-label').includes('2,507')")
    label = view.page.evaluate("canvas.getAttribute('aria-label')")
    assert label == (
        "64 chains at epoch 2,507. Escape ball of radius 5.00. 2 exits and 1 reset seen. Following chain 4."
    )
    data = view.page.evaluate("({...canvas.dataset})")
    assert (data["t"], data["run"], data["followed"]) == ("2507", "1", "4") and int(data["frames"]) >= 1


def test_every_frame_is_answered_even_when_hidden(stage):
    view = stage()
    view.page.evaluate("document.getElementById('stage').style.display = 'none'")
    view.send(make_cloud())
    view.send(make_cloud(seed=1))
    assert view.page.evaluate("sent.filter(m => typeof m === 'number')") == [1, 2]


def test_frames_that_pile_up_are_painted_once(stage):
    view = stage()
    view.send(make_cloud())
    for seed in range(1, 6):
        view.send(make_cloud(seed=seed), painted=seed == 5)
    assert view.page.evaluate("sent.filter(m => typeof m === 'number').at(-1)") == 6


def test_a_view_rendered_again_leaves_one_listener(stage):
    view = stage()
    view.send(make_cloud())
    view.page.evaluate("mount()")
    view.send(make_cloud(seed=1))
    view.page.wait_for_function("sent.includes(2)")
    assert view.page.evaluate("sent.filter(m => m === 2).length") == 1
    assert view.page.evaluate("sent.filter(m => m.hello).length") == 2


def test_the_theme_recolours_trails(stage):
    view = stage()
    view.send(plain_cloud(-3.0))
    view.send(plain_cloud(3.0))
    at = f"pixel(282, {round(266 - 2 * 266 / 5.5)})"
    before = view.page.evaluate(at)
    darken = "palette => { model.palette = palette; model.dark = true; fire('palette'); }"
    view.page.evaluate(darken, TOKENS["dark"])
    view.page.wait_for_function(f"{at}.join() !== '{','.join(map(str, before))}'")
    assert trail_ink(view)


def test_export_downloads_the_picture_on_the_card(stage):
    view = stage()
    view.send(make_cloud(), t=2507)
    request = base64.b64encode(encode_export(1)).decode()
    with view.page.expect_download() as download:
        view.page.evaluate("text => feed(text)", request)
    assert download.value.suggested_filename == "chains_t2507.png"
    assert Path(download.value.path()).read_bytes()[:4] == b"\x89PNG"


APP = """
import numpy as np
import panel as pn
from app.canvas.chain_canvas import ChainCanvas
from app.live.snapshot import Cloud

def make(seed):
    rng = np.random.default_rng(seed)
    none = np.empty((0, 5), np.float32)
    return Cloud(
        positions=rng.normal(size=(64, 2)), reset=np.zeros(64, bool), mode=np.zeros(2), checkpoint=np.ones(2),
        contours=CONTOURS, escape_distance=4.0, acceptance_distance=5.0, balls=(), half_width=4.4,
        center=np.zeros(2), resets=none, exits=np.empty((0, 3)), axis_names=("θ₁", "θ₂"))

ANGLE = np.linspace(0, 6.2, 90)
CONTOURS = tuple(r * np.column_stack([np.cos(ANGLE), np.sin(ANGLE)]) for r in (1, 2, 3))
canvas = ChainCanvas(width=400, height=300)
note = pn.pane.HTML("")
later = pn.Column()
state = {"frame": 0, "most": 0}

def show():
    if canvas.ready and state["frame"] < 200:
        state["frame"] += 1
        canvas.send(make(state["frame"]), state["frame"], 100, 1, follow=3)
        state["most"] = max(state["most"], canvas.in_flight)

canvas.on_ack(show)
def say(chain):
    note.object = f"<i>chain {chain}, at most {state['most']} in flight</i>"

canvas.on_follow(say)
pn.state.onload(show)
button = pn.widgets.Button(name="again", on_click=lambda event: later.append(canvas))
pn.Column(canvas, note, button).servable()
later.servable()
"""


@pytest.fixture
def address(tmp_path):
    """Where a small app with a canvas is served."""
    (tmp_path / "demo.py").write_text(APP, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "panel", "serve", str(tmp_path / "demo.py"), "--port", str(port)]
    command += ["--address", "127.0.0.1"]
    root = str(Path(chain_canvas.__file__).parents[2])
    env = {**os.environ, "PYTHONPATH": root, "BOKEH_ALLOW_WS_ORIGIN": f"127.0.0.1:{port}"}
    server = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if "demo" in line and "http" in line:
            break
    yield f"http://127.0.0.1:{port}/demo"
    server.terminate()
    server.communicate(timeout=120)


def test_frames_flow_through_a_server_to_views_early_and_late(chromium, address):
    page = chromium.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    frames = "() => [...document.querySelectorAll('*')].flatMap(deep).map(c => Number(c.dataset.frame || 0))"
    page.add_script_tag(content="""window.deep = (e) => e.shadowRoot
        ? [...e.shadowRoot.querySelectorAll('*')].flatMap(deep)
        : e.matches('canvas[data-frames]') ? [e] : [];""")
    page.wait_for_function(f"({frames})()[0] > 20")
    page.get_by_role("button", name="again").click()
    page.wait_for_function(f"({frames})().length === 2 && ({frames})().every((n) => n > 40)")
    page.wait_for_function(f"({frames})().every((n) => n === 200)")
    first = page.locator("canvas[data-frames]").first
    first.focus()
    first.press("Escape")
    page.get_by_text("chain None, at most 2 in flight").wait_for()
    page.close()
    assert errors == []
