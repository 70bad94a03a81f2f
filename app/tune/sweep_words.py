"""What the page says about a sweep and about one of its cells."""

import html
import math
from dataclasses import dataclass

from app.glossary import marked, marked_first
from app.number_words import scientific
from app.plots.settings_map import widths
from app.state.tune import ALGORITHMS, REFERENCES, CellKey
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from app.widgets.verdict_card import LOOK, emphasise
from sampler import theorem_constants
from sampler.tuning import Verdict, cost, key_of, limit_words, rivals

RHAT_LIMIT = 1.01
"""Split R-hat above which chains do not agree (Vehtari and others 2021)."""
TERMS = ("ceiling", "gradient noise", "checkpoint", "cached gradients", "escape ball", "remembers", "effective draws")
"""Terms of art that verdicts use: the first of each is marked."""
LEGEND = marked(
    "<span class='soft'>Numbers: measured [[accuracy]], of 1. Lines: what the [[formula|forecast]] predicts. Hatched, pale:"
    f" [[given up early]]. ◣: [[memory]] past its limit, {limit_words('memory')} and what noise adds. ★: the cheapest"
    " accurate setting. [[Too cold]]: an epoch is too short to forget. [[Too hot]]: the cloud is wider than the target, by"
    f" more than {limit_words('width')} and what noise adds. Both are said of one row, that of the cell looked at.</span>")
"""Of the map, HTML."""
RUNS_LEGEND = " <span class='soft'>①②③: the advised setting’s runs, each in the cell nearest to it.</span>"
SLICE_LEGEND = "dots: measured (hollow: given up early); dashed: the formula"


@dataclass(frozen=True)
class CellWords:
    """The verdict card of one cell."""

    kind: str
    heading: str  #: HTML
    look: list[str]
    body: str  #: HTML
    change: dict | None  #: what the verdict suggests, for a button
    judged: str = "Nobody has run it: there is only the forecast."  #: the verdict alone, HTML


def name_of(key: CellKey, batches: int) -> str:
    """A setting as a heading says it, HTML."""
    eta0, length, batch, algorithm = key
    more = f", b = {batch}" if batches > 1 else ""
    whose = "" if algorithm == "saga-ld" else f"{algorithm}, "
    return f"{whose}η<sub>0</sub> = {eta0:g}, i<sub>max</sub> = {length:,}{more}"


def verdict_kinds(result: TuneResult) -> dict[CellKey, str]:
    """Return the kind of the verdict on every setting that has been run."""
    return {key: result.verdict(key).kind for key in result.measured}


def about_cell(result: TuneResult, key: CellKey, rehearsal: Rehearsal | None = None) -> CellWords:
    """Words about the cell looked at, and how its chains agreed where it has been rehearsed."""
    config, predicted = result.config, result.cell_forecast(key)
    cell, state, name = result.cell(key), result.state(key), name_of(key, len(config.batches))
    if cell is None:
        advised = key == result.advised_key
        heading = f"Start near {name}" if advised else f"Not run yet: {name}"
        body = (f"<p>{'The advisor’s start, from the measured curvature. ' if advised else ''}The formula says accuracy"
                f" <b>{predicted.accuracy:.3f}</b> of {result.forecast.ceiling:.3f}, at about <b>{predicted.cost:,.0f}</b>"
                " gradients an epoch.</p>" if predicted.stable else "<p>The formula says that this step is not stable.</p>")
        body += _table(result, key) + _theorem(result, key, False)
        return CellWords("waiting", heading, list(LOOK["waiting"]), body, None)
    verdict = result.verdict(key)
    heading = f"{_praise(result, key)} {name}" if verdict.kind == "safe" else f"{html.escape(verdict.title)}: {name}"
    if verdict.kind == "safe":
        text = _safe(result, key)
    else:
        judgement = f"{emphasise(verdict.sentence)} {html.escape(verdict.suggestion)}"
        text = f"<p>{marked_first(_typeset(judgement), *TERMS)}{_price(result, key, verdict)}</p>"
    if state == "early":
        text += (f"<p class='soft'>Given up after {cell.rows:,} of {config.rows:,} rows, when half of the others were"
                 " better there.</p>")
    elif state == "running":
        text += f"<p class='soft'>After {cell.rows:,} of {config.rows:,} rows; it goes on.</p>"
    text += about_runs(result) if key in result.run_forecasts else ""
    text += "" if rehearsal is None else _disagreement(rehearsal)
    table = _table(result, key) if cell.diverged is None else ""
    strip = _theorem(result, key, verdict.kind == "safe")
    judged = f"<b>{html.escape(verdict.title)}.</b> {_typeset(emphasise(verdict.sentence))}"
    return CellWords(verdict.kind, heading, list(LOOK[verdict.kind]), text + table + strip, verdict.change, judged)


def _disagreement(rehearsal: Rehearsal) -> str:
    """What is remarked of chains that differ from each other, HTML; empty where they agree or nobody knows."""
    rhat = rehearsal.evidence["rhat"]
    if rhat is None or rhat <= RHAT_LIMIT:
        return ""
    words = (f"In its rehearsal split R-hat is {rhat:.3f}, above {RHAT_LIMIT}: chains differ from each other by more"
             " than each varies, as where an epoch forgets too little.")
    return f"<p class='soft'>{marked_first(words, 'R-hat')}</p>"


def _praise(result: TuneResult, key: CellKey) -> str:
    """What a cell that nothing is wrong with is called: to be used only where it was run to the end."""
    state = result.state(key)
    if state == "early":
        return "Given up, safe so far:"
    if state == "running":
        return "Safe so far:"
    if key != result.recommended:
        return "Safe:"
    return "Use" if result.whole or result.ended or key == result.taken and result.runs.over else "Best so far:"


def about_runs(result: TuneResult) -> str:
    """The advised setting's runs, each with what it measured and why there is another, HTML; empty before the first ends."""
    runs = result.runs
    if runs is None:
        return ""
    lines = []
    for index, cell in enumerate(runs.cells):
        why = f" Next, as {_typeset(html.escape(runs.asked[index].why))}." if index < len(runs.asked) else ""
        lines.append(f"<li value='{index + 1}'><b>{name_of(key_of(cell), len(result.config.batches))}</b>:"
                     f" {runs.words(index)}.{why}</li>")
    if not runs.over:
        end = "The next has not ended."
    elif runs.verdict != "safe":
        end = "None of them is safe: a sweep looks for a setting that is."
    else:
        end = f"{runs.why_taken} A sweep looks for a cheaper one."
    return (f"<p><b>The advised setting’s runs</b>, {runs.first.chains} chains, {runs.cells[0].rows:,} rows. {end}</p>"
            f"<ol>{''.join(lines)}</ol>")


def _typeset(words: str) -> str:
    """Return HTML with the symbols of plain words set as the paper sets them."""
    return words.replace("i_max", "i<sub>max</sub>").replace("eta0", "η<sub>0</sub>").replace("X^t", "X<sup>t</sup>")


def _safe(result: TuneResult, key: CellKey) -> str:
    cell = result.cell(key)
    gap_ = cell.ceiling - cell.accuracy
    ceiling = f"a ceiling of {cell.ceiling:.3f} ± {cell.ceiling_sd:.3f}"
    where = f"{gap_:.3f} below {ceiling}" if gap_ > cell.ceiling_sd else f"as good as exact draws, within noise ({ceiling})"
    words = f"Accuracy <b>{cell.accuracy:.3f}</b>, {where}, at <b>{cell.cost:,.0f}</b> gradients an epoch."
    lengths = result.config.lengths
    others = [(n, result.cell(key._replace(i_max=n))) for n in lengths]
    others = [(n, c) for n, c in others if c is not None and c.diverged is None and c.rung == cell.rung]
    less = [(n, c) for n, c in others if n < key.i_max][-1:]
    more = [(n, c) for n, c in others if n > key.i_max][-1:]
    parts = [f"with {n:,} {'steps it is ' if k == 0 else ''}{c.accuracy:.3f}{drawback(result, key._replace(i_max=n))}"
             for k, (n, c) in enumerate(less + more)]
    if parts:
        words += " " + (", ".join(parts)).capitalize() + "."
    chains, reference = result.judged_by(key)
    answer = html.escape(rivals.rivals_words(rivals.rivals_of(reference), cell.cost, chains))
    needed = f"<p><b>Is a sampler needed?</b> {answer}</p>" if answer else ""
    return f"<p>{marked_first(words, 'ceiling')}</p>{needed}"


def drawback(result: TuneResult, key: CellKey) -> str:
    """Why a neighbour is not the one to use though it may score better, in a few words."""
    cell, verdict = result.cell(key), result.verdict(key)
    reasons = {"cold": f", but it remembers {100 * abs(cell.memory):.0f} % of its last epoch",
               "hot": f", but its cloud is {100 * (cell.widest - 1):.0f} % too wide", "lagging": ", but it lags behind",
               "narrow": f", but its cloud is {100 * (1 - cell.narrowest):.0f} % too narrow"}
    return reasons.get(verdict.kind, "")


def _price(result: TuneResult, key: CellKey, verdict: Verdict) -> str:
    """What the suggested change costs, from the batch and the steps it asks for."""
    if not verdict.change:
        return ""
    here = result.settings(key)
    there = here.replace(**verdict.change)
    before, after = cost(here), cost(there)
    if after == before:
        return " It costs nothing."
    return f" That costs {after:,.0f} gradients an epoch instead of {before:,.0f}."


def _table(result: TuneResult, key: CellKey) -> str:
    cell, forecast = result.cell(key), result.cell_forecast(key)
    dash = "–"
    ceiling = cell.ceiling if cell is not None else result.forecast.ceiling
    stable = forecast.stable
    rows = [(marked(f"[[accuracy]] ([[ceiling]] {ceiling:.3f})"), dash if cell is None else f"{cell.accuracy:.3f}",
             f"{forecast.accuracy:.3f}" if stable else "unstable"),
            (marked("[[width of the cloud]] ÷ target"), dash if cell is None else widths(cell),
             widths(forecast) if stable else dash),
            (marked("[[memory]] of the last epoch"), dash if cell is None else f"{100 * cell.memory:.0f} %",
             f"{100 * forecast.memory:.0f} %" if stable else dash)]
    if cell is not None:
        chains, _ = result.judged_by(key)
        rows.append((marked(f"[[resets]], of {chains} chains, an epoch"), f"{cell.reset_rate * chains:.3f}", dash))
        if cell.exit_rate is not None:
            rows.append((marked(f"[[exits]], of {chains} chains, an epoch"), f"{cell.exit_rate * chains:.3f}", dash))
    body = "".join(f"<tr><th scope='row' class='soft' style='font-size:12.5px'>{a}</th><td><b>{b}</b></td>"
                   f"<td style='color:var(--lab-ink2)'>{c}</td></tr>" for a, b, c in rows)
    whose = f"<p class='soft'>Of {ALGORITHMS[key.algorithm]}:</p>" if len(result.forecasts) > 1 else ""
    return f"{whose}<table><tr><td></td><th scope='col'>measured</th><th scope='col'>predicted</th></tr>{body}</table>"


def _theorem(result: TuneResult, key: CellKey, works: bool) -> str:
    if key.algorithm != "saga-ld":
        return "<p class='soft'>Theorem 6.7 is about SAGA-LD: it says nothing of steps in whitened coordinates.</p>"
    drawing = theorem_strips(result.config.rows, result.stream.problem.dim, key.eta0, key.i_max, works)
    return ("<div style='border-top:1px solid var(--lab-line);margin:10px 0 8px'></div>"
            f"<b style='display:block;font-size:14px;margin-bottom:8px'>Theorem 6.7 against practice</b>{drawing}"
            + marked("<p class='soft'>[[Theorem 6.7]]: its constants with ε = 0.1, [[k|tail rate]] = [[D|slow drift]] ="
                     " [[L|smooth]] = 1. They are safe for every such problem at once; the sweep speaks for yours.</p>"))


def about_sweep(result: TuneResult, workers: int, cluster: bool) -> str:
    """Under the progress bar."""
    if result.looked_at in result.run_forecasts and not result.config.going:
        if not result.runs.over:
            return "Cancelled: what has ended stays, and “Run as advised” goes on from it."
        return "The advised setting’s runs are judged beside the map. A sweep tries other settings."
    if result.shipped:
        return "These cells came with the app. Sweep to run them here, or change what is swept."
    if result.ended == "cancelled":
        if result.elsewhere:
            return "Cancelled here: another open page goes on with this very sweep, and what it finds is kept."
        return "Cancelled: what was done stays, and a new sweep goes on from it."
    if result.elsewhere:
        return ("Another page or program is at work on these data: its cells appear here, and what it leaves is run here"
                " as soon as it ends.")
    where = "A Dask cluster." if cluster else f"{workers} processes of this machine."
    early = sum(result.state(key) == "early" for key in result.finished)
    given_up = f" {early} cells were given up early (hatched)." if early else ""
    best = result.best if not result.ended else None
    so_far = "" if best is None else (f" Best so far: accuracy {best.accuracy:.3f} of {best.ceiling:.3f} for"
                                      f" {best.cost:,.0f} gradients an epoch.")
    return f"{where}{so_far} Reloading the page resumes a sweep where it stood.{given_up}"


def about_cost(result: TuneResult) -> str:
    """How to read the figure of costs, HTML."""
    if result.best is None:
        return ""
    text = "Each spot is a setting: green safe, blue too cold, red too hot; ★ on the map is the one recommended."
    return f"<span class='soft'>{text}{_both(result)}</span>"


def _both(result: TuneResult) -> str:
    """What each algorithm's best setting costs, where several are swept."""
    if len(result.forecasts) < 2:
        return ""
    bests = {name: result.best_of(name) for name in result.forecasts}
    costs = [f"{ALGORITHMS[name]} {cell.cost:,.0f} gradients an epoch for {cell.accuracy:.3f}"
             for name, cell in bests.items() if cell is not None]
    drawn = any(cell.algorithm != "saga-ld" and cell.diverged is None for cell in result.cells.values())
    marks = " Spots: SAGA-LD; diamonds: preconditioned." if drawn else ""
    return marks + (f" The best of each: {'; '.join(costs)}." if costs else "")


def about_reference(result: TuneResult) -> str:
    """How the truth is known, in a few words."""
    reference = result.reference
    if not reference:
        return REFERENCES[result.config.reference]
    if reference["method"] == "draws":
        return f"one long chain a rung, {reference['ess']:,} effective draws"
    return {"exact": "exact, the posterior is Gaussian", "laplace": "Laplace’s approximation"}[reference["method"]]


def about_rehearsal(rehearsal: Rehearsal) -> str:
    """What the stream says of the chosen setting, HTML."""
    parts, evidence = [], rehearsal.evidence
    if evidence["predictive_score"] is not None:
        score = f"{evidence['predictive_score']:.3f}".replace("-", "−")
        parts.append(f"<b>Log score</b> of the next row, predicted before it was seen: {score} in the"
                     " mean of the last 1,000 rows at most.")
    if evidence["calibration_error"] is not None:
        parts.append(f"<b>Calibration</b> is off by {evidence['calibration_error']:.3f} in the mean, where chance alone"
                     f" makes {evidence['calibration_noise']:.3f}.")
    if rehearsal.kind == "oracle":
        parts.append("A gradient alone predicts nothing: no log score, no calibration.")
    if rehearsal.drifts:
        at, since = rehearsal.drifts[-1]
        parts.append(f"<b style='color:var(--lab-hot)'>Drift alarm</b> at row {at:,}: rows are predicted worse since about"
                     f" row {since:,}.")
    elif rehearsal.kind != "oracle":
        parts.append("<b>Drift alarm</b>: silent. Of 1,000 streams that do not change it sounds in one at most,"
                     " whatever their law.")
    if evidence["rhat"] is not None:
        parts.append(f"<b>Split R-hat</b> {evidence['rhat']:.3f}, <b>effective draws</b> {evidence['ess']:,.0f}, Monte Carlo"
                     f" error of a mean {evidence['mean_error']:.3f} posterior widths (the worst coordinate, last 200"
                     " blocks).")
    if rehearsal.replay.failure is not None:
        parts.append(f"<span style='color:var(--lab-hot)'>{html.escape(rehearsal.replay.failure.words)}</span>")
    return marked_first(" ".join(parts), "Log score", "Calibration", "Drift alarm", "Split R-hat", "effective draws")


def spoken(result: TuneResult, key: CellKey) -> str:
    """The map in a sentence, for a screen reader."""
    best, runs = result.best, result.runs
    done = f"{len(result.finished)} of {result.total} settings measured."
    if runs is not None:
        taken = runs.taken
        done += (f" Of {len(runs.cells)} runs of the advised setting the one to take is eta0 = {taken.eta0:g}, i_max ="
                 f" {taken.i_max}: {runs.verdict}.")
    if best is None:
        return done
    so_far = "" if result.whole or result.ended else " so far"
    return (f"{done} The cheapest accurate one{so_far} is eta0 = {best.eta0:g}, i_max = {best.i_max}, b = {best.batch_size}:"
            f" accuracy {best.accuracy:.3f} of {best.ceiling:.3f}.")


EPSILON = 0.1
WIDTH = 408
I_MAX = 'i<tspan dy="3" font-size="9">max</tspan>'
"""The symbol in an SVG text."""


def theorem_strips(horizon: int, dim: int, eta0: float, i_max: int, works: bool) -> str:
    """Return an SVG of two logarithmic strips: eta0 and i_max, theory and practice (LMV-a eq. 65, 66; k = D = L = 1)."""
    here = "works" if works else "here"
    theory = theorem_constants(max(2, horizon), EPSILON, dim, 1.0, 1.0, 1.0)
    strips = (_strip(12, "step size η₀", theory.eta0, eta0, f"theorem {scientific(theory.eta0)}", f"{here}: {eta0:g}"),
              _strip(72, f"steps an epoch {I_MAX}", float(theory.i_max), i_max, f"theorem {scientific(float(theory.i_max))}",
                     f"{here}: {i_max:,}"))
    label = (f"Theorem 6.7 asks for a step size of {theory.eta0:.1e} and {float(theory.i_max):.1e} steps an epoch; "
             f"this cell has {eta0:g} and {i_max}")
    return (f'<svg viewBox="0 0 {WIDTH} 116" width="100%" role="img" aria-label="{label}" '
            f'style="display:block;font-size:12px">{"".join(strips)}</svg>')


def _strip(y: int, label: str, theory: float, works: float, theory_words: str, works_words: str) -> str:
    low, high = min(theory, works) / 30, max(theory, works) * 30

    def x(value: float) -> float:
        return 6 + (WIDTH - 12) * math.log(value / low) / math.log(high / low)

    a, b = x(theory), x(works)
    left = a < b
    line = y + 15
    return (f'<text x="0" y="{y}" fill="var(--lab-ink2)">{label}</text>'
            f'<path d="M0 {line}H{WIDTH}" stroke="var(--lab-line)" stroke-width="2"/>'
            f'<path d="M{min(a, b):.1f} {line}H{max(a, b):.1f}" stroke="var(--lab-ref)" stroke-width="2"/>'
            f'<circle cx="{a:.1f}" cy="{line}" r="5" fill="var(--lab-card)" stroke="var(--lab-bound)" stroke-width="2"/>'
            f'<circle cx="{b:.1f}" cy="{line}" r="5.5" fill="var(--lab-chain)"/>'
            f'<text x="{a + (-5 if left else 5):.1f}" y="{line + 20}" text-anchor="{"start" if left else "end"}" '
            f'fill="var(--lab-bound)">{theory_words}</text>'
            f'<text x="{b + (5 if left else -5):.1f}" y="{line + 20}" text-anchor="{"end" if left else "start"}" '
            f'fill="var(--lab-chain)" font-weight="700">{works_words}</text>')
