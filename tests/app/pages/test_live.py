"""The Live page without a browser: what its controls post, what it shows, and how it ends."""

import threading
import time
from contextlib import nullcontext

import numpy as np
import pytest

from app.live.commands import Configure, Epoch, Pause, Play, Recall, Restart, Revive, Rewind, Step
from app.live.presets import PRESETS
from app.live.worker import Worker
from app.pages.live import LivePage
from app.state.live import LiveConfig, default_config
from app.state.own_data_defaults import OWN
from app.user_data import Given
from app.widgets.verdict_card import button_words, emphasise
from sampler import LinearRegression


class Recorder:
    def __init__(self):
        self.posted = []

    def post(self, command):
        self.posted.append(command)

    def close(self):
        pass


@pytest.fixture
def page():
    live = LivePage()
    live.engine.close(wait=5.0)
    live.engine = Recorder()
    return live


def test_a_knob_posts_the_whole_configuration(page):
    page.knobs["eta0"].on_typed("2")
    assert page.knobs["eta0"].error == ""
    assert page.engine.posted == [Configure(page.config)]
    assert page.engine.posted[0].config.settings.eta0 == 2.0
    assert page.knobs["eta0"].value == 2.0


def test_nonsense_posts_nothing_and_is_said_under_the_knob(page):
    page.knobs["eta0"].on_typed("banana")
    assert page.engine.posted == []
    assert "not a number" in page.knobs["eta0"].error
    page.knobs["eta0"].on_typed("3")
    assert page.knobs["eta0"].error == ""


def test_buttons_and_rewind(page):
    for name, command in [("step", Step()), ("pause", Pause()), ("restart", Restart())]:
        page.transport.on_press(name)
        assert page.engine.posted[-1] == command
    page.transport.on_press("explode")
    page.transport.on_rewind(17.0)
    assert page.engine.posted[-1] == Rewind(17)
    assert len(page.engine.posted) == 4


def test_after_a_rewind_the_knobs_stand_as_they_did_then(page):
    worker = Worker(page.config, False, nullcontext)
    for _ in range(3):
        worker.obey(Epoch())
    page.show(worker.snapshot())
    page.state.put("eta0", "5")
    for command in page.engine.posted:
        worker.obey(command)
    worker.obey(Epoch())
    page.show(worker.snapshot())
    assert page.state.eta0 == 5.0

    page.transport.on_rewind(2)
    worker.obey(page.engine.posted[-1])
    while worker._replay is not None:
        page.show(worker.snapshot())
        worker.work()
    page.show(worker.snapshot())
    assert page.state.eta0 == worker._run.state.saga.settings.eta0 == 1.0
    worker.close()


def test_what_is_shared_opens_the_very_picture(page):
    assert page.shared() == (page.query(), "Link copied")  # nothing has been shown yet
    worker = Worker(page.config, False, nullcontext)
    for _ in range(3):
        worker.obey(Epoch())
    page.show(worker.snapshot())
    page.state.put("eta0", "5")
    worker.obey(page.engine.posted[-1])
    worker.obey(Epoch())
    page.show(worker.snapshot())
    link, words = page.shared()
    assert words == "Link copied: epoch 4 with 1 change"
    assert (link["t"], link["log"], link["eta0"]) == ("4", "1~eta0.1~3_eta0.5~end", "5")

    there = worker._run.state.saga.positions
    page.load(link)
    recalled = page.engine.posted[-1]
    assert isinstance(recalled, Recall)  # and no Play after it
    worker.obey(recalled)
    while worker._replay is not None:
        worker.work()
    arrived = worker.snapshot()
    page.show(arrived)
    np.testing.assert_array_equal(worker._run.state.saga.positions, there)
    assert page.notices.notice == "This is epoch 4 as it was shared, with 1 change on the way." and not arrived.playing
    assert page.notices.action == "Play on" and page.state.eta0 == 5.0 and page.shared()[0] == link
    page.engine.posted.clear()
    page.notices.on_act()
    assert page.engine.posted == [Play()]
    worker.close()


def test_a_link_cut_in_half_is_answered_in_words_and_replayed_as_far_as_it_goes(page):
    page.load({"t": "90", "log": "2~eta0.1~30_eta0.5~60_b"})
    assert page.engine.posted[-1].moment.t == 30
    assert "cut off after 1 change" in page.notices.words[0]


def test_a_knob_turned_after_asking_for_a_rewind_keeps_its_value(page):
    worker = Worker(page.config, False, nullcontext)
    for _ in range(3):
        worker.obey(Epoch())
    page.show(worker.snapshot())
    page.transport.on_rewind(1)
    page.state.put("eta0", "3")
    for command in page.engine.posted:
        worker.obey(command)
    while worker._replay is not None:
        worker.work()
    page.show(worker.snapshot())
    assert page.state.eta0 == worker._run.state.saga.settings.eta0 == 3.0
    worker.close()


def test_a_problem_resets_the_knobs_to_its_defaults(page):
    page.problem.value = "logistic21"
    default = default_config("logistic21")
    assert page.engine.posted[-1].config.settings == default.settings
    assert page.knobs["batch_size"].default == default.settings.batch_size
    assert page.chains.has_axes


def test_a_picture_to_try_begins_with_its_algorithm(page):
    page.knobs["eta0"].on_typed("banana")
    page.state.speed = 9  # the picture is played at the speed that has been chosen
    page.sidebar.presets.on_choose("metric")
    assert page.engine.posted[-3:] == [Configure(PRESETS["metric"].config.replace(speed=9)), Restart(), Play()]
    assert page.sidebar.presets.chosen == "metric" and page.knobs["eta0"].error == ""
    assert page.sidebar.algorithm.value == "preconditioned" and page.knobs["acceptance_radius"].words == "reset beyond, sd"
    page.knobs["i_max"].on_typed("31")
    assert page.sidebar.presets.chosen == page.sidebar.presets.says == ""


def test_an_algorithm_is_chosen_and_refused_in_words(page):
    page.sidebar.algorithm.on_choose("preconditioned")
    assert page.engine.posted[-1] == Configure(default_config(algorithm="preconditioned"))
    page.knobs["offset"].on_typed("5")
    assert page.knobs["offset"].error == "c is not used except in R/√(t + c). Kept 1." and page.state.offset == 1.0
    flat = LinearRegression(2, prior_precision=0.0)
    page.state.param.update(problem=OWN, given=Given("flat", flat, np.eye(2)[np.arange(20) % 2], np.arange(20.0) % 3))
    assert page.state.algorithm == "saga-ld" and "runs plain SAGA-LD" in page.notices.words[-1]
    assert list(page.sidebar.algorithm.refused) == ["preconditioned"]
    posted = len(page.engine.posted)
    page.sidebar.algorithm.on_choose("preconditioned")
    assert page.state.algorithm == "saga-ld" and len(page.engine.posted) == posted
    page.problem.value = "linear2"
    assert not any("runs plain SAGA-LD" in words for words in page.notices.words)


def test_a_change_of_algorithm_starts_again(page):
    worker = Worker(page.config.replace(chains=4), False, nullcontext)
    worker.obey(Epoch())
    worker.obey(Configure(default_config(algorithm="preconditioned").replace(chains=4)))
    assert worker.snapshot().t == 0
    worker.obey(Epoch())
    snapshot = worker.snapshot()
    assert snapshot.t == 1 and snapshot.step_size == snapshot.config.eta0 and snapshot.cloud.acceptance_ball.chain == 0
    page.show(snapshot)
    assert page.chains.title == "4 preconditioned chains"
    assert page.charts.titles[2][1].startswith("E‖L⁻¹(g − ∇F)‖²")
    worker.close()


def test_the_verdict_button_does_what_it_says(page):
    page._apply({"eta0": 0.5})
    assert page.state.eta0 == 0.5
    page.verdict.kind = "diverged"
    page._apply({"eta0": 0.25})
    assert page.engine.posted[-1] == Revive({"eta0": 0.25})


def test_words_of_buttons_and_numbers():
    assert button_words({"eta0": 1.0}) == "Set η₀ = 1"
    assert button_words({"variance_reduction": True}) == "Switch it on"
    assert button_words(None) == ""
    assert emphasise("64 chains score 0.942 at η₀ = 5 & <b>") == (
        "64 chains score <b>0.942</b> at η₀ = 5 &amp; &lt;b&gt;")


def test_a_bad_link_still_opens_and_says_what_was_wrong():
    live = LivePage.from_query({"eta0": [b"banana"], "chains": [b"9999"]})
    live.close()
    assert live.config.chains == 512
    assert len(live.notices.words) == 2
    live.notices.on_dismiss(0)
    assert len(live.notices.words) == 1


def test_it_runs_without_a_browser_to_acknowledge_and_closes_its_thread():
    before = set(threading.enumerate())  # of other tests, some may still be ending
    live = LivePage(LiveConfig(chains=4))
    live.engine.start()
    deadline = time.monotonic() + 300
    shown = 0
    while shown < 5:
        assert time.monotonic() < deadline
        snapshot = live.engine.take()
        if snapshot is not None:
            live.show(snapshot)
            shown += 1
        time.sleep(0.01)
    live.dark(True)
    live.close()
    live.engine.close(wait=5.0)
    assert not live.engine.alive
    assert all(thread.name != "exit-time-engine" for thread in set(threading.enumerate()) - before)


def test_the_layout_is_built_once():
    live = LivePage()
    assert live.__panel__() is live.__panel__()
    live.close()


def test_a_chain_that_there_is_not_is_not_followed(page):
    for chain in (-144, page.state.chains, 10**9):
        page.canvas._handle_msg({"follow": chain})
        assert page.state.follow == 0
    page.canvas._handle_msg({"follow": page.state.chains - 1})
    assert page.state.follow == page.state.chains - 1
    page.canvas._handle_msg({"follow": None})
    assert page.state.follow is None
