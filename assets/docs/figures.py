"""The figures of the exit-time pages: the lines of `app.plots` as SVG in the colours of the site's theme.

A page includes one by ``<!-- figure: paths -->``. `FIGURES` are made from seeded simulations: every build draws the same.
"""

from __future__ import annotations

import html
import math
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from holoviews import Store

from app.compare.method_map import CANNOT, REGIMES, shipped_map
from app.plots import bounds, exit_process, method_map, paths, pushes, sums, survival
from app.plots.lines import MARKS, Line, Lines
from app.plots.looks import sampler_look
from app.plots.method_map import TIMES
from app.plots.style import ROLES, ramp
from app.theme import TOKENS
from sampler.theory import ExitSimulation, decompose, exit_bounds, flat_target, quadratic_target, survival_curve
from sampler.theory import exit_process as process_with

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 62, 190, 14, 42
END, FOOT = WIDTH - RIGHT, HEIGHT - BOTTOM
LINE = 15  #: pixels from one line of a label to the next
EPOCH = {"step_size": 2.5e-3, "steps": 400, "radius": 2.8}


def style() -> str:
    """Return a style sheet with the line and text colours of each role in both themes."""
    def rules(theme: str) -> str:
        tokens = {f"--{kind}-{role}": names[at].split("|")[0] for role, names in ROLES.items()
                  for at, kind in enumerate(("role", "word"))}
        return "".join(f"{name}:{TOKENS[theme][token]};" for name, token in tokens.items())

    return f':root{{{rules("light")}}}\n[data-md-color-scheme="slate"]{{{rules("dark")}}}\n'


class Axes:
    """Mapping from the data of a figure to pixels, with grid and ticks."""

    def __init__(self, figure: Lines) -> None:
        options = Store.lookup_options("bokeh", figure, "plot").kwargs
        (self.first, self.last), (self.low, self.high) = options["xlim"], options["ylim"]
        self.log, ticks = options.get("logy", False), options.get("yticks")
        self.yticks = ticks or [(v, f"{v:g}") for v in _ticks(self.low, self.high, self.log)]
        self.xticks = [(v, f"{v:g}") for v in _ticks(self.first, self.last)]
        self.names = [html.escape(str(dimension.label)) for dimension in figure.kdims]

    def across(self, x: Any) -> np.ndarray:
        """Return the distance from the left in pixels."""
        return LEFT + (np.asarray(x, float) - self.first) / (self.last - self.first) * (END - LEFT)

    def down(self, y: Any) -> np.ndarray:
        """Return the distance from the top in pixels; values far outside are clipped a little outside."""
        with np.errstate(divide="ignore", invalid="ignore"):
            y, low, high = (np.log10(v) if self.log else np.asarray(v, float) for v in (y, self.low, self.high))
        return FOOT - np.clip((y - low) / (high - low), -0.5, 1.5) * (FOOT - TOP)

    def drawn(self) -> str:
        """Return grid, tick labels and axis labels as SVG."""
        x, y = self.names
        rows = [(self.down(v), html.escape(str(word))) for v, word in self.yticks if self.low <= v <= self.high]
        parts = [f'<path class="grid" d="M{LEFT} {at:.1f}H{END}"/>'
                 f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{word}</text>' for at, word in rows]
        parts += [f'<text x="{self.across(v):.1f}" y="{FOOT + 18}" text-anchor="middle">{word}</text>'
                  for v, word in self.xticks]
        turned = f"translate(13 {(TOP + FOOT) / 2}) rotate(-90)"
        return "".join([*parts, f'<text x="{(LEFT + END) / 2}" y="{HEIGHT - 4}" text-anchor="middle">{x}</text>',
                        f'<text transform="{turned}" text-anchor="middle">{y}</text>'])


def _ticks(low: float, high: float, log: bool = False) -> list[float]:
    if log:
        return [10.0**k for k in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    step = 10.0 ** math.floor(math.log10((high - low) / 3))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
    return [round(k * step, 10) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def svg(figure: Lines, caption: str, moving: bool = False) -> str:
    """Return lines as a figure of a page, in HTML.

    Parameters
    ----------
    figure : Lines
    caption : str
        Caption, also the label for screen readers.
    moving : bool
        Whether it is drawn from left to right when it scrolls into view.
    """
    axes, clip, caption = Axes(figure), f"clip-{zlib.crc32(caption.encode())}", html.escape(caption)
    lines = "".join(_drawn(line, axes) for line in figure.data)
    labels = "".join(_label(line, y) for line, y in _placed(figure, axes))
    button = '<button type="button" class="again">draw again</button>' if moving else ""
    curtain = f'<rect class="curtain" x="{LEFT}" y="0" width="{END - LEFT}" height="{FOOT + 4}"/>'
    drawing = f'<clipPath id="{clip}">{curtain}</clipPath>{axes.drawn()}<g clip-path="url(#{clip})">{lines}</g>{labels}'
    head = f'<figure class="made{" moving" * moving}"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{caption}">'
    return f"{head}{drawing}</svg>{button}<figcaption>{caption}</figcaption></figure>"


def _drawn(line: Line, axes: Axes) -> str:
    dash, _, size, fill, _ = MARKS[line.mark]
    colour, parts = f"var(--role-{line.role})", []
    x, y = np.broadcast_arrays(np.atleast_1d(line.x), np.atleast_1d(line.y))
    px, py = axes.across(x), axes.down(y)
    if line.low is not None and not line.bars:
        low, high = axes.down(line.low), axes.down(line.high)
        edge = "L".join(f"{a:.1f} {b:.1f}" for a, b in zip([*px, *px[::-1]], [*high, *low[::-1]], strict=True))
        parts.append(f'<path fill="{colour}" opacity=".18" d="M{edge}Z"/>')
    if dash is not None and x.size > 1 and line.width:
        runs = [run[np.isfinite(y[run])] for run in np.split(np.arange(x.size), np.flatnonzero(~np.isfinite(y)))]
        shape = "".join("M" + "L".join(f"{px[i]:.1f} {py[i]:.1f}" for i in run) for run in runs if run.size > 1)
        pattern = "" if dash == "solid" else f' stroke-dasharray="{dash}"'
        look = f'stroke="{colour}" stroke-width="{line.width}" opacity="{line.alpha}"{pattern}'
        parts.append(f'<path fill="none" {look} d="{shape}"/>')
    elif dash is None:
        inside = "var(--md-default-bg-color)" if fill == "card" else colour
        radii = np.broadcast_to(np.asarray(size if line.size is None else line.size, float), x.shape) / 2
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{r:.1f}" fill="{inside}" stroke="{colour}"/>'
                  for a, b, r in zip(px, py, radii, strict=True) if r and math.isfinite(b)]
    return "".join(parts)


def _label(line: Line, y: float) -> str:
    rows = "".join(f'<tspan x="{END + 10}" dy="{LINE * bool(i)}">{html.escape(row)}</tspan>'
                   for i, row in enumerate(line.label.split("\n")))
    return f'<text class="label" y="{y + 4:.1f}" style="fill:var(--word-{line.role})">{rows}</text>'


def _placed(figure: Lines, axes: Axes) -> list[tuple[Line, float]]:
    """Return labelled lines with the heights of their labels on the right: near the lines' ends, without overlap."""
    ends = []
    for line in figure.data:
        values = np.ravel(np.asarray(line.y, float))
        if line.label and np.isfinite(values).any():
            ends.append((float(np.clip(axes.down(values[np.isfinite(values)][-1]), TOP, FOOT)), line))
    below, places = -math.inf, []
    for y, line in sorted(ends, key=lambda end: end[0]):
        y = max(y, below)
        below = y + (LINE + 1) * (line.label.count("\n") + 1)
        places.append((line, y))
    over = max(0.0, below - HEIGHT + BOTTOM // 2)
    return [(line, y - over) for line, y in places]


@cache
def bowl() -> ExitSimulation:
    """Return the simulation of the proof's figures: 20,000 chains in a bowl."""
    chains = ExitSimulation(quadratic_target(1.0, dim=2), chains=20_000, **EPOCH)
    chains.run()
    return chains


def _paths() -> str:
    words = f"Squared distances of some of 20,000 chains in one epoch; {np.mean(bowl().exit_steps > 0):.1%} of all leave"
    return svg(paths(bowl()), words, moving=True)


def _sums() -> str:
    chain = int(np.flatnonzero(bowl().exit_steps)[0])
    record, left = bowl().record(chain), int(bowl().exit_steps[chain])
    inside = {name: getattr(record, name)[:left] for name in ("before", "guess", "correction", "noise", "after")}
    parts = decompose(replace(record, **inside), np.zeros(2), bowl().target.gradient)
    words = f"Running sums of pull, drift and martingale of a chain that left at step {left}, and their total"
    return svg(sums(parts, radius=EPOCH["radius"], chain=chain, left=left), words, moving=True)


def _pushes() -> str:
    walks = ExitSimulation(flat_target(2), 5e-5, 10_000, 2.5, chains=4000)
    walks.run()
    measured = walks.pushes()
    return "\n\n".join(svg(pushes(measured, 2, 2.5, squared=squared), f"Mean push of one step's noise on the {what}")
                       for squared, what in ((True, "squared distance: the same everywhere"),
                                             (False, "distance: larger nearer to the mode")))


def _process() -> str:
    at = bowl().path_steps
    law = process_with(2, *EPOCH.values(), 0.0, at, smoothness=1.0, strong_convexity=1.0)
    squares, exits = bowl().paths[:40], bowl().exit_steps[:40]
    shares = np.where((exits[:, None] > 0) & (at[None] >= exits[:, None]), np.nan, np.exp(law.log_share(squares)))
    words = f"The process of 40 chains over its level: it starts at {law.bound:.3f}, so at most that share leaves"
    return svg(exit_process(SimpleNamespace(steps=at, shares=shares, exits=exits, start=law.bound)), words, moving=True)


def _survival() -> str:
    at = np.arange(0, EPOCH["steps"] + 1, 5)
    curves = exit_bounds(2, *EPOCH.values(), smoothness=1.0, strong_convexity=1.0)
    free, stay = (survival_curve(exits, at) for exits in (bowl().free_exit_steps, bowl().exit_steps))
    drawn = survival(free, "free walk", "reference") * survival(stay) * bounds(curves, "corrected", "sharp", "local")
    return svg(drawn, "Share of chains and of free walks still inside, with the lower bounds on it")


def _methods() -> str:
    """Return the map of methods as a table: the boxes of `app.plots.method_map` at d = 11 as cells, and limitations."""
    table, dim = shipped_map(), 11
    boxes, wide = method_map(table, dim).data, len(REGIMES) * len(TIMES)
    head = "".join(f'<th colspan="{len(TIMES)}" scope="colgroup">{html.escape(name)}</th>' for name in REGIMES.values())
    times = "".join(f"<th>10{'²³⁴'[i]}</th>" for _ in REGIMES for i in range(len(TIMES)))
    rows = []
    for row, i in enumerate(table.order):
        key, cells = table.methods[i], "".join(map(_box, boxes[row * wide:(row + 1) * wide]))
        rows.append(f'<tr><th scope="row">{html.escape(sampler_look(key).short)}</th>{cells}'
                    f"<td>{html.escape(CANNOT.get(key, ''))}</td></tr>")
    caption = (f"Largest error of a mean in posterior standard deviations, d = {dim}; columns are numbers of data. ★ marks "
               f"the cheapest method that is good enough. {html.escape(table.words)}")
    head = f'<tr><th rowspan="2">method</th>{head}<th rowspan="2">limitations</th></tr><tr>{times}</tr>'
    return ('<div class="methods" tabindex="0" role="region" aria-label="Which to use when"><table class="methods">'
            f"<caption>{caption}</caption><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>")


def _box(cell: Any) -> str:
    if not math.isfinite(cell.shade):
        return f'<td class="box">{cell.text}</td>'
    light, dark = (ramp(which)[round(63 * cell.shade)] for which in (False, True))
    return (f'<td class="box" style="--light:{light};--dark:{dark};--light-ink:{_ink(light)};--dark-ink:{_ink(dark)}" '
            f'title="{html.escape(cell.tooltip)}">{cell.text}</td>')


def _ink(colour: str) -> str:
    """Return black or white, the one with more contrast on a colour: at least 4.58 (WCAG 2, 1.4.3)."""
    rgb = np.array([int(colour[i:i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "#000" if linear @ (0.2126, 0.7152, 0.0722) > 0.1791 else "#fff"


FIGURES: dict[str, Callable[[], str]] = {
    "paths": _paths, "sums": _sums, "pushes": _pushes, "process": _process, "survival": _survival,
    "methods": _methods}
