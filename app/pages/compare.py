"""The Compare page: race of the papers' samplers on one stream, Figure 1, and the measured tables."""

from typing import Any
from urllib.parse import urlencode

import panel as pn

from app.compare import race_job, race_words
from app.compare.cards import CompareSidebar, layout_of, map_card, paper_card, race_card, tables_card
from app.compare.method_map import COLUMNS, csv_of, rows_of, shipped_map, spoken_of
from app.compare.race_job import RaceResult, TablesResult, shipped_results, tables_subject
from app.compare.race_problems import live_query, names_of, refusals
from app.compare.table_rows import content_of, figure_one_csv, race_csv, tables_csv
from app.jobs.background_job import BackgroundJob, JobUpdate
from app.jobs.worker_processes import in_process
from app.page import Page
from app.plots import cost_growth, method_map, paper_figure_one, race
from app.state.compare import CORESET, CompareConfig, CompareState
from app.visit import Visit
from app.widgets.cards import TableCard, TextCard
from sampler.racing import FigureOne

STALE = "The knobs have changed since: press Compare."


class ComparePage(Page):
    """Page object: served as a tab, or displayed as the last line of a notebook cell.

    It opens with shipped results, the map of methods first, and runs on request.

    Parameters
    ----------
    config
        Initial configuration of the race; by default the paper's problem.
    words, dark, framed
        See `Page`.
    """

    period = 200

    def __init__(self, config: CompareConfig | None = None, *, dark: bool = False, **params: Any) -> None:
        super().__init__(**params)
        config = config or CompareConfig()
        self.state = CompareState.of(config, base=CompareConfig().on_problem(config.problem, config.coreset))
        self.background = BackgroundJob("compare-worker", self._take, visit=self.visit)
        self.workers = [self.background]
        race, figure, tables = shipped_results()
        self.race: RaceResult | None = race if config.raced == race.config.raced else None
        self.figures: dict[int, FigureOne] = {figure.steps: figure}  #: steps -> Figure 1
        self.tables: dict[tuple, TablesResult] = {tables_subject(one.config): one for one in tables}
        self._busy: Any = None  #: card of the running job
        self._drawn: dict[str, Any] = {}  #: card -> key of its drawn figure
        self._build()
        self._follow()
        self.watch(self._changed, self.state.settable())
        self.dark(dark)

    @classmethod
    def read_link(cls, query: dict[str, Any], visit: Visit) -> tuple[CompareConfig, list[str]]:
        """Return the configuration in a link's query and messages about its faults."""
        return CompareState.from_query(query, visit.coreset)

    def _build(self) -> None:
        self.sidebar = CompareSidebar(self.state, self.start, self.background.cancel, self.show_view,
                                      offered=self.visit.coreset)
        self.race_card = race_card({"choose": self._choose, "press": self.start,
                                    "csv": lambda: self.race and self.race.curves and race_csv(self.race, self.config)})
        self.paper_card = paper_card({"choose": self._choose,
                                      "csv": lambda: self.figure_one and figure_one_csv(self.figure_one)})
        self.tables_card = tables_card({"choose": self._choose, "press": lambda: self.show_view("tables"),
                                        "csv": lambda: self.growth and self.growth.growth and tables_csv(self.growth)})
        self.cards = (self.race_card, self.paper_card, self.tables_card)
        self.map_card = map_card({"choose": self._choose_dim, "csv": lambda: csv_of(shipped_map())})
        self.table = TableCard(name_column="sampler", filename="compare-table", empty=race_words.NOT_RUN)
        self.text = TextCard(self._press)
        methods = TableCard(title="Methods", subtitle="Over all posteriors of the map", name_column="method",
                            columns=COLUMNS, rows=rows_of(shipped_map()), filename="methods")
        self.shell = self.framed_shell(
            {"map": self.map_card, "which": methods, "chart": self.race_card, "table": self.table, "text": self.text,
             "paper": self.paper_card, "tables": self.tables_card},
            layout=self._layout(), sidebar=self.sidebar.view, label="Compare", foot="Samplers and knobs")

    def _layout(self) -> str:
        return layout_of(self.state.view, self.state.view == "race" and not self.background.requests)

    @property
    def figure_one(self) -> FigureOne | None:
        """Figure 1 at the chosen budget, or None before it has run."""
        return self.figures.get(self.state.steps)

    @property
    def growth(self) -> TablesResult | None:
        """Tables of the chosen problem, or None before they have run."""
        return self.tables.get(tables_subject(self.config))

    # Actions of the user

    def take_notice(self, kind: str) -> None:
        """Repeat the run after an error."""
        self.start()

    def start(self) -> None:
        """Run the view: a race, Figure 1, or the tables."""
        config, blocked = self.config, refusals(self.config)
        why = race_words.refusal(config, blocked) if config.view == "race" else ""
        if config.view == "tables" and config.problem == CORESET:
            why = "The tables need a stream of data; a coreset is one fixed set. Choose another problem."
        if why:
            self.sidebar.buttons.error = why
            return
        self._busy = {"race": self.race_card, "paper": self.paper_card, "tables": self.tables_card}[config.view]
        self.background.start(self._job(config, blocked))
        with pn.io.hold():
            self.sidebar.buttons.param.update(running=True, fraction=None, left="", error="", words="")
            self._report(False)

    def _job(self, config: CompareConfig, blocked: dict[str, str]) -> Any:
        """Return the job of a view. A race keeps its finished curves; a complete race is run again."""
        if config.view == "paper":
            return in_process(race_job.run_figure_one, config.steps)
        if config.view == "tables":
            return in_process(race_job.run_tables, config)
        previous = self.race
        same = previous is not None and not previous.shipped and previous.config.raced == config.raced
        whole = same and previous.raced and all(key in previous.curves or key in blocked for key in config.samplers)
        return in_process(race_job.run_race, config, previous if same and not whole else None)

    def show_view(self, view: str) -> None:
        """Bring a view to the top, or the race if the view is there already; run it if it has no result."""
        self.state.view = "race" if view == self.state.view else view
        self.go_on()

    def go_on(self) -> None:
        """Run the view unless it has a result."""
        if {"race": self.race, "paper": self.figure_one, "tables": self.growth}[self.state.view] is None:
            self.start()

    def _choose(self, name: str, value: str) -> None:
        """Handle a segmented control of a card; another budget or table brings its card to the top."""
        if name in ("against", "scale"):
            self.state.param.update(**{"axis" if name == "against" else name: value})
            return
        self.state.param.update(**({"steps": int(value), "view": "paper"} if name == "steps"
                                   else {"table": value, "view": "tables"}))
        self.go_on()

    def _choose_dim(self, name: str, value: str) -> None:
        """Display the map for another number of dimensions."""
        table, dim = shipped_map(), int(value)
        self.map_card.views[0].show(method_map(table, dim))
        self.map_card.spoken = spoken_of(table, dim)

    def _press(self, key: str) -> None:
        if key == "live" and self.visit.open_page is not None:
            self.visit.open_page("live", live_query(self.config))
        elif key == "race":
            self.show_view("race")

    def load(self, query: dict[str, Any]) -> None:
        """Display the state of URL parameters and run it."""
        config, self.notices.words = self.read_link(query, self.visit)
        self.sidebar.offered = self.visit.coreset
        self.state.base = CompareConfig().on_problem(config.problem, config.coreset)
        self.state.load(config)
        if self.race is None or self.race.config.raced != config.raced:
            self.start()

    # Reactions

    def _changed(self, *events: Any) -> None:
        """Redraw after a change; run samplers that the race lacks."""
        self.unwritten = True
        with pn.io.hold():
            self._follow()
        if self.state.view == "race" and self._lacks() and not self.background.running:
            self.start()

    def _lacks(self) -> bool:
        """Return whether the race lacks only samplers, which can run."""
        result, config = self.race, self.config
        if result is None or result.facts is None or result.config.raced != config.raced or not result.raced:
            return False
        missing = [key for key in config.samplers if key not in result.curves]
        return bool(missing) and any(key not in refusals(config) for key in missing)

    def _follow(self) -> None:
        """Draw the results and texts of the view."""
        config, result = self.config, self.race
        self.shell.layout = self._layout()
        for card, chosen in zip(self.cards, ({"against": config.axis, "scale": config.scale}, {"steps": str(config.steps)},
                                             {"table": config.table}), strict=True):
            card.chosen = chosen
        self._draw_race(config, result)
        self._draw("paper", self.paper_card, (config.steps, self.figure_one), lambda: paper_figure_one(
            self.figure_one, FigureOne.printed))
        growth = {} if self.growth is None else self.growth.growth
        self._draw("tables", self.tables_card, self.growth, lambda: cost_growth(growth))
        self.tables_card.empty = race_words.TABLES_EMPTY if self.growth is None else ""
        self._write(config, result)
        stale = result is not None and result.config.raced != config.raced and config.view == "race"
        buttons = self.sidebar.buttons
        if stale and not buttons.running:
            buttons.words = STALE
        elif buttons.words == STALE:
            buttons.words = ""
        if config.samplers:
            buttons.error = ""

    def _draw_race(self, config: CompareConfig, result: RaceResult | None) -> None:
        def figure() -> Any:
            names, log = names_of(config), config.scale == "log"
            if config.axis == "t":
                costs = {} if result is None else result.costs
                return cost_growth({key: costs[key] for key in config.samplers if key in costs}, log=log, at=config.t,
                                   names=names)
            curves, facts = ({}, None) if result is None else (result.curves, result.facts)
            spent = config.evaluations if config.axis == "evaluations" else config.seconds
            return race({key: curves[key] for key in config.samplers if key in curves}, facts and facts.ceiling,
                        cost=config.axis, log=log, pass_at=facts and facts.t, names=names,
                        budget=spent if config.budget == config.axis else 0.0)

        shown = (result, config.replace(view="race", steps=300, table="online"))
        spoken = race_words.spoken(result) if result is not None and result.raced else ""
        self._draw("race", self.race_card, shown, figure)
        title = "Cost of an epoch as data arrive" if config.axis == "t" else "Accuracy against cost"
        self.race_card.param.update(
            heads=[[title, race_words.subtitle(result, config)]], warnings=[] if result is None else list(result.warnings),
            spoken=spoken, caption=race_words.shipped(result),
            empty=race_words.NOT_RUN if result is None and not self.background.running else "")

    def _draw(self, name: str, card: Any, shown: Any, figure: Any) -> None:
        """Display a figure unless the card shows it already."""
        if name not in self._drawn or self._drawn[name] != shown:
            self._drawn[name] = shown
            card.views[0].show(figure())

    def _write(self, config: CompareConfig, result: RaceResult | None) -> None:
        """Fill the table and the text next to the figure."""
        running = self.sidebar.buttons.running
        table, words = content_of(config, result, self.figure_one, self.growth, running)
        self.table.param.update(**table, empty=race_words.WAITING if running else race_words.NOT_RUN)
        live = config.problem != CORESET
        buttons = [["race", "Back to the race", "", False]] if config.view != "race" else (
            [["live", "Show it on Live", "", False]] if live else [])
        links = {} if self.visit.open_page is not None or not live else {
            "live": "?" + urlencode({"page": "live", **live_query(config)})}
        self.text.param.update(**words, buttons=buttons, links=links)

    def show(self, update: JobUpdate) -> None:
        """Display the job's update; called under the document's lock."""
        value = update.value
        if isinstance(value, RaceResult):
            self.race = value
        elif isinstance(value, FigureOne):
            self.figures[value.steps] = value
        elif isinstance(value, TablesResult):
            self.tables[tables_subject(value.config)] = value
        self.sidebar.buttons.show(update)
        self._follow()
        for card in self.cards:
            card.progress = update.progress if card is self._busy else None
        self.notices.show_error("The work stopped", update.error)
        self._report(update.done)

    def _report(self, done: bool) -> None:
        """Publish the progress as data attributes of the page."""
        curves = {} if self.race is None else self.race.curves
        figure, growth = self.figure_one, self.growth
        self.shell.state = {
            "request": str(self.background.requests), "done": "1" if done else "0", "view": self.state.view,
            "curves": str(sum(c.finished for c in curves.values())),
            "costs": str(0 if self.race is None else len(self.race.costs)),
            "points": str(sum(c.accuracy.size for c in curves.values())),
            "sets": str(0 if figure is None else figure.ceiling.size),
            "measured": str(0 if growth is None else len(growth.growth))}

    def _take(self, update: JobUpdate) -> None:
        """Display the worker's update; continue a race that lacks a sampler."""
        self.show(update)
        if update.done and not update.cancelled and not update.error and self._lacks():
            self.start()

    def look(self) -> None:
        """Offer the coreset passed on by the Coreset page."""
        if self.sidebar.offered is not self.visit.coreset:
            self.sidebar.offered = self.visit.coreset

    # Lifecycle

    @property
    def going(self) -> bool:
        """Whether anything has run on this page."""
        return self.background.requests > 0

    def begin(self) -> None:
        """Publish the idle state; work starts on request."""
        if not self.background.requests:
            self._report(True)
