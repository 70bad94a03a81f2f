"""`OwnFile`: a file of the user's, chosen and settled as on the Tune page, for a page that runs on its rows: Live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.handover import Visit
from app.jobs.background_job import BackgroundJob, JobUpdate
from app.state.tune import TuneConfig
from app.state.user_data import UserData
from app.tune.file_choice import FileChoice
from app.tune.tuning_rows import load, offer


class OwnFile:
    """`take(user_data)` is called once the rows are read; from then on the other pages may have them too."""

    def __init__(self, take: Callable[[UserData], None], visit: Visit) -> None:
        self._take, self._visit, self._config = take, visit, TuneConfig()
        self.choice = FileChoice(self._bring, visit)
        self.reading = BackgroundJob("live-file", self._show, visit=visit)
        self.workers = [self.choice.worker, self.reading]
        self.items = [self.choice.picker, self.choice.dialog]

    def _bring(self, **choices: Any) -> None:
        """Read the rows that the dialog has settled."""
        self._config = config = TuneConfig(**choices)
        self.choice.picker.words = "Reading it."
        self.reading.start(lambda handle: load(config))

    def _show(self, update: JobUpdate) -> None:
        if not update.done:
            return
        self.choice.picker.param.update(words="", error=update.error)
        if update.value is not None and not update.error:
            offer(self._visit, self._config, update.value)
            self._take(update.value.user_data)
