"""Texts, table rows and CSV of the page's runs."""

from html import escape

from app.coreset.models import with_rate
from app.coreset.paper_figure_plan import FIGURES, FigureResult
from app.coreset.result import CoresetResult, RunTrace
from app.csv_text import result_rows
from app.glossary import marked
from app.number_words import factor, percent, short, slope_words
from app.plots import Line
from app.plots.looks import optimizer_look
from app.plots.style import ROLES
from app.state.coreset import MODELS
from sampler import coreset

NARROW = 0.5
"""Variance ratio below which a posterior is too narrow."""
SHAKY_RHAT, SHAKY_ESS = 1.05, 400
"""Maximum R-hat and minimum ESS of a reliable truth."""


def convergence_reading(rate: coreset.WeightConvergence) -> str:
    """Return the measured rate of CHC Theorem 4.1, as HTML."""
    points = "ten points, the m-th with multiplicity m, so that w* = (1, …, 10) is the only exact coreset"
    near = abs(rate.slope + 0.5) <= 3 * rate.slope_error
    so = "as in the theorem" if near else "faster than the theorem" if rate.slope < -0.5 else "not yet at the theorem’s rate"
    return (f"<b>Theorem 4.1</b> states E‖w − w*‖² = O(1/√t). On {points}, Hot DoG goes from {rate.start:g} to"
            f" {rate.mean[-1]:.2g} in {rate.iterations[-1]:,} iterations (S = {rate.subsample}, K = {rate.chains}). Over"
            f" the last factor of 30 the error decreases like t to the <b>{slope_words(rate.slope, rate.slope_error)}</b>,"
            f" mean of {len(rate.errors)} seeds: {so}.")


def truth_words(truth: coreset.Truth) -> str:
    """Return the source and accuracy of the full-data posterior."""
    if truth.how == "exact":
        return "exact full-data posterior"
    check = "" if truth.laplace_gap is None else f", at most {truth.laplace_gap:.2f} sd from Laplace’s mode"
    return f"full-data posterior from {truth.how}, {truth.ess:,.0f} effective draws, R-hat {truth.rhat:.3f}{check}"


def truth_notes(truth: coreset.Truth) -> tuple[str, ...]:
    """Return a warning if the diagnostics of the truth are poor."""
    if truth.rhat < SHAKY_RHAT and truth.ess > SHAKY_ESS:
        return ()
    return (f"The full-data posterior, the reference of the z-scores, is inaccurate: {truth.ess:,.0f} effective draws, R-hat"
            f" {truth.rhat:.2f}. This happens if the model fits the data perfectly: separable classes, an exact line.",)


def warnings(result: CoresetResult) -> list[str]:
    """Return warnings about the runs, the most serious first."""
    sentences = [f"{result.name_of(trace.key)} stopped: {trace.fault}" for trace in result.traces if trace.fault]
    notices: dict[str, list[str]] = {}
    for trace in result.traces:
        for words in trace.notices:
            notices.setdefault(words, []).append(result.name_of(trace.key))
    sentences += [f"{', '.join(names)}: {words}" for words, names in notices.items()]
    if result.config.start == "far" and result.config.kernel == "exact" and result.config.model == "gaussian":
        sentences.append("The exact kernel forgets its start in one step, so a far start has no effect. Select the"
                         " autoregressive kernel to compare hot and cold.")
    return sentences + list(result.notes)


def reading(result: CoresetResult | None) -> str:
    """Return the explanation of the z-scores as HTML."""
    text = marked("The [[z-score]] is the squared distance of the mean of the draws from the truth, in posterior"
                  " standard deviations (Eq. 6). Below: the [[variance ratio]], the width of the [[coreset posterior]]; 1"
                  " is correct.")
    if result is None:
        return text
    if result.floor is not None:
        scatter = (2.0 / result.dim) ** 0.5
        text += marked(f" Dashed: the [[floor]], the mean error of the subsampling; single runs scatter by {scatter:.0%}.")
    if any(trace.hot_at for trace in result.traces):
        text += marked(" ◆ the [[hot start]] passed.")
    if result.truth_noise:
        text += (" The truth is estimated: its error adds"
                 f" {short(float(f'{result.truth_noise:.1g}'))} to every score,"
                 " which is subtracted; smaller scores are not resolved (dotted line).")
    return f"{text}<p class='f'>{result.title}, N = {result.n:,}: {result.truth}.</p>"


def hot_reading(result: CoresetResult) -> str:
    """Return the caption of the hot-start chart as HTML."""
    traces = [trace for trace in result.traces if trace.key.hot]
    if not traces:
        return "The hot start is off: weights are trained from the first iteration."
    passed = [trace.hot_at for trace in traces if trace.hot_at is not None]
    if not passed:
        return ("<b>Warming up.</b> The weights are constant until the statistic is below the line; it is checked every 30"
                " iterations.")
    if all(trace.passed for trace in traces if trace.hot_at is not None):
        return (f"<b>Passed at iteration {min(passed):,}</b>, checked every 30. The change of the mean log-likelihood"
                " between two segments, in residual deviations, is below the line: the chains are stationary, and training"
                " begins.")
    return (f"<b>Never passed.</b> Training began at the cap, iteration {max(passed):,}: the chains may not be"
            " stationary.")


def points_reading(result: CoresetResult | None) -> str:
    """Return the caption of the points as HTML."""
    if result is None or result.points is None:
        return "Area = weight."
    trace = result.trace(result.config.shown)
    zero = "" if trace is None or not trace.zeros else f" × marks the {percent(trace.zeros)} with weight 0."
    gold = " Orange: label 1." if result.points.classes else ""
    more = f" Only the heaviest {len(result.points.x):,} are drawn." if result.points.left_out else ""
    return f"Area = weight; all started at N/M.{gold}{zero}{more}"


def figure_reading(result: FigureResult, legend: str) -> str:
    """Return the caption of a figure of the paper as HTML."""
    generated = ("Generated data of the same shape replace the paper’s real data sets. The Gaussian model uses the authors’"
                 " autoregressive kernel.")
    if result.own is not None:
        generated += f" {MODELS[result.own[0]].label} runs on {escape(result.own[1])}, all of it."
    return (f"{legend}<p class='f'>{FIGURES[result.figure].reading}</p>"
            f"<p>{generated} Medians over the finished trials.</p>")


def legend(result: FigureResult) -> str:
    """Return the legend of a figure of the paper as HTML."""
    first_of_name: dict[str, Line] = {}
    for panel in result.panels:
        for series in panel.series:
            name = series.name if not series.name.startswith("ADAM, best") else "ADAM at its best rate"
            first_of_name.setdefault(name, series)
    return " &nbsp; ".join(
        f'<span style="display:inline-block"><i style="color:var(--lab-{ROLES[series.role][0]})">{_sign(series)}</i>'
        f"{name}</span>" for name, series in first_of_name.items())


def _sign(line: Line) -> str:
    return {"open": "○", "spots": "●", "dash": "╌╌"}.get(line.mark, "━━")


def titles(result: FigureResult) -> list[list[str]]:
    """Return the headings of a figure of the paper: of the card, then of each panel."""
    pending = "not run yet" if result.done < result.whole else ""
    notes = [panel.note or ("" if panel.series else pending) for panel in result.panels]
    figure = FIGURES[result.figure]
    return [[f"Figure {result.figure}. {figure.title}", figure.subtitle]] + [
        [panel.title + (f" · {note}" if note else ""), ""] for panel, note in zip(result.panels, notes, strict=True)]


def heading(result: CoresetResult) -> str:
    """Return the outcome in one line."""
    traces = [trace for trace in result.traces if not trace.fault and trace.t]
    if not traces:
        return "No results yet."
    if any(not trace.notices and trace.hot_at is None for trace in traces):
        return "Warming up: training starts when the chains are stationary."
    hot = [trace for trace in traces if trace.key.hot]
    cold = [trace for trace in traces if not trace.key.hot]
    if hot and cold:
        gain = min(trace.score for trace in cold) / max(min(trace.score for trace in hot), 1e-12)
        if gain > 3:
            return f"The hot start is worth a factor of {short(float(f'{gain:.2g}'))} here."
    best = min(traces, key=lambda trace: trace.score)
    if best.spread < NARROW:
        return f"The best z-score hides a posterior {short(1 / best.spread)} times too narrow."
    floor = result.floor_at(result.t)
    if floor is not None:
        near = [trace for trace in traces if trace.score < 2 * floor]
        going = any(trace.t < result.config.iterations for trace in traces)
        return (f"{len(near)} of {len(traces)} {'are so far' if going else 'end'} within a factor of two of the floor.")
    return f"Best: {result.name_of(best.key)}, z² = {short(best.score)}."


def summary(result: CoresetResult) -> str:
    """Return the summary of the runs as HTML."""
    paragraphs = []
    traces = [trace for trace in result.traces if not trace.fault and trace.t]
    shown = result.trace(result.config.shown)
    floor = result.floor_at(result.t)
    if shown is not None and shown.t:
        relative = f", {factor(shown.score / floor)} the floor" if floor else ""
        paragraphs.append(f"<p>{result.name_of(shown.key)} at t = {shown.t:,}: z² = <b>{short(shown.score)}</b>{relative};"
                    f" its posterior has <b>{short(shown.spread)}</b> times the correct variance.</p>")
    under = [trace for trace in traces if floor and trace.score < floor]
    if under:
        names = ", ".join(result.name_of(trace.key) for trace in under)
        paragraphs.append(f"<p>Below the floor: <b>{names}</b>. The floor is a mean over runs: by chance"
                    f" single scores are some {(2.0 / result.dim) ** 0.5:.0%} above or below it, all on the same side, since"
                    " all runs draw their data with one seed. Weights that move slowly average over more than the second"
                    " half: with ADAM’s decreasing rate they end a fifth lower on average.</p>")
    narrow = [trace for trace in traces if trace.spread < NARROW]
    if narrow:
        names = ", ".join(result.name_of(trace.key) for trace in narrow)
        paragraphs.append(f"<p>Less than half of the correct variance: <b>{names}</b>. The z-score ignores it.</p>")
    return "".join(paragraphs)


def spoken(result: CoresetResult) -> str:
    """Return the description of the charts for screen readers, in one sentence."""
    ends = [f"{result.name_of(trace.key)} {short(trace.score)}, variance ratio {short(trace.spread)}"
            for trace in result.traces if trace.t]
    return f"After {result.t:,} iterations the average squared z-scores are: {'; '.join(ends)}."


def rows(result: CoresetResult) -> list[list]:
    """Return the rows of the table: key, name, mark, token, bold, cells of (text, value)."""
    both, floor = result.config.hot == "both", result.floor_at(result.t)
    table = []
    for trace in result.traces:
        name, key = with_rate(trace.key.optimizer, result.config), trace.key.optimizer
        if both:
            name, key = (f"{name}, hot", key) if trace.key.hot else (f"{name}, cold", f"{key}, cold")
        mark, token = optimizer_look(key).sign
        table.append([trace.key.text, name, mark, token, trace.key == result.config.shown, _cells(trace, floor)])
    return table


COLUMNS = [["z", "z²\nEq. 6", "Average squared z-score", "z-score"],
           ["floor", "÷ the\nfloor", "z-score over its floor", "floor"],
           ["spread", "variance\nratio", "Coreset over full-data posterior variance: 1 is correct. Computed"
            " from the second half of all draws, so weights that still move widen it; exact, at the current weights,"
            " for the Gaussian model", "variance ratio"],
           ["sum", "Σw / N", "Sum of the weights over the number of data"],
           ["zeros", "zero\nweights", "Share of the weights that are zero"],
           ["hot", "trained\nfrom", "Iteration after which the weights are trained", "hot start"],
           ["speed", "iterations\nper second", "Mean while running, on this machine"],
           ["terms", "likelihood\nterms", "Evaluated log-likelihood terms"]]
"""Columns of the table."""


def _cells(trace: RunTrace, floor: float | None) -> list[list]:
    if not trace.t:
        return [["stopped" if trace.fault else "…", None]] + [["", None]] * (len(COLUMNS) - 1)
    over = trace.score / floor if floor else None
    hot = "warm-up" if trace.hot_at is None else f"{trace.hot_at:,}" + ("" if trace.passed is not False else ", at the cap")
    speed = trace.t / trace.seconds if trace.seconds else None
    return [[short(trace.score), trace.score], [short(over) if over else "–", over], [short(trace.spread), trace.spread],
            [short(float(trace.sums[-1])), float(trace.sums[-1])], [percent(trace.zeros), trace.zeros],
            [hot, trace.hot_at], [f"{speed:,.0f}" if speed else "–", speed], [short(float(trace.terms)), trace.terms]]


CURVES = ("optimizer", "hot_start", "iteration", "z_score", "floor", "variance_ratio", "weight_sum_over_n", "gradient_norm",
          "rate_10", "rate_50", "rate_90")


def curves_csv(result: CoresetResult) -> str:
    """Return CSV with one row per run and iteration: z-score, floor, variance ratio, sum of weights, norm, rates."""
    rows = []
    for trace in result.traces:
        rates = {int(t): row for t, row in zip(trace.rate_iterations, trace.rates, strict=True)}
        rows += [[trace.key.optimizer, int(trace.key.hot), int(t), trace.z[k], result.floor_at(float(t)), trace.variance[k],
                  trace.sums[k], trace.norms[k], *rates.get(int(t), [None] * 3)] for k, t in enumerate(trace.iterations)]
    return result_rows(CURVES, rows) if rows else ""


def figure_csv(result: FigureResult) -> str:
    """Return CSV with one row per point of the figure."""
    if not any(panel.series for panel in result.panels):
        return ""
    return result_rows(["model", "series", "x", "y"], (
        [panel.key, series.name, x, y] for panel in result.panels for series in panel.series
        for x, y in zip(series.x, series.y, strict=True)))
