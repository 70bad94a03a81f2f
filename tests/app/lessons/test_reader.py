import re

import pytest

from app.glossary import unmarked
from app.lessons.reader import LessonError, gather_lessons, lesson_files, read_lesson
from app.pages import PAGES

KEYS = [entry.key for entry in PAGES]
OLDER = ["why_the_square", "variance_reduction", "too_hot", "too_cold", "resets", "stale_gradients", "when_the_data_drift",
         "the_price_of_theory", "the_same_budget_another_metric"]
GOOD = """
title = "A title"
page = "live"
places = ["eta0", "accuracy"]
text = "Look [1] here and [2] there.\\n\\nThen think."
[settings]
seed = 3
vr = false
[[change]]
epoch = 20
eta0 = 5
[question]
ask = "What?"
[[question.option]]
text = "this"
why = "Because."
right = true
[[question.option]]
text = "that"
why = "Not so."
[try]
[[try.hint]]
do = "Turn b."
expect = "Less noise."
places = ["b"]
set = { b = 20 }
"""


@pytest.fixture
def read(tmp_path):
    def read(text=GOOD, pages=("live",), name="1_mine.toml"):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return read_lesson(file, pages)

    read.folder = tmp_path
    return read


def test_the_story_has_its_lessons_each_under_one_key():
    lessons, words = gather_lessons(KEYS)
    assert words == []
    keys = [lesson.key for lesson in lessons]
    assert len(set(keys)) == len(keys) and set(OLDER) <= set(keys)
    assert [lesson.key for lesson in sorted((x for x in lessons if x.was), key=lambda x: x.was)] == OLDER


@pytest.mark.parametrize("file", lesson_files(), ids=lambda file: file.stem)
def test_every_shipped_lesson_is_sound(file):
    lesson = read_lesson(file, KEYS)
    assert lesson.places and lesson.hints and lesson.try_words
    words = [*lesson.paragraphs, lesson.question.ask, *(option.why for option in lesson.question.options)]
    for step in lesson.steps:
        assert len(step.places) <= 4
        assert sum(len(unmarked(text)) for text in step.paragraphs) < 780, "too long for a card over the page"
    assert not any(re.search(r"</?(?!/?(?:b|i|sub|sup)>)[a-z]", text) for text in words)
    assert any(re.search(r"\d", option.why) for option in lesson.question.options), "no measured number"


def test_a_sound_file_is_read_whole(read):
    lesson = read()
    assert lesson.settings == {"seed": "3", "vr": "0"}
    assert lesson.changes[0].epoch == 20 and lesson.changes[0].settings == {"eta0": "5"}
    assert lesson.paragraphs == ("Look [1] here and [2] there.", "Then think.")
    assert [place.name for place in lesson.places] == ["eta0", "accuracy"]
    assert [option.right for option in lesson.question.options] == [True, False]
    assert lesson.hints[0].settings == {"b": "20"} and not lesson.hints[0].restart


def test_a_lesson_may_have_steps_a_place_to_arrive_at_and_a_window(read):
    lesson = read(GOOD.replace('page = "live"', 'page = "live"\narrive = 18\nwindow = [10, 40]\nminutes = 5').replace(
        "[settings]", '[[step]]\nheading = "Then"\ntext = "Turn [1]."\nplaces = ["b"]\nset = { b = 3 }\n[settings]'))
    assert (lesson.key, lesson.arrive, lesson.span, lesson.minutes) == ("mine", 18, (10, 40), 5)
    assert [step.heading for step in lesson.steps] == ["", "Then"] and lesson.steps[1].settings == {"b": "3"}
    assert [place.name for place in lesson.places] == ["eta0", "accuracy", "b"]


CASE = """
[signs]
"too hot" = "Wide."
"too cold" = "Slow."
[[case]]
set = { eta0 = 5 }
options = ["too hot", "too cold"]
right = "too hot"
why = "Measured: 5."
"""


def test_a_lesson_may_show_cases_in_turn(read):
    asked = GOOD[GOOD.index("[question]"):GOOD.index("[try]")]
    text = GOOD.replace(asked, '[question]\nask = "What?"\n') + CASE
    lesson = read(text)
    told = lesson.with_case(0)
    assert told.settings == lesson.settings | {"eta0": "5"} and [o.right for o in told.question.options] == [True, False]
    assert [option.why for option in told.question.options] == ["Measured: 5.", "Slow."]
    for old, new, words in (('right = "too hot"', 'right = "odd"', "case 1.options: must be two to four of"),
                            ("{ eta0 = 5 }", "{ eta0 = 500 }", "case 1.set: η₀"),
                            ('why = "Measured: 5."', "", "case 1.why: is missing")):
        with pytest.raises(LessonError, match=words):
            read(text.replace(old, new))


def test_a_lesson_on_a_page_that_does_not_exist_says_so(read):
    with pytest.raises(LessonError, match=r"1_mine.toml: page: there is no page 'exit'; the pages are live\."):
        read(GOOD.replace('page = "live"', 'page = "exit"'))
    with pytest.raises(LessonError, match="no lesson can be told on 'tune'"):
        read(GOOD.replace('page = "live"', 'page = "tune"'), pages=("live", "tune"))


def test_without_the_exit_page_the_other_lessons_are_told():
    lessons, words = gather_lessons(["live"])
    assert {lesson.page for lesson in lessons} == {"live"} and len(lessons) >= 7
    assert len(words) == len(lesson_files()) - len(lessons)
    assert all("there is no page 'exit'" in sentence for sentence in words)


@pytest.mark.parametrize(("old", "new", "words"), [
    ('title = "A title"', "", "title: is missing"),
    ('title = "A title"', "title = 7", "title: must be text; got 7"),
    ('title = "A title"', 'title = "A"\ncolour = "red"', "colour: is not known here; known are title"),
    ('["eta0", "accuracy"]', '["eta0", "moon"]', "places: the page Live has no place 'moon'; it has eta0, b"),
    ("[1] here and [2]", "[1] here and [3]", r"text: must name each of the 2 places as \[1\] to \[2\]"),
    ("[1] here and [2] there", "nowhere", r"text: must name each of .*; it names none"),
    ("seed = 3", "seeds = 3", "settings.seeds: the page Live has no such URL parameter"),
    ("seed = 3", "eta0 = 99", "settings: η₀ = '99' must be from 0.001 to 30; took 30"),
    ("seed = 3", 'speed = "fast"', "settings: speed = 'fast' is not one of 1s"),
    ("seed = 3", "seed = [1]", "settings.seed: must be a number"),
    ("epoch = 20", "epoch = 0", "change 1.epoch: must be a whole number from 1"),
    ("epoch = 20", 'epoch = "soon"', "change 1.epoch: must be a whole number"),
    ("eta0 = 5", "eta0 = 500", "change 1: η₀ = '500' must be from"),
    ("eta0 = 5", "seed = 5", "change 1.seed: cannot change in the middle of a run"),
    ("\neta0 = 5", "", "change 1.epoch: nothing changes there"),
    ("right = true", "", "question.option: exactly one of them must have right = true"),
    ('why = "Not so."', "right = true", "question.option 2.why: is missing"),
    ('ask = "What?"', "", "question.ask: is missing"),
    ("[[try.hint]]", "[[try.clue]]", "try.clue: is not known here"),
    ("{ b = 20 }", "{ b = 0 }", "try.hint 1.set: b = '0' must be a whole number from 1"),
    ('places = ["b"]', 'places = ["x"]', "try.hint 1.places: the page Live has no place 'x'"),
    ('page = "live"', 'page = "live"\ncard = "top"', "card: must be one of left, right; got 'top'"),
    ('page = "live"', 'page = "live"\narrive = -1', "arrive: must be a whole number from 1 to 65,535; got -1"),
    ('page = "live"', 'page = "live"\nminutes = "few"', "minutes: must be a whole number from 1 to 60"),
    ('page = "live"', 'page = "live"\nwindow = [400, 300]', "window: must be the first and the last epoch, from 8"),
    ("[settings]", '[[step]]\ntext = "Look [1]."\n[settings]', r"step 2.text: must name each of the 0 places"),
    ("Look [1] here and [2] there.", "Look [2] here and [1] there.",
     r"text: must name its places in order; it names \[2\], \[1\]"),
    ("[question]", "[question]\nafter = -1", "after: must be a whole number from 1"),
    ("[settings]", '[[step]]\ntext = "Look."\nset = { b = 0 }\n[settings]', "step 2.set: b = '0' must be a whole number"),
    ("[settings]", '[[step]]\ncolour = "red"\n[settings]', "step 2.colour: is not known here; known are heading"),
])
def test_what_is_wrong_is_said_with_file_and_key(read, old, new, words):
    assert old in GOOD
    with pytest.raises(LessonError, match=f"^1_mine.toml: {words}"):
        read(GOOD.replace(old, new, 1))


@pytest.mark.parametrize(("table", "words"), [
    ("until = 0\nparts = [1]", "recording.until: must be a whole number from 1"),
    ("until = 300\nparts = [1, 2, 3, 4, 5, 6, 7]", "recording.parts: must be"),
    ("until = 300\nparts = [400]", "recording.parts: must be"),
    ("until = 300\nbanana = 1", "recording.banana: is not known"),
])
def test_a_wrong_table_of_the_recording_is_said(read, table, words):
    with pytest.raises(LessonError, match=words):
        read(GOOD + f"\n[recording]\n{table}\n")


def test_what_is_no_toml_at_all_is_said(read):
    with pytest.raises(LessonError, match="1_mine.toml: not a TOML file"):
        read("title = ")


def test_a_file_is_read_once_and_anew_when_it_has_changed(read):
    """Seventeen files are a tenth of what a new visit's page takes to build."""
    first = read(name="2_mine.toml")
    file = next(path for path in lesson_files(read.folder) if path.name == "2_mine.toml")
    assert read_lesson(file, ("live",)) is first and read_lesson(file, ("live", "exit")) is not first
    assert read(GOOD.replace("A title", "Another title"), name="2_mine.toml").title == "Another title"
