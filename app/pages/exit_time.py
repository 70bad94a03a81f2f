"""The Exit time page: thousands of chains through one epoch, and curves that say how many must stay."""

from __future__ import annotations

import time
from typing import Any

import panel as pn

from app.background_job import BackgroundJob, JobUpdate
from app.exit_time import result_words as words
from app.exit_time.components.cards import crowd_card, good_card, process_card, promise_card, pushes_card, sums_card
from app.exit_time.components.price_card import PriceCard
from app.exit_time.components.sidebar import ExitSidebar
from app.exit_time.figures import ExitFigures
from app.exit_time.good_events import good_events
from app.exit_time.job import ExitJobs
from app.exit_time.live_default import LiveSource
from app.exit_time.presets import DEFAULT_PRESET, PRESETS, default_config, from_query, preset_of
from app.exit_time.process_words import NO_PROCESS, process_caption
from app.exit_time.promise_words import FLAT, promise_caption
from app.exit_time.result import ExitResult
from app.exit_time.statements import statements
from app.exit_time.survival_csv import survival_csv
from app.exit_time.theory_price import price
from app.handover import LiveHandover, session
from app.page import Page
from app.state.exit_time import ExitConfig, ExitState
from app.widgets.notices import Notices
from app.widgets.shell import PageShell
from app.widgets.text_card import TextCard

LAYOUT = ("grid-template: 'crowd sums' calc(.49 * max(760px, var(--lab-room) - 44px) - 6px)"
          " 'crowd pushes' calc(.51 * max(760px, var(--lab-room) - 44px) - 6px)"
          " 'process good' 396px 'promise price' minmax(430px, max-content) 'says says' auto"
          " / minmax(0, 704fr) minmax(0, 440fr)")
"""The first two rows fill a window and let the third be guessed."""


class ExitTimePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to compute first; by default the one in which the printed bound fails.
    words, dark, framed
        See `CellView`.
    """

    shows_epoch = True  #: a class can follow its `result`

    def __init__(self, config: ExitConfig | None = None, *, words: tuple[str, ...] | list[str] = (),
                 dark: bool = False, framed: bool = False, **params: Any) -> None:
        super().__init__(**params)
        config = config or default_config()
        self._preset = preset_of(config)  #: key of the preset shown last, "" for none
        self.state = ExitState.of(config, base=PRESETS[self._preset or DEFAULT_PRESET].config)
        self.session = session()
        self._jobs = ExitJobs(LiveSource(self.session))
        self.worker = BackgroundJob("exit-time-worker", show_overtaken=True)
        self.figures = ExitFigures(self.choose_chain, dark)
        self.result: ExitResult | None = None
        self._asked: ExitConfig | None = None  #: configuration of the latest request
        self._request, self._posted, self._live = 0, 0.0, None
        self._build(list(words), framed)
        self._follow()
        self.state.param.watch(self._changed, self.state.settable())
        self._dark = dark

    @classmethod
    def read_link(cls, query: dict[str, Any]) -> tuple[ExitConfig, list[str]]:
        """Return what a link describes, and what was wrong with it in words."""
        return from_query(query)

    def _build(self, said: list[str], framed: bool) -> None:
        figures, state = self.figures, self.state
        self.sidebar = ExitSidebar(state, self.show_preset)
        self.knobs = self.sidebar.knobs
        self.crowd = crowd_card(figures, {"choose": self._flip, "csv": lambda: survival_csv(self.result)})
        self.sums = sums_card(figures, {"step": self._step_chain})
        self.pushes = pushes_card(figures)
        self.process = process_card(figures)
        self.promise = promise_card(figures)
        self.good = good_card(figures, {"press": lambda: self.show_preset("live")})
        self.price = PriceCard(self._show_price)
        self.price.show(price(None))
        self.notices = Notices(lambda kind: self._compute(), words=said)
        self.shell = PageShell(
            {"crowd": self.crowd, "sums": self.sums, "pushes": self.pushes, "price": self.price, "good": self.good,
             "process": self.process, "promise": self.promise,
             "says": TextCard(title="More of the paper, checked", body=statements())},
            layout=LAYOUT, notices=self.notices, sidebar=self.sidebar.view, label="Exit time",
            foot="Knobs and pictures to try", framed=framed)

    # What the user does

    def show_preset(self, key: str) -> None:
        """Show one of the pictures to try."""
        if key in PRESETS:
            self._set(PRESETS[key].config, key)

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        config = from_query(query)[0]
        self._set(config, preset_of(config))

    def _set(self, config: ExitConfig, preset: str) -> None:
        """Set everything and compute, changed or not; knobs lead back to this."""
        self._preset, self._asked = preset, config
        self.state.base = PRESETS[preset].config if preset else config
        self.state.load(config)
        self._compute()

    def choose_chain(self, chain: int) -> None:
        """Split this chain's path."""
        self.state.chain = int(chain)

    def _step_chain(self, by: int) -> None:
        result = self.result
        if result is not None and result.order and result.sums is not None:
            chains = list(result.order)
            at = chains.index(result.sums.chain) if result.sums.chain in chains else -by
            self.choose_chain(chains[(at + by) % len(chains)])

    def _flip(self, control: str, value: str) -> None:
        with pn.io.hold():
            self.figures.set_squared(value != "plain")
            self._head_crowd()

    def _show_price(self, choice: str) -> None:
        self.price.choice = choice = "live" if choice == "live" and self._live is not None else "paper"
        try:
            self.price.show(price(self._live if choice == "live" else None))
        except ValueError as wrong:
            self.price.show(None, str(wrong))

    # What follows from it

    def _changed(self, *events: Any) -> None:
        """Compute what the user has set; what a computation filled in is there already."""
        if self.config != self._asked:
            self._compute()

    def _compute(self) -> None:
        self._asked = self.config
        self._request, self._posted = self.worker.start(self._jobs.job(self._asked)), time.monotonic()
        self.address.due = True
        with pn.io.hold():
            self._follow()

    def _follow(self) -> None:
        """Make the sidebar say which preset is shown, and the page that a result is awaited."""
        config = self.config
        key = self._preset if config.plain == self.state.base.plain else preset_of(config)
        self.sidebar.show_preset(key, words.from_live(config, self.result))
        self.shell.state = {"request": str(self._request), "done": "0"}

    def show(self, update: JobUpdate) -> None:
        """Show what the worker has; called under the document's lock."""
        self.notices.show_error("The computation stopped", update.error)
        waiting = not update.done
        self.crowd.param.update(
            progress=(-1.0 if update.fraction is None else update.fraction) if waiting else None,
            working=update.working)
        result = update.value
        if result is None or result.crowd is None:
            return
        self.result = result
        self.figures.show(result)
        self._head_crowd()
        caption = words.reading(result) + (f"<p>{words.batches(result)}</p>" if words.batches(result) else words.FORMULA)
        self.crowd.param.update(warnings=words.warnings(result), caption=caption,
                                spoken=words.spoken(result) if update.done else self.crowd.spoken)
        self._show_sums(result)
        self.pushes.caption = words.pushing(result)
        if update.done:
            self.process.param.update(empty="" if result.process else NO_PROCESS, caption=process_caption(result))
            self.promise.param.update(empty="" if result.promise is not None else FLAT, caption=promise_caption(result))
        if update.number == self._request:
            self._settle(result, update.done)

    def _settle(self, result: ExitResult, done: bool) -> None:
        """Take over what the worker filled in, and say that it is done."""
        if result.config != self._asked:
            if self._asked.adopt:
                self.state.base = result.config
            self._asked, self.address.due = result.config, True
            self.state.load(result.config)
            self._follow()
        self.sidebar.show_cost(words.timing(result))
        self.sidebar.starts.note = words.from_live(result.config, result)
        if result.live is not None:
            self._show_live(result.live)
        self.shell.state = {
            "request": str(self._request), "done": "1" if done else "0",
            "inside": f"{result.crowd.inside.share[-1]:.6f}", "chains": str(result.crowd.chains),
            "seconds": f"{time.monotonic() - self._posted:.3f}", "dropped": str(self.worker.dropped)}

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
                self.sums.param.update(empty=words.TOO_LONG, stepper="")
            return
        self.sums.param.update(stepper=f"chain {sums.chain:,}", empty="",
                               caption=words.splitting(result))

    def _show_live(self, state: LiveHandover) -> None:
        if state is self._live:
            return
        self._live = state
        found = good_events(state)
        self.figures.show_good_events(found)
        where = "its default, run here" if state.fresh else "as it was left"
        self.good.param.update(empty="", button="", caption=found.words, heads=[[
            "Measured on Live’s run", f"{where}: t = {state.t:,}, {len(state.positions)} chains"]])
        self.price.has_live = True
        self._show_price(self.price.choice)

    def look(self) -> None:
        """Show what the worker has, and what Live has left."""
        update = self.worker.take()
        if update is not None:
            with pn.io.hold():
                self.show(update)
        if self.session.live is not None and self.session.live is not self._live:
            with pn.io.hold():
                self._show_live(self.session.live)

    # Life

    def restyle(self, dark: bool) -> None:
        """Draw in another theme."""
        for card in (self.crowd, self.sums, self.pushes, self.good, self.process, self.promise):
            card.restyle(dark)

    def begin(self) -> None:
        """Compute the first result."""
        if self._request == 0:
            self._compute()

    def end(self) -> None:
        """End the worker thread."""
        self.worker.close()
