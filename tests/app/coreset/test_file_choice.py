"""The choice of a file on the Coreset page: what may be chosen of it is offered even where it cannot be read as it is."""

import pytest

from app.coreset.file_choice import FileChoice
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
