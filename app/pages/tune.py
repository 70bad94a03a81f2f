"""The Tune page: a stream, a map of the accuracy of every setting on it, and export of a setting."""

from dataclasses import replace
from typing import Any

import panel as pn

from app.jobs.background_job import BackgroundJob, JobUpdate
from app.page import Page
from app.state.tune import CellKey, TuneConfig, TuneState
from app.tune import export
from app.tune.cell_words import about_others
from app.tune.figure_cards import WAITING_WORDS, MapCards, RehearsalCard
from app.tune.result import TuneResult
from app.tune.sidebar import TuneSidebar
from app.tune.sweep_job import WORKERS, SweepJobs
from app.tune.tuning_rows import offer
from app.visit import Visit
from app.widgets.cards import TextCard
from sampler.tuning import key_of

LAYOUT = ('grid-template: "map verdict" 556px "slice take" 262px "cost cost" 292px "watch advice" 280px'
          " / minmax(0, 704fr) minmax(0, 440fr)")


class TunePage(Page):
    """Page object: served as a tab, or displayed as the last line of a notebook cell.

    Parameters
    ----------
    config
        Initial configuration; by default the first example. A problem in `Visit.user_data` is
        ``TuneConfig(data="given")``. With ``going=True`` the sweep starts at once.
    words, dark, framed
        See `Page`.
    """

    State = TuneState
    period = 60

    def __init__(self, config: TuneConfig | None = None, *, dark: bool = False, **params: Any) -> None:
        super().__init__(**params)
        config = config or TuneConfig(**{"data": "given"} if self.visit.user_data is not None else {})
        self.state = TuneState.of(config, base=config)
        self.result: TuneResult | None = None
        self.jobs = SweepJobs(self.visit)
        self.sweeps = BackgroundJob("tune-sweep", self.show, visit=self.visit)
        self._asked: TuneConfig | None = None  #: configuration of the latest request, without the selection
        self._done = 0
        self._advised: int | None = None  #: number of the request that runs the advised setting
        update = self.jobs.joined(config)
        self._build()
        self.dark(dark)
        if update is not None:
            self.show(update)
        self.watch(self._follow, [name for name in self.state.settable() if name != "going"])

    @classmethod
    def read_link(cls, query: dict[str, Any], visit: Visit) -> tuple[TuneConfig, list[str]]:
        """Return the configuration in a link's query and messages about its faults."""
        config, sentences = super().read_link(query, visit)
        if visit.user_data is not None and "tdata" not in query:
            config = config.replace(**{"data": "given"} if visit.file is None else visit.file[2], going=False)
        return config, sentences

    def _build(self) -> None:
        self.sidebar = TuneSidebar(self.state, lambda: self.visit.user_data, self.run_advised, self.sweep, self.cancel,
                                   self.show_batch, self.visit)
        self.maps = MapCards(self.look_at, self._step_cell, self._saved)
        self.rehearsals = RehearsalCard(self._rehearsed, self.visit)
        self.advice = TextCard(title="Why not another setting", body=WAITING_WORDS)
        self.workers = [self.sweeps, self.sidebar.file.worker, self.rehearsals.job]
        self.exports = export.ExportCards(self.visit, self.rehearsals.rehearsal, self._take_suggestion)
        self.shell = self.framed_shell(
            {"map": self.maps.map, "verdict": self.exports.verdict, "slice": self.maps.slice, "take": self.exports.code,
             "cost": self.maps.cost, "watch": self.rehearsals.card, "advice": self.advice},
            sidebar=self.sidebar.view, layout=LAYOUT, label="Tune", foot="Data and sweep")

    # Actions of the user

    def run_advised(self) -> None:
        """Run the advised setting and the runs that follow from it, unless finished, and select each."""
        self.state.going = False
        self._start(advised=True)
        self._advised = self.sweeps.requests

    def sweep(self) -> None:
        """Start or continue the sweep."""
        self.state.going = True
        if self.result is not None and self.state.chosen in self.result.run_forecasts:
            self.state.chosen = None
        self._start()

    def cancel(self) -> None:
        """Stop the sweep; finished cells are kept."""
        self.state.going = False
        self.unwritten = True
        self.sweeps.cancel()

    def look_at(self, key: CellKey) -> None:
        """Select a cell."""
        self.state.param.update(chosen=key, plane=key.batch_size)

    def _saved(self, kind: str) -> str:
        """Return the cells as CSV, or the whole result as JSON."""
        result = self.result
        if result is None:
            return ""
        if kind == "csv":
            return export.cells_csv(result)
        return export.everything_json(result, self.rehearsals.rehearsal(result, result.looked_at))

    def show_batch(self, batch: int) -> None:
        """Select the same cell at another batch size."""
        if self.result is not None and batch in self.result.config.batches:
            self.look_at(self.result.nearest(*self.result.looked_at)._replace(batch_size=batch))

    def _step_cell(self, by: int) -> None:
        if self.result is not None:
            key = self.result.looked_at
            etas, key = self.result.config.etas_of(key.algorithm), self.result.nearest(*key)
            self.look_at(key._replace(eta0=etas[min(len(etas) - 1, max(0, etas.index(key.eta0) + by))]))

    def _take_suggestion(self, change: dict) -> None:
        """Apply a verdict's suggestion: select a cell or algorithm, set another C', or select the nearest cell."""
        key = self.result.looked_at
        if "cell" in change:
            self.look_at(change["cell"])
        elif "algorithm" in change:
            self.look_at(self.result.first_of(change["algorithm"]))
        elif "acceptance_radius" in change:
            knob = "acceptance_radius" if key.algorithm == "saga-ld" else "whitened_radius"
            self.state.put(knob, change["acceptance_radius"])
        else:
            wanted = key._replace(**{name: value for name, value in change.items() if name in CellKey._fields})
            self.look_at(self.result.nearest(*wanted))

    # Reactions

    def _follow(self, *events: Any) -> None:
        """Request another sweep or display another cell, from the state; a running sweep continues on the same data."""
        config = self.config
        if config.swept != self._asked:
            same = self._asked is not None and config.source == self._asked.source
            self.state.going = config.going and self.sweeps.running and same
            self._clear_unless_on(config)
            self._start()
        elif self.result is not None:
            looked, self.result = self.result.config, self._looking(self.result)
            if self.result.config == looked:
                return
            self.unwritten = True
            with pn.io.hold():
                self._show_result(self.result)

    def _clear_unless_on(self, config: TuneConfig) -> None:
        """Clear a result on other data."""
        if self._asked is None or config.data == self._asked.data:
            return
        self.result = None
        self.advice.body = WAITING_WORDS
        self.maps.clear()
        self.exports.clear()

    def _looking(self, result: TuneResult) -> TuneResult:
        """Return a result with the selection of the state."""
        return replace(result, config=result.config.replace(chosen=self.state.chosen, plane=self.state.plane))

    def _start(self, advised: bool = False) -> None:
        self._asked = self.config.swept
        self.sweeps.start(self.jobs.job(self.config, advised))
        self.unwritten = True
        self.shell.state = {"asked": str(self.sweeps.requests), "done": str(self._done)}

    def show(self, update: JobUpdate) -> None:
        """Display the sweep worker's update; called under the document's lock."""
        if update.value is not None and not update.error:
            self.result = self._looking(update.value)
            runs = self.result.runs
            if runs is not None and update.number == self._advised:
                key = key_of(runs.taken if update.done else runs.cells[-1])
                self.result = replace(self.result, config=self.result.config.replace(chosen=key, plane=key.batch_size))
            self._settle(self.result)
            self._show_result(self.result)
        if update.done:
            self._done = update.number
            if update.error:
                self.state.going = False
        self.sidebar.show_progress(update, self.result, WORKERS, self.visit.scheduler is not None,
                                   update.number == self._advised)
        self._publish_state()

    def _settle(self, result: TuneResult) -> None:
        """Adopt values filled in by the advisor."""
        offer(self.visit, result.config, result.stream)
        settled = result.config.replace(going=self.state.going)
        self.state.length, self._asked = result.stream.length, settled.swept
        self.state.base = result.advised
        if settled != self.config:
            self.unwritten = True
            self.state.load(settled)

    def _show_result(self, result: TuneResult) -> None:
        key = result.looked_at
        self.sidebar.show(result)
        self.maps.show(result)
        self.advice.body = about_others(result)
        self.exports.show(result, key)
        if not self.sweeps.running and (result.ended or not self.state.going):  # a running sweep has priority
            self.rehearsals.request(result, key)
        self._publish_state()

    def _publish_state(self) -> None:
        """Publish the displayed result as data attributes of the page."""
        result = self.result
        state = {"asked": str(self.sweeps.requests), "done": str(self._done)} if self.sweeps.requests else {}
        if result is not None:
            cell = result.cell(result.looked_at)
            state |= {"runs": str(len(result.run_forecasts)), "cells": str(len(result.finished)),
                      "total": str(result.config.cells), "ended": result.ended,
                      "looked": self.state.param.chosen.write(result.looked_at), "data": self.state.data,
                      "algorithm": self.state.algorithm,
                      "accuracy": "" if cell is None else f"{cell.accuracy:.4f}",
                      "watched": "0" if self.rehearsals.rehearsal(result, result.looked_at) is None else "1"}
        self.shell.state = state

    def _rehearsed(self) -> None:
        self._publish_state()
        if self.result is not None and not self.rehearsals.job.running:
            self.exports.show(self.result, self.result.looked_at)  # its chains may disagree

    def look(self) -> None:
        """Send the file that waits for its rehearsal."""
        self.exports.send_toml(self.rehearsals.job.running)

    def load(self, query: dict[str, Any]) -> None:
        """Display the state of URL parameters."""
        config, self.notices.words = TuneState.from_query(query)
        self._clear_unless_on(config)
        self._asked = config.swept
        self.state.load(config)
        self._start()

    # Lifecycle

    def begin(self) -> None:
        """Request the forecast and the stored cells."""
        if self.sweeps.requests == 0:
            self._start()

    def end(self) -> None:
        """Delete the uploaded file; finished cells of a sweep stay in the sweep's file."""
        self.sidebar.file.picker.close()
