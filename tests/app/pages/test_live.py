"""The Live page without a browser: commands of its controls, its display, and its end."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from app.live.engine import Worker
from app.pages.live import LivePage
from app.state.live import PRESETS, default_config
from app.state.user_data import OWN, UserData
from app.widgets.verdict_card import button_words, emphasise
from sampler import LinearRegression
from tests.app.live.playing import replayed
from tests.waiting import close


@pytest.fixture
def page():
    live = LivePage()
    close(live.engine)
    posted = []
    live.engine = SimpleNamespace(posted=posted, post=lambda *command: posted.append(command), close=lambda: None)
    return live


@pytest.fixture
def worker(page):
    """Worker after three epochs of the page's run; the page displays its snapshot."""
    made = Worker(page.config, False, nullcontext)
    for _ in range(3):
        made.execute("epoch")
    page.show(made.snapshot())
    yield made
    made.close()


def test_a_knob_posts_the_whole_configuration_and_invalid_input_posts_nothing(page):
    knob = page.sidebar.knobs["eta0"]
    knob.on_typed("banana")
    page.transport.on_press("explode")
    assert page.engine.posted == [] and "not a number" in knob.error
    knob.on_typed("2")
    assert page.engine.posted == [("configure", page.config)] and page.engine.posted[0][1].settings.eta0 == 2.0
    assert (knob.error, knob.value) == ("", 2.0)


def test_a_page_in_a_document_waits_for_the_motion_preference_of_its_first_view(page):
    page.note_document()
    assert page.engine.posted == []  # no view would ever answer: it plays
    page._shown_in = object(), 0
    page.note_document()
    for still in (True, False):
        page.transport.on_ready(still)
    page.note_document()
    assert page.engine.posted == [("hold",), ("appear", True)]  # a further view changes nothing


def test_before_the_first_snapshot_only_the_link_is_shared(page):
    assert page.shared() == (page.query(), "")


def test_a_shared_link_reproduces_the_displayed_state(page, worker):
    page.state.put("eta0", "5")
    worker.execute(*page.engine.posted[-1])
    worker.execute("epoch")
    page.show(worker.snapshot())
    link, words = page.shared()
    assert words == "epoch 4 with 1 change"
    assert (link["t"], link["log"], link["eta0"]) == ("4", "1~eta0.1~3_eta0.5~end", "5")

    expected = worker._run.state.saga.positions
    page.load(link)
    recalled = page.engine.posted[-1]
    assert recalled[0] == "recall"  # not followed by Play
    worker.execute(*recalled)
    arrived = replayed(worker).snapshot()
    page.show(arrived)
    np.testing.assert_array_equal(worker._run.state.saga.positions, expected)
    assert page.notices.notice == "This is epoch 4 as it was shared, with 1 change on the way." and not arrived.playing
    assert page.notices.action == "Play on" and page.state.eta0 == 5.0 and page.shared()[0] == link
    page.engine.posted.clear()
    page.notices.on_act()
    assert page.engine.posted == [("play",)]


def test_a_knob_turned_after_requesting_a_rewind_keeps_its_value(page, worker):
    page.transport.on_rewind(1)
    page.state.put("eta0", "3")
    for command in page.engine.posted:
        worker.execute(*command)
    page.show(replayed(worker).snapshot())
    assert page.state.eta0 == worker._run.state.saga.settings.eta0 == 3.0


def test_a_picture_to_try_begins_with_its_algorithm(page):
    page.sidebar.knobs["eta0"].on_typed("banana")
    page.state.speed = 9  # the picture is played at the speed that has been chosen
    page.sidebar.presets.on_choose("metric")
    config = PRESETS["metric"].config.replace(speed=9)
    assert page.engine.posted[-3:] == [("configure", config), ("restart",), ("play",)]
    assert page.sidebar.presets.chosen == "metric" and page.sidebar.knobs["eta0"].error == ""
    assert page.sidebar.algorithm.value == "preconditioned"
    assert page.sidebar.knobs["acceptance_radius"].words == "reset beyond, sd"
    page.sidebar.knobs["i_max"].on_typed("31")
    assert page.sidebar.presets.chosen == page.sidebar.presets.says == ""


def test_an_algorithm_is_chosen_or_refused_with_a_message(page):
    page.sidebar.algorithm.on_choose("preconditioned")
    assert page.engine.posted[-1] == ("configure", default_config(algorithm="preconditioned"))
    page.sidebar.knobs["offset"].on_typed("5")
    assert page.sidebar.knobs["offset"].error == "c is not used except in R/√(t + c). Kept 1." and page.state.offset == 1.0
    flat = LinearRegression(2, prior_precision=0.0)
    page.state.param.update(problem=OWN, user_data=UserData("flat", flat, np.eye(2)[np.arange(20) % 2], np.arange(20.0) % 3))
    assert page.state.algorithm == "saga-ld" and "runs plain SAGA-LD" in page.notices.words[-1]
    assert list(page.sidebar.algorithm.refused) == ["preconditioned"]
    posted = len(page.engine.posted)
    page.sidebar.algorithm.on_choose("preconditioned")
    assert page.state.algorithm == "saga-ld" and len(page.engine.posted) == posted
    page.sidebar.problem.value = "linear2"
    assert not any("runs plain SAGA-LD" in words for words in page.notices.words)


def test_a_change_of_algorithm_starts_again(page, worker):
    worker.configure(default_config(algorithm="preconditioned").replace(chains=4))
    assert worker.snapshot().t == 0
    worker.execute("epoch")
    snapshot = worker.snapshot()
    assert snapshot.t == 1 and snapshot.step_size == snapshot.config.eta0 and len(snapshot.cloud.acceptance_balls) == 4
    page.show(snapshot)
    assert page.chains.title == "4 preconditioned chains"
    assert page.charts.titles[2][1].startswith("E‖L⁻¹(g − ∇F)‖²")


def test_the_verdict_button_applies_its_settings(page):
    page._apply({"eta0": 0.5})
    assert page.state.eta0 == 0.5
    page.verdict.kind = "diverged"
    page._apply({"eta0": 0.25})
    assert page.engine.posted[-1] == ("revive",) and page.engine.posted[-2][1].eta0 == 0.25


def test_words_of_buttons_and_numbers():
    assert button_words({"eta0": 1.0}) == "Set η₀ = 1"
    assert button_words({"variance_reduction": True}) == "Switch it on"
    assert button_words(None) == ""
    assert emphasise("64 chains score 0.942 at η₀ = 5 & <b>") == (
        "64 chains score <b>0.942</b> at η₀ = 5 &amp; &lt;b&gt;")


def test_a_chain_out_of_range_is_not_followed(page):
    for chain in (-144, page.state.chains, 10**9):
        page.canvas._handle_msg({"follow": chain})
        assert page.state.follow == 0
    page.canvas._handle_msg({"follow": page.state.chains - 1})
    assert page.state.follow == page.state.chains - 1
    page.canvas._handle_msg({"follow": None})
    assert page.state.follow is None
