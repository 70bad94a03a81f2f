"""The exponential supermartingale of an epoch: its paths, where it starts, the level at which a chain has left."""

from __future__ import annotations

import numpy as np

from app.plots.exit_time import STEP
from app.plots.lines import Line, Lines, lines

SHARE = "exp(θD² + C) ÷ its level, log scale"
"""What is on the vertical axis."""


def exit_process(found) -> Lines:
    """Draw the process of some chains over its stopping level.

    Parameters
    ----------
    found : object
        With ``steps`` (p,), ``shares`` (k, p) the process over its level, NaN after the exit, ``exits`` (k,) exit steps, 0
        for none, and ``start``, the bound on P(exit).
    """
    steps, end = np.asarray(found.steps, float), float(found.steps[-1])
    drawn = []
    for chain, (share, left) in enumerate(zip(found.shares, found.exits, strict=True)):
        known = np.isfinite(share)
        x, y = steps[known], share[known]
        if left:
            x, y = np.append(x, left), np.append(y, 1.0)
        told = [f"chain {chain}\n" + (f"left at step {left:,}" if left else "stays")] * x.size
        role, alpha = ("exit", 0.7) if left else ("ours", 0.35)
        drawn.append(Line(f"chain {chain}", x, y, role, width=1.0, alpha=alpha, told=told))
    whole = np.array([0.0, end])
    drawn += [
        Line("level", whole, np.ones(2), "exit", label="level: out at the latest here", short="level", bold=True, width=1.4,
             silent=True),
        Line("start", whole, np.full(2, found.start), "truth", "dash", width=1.5, silent=True, bold=True,
             label=f"start {found.start:.2g}:\nno mean is above it", short=f"start {found.start:.2g}")]
    low = float(np.nanmin(found.shares)) if np.isfinite(found.shares).any() else 0.1
    return lines(drawn, STEP, SHARE, logy=True, xlim=(0.0, 1.008 * end), ylim=(min(low, found.start) * 0.7, 2.0))
