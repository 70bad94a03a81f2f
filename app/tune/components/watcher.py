"""The card that needs no truth: it rehearses the cell looked at and shows what the stream says of it."""

from __future__ import annotations

from app.background_job import BackgroundJob
from app.tune import words
from app.tune.charts.sheet import TuneSheet
from app.tune.components.cards import watch_card
from app.tune.picture import Key, TunePicture
from app.tune.saving import settings_of
from app.tune.watching import Watched, rehearsal


class Watcher:
    """One rehearsal at a time; asking for another cell drops the one under way."""

    def __init__(self, sheet: TuneSheet) -> None:
        self._sheet, self._background = sheet, BackgroundJob("tune-rehearsal")
        self._asked: tuple | None = None
        self._found: Watched | None = None
        self.card = watch_card(sheet)

    def want(self, picture: TunePicture, key: Key) -> None:
        """Rehearse a cell, unless that has been done."""
        config = picture.config
        want = picture.loaded, key, config.acceptance_radius, config.rows, config.chains, config.seed
        if want == self._asked or not picture.forecast(key).stable:
            return
        self._asked, self._found = want, None
        self._background.start(rehearsal(picture.loaded, settings_of(picture, key), config.rows, config.chains,
                                         config.seed))

    def watched(self, picture: TunePicture | None, key: Key) -> Watched | None:
        """Return what was found for a cell, or None."""
        found = self._found
        return found if found is not None and picture is not None and found.settings == settings_of(picture, key) else None

    @property
    def running(self) -> bool:
        """Whether a rehearsal is under way."""
        return self._background.running

    def tick(self) -> bool:
        """Show what is new; was there anything?"""
        update = self._background.take()
        if update is None:
            return False
        if isinstance(update.value, Watched) and update.done:
            self._found = update.value
            self._sheet.show_watched(update.value)
            self.card.param.update(caption=words.about_watched(update.value), progress=None, warnings=[])
        elif update.error:
            self.card.param.update(caption="", warnings=[update.error], progress=None)
        elif not update.done:
            self.card.param.update(progress=update.fraction if update.fraction is not None else -1.0)
        return True

    def close(self) -> None:
        """End the thread."""
        self._background.close()
