"""The papers' tables as a scene: evaluations to reach an accuracy against T, with fitted lines."""

from __future__ import annotations

import numpy as np

from app.compare.charts.race_scene import short
from app.compare.charts.scene import Scene, Trace, log_axis
from app.compare.numbers import rounded
from app.compare.picture import TablesPicture
from app.compare.samplers import DASHES, LOOKS
from app.live.charts.end_labels import EndLabel

OTHER = {"ladder": ("LMV Algorithm 3", "line", "chain"), "sgld_quiet": ("SGLD, quiet", "line", "sgld")}
"""Samplers that only the tables have: name, mark, token."""


def tables_name(key: str) -> str:
    """Return a sampler's name in the tables."""
    return OTHER[key][0] if key in OTHER else LOOKS[key].name


def tables_scene(picture: TablesPicture | None) -> Scene:
    """Return the measured points and their fits; empty axes when nothing has been measured."""
    growth = {} if picture is None else picture.growth
    values = [v for g in growth.values() for v in g.evaluations]
    sizes = (250, 8_000) if picture is None else picture.sizes
    x = log_axis(sizes[0] * 0.8, sizes[-1] * 1.25, "T, number of data, log scale")
    low, high = (min(values), max(values)) if values else (100.0, 1e6)
    y = log_axis(low * 0.6, high * 1.7, "evaluations to reach the accuracy")
    x.ticks.clear()
    x.ticks.update({float(np.log10(t)): f"{t:,}" for t in sizes})
    traces, ends = [], []
    for key, found in growth.items():
        name, mark, token = OTHER.get(key) or (LOOKS[key].name, LOOKS[key].mark, LOOKS[key].token)
        text = {"sgld": "sgldtx", "acc": "acctx", "ref": "ink2"}.get(token, token)
        told = tuple((f"T = {t:,.0f}", f"{rounded(e, 3)} evaluations")
                     for t, e in zip(found.t, found.evaluations, strict=True))
        at, to = x.at(found.t), y.at(found.evaluations)
        traces.append(Trace(key, name, token, text, at, to, told, width=0.0, line=False))
        if found.slope is not None:
            fit = np.poly1d(np.polyfit(at, to, 1))
            traces.append(Trace(f"{key}-fit", name, token, text, at, fit(at), tuple(
                (f"fit at T = {t:,.0f}", f"slope {found.slope:.2f}") for t in found.t), tuple(DASHES[mark]), 1.8,
                points=False))
        name = short(name)
        words = name if found.slope is None else f"{name} {found.slope:.2f}".replace("-0.", "−0.")
        ends.append(EndLabel(float(to[-1]), words, text, key in ("saga", "ladder")))
    return Scene(x, y, tuple(traces), None, (), tuple(ends))
