"""Cards, figures and sidebar of the Exit time page, and further statements of the paper."""

from collections.abc import Callable
from functools import cache

import numpy as np
import param

from app.exit_time import result_words as words
from app.exit_time.drawings import drawings_of, drawn_paths
from app.exit_time.job import ExitResult
from app.exit_time.theory_price import Price
from app.glossary import marked
from app.js.component import LabComponent
from app.number_words import scientific, short
from app.plots import lines
from app.plots.exit_path_drawings import SHARE, TOP
from app.plots.exit_probability_drawings import DISTANCE, LENGTH, STAY, STEP, good_drawing
from app.plots.lines import as_lines
from app.state.exit_time import PRESETS, ExitState
from app.widgets.cards import folded
from app.widgets.choices import PresetButtons
from app.widgets.figure_card import FigureCard, FigureView, align
from app.widgets.knob_slider import KnobSlider
from app.widgets.page_shell import PageSidebar, Section
from app.widgets.param_controls import segmented
from sampler import synthetic_logistic
from sampler.errata import ERRATA
from sampler.theory import least_share, logistic_theorem, subset_distance

PATHS_SHARE = 0.535
"""Of the height of the first card, what the paths take."""


class ExitFigures:
    """Shown empty at first. `chosen(chain)` is called when a path or a ring is tapped."""

    def __init__(self, chosen: Callable[[int], None]) -> None:
        self.squared = True  #: whether paths are squared distances
        ticks = [(0.0, "0"), (1.0, "r²")]  # words of their own from the start, or later ones are not taken
        empty = lines([], STEP, "squared distance ÷ r²", ylim=(0.0, TOP), yticks=ticks)
        self.paths = FigureView(empty, 250, PATHS_SHARE, chosen=chosen, x_axis=False)
        self.survival = FigureView(lines([], STEP, STAY, compared=True), 280, 1 - PATHS_SHARE)
        align(self.paths, self.survival)  # which has the x axis of both
        self.sums = FigureView(lines([], "step i", "sum ÷ r²", compared=True), 250)
        push = "distance from the mode ÷ r", "mean push ÷ 2η"
        self.square, self.plain = (FigureView(lines([], *push), 240) for _ in range(2))
        self.process = FigureView(lines([], STEP, SHARE, logy=True, ylim=(0.1, 2.0)), 260)
        self.promise = FigureView(lines([], LENGTH, DISTANCE, compared=True, ylim=(0.0, 1.04)), 260)
        self.good = FigureView(as_lines(good_drawing(np.empty(0), np.empty(0), (), None)), 240)

    def show(self, result: ExitResult) -> None:
        """Draw what the result has so far."""
        for name, drawing in drawings_of(result, self.squared).items():
            spoken = words.promise_spoken(result.promise) if name == "promise" else ""
            getattr(self, name).show(as_lines(drawing), spoken)

    def set_squared(self, squared: bool, result: ExitResult | None) -> None:
        """Draw squared distances, or distances, of a result, if there is one."""
        self.squared = squared
        if result is not None:
            self.paths.show(as_lines(drawn_paths(result, squared)))


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
                        marked("a [[supermartingale]], over its stopping level"), words.process_caption(None)),
        "promise": card("promise", [figures.promise], "What the theorem promises, what is so",
                        marked("[[total variation]] of the sample’s law from π, by the epoch’s length"),
                        words.promise_caption(None)),
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
        self.presets = PresetButtons(preset, presets=[[p.key, p.label, p.hint] for p in PRESETS.values()])
        epoch = [knob for name, knob in self.knobs.items() if name not in ("distance", "chains")]
        self.starts = Section("Start", [self.start, self.knobs["distance"], self.knobs["chains"]])
        self.cost = Section("", [])
        self.view = PageSidebar([
            Section("One epoch", [self.target, *epoch], lambda: preset("live"), **FROM_LIVE),
            self.starts, Section("Pictures to try", [self.presets]), self.cost])


ROWS, FEATURES = 1000, 20
"""The paper's experiment; the intercept comes to the features."""
EPSILON = 1 / 20
"""Of section 11."""


@cache
def statements() -> str:
    """Return the statements as HTML paragraphs behind a fold."""
    return folded("Theorems 2.4 and 8.1 and the lower bound of section 11, each with its numbers",
                  "".join(f"<p>{words}</p>" for words in (_logistic(), _tail(), _hardness())))


def _logistic() -> str:
    theorem = logistic_theorem(*synthetic_logistic(ROWS, FEATURES))
    return (f"<b>Theorem 2.4 (as 8.2 has it), logistic regression.</b> Put into the paper’s experiment, with K = 1 for the"
            f" constant that it does not say, it speaks from t = {scientific(theorem.begins)} on. At T = {theorem.t:,} it"
            f" would allow the posterior a spread of {short(round(theorem.spread_bound))} where {theorem.spread:.2f} is so,"
            f" and its mode a distance of {scientific(theorem.mode_bound)} from the truth where"
            f" {theorem.mode_distance:.2f} is. Both hold for K ≥ {theorem.needed:.2g}. The D that follows for"
            f" Assumption 3 is {scientific(theorem.drift)}.")


def _tail() -> str:
    example = next(record for record in ERRATA if record.key == "posterior-tail").example()
    return (f"<b>Theorem 8.1 (and 8.2), part 2</b>, the posterior’s tail, is false. For the {example.setting}, it says"
            f" {_power_of_ten(example.printed)} where {_power_of_ten(example.true)} is so. The help has it among the"
            " errata.")


def _hardness() -> str:
    return (f"<b>Section 11, a lower bound.</b> In its example the law made of a random half of the gradients is on"
            f" average {subset_distance(0.5):.2f} away from π in total variation, and one no farther than"
            f" {EPSILON:g} takes {100 * least_share(EPSILON):.1f} % of them: Ω(T), as it says. So the work of past epochs"
            " has to be used again.")


def _power_of_ten(logarithm: float) -> str:
    """Return 10^x as 0.046, or as 10 to a whole power."""
    return f"{10**logarithm:.2g}" if logarithm > -4 else f"10<sup>−{round(-logarithm):,}</sup>"
