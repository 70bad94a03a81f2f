"""`RaceView`: curves, table and texts of a race; the Gaussian race also has a table of best steps."""

import math
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from app.glossary import marked
from app.jobs.background_job import BackgroundJob, JobUpdate
from app.jobs.worker_processes import in_process
from app.offline import race_words as words
from app.offline.likelihood_race_job import LikelihoodRace, OwnFile, run_likelihood
from app.offline.shipped_results import shipped_results
from app.offline.wasserstein_race_job import GaussianRace, run_gaussian
from app.plots import convergence, likelihood
from app.plots.lines import Lines
from app.state.offline_races import GAUSSIAN, RaceConfig, RaceState
from app.visit import Visit
from app.widgets.cards import TableCard, TextCard
from app.widgets.choices import RunButtons
from app.widgets.figure_card import FigureCard, FigureView

LAYOUTS = {
    "w2": ('grid-template:"w2-chart w2-chart w2-text" minmax(0,59fr) "w2-table w2-best w2-best" minmax(0,41fr)/'
           "minmax(0,540fr) minmax(0,268fr) minmax(0,324fr);height:calc(var(--lab-room) - 4px);min-height:740px"),
    "nll": ('grid-template:"nll-chart nll-text" minmax(0,60fr) "nll-table nll-data" minmax(0,40fr)'
            "/minmax(0,816fr) minmax(0,328fr);height:calc(var(--lab-room) - 4px);min-height:720px"),
}
HEADS = {"w2": ["Distance to the target",
                marked("[[W₂|Wasserstein distance]] to the Gaussian posterior: lines exact, points simulated chains")],
         "nll": ["Held-out likelihood", marked("test negative log-likelihood per row ([[NLL]])")]}
CHOOSE = "Choose samplers and press Run."
Race = words.Race


class RaceView:
    """Runs a race in the background and displays it."""

    def __init__(self, state: RaceState, visit: Visit | None = None) -> None:
        self.state, self.view = state, state.Record.view
        self.exact = self.view == GAUSSIAN
        self.background = BackgroundJob(f"offline-{self.view}", self._on_update, visit=visit)
        self.race: Race | None = None
        self.taken: Callable[[JobUpdate], None] | None = None  #: called with each update after its display
        self._own: OwnFile | None = None
        self._log = True
        self.figure = FigureView(convergence({}) if self.exact else likelihood({}), 340)
        segments = [["x", [["log", "Log"], ["linear", "Linear"]]]]
        if not self.exact:
            segments.insert(0, ["average", [["path", "Running average"], ["position", "Position"]]])
        self.card = FigureCard(
            [self.figure], acts={"choose": self._choose, "csv": lambda: self.race and words.race_csv(self.race)},
            label=HEADS[self.view][0], heads=[HEADS[self.view]], segments=segments,
            chosen={"x": "log", "average": getattr(state, "average", "")}, exports=["csv", "png", "svg"],
            filename=f"offline-{self.view}")
        self.text = TextCard(title="Summary", heading="No race yet.")
        self.table = TableCard(title="Sampler by sampler", name_column="sampler", columns=words.columns(None),
                               empty=CHOOSE, filename=f"offline-{self.view}")
        self.cards: dict[str, Any] = {"chart": self.card, "text": self.text, "table": self.table}
        if self.exact:
            self.best = TableCard(
                title="At its best step", subtitle="exact W₂, each cell with its own best step, b = 1",
                name_column="data n\npasses", columns=words.table_columns(),
                rows=words.table_rows(shipped_results()["table"]), filename="offline-best-steps")
            self.cards["best"] = self.best
        else:
            self.data = TextCard(title="The data")
            self.cards["data"] = self.data
            state.param.watch(
                lambda event: self.card.param.update(chosen={**self.card.chosen, "average": event.new}), "average")
        self.buttons = RunButtons(self.start, self.background.cancel, label="Run")

    # The run

    def start(self, own: OwnFile | None = None) -> None:
        """Start the race, on the user's file if there is one, and cancel the running one."""
        config = self.state.frozen()
        if own is not self._own:  # remove the results on other data
            self._own = own
            self.show_run(None, f"Waiting for the rows of {own.path.name}." if own else "Waiting for the generated rows.")
            self.text.param.update(heading="Waiting for the first curves.", body="", look=[])
            self.data.param.update(heading="", body="")
            self.table.rows = []
        if self.exact:
            self.background.start(in_process(run_gaussian, config))
        else:
            here = config.source == "file"  # in a thread of the page, which keeps the table
            self.background.start((lambda handle: run_likelihood(config, own, handle)) if here
                                  else in_process(run_likelihood, config, None))

    def show_run(self, race: Race | None, words: str) -> None:
        """Display an earlier race, or none, with a text next to the button."""
        self.race, self.buttons.words = race, words
        self.card.empty = "" if race is not None else words
        self.show()

    def seconds(self, config: RaceConfig) -> float:
        """Return the estimated duration of a race in seconds, from the typical time of a step."""
        n = self.state.rows or config.n
        steps = config.passes * n / config.batch_size * config.chains * len(config.samplers)
        return steps * (0.3e-6 if self.exact else 0.1e-6 + 2e-9 * config.dim) + 0.3

    def _on_update(self, update: JobUpdate) -> None:
        self.buttons.show(update)
        self.card.param.update(progress=update.progress, working=update.working)
        if update.error:
            self.card.empty = self.card.empty and "No curves: this cannot be run, see the summary."
            self.text.param.update(heading="This cannot be run.", look=["warn", "hot", "hotbg"],
                                   body=f"<p>{escape(update.error)}</p>")
        if update.value is not None and (update.value is not self.race or update.done):
            self.race, self.card.empty = update.value, ""
            self.show(update.error == "")
        if self.taken is not None:
            self.taken(update)

    def show(self, words_too: bool = True) -> None:
        """Draw the results so far, without the samplers that are switched off."""
        race = self.race
        if race is None:
            return
        if race.curves:
            self.figure.show(self._drawn(race), spoken=words.headline(race))
        config = race.config
        if isinstance(race, GaussianRace):
            how = f"; points: {config.chains:,} chains" if config.chains else ""
            subtitle = f"W₂ to the posterior of n = {config.n:,} data, d = 10: lines exact{how}"
        else:
            subtitle = f"NLL per row, {race.test:,} test rows; n = {race.train:,}, d = {race.dim}, {config.chains} chains"
        self.card.param.update(warnings=list(race.notes), heads=[[HEADS[self.view][0], subtitle]],
                               spoken=self.card.spoken if self.background.running else words.spoken(race))
        self.table.param.update(columns=words.columns(race), rows=words.rows(race))
        if isinstance(race, LikelihoodRace):
            self.data.param.update(heading=escape(race.source), body=words.data(race))
        if words_too and race.curves:
            self.text.param.update(heading=words.headline(race), look=[], body=words.body(race))

    def _drawn(self, race: Race) -> Lines:
        """Return the figure of the samplers that are switched on, with limits on values above the start."""
        curves = {key: curve for key, curve in race.curves.items() if key in self.state.samplers}
        look = {"names": {key: curve.name for key, curve in curves.items()}, "log": self._log, "end": race.config.passes}
        if isinstance(race, GaussianRace):
            promised = {key: line for key, line in words.theorem_lines(race).items() if key in curves}
            return convergence(curves, top=race.start, promised=promised, **look)
        ends = [float(np.nanmin(curve.mean)) for curve in curves.values()]
        far = race.mode is None or not ends or not race.mode < 5 * max(ends)
        return likelihood(curves, mode=None if far else race.mode, top=2 * math.log(2), **look)

    # Controls of the cards

    def _choose(self, name: str, value: str) -> None:
        if name == "x":
            self._log = value == "log"
            self.show()
        elif name == "average":
            self.state.average = value

    def shown(self) -> dict[str, str]:
        """Return the displayed state for tests and scripts."""
        race = self.race if self.background.settled else None
        curves = {} if race is None else race.curves
        ends = {key: float((c.exact if self.exact else c.mean)[-1]) for key, c in curves.items()}
        return {"curves": ",".join(ends), "values": ",".join(f"{v:.5g}" for v in ends.values()),
                "points": str(sum(len(c.points) for c in curves.values())) if self.exact else "",
                "table": str(len(self.best.rows)) if self.exact else "0"}
