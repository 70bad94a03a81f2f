"""What is measured while epochs pass: accuracy, distance to the mode, gradient variance, cost; and the cloud of chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from app.plots.axis_ticks import plain_ticks, steady
from app.plots.lines import Line, Lines, lines

EPOCH = "epoch t, log scale"


def _span(t: np.ndarray) -> tuple[float, float]:
    t = np.asarray(t, float)
    t = t[t > 0]
    return (float(t.min()), max(float(t.max()), 1.2 * float(t.min()))) if t.size else (1.0, 10.0)


def _frame(t: np.ndarray) -> dict:
    low, high = _span(t)
    return {"logx": True, "xlim": (low, high), "xticks": plain_ticks(low, high)}


def _last(words: str, values: np.ndarray) -> str:
    known = np.asarray(values, float)[np.isfinite(values)]
    return f"{words} {known[-1]:.3f}" if known.size else words


def accuracy(t: np.ndarray, measured: np.ndarray, *, predicted: np.ndarray | None = None,
             ceiling: tuple[np.ndarray, np.ndarray] | None = None) -> Lines:
    """Draw marginal accuracy against the epoch: measured, what eta0 predicts, and what exact draws score.

    Parameters
    ----------
    t, measured : (n,) arrays
    predicted : (n,) array, optional
    ceiling : (low, high) of (n,) arrays, optional
        Two standard deviations either side of what exact draws score.
    """
    drawn, every = [], [np.asarray(measured, float)]
    if ceiling is not None:
        low, high = (np.asarray(side, float) for side in ceiling)
        middle = (low + high) / 2
        drawn.append(Line("exact draws", t, middle, "ceiling", label=_last("ceiling", middle), width=0.8, low=low,
                          high=high))
        every.append(low)
    if predicted is not None:
        drawn.append(Line("η₀ predicts", t, predicted, "truth", "dash", _last("η₀ predicts", predicted), "predicted",
                          width=1.2))
        every.append(np.asarray(predicted, float))
    drawn.append(Line("measured", t, measured, "ours", label=_last("measured", measured), bold=True, width=1.2))
    known = np.concatenate(every)
    known = known[np.isfinite(known)]
    low = max(0.0, min(0.75, np.floor((known.min() - 0.03) * 20) / 20)) if known.size else 0.75
    return lines(drawn, EPOCH, "marginal accuracy", compared=True, ylim=(float(low), 1.0), **_frame(t))


def distance(t: np.ndarray, median: np.ndarray, *, q95: np.ndarray | None = None, farthest: np.ndarray | None = None,
             exits: tuple[np.ndarray, np.ndarray] | None = None, chains: int | None = None) -> Lines:
    """Draw squared distances of the chains to the mode over r² = R²/(t + c), the escape line at 1, a ring an exit.

    Parameters
    ----------
    t, median : (n,) arrays
    q95, farthest : (n,) arrays, optional
        Within which 95 % of the chains are; the farthest.
    exits : (t, value) of (m,) arrays, optional
        Those above the frame stand at its upper edge.
    chains : int, optional
        How many there are, for the label.
    """
    t, drawn, worst = np.asarray(t, float), [], [1.4]
    low, high = _span(t)
    if q95 is not None:
        q95 = np.asarray(q95, float)
        drawn.append(Line("95 % of chains within", t, q95, "ours", label="95 % of chains", width=0.6, alpha=0.7,
                          low=np.zeros(t.size), high=q95))
        worst.append(1.25 * np.nanmax(q95, initial=0.0))
    if farthest is not None:
        words = "farthest" if chains is None else f"farthest of {chains:,}"
        drawn.append(Line("farthest", t, farthest, "ours", label=words, short="farthest", width=0.9, alpha=0.7))
    drawn += [Line("escape line", np.array([low, high]), np.ones(2), "exit", label="escape line r²", short="escape r²",
                   bold=True, width=0.7, silent=True),
              Line("median", t, median, "ours", label="median", bold=True, width=0.9)]
    top = float(next(size for size in (*(f * 10.0**k for k in range(-1, 30) for f in (16, 40, 80)), np.inf)
                     if size >= max(worst)))
    if exits is not None and len(exits[0]):
        at, value = (np.asarray(one, float) for one in exits)
        drawn.append(Line("exits", at, np.minimum(value, 0.975 * top), "exit", "ring", "○ exits", where="beside", size=6.0,
                          told=[f"an exit in epoch {e:,.0f}\nup to {v:.2f} r²" for e, v in zip(at, value, strict=True)]))
    return lines(drawn, EPOCH, "squared distance ÷ r²", compared=True, ylim=(0.0, top), **_frame(t))


def variance(t: np.ndarray, *, saga: np.ndarray | None = None, sgld: np.ndarray | None = None,
             bound: np.ndarray | None = None, reduced: bool = True) -> Lines:
    """Draw E‖g − ∇F‖²: with the cache (SAGA), without (SGLD), and Lemma 6.2's bound.

    Parameters
    ----------
    t : (n,) array
    saga, sgld, bound : (n,) arrays, optional
    reduced : bool
        Whether the cache is on: its line is bold, else SGLD's.
    """
    looks = (("SGLD", sgld, "rival", "line", "SGLD grows as t²", "SGLD", not reduced),
             ("bound, Lemma 6.2", bound, "bound", "dash", "bound, Lemma 6.2", "bound", False),
             ("SAGA", saga, "ours", "line", "SAGA grows as t" if reduced else "SAGA, if on", "SAGA", reduced))
    drawn = [Line(name, t, values, role, mark, label, short, bold) for name, values, role, mark, label, short, bold in looks
             if values is not None and np.isfinite(np.asarray(values, float)).any()]
    return lines(drawn, EPOCH, "gradient variance E‖g − ∇F‖²", compared=True, logy=True,
                 ylim=steady([line.y for line in drawn], 2.0), **_frame(t))


def cost(t: np.ndarray, ours: np.ndarray, full: np.ndarray) -> Lines:
    """Draw gradient evaluations of one chain an epoch, (n,) arrays: this sampler's and those of all gradients."""
    def said(words: str, values: np.ndarray) -> str:
        return f"{words} {values[-1]:,.0f}" if len(values) else words

    drawn = [Line("full gradient", t, full, "reference", "dash", said("full gradient", full), "full gradient"),
             Line("this sampler", t, ours, "ours", label=said("this sampler", ours), short="this sampler", bold=True)]
    return lines(drawn, EPOCH, "gradient evaluations an epoch", compared=True, logy=True,
                 ylim=steady([full, ours], 2.0), **_frame(t))


def chains(positions: np.ndarray, *, mode: Sequence[float] | None = None, balls: Mapping[str, float] | None = None,
           covariance: np.ndarray | None = None, outside: np.ndarray | None = None,
           names: tuple[str, str] = ("coordinate 1", "coordinate 2")) -> Lines:
    """Draw a still cloud of chains in two coordinates, with balls about the mode.

    Parameters
    ----------
    positions : (K, d) array
        d at least 2; the first two coordinates are drawn.
    mode : (2,) or (d,) sequence, optional
        Centre of the balls; the chains' mean if None.
    balls : dict of name to radius, optional
        Circles, the first solid.
    covariance : (d, d) array, optional
        Of the target: ellipses that hold 50 and 95 % of it about the mode.
    outside : (K,) bool array, optional
        Chains drawn as exits; those beyond the largest ball if None.
    names : (str, str)
        Of the coordinates.
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
                          told=[f"{name}\nradius {radius:.3g}"] * x.size))
    for role, chosen in (("ours", ~outside), ("exit", outside)):
        told = [f"chain {k}" for k in np.flatnonzero(chosen)]
        if chosen.any():
            drawn.append(Line("chains inside" if role == "ours" else "chains outside", *cloud[chosen].T, role, "spots",
                              alpha=0.55, size=5.0, told=told))
    drawn.append(Line("mode", centre[:1], centre[1:], "truth", "cross", "mode", where="beside", size=10.0, told=["mode"]))
    around = np.concatenate([np.stack([line.x, line.y], 1) for line in drawn])
    around = around[np.isfinite(around).all(axis=1)]
    half = 1.08 * max(float(np.abs(around - centre).max(initial=0.0)), 1e-12)
    return lines(drawn, *names, xlim=(centre[0] - half, centre[0] + half), ylim=(centre[1] - half, centre[1] + half),
                 equal=True)
