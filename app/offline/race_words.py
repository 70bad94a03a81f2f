"""Texts, table rows and CSV of the two races, and theorems' bounds for the Gaussian one."""

import math
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from app.csv_text import result_rows
from app.glossary import marked_first
from app.number_words import scientific, short
from app.offline.likelihood_race_job import NO_MODE, LikelihoodRace
from app.offline.race_samplers import best_words, columns_of_passes, make, passes_words, small_anchor
from app.offline.wasserstein_race_job import TABLE_PASSES, TABLE_SAMPLERS, TABLE_SIZES, GaussianRace, grid
from app.plots.looks import sampler_look
from app.plots.offline import NAMES
from app.state.offline_races import GAUSSIAN_DIM, GaussianConfig
from app.widgets.cards import folded
from sampler import SvrgLD
from sampler.theory import (
    TABLE_1,
    PrescriptionCheck,
    check_prescription,
    complexity_exponents,
    gaussian_experiment,
    gaussian_promise,
    prescription_exponents,
)

EVERY = 8
"""Stride of the bound's points on the race's grid of passes."""


@dataclass(frozen=True, eq=False)
class TheoremLine:
    """A theorem's bound for one sampler at its step size."""

    passes: np.ndarray  #: (p,)
    promised: np.ndarray  #: (p,) bound on W2; inf if the step size is too long for the theorem
    repaired: float  #: bound at the last pass with the proof's last step corrected
    largest_step_size: float  #: largest step size that the theorem allows

    @property
    def applies(self) -> bool:
        """Whether the theorem applies at this step size."""
        return bool(np.isfinite(self.promised).all())


def theorem_lines(race: GaussianRace) -> dict[str, TheoremLine]:
    """Return a line for each SVRG-LD sampler of the race, by key."""
    lines = {key: _line(race.config, key, curve.step_size) for key, curve in race.curves.items()}
    return {key: line for key, line in lines.items() if line is not None}


@lru_cache(maxsize=32)
def _line(config: GaussianConfig, key: str, step_size: float) -> TheoremLine | None:
    sampler = make(key, config, config.n)
    if not isinstance(sampler, SvrgLD):
        return None
    experiment, passes = gaussian_experiment(config.n, GAUSSIAN_DIM, config.seed), grid(config)[::-1][::EVERY][::-1]
    promises = [gaussian_promise(experiment, replace(sampler, step_size=step_size), float(p)) for p in passes]
    return TheoremLine(passes, np.array([p.value for p in promises]), promises[-1].repaired, promises[-1].largest_step_size)


COARSE, FINE = 1.5, 1 / 3
"""Factors of the eps at which Corollary 3.6 prescribes all data: one above, by 3.6, and one below, by 3.8."""
STEEP = {"epsilon": 1e-3, "kappa": 1e4, "dim": 10, "sigma": 1.0}
"""Arguments at which the exponent of kappa is computed; so large a kappa dominates."""


@lru_cache(maxsize=16)
def corollaries(n: int, seed: int) -> str:
    """Return HTML that compares prescribed and required passes for n data of a seed, for each eps below the start's W2."""
    experiment = gaussian_experiment(n, GAUSSIAN_DIM, seed)
    noise = float((experiment.curvatures**2 * experiment.data.var(axis=0)).sum())
    border = 12 * math.sqrt(noise / n) / float(experiment.curvatures.min())
    start = experiment.wasserstein(SvrgLD(1e-3), 0.0)
    sentences = [_prescribed(check_prescription(experiment, float(f"{share * border:.2g}")), n)
                 for share in (COARSE, FINE) if share * border < start]
    kappa = prescription_exponents(**STEEP)["kappa"]
    return (f"<b>ZXG Corollaries 3.6 and 3.8</b>, with the constants of Theorem 3.5. {' '.join(sentences)} In 3.6 the"
            f" gradients grow like κ to the {kappa:.2g}, one more than printed: the theorem requires ηm ≤ 1/(6M).")


def _prescribed(check: PrescriptionCheck, n: int) -> str:
    by, enough = check.prescription, float(f"{check.reached / n:.3g}")
    reached = scientific(check.wasserstein) if check.wasserstein < 0.01 else f"{check.wasserstein:.2g}"
    return (f"For W₂ ≤ {check.epsilon:g}, {by.corollary} prescribes B = {by.anchor_batch:,}, m = {by.anchor_every:,},"
            f" η = {short(by.step_size)} and {short(float(f'{by.gradients / n:.3g}'))} passes; they reach"
            f" {reached}, and {short(enough)} suffice.")


Race = GaussianRace | LikelihoodRace


def level_of(race: Race) -> float | None:
    """Return the target level: twice the best last W2, or 0.005 above the best last NLL, rounded up."""
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
    """Return the outcome in one line."""
    return best_words(race.traces, race.config.passes, race.start) if race.curves else "No curve yet."


def spoken(race: Race) -> str:
    """Return the best samplers and the passes to the level, for screen readers."""
    return f"{headline(race)} {_reaching(race)}".replace("<b>", "").replace("</b>", "").strip() if race.curves else ""


def body(race: Race) -> str:
    """Return the summary of the race as HTML paragraphs."""
    exact = isinstance(race, GaussianRace)
    html = _paragraphs(_reaching(race), _anchor(race), _points(race) if exact else "")
    if exact:
        html += folded("The paper’s theorem, corollaries and table, checked here",
                       _paragraphs(_theorem(race), corollaries(race.config.n, race.config.seed), _exponents()))
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
    mean = "" if isinstance(race, GaussianRace) else f", mean of {race.config.chains} chains"
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
    first = f"B = {config.anchor_batch:,} of n = {n:,}: SVRG-LD+ starts after {share:.2g} pass, SVRG-LD after 1."
    if turn is None:
        return f"<b>A small anchor pays</b> up to the end, {passes_words(end)}. {first}"
    if turn == 0.0:
        return f"A small anchor never pays here. {first}"
    plus, whole = (float(by_key[key].at(end)) for key in ("plus", "svrg"))
    after = (f"its W₂ is {plus / whole:.3g} times SVRG-LD’s, because its anchor omits {n - config.anchor_batch:,} terms"
             if isinstance(race, GaussianRace) else f"it is {abs(plus - whole):.4f} behind")
    return f"<b>A small anchor pays</b> up to {passes_words(turn)}. {first} Beyond, at {passes_words(end)} {after}."


def _points(race: GaussianRace) -> str:
    inside = [(low <= y <= high) for c in race.curves.values()
              for y, low, high in zip(c.points, c.low, c.high, strict=True) if high > low * (1 + 1e-9)]
    if not inside:
        return ""
    floor = max(c.floor for c in race.curves.values() if c.chains)
    most = max(c.chains for c in race.curves.values())
    return (f"<b>{sum(inside)} of {len(inside)}</b> points are in the 95 % band of {most:,} chains of the exact law."
            f" Near {floor:.2g}, the score of exact draws, and below, chains cannot be distinguished from exact draws:"
            " there only the lines are informative.")


def _theorem(race: GaussianRace) -> str:
    sentences = []
    for key, line in theorem_lines(race).items():
        curve = race.curves[key]
        if key not in ("svrg", "plus"):
            continue
        if line.applies:
            sentences.append(f"{curve.name}: W₂ ≤ {line.promised[-1]:.3g} at {passes_words(float(line.passes[-1]))}"
                             f" ({line.repaired:.3g} with the proof corrected); exact: {curve.exact[-1]:.3g}.")
        else:
            sentences.append(f"{curve.name}: no bound at η = {curve.step_size:.3g}, it requires"
                             f" η ≤ {line.largest_step_size:.2g}.")
    return f"<b>ZXG Theorem 3.5.</b> {' '.join(sentences)}" if sentences else ""


@cache
def _exponents() -> str:
    """Return HTML with the exact exponents of the gradients for a fixed W2 on Gaussian targets and those of ZXG Table 1."""
    rows = []
    for name, label in (("SGLD", "SGLD"), ("LMC", "full gradients (SVRG-LD has their law)")):
        exact, printed = complexity_exponents(name), TABLE_1[name]
        pairs = zip("εκdσ", (exact.epsilon, exact.kappa, exact.dim, exact.sigma), printed, strict=True)
        rows.append(f"{label} " + ", ".join(f"{symbol} {_power(one)} ({_power(bound)})" for symbol, one, bound in pairs
                                            if bound))
    return (f"<b>ZXG Table 1, exactly:</b> exponents of the gradients for such Gaussians at ε = 0.001, the printed bound’s"
            f" in brackets. {'; '.join(rows)}. SVRG-LD’s printed κ is 3/2. The bounds omit a logarithm; in κ none of them"
            " is attained here. SGLD’s printed powers follow from coupling chain and target step by step, where noise adds"
            " to W₂ like √η; in law it adds to the variance, and W₂ grows like η.")


def _power(value: float) -> str:
    """Return the text of an exponent: −1.13, 2."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "−")


def data(race: LikelihoodRace) -> str:
    """Return the description of the data as HTML paragraphs."""
    rows = (f"{race.train:,} training rows, {race.test:,} test rows, d = {race.dim} coefficients with the intercept;"
            f" prior precision {race.config.prior_precision:g}.")
    return f"<p>{rows}</p><p>{_mode(race)}</p>"


def _mode(race: LikelihoodRace) -> str:
    if race.mode is None:
        return NO_MODE
    return (f"The posterior’s mode scores {race.mode:.4f}, predicting the share of ones {race.chance:.4f}, the start"
            f" (all coefficients 0) log 2 = {math.log(2):.4f}.")


def columns(race: Race | None) -> list[list[str]]:
    """Return the columns of the race's table."""
    level = None if race is None else level_of(race)
    unit, end = ("W₂", 5.0) if race is None else (race.unit, race.config.passes)
    return [["step", "step\nsize", "η, for CV-ULD the time δ of a step"],
            ["moves", "moves\nfrom", "Passes for the table or the first anchor"],
            *[[f"at{i}", f"{unit} at\n{passes_words(p)}", "Over the chains' law" if unit == "W₂" else "Mean over chains"]
              for i, p in enumerate(columns_of_passes(end))],
            ["reach", f"passes to\n≤ {level:.4g}" if level else "passes to\na level", "First pass at or below the level"]]


def rows(race: Race) -> list[list]:
    """Return the rows of the race's table."""
    level, made = level_of(race), []
    for trace, curve in zip(race.traces, race.curves.values(), strict=True):
        first = _first(trace.key, race)
        reached = None if level is None else trace.reached(level)
        cells = [[scientific(curve.step_size), curve.step_size], [f"{first:.2g}", first]]
        for p in columns_of_passes(race.config.passes):
            value = float(trace.at(p)) if p <= trace.x[-1] * (1 + 1e-9) else math.nan
            cells.append([_number(value), value if math.isfinite(value) else None])
        cells.append(["never" if reached is None else f"{reached:.2f}", reached])
        made.append([trace.key, trace.label, *sampler_look(trace.key).sign, False, cells])
    return made


def _first(key: str, race: Race) -> float:
    """Return the number of passes before a sampler's first step."""
    n = race.n
    return {"sgld": 0.0, "plus": race.config.anchor_batch / n, "half": max(1, n // 2) / n}.get(key, 1.0)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "∞" if value == math.inf else "–"
    return f"{value:.4f}" if value < 10 else f"{value:.3g}"


def table_columns() -> list[list[str]]:
    """Return the columns of the best-step table."""
    return [[f"{n}-{p}", f"{n:,}\n{p}", f"W₂ after {p} passes over n = {n:,} data, with the best step size of this cell"]
            for n in TABLE_SIZES for p in TABLE_PASSES]


def table_rows(table: dict[tuple[str, int, int], tuple[float, float]]) -> list[list]:
    """Return the rows of the best-step table from the result of `best_steps`."""
    made = []
    for key in TABLE_SAMPLERS:
        values = [table[key, n, p][0] for n in TABLE_SIZES for p in TABLE_PASSES]
        look = sampler_look(key, NAMES | {"plus": "SVRG-LD+, B = n/5"})
        made.append([key, look.name, *look.sign, False, [[_number(value), value] for value in values]])
    return made


def race_csv(race: Race) -> str:
    """Return the curves as CSV with one row per sampler and pass; simulated points are rows of kind "chains"."""
    rows = []
    for curve in race.curves.values():
        name = [curve.name, curve.step_size]
        if isinstance(race, GaussianRace):
            rows += [[*name, p, "exact", v, None, None] for p, v in zip(curve.passes, curve.exact, strict=True)]
            rows += [[*name, p, "chains", v, a, b] for p, v, a, b in zip(
                curve.point_passes, curve.points, curve.low, curve.high, strict=True)]
        else:
            rows += [[*name, p, "mean", v, v - s, v + s] for p, v, s in zip(
                curve.passes, curve.mean, curve.deviation, strict=True)]
    return result_rows(["sampler", "step_size", "passes", "kind", "value", "low", "high"], rows)
