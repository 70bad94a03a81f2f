"""Lesson files: the shipped ones are valid; errors name the file and the key."""

import re

import pytest

from app.glossary import unmarked
from app.lessons.page_facts import setting_words
from app.lessons.reader import LessonError, gather_lessons, lesson_files, read_lesson

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
    def read(text=GOOD, name="1_mine.toml"):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return read_lesson(file)

    read.folder = tmp_path
    return read


def test_keys_of_lessons_are_unique():
    lessons, words = gather_lessons()
    assert words == []
    keys = [lesson.key for lesson in lessons]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("file", lesson_files(), ids=lambda file: file.stem)
def test_every_shipped_lesson_is_valid(file):
    lesson = read_lesson(file)
    assert any(step.places for step in lesson.steps) and lesson.hints and lesson.try_words
    words = [*(text for step in lesson.steps for text in step.paragraphs), lesson.question.ask,
             *(option.why for option in lesson.question.options)]
    for step in lesson.steps:
        assert len(step.places) <= 4
        letters = re.sub(r"\\[A-Za-z]+|[{}_^]", "", "".join(map(unmarked, step.paragraphs)))  # without TeX commands
        assert len(letters) < 780, "too long for a card over the page"
    assert not any(re.search(r"</?(?!/?(?:b|i|sub|sup)>)[a-z]", text) for text in words)
    assert any(re.search(r"\d", option.why) for option in lesson.question.options), "no measured number"


def test_a_valid_file_is_read_completely(read):
    lesson = read()
    assert lesson.settings == {"seed": "3", "vr": "0"}
    assert lesson.changes[0].epoch == 20 and lesson.changes[0].settings == {"eta0": "5"}
    step, = lesson.steps
    assert step.paragraphs == ("Look [1] here and [2] there.", "Then think.")
    assert [place.name for place in step.places] == ["eta0", "accuracy"]
    assert [option.right for option in lesson.question.options] == [True, False]
    assert lesson.hints[0].settings == {"b": "20"} and not lesson.hints[0].restart


def test_a_lesson_may_have_steps_a_place_to_arrive_at_and_a_window(read):
    lesson = read(GOOD.replace('page = "live"', 'page = "live"\narrive = 18\nwindow = [10, 40]\nminutes = 5').replace(
        "[settings]", '[[step]]\nheading = "Then"\ntext = "Turn [1]."\nplaces = ["b"]\nset = { b = 3 }\n[settings]'))
    assert (lesson.key, lesson.arrive, lesson.span, lesson.minutes) == ("mine", 18, (10, 40), 5)
    assert [step.heading for step in lesson.steps] == ["", "Then"] and lesson.steps[1].settings == {"b": "3"}
    assert [place.name for step in lesson.steps for place in step.places] == ["eta0", "accuracy", "b"]


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
    question = GOOD[GOOD.index("[question]"):GOOD.index("[try]")]
    text = GOOD.replace(question, '[question]\nask = "What?"\n') + CASE
    lesson = read(text)
    case = lesson.with_case(0)
    assert case.settings == lesson.settings | {"eta0": "5"} and [o.right for o in case.question.options] == [True, False]
    assert [option.why for option in case.question.options] == ["Measured: 5.", "Slow."]
    for old, new, words in (('right = "too hot"', 'right = "odd"', "case 1.options: must be two to four of"),
                            ("{ eta0 = 5 }", "{ eta0 = 500 }", "case 1.set: η₀"),
                            ('why = "Measured: 5."', "", "case 1.why: is missing")):
        with pytest.raises(LessonError, match=words):
            read(text.replace(old, new))


@pytest.mark.parametrize(("old", "new", "words"), [
    (GOOD, "title = ", "not a TOML file"),
    ('page = "live"', 'page = "tune"', r"page: must be one of live, exit; got 'tune'\."),
    ('title = "A title"', "", "title: is missing"),
    ('title = "A title"', "title = 7", "title: must be text; got 7"),
    ('["eta0", "accuracy"]', '["eta0", "moon"]', "places: the page Live has no place 'moon'; it has eta0, b"),
    ("[1] here and [2]", "[1] here and [3]", r"text: must name each of the 2 places as \[1\] to \[2\]"),
    ("seed = 3", "seeds = 3", "settings.seeds: the page Live has no such URL parameter"),
    ("seed = 3", "eta0 = 99", "settings: η₀ = '99' must be from 0.001 to 30; took 30"),
    ("seed = 3", "seed = [1]", "settings.seed: must be a number"),
    ("eta0 = 5", "seed = 5", "change 1.seed: cannot change in the middle of a run"),
    ("\neta0 = 5", "", "change 1.epoch: has no setting to change"),
    ("right = true", "", "question.option: exactly one of them must have right = true"),
    ('page = "live"', 'page = "live"\ncard = "top"', "card: must be one of left, right; got 'top'"),
    ('page = "live"', 'page = "live"\narrive = -1', "arrive: must be a whole number from 1 to 65,535; got -1"),
    ('page = "live"', 'page = "live"\nwindow = [400, 300]', "window: must be the first and the last epoch, from 8"),
    ("[settings]", '[[step]]\ntext = "Look [1]."\n[settings]', r"step 2.text: must name each of the 0 places"),
    ("Look [1] here and [2] there.", "Look [2] here and [1] there.",
     r"text: must name its places in order; it names \[2\], \[1\]"),
    ("[settings]", '[[step]]\ncolour = "red"\n[settings]', "step 2.colour: is an unknown key; use one of heading"),
])
def test_an_error_names_file_and_key(read, old, new, words):
    assert old in GOOD
    with pytest.raises(LessonError, match=f"^1_mine.toml: {words}"):
        read(GOOD.replace(old, new, 1))


def test_a_file_is_read_once_and_again_when_it_has_changed(read):
    """Reading seventeen files takes a tenth of the time to build the page of a new visit."""
    first = read(name="2_mine.toml")
    file = read.folder / "2_mine.toml"
    assert read_lesson(file) is first
    assert read(GOOD.replace("A title", "Another title"), name="2_mine.toml").title == "Another title"


@pytest.mark.parametrize(("page", "settings", "words"), [
    ("exit", {"ed": "20", "er": "8"}, "Sets d = 20 and r = 8; all else as in the lesson."),
    ("exit", {"preset": "quadratic"}, "Shows the picture “Curvature makes it sharp”."),
    ("live", {"vr": "0", "b": "18", "speed": "32e"},
     "Sets “Variance reduction” off, b = 18 and the speed to 32 epochs a second; all else as in the lesson."),
    ("live", {"algorithm": "preconditioned", "stream": "paper"},
     "Sets algorithm “Preconditioned SAGA-LD” and stream “As the paper”; all else as in the lesson."),
    ("live", None, ""),
])
def test_settings_are_described(page, settings, words):
    assert setting_words(page, settings) == words
