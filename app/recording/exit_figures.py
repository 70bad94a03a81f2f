"""The Exit time page's own figures as plain descriptions, for ``js/line_figure.js`` to draw up to a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.exit_time.figures import survival_figure
from app.exit_time.good_events import good_events as good_events_of
from app.exit_time.result import ExitResult
from app.exit_time.theory_price import price
from app.plots import exit_process, good_events, paths, promise, pushes, sums
from app.plots.axis_ticks import plain_ticks
from app.plots.lines import MARKS, Line, Lines
from app.plots.style import ROLES
from app.recording.packing import Blocks

HEADS = {
    "paths": ("Chains through one epoch", "Paths", "squared distance to the mode ÷ r²"),
    "survival": ("Share still inside the ball", "Inside", "and what each bound says stays"),
    "sums": ("Three sums make the change", "Sums", "of one chain, ÷ r²"),
    "square": ("Push on the squared distance", "Square", "mean push of the noise a step ÷ 2η"),
    "plain": ("Push on the distance", "Distance", "mean push of the noise a step ÷ 2η"),
    "process": ("The exponential, a process of its own", "Process", "over its stopping level"),
    "promise": ("What the theorem promises, what is so", "Promise", "total variation from π, by the epoch’s length"),
    "good": ("Measured on a Live run", "Live", "chains that kept to the good events"),
    "price": ("The price of theory", "Price", "Theorem 6.7 beside what a person turns by hand"),
}
"""Place of a lesson -> title, a word for a phone, what is drawn."""
USUAL = ("paths", "survival")
"""Drawn in every recording."""
GROWING = ("paths", "survival", "sums", "process", "promise")
"""Those whose horizontal axis is the step: what the chains do is drawn up to the present one."""
FORETOLD = ("bound", "ceiling")
"""Roles of lines that are known before the first step."""


def describe_figures(names: set[str], result: ExitResult, blocks: Blocks) -> list[dict[str, Any]]:
    """Return the named figures, and the usual ones, as the page takes them; their points go into the blocks."""
    found = []
    for name, (title, short, subtitle) in HEADS.items():
        if name not in names and name not in USUAL:
            continue
        about = _price(result) if name == "price" else _figure(name, _drawn(name, result), blocks)
        if about:
            found.append({"name": name, "title": title, "short": short, "subtitle": subtitle} | about)
    return found


def looks() -> dict[str, Any]:
    """Return how roles and marks look: role -> tokens of lines and of words, mark -> dash and dots."""
    return {"roles": {role: [token.split("|")[0] for token in pair] for role, pair in ROLES.items()},
            "marks": {mark: list(look) for mark, look in MARKS.items()}}


def _drawn(name: str, result: ExitResult) -> Lines | None:
    config, crowd = result.config, result.crowd
    lift = 2 * config.step_size * config.dim / config.radius**2
    made = {
        "paths": lambda: paths(crowd, lift=lift, picked=result.sums, end=config.steps),
        "survival": lambda: survival_figure(result),
        "sums": lambda: None if result.sums is None else sums(result.sums),
        "square": lambda: pushes(crowd.pushes, config.dim, config.radius),
        "plain": lambda: pushes(crowd.pushes, config.dim, config.radius, squared=False),
        "process": lambda: None if result.process is None else exit_process(result.process),
        "promise": lambda: None if result.promise is None else promise(result.promise),
        "good": lambda: _good(result),
    }
    return made[name]()


def _good(result: ExitResult) -> Lines | None:
    if result.live is None:
        return None
    found = good_events_of(result.live)
    return good_events(found.epochs, found.escape, found.reset_epochs, found.reset)


def _figure(name: str, figure: Lines | None, blocks: Blocks) -> dict[str, Any]:
    """Return axes and lines; the points are one block of x and one of y, a line after the other."""
    if figure is None:
        return {}
    options = figure.opts.get("plot", "bokeh").kwargs
    xs, ys = (figure.dimension_values(k)[np.isfinite(figure.dimension_values(k))] for k in (0, 1))
    low, high = options.get("ylim") or (float(ys.min()), float(ys.max()))
    log = bool(options.get("logy"))
    blocks.add(f"{name}_x", "f4", np.concatenate([line.x for line in figure.data]))
    blocks.add(f"{name}_y", "f4", np.concatenate([line.y for line in figure.data]))
    spread = [line for line in figure.data if line.low is not None]
    blocks.add(f"{name}_low", "f4", np.concatenate([np.empty(0), *(line.low for line in spread)]))
    blocks.add(f"{name}_high", "f4", np.concatenate([np.empty(0), *(line.high for line in spread)]))
    return {"x": [float(v) for v in options.get("xlim") or (xs.min(), xs.max())], "y": [float(low), float(high)],
            "logX": bool(options.get("logx")), "logY": log, "across": figure.kdims[0].label,
            "ticks": _ticks(options.get("yticks"), low, high, log), "lines": [_line(name, line) for line in figure.data]}


def _ticks(given: list | None, low: float, high: float, log: bool) -> list[list] | None:
    """Ticks of the vertical axis with their words; None leaves them to the browser."""
    if given:
        return [[float(value), words] for value, words in given]
    return [[value, words] for value, words in plain_ticks(low, high)] if log else None


def _line(name: str, line: Line) -> dict[str, Any]:
    grows = name in GROWING and not line.silent and line.role not in FORETOLD
    told = list(line.told) if line.told is not None and (line.label or line.bars) else None
    size = None if line.size is None else float(np.max(line.size))
    return {"name": line.name, "n": int(line.x.size), "role": line.role, "mark": line.mark, "label": line.label,
            "short": line.short, "bold": line.bold, "where": line.where, "width": line.width, "alpha": line.alpha,
            "dots": line.dots, "size": size, "bars": line.bars, "spread": line.low is not None, "grows": grows,
            "told": told}


def _price(result: ExitResult) -> dict[str, Any]:
    found = price(None)
    return {"rows": [list(row) for row in found.rows], "said": found.verdict, "source": f"Put in: {found.source}."}
