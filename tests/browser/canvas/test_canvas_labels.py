"""Labels on the chain canvas: inside the canvas, without overlaps."""

import numpy as np
import pytest

from tests.app.canvas.clouds import make_arrows, make_cloud

pytestmark = pytest.mark.browser


def assert_apart_and_inside(boxes, width, height):
    for i, a in enumerate(boxes):
        assert 0 <= a["x"] and a["x"] + a["w"] <= width, f"{a['text']} clipped sideways"
        assert 0 <= a["y"] and a["y"] + a["h"] <= height, f"{a['text']} clipped above or below"
        for b in boxes[:i]:
            apart_x = a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
            apart_y = a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"]
            assert apart_x or apart_y, f"{a['text']} covers {b['text']}"


@pytest.mark.parametrize("size", [(564, 532), (260, 500), (1200, 240), (120, 90)])
def test_labels_never_overlap_nor_clip(open_view, size):
    view = open_view(*size)
    named = min(size) > 100
    rng = np.random.default_rng(1)
    for t in range(100, 106):
        shrink = 1 - 0.06 * (t - 100)
        cloud = make_cloud(
            seed=t,
            escape_distance=5 * shrink,
            acceptance_distance=6.9 * shrink,
            resets=[[2, *rng.uniform(-5, 5, 2), -1.5, 1.5]],
            exits=[[5, *rng.uniform(-5, 5, 2)]],
        )
        view.send(cloud, t=t, follow=2)
        boxes = view.labelled() if named and t == 100 else view.page.evaluate("boxes")  # fonts load first
        assert boxes or not named
        assert_apart_and_inside(boxes, *size)


@pytest.mark.parametrize("size", [(564, 532), (364, 290)])
def test_slow_steps_name_their_three_terms(open_view, size):
    view = open_view(*size, reduced_motion="reduce")
    rng = np.random.default_rng(2)
    named = []
    for _ in range(8):
        view.send(make_cloud(arrows=make_arrows(rng, 0.8)), t=2507, follow=0)
        boxes = view.labelled()
        assert_apart_and_inside(boxes, *size)
        named += [box["text"][0] for box in boxes if box["text"][1:3] == "  "]
    # Random arrows sometimes leave no room on a phone, but each term must be named most of the time.
    assert all(named.count(number) >= 6 for number in "123"), named


def test_a_large_picture_names_everything(open_view):
    view = open_view()
    cloud = make_cloud(resets=[[2, 2.0, -3.0, -1.5, 1.5]], exits=[[5, 5.1, 0.5]])
    view.send(cloud, follow=2)
    view.labelled()
    view.send(cloud, follow=2)
    texts = {box["text"] for box in view.labelled()}
    expected = {"escape ball", "acceptance ball", "reset", "exit", "50 %", "90 %", "99 %"}
    assert texts == expected | {"dotted: the ball at t = 64", "2 in each coordinate θ₁, θ₂"}


def test_rescaled_radii_are_constants(open_view):
    view = open_view()
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
