"""What the two races show, in words and rows made of their numbers."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from app.glossary import marked_first
from app.offline.likelihood_race_job import NO_MODE, LikelihoodRace
from app.offline.race_samplers import best_words, passes_words, small_anchor
from app.offline.theorem_lines import corollaries, theorem_lines
from app.offline.wasserstein_race_job import GaussianRace
from app.widgets.cards import folded
from sampler.theory import TABLE_1, complexity_exponents

Race = GaussianRace | LikelihoodRace


def level_of(race: Race) -> float | None:
    """A level worth reaching: twice the best last W2, or 0.005 above the best last NLL, rounded."""
    ends = [trace.y[np.isfinite(trace.y)] for trace in race.traces]
    ends = [float(y[-1]) for y in ends if y.size]
    if not ends:
        return None
    if isinstance(race, LikelihoodRace):
        return math.ceil((min(ends) + 0.005) * 1000) / 1000
    level = 2 * min(ends)
    size = 10.0 ** math.floor(math.log10(level))
    return math.ceil(level / size - 1e-9) * size


def headline(race: Race) -> str:
    """The finding, in one line."""
    return best_words(race.traces, race.config.passes, race.start) if race.curves else "No curve yet."


def spoken(race: Race) -> str:
    """Say who is best, and who reaches the level after how many passes, for a screen reader."""
    return f"{headline(race)} {_reaching(race)}".replace("<b>", "").replace("</b>", "").strip() if race.curves else ""


def body(race: Race) -> str:
    """What the race says, as HTML paragraphs."""
    exact = isinstance(race, GaussianRace)
    html = _paragraphs(_reaching(race), _anchor(race), _points(race) if exact else "")
    if exact:
        html += folded("The paper’s theorem, corollaries and table, checked here",
                       _paragraphs(_theorem(race), corollaries(race.config), _exponents()))
    return marked_first(html, "Passes", "anchor", "SVRG-LD+", "SGLD")


def _paragraphs(*texts: str) -> str:
    return "".join(f"<p>{words}</p>" for words in texts if words)


def _reaching(race: Race) -> str:
    level = level_of(race)
    if level is None:
        return ""
    passes = [(trace.reached(level), trace.label) for trace in race.traces]
    first = sorted((p, label) for p, label in passes if p is not None)
    never = [label for p, label in passes if p is None]
    mean = "" if isinstance(race, GaussianRace) else f", in the mean of {race.config.chains} chains"
    listed = ", ".join(f"{label} <b>{p:.2f}</b>" for p, label in first)
    words = f"Passes to {race.unit} ≤ {level:.4g}{mean}: {listed}." if listed else ""
    return words + (f" Not reached by {', '.join(never)}." if never else "")


def _anchor(race: Race) -> str:
    by_key = {trace.key: trace for trace in race.traces}
    if not {"plus", "svrg"} <= set(by_key):
        return ""
    config, n = race.config, race.n
    turn, end = small_anchor(by_key["plus"], by_key["svrg"]), float(by_key["svrg"].x[-1])
    share = config.anchor_batch / n
    first = f"B = {config.anchor_batch:,} of n = {n:,}: SVRG-LD+ moves after {share:.2g} pass, SVRG-LD after 1."
    if turn is None:
        return f"<b>A small anchor pays</b> all the way to {passes_words(end)}. {first}"
    if turn == 0.0:
        return f"A small anchor never pays here. {first}"
    plus, whole = (float(by_key[key].at(end)) for key in ("plus", "svrg"))
    after = (f"its W₂ is {plus / whole:.3g} times SVRG-LD’s, for its anchor errs by the {n - config.anchor_batch:,} terms it"
             " leaves out" if isinstance(race, GaussianRace) else f"it is {abs(plus - whole):.4f} behind")
    return f"<b>A small anchor pays</b> up to {passes_words(turn)}. {first} Beyond, at {passes_words(end)} {after}."


def _points(race: GaussianRace) -> str:
    inside = [(low <= y <= high) for c in race.curves.values()
              for y, low, high in zip(c.points, c.low, c.high, strict=True) if high > low * (1 + 1e-9)]
    if not inside:
        return ""
    floor = max(c.floor for c in race.curves.values() if c.chains)
    most = max(c.chains for c in race.curves.values())
    return (f"<b>{sum(inside)} of {len(inside)}</b> points lie where 95 % of {most:,} chains of the exact law would. Near"
            f" {floor:.2g} and below they cannot be told from exact draws, which score that themselves: only the lines"
            " go on.")


def _theorem(race: GaussianRace) -> str:
    sentences = []
    for key, line in theorem_lines(race).items():
        curve = race.curves[key]
        if key not in ("svrg", "plus"):
            continue
        if line.holds:
            sentences.append(f"{curve.name} W₂ ≤ {line.promised[-1]:.3g} at {passes_words(float(line.passes[-1]))}"
                             f" ({line.repaired:.3g} with its proof mended); it is {curve.exact[-1]:.3g}.")
        else:
            sentences.append(f"{curve.name} nothing at η = {curve.step_size:.3g}: it asks for"
                             f" η ≤ {line.largest_step_size:.2g}.")
    return f"<b>ZXG Theorem 3.5</b> promises {' '.join(sentences)}" if sentences else ""


@cache
def _exponents() -> str:
    """How the gradients for a given W2 grow on Gaussian targets, exactly, beside what ZXG Table 1 prints."""
    rows = []
    for name, whose in (("SGLD", "SGLD"), ("LMC", "full gradients (SVRG-LD has their law)")):
        exact, printed = complexity_exponents(name), TABLE_1[name]
        pairs = zip("εκdσ", (exact.epsilon, exact.kappa, exact.dim, exact.sigma), printed, strict=True)
        rows.append(f"{whose} " + ", ".join(f"{symbol} {_power(one)} ({_power(bound)})" for symbol, one, bound in pairs
                                            if bound))
    return (f"<b>ZXG Table 1, exactly:</b> exponents of the gradients that such Gaussians cost at ε = 0.001, the printed"
            f" bound’s in brackets. {'; '.join(rows)}. SVRG-LD’s printed κ is 3/2. The bounds hide a logarithm; in κ"
            " none of them is met here. SGLD’s printed powers come from coupling chain and target step by step, where noise"
            " adds to W₂ like √η; in law it adds to the variance, and W₂ grows like η.")


def _power(value: float) -> str:
    """Return an exponent: −1.13, 2."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "−")


def data(race: LikelihoodRace) -> str:
    """What the race ran on, as HTML paragraphs."""
    rows = (f"{race.train:,} rows to train, {race.test:,} to test, d = {race.dim} coefficients, the intercept counted;"
            f" prior precision {race.config.prior_precision:g}.")
    return f"<p>{rows}</p><p>{_mode(race)}</p>"


def _mode(race: LikelihoodRace) -> str:
    if race.mode is None:
        return NO_MODE
    return (f"The posterior’s mode scores {race.mode:.4f}, guessing the share of ones {race.chance:.4f}, the start"
            f" (all coefficients 0) log 2 = {math.log(2):.4f}.")
