"""What the page says, computed from what was measured."""

from __future__ import annotations

import numpy as np

from app.compare.config import CompareConfig
from app.compare.numbers import lasted, rounded, times
from app.compare.picture import RacePicture
from app.compare.problems import CORESET
from app.compare.samplers import name_of
from sampler.racing import CONTESTANTS

WAITING = "The samplers are on their way: what they show is said here as they arrive."
ALIKE = 1.25
"""Two costs this near are the same: a crossing is uncertain by about a quarter."""


def headline(picture: RacePicture, config: CompareConfig) -> str:
    """Return the finding in one line."""
    reached = {k: v for k, v in picture.reached().items() if k in config.samplers}
    at = "On this coreset" if picture.config.problem == CORESET else f"At T = {picture.config.t:,}"
    level = f"{picture.level:.2f}"
    saga, same, slow = (reached.get(key) for key in ("saga", "sgld_same", "sgld"))
    if saga and same and 1 / ALIKE < same / saga < ALIKE and (slow is None or slow > 2 * saga):
        return f"{at} the step makes the gap, not the sampler."
    if saga and "sgld_same" in picture.curves and picture.curves["sgld_same"].finished and same is None:
        return f"{at} SGLD’s gradient noise keeps it from the target."
    chains = {k: v for k, v in reached.items() if k not in ("laplace", "online_laplace")}
    if not chains:
        return f"No chain has reached {level} yet." if not picture.raced else f"No chain reached {level} in its budget."
    best = min(chains, key=chains.get)
    return f"{at} {name_of(best, config.paper_step)} reaches {level} with the fewest evaluations."


def body(picture: RacePicture, config: CompareConfig) -> str:
    """Return the paragraphs, HTML."""
    if not picture.curves:
        return f"<p>{WAITING}</p>"
    said = [_steps(picture, config), _noise(picture), _preconditioned(picture, config), _fastest(picture, config),
            _cut(picture, config), _growth(picture, config), _fits(picture)]
    return "".join(f"<p>{text}</p>" for text in said if text)


def _steps(picture: RacePicture, config: CompareConfig) -> str:
    reached, level = picture.reached(), picture.level
    if "saga" not in picture.curves:
        return ""
    saga = reached.get("saga")
    if saga is None:
        found = picture.curves["saga"]
        if found.trouble or found.diverged:
            return "SAGA-LD’s step is too long here: it left every posterior. Lower η₀."
        best = found.accuracy.max() if found.accuracy.size else 0.0
        return f"SAGA-LD has got to {best:.3f}; {level:.2f} counts as reached."
    parts = [f"SAGA-LD reaches {level:.2f} with <b>{rounded(saga)}</b> evaluations"]
    slow, same = reached.get("sgld"), reached.get("sgld_same")
    step = "the paper’s step" if config.paper_step else "a fifth of the step"
    told = []
    if "sgld" in picture.curves:
        told.append(f"<b>{rounded(slow)}</b> at {step}" if slow else f"more than it was given at {step}")
    if "sgld_same" in picture.curves:
        told.append(f"<b>{rounded(same)}</b> at SAGA-LD’s own" if same else "at SAGA-LD’s own it does not get there")
    if told:
        parts.append("SGLD needs " + ", and ".join(told))
    return "; ".join(parts) + "."


def _noise(picture: RacePicture) -> str:
    ground = picture.ground
    if ground is None or not np.isfinite(ground.noise_share) or ground.noise_share <= 0:
        return ""
    if ground.problem.kind == "oracle":
        return ""
    share, t = ground.noise_share, ground.noise_equal_at
    amount = f"{100 * share:.2g} %" if share < 1 else times(share)
    if share < 1:
        return (f"SGLD’s gradient noise is {amount} of the injected noise at that step. It grows as t: by about"
                f" t = {rounded(t, 1)} they are equal, and no budget helps then.")
    return (f"SGLD’s gradient noise is {amount} the injected noise at that step, and grows as t: they were equal at about"
            f" t = {rounded(t, 1)}.")


def _preconditioned(picture: RacePicture, config: CompareConfig) -> str:
    reached = picture.reached()
    saga, ours = reached.get("saga"), reached.get("precond")
    if ours is None or "precond" not in config.samplers:
        return ""
    ground = picture.ground
    values = np.linalg.eigvalsh(ground.posterior.hessian(np.asarray(ground.reference.mean, float)))
    condition = f"the curvatures differ {rounded(values[-1] / values[0])} to 1"
    if saga is None:
        return f"Preconditioned, {rounded(ours)} evaluations are enough ({condition}); plain SAGA-LD has not got there."
    if saga / ours > 1.5:
        share = " The step is the paper’s: raise η₀ to see how much of that is left." if config.paper_step else ""
        return f"Preconditioned, it takes <b>{times(saga / ours)}</b> fewer ({condition}).{share}"
    return f"Preconditioning gains little here ({condition})."


def _fastest(picture: RacePicture, config: CompareConfig) -> str:
    took = {}
    for key, evaluations in picture.reached().items():
        curve = picture.curves[key]
        if key in config.samplers and not curve.fixed:
            took[key] = float(np.interp(evaluations, curve.evaluations, curve.seconds))
    if len(took) < 2:
        return ""
    order = sorted(took, key=took.get)
    first, last = order[0], order[-1]
    return (f"By the clock {name_of(first, config.paper_step)} is first ({lasted(took[first])} a chain) and"
            f" {name_of(last, config.paper_step)} last ({lasted(took[last])}).")


def _cut(picture: RacePicture, config: CompareConfig) -> str:
    cut = [(name_of(key, config.paper_step), float(curve.evaluations[-1])) for key, curve in picture.curves.items()
           if curve.cut and key in config.samplers]
    if not cut:
        return ""
    ends = ", ".join(f"{name} after {rounded(evaluations)}" for name, evaluations in cut)
    return f"Ended before the budget, as it would have taken too long on any machine: {ends} evaluations (◂ in the table)."


def _growth(picture: RacePicture, config: CompareConfig) -> str:
    ours = picture.costs.get("saga")
    full = {k: c for k, c in picture.costs.items() if c.slope is not None and c.slope > 0.85 and k in config.samplers}
    if ours is None or ours.slope is None or not full:
        return ""
    key = min(full, key=lambda k: full[k].evaluations[-1])
    cost = full[key]
    if cost.t[-1] != ours.t[-1]:
        return ""
    ratio = cost.evaluations[-1] / ours.evaluations[-1]
    said = f"As data arrive SAGA-LD’s epoch costs the same at every t (slope {abs(ours.slope):.2f})"
    name = name_of(key, config.paper_step)
    if 0.8 < ratio < 1.25:
        return said + f"; at t = {ours.t[-1]:,.0f} {name}, the cheapest on all data, costs about as much, and grows as t."
    if ratio > 1:
        return said + f"; at t = {ours.t[-1]:,.0f} even {name}, the cheapest on all data, costs {times(ratio)} as much."
    meets = rounded(cost.t[-1] / ratio)
    return said + f"; {name} is still cheaper at t = {ours.t[-1]:,.0f} and grows as t: they meet near {meets}."


def _fits(picture: RacePicture) -> str:
    ground = picture.ground
    if ground is None:
        return ""
    short = {}
    for key in ("laplace", "online_laplace"):
        curve = picture.curves.get(key)
        if curve is not None and curve.accuracy.size:
            short[key] = ground.ceiling.mean - float(curve.accuracy[-1])
    if not short:
        return ""
    parts = [f"{'full' if key == 'laplace' else 'online'} Laplace stops {max(gap, 0.0):.3f} short of the ceiling"
             for key, gap in short.items()]
    return ("No budget mends a wrong shape: " + ", ".join(parts) + ".") if max(short.values()) > 0.01 else ""


def subtitle(picture: RacePicture | None, config: CompareConfig) -> str:
    """Return the words beside the chart's title."""
    if config.axis == "t":
        return "gradient evaluations of one epoch, with as many steps as took the sampler to the accuracy; slopes fitted"
    run = config if picture is None else picture.config
    where = "all points of the coreset" if run.problem == CORESET else f"epoch t = {run.t:,}"
    return f"{where}, {run.chains:,} chains from one start; marginal accuracy, the ceiling is what exact draws score"


def spoken(picture: RacePicture) -> str:
    """Return the race for a screen reader."""
    parts = [f"{name_of(key)}: {value:,.0f}" for key, value in picture.reached().items()]
    return f"Evaluations to reach {picture.level:.2f}. " + "; ".join(parts) + "." if parts else ""


def refusal(config: CompareConfig, blocked: dict[str, str]) -> str:
    """Return why a race cannot start; empty when it can."""
    if not config.samplers:
        return "No sampler is switched on: switch one on, then compare."
    if all(key in blocked for key in config.samplers):
        return "None of the samplers that are on can run on this problem: " + " ".join(
            blocked[key] for key in config.samplers if key in CONTESTANTS)
    return ""
