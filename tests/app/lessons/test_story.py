from types import SimpleNamespace

import pytest

from app.lessons.reader import gather_lessons
from app.lessons.story import Story
from app.lessons.story_page import LiveStoryPage
from app.live.commands import Play, Restart
from app.live.presets import preset_of
from app.pages.live import LivePage
from app.state.live import LiveState

LESSONS = {lesson.file[0]: lesson for lesson in gather_lessons(["live", "exit"])[0]}


class Chrome:
    """Stands for the frame: pages that only remember."""

    def __init__(self):
        self.log, self.built = [], []

    def build_for_story(self, key, query):
        page = SimpleNamespace(key=key, loaded=[], closed=False)
        page.load, page.query = page.loaded.append, lambda: page.loaded[-1]
        page.close = lambda: setattr(page, "closed", True)
        page.state, page.engine = State(page), SimpleNamespace(post=lambda command: None)
        self.built.append(page)
        return page

    def show_story(self, key, page):
        self.log.append(f"show {key}")

    def end_story(self):
        self.log.append("end")

    def mark_lesson(self, number):
        self.log.append(f"mark {number}")


class State:
    def __init__(self, page):
        self.page = page

    def load(self, config):
        self.page.loaded.append(LiveState.to_query(config))


@pytest.fixture
def chrome():
    return Chrome()


@pytest.fixture
def story(chrome):
    return Story(chrome, ["live", "exit"])


def test_walks_from_the_first_lesson_to_the_end_and_gives_the_page_back(story, chrome):
    story.start()
    for number in range(1, 10):
        assert story.card.lesson["number"] == number
        assert chrome.log[-1] == f"mark {number}"
        story.card.on_go("next")
    assert chrome.log[-2:] == ["end", "mark None"]
    assert not story.open and story.card.lesson == {}
    assert len(chrome.built) == 2 and all(page.closed for page in chrome.built)
    assert all(not page.linked for page in chrome.built)
    story.start()
    assert story.card.lesson["number"] == 1


def test_goes_on_where_it_was_closed_and_keeps_the_answers(story):
    story.start(3)
    story.card.on_choose(2)
    story.card.on_go("next")
    assert story.card.chosen == -1
    story.back()
    assert story.card.chosen == 2
    story.close()
    story.start()
    assert story.card.lesson["number"] == 3 and story.card.chosen == 2


def test_back_stops_at_the_first_lesson(story):
    story.start(1)
    story.back()
    assert story.card.lesson["number"] == 1


@pytest.mark.parametrize(("given", "number"), [("3", 3), ("", None), ("99", 9), ("-2", 1), ("moon", 1)])
def test_the_number_in_a_link(story, given, number):
    assert story.number(given) == number


def test_a_lesson_sets_its_knobs_and_a_hint_turns_some_of_them(story, chrome):
    story.start(6)
    page = chrome.built[0]
    for key, value in LESSONS["6"].settings.items():
        assert page.loaded[-1][key] == value
    story.do(1)
    assert page.loaded[-1]["b"] == "8" and page.loaded[-1]["eta0"] == "0.5"
    story.again()
    assert page.loaded[-1]["b"] == "1"


def test_a_hint_with_a_preset_sets_everything(story, chrome):
    story.start(8)
    story.do(0)
    assert chrome.built[0].loaded[-1] == {"preset": "quadratic"}
    story.start(1)
    story.do(0)
    assert chrome.built[0].loaded[-1] == {"preset": "printed", "ed": "20", "er": "8"}


def snapshot(run, t, config=None):
    return SimpleNamespace(run=run, t=t, series=None, verdict=None, meters=(), config=config)


@pytest.fixture
def live():
    page = LivePage(framed=True)
    page.engine.posted = []
    page.engine.post = page.engine.posted.append
    yield page
    page.close()


def test_timed_changes_wait_for_their_epoch_of_the_lessons_own_run(live):
    story_page = LiveStoryPage(live)
    live.watcher(snapshot(run=4, t=900))
    story_page.open(LESSONS["2"], None)
    live.watcher(snapshot(run=4, t=900))
    assert live.state.variance_reduction, "that was the run before"
    live.watcher(snapshot(run=5, t=199))
    assert live.state.variance_reduction
    live.watcher(snapshot(run=5, t=200))
    assert not live.state.variance_reduction
    live.state.variance_reduction = True
    live.watcher(snapshot(run=5, t=240))
    assert live.state.variance_reduction, "a change is made once"


def test_each_lesson_begins_a_run_with_its_settings_and_nothing_left_from_the_last(live):
    story_page = LiveStoryPage(live)
    story_page.open(LESSONS["6"], None)
    assert live.state.stream == "drifting" and not live.state.reset
    story_page.open(LESSONS["3"], None)
    assert live.state.stream == "paper" and live.state.reset and live.state.i_max == 60
    assert [type(c) for c in live.engine.posted[-2:]] == [Restart, Play]
    assert not live.linked


def test_the_hint_of_the_other_metric_is_the_picture_to_try(live):
    story_page = LiveStoryPage(live)
    story_page.open(LESSONS["9"], None)
    assert preset_of(live.config) == "valley"
    story_page.set(LESSONS["9"].hints[0].settings, restart=True)
    assert preset_of(live.config) == "metric"


def test_a_hint_that_restarts_drops_what_was_still_to_come(live):
    story_page = LiveStoryPage(live)
    story_page.open(LESSONS["2"], None)
    live.watcher(snapshot(run=1, t=10))
    story_page.set({"b": "18"}, restart=True)
    live.watcher(snapshot(run=2, t=300))
    assert live.state.variance_reduction and live.state.batch_size == 18
