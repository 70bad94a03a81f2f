"""What the page says of a sweep: its progress, its costs, its reference, the rehearsal of the setting that was chosen."""

import html

from app.glossary import marked, marked_first
from app.state.tune import ALGORITHMS, REFERENCES, CellKey
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from sampler.tuning import MOST_RUNS, limit_words

LEGEND = marked(
    "<span class='soft'>Numbers: measured [[accuracy]], of 1. Lines: what the [[formula|forecast]] predicts. Hatched, pale:"
    f" [[given up early]]. ◣: [[memory]] past its limit, {limit_words('memory')} and what noise adds. ★: the cheapest"
    " accurate setting. [[Too cold]]: an epoch is too short to forget. [[Too hot]]: the cloud is wider than the target, by"
    f" more than {limit_words('width')} and what noise adds. Both are said of one row, that of the cell looked at.</span>")
"""Of the map, HTML."""
RUNS_LEGEND = " <span class='soft'>①②③: the advised setting’s runs, each in the cell nearest to it.</span>"
SLICE_LEGEND = "dots: measured (hollow: given up early); dashed: the formula"


def progress_count(result: TuneResult | None, advised: bool, done: bool) -> str:
    """How many cells of a sweep, or runs of the advised setting, have ended; empty before there is a result."""
    if result is None:
        return ""
    if not advised:
        return f"{len(result.finished)} of {result.config.cells} cells"
    ended = len(result.run_forecasts)
    return f"{ended} run{'' if ended == 1 else 's'}" + ("" if done else f" of {MOST_RUNS} at most")


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
    parts, evidence, drifts = [], rehearsal.evidence, rehearsal.replay.watch.drifts
    if evidence["predictive_score"] is not None:
        score = f"{evidence['predictive_score']:.3f}".replace("-", "−")
        parts.append(f"<b>Log score</b> of the next row, predicted before it was seen: {score} in the"
                     " mean of the last 1,000 rows at most.")
    if evidence["calibration_error"] is not None:
        parts.append(f"<b>Calibration</b> is off by {evidence['calibration_error']:.3f} in the mean, where chance alone"
                     f" makes {evidence['calibration_noise']:.3f}.")
    if rehearsal.kind == "oracle":
        parts.append("A gradient alone predicts nothing: no log score, no calibration.")
    if drifts:
        at, since = drifts[-1]
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
    done = f"{len(result.finished)} of {result.config.cells} settings measured."
    if runs is not None:
        taken = runs.taken
        done += (f" Of {len(runs.cells)} runs of the advised setting the one to take is eta0 = {taken.eta0:g}, i_max ="
                 f" {taken.i_max}: {runs.verdict}.")
    if best is None:
        return done
    so_far = "" if result.whole or result.ended else " so far"
    return (f"{done} The cheapest accurate one{so_far} is eta0 = {best.eta0:g}, i_max = {best.i_max}, b = {best.batch_size}:"
            f" accuracy {best.accuracy:.3f} of {best.ceiling:.3f}.")
