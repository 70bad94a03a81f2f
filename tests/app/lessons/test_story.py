from types import SimpleNamespace

import pytest

from app.exit_time.presets import from_query as exit_from_query
from app.lessons.reader import gather_lessons
from app.lessons.story import Story
from app.lessons.story_page import LiveStoryPage
from app.live.charts.time_panel import EndLabel
from app.live.commands import Hurry, Play, Restart
from app.live.presets import preset_of
from app.pages.live import LivePage
from app.state.live import LiveState

LESSONS = {lesson.key: lesson for lesson in gather_lessons(["live", "exit"])[0]}


class Chrome:
    """Stands for the frame: pages that only remember."""

    def __init__(self):
        self.log, self.built = [], []

    def build_for_story(self, key, query):
        page = SimpleNamespace(key=key, loaded=[], closed=False)
        page.load, page.query = page.loaded.append, lambda: page.loaded[-1]
        page.close = lambda: setattr(page, "closed", True)
        page.charts = SimpleNamespace(fit=lambda span: None)
        page.state, page.engine = State(page), SimpleNamespace(post=lambda command: None)
        self.built.append(page)
        return page

    def show_story(self, key, page):
        self.log.append(f"show {key}")

    def end_story(self):
        self.log.append("end")

    def mark_lesson(self, key):
        self.log.append(f"mark {key}")


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


def test_the_opening_comes_before_lesson_0_and_has_no_number(story, chrome):
    assert story.asked("opening") == (-1, 0) and story.asked("opening.3") == (-1, 3) and story.asked("opening.99") == (-1, 4)
    story.open_lesson("opening")
    assert story.query() == {"lesson": "opening"} and story.card.lesson["number"] == -1
    assert sum(step["seconds"] for step in story.card.lesson["steps"]) == 40
    story.back()
    story.show_step(2)
    story.do(0)
    assert story.query() == {"lesson": "opening.2"} and chrome.built[0].loaded[-1]["eta0"] == "5"
    story.next()
    assert story.at == 0 and story.card.lesson["number"] == 0
    story.open_lesson("opening")
    story.close()
    story.start()
    assert story.at == 0  # after the opening the story begins at its beginning


def test_walks_from_the_first_lesson_to_the_end_and_gives_the_page_back(story, chrome):
    story.start()
    for number, lesson in enumerate(story.lessons):
        assert story.card.lesson["number"] == number and story.card.lesson["last"] == len(story.lessons) - 1
        assert chrome.log[-1] == f"mark {lesson.key}"
        story.card.on_go("next")
    assert chrome.log[-2:] == ["end", "mark None"]
    assert not story.open and story.card.lesson == {}
    assert len(chrome.built) == 2 and all(page.closed for page in chrome.built)
    assert all(not page.linked for page in chrome.built)
    story.start()
    assert story.card.lesson["number"] == 0


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
    story.start(0)
    story.back()
    assert story.card.lesson["number"] == 0


@pytest.mark.parametrize(("given", "key", "step"), [
    ("too_hot", "too_hot", 0), ("3", "too_hot", 0), ("too_hot.99", "too_hot", 0), ("too_hot.x", "too_hot", 0),
    ("99", "last", 0), ("0", "first", 0), ("-2", "first", 0), ("moon", "first", 0), ("²", "first", 0)])
def test_what_a_link_asks_for(story, given, key, step):
    at, found = story.asked(given)
    lessons = {lesson.key: place for place, lesson in enumerate(story.lessons)}
    lessons |= {"first": 0, "last": len(story.lessons) - 1}
    assert (at, found) == (lessons[key], step)


def test_a_link_of_a_case_opens_that_case(story, chrome):
    cases = next(at for at, lesson in enumerate(story.lessons) if lesson.cases)
    story.start(cases)
    for _ in range(11):  # all ten, and the second of another draw
        story.again()
    link, shown = story.query()["lesson"], story.card.lesson["options"]
    other = Story(chrome, ["live", "exit"])
    other.start(*other.asked(link))
    assert other.card.lesson["options"] == shown
    other.again()
    assert other.card.lesson["options"] != shown
    other.start(*other.asked("tune_it_yourself.0.²"))


def test_a_link_without_a_lesson_asks_for_none(story):
    assert story.asked("") is None


def test_every_link_of_an_older_version_opens_its_lesson(story):
    assert sorted(lesson.was for lesson in story.lessons if lesson.was) == list(range(1, 10))
    for lesson in story.lessons:
        assert lesson.was is None or story.lessons[story.asked(str(lesson.was))[0]] is lesson


def test_a_line_of_the_contents_opens_its_lesson(story):
    assert [line[0] for line in story.card.contents] == [lesson.key for lesson in story.lessons]
    story.card.on_open("too_cold")
    assert story.card.lesson["key"] == "too_cold" and story.query() == {"lesson": "too_cold"}
    story.card.on_open("moon")
    assert story.card.lesson["key"] == "too_cold"


def test_a_lesson_sets_its_knobs_and_a_hint_turns_some_of_them(story, chrome):
    story.open_lesson("stale_gradients")
    page = chrome.built[0]
    for key, value in LESSONS["stale_gradients"].settings.items():
        assert page.loaded[-1][key] == value
    story.do(1)
    assert page.loaded[-1]["b"] == "8" and page.loaded[-1]["eta0"] == "0.5"
    story.again()
    assert page.loaded[-1]["b"] == "1"


def test_a_hint_with_a_preset_sets_everything(story, chrome):
    story.open_lesson("the_price_of_theory")
    story.do(0)
    assert chrome.built[0].loaded[-1] == {"preset": "quadratic"}
    story.open_lesson("why_the_square")
    story.do(0)
    assert chrome.built[0].loaded[-1] == {"preset": "printed", "ed": "20", "er": "8"}


def snapshot(run, t, config=None):
    return SimpleNamespace(run=run, t=t, series=None, verdict=None, meters=(), config=config, playing=True,
                           notice_kind=None)


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
    story_page.open(LESSONS["variance_reduction"], None)
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
    story_page.open(LESSONS["stale_gradients"], None)
    assert live.state.stream == "drifting" and not live.state.reset
    story_page.open(LESSONS["too_hot"], None)
    assert live.state.stream == "paper" and live.state.reset and live.state.i_max == 60
    assert live.engine.posted[-3:] == [Restart(), Hurry(LESSONS["too_hot"].arrive), Play()]
    assert not live.linked


def test_the_hint_of_the_other_metric_is_the_picture_to_try(live):
    story_page = LiveStoryPage(live)
    story_page.open(LESSONS["the_same_budget_another_metric"], None)
    assert preset_of(live.config) == "valley"
    lesson = LESSONS["the_same_budget_another_metric"]
    story_page.set(lesson.tried(lesson.hints[0]), restart=True)
    assert preset_of(live.config) == "metric"


def test_the_card_says_what_the_page_shows_and_how_far_it_is(live):
    told = []
    story_page = LiveStoryPage(live)
    story_page.open(LESSONS["too_hot"], lambda *said: told.append(said))
    live.stack.accuracy.place_labels([EndLabel(0.9, text, "ink") for text in ("ceiling 0.946", "measured 0.914")], 9, False)
    live.verdict.kind, live.verdict.meters = "safe", [["memory", "12 %", 0.2, 0.5, False]]
    live.watcher(snapshot(run=1, t=40))
    assert told == [([["accuracy", "0.914"], ["memory", "12 %"]], "Playing to epoch 190: 40 so far.", 40)]
    live.watcher(snapshot(run=1, t=190))
    assert told[-1][1] == ""
    assert live.stack.window == "span" and live.stack.span == (120, 400)


def test_a_hint_that_restarts_drops_what_was_still_to_come(live):
    story_page = LiveStoryPage(live)
    story_page.open(LESSONS["variance_reduction"], None)
    live.watcher(snapshot(run=1, t=10))
    story_page.set({"b": "18"}, restart=True)
    live.watcher(snapshot(run=2, t=300))
    assert live.state.variance_reduction and live.state.batch_size == 18


def test_cases_come_each_once_before_any_comes_again_and_the_answer_is_asked_anew(story, chrome):
    story.open_lesson("tune_it_yourself")
    seen = []
    for _ in range(10):
        card = story.card.lesson
        seen.append(next(text for text, right, _ in card["options"] if right))
        assert card["covers"] and story.card.chosen == -1
        story.card.on_choose(0)
        story.card.on_go("again")
    assert len(set(seen)) == 10
    assert chrome.built[0].loaded[-1]["problem"] == "logistic2"


def test_where_the_opening_is_faulty_the_story_goes_without_it_and_says_so(chrome, monkeypatch, tmp_path, caplog):
    (tmp_path / "opening.toml").write_text("title = 3", encoding="utf-8")
    monkeypatch.setattr("app.lessons.story.FOLDER", tmp_path)
    story = Story(chrome, ["live", "exit"])
    assert "opening is left out: opening.toml: title" in caplog.text
    assert story.asked("opening") == (0, 0) and story.card.opening == []
    story.open_opening()
    assert not story.open
    story.start()
    assert story.lesson is story.lessons[0]


def settings_on_show(lesson, page):
    """What the page would show, every knob of it."""
    last = page.loaded[-1]
    return LiveState.from_query(last)[0] if lesson.page == "live" else exit_from_query(last)[0]


@pytest.mark.parametrize("key", ["opening", *LESSONS])
def test_whatever_was_tried_before_an_item_sets_the_same(chrome, key):
    """Each item of each lesson, at once, after each other item, and after every knob has been turned by hand."""
    story = Story(chrome, ["live", "exit"])
    story.open_lesson(key)
    lesson, page = story.lesson, chrome.built[-1]
    away = {"live": {"eta0": "3", "C": "7", "reset": "0", "stream": "drifting", "vr": "0"},
            "exit": {"er": "9", "en": "77", "em": "3"}}
    items = [k for k, hint in enumerate(lesson.hints) if hint.settings is not None]
    for k in items:
        story.again()
        story.do(k)
        alone = settings_on_show(lesson, page)
        for turned in ({}, away[lesson.page]):
            for other in items:
                story.do(other)
                page.loaded.append(page.query() | turned)
                story.do(k)
                assert settings_on_show(lesson, page) == alone, lesson.hints[k].do


def test_an_item_that_needs_another_stream_plays_to_where_the_lesson_begins(live):
    lesson = LESSONS["when_the_data_drift"]
    story_page = LiveStoryPage(live)
    story_page.open(lesson, None)
    live.watcher(snapshot(run=1, t=1040))
    still, room = lesson.tried(lesson.hints[2]), lesson.tried(lesson.hints[0])
    story_page.set(still, restart=False, arrive=lesson.arrive)
    assert live.engine.posted[-3:] == [Restart(), Hurry(lesson.arrive), Play()] and live.state.stream == "paper"
    live.engine.posted.clear()
    story_page.set(still | {"C": "32"}, restart=False, arrive=lesson.arrive)
    assert Restart() not in live.engine.posted, "the same stream plays on"
    story_page.set(room, restart=False, arrive=lesson.arrive)
    assert Restart() in live.engine.posted and live.state.stream == "drifting"


def test_a_change_of_the_lessons_own_does_not_undo_what_is_tried_before_it(live):
    lesson = LESSONS["too_hot"]
    story_page = LiveStoryPage(live)
    story_page.open(lesson, None)
    live.watcher(snapshot(run=1, t=150))
    story_page.set(lesson.tried(lesson.hints[1]), restart=False)
    live.watcher(snapshot(run=1, t=200))
    assert live.state.eta0 == 1


def test_a_question_waits_until_the_run_can_answer_it(story):
    story.open_lesson("too_hot")
    card = story.card
    assert "play to epoch 280" in card.waiting
    story._listen([], "", 279)
    assert card.waiting
    story._listen([["memory", "12 %"]], "", 280)
    assert card.waiting == ""
    story._listen([["memory", "12 %"]], "", 3)
    assert card.waiting == "", "once asked it stays"
    story.open_lesson("tune_it_yourself")
    assert f"epoch {story.lesson.arrive:,}" in card.waiting  # where nothing else is said, once it has arrived
    story.open_lesson("why_the_square")
    assert card.waiting == ""
    story._listen([["accuracy", "0.94"]], "", 900)  # Live stands behind, and shows its last picture
    assert card.measured == []


def test_every_question_of_a_changing_run_comes_after_the_changes_that_it_is_about():
    for lesson in LESSONS.values():
        knobs = [change.epoch for change in lesson.changes if set(change.settings) - {"speed"}]
        assert lesson.page != "live" or lesson.asked_at >= max([lesson.arrive, *knobs]) > 0, lesson.key


def test_a_step_plays_to_the_epoch_that_its_words_quote(live):
    lesson = LESSONS["what_is_going_on"]
    said = []
    story_page = LiveStoryPage(live)
    story_page.open(lesson, lambda *words: said.append(words))
    live.watcher(snapshot(run=1, t=134))
    story_page.take_up(lesson.steps[2])
    assert live.engine.posted[-1] == Hurry(400)
    live.watcher(snapshot(run=1, t=134))
    assert said[-1][1] == "Playing to epoch 400: 134 so far."
