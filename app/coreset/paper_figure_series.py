"""From finished runs to the panels of a figure: medians over the trials done so far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.coreset.own_data import OwnData
from app.coreset.paper_figure_plan import (
    FIRST_GUESS,
    RIVALS,
    Cell,
    CellResult,
    FigureResult,
    PanelResult,
    Scale,
    Series,
    cells_of,
    kind_of,
)
from app.plots.optimizer_looks import look_of
from app.state.coreset import MODELS, OPTIMIZERS

Results = dict[Cell, CellResult]
LINES = ("ours", "kin", "bound", "exit", "reference", "truth")
"""Roles of lines that differ in r or M only."""
TICKS = {"dog": "DoG", "dowg": "DoWG", "prodigy": "Prod.", "adam_sqrt": "ADAM", "d_adaptation": "D-Ad."}


def draw(figure: str, scale: Scale, results: Results, own: OwnData | None = None) -> FigureResult:
    """Return a figure as far as its runs are in ``results``; those of one model may be on the user's file."""
    cells = cells_of(figure, scale)
    make = {"1": _adam, "2": _adam_alone, "3": _as_they_are, "4": _hot_and_cold, "5": _warm_up, "6": _reaches,
            "7": _rivals}[kind_of(figure)]
    panels = tuple(make(key, scale, [cell for cell in cells if cell.model == key], results) for key in MODELS)
    if own is not None:
        panels = tuple(replace(panel, title=f"{panel.title}: {own.name}") if panel.key == own.model_key else panel
                       for panel in panels)
    return FigureResult(figure, scale, panels, sum(cell in results for cell in cells), len(cells), _faults(cells, results),
                        None if own is None else (own.model_key, own.name), 0 if own is None else own.number)


def _faults(cells: list[Cell], results: Results) -> tuple[str, ...]:
    """One sentence for each optimizer whose runs broke down."""
    broken: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell in results and results[cell].fault:
            broken.setdefault(cell.optimizer, []).append(cell)
    return tuple(
        f"{look_of(optimizer).name} diverged in {len(found)} of its {len(_some(cells, optimizer=optimizer))} runs"
        f" ({', '.join(sorted({MODELS[cell.model].label for cell in found}))}); a median with such a run in it is left out"
        " when it has no number." for optimizer, found in broken.items() if optimizer in OPTIMIZERS)


def median_trace(cells: list[Cell], results: Results) -> tuple[np.ndarray, np.ndarray] | None:
    """Median z-score over the trials that are done, at the marks that all of them reached."""
    done = [results[cell] for cell in cells if cell in results and not results[cell].fault]
    if not done:
        return None
    shortest = min(done, key=lambda result: result.iterations.size)
    return shortest.iterations, np.median([result.z[:shortest.z.size] for result in done], axis=0)


def _last(cells: list[Cell], results: Results) -> float:
    """Median of the last z-scores; inf where every trial failed, nan where none is done."""
    done = [results[cell] for cell in cells if cell in results]
    if not done:
        return float("nan")
    return float(np.median([np.inf if result.fault or not result.z.size else result.z[-1] for result in done]))


def _some(cells: list[Cell], **wanted: object) -> list[Cell]:
    return [cell for cell in cells if all(getattr(cell, name) == value for name, value in wanted.items())]


def _trace(name: str, cells: list[Cell], results: Results, role: str, dashed: bool = False,
           width: float = 1.8) -> list[Series]:
    found = median_trace(cells, results)
    return [] if found is None else [Series(name, *found, role, dashed, width)]


def _hot_and_cold(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    series = []
    for r, role in zip(scale.reaches, LINES, strict=False):
        for hot in (True, False):
            name = f"r = {r:g}, {'hot start' if hot else 'no hot start'}"
            series += _trace(name, _some(cells, rate=r, hot=hot), results, role, not hot)
    return PanelResult(key, MODELS[key].label, tuple(series))


def _reaches(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    series = []
    for r, role in zip(scale.reaches, LINES, strict=False):
        series += _trace(f"Hot DoG, r = {r:g}", _some(cells, optimizer="hot_dog", rate=r), results, role)
    return PanelResult(key, MODELS[key].label, (*series, *_best_adam(scale, cells, results)))


def _best_adam(scale: Scale, cells: list[Cell], results: Results) -> list[Series]:
    lasts = {rate: _last(_some(cells, optimizer="adam_sqrt", rate=rate), results) for rate in scale.rates}
    known = {rate: z for rate, z in lasts.items() if np.isfinite(z)}
    if not known:
        return []
    best = min(known, key=known.get)
    found = _some(cells, optimizer="adam_sqrt", rate=best)
    return _trace(f"ADAM, best rate {best:g}/√t", found, results, "rival", True, 2.2)


def _as_they_are(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    series = []
    for rival, dashed in (("dog", False), ("dowg", True)):
        for r, role in zip(scale.reaches, LINES, strict=False):
            found = _some(cells, optimizer=rival, rate=r)
            series += _trace(f"{look_of(rival).name}, r = {r:g}", found, results, role, dashed)
    for rival, dashed in (("d_adaptation", False), ("prodigy", True)):
        found = _some(cells, optimizer=rival, rate=FIRST_GUESS)
        series += _trace(look_of(rival).name, found, results, "middle", dashed)
    return PanelResult(key, MODELS[key].label, (*series, *_best_adam(scale, cells, results)))


def _warm_up(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    result = results.get(cells[0])
    if result is None:
        return PanelResult(key, MODELS[key].label, level=0.5)
    at, statistic = result.statistic.T
    last = np.median(result.norms[-6:]) if result.norms.size else 1.0  # the last few marks, or one stray value rules
    norms = result.norms / last
    note = ("never passed" if result.passed is False else "" if result.hot_at is None
            else f"passed at {result.hot_at:,}")
    return PanelResult(key, MODELS[key].label, (
        Series("gradient norm ÷ its last median", result.iterations, norms, "ours", width=1.3),
        Series("hot-start statistic", at, np.maximum(statistic, 1e-3), "kin", width=2.2)), 0.5, note=note)


def _adam(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    series = []
    for size, role in zip(scale.sizes, LINES, strict=False):
        base = _last(_some(cells, size=size, optimizer="hot_dog"), results)
        rates = np.array(scale.rates)
        lasts = np.array([_last(_some(cells, size=size, optimizer="adam_sqrt", rate=rate), results) for rate in rates])
        known = np.isfinite(lasts) & np.isfinite(base)
        if known.any():
            series.append(Series(f"M = {size:,}", rates[known], lasts[known] / base, role, width=2.0))
    return PanelResult(key, MODELS[key].label, tuple(series), 1.0)


def _adam_alone(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    series = []
    for size, role in zip(scale.sizes, LINES, strict=False):
        lasts = np.array([_last(_some(cells, size=size, rate=rate), results) for rate in scale.rates])
        known = np.isfinite(lasts)
        if known.any():
            series.append(Series(f"M = {size:,}", np.array(scale.rates)[known], lasts[known], role, width=2.0))
    return PanelResult(key, MODELS[key].label, tuple(series))


def _rivals(key: str, scale: Scale, cells: list[Cell], results: Results) -> PanelResult:
    series = []
    ticks = {10.0**k: TICKS[rival] for k, rival in enumerate(RIVALS)}
    grid = [(rival, rate, 10.0 ** (k + 0.1 * (i / max(1, len(rates) - 1) - 0.5)))  # rates side by side, the larger right
            for k, (rival, name) in enumerate(RIVALS.items()) for rates in [getattr(scale, name)]
            for i, rate in enumerate(rates)]
    at = np.array([x for _, _, x in grid])
    for s, (size, role) in enumerate(zip(scale.sizes, LINES, strict=False)):
        base = _last(_some(cells, size=size, optimizer="hot_dog"), results)
        shift = 10.0 ** (0.25 * (s - 0.5 * (len(scale.sizes) - 1)))  # sizes side by side
        for hot in (True, False):
            lasts = np.array([_last(_some(cells, size=size, optimizer=rival, rate=rate, hot=hot), results)
                              for rival, rate, _ in grid])
            known = np.isfinite(lasts) & np.isfinite(base)
            name = f"M = {size:,}, {'hot start' if hot else 'no hot start'}"
            if known.any():
                series.append(Series(name, at[known] * shift, lasts[known] / base, role, dots=True, open=not hot))
    return PanelResult(key, MODELS[key].label, tuple(series), 1.0, ticks)
