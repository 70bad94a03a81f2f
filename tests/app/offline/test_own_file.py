"""The user's file on the Offline page: text columns are left out, or encoded as columns of 0 and 1."""

from dataclasses import replace

import pytest

from app.offline.likelihood_race_job import OwnFile, run_likelihood
from app.offline.sidebar import OfflineSidebar
from app.state.offline import VIEWS, OfflineState
from app.state.offline_races import DEFAULT_RACES, LIKELIHOOD
from app.widgets.choices import RunButtons
from tests.app.jobs.waiting import finish


def own_file(tmp_path, text, name="own.csv"):
    path = tmp_path / name
    path.write_text(text)
    return OwnFile(path)


def run(own):
    config = DEFAULT_RACES[LIKELIHOOD].replace(source="file", passes=0.5, chains=1, samplers=("sgld",))
    return finish(run_likelihood, config, own)


@pytest.mark.parametrize("header", [True, False])
def test_text_columns_are_left_out_unless_they_are_encoded_as_zeros_and_ones(tmp_path, header):
    names = ("a", "colour", "note", "y") if header else ("c1", "c2", "c3", "c4")
    words = ("red", "blue", "red", "green")
    text = "a,colour,note,y\n" * header + "".join(f"{i % 7 + 0.5},{words[i % 4]},n{i},{i % 2}\n" for i in range(80))
    own = replace(own_file(tmp_path, text), label=names[3])
    assert own.columns.words == {names[1]: 3, names[2]: 0}
    assert run(own).value.dim == 2
    assert own.words().endswith(f"text columns left out: {names[1]}, {names[2]}")
    assert ("no header was detected" in own.words()) is not header
    encoded = replace(own, categories=(names[1],))
    assert run(encoded).value.dim == 4
    assert "one 0/1 column each for blue, green; all are 0 for the reference, red" in encoded.words()
    alone = own_file(tmp_path, "colour,y\n" + "".join(f"{words[i % 4]},{i % 2}\n" for i in range(8)))
    assert "no numeric column except the label, 'y'; choose one of a few words as columns of 0 and 1" in run(alone).error


@pytest.fixture
def sidebar():
    """Yield a sidebar with a list `used` of the files it has run."""
    buttons, used = {view: RunButtons(lambda: None, lambda: None) for view in VIEWS}, []
    made = OfflineSidebar(OfflineState(), buttons, used.append)
    made.used, made.buttons = used, buttons
    yield made
    made.picker.close()


def test_the_sidebar_offers_text_columns_and_classes(sidebar, tmp_path):
    used, columns, classes = sidebar.used, sidebar.columns.word_switches, sidebar.columns.class_menu
    sidebar.buttons["nll"].words = "press Run"
    sidebar._choose_source("file")
    assert "Choose a file below" in sidebar.buttons["nll"].words and sidebar.asking and not classes.visible
    sidebar._choose_source("generated")
    assert sidebar.buttons["nll"].words == "press Run" and not sidebar.asking
    path = tmp_path / "own.csv"
    path.write_text("a,colour,note,y\n" + "".join(f"{i},{'rg'[i % 2]},n{i},{'abc'[i % 3]}\n" for i in range(30)))
    sidebar._on_file(path)
    assert sidebar.own.columns.words == {"colour": 2, "note": 0} and used[-1].categories == () and used[-1].label == "y"
    assert [row[1] for row in columns.rows] == ["colour · 2 values", "note · text"] and columns.visible
    assert classes.visible and classes.value == "" and list(classes.options) == [
        "choose …", "a, all others 0", "b, all others 0", "c, all others 0"]
    columns.on_turn("note", True)  # too many
    columns.on_turn("colour", True)
    assert used[-1].categories == ("colour",) and columns.active == ["colour"]
    classes.value = "b"
    assert used[-1].positive == "b" and used[-1].categories == ("colour",) and sidebar.columns.positive == "b"
    sidebar.columns.response_menu.value = "colour"
    assert used[-1].positive == "" and classes.options == {"r, g is 0": "", "g, r is 0": "g"} and classes.value == ""
    assert used[-1].categories == () and sidebar.own.columns.words == {"note": 0, "y": 3}
    sidebar.columns.response_menu.value = "a"
    assert not classes.visible
    sidebar._on_removal()
    assert used[-1] is None and not columns.visible and not classes.visible


@pytest.mark.parametrize(("names", "classes", "libsvm"), [
    (("setosa", "virginica", "Versicolor"), ("setosa", "Versicolor", "virginica"), False),
    (("1", "10", "2"), ("1", "2", "10"), False), (("1", "2", "3"), ("1", "2", "3"), True)])
def test_one_of_three_classes_is_encoded_against_the_others(tmp_path, names, classes, libsvm):
    rows = "".join(f"{names[i % 3]} 1:{i % 7}.5\n" if libsvm else f"{names[i % 3]},{i % 7}.5\n" for i in range(60))
    own = own_file(tmp_path, rows if libsvm else "class,a\n" + rows, "own.libsvm" if libsvm else "own.csv")
    own = replace(own, label="" if libsvm else "class")
    assert own.columns.classes == classes
    error = run(own).error
    assert "choose which one means 1, against all others" in error and "positive" not in error
    one = replace(own, positive=names[1])
    assert run(one).error == "" and f"labels not {names[1]} and {names[1]}, 33% ones" in one.words()
    assert replace(one, categories=()).positive == names[1]
    assert own_file(tmp_path, "a,y\n1,0\n2,1\n").columns.classes == ()


@pytest.mark.parametrize(("text", "words"), [
    ("", "'own.csv' holds no rows"), ("colour,y\nred,0\nblue,1\n", "source has no numeric column"),
    ("a,b\n1,r\n2,g\n3,b\n4,r\n",
     "column 'b' of 'own.csv' holds text of three values or more (b, g, r, …), logistic regression needs two; choose")])
def test_a_file_is_called_by_its_name_without_the_servers_folder(tmp_path, text, words):
    error = run(own_file(tmp_path, text)).error
    assert error.startswith(words) and str(tmp_path) not in error
