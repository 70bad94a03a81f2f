"""The room's picture as one student sees it: her own chains of all, and what was measured on all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.canvas.cloud import Ellipse

if TYPE_CHECKING:
    from app.canvas.cloud import Cloud
    from app.live.snapshot import Series, Snapshot


def slice_of(snapshot: Snapshot, chains: range, follow: int | None, series: Series | None) -> Snapshot:
    """Return a picture of some chains, renumbered from 0.

    Parameters
    ----------
    snapshot
        Picture of all chains.
    chains
        Consecutive chains of it.
    follow
        Which of them is followed, from 0; None: none.
    series
        What goes with it for the charts; None: nothing new.
    """
    cloud = _cloud(snapshot.cloud, chains, chains.start + (follow or 0))
    return replace(snapshot, cloud=cloud, series=series, config=snapshot.config.replace(follow=follow))


def _cloud(cloud: Cloud, chains: range, chosen: int) -> Cloud:
    first, last = chains.start, chains.stop
    checkpoint = cloud.checkpoint if cloud.checkpoints is None else cloud.checkpoints[chosen]
    balls = cloud.acceptance_balls
    return replace(
        cloud, positions=cloud.positions[first:last], reset=cloud.reset[first:last], checkpoint=checkpoint,
        acceptance_ball=None if balls is None else Ellipse.of(balls, chosen, chosen - first),
        resets=_of(cloud.resets, first, last), exits=_of(cloud.exits, first, last), checkpoints=None, acceptance_balls=None)


def _of(rows: np.ndarray, first: int, last: int) -> np.ndarray:
    """Return the rows of chains first to last - 1, renumbered; the first column is the chain."""
    mine = rows[(rows[:, 0] >= first) & (rows[:, 0] < last)].copy()
    mine[:, 0] -= first
    return mine
