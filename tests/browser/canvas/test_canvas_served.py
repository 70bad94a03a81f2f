"""The chain canvas through a real server: frames flow to views early and late."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from app.canvas import chain_canvas

pytestmark = pytest.mark.browser

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
