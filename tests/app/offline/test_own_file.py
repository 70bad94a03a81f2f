"""The user's file on the Offline page: columns of words are left out, or become columns of 0 and 1."""

import pytest

from app.background_job import BackgroundJob, wait
from app.offline.components.sidebar import OfflineSidebar
from app.offline.likelihood_race_job import run_likelihood
from app.offline.own_file import OwnFile
from app.state.offline import VIEWS, OfflineState
from app.state.offline_races import DEFAULT_RACES, LIKELIHOOD
from app.widgets.run_buttons import RunButtons


def own_file(tmp_path, text):
    path = tmp_path / "own.csv"
    path.write_text(text)
    return OwnFile(path)


def run(own):
    config = DEFAULT_RACES[LIKELIHOOD].replace(source="file", passes=0.5, chains=1, samplers=("sgld",))
    background = BackgroundJob()
    background.start(lambda handle: run_likelihood(config, own, handle))
    update = wait(background)
    background.close()
    return update


@pytest.mark.parametrize("header", [True, False])
def test_columns_of_words_are_left_out_until_they_are_wanted_as_zeros_and_ones(tmp_path, header):
    names = ("a", "colour", "note", "y") if header else tuple(f"column {j}" for j in range(1, 5))
    words = ("red", "blue", "red", "green")
    text = "a,colour,note,y\n" * header + "".join(f"{i % 7 + 0.5},{words[i % 4]},n{i},{i % 2}\n" for i in range(80))
    own = own_file(tmp_path, text).relabelled(3)
    assert own.word_columns() == {names[1]: 3, names[2]: 0}
    assert run(own).value.dim == 2
    assert own.words().endswith(f"left out, since they hold words: {names[1]}, {names[2]}")
    assert ("no row of names was found" in own.words()) is not header
    encoded = own.encoding((names[1],))
    assert run(encoded).value.dim == 4
    assert "a column of 0 and 1 each for blue, green; all are 0 for the reference, red" in encoded.words()
    assert encoded.relabelled(0).categories == (names[1],)
    alone = own_file(tmp_path, "colour,y\n" + "".join(f"{words[i % 4]},{i % 2}\n" for i in range(8)))
    assert "no column of numbers beside the label, 'y'" in run(alone).error


def test_the_sidebar_offers_columns_of_words(tmp_path):
    state, used = OfflineState(), []
    buttons = {view: RunButtons(lambda: None, lambda: None) for view in VIEWS}
    sidebar = OfflineSidebar(state, buttons, used.append)
    buttons["nll"].words = "press Run"
    sidebar._choose_source("file")
    assert "Choose a file below" in buttons["nll"].words and sidebar.asking
    sidebar._choose_source("generated")
    assert buttons["nll"].words == "press Run" and not sidebar.asking
    path = tmp_path / "own.csv"
    path.write_text("a,colour,note,y\n" + "".join(f"{i},{'rgb'[i % 3]},n{i},{i % 2}\n" for i in range(30)))
    sidebar._got(path)
    assert sidebar.words == {"colour": 3, "note": 0} and used[-1].categories == () and used[-1].label == 3
    shown = sidebar.word_switches
    assert [row[1] for row in shown.rows] == ["colour · 3 values", "note · text"] and shown.visible
    shown.on_turn("note", True)  # too many
    shown.on_turn("colour", True)
    assert used[-1].categories == ("colour",) and shown.active == ["colour"]
    sidebar._relabel(1)
    assert used[-1].categories == () and sidebar.words == {"note": 0}
    sidebar._gone()
    assert used[-1] is None and not shown.visible
    sidebar.close()


@pytest.mark.parametrize(("names", "classes"), [
    (("setosa", "virginica", "Versicolor"), ("setosa", "Versicolor", "virginica")), (("1", "10", "2"), ("1", "2", "10"))])
def test_one_of_three_classes_is_set_against_the_others(tmp_path, names, classes):
    own = own_file(tmp_path, "class,a\n" + "".join(f"{names[i % 3]},{i % 7}.5\n" for i in range(60))).relabelled(0)
    assert own.classes() == classes
    said = run(own).error
    assert "choose which one means 1, against all others" in said and "positive" not in said
    one = own.against_others(names[1])
    assert run(one).error == "" and f"labels not {names[1]} and {names[1]}, 33% ones" in one.words()
    assert one.encoding(()).positive == names[1] and one.relabelled(1).positive == ""
    assert own_file(tmp_path, "a,y\n1,0\n2,1\n").relabelled(1).classes() == ()


def test_one_of_three_libsvm_labels_is_set_against_the_others(tmp_path):
    path = tmp_path / "own.libsvm"
    path.write_text("".join(f"{i % 3 + 1} 1:{i % 7}.5 2:{i % 5}\n" for i in range(60)))
    own = OwnFile(path)
    assert own.classes() == ("1", "2", "3") and "3 different values" in run(own).error
    assert run(own.against_others("2")).error == "" and own.against_others("2").classes() == own.classes()


def test_the_sidebar_offers_classes(tmp_path):
    used, buttons = [], {view: RunButtons(lambda: None, lambda: None) for view in VIEWS}
    sidebar = OfflineSidebar(OfflineState(), buttons, used.append)
    shown, path = sidebar.class_menu, tmp_path / "own.csv"
    assert not shown.visible
    path.write_text("a,colour,y\n" + "".join(f"{i},{'rg'[i % 2]},{'abc'[i % 3]}\n" for i in range(30)))
    sidebar._got(path)
    assert shown.visible and shown.value == "" and list(shown.options) == [
        "choose …", "a, all others 0", "b, all others 0", "c, all others 0"]
    shown.value = "b"
    assert used[-1].positive == "b" and used[-1].label == 2 and sidebar.positive == "b"
    sidebar._encode("colour", True)
    assert used[-1].positive == "b" and used[-1].categories == ("colour",) and shown.value == "b"
    sidebar._relabel(1)
    assert used[-1].positive == "" and shown.options == {"r, g is 0": "", "g, r is 0": "g"} and shown.value == ""
    sidebar._relabel(0)
    assert not shown.visible
    sidebar._relabel(2)
    sidebar._gone()
    assert used[-1] is None and not shown.visible
    sidebar.close()


def test_rows_with_missing_cells_are_left_out_and_said_each_reason_once(tmp_path):
    lines = [f"{i % 7 + 0.5},{'red' if i % 3 else 'blue'},{i % 2}" for i in range(60)]
    lines[1], lines[4], lines[8], lines[9], lines[12] = "NA,red,1", "2.5,,0", "inf,red,0", ",blue,1", "3.5,red,"
    own = own_file(tmp_path, "a,colour,y\n" + "\n".join(lines) + "\n").relabelled(2)
    assert run(own).value.train + run(own).value.test == 56
    assert own.words().startswith("56 rows")
    assert "2 rows left out, missing or NaN in column 'a': row 2, row 10 of own.csv" in own.words()
    assert "1 row left out, infinite in column 'a': row 9 of own.csv" in own.words() and own.words().count("'a'") == 2
    encoded = own.encoding(("colour",))
    assert run(encoded).error == "" and encoded.words().startswith("55 rows")
    assert "in column 'colour': row 5 of own.csv" in encoded.words()
    none = own_file(tmp_path, "a,y\n" + ",0\n,1\n" * 9)
    assert "'own.csv' has no row with a value in every column: 18 rows left out, missing" in run(none).error


@pytest.mark.parametrize(("text", "words"), [
    ("", "'own.csv' is empty"), ("colour,y\nred,0\nblue,1\n", "'own.csv' has no column of numbers"),
    ("a,b\n1,r\n2,g\n3,b\n4,r\n",
     "column 'b' of 'own.csv' must hold numbers or two words, got 3 words ('b', 'g', 'r'); choose another column")])
def test_a_file_is_called_by_its_own_name_not_by_where_the_server_keeps_it(tmp_path, text, words):
    said = run(own_file(tmp_path, text)).error
    assert said.startswith(words) and str(tmp_path) not in said
