"""What the page says about a sweep and about one of its cells."""

from __future__ import annotations

import html
from dataclasses import dataclass

from app.tune.config import REFERENCES
from app.tune.gap import gap
from app.tune.picture import Key, TunePicture
from app.tune.watching import Watched
from app.widgets.verdict_card import LOOK, emphasise
from sampler.tuning import Verdict, verdict_of

SLOW = 0.5


@dataclass(frozen=True)
class CellWords:
    """The verdict card of one cell."""

    kind: str
    heading: str  #: HTML
    look: list[str]
    body: str  #: HTML
    change: dict | None  #: what the verdict suggests, for a button


def name_of(key: Key, batches: int) -> str:
    """A setting as a heading says it, HTML."""
    eta0, length, batch = key
    more = f", b = {batch}" if batches > 1 else ""
    return f"η<sub>0</sub> = {eta0:g}, i<sub>max</sub> = {length:,}{more}"


def about_cell(picture: TunePicture, key: Key) -> CellWords:
    """Words about the cell looked at."""
    config, said = picture.config, picture.forecast(key)
    cell, state, name = picture.cell(key), picture.state(key), name_of(key, len(config.batches))
    if cell is None:
        advised = key == picture.advised_key and config.chosen is None
        heading = f"Start near {name}" if advised else f"Not run yet: {name}"
        body = (f"<p>{'The advisor’s start, from the measured curvature. ' if advised else ''}The formula says accuracy"
                f" <b>{said.accuracy:.3f}</b> of {picture.foresight.ceiling:.3f}, at about <b>{said.cost:,.0f}</b> gradients"
                " an epoch.</p>" if said.stable else "<p>The formula says that this step is not stable.</p>")
        body += _table(picture, key) + _theorem(picture, key, False)
        return CellWords("waiting", heading, list(LOOK["waiting"]), body, None)
    draws = (picture.reference or {}).get("ess")
    verdict = verdict_of(cell, picture.loaded.settings, config.chains, said, draws, picture.foresight.largest_curvature)
    heading = f"Use {name}" if verdict.kind == "safe" else f"{html.escape(verdict.title)}: {name}"
    if verdict.kind == "safe":
        text = _safe(picture, key)
    else:
        text = f"<p>{emphasise(verdict.sentence)} {html.escape(verdict.suggestion)}{_price(picture, key, verdict)}</p>"
    if state == "early":
        text += (f"<p class='soft'>Given up after {cell.rows:,} of {config.rows:,} rows, when half of the others were"
                 " better there.</p>")
    elif state == "running":
        text += f"<p class='soft'>After {cell.rows:,} of {config.rows:,} rows; it goes on.</p>"
    table = _table(picture, key) if cell.diverged is None else ""
    strip = _theorem(picture, key, verdict.kind == "safe")
    return CellWords(verdict.kind, heading, list(LOOK[verdict.kind]), text + table + strip, verdict.change)


def _safe(picture: TunePicture, key: Key) -> str:
    cell = picture.cell(key)
    gap_ = cell.ceiling - cell.accuracy
    where = f"{gap_:.3f} below the ceiling" if gap_ >= 0.0005 else "at its ceiling"
    words = f"Accuracy <b>{cell.accuracy:.3f}</b>, {where}, at <b>{cell.cost:,.0f}</b> gradients an epoch."
    lengths = picture.config.lengths
    others = [(n, picture.cell((key[0], n, key[2]))) for n in lengths]
    others = [(n, c) for n, c in others if c is not None and c.diverged is None and c.rung == cell.rung]
    less = [(n, c) for n, c in others if n < key[1]][-1:]
    more = [(n, c) for n, c in others if n > key[1]][-1:]
    parts = [f"with {n:,} steps it is {c.accuracy:.3f}" if k == 0 else f"with {n:,} {c.accuracy:.3f}"
             for k, (n, c) in enumerate(less + more)]
    if parts:
        words += " " + (", ".join(parts)).capitalize() + "."
    return f"<p>{words}</p>"


def _price(picture: TunePicture, key: Key, verdict: Verdict) -> str:
    """What the suggested change costs, from the batch and the steps it asks for."""
    if not verdict.change:
        return ""
    from app.tune.saving import settings_of

    here = settings_of(picture, key)
    there = here.replace(**verdict.change)
    before, after = (2 + (s.i_max + 1) / 2 * s.batch_size for s in (here, there))
    if after == before:
        return " It costs nothing."
    return f" That costs {after:,.0f} gradients an epoch instead of {before:,.0f}."


def _table(picture: TunePicture, key: Key) -> str:
    config, cell, said = picture.config, picture.cell(key), picture.forecast(key)
    dash = "–"
    ceiling = cell.ceiling if cell is not None else picture.foresight.ceiling
    stable = said.stable
    rows = [(f"accuracy (ceiling {ceiling:.3f})", dash if cell is None else f"{cell.accuracy:.3f}",
             f"{said.accuracy:.3f}" if stable else "unstable"),
            ("width of the cloud ÷ target", dash if cell is None else f"{cell.width:.2f}",
             f"{said.width:.2f}" if stable else dash),
            ("memory of the last epoch", dash if cell is None else f"{100 * cell.memory:.0f} %",
             f"{100 * said.memory:.0f} %" if stable else dash)]
    if cell is not None:
        chains = config.chains
        rows.append((f"resets, of {chains} chains, an epoch", f"{cell.reset_rate * chains:.3f}", dash))
        if cell.exit_rate is not None:
            rows.append((f"exits, of {chains} chains, an epoch", f"{cell.exit_rate * chains:.3f}", dash))
    body = "".join(f"<tr><td class='soft' style='font-size:12.5px'>{a}</td><td><b>{b}</b></td>"
                   f"<td style='color:var(--lab-ink2)'>{c}</td></tr>" for a, b, c in rows)
    return f"<table><tr><td></td><th>measured</th><th>predicted</th></tr>{body}</table>"


def _theorem(picture: TunePicture, key: Key, works: bool) -> str:
    drawing = gap(picture.config.rows, picture.loaded.problem.dim, key[0], key[1], works)
    return ("<div style='border-top:1px solid var(--lab-line);margin:10px 0 8px'></div>"
            f"<b style='display:block;font-size:14px;margin-bottom:8px'>Theorem 6.7 against practice</b>{drawing}"
            "<p class='soft'>Constants with ε = 0.1, k = D = L = 1. They are safe for every such problem; the sweep speaks"
            " for yours.</p>")


def about_sweep(picture: TunePicture, workers: int, cluster: bool) -> str:
    """Under the progress bar."""
    if picture.ended == "cancelled":
        return "Cancelled: what was done stays, and a new sweep goes on from it."
    if picture.watching:
        return "Another page is at work on this very sweep: its cells appear here."
    where = "A Dask cluster." if cluster else f"{workers} processes of this machine."
    early = sum(picture.state(key) == "early" for key in picture.finished)
    given_up = f" {early} cells were given up early (hatched)." if early else ""
    return f"{where} Reloading the page resumes a sweep where it stood.{given_up}"


def about_advice(picture: TunePicture) -> str:
    """What the advisor advises and assumes, HTML."""
    s, advice = picture.foresight.advice.settings, picture.foresight.advice
    assumed = "".join(f"<li>{html.escape(words)}</li>" for words in advice.assumptions)
    return (f"<p>Start near <b>η<sub>0</sub> = {s.eta0:g}</b>, i<sub>max</sub> = {s.i_max:,}, b = {s.batch_size}, C′ ="
            f" {s.acceptance_radius:g}: the formula says accuracy {advice.forecast.accuracy:.3f} at"
            f" {advice.forecast.cost:,.0f} gradients an epoch. The rule of thumb 0.2/L is {advice.start:.2g}, with L ="
            f" {advice.curvature:.3g} a row by power iteration at the mode.</p>"
            f"<p class='soft'>The reference: {about_reference(picture)}. The formula assumes:</p>"
            f"<ul class='soft'>{assumed}</ul>")


def judged(rows: int) -> str:
    """What the score is."""
    return f"Accuracy, t = {rows // 2:,} … {rows:,}"


def about_reference(picture: TunePicture) -> str:
    """How the truth is known, in a few words."""
    found = picture.reference
    if not found:
        return REFERENCES[picture.config.reference]
    if found["method"] == "draws":
        return f"one long chain a rung, {found['ess']:,} effective draws"
    return {"exact": "exact, the posterior is Gaussian", "laplace": "Laplace’s approximation"}[found["method"]]


def about_watched(watched: Watched) -> str:
    """What the stream says of the chosen setting, HTML."""
    parts = []
    if watched.mean_score is not None:
        parts.append(f"<b>Log score</b> of the next row, foretold before it was seen: {watched.mean_score:.3f} in the mean"
                     " of the last 1,000.")
    if watched.calibration_error is not None:
        parts.append(f"<b>Calibration</b> is off by {watched.calibration_error:.3f} in the mean.")
    if watched.kind == "oracle":
        parts.append("A gradient alone foretells nothing: no log score, no calibration.")
    if watched.drifts:
        at, since = watched.drifts[-1]
        parts.append(f"<b style='color:var(--lab-hot)'>Drift alarm</b> at row {at:,}: rows are foretold worse since about"
                     f" row {since:,}.")
    elif watched.kind != "oracle":
        parts.append("<b>Drift alarm</b>: silent.")
    if watched.rhat is not None:
        parts.append(f"<b>Split R-hat</b> {watched.rhat:.3f}, <b>effective draws</b> {watched.ess:,.0f}, Monte Carlo error"
                     f" of a mean {watched.mcse:.3f} posterior widths (the worst coordinate, last 200 blocks).")
    if watched.failure:
        parts.append(f"<span style='color:var(--lab-hot)'>{html.escape(watched.failure)}</span>")
    return " ".join(parts)


def spoken(picture: TunePicture, key: Key) -> str:
    """The map in a sentence, for a screen reader."""
    best = picture.best
    done = f"{len(picture.finished)} of {picture.total} settings measured."
    if best is None:
        return done
    return (f"{done} The cheapest accurate one is eta0 = {best.eta0:g}, i_max = {best.i_max}, b = {best.batch_size}:"
            f" accuracy {best.accuracy:.3f} of {best.ceiling:.3f}.")
