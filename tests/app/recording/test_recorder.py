import json
import re

import numpy as np
import pytest

from app.live.run import LiveRun
from app.recording.film import Film, Frame, Stopped
from app.recording.pace import Pace
from app.recording.packing import restored, unpack
from app.recording.page import in_script
from app.recording.plan import Plan
from app.recording.recorder import record
from app.recording.requests import plan_of_moment
from app.recording.size import LIMIT, estimate
from app.state.live import default_config

PACE = Pace((0.0,), (16.0,))
CONFIG = default_config("gaussian2").replace(chains=8)


def part(html, name):
    return re.search(rf'<script type="[\w/]+" id="{name}">(.*?)</script>', html, re.DOTALL)[1]


@pytest.fixture(scope="module")
def recording():
    return record(Plan(CONFIG, 24, PACE, source="?problem=gaussian2&x=</script><script>alert(1)</script>"))


@pytest.fixture(scope="module")
def read(recording):
    head = json.loads(part(recording.html, "head"))
    return head, unpack(head["blocks"], part(recording.html, "packed"))


def test_positions_are_those_of_the_run(read):
    head, columns = read
    run = LiveRun(CONFIG)
    while run.state.t < 24 or not run.state.done:
        assert run.advance(10**9)
    codes = np.cumsum(columns["positions"].reshape(8, 2, head["frames"]), axis=2, dtype=np.int16)[:, :, -1]
    center, half = np.array([columns["x"][-1], columns["y"][-1]]), np.full(8, columns["half"][-1])
    np.testing.assert_allclose(restored(codes, center, half), run.state.saga.positions, atol=float(half[0]) * 2e-4)
    assert columns["t"][-1] == columns["ended"][-1] == 24
    accuracy = run.history.column("accuracy", 24)
    np.testing.assert_array_equal(columns["chart_t"], np.arange(8, 25))
    np.testing.assert_array_equal(columns["accuracy"], accuracy[8:])
    run.close()


def test_frames_stand_evenly_along_the_clock(read):
    head, columns = read
    assert head["frames"] == 24 * 4 + 1  # 15 epochs a second is nearest to 16
    assert np.unique(columns["ended"], return_counts=True)[1][:-1].tolist() == [4] * 24
    assert np.diff(columns["t"]).min() >= 0
    assert columns["t"][0] == 0


def test_charts_say_what_lives_own_charts_say(read):
    head, columns = read
    states = json.loads(bytes(columns["chart_states"]))
    assert len(states) == len(columns["chart_t"])
    assert {part["glyph"] for panel in head["charts"]["panels"] for part in panel["parts"]} >= {"Line", "VArea", "Text"}
    assert states[0]["accuracy"]["high"] == 1.0
    assert any("measured" in label[1] for label in states[-1]["accuracy labels"])


def test_the_file_is_small_asks_for_nothing_and_keeps_words_words(recording):
    assert recording.size <= LIMIT
    assert recording.size <= estimate(Plan(CONFIG, 24, PACE), recording.rate)
    assert "<script>alert" not in recording.html
    assert recording.html.count("</script>") == 4
    assert not re.search(r"""(?:src|href)=["']?(?!data:)\w""", recording.html)
    assert "@import" not in recording.html
    assert in_script("</script><!--") == '"\\u003c/script>\\u003c!--"'


def test_a_run_as_it_was_lived_is_played_with_its_changes():
    run = LiveRun(CONFIG)
    while run.state.t < 5 or not run.state.done:
        assert run.advance(10**9)
    run.advance(3)
    run.configure(run.state.config.replace(settings=run.state.config.settings.replace(eta0=0.5)))
    while run.state.t < 12 or not run.state.done:
        assert run.advance(10**9)
    run.configure(run.state.config.replace(settings=run.state.config.settings.replace(eta0=1.0)))
    plan = plan_of_moment(run.state.config, run.moment)
    assert (plan.config, plan.epochs) == (CONFIG, 12)
    frames = [piece for piece in Film(plan, 30).play() if isinstance(piece, Frame)]
    last = frames[-1].snapshot
    np.testing.assert_array_equal(last.cloud.positions, run.state.saga.positions.astype(np.float32))
    run.close()
    assert [snapshot.config.eta0 for snapshot in (frames[0].snapshot, last)] == [CONFIG.eta0, 1.0]


def test_a_recording_that_nobody_waits_for_stops():
    with pytest.raises(Stopped):
        record(Plan(CONFIG, 24, PACE), stopped=lambda: True)
