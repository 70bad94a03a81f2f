"""A race's view: curves, table and words; the Gaussian experiment also shows its table of best steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from app.background_job import BackgroundJob, JobUpdate, time_left
from app.offline import race_words as words
from app.offline.charts.race import Drawn, Level, RaceChart
from app.offline.config import GAUSSIAN, RaceConfig
from app.offline.gaussian import GaussianRace, run_gaussian, run_table
from app.offline.likelihood import LikelihoodRace, run_likelihood
from app.offline.own_file import OwnFile
from app.offline.samplers import SAMPLERS
from app.widgets.figure_card import FigureCard
from app.widgets.run_buttons import RunButtons
from app.widgets.table_card import TableCard
from app.widgets.text_card import TextCard

LAYOUTS = {
    "w2": ('grid-template:"chart chart text" minmax(0,59fr) "table best best" minmax(0,41fr)/'
           "minmax(0,540fr) minmax(0,268fr) minmax(0,324fr);height:calc(100cqh - 4px);min-height:740px"),
    "nll": ('grid-template:"chart text" minmax(0,60fr) "table data" minmax(0,40fr)/minmax(0,816fr) minmax(0,328fr);'
            "height:calc(100cqh - 4px);min-height:720px"),
}
HEADS = {"w2": ["Distance to the target", "W₂ to the Gaussian posterior: lines exact, points simulated chains"],
         "nll": ["Held-out likelihood", "test negative log-likelihood a row"]}
CHOOSE = "Choose samplers and press Run."


class RaceView:
    """Runs a race in the background and shows it. `average(value)` is called for the likelihood's choice."""

    def __init__(self, config: RaceConfig, average: Callable[[str], None]) -> None:
        self.config, self._average = config, average
        self.exact = config.view == GAUSSIAN
        self.background = BackgroundJob(f"offline-{config.view}")
        self.tables = BackgroundJob("offline-table") if self.exact else None
        self.race: GaussianRace | LikelihoodRace | None = None
        self._number, self._settled, self._log = 0, 0, True
        self.chart = RaceChart(f"offline-{config.view}", "W<sub>2</sub>" if self.exact else "NLL", self.exact)
        segments = [["x", [["log", "Log"], ["linear", "Linear"]]]]
        if not self.exact:
            segments.insert(0, ["average", [["path", "Running average"], ["position", "Position"]]])
        self.card = FigureCard(
            [self.chart.figure], self._fit, {"choose": self._choose, "csv": lambda: words.race_csv(self.race)},
            label=HEADS[config.view][0], heads=[HEADS[config.view]], segments=segments,
            chosen={"x": "log", "average": config.average}, exports=["csv", "png"], filename=f"offline-{config.view}")
        self.text = TextCard(title="What this says", heading="Running …")
        self.table = TableCard(title="Sampler by sampler", name_column="sampler", columns=words.columns(None),
                               empty=CHOOSE, filename=f"offline-{config.view}")
        self.cards: dict[str, Any] = {"chart": self.card, "text": self.text, "table": self.table}
        if self.exact:
            self.best = TableCard(
                title="At its best step", subtitle="exact W₂, each cell with its own best step, b = 1",
                name_column="data n\npasses",
                columns=words.table_columns(), filename="offline-best-steps")
            self.cards["best"] = self.best
        else:
            self.data = TextCard(title="The data", body="<p>Being read …</p>")
            self.cards["data"] = self.data
        self.buttons = RunButtons(lambda: self.start(self.config), self.background.cancel, label="Run")

    # The run

    def start(self, config: RaceConfig, own: OwnFile | None = None) -> None:
        """Run the race; one under way is dropped."""
        self.config = config
        if own is not None or config.source == "generated":
            self._own = own
        own = self._own
        if self.exact:
            self._number = self.background.start(lambda control: run_gaussian(config, control))
            if self.tables.take() is None and not self.tables.running and not self.best.rows:
                self.tables.start(run_table)
        else:
            self._number = self.background.start(lambda control: run_likelihood(config, own, control))

    _own: OwnFile | None = None

    @property
    def busy(self) -> bool:
        """Whether a race is under way, or its end has not been shown yet."""
        return self._number != self._settled

    @property
    def number(self) -> int:
        """Of the race under way or done."""
        return self._number

    def seconds(self, config: RaceConfig) -> float:
        """Guess how long a race would take, from a step's usual time."""
        n = self.race.train if isinstance(self.race, LikelihoodRace) and config.source == "file" else config.n
        steps = config.passes * n / config.batch_size * config.chains * len(config.samplers)
        return steps * (0.3e-6 if self.exact else 0.1e-6 + 2e-9 * config.dim) + 0.3

    def tick(self) -> JobUpdate | None:
        """Take what the worker has; return it."""
        if self.tables is not None and (table := self.tables.take()) is not None and table.value is not None:
            self.best.rows = words.table_rows(table.value)
        update = self.background.take()
        if update is None or update.number != self._number:
            return None
        self._settled = update.number if update.done else self._settled
        self.buttons.show(update)
        left = f", {time_left(update.seconds_left)}" if update.seconds_left else ""
        self.card.param.update(
            progress=None if update.done else -1.0 if update.fraction is None else update.fraction,
            working="" if update.done else f"{update.words.rstrip('.')}{left}")
        if update.error:
            self.text.param.update(heading="This cannot be run.", look=["warn", "hot", "hotbg"],
                                   body=f"<p>{escape(update.error)}</p>")
        if update.value is not None and (update.value is not self.race or update.done):
            self.race = update.value
            self.show(update.error == "")
        return update

    def show(self, words_too: bool = True) -> None:
        """Draw the race as far as it has got, without the samplers that are switched off."""
        race = self.race
        if race is None:
            return
        curves = [self._drawn(curve) for curve in race.curves if curve.key in self.config.samplers]
        levels, top = self._levels(race)
        if curves:
            self.chart.show(curves, race.config.passes, self._log, levels, top)
        self.card.param.update(warnings=list(race.notes), heads=[[HEADS[race.config.view][0], self._subtitle(race)]],
                               spoken=f"{words.headline(race)}" if race.curves else "")
        self.table.param.update(columns=words.columns(race), rows=words.rows(race))
        if isinstance(race, LikelihoodRace):
            self.data.param.update(heading=escape(race.source), body=words.data(race))
        if words_too and race.curves:
            self.text.param.update(heading=words.headline(race), look=[], body=words.body(race))

    def _subtitle(self, race: GaussianRace | LikelihoodRace) -> str:
        config = race.config
        if isinstance(race, GaussianRace):
            how = f"; points: {config.chains:,} chains" if config.chains else ""
            return f"W₂ to the posterior of n = {config.n:,} data, d = 10: lines exact{how}"
        return f"NLL a row, {race.test:,} test rows; n = {race.train:,}, d = {race.dim}, {config.chains} chains"

    def _drawn(self, curve: Any) -> Drawn:
        if self.exact:
            return Drawn(curve.key, curve.label, curve.passes, curve.exact, point_x=curve.point_passes,
                         point_y=curve.points, point_low=curve.low, point_high=curve.high)
        return Drawn(curve.key, curve.label, curve.passes, curve.mean, curve.mean - curve.deviation,
                     curve.mean + curve.deviation)

    def _levels(self, race: GaussianRace | LikelihoodRace) -> tuple[list[Level], float]:
        """Lines across the chart, and where it is cut off above."""
        if isinstance(race, GaussianRace):
            floors = [c.floor for c in race.curves if c.chains and math.isfinite(c.floor)]
            level = [Level(min(floors), "exact draws,\nas many", "ink2")] if floors else []
            return level, race.start
        ends = [float(np.nanmin(curve.mean)) for curve in race.curves]
        if race.mode is None or not ends or not race.mode < 5 * max(ends):
            return [], 2 * math.log(2)
        return [Level(race.mode, "the mode", "ink2")], 2 * math.log(2)

    # What a person does on the cards

    def _choose(self, name: str, value: str) -> None:
        if name == "x":
            self._log = value == "log"
            self.show()
        elif name == "average":
            self._average(value)

    def _fit(self, width: float, height: float, compact: bool) -> None:
        self.chart.resize(height or (300.0 if compact else 380.0), compact)

    def restyle(self, dark: bool) -> None:
        """Repaint the chart."""
        self.chart.restyle(dark)

    def state(self) -> dict[str, str]:
        """Return what is shown, for tests and scripts."""
        race = self.race if not self.busy else None
        curves = () if race is None else race.curves
        ends = {c.key: float((c.exact if self.exact else c.mean)[-1]) for c in curves}
        return {"curves": ",".join(ends), "values": ",".join(f"{v:.5g}" for v in ends.values()),
                "points": str(sum(len(c.points) for c in curves)) if self.exact else "",
                "table": str(len(self.best.rows) if self.exact and not self.tables.running else 0)}

    def close(self) -> None:
        """End the threads."""
        self.background.close()
        if self.tables is not None:
            self.tables.close()


def rows_of_samplers() -> list[list[str]]:
    """Rows of the list of samplers."""
    return [[key, entry.label, entry.mark, entry.token, ""] for key, entry in SAMPLERS.items()]
