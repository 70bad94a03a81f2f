"""What the two races show, in words and rows made of their numbers."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from app.glossary import marked_first
from app.offline.corollary_words import corollaries
from app.offline.likelihood_race_job import NO_MODE, LikelihoodRace
from app.offline.race_leaders import Trace, at, leading_words, leads, level_from, passes, reached, small_anchor
from app.offline.theorem_lines import theorem_lines
from app.offline.wasserstein_race_job import GaussianRace
from sampler.theory import TABLE_1, complexity_exponents

Race = GaussianRace | LikelihoodRace


def lines_of(race: Race) -> list[Trace]:
    """Return the curves of a race as lines to compare."""
    if isinstance(race, GaussianRace):
        return [Trace(key, c.name, c.passes, c.exact) for key, c in race.curves.items()]
    root = math.sqrt(race.config.chains)
    return [Trace(key, c.name, c.passes, c.mean, c.deviation / root) for key, c in race.curves.items()]


def unit(race: Race) -> str:
    """What is plotted."""
    return "W₂" if isinstance(race, GaussianRace) else "NLL"


def start_of(race: Race) -> float:
    """Value before a chain has moved."""
    return race.start if isinstance(race, GaussianRace) else math.log(2)


def level_of(race: Race) -> float | None:
    """A level worth reaching: twice the best last W2, or 0.005 above the best last NLL, rounded."""
    ends = [line.y[np.isfinite(line.y)] for line in lines_of(race)]
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
    lines = lines_of(race)
    if not lines:
        return "No curve yet."
    floor = 0.0 if isinstance(race, GaussianRace) else min(float(np.nanmin(line.y)) for line in lines) - 0.02
    found = leads(lines, start_of(race), floor=floor)
    return leading_words(found, level_from(lines, found[-1]) if found else None)


def spoken(race: Race) -> str:
    """Say who leads, and who reaches the level after how many passes, for a screen reader."""
    return f"{headline(race)} {_reaching(race)}".replace("<b>", "").replace("</b>", "").strip() if race.curves else ""


def body(race: Race) -> str:
    """What the race says, as HTML paragraphs."""
    said = [_reaching(race), _anchor(race)]
    said += [_points(race), _theorem(race), corollaries(race.config), _exponents()] if isinstance(race, GaussianRace) else []
    return marked_first("".join(f"<p>{words}</p>" for words in said if words), "Passes", "anchor", "SVRG-LD+", "SGLD")


def _reaching(race: Race) -> str:
    level = level_of(race)
    if level is None:
        return ""
    found = [(reached(line, level), line.label) for line in lines_of(race)]
    there = sorted((p, name) for p, name in found if p is not None)
    never = [name for p, name in found if p is None]
    mean = "" if isinstance(race, GaussianRace) else f", in the mean of {race.config.chains} chains"
    said = [f"{name} <b>{p:.2f}</b>" for p, name in there]
    words = f"Passes to {unit(race)} ≤ {level:.4g}{mean}: {', '.join(said)}." if said else ""
    return words + (f" Not reached by {', '.join(never)}." if never else "")


def _anchor(race: Race) -> str:
    by_key = {line.key: line for line in lines_of(race)}
    if not {"plus", "svrg"} <= set(by_key):
        return ""
    config, n = race.config, race.n
    turn, end = small_anchor(by_key["plus"], by_key["svrg"]), float(by_key["svrg"].x[-1])
    share = config.anchor_batch / n
    first = f"B = {config.anchor_batch:,} of n = {n:,}: SVRG-LD+ moves after {share:.2g} pass, SVRG-LD after 1."
    if turn is None:
        return f"<b>A small anchor pays</b> all the way to {passes(end)}. {first}"
    if turn == 0.0:
        return f"A small anchor never pays here. {first}"
    gain = float(at(by_key["plus"], end) / at(by_key["svrg"], end))
    after = (f"at {passes(end)} its W₂ is {gain:.3g} times SVRG-LD’s, for its anchor errs by the {n - config.anchor_batch:,}"
             " terms it leaves out" if isinstance(race, GaussianRace) else
             f"at {passes(end)} it is {abs(at(by_key['plus'], end) - at(by_key['svrg'], end)):.4f} behind")
    return f"<b>A small anchor pays</b> up to {passes(turn)}. {first} Beyond, {after}."


def _points(race: GaussianRace) -> str:
    seen = [(low <= y <= high) for c in race.curves.values()
            for y, low, high in zip(c.points, c.low, c.high, strict=True) if high > low * (1 + 1e-9)]
    if not seen:
        return ""
    floor = max(c.floor for c in race.curves.values() if c.chains)
    most = max(c.chains for c in race.curves.values())
    return (f"<b>{sum(seen)} of {len(seen)}</b> points lie where 95 % of {most:,} chains of the exact law would. Near"
            f" {floor:.2g} and below they cannot be told from exact draws, which score that themselves: only the lines"
            " go on.")


def _theorem(race: GaussianRace) -> str:
    found = {key: line for key, line in theorem_lines(race).items() if key in ("svrg", "plus")}
    said = []
    for key, line in found.items():
        curve = race.curves[key]
        if line.known:
            said.append(f"{curve.name} W₂ ≤ {line.promised[-1]:.3g} at {passes(float(line.passes[-1]))} ({line.repaired:.3g}"
                        f" with its proof mended); it is {curve.exact[-1]:.3g}.")
        else:
            said.append(f"{curve.name} nothing at η = {curve.step_size:.3g}: it asks for η ≤ {line.largest_step_size:.2g}.")
    return f"<b>ZXG Theorem 3.5</b> promises {' '.join(said)}" if said else ""


@cache
def _exponents() -> str:
    """How the gradients for a given W2 grow on Gaussian targets, exactly, beside what ZXG Table 1 prints."""
    said = []
    for name, whose in (("SGLD", "SGLD"), ("LMC", "full gradients (SVRG-LD has their law)")):
        found, printed = complexity_exponents(name), TABLE_1[name]
        pairs = [("ε", found.epsilon, printed[0]), ("κ", found.kappa, printed[1]), ("d", found.dim, printed[2])]
        pairs += [("σ", found.sigma, printed[3])] if printed[3] else []
        said.append(f"{whose} {', '.join(f'{symbol} {_power(exact)} ({_power(bound)})' for symbol, exact, bound in pairs)}")
    return (f"<b>ZXG Table 1, exactly:</b> exponents of the gradients that such Gaussians cost at ε = 0.001, the printed"
            f" bound’s in brackets. {'; '.join(said)}. SVRG-LD’s printed κ is 3/2. The bounds hide a logarithm; in κ"
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
