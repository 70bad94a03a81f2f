"""Scores of the streaming benchmark: draws against the reference posterior, and the map of all cells."""

import json
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from app.compare.method_map import PRIOR, REGIMES, TABLES, Column
from sampler.racing import CONTESTANTS

LIMIT = 0.1
"""Tolerated error of a mean in standard deviations, and relative error of a standard deviation, without noise."""
LEVEL = 0.95
"""Probability that the noise of exact draws stays below its allowance."""
BOOTSTRAPS = 1_000


class Judged(NamedTuple):
    error: float  #: of a mean, largest, standard deviations
    narrowest: float  #: ratio of standard deviations, smallest and largest
    widest: float
    limit: float
    width_limit: float

    @property
    def good(self) -> bool:
        return bool(self.error <= self.limit and self.narrowest >= 1 - self.width_limit
                    and self.widest <= 1 + self.width_limit)


def limits(dim: int, draws: int, ess: float, kurtosis: float = 3.0) -> tuple[float, float]:
    """Return the limits of a mean's error and of a width's: LIMIT combined with the largest of dim errors due to noise.

    Standard errors for n draws: 1/sqrt(n) of a mean, in standard deviations; sqrt((kurtosis - 1)/(4 n)) of a standard
    deviation, relative. ``ess`` is that of the reference, infinite if exact; ``kurtosis`` the largest of a coordinate.
    """
    largest = ndtri((1 + LEVEL ** (1 / dim)) / 2) * np.sqrt(1 / draws + 1 / ess)
    return float(np.hypot(LIMIT, largest)), float(np.hypot(LIMIT, largest * np.sqrt((kurtosis - 1) / 4)))


def judged(samples: np.ndarray, reference: Any) -> Judged:
    mean, sd = np.asarray(reference.mean), np.asarray(reference.std)
    ess, kurtosis = np.inf, 3.0
    if reference.draws is not None:
        ess = float(np.min(reference.ess))
        kurtosis = max(3.0, float(np.max((((reference.draws - mean) / sd) ** 4).mean(axis=0))))
    bounds = limits(len(mean), len(samples), ess, kurtosis)
    if not np.isfinite(samples).all():
        return Judged(np.inf, 0.0, np.inf, *bounds)
    ratios = samples.std(axis=0, ddof=1) / sd
    return Judged(float(np.abs((samples.mean(axis=0) - mean) / sd).max()), float(ratios.min()), float(ratios.max()), *bounds)


def order(cells: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return method -> rank at one posterior of one seed: good methods by seconds, others by error, refused ones last; ties
    share a rank."""
    def key(cell: dict[str, Any]) -> tuple[int, float]:
        return (2, 0.0) if cell["refused"] else (0, cell["seconds"]) if cell["good"] else (1, cell["error"])

    keys = [key(cell) for cell in cells.values()]
    places = {one: i for i, one in enumerate(sorted(set(keys)))}
    return dict(zip(cells, rankdata([places[one] for one in keys]).tolist(), strict=True))


def ranks(records: list[dict[str, Any]], methods: list[str], seed: int = 0) -> np.ndarray:
    """Return the mean rank of each method with its 95 % interval, (m, 3), by bootstrap over posteriors and seeds.

    Measurements on the same data at several t are resampled together; places where a method is missing are excluded.
    """
    by_place: dict[tuple, dict[str, dict]] = defaultdict(dict)
    for one in records:
        by_place[one["seed"], one["regime"], one["dim"], one["t"]][one["method"]] = one
    whole = [(place[:3], order(cells)) for place, cells in by_place.items() if all(m in cells for m in methods)]
    if not whole:
        return np.full((len(methods), 3), np.nan)
    blocks = sorted({block for block, _ in whole})
    sums, counts = np.zeros((len(blocks), len(methods))), np.zeros(len(blocks))
    for block, place_ranks in whole:
        sums[blocks.index(block)] += [place_ranks[m] for m in methods]
        counts[blocks.index(block)] += 1
    picked = np.random.default_rng(seed).integers(len(blocks), size=(BOOTSTRAPS, len(blocks)))
    means = sums[picked].sum(axis=1) / counts[picked].sum(axis=1)[:, None]
    return np.column_stack([sums.sum(axis=0) / counts.sum(), *np.quantile(means, [0.025, 0.975], axis=0)])


def summary(records: list[dict[str, Any]], made: dict[str, Any]) -> str:
    """Return the text of a map of cells: medians over seeds, numbers with three digits."""
    by_cell: dict[tuple, list[dict]] = defaultdict(list)
    for one in records:
        by_cell[one["method"], Column(one["regime"], one["dim"], one["t"])].append(one)
    regimes, every = list(REGIMES), [*CONTESTANTS, PRIOR]
    methods = sorted({method for method, _ in by_cell}, key=lambda m: every.index(m) if m in every else len(every))
    columns = sorted({column for _, column in by_cell}, key=lambda c: (regimes.index(c.regime), c.dim, c.t))

    def middle(name: str) -> list[list[Any]]:
        return [[_median([one[name] for one in by_cell[m, c] if not one["refused"]]) for c in columns] for m in methods]

    def count(m: str, c: Column, name: str) -> int:
        cells = by_cell[m, c]
        if name == "runs" and cells and all(one["refused"] for one in cells):
            return -1
        return sum(not one["refused"] and (name == "runs" or one["good"]) for one in cells)

    tables = {name: middle(name) for name in ("error", "narrowest", "widest", "gradients", "seconds")}
    tables |= {name: [[count(m, c, name) for c in columns] for m in methods] for name in ("good", "runs")}
    tables |= {name: [_median([one[name] for m in methods for one in by_cell[m, c] if name in one]) for c in columns]
               for name in ("limit", "width_limit")}
    tables["ranks"] = [[_short(value) for value in row] for row in ranks(records, methods)]
    parts = {"made": made, "methods": methods, "columns": columns, **{name: tables[name] for name in TABLES}}
    return "{" + ",\n".join(f"{json.dumps(name)}:{json.dumps(part, separators=(',', ':'))}"
                            for name, part in parts.items()) + "}\n"


def _median(values: list[float]) -> Any:
    finite = [value for value in values if value is not None]
    return _short(float(np.median(finite))) if finite else None


def _short(value: float) -> Any:
    return None if np.isnan(value) else "inf" if np.isinf(value) else float(f"{value:.3g}")
