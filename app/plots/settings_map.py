"""Map of the settings tried on a stream: measured accuracy of each, and the formula's predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import contourpy
import numpy as np
from holoviews import Dimension

from app.plots.cells import Cell, Cells, Note
from app.plots.lines import Line, Lines, lines
from sampler.tuning import LIMITS, CellKey, key_of, limit_words

ETAS = {"saga-ld": "step size η₀, log scale", "preconditioned": "step size η₀ in whitened coordinates, log scale"}
ETA, STEPS = ETAS["saga-ld"], "steps per epoch, i max"
EARLY_SHADE = 0.25
"""Factor of the shade of a cell that was given up early."""
SPAN = 0.146
"""Distance below the ceiling, in accuracy, at the weak end of the ramp."""
GAPS = (0.015, 0.045, 0.145)
"""Distances below the ceiling of the contours of the predicted accuracy; levels are rounded."""
NEAR, MEMORY_LIMIT = 0.02, LIMITS["memory"]
"""Largest distance below the ceiling, and largest memory of an epoch's start, of a safe setting."""
BANDS = {"cold": ("too cold", f"an epoch is too short to forget: the limit of memory is {limit_words('memory')}"),
         "safe": ("safe", "every measurement is within its limit"),
         "hot": ("too hot", f"the cloud is wider than the target: the limit is {limit_words('width')}")}
STATES = {"done": "tap to select", "early": "given up after {rows:,} rows: half of the others were better",
          "diverged": "diverged at epoch {epoch:,}", "running": "at {rows:,} rows, running", "waiting": "not run yet"}


def tuning_map(cells: object, batch_size: int | None = None, *, forecasts: Mapping[CellKey, object] | None = None,
               states: Mapping[CellKey, str] | None = None, best: object = None, chosen: CellKey | None = None,
               ceiling: float | None = None, verdicts: Mapping[CellKey, str] | None = None,
               marks: Mapping[CellKey, str] | None = None) -> Cells:
    """Draw the accuracy of every setting of one algorithm and one batch size; overlay `forecast` with ``*``.

    The algorithm is that of the selected cell, else of the best, else of the first. Brackets above the map mark the values
    of eta0 that are too cold, safe and too hot in the selected row; notes on the right give the gradients per epoch. A
    notch marks cells whose memory exceeds its limit, unless the verdict is safe: verdicts add noise to limits.

    Parameters
    ----------
    cells : SweepOutcome, or iterable of CellResult
    batch_size : int, optional
        By default the best cell's, else the first's.
    forecasts : dict of CellKey to CellForecast, optional
        Shown on hover, and as dashed cells where nothing has been measured.
    states : dict of CellKey to str, optional
        "done", "early", "diverged", "running", "waiting"; by default inferred from the rungs of the cells.
    best : CellResult, optional
        Cell marked by a star; by default that of a ``SweepOutcome``.
    chosen : CellKey, optional
        Cell marked by a ring; the best one if None.
    ceiling : float, optional
        Predicted score of exact draws, for forecasts.
    verdicts : dict of CellKey to str, optional
        Kinds of the verdicts on measured cells, for the brackets; without one accuracy and memory decide.
    marks : dict of CellKey to str, optional
        Texts in a corner of these cells.

    Returns
    -------
    Cells
        The keys are CellKeys.
    """
    best = best or getattr(cells, "best", None)
    measured = {key_of(cell): cell for cell in getattr(cells, "cells", cells)}
    forecasts, states, verdicts = forecasts or {}, states or {}, verdicts or {}
    every = [*measured, *(key for key in forecasts if key not in measured)]
    if not every:
        raise ValueError("cells or forecasts must have an entry; both are empty")
    looked = chosen or (key_of(best) if best is not None else every[0])
    algorithm = looked.algorithm
    batch = batch_size or (best.batch_size if best is not None else every[0].batch_size)
    shown = sorted(key for key in every if key.batch_size == batch and key.algorithm == algorithm)
    if not shown:
        tried = sorted({key.batch_size for key in every if key.algorithm == algorithm})
        raise ValueError(f"batch_size must be one that was tried, {', '.join(map(str, tried))}; got {batch_size}")
    etas, lengths = sorted({key.eta0 for key in shown}), sorted({key.i_max for key in shown})
    x, y = _edges(etas), _edges(lengths)
    last = max((cell.rung for cell in measured.values()), default=0)
    chosen = chosen or (None if best is None else key_of(best))
    keys = sorted(shown, key=lambda key: (key.i_max, key.eta0))
    boxes, notes = [], []
    for key in keys:
        cell = measured.get(key)
        state = states.get(key) or state_of(cell, last)
        sides = (*_between(x, etas.index(key.eta0)), *_between(y, lengths.index(key.i_max)))
        boxes.append(_box(key, cell, forecasts.get(key), state, sides))
        cold = cell is not None and cell.memory > MEMORY_LIMIT and verdicts.get(key) != "safe"
        if cold and state not in ("waiting", "diverged"):
            notes.append(Note(*_corner(sides, 0.12, 0.16), "◣", "card"))
        if marks and key in marks:
            ink = "truth" if state == "waiting" else boxes[-1].ink
            notes.append(Note(*_corner(sides, 0.06, 0.78), marks[key], ink, "left", True))
        if best is not None and key == key_of(best):
            notes.append(Note(*_corner(sides, 0.84, 0.78), "★", "exit", size="15px"))
    row = chosen.i_max if chosen is not None and chosen.i_max in lengths else lengths[-1]
    plane = (batch, algorithm)
    bars, words = _brackets(_bands(measured, forecasts, etas, row, plane, ceiling, verdicts), x, y, row)
    notes += _costs(measured, forecasts, lengths, plane, row, y, x[-1] * (x[-1] / x[0]) ** 0.012) + words
    axes = [Dimension(("x", ETAS[algorithm])), Dimension(("y", STEPS))]
    return Cells(boxes + bars, axes, ringed=keys.index(chosen) if chosen in keys else None, notes=tuple(notes)).opts(
        logx=True, logy=True, xlim=(x[0], x[-1] * (x[-1] / x[0]) ** 0.13), ylim=(y[0], y[-1] * (y[-1] / y[0]) ** 0.15),
        xticks=[(eta, digits(eta)) for eta in etas], yticks=[(n, f"{n:,}") for n in lengths])


def forecast(surface: np.ndarray, etas: Sequence[float], lengths: Sequence[float], ceiling: float,
             cells: tuple[Sequence[float], Sequence[float]] | None = None) -> Lines:
    """Draw contours of the predicted accuracy 0.015, 0.045 and 0.145 below the ceiling, as an overlay of `tuning_map`.

    Parameters
    ----------
    surface : (m, n) array
        Predicted accuracy at lengths (m,) and etas (n,).
    etas, lengths : sequences of float
        Increasing.
    ceiling : float
        Predicted score of exact draws.
    cells : (etas, lengths), optional
        Values of the map's cells, increasing: the contours leave gaps for the number in the middle of each cell.
    """
    surface = np.asarray(surface, float)
    if surface.shape != (len(lengths), len(etas)):
        raise ValueError(f"surface must have a row per length and a column per eta0, shape {(len(lengths), len(etas))}; got "
                         f"{surface.shape}")
    drawn = []
    if min(surface.shape) >= 2:
        made = contourpy.contour_generator(np.log(etas), np.log(lengths), surface)
        for level in sorted({round(ceiling - gap, 2) for gap in GAPS}):
            for k, path in enumerate(sorted((p for p in made.lines(level) if len(p) > 1), key=len, reverse=True)):
                at = np.exp(path if cells is None else _with_gaps(path, *cells))
                words = f"{level:.2f}".removeprefix("0")
                drawn.append(Line(f"predicted {level:.2f}", at[:, 0], at[:, 1], "truth", label=words if k == 0 else "",
                                  bold=True, where="on", width=0.6, tooltip=[f"predicted {level:.2f}"] * len(at)))
    return lines(drawn, ETA, STEPS, logx=True, logy=True)


def _with_gaps(path: np.ndarray, etas: Sequence[float], lengths: Sequence[float]) -> np.ndarray:
    """Return a line (n, 2) in logarithms with gaps (nan) in the middle of cells."""
    steps = np.maximum(1, np.ceil(np.abs(np.diff(path, axis=0)).max(axis=1) / 0.02)).astype(int)
    fine = np.concatenate([*(np.linspace(a, b, n, endpoint=False) for a, b, n in
                             zip(path[:-1], path[1:], steps, strict=True)), path[-1:]])
    near = np.ones(len(fine), bool)
    for k, (values, part) in enumerate(((etas, 0.4), (lengths, 0.3))):
        edges = np.log(_edges(values))
        at = np.clip(np.searchsorted(edges, fine[:, k]) - 1, 0, len(values) - 1)
        wide = edges[at + 1] - edges[at]
        near &= np.abs(fine[:, k] - edges[at] - wide / 2) < part * wide
    return np.where(near[:, None], np.nan, fine)


def state_of(cell, last: int) -> str:
    """Return the state of a cell, a key of STATES; `last` is the last rung."""
    if cell is None:
        return "waiting"
    return "diverged" if cell.diverged is not None else "done" if cell.rung == last else "early"


def _box(key: CellKey, cell, forecast, state: str, sides: tuple) -> Cell:
    tooltip, predicted = [setting_words(key)], []
    if forecast is not None:
        predicted = [f"predicted {forecast.accuracy:.3f}" if forecast.stable else "predicted: unstable"]
    if state == "waiting":
        text = _accuracy(forecast.accuracy) if forecast is not None and forecast.stable else ""
        cost = [] if forecast is None else [f"{forecast.cost:,.0f} gradients per epoch"]
        return Cell(*sides, math.nan, text, "faint", "\n".join([*tooltip, *predicted, *cost, STATES[state]]), edge="faint",
                    dashed=True, key=key)
    words = STATES[state].format(rows=cell.rows, epoch=0 if cell.diverged is None else cell.diverged[1])
    if state == "diverged":
        return Cell(*sides, math.nan, "×", "hot", "\n".join([*tooltip, *predicted, words]), edge="hot", key=key)
    deep = float(np.clip(1 + (cell.accuracy - cell.ceiling) / SPAN, 0, 1))
    shade = 0.55 * deep**2 + 0.45 * deep  # largest contrast near the ceiling
    tooltip += [f"measured {cell.accuracy:.3f}, exact draws {cell.ceiling:.3f}", *predicted,
             f"width ÷ target {widths(cell)}, memory {100 * cell.memory:.0f} %",
             f"{cell.reset_rate:.2g} resets per epoch and chain", f"{cell.cost:,.0f} gradients per epoch", words]
    ink = "over" if shade > 0.87 else "middle" if shade > 0.66 else "truth"
    hatch, text = {"early": "/", "running": "."}.get(state, " "), _accuracy(cell.accuracy)
    if state == "early":  # measured on the first rows only: paler than cells that ran to the end
        shade, ink, text = EARLY_SHADE * shade, "reference", f"({text})"
    return Cell(*sides, shade, text, ink, "\n".join(tooltip), hatch, key=key)


def widths(cell) -> str:
    """Return the range of a cell's or a forecast's widths relative to the target's, as in "0.93 to 1.06"."""
    return " to ".join(dict.fromkeys(f"{value:.2f}" for value in (cell.narrowest, cell.widest)))


def setting_words(key: CellKey) -> str:
    """Return a setting for a tooltip, with the name of the algorithm unless it is SAGA-LD."""
    algorithm = "" if key.algorithm == "saga-ld" else f"{key.algorithm}, "
    return f"{algorithm}η₀ {key.eta0:g}, i max {key.i_max:,}, b {key.batch_size}"


def _accuracy(value: float) -> str:
    return f"{min(value, 0.995):.2f}".removeprefix("0")


def digits(value: float) -> str:
    """Return eta0 in two significant digits: 0.033, 0.6, 1.8, 17, 4e-6."""
    return f"{value:.2g}".replace("e-0", "e-") if value < 100 else f"{value:.0f}"


def _costs(measured: Mapping, forecasts: Mapping, lengths: Sequence[int], plane: tuple, row: int, y: np.ndarray,
           x: float) -> list[Note]:
    """Return notes to the right of the map: gradients per epoch of each row."""
    notes = [Note(x, y[-1] * (y[-1] / y[0]) ** 0.095, "cost", "reference", "left")]
    for k, length in enumerate(lengths):
        run, predicted = ([cell.cost for key, cell in cells.items() if key[1:] == (length, *plane)]
                         for cells in (measured, forecasts))
        if run or predicted:
            notes.append(Note(x, (y[k] * y[k + 1]) ** 0.5, f"{np.median(run or predicted):,.0f}",
                              "truth" if length == row else "reference", "left", length == row))
    return notes


def _bands(measured: Mapping, forecasts: Mapping, etas: Sequence[float], row: int, plane: tuple,
           ceiling: float | None, verdicts: Mapping[CellKey, str]) -> list[tuple[str, int, int]]:
    """Return the ranges of columns of a row that are too cold, safe and too hot; unmeasured cells use the forecast."""
    good, wide = [], []
    for eta in etas:
        key = CellKey(eta, row, *plane)
        cell, verdict = measured.get(key, forecasts.get(key)), verdicts.get(key)
        top = getattr(cell, "ceiling", ceiling)
        if cell is None or top is None:
            return []
        if key in measured and verdict not in (None, "waiting", "weak_reference"):
            good.append(verdict == "safe")
            wide.append(verdict in ("hot", "noisy", "diverged"))
        else:
            bad = cell.diverged is not None if key in measured else not cell.stable
            good.append(not bad and cell.accuracy >= top - NEAR and cell.memory <= MEMORY_LIMIT)
            wide.append(bad or (cell.widest > 1.0 and cell.memory < MEMORY_LIMIT))
    n = len(good)
    if any(good):
        first, last = good.index(True), n - good[::-1].index(True)
    else:  # no cell is safe: cold until the first that is too wide
        first = last = wide.index(True) if any(wide) else n
    return [(kind, a, b) for kind, a, b in (("cold", 0, first), ("safe", first, last), ("hot", last, n)) if b > a]


def _brackets(bands: list[tuple[str, int, int]], x: np.ndarray, y: np.ndarray, row: int) -> tuple[list[Cell], list[Note]]:
    """Return a thin bar above the columns of each kind with its meaning on hover, and a title above each bar."""
    bars, notes, tall = [], [], y[-1] / y[0]
    for kind, first, last in bands:
        title, meaning = BANDS[kind]
        left, right = x[first] * (x[1] / x[0]) ** 0.04, x[last] / (x[1] / x[0]) ** 0.04
        bars.append(Cell(left, right, y[-1] * tall**0.025, y[-1] * tall**0.037, math.nan, "", "truth",
                         f"{title} in the row i max = {row:,}\n{meaning}", edge=kind))
        words = title if last - first > 1 or len(x) < 7 else title.split()[-1]
        notes.append(Note(math.sqrt(left * right), y[-1] * tall**0.095, words, kind, "center", True))
    return bars, notes


def _edges(values: Sequence[float]) -> np.ndarray:
    """Return the edges of cells: midpoints of values on a logarithmic scale."""
    logs = np.log(values)
    inner = 0.5 * (logs[1:] + logs[:-1])
    if not inner.size:  # one value alone
        return np.exp([logs[0] - 0.2, logs[0] + 0.2])
    return np.exp([2 * logs[0] - inner[0], *inner, 2 * logs[-1] - inner[-1]])


def _between(edges: np.ndarray, k: int) -> tuple[float, float]:
    """Return the sides of cell k, with a small gap to its neighbours."""
    shrink = (edges[k + 1] / edges[k]) ** 0.02
    return float(edges[k] * shrink), float(edges[k + 1] / shrink)


def _corner(sides: tuple, across: float, up: float) -> tuple[float, float]:
    """Return a position in a box, as fractions of its width and height from the lower left corner."""
    left, right, low, high = sides
    return left * (right / left) ** across, low * (high / low) ** up
