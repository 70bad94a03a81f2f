"""Captions and warnings of a result, its exponential process, and its bound on the total variation."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path

import numpy as np

from app.exit_time.job import ExitResult
from app.exit_time.promise import Process, Promise
from app.glossary import marked
from app.live.run_handover import LiveHandover
from app.number_words import percent, scientific, share
from app.plots.exit_probability_drawings import lies_above
from app.state.exit_time import ExitConfig
from app.widgets.cards import folded

USELESS = 0.9999
"""Probability of leaving from which a bound is vacuous."""
CAPTIONS = {name: marked(" ".join(text.split())) for name, text in tomllib.loads(
    Path(__file__).with_name("captions.toml").read_text(encoding="utf-8")).items()}
"""Name -> fixed caption of a figure, as HTML; formulas are in a collapsible section."""
CAPTIONS |= {name: folded("The formula", text) for name, text in CAPTIONS.items() if name.endswith("_formula")}


def chance(value: float) -> str:
    """Return the text of a probability of leaving: 0.082, 2.3 × 10⁻⁵, 1."""
    if value <= 0.0:
        return "0"
    return f"{value:.3g}" if value >= 0.001 else scientific(value)


def printed_fails(result: ExitResult) -> bool:
    """Return whether the printed curve exceeds the simulated band at any step, which refutes it as a bound."""
    return lies_above(result.bounds.steps, result.bounds.stays("printed"), result.crowd.inside)


def reading(result: ExitResult | None) -> str:
    """Return the explanation of the survival chart as HTML."""
    sentences = [CAPTIONS["survival"]]
    if result is None or result.bounds.last("local") is None:
        return sentences[0]
    crowd, bounds = result.crowd, result.bounds
    if printed_fails(result):
        sentences.append("The printed bound is above it: it omits that i<sub>max</sub> squared steps add up.")
    elif bounds.last("printed") < USELESS:
        sentences.append("The printed bound is below it here, but unproved.")
    best = bounds.last("local")
    if best < USELESS and crowd.left:
        times = best * crowd.chains / crowd.left
        much = f"{times:.1f}" if times < 20 else f"{times:,.0f}"
        sentences.append(f"Ours is {much} times the observed exits: the probability of leaving is at most"
                    f" {chance(best)}, and {chance(crowd.left / crowd.chains)} of the chains left.")
    elif best < USELESS:
        sentences.append(f"No chain of {crowd.chains:,} left; our bound is {chance(best)}.")
    if bounds.mixed is not None and bounds.mixed < 0.98 * best:
        sentences.append(f"One mixture over all θ instead of blocks: {chance(bounds.mixed)}.")
    return " ".join(sentences)


def warnings(result: ExitResult) -> list[str]:
    """Return warnings about the result, the most serious first."""
    bounds = result.bounds
    sentences = [bounds.vacuous] if bounds.vacuous else []
    sentences += bounds.conditions
    if bounds.azuma and not bounds.vacuous:
        sentences.append(bounds.azuma)
    return [*(tidy(words) for words in sentences), *result.notes]


def tidy(words: str) -> str:
    """Return a message of the library with the page's symbols."""
    for plain, symbol in (("rho_0^2", "ρ₀²"), (" - ", " − "), ("r^2", "r²"), ("^2", "²"), ("<=", "≤"), ("eta0", "η₀"),
                          ("i_max", "iₘₐₓ")):
        words = words.replace(plain, symbol)
    return re.sub(r"\beta\b", "η", words)


STEP_TWO = "<b>Step 2 of the proof.</b>"
NO_PULL = marked("F is flat here, so there is no [[pull]]; over a bowl it never points outward (convexity).")
PULL = marked("The [[pull]] never points outward (convexity).")
DRIFT = marked(r"The [[drift]] is $2\eta d$, from the noise, the same everywhere")
LENGTH = marked(r"$\eta^2 \lVert g \rVert^2$")
SURPRISE = marked("Only the [[martingale]] is random, with conditional mean 0.")
STEP_ONE = marked(r"<b>Step 1.</b> The push on the [[squared distance]] is $2\eta d$ at every position, so one number"
                  " bounds it.")
UNBOUNDED = marked(r"The push on $\lVert D \rVert$, over $2\eta$, grows towards the mode: no number bounds it at every"
                   r" $\eta$.")


def splitting(result: ExitResult | None) -> str:
    """Return the caption of the three sums as HTML."""
    sums = None if result is None else result.sums
    error = "…" if sums is None else scientific(sums.parts.error)
    exact = f"They add up to the change exactly: the largest relative error of a step is {error}."
    pull = NO_PULL if sums is not None and not np.any(sums.parts.pull) else PULL
    return f"{STEP_TWO} {pull} {DRIFT}{_more_drift(result)}. {SURPRISE} {exact}{CAPTIONS['sums_formula']}"


def _more_drift(result: ExitResult | None) -> str:
    """Return the clause about the drift's other part, which depends on the position."""
    if result is None or result.sums is None:
        return f", plus a small {LENGTH} for the length of the step"
    more = float(result.sums.parts.drift.max()) / (2 * result.config.step_size * result.config.dim) - 1.0
    if more < 1e-9:
        return f"; without a gradient there is no {LENGTH}"
    return f", plus {LENGTH} for the length of the step, at most {percent(more)} of that here"


def pushing(result: ExitResult | None) -> str:
    """Return the caption of the two push charts as HTML."""
    d = result.config.dim if result is not None else 2
    near = ("In one dimension it is 0 except at the mode, where the distance has a kink." if d == 1
            else UNBOUNDED)
    return f"{STEP_ONE} {near}{CAPTIONS['pushes_formula']}"


def timing(result: ExitResult) -> str:
    """Return the duration of the simulation as text, "" before it is complete."""
    if not result.complete:
        return ""
    crowd, config = result.crowd, result.config
    took = f"{result.seconds:.1f} s" if result.seconds >= 1 else f"{1000 * result.seconds:.0f} ms"
    return f"{crowd.chains:,} chains × {config.steps:,} steps took {took} on one core."


def batches(result: ExitResult) -> str:
    """Return certified and measured values of the sampler's own batches as HTML; "" without Live."""
    live, bounds = result.live, result.bounds
    if live is None or bounds.batch is None:
        return ""
    config, added = result.config, ""
    certified = ("certified over the whole ball from the features" if live.kind == "logistic"
                 else "exact, F being quadratic" if live.kind != "poisson" else "taken at the mode")
    if bounds.batch_added:
        added = (f" It includes {bounds.batch_added:g} for batch errors above {scientific(bounds.batch_sbar)} (matrix"
                 " Bernstein).")
    return (
        f"<b>Real batches.</b> These chains use full gradients and noise of length S = {config.noise:.3g}. The error of a"
        f" real batch is at most B = {scientific(live.increment_bound)}: with S = B our bound on leaving is"
        f" {chance(bounds.loose)}; with the variance (Bennett; ◆ if in the chart’s range) it is {chance(bounds.batch)}."
        f"{added} <b>Certified:</b> curvature m = {config.curvature:.3g}, {certified}. <b>Measured</b> on"
        f" {live.visited} states visited by Live, not certified: V = {scientific(live.variance_trace)} (√V ="
        f" {live.variance_trace ** 0.5:.3g}), v = {scientific(live.variance_max)}, B.")


def spoken(result: ExitResult) -> str:
    """Return the description of the survival chart for screen readers."""
    crowd, bounds = result.crowd, result.bounds
    names = {"printed": "the printed bound", "corrected": "corrected Azuma", "sharp": "our convex bound",
             "local": "our curved bound", "rotation": "Altschuler and Talwar’s"}
    ends = [f"{name} {share(1.0 - bounds.last(key))}" for key, name in names.items()
            if bounds.last(key) is not None]
    fails = " The printed bound is above the chains: it is not a bound." if printed_fails(result) else ""
    return (f"After {result.config.steps:,} steps {share(crowd.inside.share[-1])} of {crowd.chains:,} chains are still"
            f" inside; {', '.join(ends)}.{fails}")


def from_live(config: ExitConfig, result: ExitResult | None) -> str:
    """Return the source of target and start in Live; "" if they do not use Live."""
    live = None if result is None else result.live
    if live is None or not config.needs_live:
        return ""
    where = "Live’s default, run here," if live.fresh else "Live"
    return f"{live.problem}: {where} at t = {live.t:,}, {len(live.positions)} chains."


def measured_on(live: LiveHandover) -> str:
    """Return a description of the run of the good events."""
    where = "its default, run here" if live.fresh else "as it was left"
    return f"{where}: t = {live.t:,}, {len(live.positions)} chains"


def crowd_caption(result: ExitResult) -> str:
    """Return the caption of the chains and their survival as HTML."""
    words = batches(result)
    return reading(result) + (f"<p>{words}</p>" if words else CAPTIONS["survival_formula"])


def process_caption(result: ExitResult | None) -> str:
    """Return the caption of the exponential process, with its values for a result, as HTML."""
    process = None if result is None else result.process
    return CAPTIONS["process"] + ("" if process is None else f" {_here(process)}") + CAPTIONS["process_formula"]


def _here(process: Process) -> str:
    return (f"It starts at {chance(process.start)} of the level, so at most {chance(process.start)} of the chains reach it;"
            f" {process.left:,} of {process.chains:,} chains did ({chance(process.left / process.chains)}). At the last step"
            f" its logarithm grows by θr² = {process.reach:.1f} from the mode to the escape line.")


def promise_caption(result: ExitResult | None) -> str:
    """Return the caption of the bound on the total variation, with its terms and assumptions, as HTML."""
    promise = None if result is None else result.promise
    read, formula = CAPTIONS["promise"], CAPTIONS["promise_formula"]
    if promise is None:
        return read + formula
    last, config = promise.last, result.config
    if last.conditions:
        return f"{read} {tidy(last.words)}{formula}"
    terms = (f"After n = {config.steps:,} steps the bound is TV ≤ {_short(last.value)}: exit {_short(last.exit)},"
             f" and in KL start {_short(last.start)}, step size {_short(last.step)}, noise {_short(last.noise)}.")
    so = (" TV is not measured here: a posterior of more than two coordinates has no exact marginals."
          if promise.measured is None else
          f" Measured: {_short(promise.measured[-1])}, of which up to {_short(promise.floor)} is noise of"
          f" {result.crowd.chains:,} chains.")
    empty = f" {tidy(last.words)}" if last.words else ""
    certified = ["η and σ² = S² (the length of these chains’ noise)", "L"]
    certified += ["P(exit), our curved bound"] if result.bounds.last("local") is not None else []
    start = f"W₂ = {_short(promise.wasserstein)}, {promise.how_start}"
    measured = f" <b>Measured:</b> {start}." if "wasserstein" in last.measured else ""
    if not measured:
        certified.append(start)
    return f"{read} {terms}{so}{empty} <b>Certified:</b> {', '.join(certified)}.{measured}{formula}"


def promise_spoken(promise: Promise) -> str:
    """Return the description of the bound's figure for screen readers, in one sentence."""
    so = "" if promise.measured is None else f"; measured {_short(promise.measured[-1])}"
    return (f"After {promise.steps[-1]:,} steps the total variation is at most {_short(promise.promised[-1])} by the"
            f" theorem{so}.")


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    return "0" if value == 0 else f"{value:.3f}".rstrip("0").rstrip(".") if value >= 0.001 else scientific(value)
