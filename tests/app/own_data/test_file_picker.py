"""Upload of a file in pieces: reassembled, limited in size, deleted."""

import errno

import pytest

from app.own_data.file_picker import ALL_UPLOADS, MOST_COLUMNS, AllUploads, FilePicker, Upload, file_name
from app.visit import UPLOADS, Allowance, Server, Visit


@pytest.fixture
def visit(clock):
    """Return a function that makes a visit of one server; its allowances use the manual clock."""
    server = Server()
    server.parts[AllUploads] = AllUploads(clock)

    def make():
        new = Visit(server=server)
        new.uploads = Allowance(*UPLOADS, clock=clock)
        return new

    return make


def open_picker(visit):
    files, requests = [], []
    picker = FilePicker(files.append, lambda: files.append(None), largest=1000, beyond="Use the path.", visit=visit)
    picker._send_msg = requests.append
    picker.files, picker.requests = files, requests
    return picker


@pytest.fixture
def picker(visit):
    picker = open_picker(visit())
    yield picker
    picker.close()


def test_pieces_make_the_file_and_only_the_requested_piece_is_accepted(picker):
    picker.on_begin(7, "../own data.csv", 10)
    assert picker.requests == [{"upload": 7, "at": 0}] and picker.name_ == "own data.csv" and picker.fraction == 0.0
    picker.on_piece(7, 0, b"12345")
    picker.on_piece(7, 0, b"again")  # twice
    picker.on_piece(6, 5, b"other")  # of another upload
    assert picker.fraction == 0.5 and picker.files == []
    picker.on_piece(7, 5, b"67890 and more than announced")
    (path,) = picker.files
    assert path.read_bytes() == b"1234567890" and picker.fraction is None
    picker.close()
    assert not path.parent.exists()


def test_a_large_or_empty_file_is_refused_before_a_piece_is_requested(picker):
    picker.on_begin(1, "big.csv", 1001)
    assert "big.csv has" in picker.error and "Use the path." in picker.error
    picker.on_begin(2, "none.csv", 0)
    assert picker.error == "none.csv is empty; choose another file."
    assert picker.requests == [] and picker.files == []
    picker.on_begin(3, "good.csv", 3)
    picker.on_piece(3, 0, b"a,b")
    first = picker.files[0]
    picker.on_begin(4, "next.csv", 3)
    assert not first.exists() and picker.error == ""
    picker.on_away()
    assert picker.files[-1] is None and picker.name_ == ""


def test_a_file_that_is_no_table_is_refused_by_its_first_piece(picker):
    picker.on_begin(1, "photo.csv", 900)
    picker.on_piece(1, 0, b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert picker.error == "'photo.csv' is not a text file: it is a PNG picture; choose the table it was made from."
    picker.on_begin(2, "rows.parquet", 900)
    picker.on_piece(2, 0, b"a,b\n1,2\n")
    assert "'rows.parquet' is not a Parquet file" in picker.error and picker.files == [] and len(picker.requests) == 2


def test_a_visit_has_one_allowance_on_all_its_pages_and_all_visits_have_one_together(visit):
    one = visit()
    picker, other = open_picker(one), open_picker(one)
    for number in range(UPLOADS[0]):
        (picker, other)[number % 2].on_begin(number, "a.csv", 3)
    assert len(picker.requests) + len(other.requests) == UPLOADS[0]
    other.on_begin(90, "b.csv", 3)
    assert other.error == "b.csv was not taken: you sent many files one after the other. Choose it again in 10 seconds."
    for number in range(UPLOADS[0], ALL_UPLOADS[0]):  # each return is a new visit
        new = open_picker(visit())
        new.on_begin(number, "c.csv", 3)
        assert new.error == ""
        new.close()
    late = open_picker(visit())
    late.on_begin(92, "d.csv", 3)
    assert late.error.endswith("all visitors sent many files one after the other. Choose it again in 1 second.")
    for one in (picker, other, late):
        one.close()


@pytest.mark.parametrize(("name", "kept"), [
    ("a.csv", "a.csv"), ("C:\\data\\a.csv", "a.csv"), ("..", "file"), ("/etc/passwd", "passwd"), ("", "file"),
    (".hidden", "hidden"), ("<b>x\0.csv", "_b_x_.csv"), ("x" * 300 + ".csv", "x" * 96 + ".csv")])
def test_file_names_are_sanitized(name, kept):
    assert file_name(name) == kept


def test_an_unreadable_or_incomplete_upload_is_dropped_with_an_error(picker):
    picker.on_begin(1, "gone.csv", 10)
    picker.on_unreadable(2)  # of another upload
    assert picker.error == ""
    picker.on_unreadable(1)
    assert picker.error == "gone.csv could not be read; is it still there?" and picker.fraction is None
    picker.on_begin(3, "half.csv", 10)
    picker.on_piece(3, 0, b"12345")
    picker.on_piece(3, 5, b"")
    assert "came in part only (5 of 10 bytes)" in picker.error and picker.files == []
    picker.on_piece(3, 5, b"67890")  # too late
    assert picker.files == []


def test_a_server_that_cannot_store_a_file_reports_it_and_accepts_the_next_one(picker, monkeypatch):
    folder = picker._new_folder

    def refuse():
        raise ValueError("no writable folder for uploads; set EXIT_TIME_LAB_CACHE to one")

    picker._new_folder = refuse
    picker.on_begin(1, "a.csv", 10)
    assert "a.csv was not taken" in picker.error and "EXIT_TIME_LAB_CACHE" in picker.error and picker.fraction is None
    picker._new_folder = folder
    picker.on_begin(2, "b.csv", 10)

    def full(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Upload, "add", full)
        picker.on_piece(2, 0, b"1,2\n3,4\n5,")
    assert "b.csv could not be kept on the server (the disk is full: make room)" in picker.error
    assert picker.fraction is None and picker.files == []
    picker.on_begin(3, "c.csv", 3)
    picker.on_piece(3, 0, b"a,b")
    assert picker.error == "" and picker.files[0].read_bytes() == b"a,b"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_file_of_too_many_columns_is_refused_by_its_first_piece(picker, separator):
    picker.largest = 10**6
    for columns, wrong in ((MOST_COLUMNS + 1, "has 1,001 columns; here a file may have 1,000: keep"), (MOST_COLUMNS, "")):
        data = separator.join(f"c{j}" for j in range(columns)).encode() + b"\n" + b"1,2" * 9
        picker.on_begin(columns, "wide.csv", 10**6)
        picker.on_piece(columns, 0, data)
        assert wrong in picker.error and bool(picker.error) == bool(wrong) and (picker.fraction is None) == bool(wrong)
