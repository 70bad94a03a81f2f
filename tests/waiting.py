"""Waiting for a condition: no test sleeps for a time that it guesses."""

import time

PATIENCE = 300.0
"""Seconds before a test that waits gives up: kernels may compile meanwhile."""


def wait_for(condition, words="", seconds=PATIENCE, look=None, every=0.005):
    """Ask for a condition until it is true; return what it gives. ``look`` is called before each question.

    ``words`` say what did not come; a function is asked for them then.
    """
    deadline = time.monotonic() + seconds
    while True:
        if look is not None:
            look()
        if answer := condition():
            return answer
        assert time.monotonic() < deadline, words() if callable(words) else words
        time.sleep(every)


def close(worker):
    """Close an engine, or what works in the background, and wait until its thread has ended."""
    thread = worker._thread
    worker.close()
    if thread is not None:
        thread.join(PATIENCE)
