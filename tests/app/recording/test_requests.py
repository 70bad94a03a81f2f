from dataclasses import replace

import pytest

from app.live.timeline import Change
from app.recording.exit_plan import ExitPlan
from app.recording.lesson_text import told_parts
from app.recording.pace import LONGEST, Pace, even_pace
from app.recording.plan import Plan
from app.recording.requests import lesson_plans, plan_of, recorded_lessons
from app.recording.size import LIMIT, estimate, frames_a_second
from app.state.live import SPEEDS


@pytest.mark.parametrize(("asked", "words"), [
    ("lesson-99", "from 0 to"), ("tune_it_yourself", "waits for answers"), ("hello", "from 0 to"),
    ("", "Press Share"), ("http://lab/app", "whole link"),
    ("?problem=given&eta0=1", "own data"), ("?problem=linear2&eta0", "cut off at 'eta0'"),
    ("?problem=linear2&eta0=", "cut off"), ("?problem=linear2&C=2%", "cut off"), ("?page=tune&seed=1", "'tune'"),
    ("?lesson=two", "'two'"), ("too_cool", "too_cold"),
])
def test_what_cannot_be_recorded_is_refused_in_words(asked, words):
    with pytest.raises(ValueError, match=words):
        plan_of(asked)


@pytest.mark.parametrize("epochs", [0, -1, 20_001, True, 2.5])
def test_epochs_out_of_range_are_refused(epochs):
    with pytest.raises(ValueError, match="from 1 to 20,000"):
        plan_of("seed=1", epochs)


def test_a_link_of_live_is_played_from_its_first_datum():
    plan = plan_of("http://127.0.0.1:5006/app?v=1&problem=linear2&eta0=0.2&speed=16e&theme=dark")
    assert (plan.config.problem, plan.config.eta0, plan.epochs, plan.words) == ("linear2", 0.2, 300, ())
    assert plan.pace.rates == (16.0,)


def test_a_lessons_link_is_recorded_as_it_was_lived():
    link = "?lesson=too_hot&eta0=2&t=240&log=2~eta0.1~200_eta0.5~220_eta0.2~end"
    plan = plan_of(link)
    assert (plan.lesson.key, plan.number, plan.epochs, plan.source) == ("too_hot", 7, 240, link)
    assert [(change.t, change.settings.eta0) for change in plan.changes] == [(200, 5.0), (220, 2.0)]
    assert plan.pace == plan_of("too_hot").pace
    early = plan_of("?lesson=too_hot&t=150&log=0~~end", 300)
    assert [(change.t, change.settings.eta0) for change in early.changes] == [(200, 5.0)]
    assert plan_of("?lesson=too_hot&t=x").words


def test_what_was_wrong_with_a_link_is_said():
    words = " ".join(plan_of("?eta0=1e9&seed=1&unicorn=2&speed=2s").words)
    assert "η₀" in words
    assert "unicorn" in words
    assert "single steps" in words


def test_a_long_run_plays_in_two_minutes():
    assert even_pace(len(SPEEDS) - 1, 100).rates == (64.0,)
    assert even_pace(8, 12_000).rates == (12_000 / LONGEST,)
    assert even_pace(8, 12_000).frames(12_000, 60) == 6001


@pytest.mark.parametrize("rate", [0.5, 1, 7, 8, 32, 45, 64, 170])
def test_every_epoch_or_every_so_many_end_with_a_frame(rate):
    pace = Pace((0.0,), (rate,))
    found = list(pace.positions(40, 60))
    ends = [position for position in found if position == int(position)]
    assert found[0] == 0 and found[-1] == 40 and sorted(set(found)) == found
    assert len(ends) >= 40 / max(1, round(rate / 60))
    assert pace.played(0, 60) == pytest.approx(rate, rel=0.35)


@pytest.mark.parametrize("asked", ["too_hot", "lesson-7", "?lesson=too_hot.1", "?lesson=3"])
def test_a_lesson_has_the_number_that_its_card_shows_and_a_link_of_version_0_4_the_one_it_had(asked):
    plan = plan_of(asked)
    assert (plan.number, plan.lesson.file) == (7, "07_too_hot.toml")


def test_a_lesson_brings_its_changes_its_pace_and_its_text():
    plan = plan_of("too_hot")
    assert plan.changes == (Change(200, None, plan.config.settings.replace(eta0=5.0), plan.config.escape_radius),)
    assert plan.pace.starts == (0.0, 180.0, 280.0)
    assert plan.pace.rates == (32.0, 8.0, 32.0)
    assert plan.pace.frames(280, 60) == 1 + 180 * 2 + 100 * 8
    assert plan.epochs == plan.lesson.until


def test_every_lesson_told_on_live_fits_into_a_file_and_shows_each_part():
    live = [key for key in recorded_lessons() if isinstance(plan_of(key), Plan)]
    assert len(live) >= 7
    for key in live:
        plan = plan_of(key)
        assert len(told_parts(plan.lesson, plan.epochs)) == len(plan.lesson.parts), key
        assert estimate(plan, frames_a_second(plan)) <= LIMIT


def test_a_lesson_on_one_epoch_is_played_with_its_own_setting():
    plan = plan_of("from_the_ball_to_total_variation")
    assert (plan.config.radius, plan.config.steps, plan.number) == (4.0, 4000, 5)
    assert plan_of("?lesson=why_the_square.1&er=2").lesson.key == "why_the_square"
    with pytest.raises(ValueError, match="one epoch"):
        plan_of("why_the_square", 20)
    assert [plan.lesson.key for plan in lesson_plans(9)] == recorded_lessons()
    turning = replace(plan.lesson, steps=(replace(plan.lesson.steps[0], settings={"er": "2"}),))
    with pytest.raises(ValueError, match="turns knobs"):
        ExitPlan.of(turning, 5)


def test_more_chains_get_fewer_frames_and_too_much_is_refused_with_what_would_fit():
    assert frames_a_second(plan_of("chains=64")) == 60
    assert frames_a_second(plan_of("chains=512")) < 60
    with pytest.raises(ValueError, match=r"Ask for about [\d,]+ epochs"):
        frames_a_second(plan_of("chains=512", 20_000))
