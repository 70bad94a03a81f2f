"""`MethodMap`: results of ``python -m tests.benchmarks streaming`` for choosing a method, with table, caption and CSV."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.csv_text import result_rows
from app.plots.looks import sampler_look

REGIMES = {"gaussian": "near Gaussian", "separable": "separable", "rare": "one in 200", "collinear": "collinear",
           "drift": "drifting mode", "leverage": "heavy leverage"}
"""Key of a regime -> name."""
DIMS = (2, 11, 23, 124)
PRIOR = "prior"
"""Key of draws from the prior, in addition to `sampler.racing.CONTESTANTS`."""
ENOUGH = 0.75
"""Share of seeds in which a method must be accurate enough to count as such."""
CANNOT = {
    "saga": "Cross a badly conditioned posterior at an affordable step; run without a cache: 16 bytes per datum and chain",
    "precond": "Be exact: its default step widens deviations by 4 %; run under a flat prior; run without cached gradients",
    "sgld": "Stay accurate as t grows: its gradient noise does not shrink",
    "cv_sgld": "Be exact; follow a posterior far from normal: its control variates are at one point",
    "mala": "Run without a potential; cost less than a pass over all data per step",
    "mh_ss": "Run if the third derivative of a term is unbounded; move far from a poor control point",
    "ula": "Be exact; cost less than a pass over all data per step",
    "rwm": "Scale with the dimension; cost less than a pass over all data per step",
    "pg": "Run on other than logistic labels; mix well if one class is rare",
    "online_laplace": "Represent correlations; correct an early error; run on other than logistic labels",
    "warm_laplace": "Represent skewness, bounds or heavy tails: it is a normal approximation",
    "rvga": "Represent other than one normal law; correct an early error: it reads each datum once",
    "ibis": "Run in many dimensions: its particles collapse; bound the cost of a datum: a renewal reads all data",
    "zigzag": "More than 25 dimensions; run without bounds on the curvature",
    "svrg": "Update for a datum without passes over all data",
    "cv_uld": "Be exact; update for a datum without passes over all data",
    "nuts_scratch": "Reuse the last run: for each datum it adapts and reads all data again",
    PRIOR: "Learn",
}
"""Key -> limits of the method, after "it cannot"."""
FILE = Path(__file__).with_name("method_map.json")


class Column(NamedTuple):
    """One posterior; results are over seeds."""

    regime: str
    dim: int
    t: int


@dataclass(frozen=True, eq=False)
class MethodMap:
    """Medians over seeds, one row per method (m) and one column per posterior (c); nan for a method not run."""

    made: dict[str, Any]  #: machine, date, version, seeds, draws, numbers of measured posteriors and of those of a full run
    methods: tuple[str, ...]
    columns: tuple[Column, ...]
    error: np.ndarray  #: (m, c) largest error of a mean, in standard deviations
    narrowest: np.ndarray  #: (m, c) smallest ratio of standard deviations
    widest: np.ndarray  #: (m, c) largest
    gradients: np.ndarray  #: (m, c) datum gradients of all draws in total
    seconds: np.ndarray  #: (m, c) processor seconds of all draws in total
    good: np.ndarray  #: (m, c) number of seeds in which the method was accurate enough
    runs: np.ndarray  #: (m, c) number of seeds in which it ran; -1 if it rejects the problem
    limit: np.ndarray  #: (c,) largest accepted error: 0.1 plus the noise of draws and reference
    width_limit: np.ndarray  #: (c,) largest accepted relative error of a width, likewise
    ranks: np.ndarray  #: (m, 3) mean rank over the posteriors, its 95 % interval by bootstrap over posteriors and seeds

    @property
    def dims(self) -> list[int]:
        """Dimensions in which a method was run, ascending."""
        return sorted({column.dim for column, runs in zip(self.columns, self.runs.T, strict=True) if (runs > 0).any()})

    @property
    def enough(self) -> np.ndarray:
        """Whether a method is accurate enough, (m, c) of bool."""
        return (self.runs > 0) & (self.good >= ENOUGH * self.runs)

    @property
    def cheapest(self) -> np.ndarray:
        """Index of the fastest method that is accurate enough, (c,); -1 if none is."""
        seconds = np.where(self.enough, self.seconds, np.inf)
        return np.where(np.isfinite(seconds).any(axis=0), seconds.argmin(axis=0), -1) if len(seconds) else np.empty(0, int)

    @property
    def order(self) -> np.ndarray:
        """Indices of the methods, the best mean rank first, (m,)."""
        return np.argsort(np.nan_to_num(self.ranks[:, 0], nan=np.inf), kind="stable")

    def wins(self, columns: Sequence[int]) -> dict[str, int]:
        """Return method -> number of these columns in which it is `cheapest`, in descending order."""
        first = [self.methods[i] for i in self.cheapest[list(columns)] if i >= 0]
        return {key: first.count(key) for key in sorted(dict.fromkeys(first), key=lambda key: -first.count(key))}

    @property
    def words(self) -> str:
        """Sentence on the origin of the map."""
        made = self.made
        whole = made["measured"] >= made["whole"]
        share = "all" if whole else f"{made['measured']} of {made['whole']}"
        seeds = "1 seed" if made["seeds"] == 1 else f"{'' if whole else 'up to '}{made['seeds']} seeds"
        versions = f"version{'s' * (' to ' in made['version'])} {made['version']}"
        return (f"Measured at {share} posteriors of the full run, {seeds}, {made['draws']} draws each, with {versions}, the "
                f"last on {made['date']}, {made['machine']}.")


TABLES = ("error", "narrowest", "widest", "gradients", "seconds", "good", "runs", "limit", "width_limit", "ranks")


def read_map(text: str) -> MethodMap:
    """Return the map in a JSON text; null is nan, and "inf" is infinite."""
    shipped = json.loads(text)
    tables = {name: np.array(shipped[name], float) for name in TABLES}
    return MethodMap(shipped["made"], tuple(shipped["methods"]), tuple(Column(*one) for one in shipped["columns"]), **tables)


@cache
def shipped_map() -> MethodMap:
    """Return the shipped map."""
    return read_map(FILE.read_text(encoding="utf-8"))


COLUMNS = [["cheapest", "cheapest", "Number of posteriors on which it is the fastest that is accurate enough"],
           ["good", "good\nenough", "Share of posteriors with means within 0.1 sd and widths within 10 %, plus noise"],
           ["rank", "rank",
            "Mean over the posteriors: accurate methods by seconds, then the others by error; 95 % bootstrap interval"],
           ["cannot", "what it cannot do", ""]]
CAPTION = ("Largest error of a mean, in posterior standard deviations; a stronger colour is nearer to the noise level. "
           "★: fastest method that is accurate enough. Hatched: only the widths are inaccurate. –: cannot run. "
           "Dashed: not run. ")
HEAD = ["Which to use when", "All methods on the same logistic rows, compared with long exact chains"]
OPENS_ON = 11
"""Initial dimension."""


def rows_of(table: MethodMap) -> list[list]:
    """Return [key, name, mark, token, bold, cells] of each method, the best rank first."""
    wins = table.wins(range(len(table.columns)))
    rows = []
    for i in table.order:
        key = table.methods[i]
        look, tried = sampler_look(key), (table.runs[i] != 0).sum()
        share = table.enough[i].sum() / max(tried, 1)
        rank, low, high = table.ranks[i]
        ranked = [f"{rank:.1f} ({low:.1f}–{high:.1f})", float(rank)] if rank == rank else ["–", None]
        rows.append([key, look.name, *look.sign, False, [
            [str(wins.get(key, 0)), wins.get(key, 0)], [f"{share:.0%}", float(share)], ranked,
            [CANNOT.get(key, ""), CANNOT.get(key, "")]]])
    return rows


def csv_of(table: MethodMap) -> str:
    """Return all numbers as CSV text, one line per method and posterior."""
    names = ("error", "narrowest", "widest", "gradients", "seconds", "good", "runs")
    return result_rows(["method", "regime", "d", "t", *names, "limit", "width_limit"], (
        [key, REGIMES[column.regime], column.dim, column.t, *(getattr(table, name)[i, j] for name in names),
         table.limit[j], table.width_limit[j]]
        for i, key in enumerate(table.methods) for j, column in enumerate(table.columns) if table.runs[i, j]))


def spoken_of(table: MethodMap, dim: int) -> str:
    """Return a description of the figure for screen readers."""
    wins = table.wins([j for j, column in enumerate(table.columns) if column.dim == dim])
    listed = ", ".join(f"{sampler_look(key).name} at {count}" for key, count in wins.items())
    return f"The cheapest method that is good enough in {dim} dimensions: {listed or 'none'}."
