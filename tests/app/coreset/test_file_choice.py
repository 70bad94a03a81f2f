"""The choice of a file on the Coreset page: what may be chosen of it is offered even where it cannot be read as it is."""

import pytest

from app.coreset.sidebar import FileChoice
from tests.waiting import wait_for

ROWS = "a,colour,kind\n" + "".join(f"{i * 7 % 13},{'rg'[i % 2]},{'pqr'[i * 5 % 3]}\n" for i in range(60))


@pytest.fixture
def files():
    taken = []
    files = FileChoice(taken.append, model="logistic")
    files.taken = taken
    yield files
    files.close()
    files.worker.close()


def read(files):
    """Look until what was asked for has been read, or refused in words."""
    wait_for(lambda: files.worker.settled, look=files.worker.look)


def send(files, tmp_path, text, name="mine.csv"):
    (tmp_path / name).write_text(text)
    files.take(tmp_path / name)
    read(files)


def test_one_of_three_classes_and_columns_of_words_are_offered(files, tmp_path):
    menu, switches = files.chosen.class_menu, files.chosen.word_switches
    assert not menu.visible and not switches.visible
    send(files, tmp_path, ROWS)
    assert "; choose which one means 1, against all others" in files.picker.error and files.taken == []
    assert menu.visible and list(menu.options) == ["choose …", *(f"{name}, all others 0" for name in "pqr")]
    assert switches.visible and [row[1] for row in switches.rows] == ["colour · 2 values"]
    menu.value = "q"
    read(files)
    assert files.picker.error == "" and files.taken[-1].model.n == 60 and files.taken[-1].model.dim == 2
    assert "response 'kind': 'not q' is 0, 'q' is 1" in files.own.words
    switches.on_turn("colour", True)
    read(files)
    assert files.taken[-1].model.dim == 3 and switches.active == ["colour"] and menu.value == "q"
    assert len(files.taken) == 2  # each choice is read once


def test_another_response_file_or_model_has_its_own_choices(files, tmp_path):
    menu, switches = files.chosen.class_menu, files.chosen.word_switches
    send(files, tmp_path, ROWS)
    menu.value = "q"
    switches.on_turn("colour", True)
    read(files)
    files.view[1].value = "colour"
    read(files)
    assert files.chosen.positive == "" and menu.options == {"r, g is 0": "", "g, r is 0": "g"}
    assert files.taken[-1].model.dim == 2
    assert [row[0] for row in switches.rows] == ["kind"]
    files.model = "linear"
    assert not menu.visible and not switches.visible
    files.model = "logistic"
    assert menu.visible
    send(files, tmp_path, ROWS.replace("colour", "tint"), "other.csv")
    assert files.chosen.response == files.chosen.positive == "" and files.chosen.encoded == [] == switches.active
    assert menu.visible and menu.value == "" and [row[0] for row in switches.rows] == ["tint"]
    files._away()
    assert not menu.visible and not switches.visible
