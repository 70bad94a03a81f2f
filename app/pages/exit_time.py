"""The Exit time page: thousands of chains through one epoch, and bounds on the fraction that stays inside."""

from typing import Any

import panel as pn

from app.csv_text import result_columns
from app.exit_time import result_words as words
from app.exit_time.cards import LAYOUT, ExitFigures, ExitSidebar, PriceCard, figure_cards, statements
from app.exit_time.drawings import survival_columns
from app.exit_time.job import ExitResult, run_exits
from app.exit_time.promise import good_events
from app.exit_time.simulated_chains import order
from app.exit_time.theory_price import price
from app.jobs.background_job import BackgroundJob, JobUpdate
from app.jobs.worker_processes import in_process
from app.live.run_handover import LiveHandover
from app.page import Page
from app.plots import good_events as good_events_figure
from app.state.exit_time import DEFAULT_PRESET, PRESETS, ExitConfig, ExitState
from app.widgets.cards import TextCard


class ExitTimePage(Page):
    """Page object: served as a tab, or displayed as the last line of a notebook cell.

    Parameters
    ----------
    config
        Initial configuration; by default the one in which the printed bound fails.
    words, dark, framed
        See `Page`.
    """

    State = ExitState
    shows_epoch = True  #: a class can follow its `result`

    def __init__(self, config: ExitConfig | None = None, *, dark: bool = False, **params: Any) -> None:
        super().__init__(**params)
        config = config or PRESETS[DEFAULT_PRESET].config
        self._preset = ExitState.preset_of(config)  #: key of the last preset, "" for none
        self.state = ExitState.of(config, base=PRESETS[self._preset or DEFAULT_PRESET].config)
        self.worker = BackgroundJob("exit-time-worker", self.show, show_overtaken=True, visit=self.visit)
        self.workers = [self.worker]
        self.figures = ExitFigures(self.choose_chain)
        self.result: ExitResult | None = None
        self._asked: ExitConfig | None = None  #: configuration of the latest request
        self._live: LiveHandover | None = None
        self._build()
        self._follow()
        self.watch(self._changed, self.state.settable())
        self.dark(dark)

    def _build(self) -> None:
        self.sidebar = ExitSidebar(self.state, self.show_preset)
        self.cards = figure_cards(self.figures, {
            "choose": self._flip, "csv": lambda: self.result and result_columns(survival_columns(self.result)),
            "step": self._step_chain, "press": lambda: self.show_preset("live")})
        self.crowd, self.sums = self.cards["crowd"], self.cards["sums"]
        self.price = PriceCard(self._show_price)
        self.price.show(price(None))
        self.shell = self.framed_shell(
            {area: self.cards[area] for area in ("crowd", "sums", "pushes")} | {"price": self.price}
            | {area: self.cards[area] for area in ("good", "process", "promise")}
            | {"says": TextCard(title="More of the paper, checked", body=statements())},
            layout=LAYOUT, sidebar=self.sidebar.view, label="Exit time", foot="Knobs and pictures to try")

    # Actions of the user

    def take_notice(self, kind: str) -> None:
        """Repeat the computation after an error."""
        self._compute()

    def show_preset(self, key: str) -> None:
        """Display a preset."""
        self._set(PRESETS[key].config, key)

    def load(self, query: dict[str, Any]) -> None:
        """Display the state of URL parameters."""
        config, self.notices.words = ExitState.from_query(query)
        self._set(config, ExitState.preset_of(config))

    def _set(self, config: ExitConfig, preset: str) -> None:
        """Set the whole configuration, also as the base of the knobs, and compute even if it is unchanged."""
        self._preset, self._asked = preset, config
        self.state.base = PRESETS[preset].config if preset else config
        self.state.load(config)
        self._compute()

    def choose_chain(self, chain: int) -> None:
        """Decompose the path of this chain."""
        self.state.chain = int(chain)

    def _step_chain(self, by: int) -> None:
        result = self.result
        if result is not None and result.sums is not None:
            chains = order(result.crowd.path_exits)
            at = chains.index(result.sums.chain) if result.sums.chain in chains else -by
            self.choose_chain(chains[(at + by) % len(chains)])

    def _flip(self, control: str, value: str) -> None:
        with pn.io.hold():
            self.figures.set_squared(value != "plain", self.result)
            self._head_crowd()

    def _show_price(self, choice: str) -> None:
        self.price.choice = choice = "live" if choice == "live" and self._live is not None else "paper"
        try:
            self.price.show(price(self._live if choice == "live" else None))
        except ValueError as wrong:
            self.price.show(None, str(wrong))

    # Reactions

    def _changed(self, *events: Any) -> None:
        """Compute after a change by the user, but not after values filled in by a computation."""
        if self.config != self._asked:
            self._compute()

    def _compute(self) -> None:
        self._asked = self.config
        live = self.visit.live if self._asked.needs_live else None
        self.worker.start(in_process(run_exits, self._asked, live))
        self.unwritten = True
        with pn.io.hold():
            self._follow()

    def _follow(self) -> None:
        """Mark the current preset in the sidebar and the result as pending."""
        config = self.config
        key = self._preset if config.plain == self.state.base.plain else ExitState.preset_of(config)
        self.sidebar.presets.param.update(chosen=key, says=PRESETS[key].hint if key else "")
        self.sidebar.starts.note = words.from_live(config, self.result)
        self.shell.state = {"request": str(self.worker.requests), "done": "0"}

    def show(self, update: JobUpdate) -> None:
        """Display the worker's update; called under the document's lock."""
        self.notices.show_error("The computation stopped", update.error)
        self.crowd.param.update(progress=update.progress, working=update.working)
        result = update.value
        if result is None:
            return
        self.result = result
        self.figures.show(result)
        self._head_crowd()
        self.crowd.param.update(warnings=words.warnings(result), caption=words.crowd_caption(result),
                                spoken=words.spoken(result) if update.done else self.crowd.spoken)
        self._show_sums(result)
        self.cards["pushes"].caption = words.pushing(result)
        if update.done:
            for name, shown, caption in (("process", result.process, words.process_caption(result)),
                                         ("promise", result.promise, words.promise_caption(result))):
                self.cards[name].param.update(empty="" if shown else words.CAPTIONS[f"no_{name}"], caption=caption)
        if update.number == self.worker.requests:
            self._settle(result, update.done)

    def _settle(self, result: ExitResult, done: bool) -> None:
        """Adopt values filled in by the worker, and publish the state of the computation."""
        if result.config != self._asked:
            if self._asked.adopt:
                self.state.base = result.config
            self._asked, self.unwritten = result.config, True
            self.state.load(result.config)
            self._follow()
        self.sidebar.cost.note = words.timing(result) or self.sidebar.cost.note  # keeps the last note without a new timing
        self.sidebar.starts.note = words.from_live(result.config, result)
        if result.live is not None:
            self._show_live(result.live)
        self.shell.state = {
            "request": str(self.worker.requests), "done": "1" if done else "0",
            "inside": f"{result.crowd.inside.share[-1]:.6f}", "chains": str(result.crowd.chains)}

    def _head_crowd(self) -> None:
        if self.result is not None:
            count, what = self.result.crowd.chains, "squared distance" if self.figures.squared else "distance"
            unit = "r²" if self.figures.squared else "r"
            self.crowd.heads = [[f"{count:,} chains through one epoch", f"{what} to the mode ÷ {unit}"],
                                self.crowd.heads[1]]

    def _show_sums(self, result: ExitResult) -> None:
        sums = result.sums
        if sums is None:
            if result.too_long:
                self.sums.param.update(empty=words.CAPTIONS["too_long"], stepper="")
            return
        self.sums.param.update(stepper=f"chain {sums.chain:,}", empty="", caption=words.splitting(result))

    def _show_live(self, state: LiveHandover) -> None:
        if self._live is not None and state.key == self._live.key:
            return
        self._live = state
        events = good_events(state)
        self.figures.good.show(good_events_figure(events.epochs, events.escape, events.reset_epochs, events.reset))
        self.cards["good"].param.update(empty="", button="", caption=events.words, heads=[[
            "Measured on Live’s run", words.measured_on(state)]])
        self.price.has_live = True
        self._show_price(self.price.choice)

    def look(self) -> None:
        """Display the state handed over by Live."""
        if self.visit.live is not None:
            self._show_live(self.visit.live)

    # Lifecycle

    def begin(self) -> None:
        """Compute the first result."""
        if self.worker.requests == 0:
            self._compute()
