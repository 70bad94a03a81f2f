"""What the page says, computed from what was measured."""

from __future__ import annotations

import numpy as np

from app.compare.results import FigureOneResult, RaceResult, TablesResult
from app.compare.sampler_names import name_of
from app.glossary import marked_first
from app.number_words import lasted, rounded, times
from app.state.compare import CORESET, CompareConfig

WAITING = "The samplers are on their way: what they show is said here as they arrive."
NOT_RUN = "This race has not been run in this session. It starts when you press Compare."
TERMS = ("evaluations", "gradient noise", "injected noise", "Preconditioned", "curvatures differ", "Laplace", "ceiling")
"""Terms of art: the first of each is marked."""
ALIKE = 1.25
"""Two costs this near are the same: a crossing is uncertain by about a quarter."""


def headline(result: RaceResult, config: CompareConfig, running: bool = False) -> str:
    """Return the finding in one line; ``running``: whether the race is under way."""
    if not any(curve.accuracy.size for curve in result.curves.values()):
        return "The race is about to begin." if running or result.curves else "The race has not begun."
    reached = {k: v for k, v in result.reached().items() if k in config.samplers}
    at = "On this coreset" if result.config.problem == CORESET else f"At T = {result.config.t:,}"
    level = f"{result.level:.2f}"
    saga, same, slow = (reached.get(key) for key in ("saga", "sgld_same", "sgld"))
    if saga and same and 1 / ALIKE < same / saga < ALIKE and (slow is None or slow > 2 * saga):
        return f"{at} the step makes the gap, not the sampler."
    if saga and "sgld_same" in result.curves and result.curves["sgld_same"].finished and same is None:
        return f"{at} SGLD’s gradient noise keeps it from the target."
    chains = {k: v for k, v in reached.items() if k not in ("laplace", "online_laplace")}
    if not chains:
        return f"No chain has reached {level} yet." if not result.raced else f"No chain reached {level} in its budget."
    best = min(chains, key=chains.get)
    return f"{at} {name_of(best, config)} reaches {level} with the fewest evaluations."


def body(result: RaceResult, config: CompareConfig, running: bool = False) -> str:
    """Return the paragraphs, HTML; ``running``: whether the race is under way."""
    if not result.curves:
        return f"<p>{WAITING if running or result.facts is not None else NOT_RUN}</p>"
    said = [_steps(result, config), _noise(result), _preconditioned(result, config), _nuts(result, config),
            _growth(result, config)]
    return marked_first("".join(f"<p>{text}</p>" for text in said if text), *TERMS)


def table_note(result: RaceResult, config: CompareConfig) -> str:
    """Return what is to be said of the table's last columns, HTML."""
    said = [_fits(result), _fastest(result, config), _cut(result, config)] if result.curves else []
    return marked_first(" ".join(text for text in said if text), "Laplace", "ceiling")


def _steps(result: RaceResult, config: CompareConfig) -> str:
    reached, level = result.reached(), result.level
    if "saga" not in result.curves:
        return ""
    saga = reached.get("saga")
    if saga is None:
        found = result.curves["saga"]
        if found.trouble or found.diverged:
            return "SAGA-LD’s step is too long here: it left every posterior. Lower η₀."
        if not found.accuracy.size:
            return ""
        return f"SAGA-LD has got to {found.accuracy.max():.3f}; {level:.2f} counts as reached."
    parts = [f"SAGA-LD reaches {level:.2f} with <b>{rounded(saga)}</b> evaluations"]
    slow, same = reached.get("sgld"), reached.get("sgld_same")
    step = "the paper’s step" if config.paper_step else "a fifth of the step"
    told = []
    if "sgld" in result.curves:
        told.append(f"<b>{rounded(slow)}</b> at {step}" if slow else f"more than it was given at {step}")
    if "sgld_same" in result.curves:
        told.append(f"<b>{rounded(same)}</b> at SAGA-LD’s own" if same else "at SAGA-LD’s own it does not get there")
    if told:
        parts.append("SGLD needs " + ", and ".join(told))
    return "; ".join(parts) + "."


def _noise(result: RaceResult) -> str:
    facts = result.facts
    if facts is None or not np.isfinite(facts.noise_share) or facts.noise_share <= 0:
        return ""
    if facts.kind == "oracle":
        return ""
    share, t = facts.noise_share, facts.noise_equal_at
    amount = f"{100 * share:.2g} %" if share < 1 else times(share)
    if share < 1:
        return (f"SGLD’s gradient noise is {amount} of the injected noise at that step. It grows as t: by about"
                f" t = {rounded(t, 1)} they are equal, and no budget helps then.")
    return (f"SGLD’s gradient noise is {amount} the injected noise at that step, and grows as t: they were equal at about"
            f" t = {rounded(t, 1)}.")


def _preconditioned(result: RaceResult, config: CompareConfig) -> str:
    reached = result.reached()
    saga, ours = reached.get("saga"), reached.get("precond")
    if ours is None or "precond" not in config.samplers:
        return ""
    condition = f"the curvatures differ {rounded(result.facts.condition)} to 1"
    if saga is None:
        return f"Preconditioned, {rounded(ours)} evaluations are enough ({condition}); plain SAGA-LD has not got there."
    if saga / ours > 1.5:
        share = " The step is the paper’s: raise η₀ to see how much of that is left." if config.paper_step else ""
        return f"Preconditioned, it takes <b>{times(saga / ours)}</b> fewer ({condition}).{share}"
    return f"Preconditioning gains little here ({condition})."


def _nuts(result: RaceResult, config: CompareConfig) -> str:
    """Where NUTS wins, beside what it took here."""
    if not any(key in config.samplers and key in result.curves for key in ("nuts_warm", "nuts_scratch")):
        return ""
    reached = {key: value for key, value in result.reached().items() if key in config.samplers}
    took = [f"<b>{rounded(reached[key])}</b> {words}" for key, words in
            (("nuts_warm", "warm-started"), ("nuts_scratch", "from scratch, adaptation included")) if key in reached]
    said = "NUTS reads all data at every leapfrog step" + (f": {' and '.join(took)}, evaluations a chain." if took else ".")
    ours = min((key for key in ("saga", "precond") if key in reached), key=reached.get, default=None)
    best = min((reached[key] for key in ("nuts_warm", "nuts_scratch") if key in reached), default=None)
    if ours is not None and best is not None:
        ratio, name = best / reached[ours], name_of(ours, config)
        said += (f" At this t it takes {times(ratio)} what {name} takes, and that grows as t." if ratio > ALIKE else
                 f" At this t that is {times(1 / ratio)} fewer than {name}’s; it grows as t." if ratio < 1 / ALIKE else
                 f" At this t {name} takes as many; NUTS’s grow as t.")
    return said + (" It wins where the posterior is wanted now and then, where data are few, and where no bias may remain:"
                   " it tunes itself and keeps no memory. It loses where every datum must be answered.")


def _fastest(result: RaceResult, config: CompareConfig) -> str:
    took = {}
    for key, evaluations in result.reached().items():
        curve = result.curves[key]
        if key in config.samplers and not curve.fixed:
            took[key] = float(np.interp(evaluations, curve.evaluations, curve.seconds))
    if len(took) < 2:
        return ""
    order = sorted(took, key=took.get)
    first, last = order[0], order[-1]
    return (f"By the clock {name_of(first, config)} is first ({lasted(took[first])} a chain) and"
            f" {name_of(last, config)} last ({lasted(took[last])}).")


def _cut(result: RaceResult, config: CompareConfig) -> str:
    cut = [(name_of(key, config), float(curve.evaluations[-1])) for key, curve in result.curves.items()
           if curve.cut and key in config.samplers]
    if not cut:
        return ""
    ends = ", ".join(f"{name} after {rounded(evaluations)}" for name, evaluations in cut)
    return f"Ended before the budget, as it would have taken too long on any machine: {ends} evaluations (◂ in the table)."


def _growth(result: RaceResult, config: CompareConfig) -> str:
    ours = result.costs.get("saga")
    full = {k: c for k, c in result.costs.items() if c.slope is not None and c.slope > 0.85 and k in config.samplers}
    if ours is None or ours.slope is None or not full:
        return ""
    key = min(full, key=lambda k: full[k].evaluations[-1])
    cost = full[key]
    if cost.t[-1] != ours.t[-1]:
        return ""
    ratio = cost.evaluations[-1] / ours.evaluations[-1]
    said = f"As data arrive SAGA-LD’s epoch costs the same at every t (slope {abs(ours.slope):.2f})"
    name = name_of(key, config)
    if 0.8 < ratio < 1.25:
        return said + f"; at t = {ours.t[-1]:,.0f} {name}, the cheapest on all data, costs about as much, and grows as t."
    if ratio > 1:
        return said + f"; at t = {ours.t[-1]:,.0f} even {name}, the cheapest on all data, costs {times(ratio)} as much."
    meets = rounded(cost.t[-1] / ratio)
    return said + f"; {name} is still cheaper at t = {ours.t[-1]:,.0f} and grows as t: they meet near {meets}."


def _fits(result: RaceResult) -> str:
    facts = result.facts
    if facts is None:
        return ""
    short = {}
    for key in ("laplace", "online_laplace"):
        curve = result.curves.get(key)
        if curve is not None and curve.accuracy.size:
            short[key] = facts.ceiling.mean - float(curve.accuracy[-1])
    if not short:
        return ""
    parts = [f"{'full' if key == 'laplace' else 'online'} Laplace stops {max(gap, 0.0):.3f} short of the ceiling"
             for key, gap in short.items()]
    return ("No budget mends a wrong shape: " + ", ".join(parts) + ".") if max(short.values()) > 0.01 else ""


def subtitle(result: RaceResult | None, config: CompareConfig) -> str:
    """Return the words beside the chart's title."""
    if config.axis == "t":
        return "as many steps as took the sampler to the accuracy; slopes fitted"
    run = config if result is None else result.config
    where = "all points of the coreset" if run.problem == CORESET else f"epoch t = {run.t:,}"
    return f"{where}, {run.chains:,} chains from one start"


def shipped(result: RaceResult | FigureOneResult | TablesResult | None) -> str:
    """Return how a shipped result was made, HTML; empty for one that was run here."""
    if result is None or not result.shipped:
        return ""
    return f"This result was shipped with the page: made {result.shipped}, whose seconds it shows. Run it here at any time."


def spoken(result: RaceResult) -> str:
    """Return the race for a screen reader."""
    parts = [f"{name_of(key, result.config)}: {value:,.0f}" for key, value in result.reached().items()]
    return f"Evaluations to reach {result.level:.2f}. " + "; ".join(parts) + "." if parts else ""


def refusal(config: CompareConfig, blocked: dict[str, str]) -> str:
    """Return why a race cannot start; empty when it can."""
    if not config.samplers:
        return "No sampler is switched on: switch one on, then compare."
    if all(key in blocked for key in config.samplers):
        return "None of the samplers that are on can run on this problem: " + " ".join(
            blocked[key] for key in config.samplers)
    return ""
