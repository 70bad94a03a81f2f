"""One row of the map of settings: accuracy measured and foretold against eta0."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from app.plots.lines import Line, Lines, lines
from app.plots.race import ceiling_line
from app.plots.tune import ETAS, by_key, digits, setting_words, state_of
from sampler.tuning import CellKey, algorithm_of, key_of


def tuning_slice(cells: object, i_max: int, batch_size: int, *,
                 foretold: tuple[Sequence[float], Sequence[float]] | None = None,
                 forecasts: Mapping[CellKey, object] | None = None, states: Mapping[CellKey, str] | None = None,
                 chosen: float | None = None, ceiling: float | None = None, algorithm: str = "saga-ld") -> Lines:
    """Draw the accuracy along one row of the map: measured as dots, foretold as a line.

    Parameters
    ----------
    cells : SweepOutcome, or iterable of CellResult
    i_max, batch_size : int
        The row.
    foretold : (etas, accuracies), optional
        What the formula says, finely.
    forecasts, states
        As for `tuning_map`.
    chosen : float, optional
        eta0 that is ringed.
    ceiling : float, optional
        What exact draws score, where no cell of the row tells.
    algorithm : {"saga-ld", "preconditioned"}
        Whose row it is.

    Returns
    -------
    Lines
        A tap hands over a CellKey.
    """
    every = [cell for cell in getattr(cells, "cells", cells) if algorithm_of(cell) == algorithm]
    forecasts = {key: said for key, said in by_key(forecasts).items() if key.algorithm == algorithm}
    states, last = by_key(states), max((cell.rung for cell in every), default=0)
    run = sorted((c for c in every if c.i_max == i_max and c.batch_size == batch_size and c.diverged is None),
                 key=lambda c: c.eta0)
    tops = [c.ceiling for c in run] or ([] if ceiling is None else [ceiling])
    top = max(tops, default=1.0)
    sd = max([c.ceiling_sd for c in run], default=0.005)
    low, high = max(0.0, top - 0.25), min(1.0, top + max(0.015, 3 * sd))
    etas = sorted({key.eta0 for key in forecasts} | {c.eta0 for c in every}) or [0.1, 1.0]
    half = math.sqrt(etas[1] / etas[0]) if len(etas) > 1 else 1.2
    start, end = etas[0] / half, etas[-1] * half
    drawn = [ceiling_line(top, sd, start, end)] if tops else []
    if foretold is not None:
        x, y = (np.asarray(one, float) for one in foretold)
        drawn.append(Line("foretold", x, np.where(y >= low - 0.05, y, np.nan), "truth", "dash", "predicted", where="beside",
                          width=1.3))
    seen = [c for c in run if c.accuracy >= low]
    for c in seen:
        done = (states.get(key_of(c)) or state_of(c, last)) == "done"
        said = forecasts.get(key_of(c))
        told = [setting_words(key_of(c)), f"measured {c.accuracy:.3f} ± {2 * c.ceiling_sd:.3f}"]
        told += [] if said is None else [f"the formula says {said.accuracy:.3f}"]
        told += [] if done else [f"at {c.rows:,} rows"]
        drawn.append(Line("measured", np.array([c.eta0]), np.array([c.accuracy]), "ours", "spots" if done else "open",
                          "measured" if c is seen[-1] else "", bold=True, where="beside", size=8.0, bars=True,
                          low=np.array([c.accuracy - 2 * c.ceiling_sd]), high=np.array([c.accuracy + 2 * c.ceiling_sd]),
                          told=["\n".join(told)], key=key_of(c)))
    here = [c for c in seen if c.eta0 == chosen]
    drawn += [Line("looked at", np.array([c.eta0]), np.array([c.accuracy]), "exit", "ring", size=13.0, silent=True)
              for c in here]
    return lines(drawn, ETAS[algorithm], "marginal accuracy", logx=True, xlim=(start, end), ylim=(low, high),
                 xticks=[(eta, digits(eta)) for eta in etas])
