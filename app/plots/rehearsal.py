"""What the stream itself says of a setting: how well it was foretold, and how honestly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from app.plots.axis_ticks import roomy
from app.plots.lines import Line, Lines, lines

SMOOTH = 12
"""Blocks averaged in the rolling score."""


def log_scores(t: np.ndarray, score: np.ndarray, alarms: Iterable[float] = ()) -> Lines:
    """Draw the log score of each block of rows before it was learnt, its rolling mean, and drift alarms as uprights.

    Parameters
    ----------
    t, score : (n,) arrays
        Last row of each block and its mean log score; nan where there is none.
    alarms : iterable of float
        Rows at which the drift alarm went off.
    """
    t, score = np.asarray(t, float), np.asarray(score, float)
    t, score = t[np.isfinite(score)], score[np.isfinite(score)]
    if not t.size:
        return lines([], "row t", "mean log score", xlim=(0.0, 1.0), ylim=(-1.0, 0.0))
    kernel = min(SMOOTH, len(score))
    rolling = np.convolve(score, np.ones(kernel) / kernel, "valid")
    low, high = roomy([np.clip(score, np.quantile(score, 0.02), None)], 0.1, 0.05)
    drawn = [Line("blocks", t, score, "ours", "spots", alpha=0.35, size=4.0, silent=True),
             Line("mean log score", t[kernel - 1:], rolling, "ours", label=f"mean {rolling[-1]:.3f}".replace("-", "−"),
                  bold=True, width=1.4)]
    drawn += [Line("drift alarm", np.full(2, float(at)), np.array([low, high]), "exit", label="drift alarm" * (k == 0),
                   bold=True, where="beside", width=1.4, told=[f"drift alarm at row {at:,.0f}"] * 2)
              for k, at in enumerate(alarms)]
    return lines(drawn, "row t", "mean log score", xlim=(0.0, float(t[-1])), ylim=(low, high))


def calibration(foretold: np.ndarray, came: np.ndarray, words: str = "foretold probability") -> Lines:
    """Draw how often what was foretold came; on the diagonal is honest.

    Parameters
    ----------
    foretold, came : (n,) arrays
        In [0, 1].
    words : str
        What is foretold, on the axis.
    """
    honest = np.array([0.0, 1.0])
    drawn = [Line("honest", honest, honest, "reference", "dash", "honest", width=1.3, silent=True)]
    if len(foretold):
        told = [f"foretold {a:.2f}\ncame {b:.2f}" for a, b in zip(foretold, came, strict=True)]
        drawn.append(Line("came", foretold, came, "ours", dots=True, size=7.0, width=2.0, told=told))
    return lines(drawn, words, "came", xlim=(-0.012, 1.012), ylim=(-0.012, 1.012))
