"""A file that arrives in pieces: kept whole, bounded, and deleted."""

import errno

import pytest

from app.allowance import Allowance
from app.handover import UPLOADS, Session
from app.widgets.file_picker import FilePicker
from app.widgets.upload import ALL_UPLOADS, MOST_COLUMNS, Upload, file_name

NOW = [0.0]
"""The clock of allowances."""


@pytest.fixture
def visits(monkeypatch):
    """The visit that files come from, which may be another one each time."""
    visits = [visit()]
    monkeypatch.setattr("app.widgets.upload.session", lambda: visits[-1])
    monkeypatch.setattr("app.widgets.upload._OF_ALL", Allowance(*ALL_UPLOADS, clock=lambda: NOW[0]))
    return visits


def visit():
    new = Session()
    new.uploads = Allowance(*UPLOADS, clock=lambda: NOW[0])
    return new


def open_picker():
    got, asked = [], []
    picker = FilePicker(got.append, lambda: got.append(None), largest=1000, beyond="Use the path.")
    picker._send_msg = asked.append
    picker.got, picker.asked = got, asked
    return picker


@pytest.fixture
def picker(visits):
    picker = open_picker()
    yield picker
    picker.close()


def test_pieces_make_the_file_and_only_the_piece_asked_for_is_taken(picker):
    picker.on_begin(7, "../own data.csv", 10)
    assert picker.asked == [{"upload": 7, "at": 0}] and picker.name_ == "own data.csv" and picker.fraction == 0.0
    picker.on_piece(7, 0, b"12345")
    picker.on_piece(7, 0, b"again")  # twice
    picker.on_piece(6, 5, b"other")  # of another upload
    assert picker.fraction == 0.5 and picker.got == []
    picker.on_piece(7, 5, b"67890 and more than was said")
    (path,) = picker.got
    assert path.read_bytes() == b"1234567890" and picker.fraction is None
    picker.close()
    assert not path.parent.exists()


def send(picker, name, text):
    picker.on_begin(1, name, len(text.encode()))
    picker.on_piece(1, 0, text.encode())


@pytest.mark.parametrize("header, response", [("x;status", "status"), ("y;x", "y")])
def test_rows_whose_class_is_unknown_are_offered_to_be_left_out_by_one_press(picker, header, response):
    rows = [("1", "yes"), ("2", "Unknown"), ("3", "no"), ("4", "Unknown"), ("5", "yes"), ("6", "")]
    text = "\n".join([header, *(";".join(row[::-1] if response == "y" else row) for row in rows)])
    send(picker, "mine.csv", text)
    assert picker.offer == f"Leave out the 2 rows of mine.csv whose {response} is “Unknown”"
    picker.on_leave_out()
    whole, rest = picker.got
    assert rest.name == whole.name and picker.offer == "" and whole.read_text() == text
    assert rest.read_text().split() == [line for line in text.split("\n") if "Unknown" not in line]
    picker.on_leave_out()
    assert len(picker.got) == 2


@pytest.mark.parametrize("classes", [("yes", "no"), ("a", "b", "c"), ("a", "b", "c", "unknown"), ("yes", "unknown")])
def test_nothing_else_is_offered(picker, classes):
    send(picker, "mine.csv", "\n".join(["x,y", *(f"{k},{value}" for k, value in enumerate(classes))]))
    assert picker.offer == "" and len(picker.got) == 1


def test_what_is_too_large_or_empty_is_refused_before_a_piece_is_asked_for(picker):
    picker.on_begin(1, "big.csv", 1001)
    assert "big.csv has" in picker.error and "Use the path." in picker.error
    picker.on_begin(2, "none.csv", 0)
    assert picker.error == "none.csv is empty; choose another file."
    assert picker.asked == [] and picker.got == []
    picker.on_begin(3, "good.csv", 3)
    picker.on_piece(3, 0, b"a,b")
    first = picker.got[0]
    picker.on_begin(4, "next.csv", 3)
    assert not first.exists() and picker.error == ""
    picker.on_away()
    assert picker.got[-1] is None and picker.name_ == ""


def test_what_is_no_table_is_refused_by_its_first_piece(picker):
    picker.on_begin(1, "photo.csv", 900)
    picker.on_piece(1, 0, b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert picker.error == "'photo.csv' is not a text file: it is a PNG picture; choose the table it was made from."
    picker.on_begin(2, "rows.parquet", 900)
    picker.on_piece(2, 0, b"a,b\n1,2\n")
    assert "'rows.parquet' is no Parquet file" in picker.error and picker.got == [] and len(picker.asked) == 2


def test_a_visit_has_one_allowance_on_all_its_pages_and_all_visits_have_one_together(picker, visits):
    other = open_picker()
    for number in range(UPLOADS[0]):
        (picker, other)[number % 2].on_begin(number, "a.csv", 3)
    assert len(picker.asked) + len(other.asked) == UPLOADS[0]
    other.on_begin(90, "b.csv", 3)
    assert other.error == "b.csv was not taken: you sent many files one after the other. Choose it again in 10 seconds."
    visits.append(visit())
    other.on_begin(91, "b.csv", 3)
    assert other.error == ""
    sent = UPLOADS[0] + 1
    while sent < ALL_UPLOADS[0]:  # whoever comes again and again is a new visit each time
        visits.append(visit())
        other.on_begin(sent, "c.csv", 3)
        sent += other.error == ""
    visits.append(visit())
    other.on_begin(92, "d.csv", 3)
    assert other.error.endswith("all visitors sent many files one after the other. Choose it again in 1 second.")
    other.close()


@pytest.mark.parametrize(("name", "kept"), [
    ("a.csv", "a.csv"), ("C:\\data\\a.csv", "a.csv"), ("..", "file"), ("/etc/passwd", "passwd"), ("", "file"),
    (".hidden", "hidden"), ("<b>x\0.csv", "_b_x_.csv"), ("x" * 300 + ".csv", "x" * 96 + ".csv")])
def test_names_fit_for_a_disk(name, kept):
    assert file_name(name) == kept


def test_a_file_that_cannot_be_read_or_comes_in_part_only_is_given_up_in_words(picker):
    picker.on_begin(1, "gone.csv", 10)
    picker.on_unreadable(2)  # of another upload
    assert picker.error == ""
    picker.on_unreadable(1)
    assert picker.error == "gone.csv could not be read; is it still there?" and picker.fraction is None
    picker.on_begin(3, "half.csv", 10)
    picker.on_piece(3, 0, b"12345")
    picker.on_piece(3, 5, b"")
    assert "came in part only (5 of 10 bytes)" in picker.error and picker.got == []
    picker.on_piece(3, 5, b"67890")  # too late
    assert picker.got == []


def test_a_server_that_cannot_keep_files_says_so_and_takes_the_next_one(picker, monkeypatch):
    folder = picker._folder

    def refuse():
        raise ValueError("no folder can be written to keep uploads in; set EXIT_TIME_LAB_CACHE to one that can")

    picker._folder = refuse
    picker.on_begin(1, "a.csv", 10)
    assert "a.csv was not taken" in picker.error and "EXIT_TIME_LAB_CACHE" in picker.error and picker.fraction is None
    picker._folder = folder
    picker.on_begin(2, "b.csv", 10)

    def full(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Upload, "add", full)
        picker.on_piece(2, 0, b"1,2\n3,4\n5,")
    assert "b.csv could not be kept on the server (the disk is full: make room)" in picker.error
    assert picker.fraction is None and picker.got == []
    picker.on_begin(3, "c.csv", 3)
    picker.on_piece(3, 0, b"a,b")
    assert picker.error == "" and picker.got[0].read_bytes() == b"a,b"


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_file_of_too_many_columns_is_refused_by_its_first_piece(picker, separator):
    picker.largest = 10**6
    for columns, wrong in ((MOST_COLUMNS + 1, "has 1,001 columns; here a file may have 1,000: keep"), (MOST_COLUMNS, "")):
        data = separator.join(f"c{j}" for j in range(columns)).encode() + b"\n" + b"1,2" * 9
        picker.on_begin(columns, "wide.csv", 10**6)
        picker.on_piece(columns, 0, data)
        assert wrong in picker.error and bool(picker.error) == bool(wrong) and (picker.fraction is None) == bool(wrong)
