"""The story: navigation over its pages; settings of lessons, timed changes and hints."""

from types import SimpleNamespace

import pytest

from app.lessons.reader import gather_lessons
from app.lessons.story import Story
from app.lessons.story_page import LiveStoryPage
from app.pages.live import LivePage
from app.state.exit_time import ExitState
from app.state.live import LiveState

LESSONS = {lesson.key: lesson for lesson in gather_lessons()[0]}


class Chrome:
    """Stub of the frame: its pages only record."""

    def __init__(self):
        self.log, self.built = [], []
        self.show_story = lambda key, page: self.log.append(f"show {key}")
        self.end_story = lambda: self.log.append("end")
        self.mark_lesson = lambda key: self.log.append(f"mark {key}")

    def build(self, key, query):
        page = SimpleNamespace(key=key, loaded=[], closed=False, charts=SimpleNamespace(fit=lambda span: None))
        page.load, page.query = page.loaded.append, lambda: page.loaded[-1]
        page.close = lambda: setattr(page, "closed", True)
        page.state = SimpleNamespace(load=lambda config: page.load(LiveState.to_query(config)))
        page.engine = SimpleNamespace(post=lambda *command: None)
        self.built.append(page)
        return page


@pytest.fixture
def chrome():
    return Chrome()


@pytest.fixture
def story(chrome):
    return Story(chrome)


def test_the_opening_comes_before_lesson_0_and_has_no_number(story, chrome):
    assert [story.parse_link(link) for link in ("opening", "opening.3", "opening.99")] == [(-1, 0), (-1, 3), (-1, 4)]
    story.open_lesson("opening")
    assert story.query() == {"lesson": "opening"} and story.card.lesson["number"] == -1
    assert sum(step["seconds"] for step in story.card.lesson["steps"]) == 40
    story.back()
    story.show_step(2)
    story.do(0)
    assert story.query() == {"lesson": "opening.2"} and chrome.built[0].loaded[-1]["eta0"] == "5"
    story.next()
    assert story.at == 0 and story.card.lesson["number"] == 0


def test_next_leads_to_the_last_lesson_and_then_restores_the_page(story, chrome):
    story.show(0)
    story.back()  # ignored at the first lesson
    for number, lesson in enumerate(story.lessons):
        assert story.card.lesson["number"] == number and story.card.lesson["last"] == len(story.lessons) - 1
        assert chrome.log[-1] == f"mark {lesson.key}"
        story.card.on_go("next")
    assert chrome.log[-2:] == ["end", "mark None"]
    assert not story.open and story.card.lesson == {}
    assert len(chrome.built) == 2 and all(page.closed for page in chrome.built)
    assert all(not page.linked for page in chrome.built)


def test_keeps_the_answers(story):
    story.show(3)
    story.card.on_choose(2)
    story.card.on_go("next")
    assert story.card.chosen == -1
    story.back()
    assert story.card.chosen == 2
    story.close()
    story.show(3)
    assert story.card.lesson["number"] == 3 and story.card.chosen == 2


@pytest.mark.parametrize(("value", "key", "step"), [
    ("too_hot", "too_hot", 0), ("too_hot.99", "too_hot", 0), ("too_hot.x", "too_hot", 0), ("what_is_going_on.2",
     "what_is_going_on", 2), ("99", "what_is_going_on", 0), ("moon", "what_is_going_on", 0), ("²", "what_is_going_on", 0)])
def test_the_lesson_of_a_link(story, value, key, step):
    at, opened = story.parse_link(value)
    assert (story.lessons[at].key, opened) == (key, step) and story.parse_link("") is None


def test_a_link_of_a_case_opens_that_case(story, chrome):
    cases = next(at for at, lesson in enumerate(story.lessons) if lesson.cases)
    story.show(cases)
    for _ in range(11):  # all ten, and the second of the next permutation
        story.again()
    link, shown = story.query()["lesson"], story.card.lesson["options"]
    other = Story(chrome)
    other.show(*other.parse_link(link))
    assert other.card.lesson["options"] == shown
    other.again()
    assert other.card.lesson["options"] != shown
    other.show(*other.parse_link("tune_it_yourself.0.²"))


def test_a_line_of_the_contents_opens_its_lesson_which_sets_its_knobs(story, chrome):
    assert [line[0] for line in story.card.contents] == [lesson.key for lesson in story.lessons]
    story.card.on_open("stale_gradients")
    story.card.on_open("moon")
    assert story.card.lesson["key"] == "stale_gradients" and story.query() == {"lesson": "stale_gradients"}
    page = chrome.built[0]
    assert page.loaded[-1].items() >= LESSONS["stale_gradients"].settings.items()
    story.do(1)
    assert page.loaded[-1]["b"] == "8" and page.loaded[-1]["eta0"] == "0.5"
    story.again()
    assert page.loaded[-1]["b"] == "1"
    story.open_lesson("the_price_of_theory")
    story.do(0)
    assert chrome.built[1].loaded[-1] == {"preset": "quadratic"}  # a preset sets everything


@pytest.fixture
def open_on_live():
    """Return a function that opens a lesson on a Live page whose engine records its messages."""
    page = LivePage(framed=True)
    page.engine.posted = []
    page.engine.post = lambda *command: page.engine.posted.append(command)
    story_page = LiveStoryPage(page, lambda *words: story_page.captions.append(words))
    story_page.captions, story_page.posted, story_page.state = [], page.engine.posted, page.state

    def show(run, t):
        page.watcher(SimpleNamespace(run=run, t=t, series=None, verdict=None, meters=(), playing=True, notice_kind=None))

    def open_lesson(key):
        story_page.open(LESSONS[key])
        return LESSONS[key], story_page

    story_page.show = show
    yield open_lesson
    page.close()


def test_timed_changes_wait_for_their_epoch_of_the_lessons_own_run(open_on_live):
    _, live = open_on_live("too_hot")
    live.show(run=4, t=9)
    open_on_live("variance_reduction")
    live.show(run=4, t=900)
    assert live.state.variance_reduction, "that was the run before"
    live.show(run=5, t=199)
    assert live.state.variance_reduction
    live.show(run=5, t=200)
    assert not live.state.variance_reduction
    live.state.variance_reduction = True
    live.show(run=5, t=240)
    assert live.state.variance_reduction, "a change is made once"


def test_each_lesson_begins_a_run_with_its_settings_only(open_on_live):
    _, live = open_on_live("stale_gradients")
    assert live.state.stream == "drifting" and not live.state.reset
    lesson, _ = open_on_live("too_hot")
    assert live.state.stream == "paper" and live.state.reset and live.state.i_max == 60
    assert live.posted[-3:] == [("restart",), ("hurry", lesson.arrive), ("play",)] and not live.page.linked
    stack, verdict = live.page.stack, live.page.verdict
    stack.view.accuracy_shown, verdict.kind, verdict.meters = "0.914", "safe", [["memory", "12 %", 0.2, 0.5, False]]
    live.show(run=1, t=40)
    assert live.captions == [([["accuracy", "0.914"], ["memory", "12 %"]], "Playing to epoch 190: 40 so far.", 40)]
    live.show(run=1, t=190)
    assert live.captions[-1][1] == "" and (stack.view.window, stack.view.span) == ("span", (120, 400))


def test_an_item_that_needs_other_data_plays_to_where_the_lesson_begins(open_on_live):
    lesson, live = open_on_live("when_the_data_drift")
    live.show(run=1, t=1040)
    forgets, room = lesson.hint_settings(lesson.hints[2]), lesson.hint_settings(lesson.hints[0])
    live.set(forgets, restart=False, arrive=lesson.arrive)
    assert live.posted[-3:] == [("restart",), ("hurry", lesson.arrive), ("play",)]
    assert live.state.forget
    live.posted.clear()
    live.set(forgets | {"C": "32"}, restart=False, arrive=lesson.arrive)
    assert ("restart",) not in live.posted, "the same data: it plays on"
    live.set(room, restart=False, arrive=lesson.arrive)
    assert ("restart",) in live.posted and not live.state.forget
    lesson, _ = open_on_live("what_is_going_on")
    live.show(run=2, t=134)
    live.apply_step(lesson.steps[2])
    assert live.posted[-1] == ("hurry", 400)
    lesson, _ = open_on_live("too_hot")
    live.show(run=3, t=150)
    live.set(lesson.hint_settings(lesson.hints[1]), restart=False)
    live.show(run=3, t=200)
    assert live.state.eta0 == 1, "a timed change does not undo a hint"


def test_every_case_comes_once_before_any_repeats_and_the_answer_is_reset(story, chrome):
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


def test_a_faulty_opening_is_left_out_and_logged(chrome, monkeypatch, tmp_path, caplog):
    (tmp_path / "opening.toml").write_text("title = 3", encoding="utf-8")
    monkeypatch.setattr("app.lessons.story.FOLDER", tmp_path)
    story = Story(chrome)
    assert "Skipped an invalid lesson: opening.toml: title" in caplog.text
    assert story.parse_link("opening") == (0, 0) and story.card.opening == []
    story.open_opening()
    assert not story.open
    story.show(0)
    assert story.lesson is story.lessons[0]


def page_settings(lesson, page):
    """Return the complete settings of the page."""
    last = page.loaded[-1]
    return LiveState.from_query(last)[0] if lesson.page == "live" else ExitState.from_query(last)[0]


@pytest.mark.parametrize("key", ["opening", *LESSONS])
def test_a_hint_sets_the_same_whatever_was_tried_before(chrome, key):
    """Each hint of each lesson: first, after each other hint, and after manual changes of the knobs."""
    story = Story(chrome)
    story.open_lesson(key)
    lesson, page = story.lesson, chrome.built[-1]
    away = {"live": {"eta0": "3", "C": "7", "reset": "0", "stream": "drifting", "vr": "0"},
            "exit": {"er": "9", "en": "77", "em": "3"}}
    items = [k for k, hint in enumerate(lesson.hints) if hint.settings is not None]
    for k in items:
        story.again()
        story.do(k)
        alone = page_settings(lesson, page)
        for turned in ({}, away[lesson.page]):
            for other in items:
                story.do(other)
                page.loaded.append(page.query() | turned)
                story.do(k)
                assert page_settings(lesson, page) == alone, lesson.hints[k].do


def test_a_question_waits_until_the_run_can_answer_it(story):
    story.open_lesson("too_hot")
    card = story.card
    assert "play to epoch 280" in card.waiting
    story._update_card([], "", 279)
    assert card.waiting
    story._update_card([["memory", "12 %"]], "", 280)
    assert card.waiting == ""
    story._update_card([["memory", "12 %"]], "", 3)
    assert card.waiting == "", "a question stays once shown"
    story.open_lesson("tune_it_yourself")
    assert f"epoch {story.lesson.arrive:,}" in card.waiting  # by default the epoch up to which it plays fast
    story.open_lesson("why_the_square")
    assert card.waiting == ""
    story._update_card([["accuracy", "0.94"]], "", 900)  # from the hidden Live page
    assert card.measured == []


def test_the_question_of_a_changing_run_comes_after_its_changes():
    for lesson in LESSONS.values():
        knobs = [change.epoch for change in lesson.changes if set(change.settings) - {"speed"}]
        assert lesson.page != "live" or lesson.asked_at >= max([lesson.arrive, *knobs]) > 0, lesson.key
