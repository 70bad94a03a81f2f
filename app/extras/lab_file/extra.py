"""`LabFileExtra`: the command ``export``, and *Save as a page* in the menu beside Share."""

import argparse
from typing import Any
from urllib.parse import urlencode

import panel as pn

from app.chrome.extras import Extra, Notify, VisitExtra
from app.jobs.background_job import BackgroundJob
from app.page import close_with_session
from app.visit import Visit

PERIOD = 100
"""Time between checks of a file in preparation, in milliseconds."""
FILE_NAME = "exit-time-lab.html"
OWN_DATA = ("This run is on your own data, which links do not contain. The file is saved without them: open it and drop your"
            " CSV file on it.")


class LabFileExtra(Extra):
    """Hooks of the lab file: a command and an entry of the menu."""

    def add_commands(self, commands: Any) -> None:
        """Add the commands ``export`` and the removed ``record``."""
        from app.extras.lab_file.command import add_export

        add_export(commands)

    def join(self, visit: Visit, query: dict[str, Any], options: argparse.Namespace) -> VisitExtra:
        """Return the visit's *Save as a page*."""
        return SavePage(visit)


EXTRA = LabFileExtra()


class SavePage(VisitExtra):
    """Entry of the menu: writes the lab in one file with the current link, in the background, while Live goes on."""

    entry = ("save", "save", "Save as a page")

    def __init__(self, visit: Visit | None = None) -> None:
        self._job = BackgroundJob("lab-file-writer", visit=visit)
        self._notify: Notify = lambda note: None
        self._looking: Any = None
        close_with_session(self._job.close)

    def offers(self, page: Any) -> bool:
        """Return whether the page has a run."""
        return page.run_on_show() is not None

    def press(self, page: Any, choice: str, notify: Notify) -> None:
        """Save the displayed run; a run on own data needs the confirmation that the file excludes them."""
        if page.run_on_show() is None:  # the page in front has changed
            notify(self._note("This page has no run. Return to the run and save it there."))
        elif page.own_data and choice != "without":
            notify(self._note(OWN_DATA, ["without", "Save", True], ["close", "Do not save", False]))
        else:
            self.start("" if page.own_data else urlencode(page.shared()[0]), notify)

    def start(self, link: str, notify: Notify) -> None:
        """Write a file that opens with these URL parameters; ``notify`` displays notes, see `Header.note`."""
        from app.extras.lab_file.page_file import page_of  # takes 0.5 s: imported on demand

        self._notify = notify
        location = pn.state.location
        served = "" if location is None else location.href.partition("?")[0].partition("#")[0]
        notify(self._note("Saving the lab as a page", ["close", "Close", False]))
        self._job.start(lambda handle: page_of(link, served=served))
        if self._looking is None:
            self._looking = pn.io.PeriodicCallback(callback=self.look, period=PERIOD, background=True, log=False)
        if not self._looking.running:
            self._looking.start()

    def look(self) -> None:
        """Display the state of the job."""
        update = self._job.take()
        if update is not None and update.error:
            self._notify(self._note(f"The page could not be saved: {update.error}"))
        elif update is not None and update.done and update.value is not None:
            size = len(update.value.encode("utf-8")) / 1e6
            self._notify(self._note(f"Saved, {size:.1f} MB: the file opens this picture live in any browser.")
                       | {"file": {"name": FILE_NAME, "html": update.value}})
        if self._job.settled:
            self._looking.stop()

    def _note(self, words: str, *buttons: list[Any]) -> dict[str, Any]:
        return {"action": self.entry[0], "words": words, "buttons": list(buttons) or [["close", "Close", False]]}
