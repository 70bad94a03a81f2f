"""`PageJob`: records the run of a Live page in the background, while Live goes on, and tells how far it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.background_job import BackgroundJob, JobHandle
from app.live.moment import Moment
from app.recording.film import Stopped
from app.recording.plan import MOST, Plan
from app.recording.recorder import Recording, record
from app.recording.requests import plan_of_moment
from app.recording.size import fitting_epochs
from app.state.live import LiveConfig

EVERY = 0.01
"""Of the way, between two reports."""


class PageJob:
    """One recording at a time; `look` is called now and then on the page's thread, and tells what is new."""

    def __init__(self) -> None:
        self._job = BackgroundJob("page-recorder")
        self._tell: Callable[[dict[str, Any]], None] = lambda message: None

    @property
    def going(self) -> bool:
        """Whether there is more to tell."""
        return not self._job.settled

    def start(self, config: LiveConfig, moment: Moment | None, names: bool, tell: Callable[[dict[str, Any]], None]) -> None:
        """Record a run from its start to a moment; `tell` takes a message when there is news: see `save_page.js`."""
        self._tell = tell
        if moment is None or moment.t < 1:
            tell({"state": "failed", "words": "There is nothing to save yet: the run is at its first datum."})
            return
        try:
            plan = plan_of_moment(config, moment, min(moment.t, MOST), names=names)
            cut = replace(plan, epochs=fitting_epochs(plan))
        except ValueError as wrong:
            tell({"state": "failed", "words": str(wrong)})
            return
        tell({"state": "going", "share": 0.0})
        shorter = cut.epochs < moment.t
        self._job.start(lambda handle: self._record(cut, shorter, handle))

    def stop(self) -> None:
        """Give up."""
        self._job.cancel()

    def close(self) -> None:
        """End the thread; nothing more comes."""
        self._job.close()

    def look(self) -> None:
        """Tell what is new."""
        update = self._job.take()
        if update is None:
            return
        if not update.done:
            self._tell({"state": "going", "share": update.fraction or 0.0})
        elif update.cancelled:
            self._tell({"state": "stopped"})
        elif update.error:
            self._tell({"state": "failed", "words": f"The page could not be saved: {update.error}"})
        elif update.value is not None:
            plan, words, recording = update.value
            self._tell({"state": "done", "html": recording.html, "name": file_name(plan, recording), "words": words})

    @staticmethod
    def _record(plan: Plan, shorter: bool, handle: JobHandle) -> tuple[Plan, str, Recording] | None:
        last = 0.0

        def progress(share: float) -> None:
            nonlocal last
            if share - last >= EVERY:
                last = share
                handle.publish(fraction=share)

        try:
            recording = record(plan, progress, lambda: handle.stopped)
        except Stopped:
            return None
        return plan, _words(recording, shorter and recording.epochs == plan.epochs), recording


def file_name(plan: Plan, recording: Recording) -> str:
    """Return a name for the file: the target's words without signs, and the last epoch."""
    words = re.sub(r"[^a-z0-9]+", "-", plan.target.lower()).strip("-")
    return f"exit-time-lab-{words or 'run'}-{recording.epochs}.html"


def _words(recording: Recording, cut: bool) -> str:
    part = [" No longer run fits into a file."] if cut else [f" {words}" for words in recording.words]
    epochs = f"{recording.epochs:,} epoch{'s' if recording.epochs != 1 else ''}"
    return f"Saved {epochs}, {recording.size / 1e6:.1f} MB: the file plays in any browser.{''.join(part)}"
