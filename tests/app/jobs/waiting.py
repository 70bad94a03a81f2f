"""Waiting for the end of a job, and for a page without a browser."""

from functools import partial

from app.jobs.background_job import BackgroundJob
from tests.waiting import wait_for


def wait(worker, seconds=300.0):
    """Return the last update of the latest request of a `BackgroundJob`."""
    def end():
        update = worker.take()
        return update if update is not None and update.done else None

    return wait_for(end, f"the job took more than {seconds:g} s", seconds)


def finish(job, *arguments):
    """Run a job ``job(*arguments, handle)`` to its end without a page; return its last update."""
    background = BackgroundJob("test")
    background.start(partial(job, *arguments))
    update = wait(background, 3600)
    background.close()
    return update


def until(page, true, look="_tick", seconds=300.0):
    """Poll the page's workers, as the page would, until ``true()``; return the page."""
    if not true():
        wait_for(true, lambda: page.shell.state, seconds, getattr(page, look))
    return page
