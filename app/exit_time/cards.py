"""Cards and sidebar of the Exit time page."""

from __future__ import annotations

from collections.abc import Callable

import param

from app.exit_time import result_words as words
from app.exit_time.figures import ExitFigures
from app.exit_time.result_words import process_caption, promise_caption
from app.exit_time.theory_price import Price
from app.glossary import marked
from app.js.component import LabComponent
from app.state.exit_time import PRESETS, ExitState
from app.widgets.choices import PresetButtons
from app.widgets.figure_card import FigureCard
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import segmented

LAYOUT = ("grid-template: 'crowd sums' calc(.49 * max(760px, var(--lab-room) - 44px) - 6px)"
          " 'crowd pushes' calc(.51 * max(760px, var(--lab-room) - 44px) - 6px)"
          " 'process good' 396px 'promise price' minmax(430px, max-content) 'says says' auto"
          " / minmax(0, 704fr) minmax(0, 440fr)")
"""The first two rows fill a window and let the third be guessed."""


class PriceCard(LabComponent):
    """`choose("paper" | "live")` is called when the numbers put in are chosen."""

    rows = param.List([], doc="[symbol, words, theory, by hand, log10 of the ratio] of each constant.")
    source = param.String("", doc="What was put in.")
    verdict = param.String("")
    why = param.String("", doc="HTML.")
    choice = param.String("paper")
    has_live = param.Boolean(False)

    def __init__(self, choose: Callable[[str], None], **params: object) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_both", **params)

    def show(self, price: Price | None, error: str = "") -> None:
        """Show a price, or why there is none."""
        if price is None:
            self.param.update(rows=[], source="", verdict=error, why="")
        else:
            self.param.update(rows=[list(row) for row in price.rows], source=price.source, verdict=price.verdict,
                              why=price.why)

    def on_choose(self, value: str) -> None:
        """Take the segmented control."""
        self._choose(str(value))


def figure_cards(figures: ExitFigures, acts: dict[str, Callable]) -> dict[str, FigureCard]:
    """Return area of the page -> card with its figures; `acts` are choose, csv, step and press of a `FigureCard`."""
    def card(name: str, views: list, title: str, subtitle: str, caption: str = "", **params: object) -> FigureCard:
        return FigureCard(views, acts=acts, filename=f"exit-time-{name}", caption=caption, **{
            "label": title, "heads": [[title, subtitle]], "exports": ["png", "svg"]} | params)

    return {
        "crowd": card(
            "survival", [figures.paths, figures.survival], "Chains and their survival", "",
            words.reading(None) + words.CAPTIONS["survival_formula"], exports=["csv", "png", "svg"],
            chosen={"distance": "square"},
            segments=[["distance", [["square", "squared distance"], ["plain", "distance"]]]],
            heads=[["Chains through one epoch", ""],
                   ["Share still inside the ball",
                    marked("[[survival]] P(no exit by step i), and what each bound says stays")]]),
        "sums": card("three-sums", [figures.sums], "Three sums make the change", "÷ r²", words.splitting(None),
                     label="Three sums of one chain"),
        "pushes": card(
            "why-the-square", [figures.square, figures.plain], "Why the square", "", words.pushing(None), row=True,
            heads=[["Why the square", "mean push of the noise a step ÷ 2η"], [marked("[[Squared distance]]"), ""],
                   ["Distance", ""]]),
        "process": card("supermartingale", [figures.process], "The exponential, a process of its own",
                        marked("a [[supermartingale]], over its stopping level"), process_caption(None)),
        "promise": card("promise", [figures.promise], "What the theorem promises, what is so",
                        marked("[[total variation]] of the sample’s law from π, by the epoch’s length"),
                        promise_caption(None)),
        "good": card("good-events", [figures.good], "Measured on Live’s run", marked("[[good events]]"),
                     label="Measured on Live runs", empty=words.CAPTIONS["no_live_run"], button="Run Live’s default here"),
    }


TARGETS = {"m‖x‖²/2": "quadratic", "Live’s posterior": "live"}
FROM_LIVE = {"action": "from Live", "hint": "Take everything from the Live page: posterior, step size, radius, chains"}
STARTS = {"at the mode": "mode", "at ρ₀": "distance", "live chains": "live"}


class ExitSidebar:
    """Controls of the page's state; `preset(key)` is called for a picture to try, and "live" for the link."""

    def __init__(self, state: ExitState, preset: Callable[[str], None]) -> None:
        values = state.param
        self.knobs = {name: KnobSlider.from_param(values[name], grouped=True) for name in state.knobs()}
        self.knobs["distance"].visible = values.start.rx() == "distance"
        self.target = segmented(values.target, TARGETS, lambda value: state.choose("target", value), label="F",
                                spoken="Target F")
        self.start = segmented(values.start, STARTS, lambda value: state.choose("start", value), label="", spoken="Start")
        self.presets = PresetButtons(preset, presets=[[p.key, p.label, p.says] for p in PRESETS.values()])
        epoch = [knob for name, knob in self.knobs.items() if name not in ("distance", "chains")]
        self.starts = Section("Start", [self.start, self.knobs["distance"], self.knobs["chains"]])
        self.cost = Section("", [])
        self.view = PageSidebar([
            Section("One epoch", [self.target, *epoch], lambda: preset("live"), **FROM_LIVE),
            self.starts, Section("Pictures to try", [self.presets]), self.cost])

    def show_preset(self, key: str, from_live: str) -> None:
        """Say which picture is shown, and what target and start take from Live."""
        self.presets.param.update(chosen=key, says=PRESETS[key].says if key else "")
        self.starts.note = from_live

    def show_cost(self, words: str) -> None:
        """Say what the computation took; nothing new leaves what was said."""
        if words:
            self.cost.note = words
