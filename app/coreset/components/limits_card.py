"""What the figures do not say, and on request the rate of CHC Theorem 4.1, measured on the spot."""

from __future__ import annotations

from app.background_job import BackgroundJob, JobHandle
from app.coreset.run_words import LIMITS_OF_THE_FIGURES, convergence_reading
from app.widgets.text_card import TextCard
from sampler.coreset import RepeatedPoints, WeightConvergence, weight_convergence

ITERATIONS, SEEDS = 300_000, 8
"""Some five seconds on one core."""
BUTTON = ["rate", "Measure the rate of Theorem 4.1", "", False]


class LimitsCard:
    """A card of words with one button; `look` takes what its worker has."""

    def __init__(self) -> None:
        self.worker = BackgroundJob("coreset-rate")
        self.card = TextCard(self._press, title="What the figures do not say", body=LIMITS_OF_THE_FIGURES, buttons=[BUTTON])

    def _press(self, key: str) -> None:
        if not self.worker.settled:
            return
        self.card.buttons = [["rate", "Measuring …", "wait", False]]
        self.worker.start(_measured)

    def look(self) -> None:
        """Say what was measured, above the rest."""
        update = self.worker.take()
        if update is None or not update.done:
            return
        words = update.error or convergence_reading(update.value)
        self.card.param.update(body=f"<p>{words}</p>{LIMITS_OF_THE_FIGURES}", buttons=[BUTTON])

    def close(self) -> None:
        """End the worker."""
        self.worker.close()


def _measured(handle: JobHandle) -> WeightConvergence | None:
    return weight_convergence(RepeatedPoints.synthetic(), ITERATIONS, SEEDS, stop=lambda: handle.stopped)
