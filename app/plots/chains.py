"""Static scatter plot of chains in two coordinates, with balls and the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.plots.lines import Line, Lines, lines


def chains(positions: np.ndarray, *, mode: Sequence[float] | None = None, balls: Mapping[str, float] | None = None,
           covariance: np.ndarray | None = None, outside: np.ndarray | None = None,
           names: tuple[str, str] = ("coordinate 1", "coordinate 2")) -> Lines:
    """Draw a static scatter plot of chains in two coordinates, with balls around the mode.

    Parameters
    ----------
    positions : (K, d) array
        d at least 2; the first two coordinates are drawn.
    mode : (2,) or (d,) sequence, optional
        Centre of the balls; the chains' mean if None.
    balls : dict of name to radius, optional
        Circles; the first is solid, the others dashed.
    covariance : (d, d) array, optional
        Covariance of the target, drawn as ellipses around the mode with 50 and 95 % of its probability.
    outside : (K,) bool array, optional
        Chains drawn as exits; if None, those outside the largest ball.
    names : (str, str)
        Axis labels of the coordinates.
    """
    cloud = np.asarray(positions, float)
    if cloud.ndim != 2 or cloud.shape[1] < 2:
        raise ValueError(f"positions must be (K, d) with d at least 2; got shape {cloud.shape}: give two coordinates")
    cloud = cloud[:, :2]
    finite = cloud[np.isfinite(cloud).all(axis=1)]
    centre = np.asarray(mode, float)[:2] if mode is not None else finite.mean(axis=0) if len(finite) else np.zeros(2)
    radii = dict(balls or {})
    if outside is None:
        reach = max(radii.values(), default=np.inf)
        outside = np.linalg.norm(cloud - centre, axis=1) > reach
    angle = np.linspace(0.0, 2 * np.pi, 121)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    drawn = []
    if covariance is not None:
        values, vectors = np.linalg.eigh(np.asarray(covariance, float)[:2, :2])
        unit = vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * circle)
        for part in (0.5, 0.95):
            x, y = centre[:, None] + np.sqrt(-2 * np.log1p(-part)) * unit
            drawn.append(Line(f"{part:.0%} of the target", x, y, "truth", label=f"{100 * part:.0f} %", where="on",
                              width=1.0, alpha=0.7, silent=True))
    for k, (name, radius) in enumerate(radii.items()):
        x, y = centre[:, None] + radius * circle
        role, mark = ("exit", "line") if k == 0 else ("kin", "dash")
        drawn.append(Line(name, x, y, role, mark, name, where="on", width=1.6,
                          tooltip=[f"{name}\nradius {radius:.3g}"] * x.size))
    for role, chosen in (("ours", ~outside), ("exit", outside)):
        tooltip = [f"chain {k}" for k in np.flatnonzero(chosen)]
        if chosen.any():
            drawn.append(Line("chains inside" if role == "ours" else "chains outside", *cloud[chosen].T, role, "spots",
                              alpha=0.55, size=5.0, tooltip=tooltip))
    drawn.append(Line("mode", centre[:1], centre[1:], "truth", "cross", "mode", where="beside", size=10.0, tooltip=["mode"]))
    around = np.concatenate([np.stack([line.x, line.y], 1) for line in drawn])
    around = around[np.isfinite(around).all(axis=1)]
    half = 1.08 * max(float(np.abs(around - centre).max(initial=0.0)), 1e-12)
    return lines(drawn, *names, xlim=(centre[0] - half, centre[0] + half), ylim=(centre[1] - half, centre[1] + half),
                 equal=True)
