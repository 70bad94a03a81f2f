"""Texts and CSV of a ladder's run."""

import math

import numpy as np

from app.csv_text import result_rows
from app.glossary import marked, marked_first
from app.offline.ladder_run import LadderRun, start_of
from app.plots.offline import beta as beta_words
from sampler.theory import least_share

ENOUGH = 5.0
"""Minimum of eta0 lambda i_max / T for a rung to forget its start."""

FAR = 0.05
"""Total variation in the argument of LMV-a's section 11."""


def subtitle(run: LadderRun) -> str:
    """Return the subtitle of the canvas's card."""
    return f"T = {run.config.terms:,}, {run.rungs} rungs: β = {beta_words(run.betas[0])} … 1"


def heading(run: LadderRun) -> str:
    """Return the outcome in one line."""
    if run.trouble:
        return "The chains diverged."
    last = run.accuracy(run.rungs - 1)
    if last is None:
        return "Cancelled: completed rungs are kept." if run.complete else "The ladder is running."
    truth = run.truths[-1]
    if last >= truth.ceiling - 3 * truth.ceiling_sd:
        return "The ladder ends at the posterior."
    return "The ladder ends short of the posterior."


def look(run: LadderRun) -> list[str]:
    """Return the icon and colours of the heading."""
    if heading(run) == "The ladder ends at the posterior.":
        return ["check", "ok", "okbg"]
    return ["wait", "cold", "coldbg"] if not run.complete else ["warn", "hot", "hotbg"]


def body(run: LadderRun) -> str:
    """Return the summary of the run as HTML paragraphs."""
    paragraphs = [_trouble(run) if run.trouble else _accuracy(run), _cost(run), _without(run), _pull(run)]
    paragraphs += [f"<b>Note.</b> {note}" for note in run.notes]
    return marked_first("".join(f"<p>{words}</p>" for words in paragraphs if words), "gradients", "total variation", "rung")


def caption(run: LadderRun) -> str:
    """Return the charts' caption about the accuracy of the targets, as HTML."""
    draws = [truth.draws for truth in run.truths if truth.draws is not None]
    if draws:
        few, many = f"{min(draws):,.0f}", f"{max(draws):,.0f}"
        return marked(f"Targets from long chains, {few} to {many} [[effective draws]] each. The band is the [[ceiling]]"
                      " ± 2 standard deviations; it slightly overestimates the noise of these draws, so accuracy may exceed"
                      " it.")
    grid = "Targets from a grid. The band is the [[ceiling]] ± 2 standard deviations."
    return marked(grid) if run.truths else ""


def _trouble(run: LadderRun) -> str:
    longest = 2.0 / run.curvatures[1]
    return (f"η₀ = {run.config.eta0:g} is too long for the curvature: η₀ λ<sub>max</sub>/T ="
            f" {run.config.eta0 * run.curvatures[1]:.2f}, and above 2 (η₀ = {longest:.3g}) steps are unstable. Lower"
            " η₀, or raise b.")


def _accuracy(run: LadderRun) -> str:
    last = run.accuracy(run.rungs - 1)
    if last is None:
        return ""
    truth, config = run.truths[-1], run.config
    start = start_of(config)
    widest = math.sqrt(np.linalg.eigvalsh(run.covariance)[-1])
    away = "" if start is None else (f" The chains started at one point, {np.linalg.norm(start - run.mode) / widest:.0f}"
                                     " posterior standard deviations from the mode.")
    return (f"At β = 1 the {config.chains:,} chains score <b>{last:.3f}</b>; the same number of exact draws scores"
            f" {truth.ceiling:.3f} ± {truth.ceiling_sd:.3f}.{away}")


def _cost(run: LadderRun) -> str:
    config, rungs = run.config, run.rungs
    tables, steps = config.terms * rungs, config.batch_size * config.i_max * rungs
    ratio = run.full_cost / run.cost
    times = f"{ratio:.0f} times as many" if ratio >= 1.5 else "hardly more" if ratio >= 1 else "fewer: b is large here"
    return (f"A chain costs T⌈log₂T + 1⌉ + b i<sub>max</sub>⌈log₂T + 1⌉ = {tables:,} + {steps:,} ="
            f" <b>{run.cost:,}</b> gradients. With all T gradients in each step: {run.full_cost:,}, {times}. No method"
            f" needs much less than T: by LMV-a’s section 11 a total variation of {FAR:g} requires"
            f" {100 * least_share(FAR):.1f} % of the gradients.")


def _without(run: LadderRun) -> str:
    last = run.accuracy(run.rungs - 1)
    if run.plain is None or last is None:
        return ""
    sd = run.truths[-1].ceiling_sd
    fewer = run.cost / run.plain_evaluations
    cost = f"for {run.plain_evaluations:,} gradients, " + (f"{fewer:.1f} times fewer" if fewer >= 1.1 else "hardly fewer")
    if run.plain == 0.0:
        return f"<b>Without the ladder</b> (β = 1 throughout, same number of steps) the chains diverged, {cost}."
    same = abs(run.plain - last) <= 3 * math.sqrt(2) * sd
    verdict = ("the same within noise: F is convex, and from this start the ladder adds a guarantee, not accuracy"
               if same else "the ladder was needed" if run.plain < last else "better: the tables' gradients were wasted")
    return (f"<b>Without the ladder</b> (β = 1 throughout, same number of steps) they score {run.plain:.3f} {cost}:"
            f" {verdict}.")


def _pull(run: LadderRun) -> str:
    config = run.config
    pull = config.eta0 * run.curvatures[0] * config.i_max
    wide = config.eta0 * run.curvatures[1]
    left = _percent(math.exp(-min(pull, 700)))
    words = f"η₀ λ<sub>min</sub> i<sub>max</sub>/T = {pull:.1f}: a rung keeps {left} of its start."
    if pull < ENOUGH:
        words += f" It should be {ENOUGH:g} or more: raise i<sub>max</sub> to {math.ceil(config.i_max * ENOUGH / pull):,}."
    if wide >= 2:
        words += (f" <b>η₀ λ<sub>max</sub>/T = {wide:.2f} is too long</b>: above 2 steps are unstable."
                 f" Lower η₀ below {config.eta0 * 2 / wide:.2g}.")
    elif wide > 0.2:
        by = _percent(1 / math.sqrt(1 - wide / 2) - 1)
        words += f" η₀ λ<sub>max</sub>/T = {wide:.2f} widens the cloud by {by} along the steepest axis."
    return words


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share >= 1e-4 else "a trace"


def spoken(run: LadderRun, frame: int) -> str:
    """Return the description of the canvas for screen readers."""
    rung = run.rung(frame)
    return (f"{run.config.chains:,} chains on rung {rung + 1} of {run.rungs}, β = {beta_words(run.betas[rung])};"
            f" {run.evaluations[frame]:,.0f} gradients per chain so far." if run.frames else "No frame yet.")


def rungs_csv(run: LadderRun) -> str:
    """Return CSV with one row per completed rung: temperature, steps, gradients, accuracy, ceiling."""
    rows = []
    for rung in range(min(run.rungs, max(run.last, 0) // run.per_rung)):
        frame = (rung + 1) * run.per_rung
        truth = run.truths[rung] if rung < len(run.truths) else None
        exact = (None, None) if truth is None else (truth.ceiling, truth.ceiling_sd)
        rows.append([rung + 1, run.betas[rung], run.steps[frame], run.evaluations[frame], run.accuracy(rung), *exact])
    return result_rows(["rung", "beta", "steps", "gradients_a_chain", "accuracy", "exact_draws", "exact_draws_sd"], rows)
