"""The canvas: encoding of a frame, when scenery is sent, and flow control."""

from dataclasses import replace

import numpy as np
import pytest

from app.canvas import chain_canvas
from app.canvas.chain_canvas import ChainCanvas
from app.canvas.contours import LOOP_POINTS, thin_loop
from app.canvas.frame_bytes import FRAME, Arrows, Outline, Rung, encode
from tests.app.canvas.clouds import make_cloud

ENVELOPE = 16 + 9  # words before the positions
OVAL = [1, 0.8]  # half axes of the contours, in units of the wider


@pytest.fixture
def canvas():
    """Canvas that stores its messages in a list."""
    canvas = ChainCanvas()
    canvas.messages = []
    canvas._send_msg = canvas.messages.append
    return canvas


@pytest.fixture
def shown(canvas):
    """The canvas with a view on a page."""
    canvas._models = {"a view": (None, None)}
    return canvas


def words(message):
    return np.frombuffer(message, np.int32)[:16]


def has_scenery(message):
    return bool(words(message)[6] & 1)


def test_a_frame_reads_back():
    reset = np.zeros(70, bool)
    reset[[0, 33, 69]] = True
    cloud = make_cloud(70, reset=reset, resets=[[3, 1, 2, 3, 4]], exits=[[5, 6, 7], [8, 9, 10]])
    numbers = dict(sequence=9, frame=8, t=7, run=6, follow=5, coordinates=4)
    data = encode(cloud, rescaled=True, scenery=False, **numbers)
    floats, ints, raw = np.frombuffer(data, np.float32), words(data), np.frombuffer(data, np.uint8)
    assert ints.tolist() == [FRAME, 9, 8, 7, 6, 70, 4, 5, 1, 2, 0, 0, 0, 4, 0, 0]
    assert floats[16:25].tolist() == pytest.approx([0, 0, -1.5, 1.5, 5.0, 6.9, 0, 0, 5.5])
    assert np.array_equal(floats[ENVELOPE : ENVELOPE + 140].reshape(70, 2), cloud.positions)
    at = ENVELOPE + 140
    bits = np.unpackbits(raw[4 * at : 4 * at + 12], bitorder="little")
    assert np.flatnonzero(bits).tolist() == [0, 33, 69]
    assert floats[at + 3 :].tolist() == [3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def test_arrows_and_scenery_follow_in_order():
    points = np.arange(8, dtype=np.float32).reshape(4, 2)
    arrows = Arrows(points, path=np.full((3, 2), -1.0, np.float32), batch_size=9, t=2507)
    cloud = make_cloud(1, arrows=arrows)
    data = encode(cloud, sequence=1, frame=1, t=2507, run=1)
    floats, ints = np.frombuffer(data, np.float32), words(data)
    assert ints[6] == 3 and ints[7] == -1
    assert ints[10:16].tolist() == [3, 9, 2507, 0, 3, 1]
    assert floats[ENVELOPE + 3 : ENVELOPE + 11].tolist() == list(range(8))
    assert floats[ENVELOPE + 11 : ENVELOPE + 17].tolist() == [-1] * 6
    loops = floats[ENVELOPE + 17 : -4].reshape(3, LOOP_POINTS, 2)
    assert np.hypot(*(loops[2] / OVAL).T) == pytest.approx(3.0, rel=2e-3)
    assert floats[-4:].tolist() == pytest.approx([64, 0, 0, 5.4])


@pytest.mark.parametrize(("start", "first"), [(np.array([5.0, 6.0]), [5.0, 6.0]), (None, [0.0, 0.0])])
def test_a_rung_is_encoded_in_place_of_arrows(start, first):
    circle = make_cloud().contours[0]
    data = encode(make_cloud(1, rung=Rung((circle, circle), start)), sequence=1, frame=1, t=3, run=1, scenery=False)
    floats, ints = np.frombuffer(data, np.float32), words(data)
    assert ints[6] == 8 and ints[10:12].tolist() == [2, int(start is not None)]
    assert floats[ENVELOPE + 3 : ENVELOPE + 5].tolist() == first
    assert np.hypot(*(floats[ENVELOPE + 5 :].reshape(2, LOOP_POINTS, 2)[1] / OVAL).T) == pytest.approx(1.2, rel=2e-3)


@pytest.mark.parametrize("in_force", [True, False])
def test_a_ball_in_a_metric_and_the_cloud_of_a_ghost_are_encoded_as_ellipses(in_force):
    shape = np.array([[3.0, -1.0], [-1.0, 2.0]], np.float32)
    cloud = make_cloud(1, acceptance_balls=np.array([[3, -1, 2, in_force, 6]]), ghost=Outline(np.array([5.0, 7.0]), shape),
                       arrows=Arrows(np.zeros((4, 2), np.float32), path=np.zeros((0, 2), np.float32), batch_size=9, t=3))
    data = encode(cloud, sequence=1, frame=1, t=3, run=1, scenery=False)
    assert words(data)[6] == 32 + 16 + 2
    values = np.frombuffer(data, np.float32)[ENVELOPE + 3 :]
    assert values[:11].tolist() == [6, 0, in_force, 3, -1, 2, 5, 7, 3, -1, 2] and len(values) == 11 + 8


def test_a_contour_is_thinned_evenly():
    uneven = np.sort(np.random.default_rng(3).uniform(0, 2 * np.pi, 400))
    loop = thin_loop(np.column_stack([np.cos(uneven), np.sin(uneven)]))
    assert loop.shape == (LOOP_POINTS, 2)
    steps = np.hypot(*(np.roll(loop, -1, axis=0) - loop).T)
    assert steps.max() < 1.1 * steps.min()
    assert np.array_equal(thin_loop(np.array([[2.0, 3.0]])), np.tile([2.0, 3.0], (LOOP_POINTS, 1)))


def test_scenery_is_sent_when_it_changes(canvas):
    cloud = make_cloud()
    same_loops = tuple(loop.copy() for loop in cloud.contours)
    moved = replace(cloud, positions=cloud.positions + 1, contours=same_loops)
    wider = replace(moved, contours=tuple(1.01 * loop for loop in cloud.contours))
    balls = replace(wider, balls=((2048, np.zeros(2, np.float32), 4.1),))
    for frame, each in enumerate([cloud, moved, wider, wider, balls]):
        canvas.send(each, frame, 1, 1)
    canvas.send(balls, 5, 1, 2)
    assert [has_scenery(m) for m in canvas.messages] == [True, False, True, False, True, True]


def test_a_new_view_gets_the_whole_frame(canvas):
    canvas._handle_msg({"hello": True})
    assert canvas.messages == []
    canvas.send(make_cloud(), 7, 8, 9, follow=3)
    canvas.send(make_cloud(), 8, 8, 9, follow=3)
    assert not has_scenery(canvas.messages[-1])
    canvas._handle_msg({"hello": True})
    assert has_scenery(canvas.messages[-1])
    assert words(canvas.messages[-1])[1:5].tolist() == [3, 8, 8, 9]
    assert words(canvas.messages[-1])[7] == 3


def test_the_faster_of_two_views_sets_the_pace(shown):
    acknowledged = []
    shown.painted = lambda: acknowledged.append(shown.in_flight)
    for frame in range(3):
        shown.send(make_cloud(), frame, 1, 1)
    assert shown.in_flight == 3 and not shown.ready
    for answer in (2, 1, 3, 3, 2):
        shown._handle_msg(answer)
    assert acknowledged == [1, 1, 0, 0, 0]
    shown._handle_msg(99)
    assert shown.in_flight == 0 and shown.ready


def test_a_lost_answer_delays_frames_by_the_timeout_only(shown, clock, monkeypatch):
    monkeypatch.setattr(chain_canvas.time, "monotonic", clock)
    for frame in range(2):
        shown.send(make_cloud(), frame, 1, 1)
    assert not shown.ready
    clock.now += chain_canvas.PATIENCE + 0.1
    assert shown.ready
    shown.send(make_cloud(), 3, 1, 1)
    assert not shown.ready, "one frame per timeout, not a flood"


def test_without_a_view_nothing_waits_and_choosing_a_chain_is_reported(canvas):
    chosen = []
    canvas.followed = chosen.append
    canvas.send(make_cloud(0), 0, 1, 1)  # shown while a run is being prepared
    for frame in range(1, 5):
        canvas.send(make_cloud(), frame, 1, 1)
    assert canvas.ready and len(canvas.messages) == 5
    canvas._handle_msg({"follow": 4})
    canvas._handle_msg({"follow": None})
    assert chosen == [4, None] and canvas.in_flight == 5


def test_each_pair_of_coordinates_has_a_number(canvas):
    cloud = make_cloud()
    canvas.send(cloud, 1, 1, 1)
    canvas.send(cloud, 2, 1, 1, rescaled=True)
    canvas.send(replace(cloud, axis_names=("θ₁", "θ₃")), 3, 1, 1, rescaled=True)
    canvas.send(replace(cloud, axis_names=("θ₁", "θ₃")), 4, 1, 1, rescaled=True)
    assert [int(words(m)[13]) for m in canvas.messages] == [0, 1, 2, 2]
    assert canvas.axes == ["θ₁", "θ₃"]
