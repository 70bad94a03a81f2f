"""Followers of the teacher's run: chains, rate of updates, absence of the teacher."""

from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest

from app.exit_time.job import run_exits
from app.extras.classroom.followed_pages import (
    ALL_EVERY,
    EPOCH_REFUSED,
    RUN_REFUSED,
    FollowedEngine,
    FollowedEpoch,
    FollowedLive,
)
from app.extras.classroom.followed_story import FollowedStory
from app.extras.classroom.room import GONE, HERE, OWN_CHAINS, WAITING, slice_of
from app.extras.classroom.teacher_and_student import Student
from app.lessons.lesson_card import answers_of
from app.lessons.story import Story
from app.live.engine import Engine
from app.live.moment_link import moment_in
from app.live.run_state import Data
from app.state.exit_time import ExitConfig
from app.state.live import LiveState, default_config
from sampler.algorithms.sampler_copies import chain_subset
from tests.app.jobs.waiting import finish
from tests.app.live.conftest import SMALL
from tests.app.live.playing import picture
from tests.waiting import close, wait_for


@pytest.fixture
def follower(room, clock):
    """Engine of a student who took a seat before the first snapshot."""
    return FollowedEngine(room, room.seats.take(), clock)


@pytest.fixture
def shown(room, leader, script, snapshots):
    """The room shows the first snapshot of the teacher's run."""
    room.show(leader, script, "Live")
    script.show(snapshots[0])


def test_a_slice_is_a_run_of_those_chains_alone(snapshots):
    """Chains 4 and 5 of eight, run separately with their own random numbers, have the positions of the slice."""
    whole = snapshots[-1]
    data = Data(whole.config)
    alone = chain_subset("saga-ld", data.problem, whole.config.settings, 8, whole.config.seed, 4, 6)
    for t in range(1, whole.t + 1):
        alone.arrive(*data.row(t))
        alone.advance(10)
    mine = slice_of(whole, range(4, 6), 1, None)
    assert whole.t == 3 and mine.t == 3
    np.testing.assert_array_equal(mine.cloud.positions, alone.positions.astype(np.float32))
    np.testing.assert_array_equal(mine.cloud.checkpoints, alone.checkpoints.astype(np.float32))
    assert not np.array_equal(mine.cloud.positions[0], mine.cloud.positions[1])
    assert (mine.config.follow, mine.config.chains) == (1, 8)


def test_flashes_and_an_own_metric_go_with_their_chains(make):
    whole = picture(make(epochs=5, i_max=10, escape_radius=0.1, acceptance_radius=0.1))
    mine = slice_of(whole, range(2, 4), 0, None).cloud
    assert len(whole.cloud.exits) and len(whole.cloud.resets)
    for name in ("exits", "resets"):
        rows, all_rows = getattr(mine, name), getattr(whole.cloud, name)
        wanted = all_rows[np.isin(all_rows[:, 0], (2, 3))]
        np.testing.assert_array_equal(rows[:, 0] + 2, wanted[:, 0])
        np.testing.assert_array_equal(rows[:, 1:], wanted[:, 1:])


def test_a_preconditioned_chain_shows_its_own_ball_to_each_follower(make):
    run = make(default_config("linear2", algorithm="preconditioned"), 5, chains=8, i_max=20)
    whole = picture(run)
    for follow, chain in ((1, 5), (None, 4)):
        run.configure(run.state.config.replace(follow=chain))
        theirs = slice_of(whole, range(4, 6), follow, None).cloud
        np.testing.assert_array_equal(theirs.acceptance_balls[follow or 0], picture(run).cloud.acceptance_balls[chain])
        np.testing.assert_array_equal(theirs.checkpoints[follow or 0], picture(run).cloud.checkpoints[chain])


def test_followers_are_thinned_and_see_the_last_picture(follower, room, leader, script, snapshots, clock):
    assert follower.take() is None
    room.show(leader, script, "Live")
    script.show(snapshots[0])
    whole = follower.take()
    assert whole.t == 2 and whole.series is not None and len(whole.cloud.positions) == 2
    script.show(snapshots[1])
    assert room.broadcast.latest().t == 2  # too soon for another
    clock.now += 0.2
    latest = room.broadcast.latest()
    frame = follower.frame(latest)
    assert frame.t == 3 and frame.series is None
    assert follower.take() is not None  # paused: shown completely at once
    assert follower.take() is None


def test_while_it_plays_the_whole_page_is_sent_at_intervals(follower, room, leader, script, snapshots, clock):
    room.show(leader, script, "Live")
    for number in range(4):
        script.show(replace(snapshots[0], playing=True, t=number + 2))
        clock.now += 0.2
        assert (follower.take() is not None) == (number == 0)
    clock.now += ALL_EVERY
    assert follower.take().t == 5


def test_another_run_is_shown_whole_before_its_frames(room, follower, shown, script, snapshots, clock):
    first = follower.take()
    script.show(replace(snapshots[1], run=99))
    clock.now += 1
    assert follower.frame(room.broadcast.latest()) is None
    again = follower.take()
    assert again.run != first.run and follower.frame(room.broadcast.latest()) is not None


def test_a_student_chooses_the_followed_chain_and_controls_nothing_else(follower, shown, script):
    config = follower.take().config
    follower.post("configure", config.replace(follow=1, eta0=9.0))
    follower.post("play")
    again = follower.take()
    assert again.config.follow == 1 and again.config.eta0 == config.eta0 and script.posted == []


def test_a_students_page_names_the_students_chains_and_refuses_files(room, shown, script):
    seat = room.seats.take()
    page = FollowedLive(room, seat, lambda: None, lambda: None)
    page.show(page.engine.take())
    mine = room.chains(seat, 8)
    title = f"Your {len(mine)} chains" if len(mine) > 1 else "Your chain"
    assert page.chains.title == title and page.chains.hint.endswith("of the room’s 8")
    page._take_file(None)
    assert page.notices.words == [RUN_REFUSED] and script.posted == []
    page.close()


def test_the_teacher_goes_and_comes_back_to_the_same_room(room, leader, script, snapshots):
    assert room.teacher == HERE
    room.show(leader, script, "Live")
    script.show(snapshots[1])
    leader.here = False
    assert room.teacher == GONE and script.posted == [("pause",)]
    assert room.teacher == GONE and script.posted == [("pause",)]  # sent once
    link = room.resume_query()
    assert link["page"] == "live" and link["t"] == "3" and link["chains"] == "8" and "lesson" not in link
    config = LiveState.from_query(link)[0]
    moment, words = moment_in(link, config)
    assert (moment.t, words) == (3, []) and config.i_max == 10
    newcomer = SimpleNamespace(here=True)
    room.lead(newcomer)
    room.show(leader, type(script)(), "Live")  # a closed page no longer leads
    assert room.teacher == HERE and room.broadcast.engine is script


def test_a_students_own_run_continues_from_the_rooms_epoch(room, script, snapshots):
    assert room.teacher == WAITING and room.broadcast.latest() is None and room.resume_query() == room.own_run() == {}
    leader = SimpleNamespace(here=True)
    room.lead(leader)
    assert room.teacher == HERE
    room.show(leader, script, "Live")
    script.show(snapshots[1])
    link = room.own_run()
    config = LiveState.from_query(link)[0]
    assert (config.chains, config.follow, config.i_max, link["t"]) == (OWN_CHAINS, 0, 10, "3")


def test_at_another_page_the_last_run_stays_visible(room, shown, leader, script, snapshots, clock):
    room.show(leader, None, "Exit time")
    script.show(snapshots[1])  # paused
    clock.now += 1
    assert room.place == "Exit time" and room.broadcast.latest().t == 3
    room.show(leader, script, "Live")
    assert room.place == ""


def test_a_lesson_has_a_separate_run_with_other_chains(room, shown, leader, script, snapshots, clock):
    """Both engines number their runs from 1; an unsent snapshot of one must not be merged with the other's."""
    assert room.broadcast.latest().t == 2
    script.show(snapshots[1])
    lesson, whole = type(script)(), snapshots[0]
    few = replace(whole, cloud=replace(whole.cloud, reset=whole.cloud.reset[:4], positions=whole.cloud.positions[:4]))
    room.show(leader, lesson, "Live")
    lesson.show(few)
    clock.now += 1
    latest = room.broadcast.latest()
    assert len(latest.cloud.positions) == 4 and latest.run == 2
    script.show(snapshots[1])  # the run behind the lesson has no listener
    clock.now += 1
    assert room.broadcast.latest() is latest
    room.show(leader, script, "Live")
    clock.now += 1
    back = room.broadcast.latest()
    assert (len(back.cloud.positions), back.run) == (8, 3) and back.series is not None


def test_answers_are_counted_and_changed(room):
    seats = [room.seats.take() for _ in range(3)]
    for seat, option in zip(seats, (0, 2, 2), strict=True):
        seat.answers["lesson"] = option
    assert room.seats.counts("lesson", 3) == [1, 0, 2] and room.seats.counts("other", 3) == [0, 0, 0]
    seats[0].answers["lesson"] = 1
    assert room.seats.counts("lesson", 3) == [0, 1, 2] and room.seats.take(seats[0].key).answers == {"lesson": 1}


def test_a_listener_receives_snapshots_of_an_engine_whose_page_takes_none():
    """As for a teacher with a hidden tab: the page takes no frames, the class continues."""
    epochs, engine = [], Engine(SMALL)
    engine.listen(lambda snapshot: epochs.append(snapshot.t))
    engine.start()
    try:
        wait_for(lambda: epochs and epochs[-1] >= 5)
    finally:
        close(engine)
    assert epochs == sorted(epochs)


def epoch_page():
    """Return a stub of the teacher's Exit time page."""
    return SimpleNamespace(result=None, query=lambda: {"en": "500"})


def test_at_exit_time_the_room_shows_the_results_of_the_teachers_page(room, leader, clock):
    result = finish(run_exits, ExitConfig(chains=100, steps=500), None).value
    teachers = epoch_page()
    room.show(leader, None, "Exit time", teachers)
    assert room.place == "" and room.resume_query() == {"page": "exit", "en": "500"}
    looked, alone = [], []
    page = FollowedEpoch(room, alone.append, lambda: looked.append(1), clock=clock)
    page.begin()
    page.look()
    assert page.result is None and looked == [1]
    teachers.result = replace(result, complete=False)
    page.look()
    assert page.result is teachers.result and page.config.steps == 500 and page.bar.shown
    teachers.result = replace(result, complete=False)
    page.look()
    assert page.result is not teachers.result  # too soon for another sketch
    clock.now += ALL_EVERY
    page.look()
    assert page.result is teachers.result
    teachers.result = result
    page.look()
    assert page.result is result and page.query()["en"] == "500"
    page.state.steps = 700  # the teacher's knob
    assert page.config.steps == 500 and EPOCH_REFUSED in page.notices.words and not page.worker.requests
    page.bar.on_alone()
    assert alone == [page.query()]
    page.close()
    room.show(leader, None, "Tune")
    assert room.epoch is None and room.place == "Tune"


class StudentOfTwoPages(Student):
    """Student with stub pages, in a frame that records the one in front."""

    def __init__(self, room, in_front):
        super().__init__(room)
        self._live, self._epoch, self._story = Mock(), Mock(), Mock(following=True)
        self._frame = SimpleNamespace(show_story=lambda key, page: in_front.append(key))


def test_students_move_to_exit_time_and_back_one_after_another(room, leader, clock):
    seen = [], []
    first, second = (StudentOfTwoPages(room, in_front) for in_front in seen)
    for student in (first, second):
        student._show_live()
        student._change()  # the teacher is at Live
    assert seen == (["live"], ["live"])
    room.show(leader, None, "Exit time", epoch_page())
    for student in (first, second):
        student._change()
    assert seen == (["live", "exit"], ["live"])
    second._update_bars()
    assert second._live.bar.show_teacher.call_args.kwargs["coming"]
    clock.now += 1.0
    second._change()
    assert seen[1] == ["live", "exit"] and not second._epoch.bar.show_teacher.call_args.kwargs["coming"]
    room.show(leader, None, "Tune")
    clock.now += 1.0
    first._change()
    assert seen[0] == ["live", "exit", "live"]


def test_the_right_answer_is_sent_to_the_browser_only_after_it_is_revealed():
    story = FollowedStory(None, lambda lesson, option: None, lambda: None)
    story.following = True
    story._page = SimpleNamespace(charts=SimpleNamespace(fit=lambda span: None))
    for lesson in (lesson for lesson in story.lessons if lesson.page == "live"):
        story.follow(lesson.key)
        sent = story.card.lesson["options"]
        expected = answers_of(story.teachers_lesson)
        assert [text for text, *_ in sent] == [text for text, *_ in expected] and any(right for _, right, _ in expected)
        assert not any(right or why for _, right, why in sent)


def test_the_students_card_shows_the_teachers_step():
    story = FollowedStory(None, lambda lesson, option: None, lambda: None)
    story.following = True
    story._page = SimpleNamespace(charts=SimpleNamespace(fit=lambda span: None))
    for link, step in (("what_is_going_on", 0), ("what_is_going_on.2", 2), ("what_is_going_on.1", 1)):
        story.follow(link)
        assert story.card.lesson["step"] == story.card.step == step
    story.put_aside()
    story.follow("what_is_going_on.2")
    assert story.card.lesson == {}
    story._update_card([["TV", "0.05"]], "", 100)
    other = next(lesson for lesson in story.lessons if lesson.page != "live")
    story.follow(other.key)
    assert story.card.lesson and not story.card.measured  # Live's measurements do not belong to a lesson on another page


def test_a_teacher_who_comes_back_gets_the_same_case(room, shown, leader):
    room.set_lesson(leader, "tune_it_yourself.0.3", 3)
    story = Story(None)
    at, step = story.parse_link(room.resume_query()["lesson"])
    assert (story.lessons[at].key, step, story.case) == ("tune_it_yourself", 0, 3)
