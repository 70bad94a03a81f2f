"""Texts about a race, Figure 1 and the papers' tables, computed from the measurements."""

import numpy as np

from app.compare.race_job import RaceResult, TablesResult
from app.compare.race_problems import name_of
from app.glossary import marked_first
from app.number_words import lasted, rounded, slope_words, times
from app.plots.looks import sampler_look
from app.state.compare import CORESET, CompareConfig
from sampler.metrics import exact_ceiling
from sampler.racing import FigureOne

WAITING = "The samplers are running: results appear here as they arrive."
NOT_RUN = "This race has not run in this session: press Compare."
TERMS = ("evaluations", "gradient noise", "injected noise", "Preconditioned", "curvatures differ", "Laplace", "ceiling")
"""Glossary terms; the first occurrence of each is marked."""
ALIKE = 1.25
"""Costs within this ratio count as equal: a crossing is uncertain by about a quarter."""


def headline(result: RaceResult, config: CompareConfig, running: bool = False) -> str:
    """Return the result in one line; ``running``: whether the race is running."""
    if not any(curve.accuracy.size for curve in result.curves.values()):
        return "The race is about to begin." if running or result.curves else "The race has not begun."
    reached = {k: v for k, v in result.reached().items() if k in config.samplers}
    at = "On this coreset" if result.config.problem == CORESET else f"At T = {result.config.t:,}"
    level = f"{result.level:.2f}"
    saga, same, slow = (reached.get(key) for key in ("saga", "sgld_same", "sgld"))
    if saga and same and 1 / ALIKE < same / saga < ALIKE and (slow is None or slow > 2 * saga):
        return f"{at} the step makes the gap, not the sampler."
    if saga and "sgld_same" in result.curves and result.curves["sgld_same"].finished and same is None:
        return f"{at} SGLD’s gradient noise prevents convergence to the target."
    chains = {k: v for k, v in reached.items() if not result.curves[k].fixed}
    if not chains:
        return f"No chain has reached {level} yet." if not result.raced else f"No chain reached {level} in its budget."
    best = min(chains, key=chains.get)
    return f"{at} {name_of(best, config)} reaches {level} with the fewest evaluations."


def body(result: RaceResult, config: CompareConfig, running: bool = False) -> str:
    """Return the paragraphs as HTML; ``running``: whether the race is running."""
    if not result.curves:
        return f"<p>{WAITING if running or result.facts is not None else NOT_RUN}</p>"
    sentences = [_steps(result, config), _noise(result), _preconditioned(result, config), _nuts(result, config),
            _fits(result, config), _growth(result, config)]
    return marked_first("".join(f"<p>{text}</p>" for text in sentences if text), *TERMS)


def _steps(result: RaceResult, config: CompareConfig) -> str:
    reached, level = result.reached(), result.level
    if "saga" not in result.curves:
        return ""
    saga, curve = reached.get("saga"), result.curves["saga"]
    if saga is None:
        if curve.trouble or curve.diverged:
            return "SAGA-LD diverged: its step is too long here. Lower η₀."
        if not curve.accuracy.size:
            return ""
        return f"SAGA-LD has reached {curve.accuracy.max():.3f}; the target is {level:.2f}."
    parts = [f"SAGA-LD reaches {level:.2f} with <b>{rounded(saga)}</b> evaluations"]
    slow, same = reached.get("sgld"), reached.get("sgld_same")
    step = "the paper’s step" if config.paper_step else "a fifth of the step"
    needs = []
    if "sgld" in result.curves:
        needs.append(f"<b>{rounded(slow)}</b> at {step}" if slow else f"more than its budget at {step}")
    if "sgld_same" in result.curves:
        needs.append(f"<b>{rounded(same)}</b> at SAGA-LD’s own" if same else "never reaches it at SAGA-LD’s own")
    if needs:
        parts.append("SGLD needs " + ", and ".join(needs))
    return "; ".join(parts) + "."


def _noise(result: RaceResult) -> str:
    facts = result.facts
    if facts is None or facts.kind == "oracle" or not 0 < facts.noise_share < np.inf:
        return ""
    share, t = facts.noise_share, facts.noise_equal_at
    if share < 1:
        return (f"SGLD’s gradient noise is {100 * share:.2g} % of the injected noise at that step. It grows as t: at about"
                f" t = {rounded(t, 1)} they are equal, and no budget helps then.")
    return (f"SGLD’s gradient noise is {times(share)} the injected noise at that step, and grows as t: they were equal at"
            f" about t = {rounded(t, 1)}.")


def _preconditioned(result: RaceResult, config: CompareConfig) -> str:
    reached = result.reached()
    saga, ours = reached.get("saga"), reached.get("precond")
    if ours is None or "precond" not in config.samplers:
        return ""
    condition = f"the curvatures differ {rounded(result.facts.condition)} to 1"
    if saga is None:
        return f"Preconditioned, {rounded(ours)} evaluations are enough ({condition}); plain SAGA-LD has not reached it."
    if saga / ours > 1.5:
        share = " The step is the paper’s: raise η₀ to see how much of the gain remains." if config.paper_step else ""
        return f"Preconditioned, it takes <b>{times(saga / ours)}</b> fewer ({condition}).{share}"
    return f"Preconditioning gains little here ({condition})."


def _nuts(result: RaceResult, config: CompareConfig) -> str:
    """Return the cost of NUTS in this race, and when it wins."""
    if not any(key in config.samplers and key in result.curves for key in ("nuts_warm", "nuts_scratch")):
        return ""
    reached = {key: value for key, value in result.reached().items() if key in config.samplers}
    took = [f"<b>{rounded(reached[key])}</b> {words}" for key, words in
            (("nuts_warm", "warm-started"), ("nuts_scratch", "from scratch, adaptation included")) if key in reached]
    text = "NUTS reads all data at every leapfrog step" + (f": {' and '.join(took)} evaluations per chain." if took else ".")
    ours = min((key for key in ("saga", "precond") if key in reached), key=reached.get, default=None)
    best = min((reached[key] for key in ("nuts_warm", "nuts_scratch") if key in reached), default=None)
    if ours is not None and best is not None:
        ratio, name = best / reached[ours], name_of(ours, config)
        text += (f" At this t it takes {times(ratio)} what {name} takes, and that grows as t." if ratio > ALIKE else
                 f" At this t that is {times(1 / ratio)} fewer than {name}’s; it grows as t." if ratio < 1 / ALIKE else
                 f" At this t {name} takes as many; NUTS’s grow as t.")
    return text + (" It wins if the posterior is needed only now and then, with few data, or if no bias is acceptable:"
                   " it tunes itself and caches nothing. It loses if every datum needs an update.")


def _fits(result: RaceResult, config: CompareConfig) -> str:
    """Return the scores and costs of the Gaussian fits whose cost is the same at every t."""
    fits = {key: result.curves[key] for key in ("warm_laplace", "rvga")
            if key in config.samplers and key in result.curves and result.curves[key].accuracy.size}
    if not fits:
        return ""
    scores = [f"{name_of(key, config)} scores <b>{curve.accuracy[-1]:.3f}</b> for {rounded(curve.evaluations[-1])}"
              f" evaluation{'' if curve.evaluations[-1] == 1 else 's'} per epoch" for key, curve in fits.items()]
    enough = any(curve.accuracy[-1] >= result.level for curve in fits.values())
    return (f"{', '.join(scores)}, shared by all chains: no budget changes that. "
            + ("Here a Gaussian is enough, and no chain is needed for it." if enough else
               "The posterior is not close enough to Gaussian: a chain is needed."))


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
    text = f"As data arrive SAGA-LD’s epoch costs the same at every t (slope {abs(ours.slope):.2f})"
    name = name_of(key, config)
    if 0.8 < ratio < 1.25:
        return text + f"; at t = {ours.t[-1]:,.0f} {name}, the cheapest on all data, costs about as much, and grows as t."
    if ratio > 1:
        return text + f"; at t = {ours.t[-1]:,.0f} even {name}, the cheapest on all data, costs {times(ratio)} as much."
    meets = rounded(cost.t[-1] / ratio)
    return text + f"; {name} is still cheaper at t = {ours.t[-1]:,.0f} and grows as t: they meet near {meets}."


def subtitle(result: RaceResult | None, config: CompareConfig) -> str:
    """Return the subtitle of the chart."""
    if config.axis == "t":
        return "with the number of steps that reached the accuracy; slopes fitted"
    run = config if result is None else result.config
    where = "all points of the coreset" if run.problem == CORESET else f"epoch t = {run.t:,}"
    return f"{where}, {run.chains:,} chains from one start"


def shipped(result: RaceResult | None) -> str:
    """Return the origin of a shipped race as HTML; empty for one run here."""
    if result is None or not result.shipped:
        return ""
    return f"Shipped result, made {result.shipped}; its seconds are of that machine. Press Compare to run it here."


def spoken(result: RaceResult) -> str:
    """Return a description of the race for screen readers."""
    parts = [f"{name_of(key, result.config)}: {value:,.0f}" for key, value in result.reached().items()]
    return f"Evaluations to reach {result.level:.2f}. " + "; ".join(parts) + "." if parts else ""


def refusal(config: CompareConfig, blocked: dict[str, str]) -> str:
    """Return why a race cannot start; empty if it can."""
    if not config.samplers:
        return "No sampler is switched on: switch one on, then compare."
    if all(key in blocked for key in config.samplers):
        return "None of the selected samplers can run on this problem: " + " ".join(
            blocked[key] for key in config.samplers)
    return ""


RERUNS, DIM = 1_000, 21
"""Paper's experiment: number of scored draws, which is also that of the reference, and of coordinates."""

PAPER_EMPTY = ("Points: data sets; diamonds: as printed. LMV-n section 5: eight data sets, T = 1,000, d = 21;"
               " each sampler runs the stream to t = 999 on its own, then epoch 1,000 is run 1,000 times from there.")
TABLES_EMPTY = ("LMV Tables 1 and 2 and ZXG Table 1 as measurements: evaluations to reach one accuracy at T = 250 to 8,000,"
                " with fitted slopes.")


def paper_headline(figure: FigureOne | None) -> str:
    """Return the result of Figure 1 in one line."""
    if figure is None:
        return "Figure 1 is being run."
    gap = float(figure.short_of_ceiling("saga").mean())
    if gap <= 0.01:
        return f"SAGA-LD is within {max(gap, 0.0):.3f} of what exact draws score."
    return f"After {figure.steps:,} steps SAGA-LD is {gap:.3f} short of its ceiling."


def paper_body(figure: FigureOne | None) -> str:
    """Return the differences from the printed figure, with their reasons."""
    if figure is None:
        return f"<p>{PAPER_EMPTY}</p>"
    mean = {key: float(values.mean()) for key, values in figure.accuracy.items()}
    ceiling = float(figure.ceiling.mean())
    noise = exact_ceiling(RERUNS, DIM, RERUNS).sd
    paragraphs = [
        f"The printed <b>0.921</b> of SAGA-LD and Pólya-Gamma is the metric’s ceiling: 1,000 exact draws against 1,000"
        f" others score <b>{ceiling:.3f}</b> here. A higher score is noise (that of one data set"
        f" scatters by {noise:.3f}), and Pólya-Gamma is at {mean['pg']:.3f}"
        f"{': as good as exact, within noise.' if mean['pg'] > ceiling - noise else '.'}",
        f"SAGA-LD: {mean['saga']:.3f} after {figure.steps:,} steps ({rounded(figure.evaluations['saga'], 3)} evaluations,"
        f" {lasted(figure.seconds['saga'])} per run). In the paper’s 0.1 s per epoch this machine makes"
        f" {rounded(figure.steps_in_paper_time)} steps"
        + ("; raise the budget to 3,000 steps to see the ceiling." if figure.steps < 3_000 else "."),
        _sgld(figure, mean),
        f"MALA had 0.1 s in the paper, and here as many evaluations as SAGA-LD, {rounded(figure.evaluations['mala'], 3)}:"
        f" {mean['mala']:.3f} against 0.901 printed. It pays with one pass over the data per step.",
        f"The Laplace fits do not depend on the clock: {mean['laplace']:.3f} (0.924 printed) and"
        f" {mean['online_laplace']:.3f} (0.571 printed); the online one depends most on the data set.",
    ]
    return marked_first("".join(f"<p>{text}</p>" for text in paragraphs), "ceiling", "Pólya-Gamma", "evaluations", "MALA",
                        "Laplace", "gradient noise", "injected noise")


def _sgld(figure: FigureOne, mean: dict[str, float]) -> str:
    share = 100 * figure.noise_share
    gap = mean["saga"] - mean["sgld_same"]
    how = ("does as well as SAGA-LD" if abs(gap) < 0.015 else f"is {abs(gap):.3f} {'below' if gap > 0 else 'above'} SAGA-LD")
    return (f"SGLD at the paper’s step: {mean['sgld']:.3f} (0.442 printed; a faster machine makes more steps and lifts it)."
            f" At SAGA-LD’s step it {how}, {mean['sgld_same']:.3f}: at t = 1,000 its gradient noise is {share:.2g} % of the"
            f" injected noise. It overtakes it near t = {rounded(figure.noise_equal_at, 1)}.")


def tables_headline(result: TablesResult) -> str:
    """Return the result of the tables in one line."""
    key = "saga" if result.config.table == "online" else "ladder"
    growth = result.growth.get(key)
    if growth is None or growth.slope is None:
        return "The tables are being measured."
    slope = slope_words(growth.slope, growth.slope_error)
    if result.config.table == "online":
        flat = abs(growth.slope) <= 2.0 * max(growth.slope_error or 0.0, 0.05)
        return (f"SAGA-LD’s epoch does not grow with T: slope {slope}." if flat
                else f"SAGA-LD’s epoch grows with T by a slope of {slope}.")
    return f"From a cold start Algorithm 3 grows with slope {slope}."


def tables_body(result: TablesResult) -> str:
    """Return an explanation of the slopes."""
    growth = result.growth
    never = [sampler_look(key).name for key in result.tried if key not in growth]
    if result.config.table == "online":
        paragraphs = [
            "LMV Table 1, one epoch as data arrive: the chains start at a typical draw of the target, one standard"
            " deviation from the mode, the same at each T. Slope 0 is a constant cost, slope 1 a number of passes over the"
            " data."]
    else:
        paragraphs = [
            "LMV Table 2 and ZXG Table 1, all data at hand and a cold start at zero. T + poly appears as a slope that rises"
            " from below 1 to 1: each datum must be read once."]
    if "sgld_quiet" in growth and growth["sgld_quiet"].slope is not None:
        paragraphs.append(
            "SGLD’s step is cut as T grows so that its gradient noise stays at a tenth of the injected noise: which"
            f" makes its slope {slope_words(growth['sgld_quiet'].slope)}; at a fixed step it would stop short.")
    if result.config.table == "fixed" and "ladder" in growth and growth["ladder"].slope is not None:
        paragraphs.append(
            "Algorithm 3 pays T log₂T + b i<sub>max</sub> at each temperature, so it costs most if the posterior"
            " is easy to reach; it is the only one that does not need strong convexity.")
    if any(one.slope_error is not None for one in growth.values()):
        paragraphs.append(
            "Slopes are means over three seeds, each with its own stream and chains, ± their standard error. An"
            " accuracy counts as reached where the increasing curve fitted to the noisy marks crosses it.")
    if never:
        paragraphs.append(f"Not reached within the budget: {', '.join(never)}."
                          + (" SVRG-LD+ keeps the error of its small anchor." if "SVRG-LD+" in never else ""))
    return marked_first("".join(f"<p>{text}</p>" for text in paragraphs), "cold start", "gradient noise", "temperature")
