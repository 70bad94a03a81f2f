"""A file uploaded on Live: Live runs on its rows, and the file is offered to the other pages."""

import pytest

from app.own_data.file_picker import FilePicker
from app.pages.live import LivePage
from app.pages.tune import TunePage
from app.state.tune import TuneConfig
from app.state.user_data import OWN
from app.tune import kept_files
from app.tune.file_choice import OwnFile
from app.visit import Server, Visit
from tests.waiting import wait_for


@pytest.fixture
def visit():
    return Visit(server=Server())


@pytest.fixture
def own(visit):
    taken = []
    own = OwnFile(taken.append, visit)
    own.taken = taken
    yield own
    for worker in own.workers:
        worker.close()


def settle(own, kept):
    """Use the options in the dialog on a stored file, and wait for the rows."""
    own.choice.open(TuneConfig(data=f"file-{kept}"))
    for worker, action in zip(own.workers, (own.choice.use, lambda: None), strict=True):
        wait_for(lambda: worker.settled, look=worker.look)  # noqa: B023 - waited for at once
        action()


def test_live_runs_on_the_rows_and_other_pages_are_offered_the_file(own, visit, csv_file, keep):
    path = csv_file()
    kept = keep(path)
    settle(own, kept)
    assert own.taken == [visit.user_data] and visit.user_data.t == 119
    assert visit.file[:2] == ("clicks.csv", kept_files.upload_path(kept))
    assert TunePage.read_link({}, visit)[0] == TuneConfig(**visit.file[2]) and visit.file[2]["response"] == "answer"
    page = LivePage(visit=visit)
    page._take_file(visit.user_data)
    assert page.state.problem == OWN and page.config.user_data is visit.user_data
    page.close()

    got = []
    picker = FilePicker(got.append, lambda: None, 10_000_000, "Take a part of it.", visit)
    assert picker.offered == ""
    picker.offer_loaded()
    assert picker.offered == "clicks.csv"
    picker.on_offered()
    assert got[0].name == "clicks.csv" and got[0].read_bytes() == path.read_bytes() and picker.offered == ""
    picker.close()
    assert kept_files.upload_path(kept) is not None and not got[0].exists()  # the stored file is not removed


@pytest.mark.parametrize(("largest", "gone", "words"), [
    (10, False, "here a file may have 10 bytes. Take a part of it."), (10_000_000, True, "was not taken (")])
def test_an_offered_file_that_cannot_be_used_is_refused_with_a_reason(own, visit, csv_file, keep, largest, gone, words):
    kept = keep(csv_file())
    settle(own, kept)
    if gone:
        kept_files.upload_path(kept).unlink()
    got = []
    picker = FilePicker(got.append, lambda: None, largest, "Take a part of it.", visit)
    picker.on_offered()
    assert got == [] and picker.name_ == "" and "clicks.csv" in picker.error and words in picker.error


def test_unreadable_rows_are_reported_and_nothing_is_taken(own, visit, csv_file, keep):
    kept = keep(csv_file())
    own._bring(data=f"file-{kept}", kind="poisson")
    wait_for(lambda: own.reading.settled, look=own.reading.look)
    assert "usable rows" in own.choice.picker.error and own.taken == [] and visit.user_data is None
