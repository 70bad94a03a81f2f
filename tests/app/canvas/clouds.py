"""Sample clouds and arrows."""

import numpy as np

from app.canvas.frame_bytes import Arrows, Cloud


def make_cloud(chains=64, seed=0, **changes):
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    circle = np.column_stack([np.cos(angle), 0.8 * np.sin(angle)])
    fields = dict(
        positions=rng.normal(size=(chains, 2)).astype(np.float32),
        reset=np.zeros(chains, bool),
        mode=np.zeros(2, np.float32),
        contours=tuple((r * circle).astype(np.float32) for r in (1.2, 2.1, 3.0)),
        checkpoints=np.tile(np.array([-1.5, 1.5], np.float32), (chains, 1)),
        escape_distance=5.0,
        acceptance_distance=6.9,
        balls=((64, np.zeros(2, np.float32), 5.4),),
        half_width=5.5,
        center=np.zeros(2, np.float32),
        resets=np.empty((0, 5), np.float32),
        exits=np.empty((0, 3), np.float32),
        axis_names=("θ₁", "θ₂"),
    )
    return Cloud(**{**fields, **changes})


def make_arrows(rng, size):
    before = rng.normal(size=2)
    guess = before + size * rng.normal(size=2)
    correction = guess + size * rng.normal(size=2)
    noise = correction + size * rng.normal(size=2)
    points = [p.astype(np.float32) for p in (before, guess, correction, noise)]
    path = before + np.cumsum(rng.normal(size=(5, 2)), axis=0)
    return Arrows(np.array(points), path=path.astype(np.float32), batch_size=9, t=2507)
