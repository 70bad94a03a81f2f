import os

import pytest

from app.recording.command import main


@pytest.mark.parametrize(("arguments", "words"), [
    (["too_hot", "{}/nowhere/out.html"], "is not. Make it"), (["too_hot", "{}"], "is a folder"),
    (["lesson-77", "{}/out.html"], "from 0 to"), (["seed=1", "{}/out.html", "--epochs", "0"], "from 1 to"),
])
def test_bad_input_is_said_and_nothing_is_written(arguments, words, tmp_path, capsys):
    assert main(["record", *(part.format(tmp_path) for part in arguments)]) == 1
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_file_is_said(tmp_path, capsys, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("app.recording.file.tempfile.NamedTemporaryFile", refuse)
    assert main(["record", "too_hot", str(tmp_path / "out.html")]) == 1
    assert "Permission denied" in capsys.readouterr().err


def test_a_link_becomes_a_file(tmp_path, capsys):
    out = tmp_path / "out.html"
    assert main(["record", "problem=gaussian2&chains=8&speed=64e", str(out), "--epochs", "3"]) == 0
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["out.html"]
    assert "3 epochs" in capsys.readouterr().out
