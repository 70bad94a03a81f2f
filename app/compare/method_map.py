"""Which method to use when: what ``python -m tests.benchmarks streaming`` measured, and its table, caption and CSV."""

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
"""Key of a regime -> its name."""
DIMS = (2, 11, 23, 124)
PRIOR = "prior"
"""Key of the method that learns nothing, beside those of `sampler.racing.CONTESTANTS`."""
ENOUGH = 0.75
"""Share of the seeds in which a method must be good enough to be called so."""
CANNOT = {
    "saga": "Cross a badly conditioned posterior at an affordable step; keep no gradients: 16 bytes a datum and chain",
    "precond": "Be exact: its default step widens deviations by 4 %; run under a flat prior; keep no gradients",
    "sgld": "Stay right as t grows: the noise of its gradients does not shrink",
    "cv_sgld": "Be exact; follow a posterior far from a normal one: its control variates stand at one point",
    "mala": "Run without a potential; cost less than a pass over all data a step",
    "mh_ss": "Run where the third derivative of a term has no bound; move far where its control point is poor",
    "ula": "Be exact; cost less than a pass over all data a step",
    "rwm": "Scale with the dimension; cost less than a pass over all data a step",
    "pg": "Run on anything but logistic labels; mix where one class is rare",
    "online_laplace": "See correlations, or mend an early error; run on anything but logistic labels",
    "warm_laplace": "Be skewed, bounded or wide in the tail: it is a normal law",
    "rvga": "Be anything but one normal law, or mend an early error: it sees each datum once",
    "ibis": "Many dimensions: its particles collapse; bound the worst datum: a renewal passes over all data",
    "zigzag": "More than 25 dimensions; run without bounds on the curvature",
    "svrg": "Answer a datum without passes over all data",
    "cv_uld": "Be exact; answer a datum without passes over all data",
    "nuts_scratch": "Use what it knew a datum ago: it adapts and passes over all data anew",
    PRIOR: "Learn",
}
"""Key -> what the method cannot do."""
FILE = Path(__file__).with_name("method_map.json")


class Column(NamedTuple):
    """One posterior, over seeds."""

    regime: str
    dim: int
    t: int


@dataclass(frozen=True, eq=False)
class MethodMap:
    """Medians over seeds, a row a method (m) and a column a posterior (c); nan where a method was not run."""

    made: dict[str, Any]  #: machine, date, version, seeds, draws, posteriors measured, and those that a whole run has
    methods: tuple[str, ...]
    columns: tuple[Column, ...]
    error: np.ndarray  #: (m, c) largest error of a mean, in standard deviations
    narrowest: np.ndarray  #: (m, c) smallest ratio of standard deviations
    widest: np.ndarray  #: (m, c) largest
    gradients: np.ndarray  #: (m, c) datum gradients of all draws together
    seconds: np.ndarray  #: (m, c) processor seconds of all draws together
    good: np.ndarray  #: (m, c) seeds in which the method was good enough
    runs: np.ndarray  #: (m, c) seeds in which it ran; -1 where it refuses the problem
    limit: np.ndarray  #: (c,) what the error may be: 0.1, and the noise of draws and truth
    width_limit: np.ndarray  #: (c,) what the width may be: the same
    ranks: np.ndarray  #: (m, 3) mean rank over the posteriors, its 95 % interval by bootstrap over posteriors and seeds

    @property
    def dims(self) -> list[int]:
        """Numbers of dimensions at which a method was run, ascending."""
        return sorted({column.dim for column, runs in zip(self.columns, self.runs.T, strict=True) if (runs > 0).any()})

    @property
    def enough(self) -> np.ndarray:
        """Where a method is good enough, (m, c) of bool."""
        return (self.runs > 0) & (self.good >= ENOUGH * self.runs)

    @property
    def cheapest(self) -> np.ndarray:
        """Index of the method that is good enough in the fewest seconds, (c,); -1 where none is."""
        seconds = np.where(self.enough, self.seconds, np.inf)
        return np.where(np.isfinite(seconds).any(axis=0), seconds.argmin(axis=0), -1) if len(seconds) else np.empty(0, int)

    @property
    def order(self) -> np.ndarray:
        """Indices of the methods, the best mean rank first, (m,)."""
        return np.argsort(np.nan_to_num(self.ranks[:, 0], nan=np.inf), kind="stable")

    def wins(self, columns: Sequence[int]) -> dict[str, int]:
        """Return method -> columns, of those named, in which it is the cheapest that is good enough; most first."""
        first = [self.methods[i] for i in self.cheapest[list(columns)] if i >= 0]
        return {key: first.count(key) for key in sorted(dict.fromkeys(first), key=lambda key: -first.count(key))}

    @property
    def words(self) -> str:
        """How it was made, in a sentence."""
        made = self.made
        whole = made["measured"] >= made["whole"]
        share = "all" if whole else f"{made['measured']} of {made['whole']}"
        seeds = "1 seed" if made["seeds"] == 1 else f"{'' if whole else 'up to '}{made['seeds']} seeds"
        versions = f"version{'s' * (' to ' in made['version'])} {made['version']}"
        return (f"Measured at {share} posteriors of the full run, {seeds}, {made['draws']} draws each, with {versions}, the "
                f"last on {made['date']}, {made['machine']}.")


TABLES = ("error", "narrowest", "widest", "gradients", "seconds", "good", "runs", "limit", "width_limit", "ranks")


def read_map(text: str) -> MethodMap:
    """Return the map of a file's text; null is nan, and "inf" is infinite."""
    shipped = json.loads(text)
    tables = {name: np.array(shipped[name], float) for name in TABLES}
    return MethodMap(shipped["made"], tuple(shipped["methods"]), tuple(Column(*one) for one in shipped["columns"]), **tables)


@cache
def shipped_map() -> MethodMap:
    """Return the map that is shipped."""
    return read_map(FILE.read_text(encoding="utf-8"))


COLUMNS = [["cheapest", "cheapest", "Posteriors at which it is good enough in the fewest seconds"],
           ["good", "good\nenough", "Share of the posteriors: no mean past 0.1 sd, no width past a tenth, noise counted"],
           ["rank", "rank",
            "Mean over the posteriors: the good by their seconds, then the others by error; 95 % interval by bootstrap"],
           ["cannot", "what it cannot do", ""]]
CAPTION = ("Largest error of a mean, in posterior standard deviations; the stronger the colour, the nearer to what noise "
           "allows. ★ the cheapest of those that are good enough. Hatched: only the widths are off. –: cannot run here. "
           "Dashed: not run. ")
HEAD = ["Which to use when", "Every method on the same logistic rows, judged by long exact chains"]
OPENS_ON = 11
"""Dimensions shown first."""


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
    """Return every number as CSV text, a line a method and posterior."""
    names = ("error", "narrowest", "widest", "gradients", "seconds", "good", "runs")
    return result_rows(["method", "regime", "d", "t", *names, "limit", "width_limit"], (
        [key, REGIMES[column.regime], column.dim, column.t, *(getattr(table, name)[i, j] for name in names),
         table.limit[j], table.width_limit[j]]
        for i, key in enumerate(table.methods) for j, column in enumerate(table.columns) if table.runs[i, j]))


def spoken_of(table: MethodMap, dim: int) -> str:
    """Return what the figure shows, for a screen reader."""
    wins = table.wins([j for j, column in enumerate(table.columns) if column.dim == dim])
    listed = ", ".join(f"{sampler_look(key).name} at {count}" for key, count in wins.items())
    return f"The cheapest method that is good enough in {dim} dimensions: {listed or 'none'}."
