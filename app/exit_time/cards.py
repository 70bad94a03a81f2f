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
"""Share of the first card's height for the paths."""


class ExitFigures:
    """Figures of the page, initially empty. `chosen(chain)` is called when a path or a ring is tapped."""

    def __init__(self, chosen: Callable[[int], None]) -> None:
        self.squared = True  #: whether paths are squared distances
        ticks = [(0.0, "0"), (1.0, "r²")]  # the initial figure needs text ticks, or later ones are ignored
        empty = lines([], STEP, "squared distance ÷ r²", ylim=(0.0, TOP), yticks=ticks)
        self.paths = FigureView(empty, 250, PATHS_SHARE, chosen=chosen, x_axis=False)
        self.survival = FigureView(lines([], STEP, STAY, compared=True), 280, 1 - PATHS_SHARE)
        align(self.paths, self.survival)  # the latter has the x axis of both
        self.sums = FigureView(lines([], "step i", "sum ÷ r²", compared=True), 250)
        push = "distance from the mode ÷ r", "mean push ÷ 2η"
        self.square, self.plain = (FigureView(lines([], *push), 240) for _ in range(2))
        self.process = FigureView(lines([], STEP, SHARE, logy=True, ylim=(0.1, 2.0)), 260)
        self.promise = FigureView(lines([], LENGTH, DISTANCE, compared=True, ylim=(0.0, 1.04)), 260)
        self.good = FigureView(as_lines(good_drawing(np.empty(0), np.empty(0), (), None)), 240)

    def show(self, result: ExitResult) -> None:
        """Draw the available parts of a result."""
        for name, drawing in drawings_of(result, self.squared).items():
            spoken = words.promise_spoken(result.promise) if name == "promise" else ""
            getattr(self, name).show(as_lines(drawing), spoken)

    def set_squared(self, squared: bool, result: ExitResult | None) -> None:
        """Switch between squared distances and distances, and redraw the paths of a result."""
        self.squared = squared
        if result is not None:
            self.paths.show(as_lines(drawn_paths(result, squared)))


LAYOUT = ("grid-template: 'crowd sums' calc(.49 * max(760px, var(--lab-room) - 44px) - 6px)"
          " 'crowd pushes' calc(.51 * max(760px, var(--lab-room) - 44px) - 6px)"
          " 'process good' 396px 'promise price' minmax(430px, max-content) 'says says' auto"
          " / minmax(0, 704fr) minmax(0, 440fr)")
"""The first two rows fill a window except for the top edge of the third."""


class PriceCard(LabComponent):
    """Card of the price of theory; `choose("paper" | "live")` is called to select the inputs."""

    rows = param.List([], doc="[symbol, name, theory, by hand, log10 of the ratio] of each constant.")
    source = param.String("", doc="Description of the inputs.")
    verdict = param.String("")
    why = param.String("", doc="HTML.")
    choice = param.String("paper")
    has_live = param.Boolean(False)

    def __init__(self, choose: Callable[[str], None], **params: object) -> None:
        self._choose = choose
        super().__init__(sizing_mode="stretch_both", **params)

    def show(self, price: Price | None, error: str = "") -> None:
        """Display a price, or the reason why there is none."""
        if price is None:
            self.param.update(rows=[], source="", verdict=error, why="")
        else:
            self.param.update(rows=[list(row) for row in price.rows], source=price.source, verdict=price.verdict,
                              why=price.why)

    def on_choose(self, value: str) -> None:
        """Handle the segmented control of the inputs."""
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
                    marked("[[survival]] P(no exit by step i), and lower bounds on it")]]),
        "sums": card("three-sums", [figures.sums], "Three sums add up to the change", "÷ r²", words.splitting(None),
                     label="Three sums of one chain"),
        "pushes": card(
            "why-the-square", [figures.square, figures.plain], "Why the square", "", words.pushing(None), row=True,
            heads=[["Why the square", "mean push of the noise per step ÷ 2η"], [marked("[[Squared distance]]"), ""],
                   ["Distance", ""]]),
        "process": card("supermartingale", [figures.process], "The exponential process",
                        marked("a [[supermartingale]], over its stopping level"), words.process_caption(None)),
        "promise": card("promise", [figures.promise], "The theorem’s bound and the measurement",
                        marked("[[total variation]] of the sample’s law from π, by the epoch’s length"),
                        words.promise_caption(None)),
        "good": card("good-events", [figures.good], "Measured on Live’s run", marked("[[good events]]"),
                     label="Measured on Live runs", empty=words.CAPTIONS["no_live_run"], button="Run Live’s default here"),
    }


TARGETS = {"m‖x‖²/2": "quadratic", "Live’s posterior": "live"}
FROM_LIVE = {"action": "from Live", "hint": "Use the Live page’s posterior, step size, radius and chains"}
STARTS = {"at the mode": "mode", "at ρ₀": "distance", "live chains": "live"}


class ExitSidebar:
    """Controls of the page's state; `preset(key)` is called with a chosen preset, or "live" for the link."""

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
"""Size of the paper's experiment; features without the intercept."""
EPSILON = 1 / 20
"""Total variation of section 11."""


@cache
def statements() -> str:
    """Return the statements as HTML paragraphs behind a fold."""
    return folded("Theorems 2.4 and 8.1 and the lower bound of section 11, with numbers",
                  "".join(f"<p>{words}</p>" for words in (_logistic(), _tail(), _hardness())))


def _logistic() -> str:
    theorem = logistic_theorem(*synthetic_logistic(ROWS, FEATURES))
    return (f"<b>Theorem 2.4 (in the form of 8.2), logistic regression.</b> For the paper’s experiment, with K = 1 for the"
            f" unspecified constant, it applies from t = {scientific(theorem.begins)} on. At T = {theorem.t:,} it bounds"
            f" the posterior’s spread by {short(round(theorem.spread_bound))} (actual: {theorem.spread:.2f}) and the mode’s"
            f" distance from the truth by {scientific(theorem.mode_bound)} (actual: {theorem.mode_distance:.2f}). Both"
            f" bounds are valid for K ≥ {theorem.needed:.2g}. The resulting D of Assumption 3 is"
            f" {scientific(theorem.drift)}.")


def _tail() -> str:
    example = next(record for record in ERRATA if record.key == "posterior-tail").example()
    return (f"<b>Theorem 8.1 (and 8.2), part 2</b>, the posterior’s tail, is false. For the {example.setting}, it states"
            f" {_power_of_ten(example.printed)}; the actual value is {_power_of_ten(example.true)}. See the errata in the"
            " help.")


def _hardness() -> str:
    return (f"<b>Section 11, a lower bound.</b> In its example the law based on a random half of the gradients has an"
            f" average total variation of {subset_distance(0.5):.2f} from π, and a total variation of at most {EPSILON:g}"
            f" requires {100 * least_share(EPSILON):.1f} % of them: Ω(T), as stated. Therefore the work of past epochs must"
            " be reused.")


def _power_of_ten(logarithm: float) -> str:
    """Return 10^x as 0.046, or as 10 to a whole power."""
    return f"{10**logarithm:.2g}" if logarithm > -4 else f"10<sup>−{round(-logarithm):,}</sup>"
