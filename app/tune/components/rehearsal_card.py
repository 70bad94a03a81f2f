"""The card that needs no truth: it rehearses the cell looked at and shows what the stream says of it."""

from __future__ import annotations

from collections.abc import Callable

from app.background_job import BackgroundJob, JobHandle
from app.state.tune import CellKey
from app.tune import sweep_words
from app.tune.components.figures import calibration_figure, score_figure
from app.tune.components.map_cards import BEFORE
from app.tune.rehearsal import Rehearsal, rehearsal_job
from app.tune.result import TuneResult
from app.widgets.figure_card import FigureCard
from app.widgets.figure_view import FigureView


class RehearsalCard:
    """One rehearsal at a time; asking for another cell drops the one under way."""

    def __init__(self, dark: bool = False) -> None:
        self._job = BackgroundJob("tune-rehearsal")
        self._asked: tuple | None = None
        self._found: Rehearsal | None = None
        self._wanted: Callable[[JobHandle], Rehearsal | None] | None = None
        self.score = FigureView(score_figure(None), 200, dark)
        self.calibration = FigureView(calibration_figure(None), 200, dark)
        self.card = FigureCard(
            [self.score, self.calibration], {"press": self._try_again}, row=True, label="With no truth known",
            exports=["png", "svg"], filename="rehearsal",
            heads=[["With no truth known", "this setting run once as in production, judged by the stream alone"],
                   ["Log score of rows foretold", ""], ["Calibration", ""]], empty=BEFORE)

    def want(self, result: TuneResult, key: CellKey) -> None:
        """Rehearse a cell, unless that has been done."""
        config = result.config
        want = result.stream, key, config.radius_of(key.algorithm), config.rows, config.chains, config.seed
        if want == self._asked or not result.foretold(key).stable:
            return
        self._asked, self._found = want, None
        self._wanted = rehearsal_job(result.stream, result.settings(key), config.rows, config.chains, config.seed)
        self._try_again()

    def _try_again(self) -> None:
        """Begin the rehearsal that is wanted."""
        self.card.param.update(empty="" if self.card.caption else "Rehearsing the cell looked at …", button="")
        if self._wanted is not None:
            self._job.start(self._wanted)

    def rehearsal(self, result: TuneResult | None, key: CellKey) -> Rehearsal | None:
        """Return what was found for a cell, or None."""
        found = self._found
        return found if found is not None and result is not None and found.settings == result.settings(key) else None

    @property
    def running(self) -> bool:
        """Whether a rehearsal is under way."""
        return self._job.running

    def look(self) -> bool:
        """Show what is new; was there anything?"""
        update = self._job.take()
        if update is None:
            return False
        if isinstance(update.value, Rehearsal) and update.done:
            self._found = update.value
            self.score.show(score_figure(update.value))
            self.calibration.show(calibration_figure(update.value))
            self.card.param.update(caption=sweep_words.about_rehearsal(update.value), progress=None, warnings=[],
                                   empty="")
        elif update.error:
            self.card.param.update(caption="", progress=None, button="Try again",
                                   empty=f"The rehearsal stopped: {update.error}")
        elif not update.done:
            self.card.param.update(progress=update.fraction if update.fraction is not None else -1.0)
        return True

    def close(self) -> None:
        """End the thread."""
        self._job.close()
