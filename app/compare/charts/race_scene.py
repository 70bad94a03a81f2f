"""The race as scenes: accuracy against evaluations or seconds, and an epoch's cost against t."""

from __future__ import annotations

import numpy as np

from app.compare.charts.scene import Axis, Scene, Trace, linear_axis, log_axis
from app.compare.config import CompareConfig
from app.compare.numbers import lasted, rounded, share
from app.compare.picture import RacePicture
from app.compare.samplers import DASHES, LOOKS, name_of
from app.live.charts.end_labels import EndLabel


def race_scene(picture: RacePicture | None, config: CompareConfig) -> Scene:
    """Return what the first chart shows under this configuration; an empty frame when nothing is known."""
    if config.axis == "t":
        return cost_scene(picture, config)
    by_time = config.axis == "seconds"
    curves = [] if picture is None else [
        c for key, c in picture.curves.items() if key in config.samplers and c.evaluations.size]
    spent = [c.seconds if by_time else c.evaluations for c in curves]
    x = _cost_axis(config, spent, [c for c in curves if not c.fixed])
    lowest = min((float(c.accuracy.min()) for c in curves), default=0.1)
    y = linear_axis(min(0.4, np.floor(lowest * 10) / 10), 1.0, "", lambda v: f"{v:.1f}", 5)
    y = Axis(y.low, 1.003, y.ticks, "")
    traces = tuple(_trace(c, cost, config, x) for c, cost in zip(curves, spent, strict=True))
    band, ends, uprights = None, [], []
    if picture is not None and picture.ground is not None:
        ceiling = picture.ground.ceiling
        band = ceiling.mean - ceiling.sd, ceiling.mean + ceiling.sd
        ends.append(EndLabel(ceiling.mean, f"ceiling {ceiling.mean:.3f}", "ink2"))
    terms = config.t if picture is None or picture.ground is None else picture.ground.t
    if not by_time and x.low < x.at(terms) < x.high:
        uprights.append((x.at(terms), "one pass over the data"))
    return Scene(x, y, traces, band, tuple(uprights), tuple(ends))


def _cost_axis(config: CompareConfig, spent: list[np.ndarray], moving: list) -> Axis:
    by_time = config.axis == "seconds"
    label = "seconds of one core a chain" if by_time else "gradient evaluations a chain in one epoch"
    goal = (config.seconds if config.budget == "seconds" else 0.001) if by_time else (
        config.evaluations if config.budget == "evaluations" else 10_000)
    high = max([goal, *(float(s[-1]) for s in spent)]) * 1.12
    words = (lambda v: lasted(v) if v else "0") if by_time else None
    if config.scale == "linear":
        return linear_axis(0.0, high, label, words)
    first = [float(c.seconds[0] if by_time else c.evaluations[0]) for c in moving]
    low = min([*first, high / 100]) * 0.7
    return log_axis(max(low, high * 1e-6), high, label + ", log scale", words)


def _trace(curve, cost: np.ndarray, config: CompareConfig, x: Axis) -> Trace:
    look, name = LOOKS[curve.key], name_of(curve.key, config.paper_step)
    told = tuple((f"{e:,.0f} evaluations, {lasted(s)}", f"accuracy {a:.3f}")
                 for e, s, a in zip(curve.evaluations, curve.seconds, curve.accuracy, strict=True))
    at = np.clip(x.at(cost), x.low + 0.012 * (x.high - x.low), x.high)
    where = name
    if curve.fixed:
        where = f"{name[0].lower()}{name[1:]} {share(curve.accuracy[-1])}"
        where += ", one pass as data arrive" if curve.key == "online_laplace" else ""
    return Trace(curve.key, name, look.token, look.text, at, curve.accuracy, told, tuple(DASHES[look.mark]), look.width,
                 look.mark if look.mark in ("ring", "diamond") else "circle", look.mark not in ("ring", "diamond"),
                 look.key == "saga", where=("○ " if look.mark == "ring" else "") + where)


def cost_scene(picture: RacePicture | None, config: CompareConfig) -> Scene:
    """Return gradient evaluations of one epoch against t, with fitted slopes."""
    costs = {} if picture is None else {k: c for k, c in picture.costs.items() if k in config.samplers}
    highest = max([1e4, *(float(c.evaluations.max()) for c in costs.values())])
    lowest = min([100.0, *(float(c.evaluations.min()) for c in costs.values())])
    label = "t, data seen"
    x = (log_axis(80.0, 125_000.0, label + ", log scale") if config.scale == "log"
         else linear_axis(0.0, 105_000.0, label))
    y_label = "gradient evaluations an epoch"
    y = (log_axis(lowest * 0.6, highest * 1.8, y_label) if config.scale == "log"
         else linear_axis(0.0, highest * 1.06, y_label))
    traces, ends = [], []
    for key, cost in costs.items():
        look, name = LOOKS[key], name_of(key, config.paper_step)
        told = tuple((f"t = {t:,.0f}, {cost.steps:,} steps", f"{rounded(e, 3)} evaluations, {lasted(s)}")
                     for t, e, s in zip(cost.t, cost.evaluations, cost.seconds, strict=True))
        traces.append(Trace(key, name, look.token, look.text, x.at(cost.t), y.at(cost.evaluations), told,
                            tuple(DASHES[look.mark]), look.width,
                            look.mark if look.mark in ("ring", "diamond") else "circle", True, key == "saga"))
        slope = "" if cost.slope is None else f" {cost.slope + 0.0:.2f}".replace("-0.00", "0.00").replace("-", "−")
        ends.append(EndLabel(float(y.at(cost.evaluations[-1])), f"{short(name)}{slope}", look.text, key == "saga"))
    uprights = ((x.at(config.t), f"T = {config.t:,}"),) if x.low < x.at(config.t) < x.high else ()
    return Scene(x, y, tuple(traces), None, uprights, tuple(ends))


SHORT = {
    "Preconditioned SAGA-LD": "Preconditioned", "Full gradient (ULA)": "ULA", "Random-walk Metropolis": "Random walk",
    "SGLD, SAGA-LD’s step": "SGLD, same step", "SGLD, the paper’s step": "SGLD, paper’s",
    "SAGA-LD, fixed data": "SAGA-LD, fixed",
}


def short(name: str) -> str:
    """Return a name for the end of a line."""
    return SHORT.get(name, name)
