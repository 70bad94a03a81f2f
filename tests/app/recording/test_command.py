import errno
import os
import subprocess
import sys

import pytest

from app.recording.command import main
from app.recording.file import write


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


def test_a_full_disk_is_said_and_the_recording_before_is_whole(tmp_path, monkeypatch):
    out = tmp_path / "out.html"

    def no_room(*given):
        raise OSError(errno.ENOSPC, "No space left on device")

    for before in (None, "older"):
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", no_room)
            with pytest.raises(ValueError, match="could not be written .the disk is full: make room") as said:
                write(out, "newer")
        assert ("the file before it is unchanged" in str(said.value)) == out.exists()
        assert (out.read_text() if before else None) == before and os.listdir(tmp_path) == ["out.html"][:out.exists()]
        write(out, before or "older")
    write(out, "ηewer")
    assert out.read_text(encoding="utf-8") == "ηewer"


FULL_DISK = """
import resource, signal, sys
from app.__main__ import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_the_command_meets_a_disk_that_takes_no_more(tmp_path):
    out = tmp_path / "out.html"
    out.write_text("older")
    command = [sys.executable, "-c", FULL_DISK, "record", "problem=gaussian2&chains=8&speed=64e", str(out), "--epochs", "3"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "could not be written (the disk is full: make room); the file before it is unchanged" in done.stderr
    assert out.read_text() == "older" and os.listdir(tmp_path) == ["out.html"]
