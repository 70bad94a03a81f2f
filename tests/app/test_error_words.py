"""A fault inside a page's work: words where the person looks, one click to go on, and nothing else lost."""

import errno

import pytest

from app.error_words import NO_MEMORY, error_words
from app.jobs.background_job import BackgroundJob
from tests.app.jobs.waiting import wait


@pytest.mark.parametrize("error, words", [
    (MemoryError(), NO_MEMORY), (SystemExit(3), "SystemExit: 3"),
    (OSError(errno.ENOSPC, "No space", "/data/a.db"), "/data/a.db could not be used: the disk is full: make room"),
    (ValueError("n must be 1 or more, got 0"), "n must be 1 or more, got 0"), (KeyError("x"), "KeyError: 'x'")])
def test_every_kind_of_fault_ends_a_job_in_words_and_the_next_one_runs(error, words):
    def fail(handle):
        handle.publish("so far", 0.5)
        raise error

    background = BackgroundJob()
    background.start(fail)
    update = wait(background)
    assert (update.error, update.value, update.done, update.cancelled) == (words, "so far", True, False)
    background.start(lambda handle: "done")
    assert wait(background).value == "done"
    background.close()


def test_a_fault_is_in_the_servers_log_whole_and_a_users_mistake_is_not(caplog):
    try:
        raise KeyError("inside")
    except KeyError as error:
        assert error_words(error) == "KeyError: 'inside'"
    assert "test_error_words" in caplog.text
    caplog.clear()
    error_words(ValueError("x must be a number"))
    assert caplog.text == ""
