import re

import pytest

from app.lessons.reader import LessonError, gather_lessons, lesson_files, read_lesson
from app.pages import PAGES

KEYS = [entry.key for entry in PAGES]
TITLES = ["square", "gradient", "hot", "cold", "Resets", "Stale", "drift", "theory", "metric"]
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

    return read


def test_the_story_has_its_nine_lessons_in_order():
    lessons = gather_lessons(KEYS)[0]
    assert len(lessons) == 9
    for lesson, word in zip(lessons, TITLES, strict=True):
        assert word in lesson.title
    assert [lesson.page for lesson in lessons] == ["exit"] + ["live"] * 6 + ["exit", "live"]


@pytest.mark.parametrize("file", lesson_files(), ids=lambda file: file.stem)
def test_every_shipped_lesson_is_sound(file):
    lesson = read_lesson(file, KEYS)
    assert 1 <= len(lesson.places) <= 4 and lesson.hints and lesson.try_words
    words = [*lesson.paragraphs, lesson.question.ask, *(option.why for option in lesson.question.options)]
    assert sum(len(text) for text in lesson.paragraphs) < 750, "too long for a card over the page"
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


def test_a_lesson_on_a_page_that_does_not_exist_says_so(read):
    with pytest.raises(LessonError, match=r"1_mine.toml: page: there is no page 'exit'; the pages are live\."):
        read(GOOD.replace('page = "live"', 'page = "exit"'))
    with pytest.raises(LessonError, match="no lesson can be told on 'tune'"):
        read(GOOD.replace('page = "live"', 'page = "tune"'), pages=("live", "tune"))


def test_without_the_exit_page_the_other_lessons_are_told():
    lessons, words = gather_lessons(["live"])
    assert [lesson.page for lesson in lessons] == ["live"] * 7
    assert len(words) == 2 and all("there is no page 'exit'" in sentence for sentence in words)


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
])
def test_what_is_wrong_is_said_with_file_and_key(read, old, new, words):
    assert old in GOOD
    with pytest.raises(LessonError, match=f"^1_mine.toml: {words}"):
        read(GOOD.replace(old, new, 1))


def test_what_is_no_toml_at_all_is_said(read):
    with pytest.raises(LessonError, match="1_mine.toml: not a TOML file"):
        read("title = ")
