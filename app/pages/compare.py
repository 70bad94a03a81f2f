"""The Compare page: the samplers of the papers raced on one stream, Figure 1, and the tables as measurements."""

from __future__ import annotations

from typing import Any

import panel as pn

from app.background_job import BackgroundJob, JobUpdate
from app.compare import papers_words, words
from app.compare.charts.paper_scene import paper_scene
from app.compare.charts.race_scene import race_scene
from app.compare.charts.scene_panel import ScenePanel
from app.compare.charts.tables_scene import tables_scene
from app.compare.components.cards import LAYOUTS, chart_card, paper_card, tables_card
from app.compare.components.sidebar import CompareSidebar
from app.compare.config import CompareConfig
from app.compare.job import work_of
from app.compare.links import live_query
from app.compare.picture import PaperPicture, RacePicture, TablesPicture
from app.compare.problems import CORESET
from app.compare.query import from_query, to_query
from app.compare.saving import paper_csv, race_csv, tables_csv
from app.compare.telling import Told, told
from app.handover import session
from app.page import Page
from app.widgets.notices import Notices
from app.widgets.shell import PageShell
from app.widgets.table_card import TableCard
from app.widgets.text_card import TextCard
from sampler.racing import FigureOne


class ComparePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to race first; by default the paper's problem.
    words
        Sentences to show on arrival, such as what was wrong with a link.
    dark
        Start in the dark theme.
    framed
        Whether the page fills a window under a header (the dashboard) or stands alone (a notebook).
    """

    period = 200

    def __init__(self, config: CompareConfig | None = None, *, words: tuple[str, ...] | list[str] = (),
                 dark: bool = False, framed: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.config = config or CompareConfig()
        self.session = session()
        self.background = BackgroundJob("compare-worker")
        self.race: RacePicture | None = None
        self.paper: PaperPicture | None = None
        self.tables: TablesPicture | None = None
        self._number, self._coreset = 0, self.session.coreset
        self._drawn: tuple = (0, 0)  #: pictures of Figure 1 and of the tables that are on show; 0 for none yet
        self._build(list(words), framed)
        self._reflect()
        self._draw()
        if dark:
            self.dark(True)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> ComparePage:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, said = from_query(query, session().coreset)
        return cls(config, words=said, dark=dark, framed=True)

    def _build(self, said: list[str], framed: bool) -> None:
        self.chart, self.figure = ScenePanel("compare-race"), ScenePanel("compare-paper", 128, 150)
        self.slopes = ScenePanel("compare-tables", 64, 150)
        self.sidebar = CompareSidebar(self.config, self.session.coreset, self.set, self.start, self.background.cancel,
                                      self.show_view)
        self.chart_card = chart_card(self.chart, {"choose": self._choose,
                                                  "csv": lambda: race_csv(self.race, self.config)})
        self.paper_card = paper_card(self.figure, {"choose": self._choose, "csv": lambda: paper_csv(self.paper)})
        self.tables_card = tables_card(self.slopes, {"choose": self._choose, "csv": lambda: tables_csv(self.tables),
                                                     "press": lambda: self.show_view("tables")})
        self.table = TableCard(name_column="sampler", filename="compare-table", empty="The samplers are on their way.")
        self.text = TextCard(self._press)
        self.notices = Notices(lambda kind: self.start(), words=said)
        self.shell = PageShell(
            {"chart": self.chart_card, "table": self.table, "text": self.text, "paper": self.paper_card,
             "tables": self.tables_card},
            layout=LAYOUTS[self.config.view], notices=self.notices, sidebar=self.sidebar.view, label="Compare",
            foot="Samplers and knobs", framed=framed)

    # What a person does

    def set(self, config: CompareConfig) -> None:
        """Take a configuration; what the picture lacks is run if it is only a sampler."""
        self.config, self.address.due = config, True
        with pn.io.hold():
            self._reflect()
            self._draw()
        if config.view == "race" and self._lacks() and not self.background.running:
            self.start()

    def _lacks(self) -> bool:
        """Whether only samplers are missing from the picture, and they can run."""
        race = self.race
        if race is None or race.ground is None or race.config.raced != self.config.raced or not race.raced:
            return False
        return any(key not in race.curves and key not in self.sidebar.blocked for key in self.config.samplers)

    def start(self) -> None:
        """Run what the view shows: a race, Figure 1, or the tables."""
        config = self.config
        blocked = self.sidebar.blocked
        why = words.refusal(config, blocked) if config.view == "race" else ""
        if config.view == "tables" and config.problem == CORESET:
            why = "The tables need a stream of data; a coreset is one fixed set. Choose another problem."
        if why:
            self.sidebar.buttons.error = why
            return
        work = work_of(config, self.race, self.session.coreset, blocked)
        self._number = self.background.start(work)
        with pn.io.hold():
            self.sidebar.buttons.param.update(running=True, fraction=None, left="", error="", words="")
            self._say_state(False)

    def show_view(self, view: str) -> None:
        """Bring the race, Figure 1 or the tables to the top; what has not been run yet is run."""
        self.set(self.config.replace(view="race" if view == self.config.view else view))
        missing = {"race": self.race is None,
                   "paper": self.paper is None or self.paper.figure is None or self.paper.steps != self.config.steps,
                   "tables": self.tables is None or self.tables.table != self.config.table}
        if missing[self.config.view]:
            self.start()

    def _choose(self, name: str, value: str) -> None:
        field = {"against": "axis", "scale": "scale", "steps": "steps", "table": "table"}[name]
        self.set(self.config.replace(**{field: int(value) if field == "steps" else value}))
        if field in ("steps", "table"):
            view = "paper" if field == "steps" else "tables"
            self.config = self.config.replace(view="race")  # so that showing the view turns to it, not away
            self.show_view(view)

    def _press(self, key: str) -> None:
        if key == "live" and self.session.visit is not None:
            self.session.visit("live", live_query(self.config))
        elif key == "race":
            self.show_view("race")

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return to_query(self.config)

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        config, said = from_query(query, self.session.coreset)
        self.notices.words = said
        self.set(config)
        if self.race is None or self.race.config.raced != self.config.raced or config.problem == CORESET:
            self.start()

    # What follows from it

    def _reflect(self) -> None:
        """Make sidebar and controls stand as the configuration does."""
        config = self.config
        self.sidebar.reflect(config, self.race, self.session.coreset)
        self.shell.layout = LAYOUTS[config.view]
        for card, chosen in ((self.chart_card, {"against": config.axis, "scale": config.scale}),
                             (self.paper_card, {"steps": str(config.steps)}),
                             (self.tables_card, {"table": config.table})):
            if card.chosen != chosen:
                card.chosen = chosen

    def _draw(self) -> None:
        """Draw what is known, in the words of the view."""
        config, race = self.config, self.race
        self.chart.show(race_scene(race, config))
        title = "Cost of an epoch as data arrive" if config.axis == "t" else "Accuracy against cost"
        self.chart_card.param.update(heads=[[title, words.subtitle(race, config)]],
                                     warnings=[] if race is None else list(race.notes),
                                     spoken=words.spoken(race) if race is not None and race.raced else "")
        if self._drawn[0] is not self.paper:
            self.figure.show(paper_scene(self.paper, FigureOne.as_printed()))
        if self._drawn[1] is not self.tables:
            self.slopes.show(tables_scene(self.tables))
        self._drawn = self.paper, self.tables
        self.tables_card.empty = papers_words.TABLES_EMPTY if self.tables is None else ""
        self._tell(told(config, race, self.paper, self.tables))

    def _tell(self, now: Told) -> None:
        if (self.table.columns, self.table.rows) != (now.columns, now.rows):
            self.table.param.update(columns=now.columns, rows=now.rows, title=now.title, subtitle=now.subtitle)
        live = self.config.problem != CORESET
        buttons = [["race", "Back to the race", "", False]] if self.config.view != "race" else (
            [["live", "Show it on Live", "", False]] if live else [])
        links = {} if self.session.visit is not None or not live else {
            "live": "?" + "&".join(f"{k}={v}" for k, v in {"page": "live", **live_query(self.config)}.items())}
        if (self.text.heading, self.text.body, self.text.buttons) != (now.heading, now.body, buttons):
            self.text.param.update(heading=now.heading, body=now.body, buttons=buttons, links=links)

    def show(self, update: JobUpdate) -> None:
        """Show how the work stands; called under the document's lock."""
        found = update.value
        if isinstance(found, RacePicture):
            self.race = found
        elif isinstance(found, PaperPicture):
            self.paper = found
        elif isinstance(found, TablesPicture):
            self.tables = found
        self._draw()
        self.sidebar.buttons.show(update)
        working = {card: None for card in (self.chart_card, self.paper_card, self.tables_card)}
        if not update.done:
            kinds = {PaperPicture: self.paper_card, TablesPicture: self.tables_card}
            working[kinds.get(type(found), self.chart_card)] = update.fraction if update.fraction is not None else -1.0
        for card, part in working.items():
            card.param.update(progress=part)
        if update.done:
            self.sidebar.reflect(self.config, self.race, self.session.coreset)
        if update.error:
            self.notices.param.update(notice=f"The work stopped: {update.error}", kind="error", action="Try again")
        elif self.notices.kind:
            self.notices.param.update(notice="", kind="", action="")
        self._say_state(update.done)

    def _say_state(self, done: bool) -> None:
        race = self.race
        self.shell.state = {
            "request": str(self._number), "done": "1" if done else "0", "view": self.config.view,
            "curves": str(0 if race is None else sum(c.finished for c in race.curves.values())),
            "costs": str(0 if race is None else len(race.costs)),
            "points": str(0 if race is None else sum(c.accuracy.size for c in race.curves.values())),
            "sets": str(0 if self.paper is None or self.paper.figure is None else self.paper.figure.ceiling.size),
            "measured": str(0 if self.tables is None else len(self.tables.growth))}

    def look(self) -> None:
        """Show what the worker has; a race that lacks a sampler goes on."""
        update = self.background.take()
        if update is not None and update.number == self._number:
            with pn.io.hold():
                self.show(update)
            if update.done and not update.cancelled and not update.error and self._lacks():
                self.start()
        if self.session.coreset is not self._coreset:
            self._coreset = self.session.coreset
            with pn.io.hold():
                self._reflect()

    # Life

    def dark(self, dark: bool) -> None:
        """Change theme."""
        with pn.io.hold():
            for panel in (self.chart, self.figure, self.slopes):
                if panel.dark != dark:
                    panel.restyle(dark)

    def begin(self) -> None:
        """Start the first race."""
        if self._number == 0:
            self.start()

    def end(self) -> None:
        """End the worker thread."""
        self.background.close()
