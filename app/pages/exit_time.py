"""The Exit time page: thousands of chains through one epoch, and five curves that say how many must stay."""

from __future__ import annotations

import time
from typing import Any

import panel as pn

from app.exit_time import words
from app.exit_time.charts.sheet import Sheet
from app.exit_time.components.cards import crowd_card, good_card, pushes_card, sums_card
from app.exit_time.components.price_card import PriceCard
from app.exit_time.components.sidebar import ExitSidebar
from app.exit_time.config import DEFAULT_PRESET, ExitConfig
from app.exit_time.good import good_events
from app.exit_time.knobs import KNOBS, turn
from app.exit_time.picture import ExitPicture
from app.exit_time.presets import PRESETS, default_config, preset_of
from app.exit_time.price import price
from app.exit_time.query import from_query, to_query
from app.exit_time.runner import Runner
from app.exit_time.saving import survival_csv
from app.handover import LiveState, session
from app.page import Page
from app.widgets.knob import Knob
from app.widgets.notices import Notices
from app.widgets.shell import PageShell

LAYOUT = ("grid-template: 'crowd sums' calc(.49 * max(760px, 100cqh - 44px) - 6px)"
          " 'crowd pushes' calc(.51 * max(760px, 100cqh - 44px) - 6px)"
          " 'price good' 372px / minmax(0, 704fr) minmax(0, 440fr)")
"""The first two rows fill a window and let the third be guessed."""


class ExitTimePage(Page):
    """The whole page as one object: served as a tab, or shown as the last line of a notebook cell.

    Parameters
    ----------
    config
        What to compute first; by default the picture in which the printed bound fails.
    words
        Sentences to show on arrival, such as what was wrong with a link.
    dark
        Start in the dark theme.
    framed
        Whether the page fills a window under a header (the dashboard) or stands alone (a notebook).
    """

    def __init__(self, config: ExitConfig | None = None, *, words: tuple[str, ...] | list[str] = (),
                 dark: bool = False, framed: bool = False, **params: Any) -> None:
        super().__init__(**params)
        self.config = config or default_config()
        self._preset = preset_of(self.config)
        self._base = PRESETS[self._preset or DEFAULT_PRESET].config
        self.session = session()
        self.runner = Runner(self.session)
        self.sheet = Sheet(self.choose_chain)
        self.picture: ExitPicture | None = None
        self._request, self._posted, self._live = 0, 0.0, None
        self._build(list(words), framed)
        self._reflect()
        if dark:
            self.sheet.restyle(True)

    @classmethod
    def from_query(cls, query: dict[str, Any], dark: bool = False) -> ExitTimePage:
        """Return the page that a link describes; what was wrong with the link is shown in words."""
        config, said = from_query(query)
        return cls(config, words=said, dark=dark, framed=True)

    def _build(self, said: list[str], framed: bool) -> None:
        sheet = self.sheet
        self.knobs = {name: Knob(spec, self._turn, grouped=True, lowest=spec.lowest)
                      for name, spec in KNOBS.items()}
        self.sidebar = ExitSidebar(
            self._choose, self.show_preset, knobs=[self.knobs[n] for n in KNOBS if n not in ("distance", "chains")],
            distance=self.knobs["distance"], chains=self.knobs["chains"],
            presets=[[p.key, p.label, p.says] for p in PRESETS.values()])
        self.crowd = crowd_card(sheet, {"choose": self._flip, "csv": lambda: survival_csv(self.picture)})
        self.sums = sums_card(sheet, {"step": self._step_chain})
        self.pushes = pushes_card(sheet)
        self.good = good_card(sheet, {"press": lambda: self.show_preset("live")})
        self.price = PriceCard(self._show_price)
        self.price.show(price(None))
        self.notices = Notices(lambda kind: self._post(self.config), words=said)
        self.shell = PageShell(
            {"crowd": self.crowd, "sums": self.sums, "pushes": self.pushes, "price": self.price, "good": self.good},
            layout=LAYOUT, notices=self.notices, sidebar=self.sidebar, label="Exit time",
            foot="Knobs and pictures to try", framed=framed)

    # What a person does

    def _turn(self, name: str, given: float | str) -> str:
        """Turn a knob; return what was wrong with it, or nothing."""
        try:
            self._post(turn(self.config, name, given))
        except ValueError as wrong:
            return str(wrong)
        return ""

    def _choose(self, field: str, value: str) -> None:
        config = self.config.replace(**{field: value}, adopt=False)
        if field == "target":
            config = config.replace(start="live" if value == "live" else "mode", adopt=value == "live")
            if value != "live":  # what Live's noise was says nothing about a bowl
                config = config.replace(noise=0.0)
        if config.start == "distance" and config.distance >= config.radius:
            config = config.replace(distance=config.radius / 2)
        self._post(config)

    def show_preset(self, key: str) -> None:
        """Show one of the pictures to try."""
        if key in PRESETS:
            self._preset, self._base = key, PRESETS[key].config
            self._post(self._base)

    def query(self) -> dict[str, str]:
        """Return the URL parameters of what is shown."""
        return to_query(self.config)

    def load(self, query: dict[str, Any]) -> None:
        """Show what URL parameters describe."""
        config = from_query(query)[0]
        self._preset = preset_of(config)
        self._base = PRESETS[self._preset].config if self._preset else config
        self._post(config)

    def choose_chain(self, chain: int) -> None:
        """Split this chain's path."""
        self._post(self.config.replace(chain=int(chain)))

    def _step_chain(self, by: int) -> None:
        picture = self.picture
        if picture is not None and picture.order and picture.sums is not None:
            chains = list(picture.order)
            at = chains.index(picture.sums.chain) if picture.sums.chain in chains else -by
            self.choose_chain(chains[(at + by) % len(chains)])

    def _flip(self, control: str, value: str) -> None:
        with pn.io.hold():
            self.sheet.paths.set_squared(value != "plain")
            self._head_crowd()

    def _show_price(self, choice: str) -> None:
        self.price.choice = choice = "live" if choice == "live" and self._live is not None else "paper"
        try:
            self.price.show(price(self._live if choice == "live" else None))
        except ValueError as wrong:
            self.price.show(None, str(wrong))

    # What follows from it

    def _post(self, config: ExitConfig) -> None:
        self.config = config
        self._request, self._posted, self.address.due = self.runner.post(config), time.monotonic(), True
        with pn.io.hold():
            self._reflect()

    def _reflect(self) -> None:
        """Make the sidebar stand as the configuration does."""
        config, key = self.config, self._preset if self._untouched else preset_of(self.config)
        for name, knob in self.knobs.items():
            knob.param.update(value=getattr(config, name), default=getattr(self._base, name), error="")
        self.sidebar.param.update(
            target=config.target, start=config.start, preset=key, says=PRESETS[key].says if key else "",
            note=words.from_live(self.config, self.picture))
        self.shell.state = {"request": str(self._request), "done": "0"}

    @property
    def _untouched(self) -> bool:
        """Whether no knob has been turned since the preset was chosen."""
        return self.config.plain == self._base.plain

    def show(self, picture: ExitPicture) -> None:
        """Show what the worker has; called under the document's lock."""
        newest = picture.request == self._request
        if picture.error:
            self.notices.param.update(notice=f"The computation stopped: {picture.error}. Turn a knob to try again.",
                                      kind="error", action="Try again")
        elif self.notices.kind:
            self.notices.param.update(notice="", kind="", action="")
        waiting = not picture.done
        self.crowd.param.update(
            progress=(picture.progress if picture.progress is not None else -1.0) if waiting else None,
            working=picture.words.partition(". ")[0] if waiting else "")
        if picture.crowd is None:
            return
        self.picture = picture
        self.sheet.show(picture)
        self._head_crowd()
        caption = words.reading(picture) + (f"<p>{words.batches(picture)}</p>" if words.batches(picture)
                                            else words.FORMULA)
        self.crowd.param.update(warnings=words.warnings(picture), caption=caption,
                                spoken=words.spoken(picture) if picture.done else self.crowd.spoken)
        self._show_sums(picture)
        self.pushes.caption = words.pushing(picture)
        if newest:
            self._settle(picture)

    def _settle(self, picture: ExitPicture) -> None:
        """Take over what the worker filled in, and say that it is done."""
        if picture.config != self.config:
            if self.config.adopt:
                self._base = picture.config
            self.config, self.address.due = picture.config, True
            self._reflect()
        self.sidebar.param.update(timing=words.timing(picture) or self.sidebar.timing,
                                  note=words.from_live(self.config, picture))
        if picture.live is not None:
            self._show_live(picture.live)
        self.shell.state = {
            "request": str(self._request), "done": "1" if picture.done else "0",
            "inside": f"{picture.crowd.stay[-1]:.6f}", "chains": str(picture.crowd.chains),
            "seconds": f"{time.monotonic() - self._posted:.3f}", "dropped": str(self.runner.dropped)}

    def _head_crowd(self) -> None:
        if self.picture is not None:
            count, what = self.picture.crowd.chains, "squared distance" if self.sheet.paths.squared else "distance"
            unit = "r²" if self.sheet.paths.squared else "r"
            self.crowd.heads = [[f"{count:,} chains through one epoch", f"{what} to the mode ÷ {unit}"],
                                self.crowd.heads[1]]

    def _show_sums(self, picture: ExitPicture) -> None:
        sums = picture.sums
        if sums is None:
            if picture.too_long:
                self.sums.param.update(empty=words.TOO_LONG, stepper="")
            return
        self.sums.param.update(stepper=f"chain {sums.chain:,}", empty="",
                               caption=words.splitting(picture))

    def _show_live(self, state: LiveState) -> None:
        if state is self._live:
            return
        self._live = state
        found = good_events(state)
        self.sheet.good.show(found)
        where = "its default, run here" if state.fresh else "as it was left"
        self.good.param.update(empty="", button="", caption=found.words, heads=[[
            "Measured on Live’s run", f"{where}: t = {state.t:,}, {len(state.positions)} chains"]])
        self.price.has_live = True
        self._show_price(self.price.choice)

    def look(self) -> None:
        """Show what the worker has, and what Live has left."""
        picture = self.runner.take()
        if picture is not None:
            with pn.io.hold():
                self.show(picture)
        if self.session.live is not None and self.session.live is not self._live:
            with pn.io.hold():
                self._show_live(self.session.live)

    # Life

    def dark(self, dark: bool) -> None:
        """Change theme."""
        if dark != self.sheet.dark:
            with pn.io.hold():
                self.sheet.restyle(dark)

    def begin(self) -> None:
        """Ask for the first picture."""
        if self._request == 0:
            self._post(self.config)

    def end(self) -> None:
        """End the worker thread."""
        self.runner.close()
