"""Texts on a sweep: progress, costs, reference, and rehearsal of the selected setting."""

import html

from app.glossary import marked, marked_first
from app.state.tune import ALGORITHMS, REFERENCES, CellKey
from app.tune.rehearsal import Rehearsal
from app.tune.result import TuneResult
from sampler.tuning import MOST_RUNS, limit_words

LEGEND = marked(
    "<span class='soft'>Numbers: measured [[accuracy]], of 1. Lines: [[forecast]] accuracy. Hatched, pale:"
    f" [[given up early]]. ◣: [[memory]] past its limit, {limit_words('memory')} plus noise. ×: diverged. ★: the cheapest"
    " accurate setting. [[Too cold]]: an epoch is too short to forget. [[Too hot]]: the cloud is wider than the target, by"
    f" more than {limit_words('width')} plus noise. Both mark the row of the selected cell.</span>")
"""Legend of the map, HTML."""
RUNS_LEGEND = " <span class='soft'>①②③: runs of the advised setting, each in the nearest cell.</span>"
SLICE_LEGEND = "dots: measured (hollow: given up early); dashed: forecast"


def progress_count(result: TuneResult | None, advised: bool, done: bool) -> str:
    """Return the number of finished cells, or of runs of the advised setting, as text; empty without a result."""
    if result is None:
        return ""
    if not advised:
        return f"{len(result.finished)} of {result.config.cells} cells"
    ended = len(result.run_forecasts)
    return f"{ended} run{'' if ended == 1 else 's'}" + ("" if done else f" of at most {MOST_RUNS}")


def about_sweep(result: TuneResult, workers: int, cluster: bool) -> str:
    """Return the text below the progress bar."""
    if result.looked_at in result.run_forecasts and not result.config.going:
        if not result.runs.over:
            return "Cancelled: finished runs are kept, and “Run as advised” resumes."
        return "The runs of the advised setting are judged next to the map. A sweep tries other settings."
    if result.shipped:
        return "These cells are shipped with the app. Sweep to run them here, or change the ranges."
    if result.ended == "cancelled":
        if result.elsewhere:
            return "Cancelled here: the sweep continues for another open page, and its cells are kept."
        return "Cancelled: finished cells are kept, and a new sweep resumes."
    if result.elsewhere:
        return ("Another page or program is running this sweep: its cells appear here, and the remaining ones are run here"
                " once it ends.")
    where = "Runs on a Dask cluster." if cluster else f"Runs in {workers} processes on this machine."
    early = sum(result.state(key) == "early" for key in result.finished)
    given_up = f" {early} cells were given up early (hatched)." if early else ""
    best = result.best if not result.ended else None
    so_far = "" if best is None else (f" Best so far: accuracy {best.accuracy:.3f} of {best.ceiling:.3f} for"
                                      f" {best.cost:,.0f} gradients per epoch.")
    return f"{where}{so_far} A reloaded page resumes its sweep.{given_up}"


def about_cost(result: TuneResult) -> str:
    """Return the caption of the figure of costs, HTML."""
    if result.best is None:
        return ""
    text = ("Each mark is a setting: green safe, blue too cold, orange too hot, grey other; ★ on the map is the recommended"
            " setting.")
    return f"<span class='soft'>{text}{_both(result)}</span>"


def _both(result: TuneResult) -> str:
    """Return marks and best costs per algorithm if several are swept, else an empty string."""
    if len(result.forecasts) < 2:
        return ""
    bests = {name: result.best_of(name) for name in result.forecasts}
    costs = [f"{ALGORITHMS[name]} {cell.cost:,.0f} gradients per epoch for accuracy {cell.accuracy:.3f}"
             for name, cell in bests.items() if cell is not None]
    drawn = any(cell.algorithm != "saga-ld" and cell.diverged is None for cell in result.cells.values())
    marks = " Dots: SAGA-LD; diamonds: preconditioned." if drawn else ""
    return marks + (f" The best of each: {'; '.join(costs)}." if costs else "")


def about_reference(result: TuneResult) -> str:
    """Return a short description of the reference."""
    reference = result.reference
    if not reference:
        return REFERENCES[result.config.reference]
    if reference["method"] == "draws":
        return f"one long chain per rung, {reference['ess']:,} effective draws"
    return {"exact": "exact, the posterior is Gaussian", "laplace": "Laplace’s approximation"}[reference["method"]]


def about_rehearsal(rehearsal: Rehearsal) -> str:
    """Return the results of a rehearsal as HTML."""
    parts, evidence, drifts = [], rehearsal.evidence, rehearsal.replay.watch.drifts
    if evidence["predictive_score"] is not None:
        score = f"{evidence['predictive_score']:.3f}".replace("-", "−")
        parts.append(f"<b>Log score</b> of one-step-ahead predictions: {score}, mean of at most the last"
                     " 1,000 rows.")
    if evidence["calibration_error"] is not None:
        parts.append(f"<b>Calibration</b> error: {evidence['calibration_error']:.3f} on average, expected by chance"
                     f" {evidence['calibration_noise']:.3f}.")
    if rehearsal.kind == "oracle":
        parts.append("A gradient without a model gives no predictions: no log score, no calibration.")
    if drifts:
        at, since = drifts[-1]
        parts.append(f"<b style='color:var(--lab-hot)'>Drift alarm</b> at row {at:,}: predictions are worse since about"
                     f" row {since:,}.")
    elif rehearsal.kind != "oracle":
        parts.append("<b>Drift alarm</b>: none. At most one in 1,000 streams without change raises a false alarm, for any"
                     " distribution.")
    if evidence["rhat"] is not None:
        parts.append(f"<b>Split R-hat</b> {evidence['rhat']:.3f}, <b>effective draws</b> {evidence['ess']:,.0f}, Monte Carlo"
                     f" error of a mean {evidence['mean_error']:.3f} posterior widths (worst coordinate, last 200"
                     " blocks).")
    if rehearsal.replay.failure is not None:
        parts.append(f"<span style='color:var(--lab-hot)'>{html.escape(rehearsal.replay.failure.words)}</span>")
    return marked_first(" ".join(parts), "Log score", "Calibration", "Drift alarm", "Split R-hat", "effective draws")


def spoken(result: TuneResult, key: CellKey) -> str:
    """Return a description of the map for screen readers."""
    best, runs = result.best, result.runs
    done = f"{len(result.finished)} of {result.config.cells} settings measured."
    if runs is not None:
        taken = runs.taken
        done += (f" Chosen from {len(runs.cells)} runs of the advised setting: eta0 = {taken.eta0:g}, i_max ="
                 f" {taken.i_max}, {runs.verdict}.")
    if best is None:
        return done
    so_far = "" if result.whole or result.ended else " so far"
    return (f"{done} The cheapest accurate one{so_far} is eta0 = {best.eta0:g}, i_max = {best.i_max}, b = {best.batch_size}:"
            f" accuracy {best.accuracy:.3f} of {best.ceiling:.3f}.")
