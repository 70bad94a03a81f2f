"""The end of a job, waited for."""

from app.jobs.background_job import BackgroundJob
from tests.waiting import wait_for


def wait(worker, seconds=300.0):
    """Return the last update of the latest request of a `BackgroundJob`."""
    def end():
        update = worker.take()
        return update if update is not None and update.done else None

    return wait_for(end, f"the job took more than {seconds:g} s", seconds)


def finish(job, seconds=3600):
    """Run a page's job to its end without a page; return its last update."""
    background = BackgroundJob("test")
    background.start(job)
    update = wait(background, seconds)
    background.close()
    return update
