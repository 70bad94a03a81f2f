"""The map of methods in words: its table, its caption, its CSV."""

from __future__ import annotations

from app.compare.method_map import CANNOT, REGIMES, MethodMap
from app.csv_text import result_rows
from app.plots.looks import sampler_look

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


def caption_of(table: MethodMap) -> str:
    """Return what the colours and signs mean, and how it was made."""
    return CAPTION + table.words


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


def segments_of(table: MethodMap) -> list:
    """Return the choice of a number of dimensions, of those that were run."""
    return [["dim", [[str(dim), str(dim) if k else f"d = {dim}"] for k, dim in enumerate(table.dims)]]]
