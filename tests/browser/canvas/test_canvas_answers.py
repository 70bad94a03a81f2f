"""Answers of the chain canvas to clicks, keys and frames; its label and export."""

from pathlib import Path

import numpy as np
import pytest

from tests.app.canvas.clouds import make_cloud

pytestmark = pytest.mark.browser


def test_a_click_a_tap_and_the_keys_choose_a_chain(open_view):
    view = open_view()
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


def test_the_label_describes_the_picture_and_an_export_is_named_after_its_epoch(open_view):
    view = open_view()
    assert view.page.evaluate("[canvas.getAttribute('role'), canvas.tabIndex]") == ["img", 0]
    view.send(make_cloud(resets=[[1, 0, 0, 1, 1]], exits=[[2, 5, 0], [3, 0, 5]]), t=2507, follow=4)
    view.page.wait_for_function("canvas.getAttribute('aria-label').includes('2,507')")
    label = view.page.evaluate("canvas.getAttribute('aria-label')")
    assert label == (
        "64 chains at epoch 2,507. Escape ball of radius 5.00. 2 exits and 1 reset seen. Following chain 4."
    )
    data = view.page.evaluate("({...canvas.dataset})")
    assert (data["t"], data["run"], data["followed"]) == ("2507", "1", "4") and int(data["frames"]) >= 1
    with view.page.expect_download() as download:
        view.page.evaluate("fire('msg:custom', {save: true})")
    assert download.value.suggested_filename == "chains_t2507.png"
    picture = Path(download.value.path()).read_bytes()
    assert picture[:4] == b"\x89PNG" and picture[33:37] == b"test"  # the chunk of the release
    # a ball in its own metric is the ellipse of its matrix around the checkpoint, of chain 0 if no chain is followed
    matrix = np.array([[3.0, 1.0], [1.0, 1.5]], np.float32)
    cloud = make_cloud(1, positions=[[0, -5]], reset=[False], contours=(), balls=(), escape_distance=np.nan,
                       acceptance_balls=np.array([[3.0, 1.0, 1.5, True, 6.0]]))
    view.send(cloud, t=2508, run=2)
    view.page.wait_for_function("canvas.getAttribute('aria-label').includes('ball of chain 0 drawn in its own metric')")
    angle = np.linspace(0, 2 * np.pi, 90)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    share = {}
    for size in (0.85, 1, 1.15):
        points = (cloud.checkpoints[0] + size * circle @ matrix) * [1, -1] * 266 / 5.5 + [282, 266]
        share[size] = view.page.evaluate("""points => points.filter(([x, y]) => [-1, 0, 1].some(i => [-1, 0, 1].some(
            j => pixel(Math.round(x) + i, Math.round(y) + j)[3] > 0))).length / points.length""", points.tolist())
    assert share[1] > 0.6 and share[0.85] == share[1.15] == 0  # its line is dashed


def test_every_frame_is_answered_even_when_hidden_or_every_second_one_on_request(open_view):
    view = open_view()
    view.page.evaluate("document.getElementById('stage').style.display = 'none'")
    view.send(make_cloud())
    view.send(make_cloud(seed=1))
    view.page.evaluate("model.answered = 2")
    for painted in (False, True, False, True):
        view.send(make_cloud(), painted=painted)
    assert view.page.evaluate("sent.filter(m => typeof m === 'number')") == [1, 2, 4, 6]


def test_an_effect_fades_by_the_clock_or_with_the_frames_if_many_visits_are_drawn(open_view):
    """A fade lasts 0.66 s: about 40 paints, or one per quarter of a second until it ends."""
    paintings = {}
    for answered in (1, 3):
        view = open_view()
        view.page.evaluate("n => model.answered = n", answered)
        view.send(make_cloud(resets=[[1, 0, 0, 1, 1]]), t=100, painted=False)
        view.send(make_cloud(), t=104, painted=False)
        view.page.wait_for_function("canvas.dataset.t === '104'")
        before = int(view.page.evaluate("canvas.dataset.frames"))
        view.page.evaluate("new Promise(done => setTimeout(done, 1200))")
        paintings[answered] = int(view.page.evaluate("canvas.dataset.frames")) - before
    assert paintings[3] <= 4 < 10 <= paintings[1]


def test_two_frames_at_once_are_both_painted_and_a_longer_queue_is_skipped(open_view):
    view = open_view()
    view.send(make_cloud())
    view.send(make_cloud(seed=1), make_cloud(seed=2))
    view.send(*(make_cloud(seed=seed) for seed in range(1, 6)))
    assert view.page.evaluate("sent.filter(m => typeof m === 'number')") == [1, 2, 3, 7, 8]
    view.page.evaluate("model.answered = 3")  # if many visits are drawn, only the newest is painted
    before = int(view.page.evaluate("canvas.dataset.frames"))
    view.send(*(make_cloud(seed=seed) for seed in range(1, 4)))
    assert int(view.page.evaluate("canvas.dataset.frames")) == before + 1


def test_a_view_rendered_again_leaves_one_listener(open_view):
    view = open_view()
    view.send(make_cloud())
    view.page.evaluate("mount()")
    view.send(make_cloud(seed=1))
    view.page.wait_for_function("sent.includes(2)")
    assert view.page.evaluate("sent.filter(m => m === 2).length") == 1
    assert view.page.evaluate("sent.filter(m => m.hello).length") == 2
