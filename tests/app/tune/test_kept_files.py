"""The cache folder for sweeps and uploads: file names, unwritable folders, damaged files."""

import sqlite3
from contextlib import closing

import pytest

from app.tune import kept_files


@pytest.fixture
def blocked(tmp_path, monkeypatch):
    """Make the cache path a file, so that not even root can create a folder there; return the parent."""
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv(kept_files.FOLDER, str(tmp_path / "cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    return tmp_path


@pytest.mark.parametrize("part", ["sweeps", "uploads"])
def test_an_unwritable_folder_is_replaced_by_a_temporary_one(blocked, part):
    path = kept_files.folder(part)
    assert path.is_dir() and path.parent.parent == blocked / "tmp" and path.name == part


def test_the_error_without_a_writable_folder_names_the_variable_to_set(blocked, run, small):
    (blocked / "tmp").write_text("")
    with pytest.raises(ValueError, match="no writable folder for uploads; set EXIT_TIME_LAB_CACHE"):
        kept_files.folder("uploads")
    assert "no writable folder for sweeps; set EXIT_TIME_LAB_CACHE" in run(small).error


@pytest.fixture
def kept():
    """Return the file of a sweep with some cells."""
    path = kept_files.study_path({"a": 1})
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE trials (cell TEXT)")
        base.executemany("INSERT INTO trials VALUES (?)", [(f"{n:0200d}",) for n in range(200)])
    return path


@pytest.mark.parametrize("damage", [lambda whole: whole[:len(whole) // 2], lambda whole: bytes(len(whole)),
                                    lambda whole: whole[:4096] + bytes(len(whole) - 4096)],
                         ids=["cut off", "zeros", "zeros after its first page"])
def test_a_damaged_sweep_is_set_aside_and_restarted(kept, damage, caplog):
    torn = damage(kept.read_bytes())
    kept.write_bytes(torn)
    assert kept_files.study_path({"a": 1}) == kept and not kept.exists()
    assert kept.with_suffix(".db.damaged").read_bytes() == torn and "is damaged" in caplog.text


def test_an_intact_sweep_is_kept_also_while_another_process_writes_to_it(kept):
    before = kept.read_bytes()
    with closing(sqlite3.connect(kept, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kept_files, "PATIENCE", 0.0)
            assert kept_files.study_path({"a": 1}) == kept and kept.read_bytes() == before
        other.execute("ROLLBACK")
    assert kept_files.study_path({"a": 1}) == kept and kept.read_bytes() == before


def test_a_file_is_stored_by_its_content(csv_file, keep):
    path = csv_file()
    kept = keep(path)
    assert kept.endswith("-clicks.csv") and kept_files.upload_path(kept).read_bytes() == path.read_bytes()
    assert keep(path) == kept and kept_files.plain_name(kept) == "clicks.csv"
    assert [p.name for p in kept_files.folder("uploads").iterdir()] == [kept]
    assert keep(path, "pass wd.csv").endswith("-pass_wd.csv")


@pytest.mark.parametrize("name", ["../clicks.csv", "/etc/passwd", "", "..", "nothing.csv", ".coming-abc", "../keys/uploads",
                                  "0123456789abcdef0123-/../../keys/uploads", "0123456789abcdef0123-a\0b"])
def test_no_name_leads_outside_the_folder(name):
    assert kept_files.upload_path(name) is None


def test_a_file_stored_twice_uses_space_once(csv_file, keep, monkeypatch):
    path = csv_file()
    kept = keep(path)
    monkeypatch.setattr(kept_files, "MOST_KEPT", path.stat().st_size)
    assert keep(path) == kept
    with pytest.raises(ValueError, match="fill"):
        keep(path, "other.csv")


def test_a_temporary_file_renamed_meanwhile_does_not_fail_an_upload(csv_file, keep, monkeypatch, tmp_path):
    class Folder(type(tmp_path)):
        def iterdir(self):
            yield self / ".coming-gone"

    real = kept_files.folder
    monkeypatch.setattr(kept_files, "folder", lambda part: Folder(real(part)))
    assert keep(csv_file()).endswith("-clicks.csv")


def test_the_key_needs_no_hard_links_and_is_created_once(monkeypatch):
    def none(*args, **more):
        raise OSError("no hard links here")

    monkeypatch.setattr("os.link", none)
    assert kept_files._key() == kept_files._key() and len(kept_files._key()) == 32
