"""The two figures of a ladder's run, as far as its animation has come."""

from __future__ import annotations

import numpy as np

from app.offline.ladder_run import LadderRun
from app.plots import ladder, ladder_cost
from app.plots.lines import Lines


def cost_figure(run: LadderRun, frame: int) -> Lines:
    """Return the gradient evaluations of one chain, the whole run pale, up to a frame in full colour."""
    config, f = run.config, run.per_rung
    corners = np.arange(run.rungs) * f  # a rung begins with a table of T gradients: a step up
    frames = np.unique(np.concatenate([np.linspace(0, run.total, 101).astype(int), corners, corners + 1]))
    rung = np.minimum(np.maximum(np.ceil(frames / f) - 1, 0), run.rungs - 1)
    steps = config.i_max * rung + (config.i_max * (frames - rung * f)) // f
    ours = np.where(frames > 0, (rung + 1) * config.terms, 0) + config.batch_size * steps
    return ladder_cost(frames / f, ours, config.terms * steps,
                       now=int(np.searchsorted(frames, frame, side="right")) - 1)


def rungs_figure(run: LadderRun, ended: int) -> Lines:
    """Return the accuracies of the rungs that have ended, against what exact draws score."""
    count = min(ended, len(run.accuracies))
    widths = [float(np.sqrt(np.var(run.end(k).astype(float), axis=0, ddof=1) / np.diagonal(run.truths[k].covariance)).max())
              for k in range(count)]
    return ladder(run.betas, run.accuracies[:count], [truth.ceiling for truth in run.truths],
                  [truth.ceiling_sd for truth in run.truths], plain=run.plain or None, widths=widths)
