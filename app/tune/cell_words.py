"""Texts on one cell of a sweep: verdict, measured and predicted values, comparison with other settings."""

import html
import math
from collections.abc import Iterator
from dataclasses import dataclass

from app.glossary import marked, marked_first
from app.number_words import scientific
from app.plots.settings_map import widths
from app.state.tune import ALGORITHMS, CellKey
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from app.tune.sweep_words import about_reference
from app.widgets.cards import folded
from app.widgets.verdict_card import emphasise
from sampler import theorem_constants
from sampler.tuning import Verdict, cost, key_of, rivals

RHAT_LIMIT = 1.01
"""Split R-hat above which chains disagree (Vehtari and others 2021)."""
TERMS = ("ceiling", "gradient noise", "checkpoint", "cached gradients", "escape ball", "remembers", "effective draws")
"""Glossary terms in verdicts; the first occurrence of each is marked."""
EPSILON = 0.1
WIDTH = 408
I_MAX = 'i<tspan dy="3" font-size="9">max</tspan>'
"""The symbol in an SVG text."""


@dataclass(frozen=True)
class CellWords:
    """Content of the verdict card of one cell."""

    kind: str
    heading: str  #: HTML
    body: str  #: HTML
    change: dict | None  #: suggested change, for a button
    judged: str = "It has not been run: there is only the forecast."  #: verdict without table and strips, HTML


def name_of(key: CellKey, batches: int) -> str:
    """Return a setting as HTML for headings."""
    eta0, length, batch, algorithm = key
    more = f", b = {batch}" if batches > 1 else ""
    prefix = "" if algorithm == "saga-ld" else f"{algorithm}, "
    return f"{prefix}η<sub>0</sub> = {eta0:g}, i<sub>max</sub> = {length:,}{more}"


def verdict_kinds(result: TuneResult) -> dict[CellKey, str]:
    """Return the verdict kind of every setting that has been run."""
    return {key: result.verdict(key).kind for key in result.measured}


def about_cell(result: TuneResult, key: CellKey, rehearsal: Rehearsal | None = None) -> CellWords:
    """Return the verdict card of a cell; with a rehearsal, including a remark on chains that disagree."""
    config, predicted = result.config, result.cell_forecast(key)
    cell, state, name = result.cell(key), result.state(key), name_of(key, len(config.batches))
    if cell is None:
        advised = key == result.advised_key
        heading = f"Start near {name}" if advised else f"Not run yet: {name}"
        body = (f"<p>{'The advised start, from the measured curvature. ' if advised else ''}The formula predicts accuracy"
                f" <b>{predicted.accuracy:.3f}</b> of {result.forecast.ceiling:.3f}, at about <b>{predicted.cost:,.0f}</b>"
                " gradients per epoch.</p>" if predicted.stable else "<p>The formula predicts an unstable step.</p>")
        body += _table(result, key) + _theorem(result, key, False)
        return CellWords("waiting", heading, body, None)
    verdict = result.verdict(key)
    heading = f"{_safe_heading(result, key)} {name}" if verdict.kind == "safe" else f"{html.escape(verdict.title)}: {name}"
    if verdict.kind == "safe":
        text = _safe(result, key)
    else:
        judgement = f"{emphasise(verdict.sentence)} {html.escape(verdict.suggestion)}"
        text = f"<p>{marked_first(_typeset(judgement), *TERMS)}{_price(result, key, verdict)}</p>"
    if state == "early":
        text += (f"<p class='soft'>Given up after {cell.rows:,} of {config.rows:,} rows: half of the others were more"
                 " accurate.</p>")
    elif state == "running":
        text += f"<p class='soft'>After {cell.rows:,} of {config.rows:,} rows; running.</p>"
    text += about_runs(result) if key in result.run_forecasts else ""
    text += "" if rehearsal is None else _disagreement(rehearsal)
    table = _table(result, key) if cell.diverged is None else ""
    strip = _theorem(result, key, verdict.kind == "safe")
    judged = f"<b>{html.escape(verdict.title)}.</b> {_typeset(emphasise(verdict.sentence))}"
    return CellWords(verdict.kind, heading, text + table + strip, verdict.change, judged)


def _disagreement(rehearsal: Rehearsal) -> str:
    """Return an HTML remark on chains that disagree; empty if they agree or R-hat is unknown."""
    rhat = rehearsal.evidence["rhat"]
    if rhat is None or rhat <= RHAT_LIMIT:
        return ""
    words = (f"In its rehearsal split R-hat is {rhat:.3f}, above {RHAT_LIMIT}: chains differ from each other by more"
             " than each varies, for example because memory is high.")
    return f"<p class='soft'>{marked_first(words, 'R-hat')}</p>"


def _safe_heading(result: TuneResult, key: CellKey) -> str:
    """Return the first words of the heading of a safe cell; "Use" only if it was run to the end."""
    state = result.state(key)
    if state == "early":
        return "Given up, safe so far:"
    if state == "running":
        return "Safe so far:"
    if key != result.recommended:
        return "Safe:"
    return "Use" if result.whole or result.ended or key == result.taken and result.runs.over else "Best so far:"


def about_runs(result: TuneResult) -> str:
    """Return the advised setting's runs with measurements and reasons as HTML; empty before the first ends."""
    runs = result.runs
    if runs is None:
        return ""
    lines = []
    for index, cell in enumerate(runs.cells):
        why = f" Next, because {_typeset(html.escape(runs.asked[index].reason))}." if index < len(runs.asked) else ""
        lines.append(f"<li value='{index + 1}'><b>{name_of(key_of(cell), len(result.config.batches))}</b>:"
                     f" {runs.words(index)}.{why}</li>")
    if not runs.over:
        end = "The next run has not ended."
    elif runs.verdict != "safe":
        end = "None of them is safe: run a sweep to find a safe setting."
    else:
        end = f"{runs.why_taken} A sweep may find a cheaper one."
    return (f"<p><b>The advised setting’s runs</b>, {runs.first.chains} chains, {runs.cells[0].rows:,} rows. {end}</p>"
            f"<ol>{''.join(lines)}</ol>")


def _typeset(words: str) -> str:
    """Return plain text as HTML with the symbols typeset."""
    return words.replace("i_max", "i<sub>max</sub>").replace("eta0", "η<sub>0</sub>").replace("X^t", "X<sup>t</sup>")


def _safe(result: TuneResult, key: CellKey) -> str:
    cell = result.cell(key)
    gap_ = cell.ceiling - cell.accuracy
    ceiling = f"a ceiling of {cell.ceiling:.3f} ± {cell.ceiling_sd:.3f}"
    where = f"{gap_:.3f} below {ceiling}" if gap_ > cell.ceiling_sd else f"as good as exact draws, within noise ({ceiling})"
    words = f"Accuracy <b>{cell.accuracy:.3f}</b>, {where}, at <b>{cell.cost:,.0f}</b> gradients per epoch."
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
    """Return the drawback of a neighbouring setting that may be more accurate; empty if there is none."""
    cell, verdict = result.cell(key), result.verdict(key)
    reasons = {"cold": f", but its memory is {100 * abs(cell.memory):.0f} %",
               "hot": f", but its cloud is {100 * (cell.widest - 1):.0f} % too wide", "lagging": ", but it is lagging",
               "narrow": f", but its cloud is {100 * (1 - cell.narrowest):.0f} % too narrow"}
    return reasons.get(verdict.kind, "")


def _price(result: TuneResult, key: CellKey, verdict: Verdict) -> str:
    """Return a sentence on the cost of the suggested change, predicted from batch and steps."""
    if not verdict.change:
        return ""
    here = result.settings(key)
    there = here.replace(**verdict.change)
    before, after = cost(here), cost(there)
    if after == before:
        return " The cost is unchanged."
    return f" That costs {after:,.0f} gradients per epoch instead of {before:,.0f}."


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
        rows.append((marked(f"[[resets]] per epoch, {chains} chains"), f"{cell.reset_rate * chains:.3f}", dash))
        if cell.exit_rate is not None:
            rows.append((marked(f"[[exits]] per epoch, {chains} chains"), f"{cell.exit_rate * chains:.3f}", dash))
    body = "".join(f"<tr><th scope='row' class='soft' style='font-size:12.5px'>{a}</th><td><b>{b}</b></td>"
                   f"<td style='color:var(--lab-ink2)'>{c}</td></tr>" for a, b, c in rows)
    heading = f"<p class='soft'>{ALGORITHMS[key.algorithm]}:</p>" if len(result.forecasts) > 1 else ""
    return f"{heading}<table><tr><td></td><th scope='col'>measured</th><th scope='col'>predicted</th></tr>{body}</table>"


def _theorem(result: TuneResult, key: CellKey, works: bool) -> str:
    if key.algorithm != "saga-ld":
        return "<p class='soft'>Theorem 6.7 covers SAGA-LD only, not steps in whitened coordinates.</p>"
    drawing = theorem_strips(result.config.rows, result.stream.problem.dim, key.eta0, key.i_max, works)
    return ("<div style='border-top:1px solid var(--lab-line);margin:10px 0 8px'></div>"
            f"<b style='display:block;font-size:14px;margin-bottom:8px'>Theorem 6.7 against practice</b>{drawing}"
            + marked("<p class='soft'>[[Theorem 6.7]]: its constants with ε = 0.1, [[k|tail rate]] = [[D|slow drift]] ="
                     " [[L|smooth]] = 1. They are safe for every such problem; the sweep is specific to yours.</p>"))


def theorem_strips(horizon: int, dim: int, eta0: float, i_max: int, works: bool) -> str:
    """Return an SVG of logarithmic strips of eta0 and i_max, theory and practice (LMV-a eq. 65, 66; k = D = L = 1)."""
    here = "works" if works else "here"
    theory = theorem_constants(max(2, horizon), EPSILON, dim, 1.0, 1.0, 1.0)
    strips = (_strip(12, "step size η₀", theory.eta0, eta0, f"theorem {scientific(theory.eta0)}", f"{here}: {eta0:g}"),
              _strip(72, f"steps per epoch {I_MAX}", float(theory.i_max), i_max,
                     f"theorem {scientific(float(theory.i_max))}", f"{here}: {i_max:,}"))
    label = (f"Theorem 6.7 needs a step size of {theory.eta0:.1e} and {float(theory.i_max):.1e} steps per epoch; "
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


def about_others(result: TuneResult) -> str:
    """Return the recommended setting, each other with its reason, and what the formula assumes; HTML."""
    best, batches = result.recommended, len(result.config.batches)
    if best is None:
        predicted = result.cell_forecast(result.advised_key)
        forecast = (f": predicted accuracy {predicted.accuracy:.3f} at {predicted.cost:,.0f} gradients per epoch, not run"
                    " yet" if predicted.stable else "")
        head = f"Start near <b>{name_of(result.advised_key, batches)}</b>{forecast}."
    elif best != result.best_key:
        head = (f"Recommended: <b>{name_of(best, batches)}</b>, chosen from the advised setting’s runs: safe, at"
                f" {result.cell(best).cost:,.0f} gradients per epoch. A sweep may find a cheaper one.")
    else:
        so_far = "" if result.whole or result.ended else " so far"
        head = (f"Recommended{so_far}: <b>{name_of(best, batches)}</b>, ★ on the map: the cheapest setting accurate to"
                " within noise, with low memory, neither too wide nor too narrow.")
    why = "".join(f"<li>{words}: {_reason(result, key)}.</li>" for words, key in _others(result))
    return f"<p>{head}</p><ul>{why}</ul>{folded('What the formula assumes', _assumed(result))}"


def _others(result: TuneResult) -> Iterator[tuple[str, CellKey]]:
    """Yield alternative settings, each as a description and the nearest cell."""
    best = result.recommended
    here = best or result.advised_key
    for name, forecast in result.forecasts.items():
        s, start = forecast.advice.settings, forecast.advice.start
        which = f" for {ALGORITHMS[name]}" if len(result.forecasts) > 1 else ""
        if best is not None:
            yield (f"The advised start{which}, η<sub>0</sub> = {s.eta0:g}, i<sub>max</sub> = {s.i_max:,}",
                   key_of(s) if key_of(s) in result.run_forecasts else result.nearest(s.eta0, s.i_max, s.batch_size, name))
        yield (f"The rule of thumb 0.2/L{which}, η<sub>0</sub> = {start:.2g}",
               result.nearest(start, here.i_max, here.batch_size, name))
    whole = [cell for cell in result.measured.values() if cell.diverged is None and result.state(key_of(cell)) == "done"]
    if best is not None and whole:
        top = max(whole, key=lambda cell: cell.accuracy)
        yield f"The highest accuracy, {top.accuracy:.3f} at {name_of(key_of(top), len(result.config.batches))}", key_of(top)


def _reason(result: TuneResult, key: CellKey) -> str:
    """Return a short reason why a cell is not recommended."""
    cell, predicted = result.cell(key), result.cell_forecast(key)
    best = None if result.recommended is None else result.cell(result.recommended)
    if best is not None and key == key_of(best):
        return "the recommended setting"
    if cell is None and not predicted.stable:
        return "predicted to be unstable"
    if cell is None:
        return f"not run yet; predicted accuracy {predicted.accuracy:.3f}, at {predicted.cost:,.0f} gradients per epoch"
    state = result.state(key)
    if state != "done":
        return {"diverged": "its chains diverged", "early": "given up early: half of the others were more accurate",
                "running": "still running"}[state]
    verdict = result.verdict(key)
    if verdict.kind != "safe":
        return drawback(result, key).removeprefix(", but ") or html.escape(verdict.title.lower())
    if best is None:
        return f"safe, {cell.accuracy:.3f}"
    if cell.cost > best.cost:
        return f"also safe, accuracy {cell.accuracy:.3f}, at {cell.cost / best.cost:.2g} times the cost"
    return f"safe and no more expensive, but {best.accuracy - cell.accuracy:.3f} less accurate"


def _assumed(result: TuneResult) -> str:
    """Return reference, curvatures and model assumptions as HTML."""
    curvatures = "; ".join(
        f"L = {one.advice.curvature:.3g} " + ("per row, at the mode" if name == "saga-ld" else
                                             "at the mode in whitened coordinates")
        for name, one in result.forecasts.items())
    assumed = dict.fromkeys(words for one in result.forecasts.values() for words in one.advice.assumptions)
    listed = "".join(f"<li>{html.escape(words)}</li>" for words in assumed)
    return f"<p class='soft'>Reference: {about_reference(result)}. {curvatures}.</p><ul class='soft'>{listed}</ul>"
