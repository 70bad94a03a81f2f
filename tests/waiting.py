"""Waiting for a condition instead of sleeping for a fixed time."""

import time

PATIENCE = 300.0
"""Timeout in seconds; kernels may compile meanwhile."""


def wait_for(condition, words="", seconds=PATIENCE, look=None, every=0.005):
    """Poll a condition until it is true and return its value; ``look`` is called before each poll.

    ``words`` is the message on timeout, or a function that returns it.
    """
    deadline = time.monotonic() + seconds
    while True:
        if look is not None:
            look()
        if result := condition():
            return result
        assert time.monotonic() < deadline, words() if callable(words) else words
        time.sleep(every)


def close(worker):
    """Close an engine or background worker and wait until its thread has ended."""
    thread = worker._thread
    worker.close()
    if thread is not None:
        thread.join(PATIENCE)
