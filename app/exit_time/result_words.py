"""What the page says about a result, its process and its promise."""

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
"""Probability of leaving from which a bound says nothing."""
CAPTIONS = {name: marked(" ".join(text.split())) for name, text in tomllib.loads(
    Path(__file__).with_name("captions.toml").read_text(encoding="utf-8")).items()}
"""Name -> what is said of a figure whatever it shows, as HTML; formulas are behind a fold."""
CAPTIONS |= {name: folded("The formula", text) for name, text in CAPTIONS.items() if name.endswith("_formula")}


def chance(value: float) -> str:
    """Return a probability of leaving: 0.082, 2.3 × 10⁻⁵, 1."""
    if value <= 0.0:
        return "0"
    return f"{value:.3g}" if value >= 0.001 else scientific(value)


def printed_fails(result: ExitResult) -> bool:
    """Whether the printed curve lies above the simulated band somewhere: then it bounds nothing."""
    return lies_above(result.bounds.steps, result.bounds.stays("printed"), result.crowd.inside)


def reading(result: ExitResult | None) -> str:
    """How to read the survival chart, as HTML."""
    sentences = [CAPTIONS["survival"]]
    if result is None or result.bounds.last("local") is None:
        return sentences[0]
    crowd, bounds = result.crowd, result.bounds
    if printed_fails(result):
        sentences.append("The printed one lies above it: it forgets that i<sub>max</sub> squared steps add up.")
    elif bounds.last("printed") < USELESS:
        sentences.append("The printed one happens to lie below it here; nothing proves that it must.")
    best = bounds.last("local")
    if best < USELESS and crowd.left:
        times = best * crowd.chains / crowd.left
        much = f"{times:.1f}" if times < 20 else f"{times:,.0f}"
        sentences.append(f"Ours allows {much} times the exits seen: it says that a chain leaves with probability"
                    f" {chance(best)} at most, and {chance(crowd.left / crowd.chains)} of them did.")
    elif best < USELESS:
        sentences.append(f"No chain of {crowd.chains:,} left; ours allows {chance(best)}.")
    if bounds.mixed is not None and bounds.mixed < 0.98 * best:
        sentences.append(f"One mixture over all θ in place of blocks: {chance(bounds.mixed)}.")
    return " ".join(sentences)


def warnings(result: ExitResult) -> list[str]:
    """Return what a person must know before trusting the result, the gravest first."""
    bounds = result.bounds
    sentences = [bounds.vacuous] if bounds.vacuous else []
    sentences += bounds.conditions
    if bounds.azuma and not bounds.vacuous:
        sentences.append(bounds.azuma)
    return [*(tidy(words) for words in sentences), *result.notes]


def tidy(words: str) -> str:
    """Return a sentence of the library with the page's symbols."""
    for plain, symbol in (("rho_0^2", "ρ₀²"), (" - ", " − "), ("r^2", "r²"), ("^2", "²"), ("<=", "≤"), ("eta0", "η₀"),
                          ("i_max", "iₘₐₓ")):
        words = words.replace(plain, symbol)
    return re.sub(r"\beta\b", "η", words)


STEP_TWO = "<b>Step 2 of the proof.</b>"
NO_PULL = marked("F is flat here, so there is no [[pull]]; over a bowl it never points outward (convexity).")
PULL = marked("The [[pull]] never points outward (convexity).")
DRIFT = marked(r"The [[drift]] is $2\eta d$, from the noise, the same everywhere")
LENGTH = marked(r"$\eta^2 \lVert g \rVert^2$")
SURPRISE = marked("Only the [[martingale]] can surprise, and it has no favourite direction.")
STEP_ONE = marked(r"<b>Step 1.</b> The push on the [[squared distance]] is $2\eta d$ wherever the chain stands, so one"
                  " number bounds it.")
UNBOUNDED = marked(r"The push on $\lVert D \rVert$, over $2\eta$, grows towards the mode: no number bounds it at every"
                   r" $\eta$.")


def splitting(result: ExitResult | None) -> str:
    """Caption of the three sums, as HTML."""
    sums = None if result is None else result.sums
    error = "…" if sums is None else scientific(sums.parts.error)
    exact = f"They add up to the change exactly: the largest error of a step is {error} of its size."
    pull = NO_PULL if sums is not None and not np.any(sums.parts.pull) else PULL
    return f"{STEP_TWO} {pull} {DRIFT}{_more_drift(result)}. {SURPRISE} {exact}{CAPTIONS['sums_formula']}"


def _more_drift(result: ExitResult | None) -> str:
    """What else the drift of a step is made of, and how much of it depends on the place."""
    if result is None or result.sums is None:
        return f", and a little {LENGTH} for the length of the step"
    more = float(result.sums.parts.drift.max()) / (2 * result.config.step_size * result.config.dim) - 1.0
    if more < 1e-9:
        return f"; without a gradient there is no {LENGTH} to add"
    return f", and {LENGTH} for the length of the step, at most {percent(more)} of that here"


def pushing(result: ExitResult | None) -> str:
    """Caption of the two push charts, as HTML."""
    d = result.config.dim if result is not None else 2
    near = ("In one dimension it is 0 away from the mode and all of it sits at the kink in the middle." if d == 1
            else UNBOUNDED)
    return f"{STEP_ONE} {near}{CAPTIONS['pushes_formula']}"


def timing(result: ExitResult) -> str:
    """What the run cost."""
    if not result.complete:
        return ""
    crowd, config = result.crowd, result.config
    took = f"{result.seconds:.1f} s" if result.seconds >= 1 else f"{1000 * result.seconds:.0f} ms"
    return f"{crowd.chains:,} chains × {config.steps:,} steps took {took} on one core."


def batches(result: ExitResult) -> str:
    """What is certified and what is measured about the sampler's own batches, as HTML; "" without Live."""
    live, bounds = result.live, result.bounds
    if live is None or bounds.batch is None:
        return ""
    config, added = result.config, ""
    certified = ("certified over the whole ball from the features" if live.kind == "logistic"
                 else "exact, F being quadratic" if live.kind != "poisson" else "taken at the mode")
    if bounds.batch_added:
        added = (f" It counts {bounds.batch_added:g} for a batch that errs by more than"
                 f" {scientific(bounds.batch_sbar)} (matrix Bernstein).")
    return (
        f"<b>Real batches.</b> These chains move by full gradients and noise of length S = {config.noise:.3g}. A real"
        f" batch can err by B = {scientific(live.increment_bound)}: with S = B our bound on leaving is"
        f" {chance(bounds.loose)}; paying for the variance instead (◆, Bennett) it is {chance(bounds.batch)}."
        f"{added} <b>Certified:</b> curvature m = {config.curvature:.3g}, {certified}. <b>Measured</b> on"
        f" {live.visited} states Live visited, not certified: V = {scientific(live.variance_trace)} (√V ="
        f" {live.variance_trace ** 0.5:.3g}), v = {scientific(live.variance_max)}, B.")


def spoken(result: ExitResult) -> str:
    """Say what the survival chart shows, in one sentence, for a screen reader."""
    crowd, bounds = result.crowd, result.bounds
    names = {"printed": "the printed bound", "corrected": "corrected Azuma", "sharp": "our convex bound",
             "local": "our curved bound", "rotation": "Altschuler and Talwar’s"}
    ends = [f"{name} says {share(1.0 - bounds.last(key))}" for key, name in names.items()
            if bounds.last(key) is not None]
    fails = " The printed bound lies above the chains: it bounds nothing." if printed_fails(result) else ""
    return (f"After {result.config.steps:,} steps {share(crowd.inside.share[-1])} of {crowd.chains:,} chains are still"
            f" inside; {', '.join(ends)}.{fails}")


def from_live(config: ExitConfig, result: ExitResult | None) -> str:
    """What target and start take from Live; "" when they take nothing."""
    live = None if result is None else result.live
    if live is None or not config.needs_live:
        return ""
    where = "Live’s default, run here," if live.fresh else "Live"
    return f"{live.problem}: {where} at t = {live.t:,}, {len(live.positions)} chains."


def measured_on(live: LiveHandover) -> str:
    """What run the good events were measured on."""
    where = "its default, run here" if live.fresh else "as it was left"
    return f"{where}: t = {live.t:,}, {len(live.positions)} chains"


def crowd_caption(result: ExitResult) -> str:
    """Caption of the chains and their survival, as HTML."""
    words = batches(result)
    return reading(result) + (f"<p>{words}</p>" if words else CAPTIONS["survival_formula"])


def process_caption(result: ExitResult | None) -> str:
    """How to read the figure, and what it proves here, as HTML."""
    process = None if result is None else result.process
    return CAPTIONS["process"] + ("" if process is None else f" {_here(process)}") + CAPTIONS["process_formula"]


def _here(process: Process) -> str:
    return (f"It starts at {chance(process.start)} of the level, so a share of {chance(process.start)} at most can reach it;"
            f" {process.left:,} of {process.chains:,} chains did ({chance(process.left / process.chains)}). At the last step"
            f" its logarithm grows by θr² = {process.reach:.1f} from the mode to the escape line.")


def promise_caption(result: ExitResult | None) -> str:
    """How to read the figure, its terms, and what they stand on, as HTML."""
    promise = None if result is None else result.promise
    read, formula = CAPTIONS["promise"], CAPTIONS["promise_formula"]
    if promise is None:
        return read + formula
    last, config = promise.last, result.config
    if last.conditions:
        return f"{read} {tidy(last.words)}{formula}"
    terms = (f"After n = {config.steps:,} steps the promise is TV ≤ {_short(last.value)}: exit {_short(last.exit)},"
             f" and in KL start {_short(last.start)}, step size {_short(last.step)}, noise {_short(last.noise)}.")
    so = (" What is so is not measured here: a posterior of more than two coordinates has no exact marginals."
          if promise.measured is None else
          f" Measured: {_short(promise.measured[-1])} ({_short(promise.floor)} of it can be the noise of"
          f" {result.crowd.chains:,} chains).")
    empty = f" {tidy(last.words)}" if last.words else ""
    certified = ["η and σ² = S² (these chains’ noise is that long)", "L"]
    certified += ["P(exit), our curved bound"] if result.bounds.last("local") is not None else []
    start = f"W₂ = {_short(promise.wasserstein)}, {promise.how_start}"
    measured = f" <b>Measured:</b> {start}." if "wasserstein" in last.measured else ""
    if not measured:
        certified.append(start)
    return f"{read} {terms}{so}{empty} <b>Certified:</b> {', '.join(certified)}.{measured}{formula}"


def promise_spoken(promise: Promise) -> str:
    """Say what the figure shows, in one sentence, for a screen reader."""
    so = "" if promise.measured is None else f"; measured {_short(promise.measured[-1])}"
    return (f"After {promise.steps[-1]:,} steps the promise is a total variation of {_short(promise.promised[-1])} or"
            f" less{so}.")


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    return "0" if value == 0 else f"{value:.3f}".rstrip("0").rstrip(".") if value >= 0.001 else scientific(value)
