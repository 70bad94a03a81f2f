"""Share of chains still inside, its band, and what each bound promises."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource

from app.exit_time.numbers import round_ticks, share, steps
from app.exit_time.result import ExitResult
from app.exit_time.words import printed_fails
from app.live.charts.end_labels import EndLabel
from app.live.charts.panel import Panel

BOUNDS = {"printed": ([2, 3], 1.4), "corrected": ([2, 3], 1.4), "sharp": ([6, 4], 1.4), "local": ([6, 4], 2.0)}
"""Curve -> dash, width."""
ZOOMS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Where the y axis may begin."""


class SurvivalChart(Panel):
    """Blue: the chains. Grey: the comparison walk. Purple, dashed: bounds, which must lie below the blue."""

    name = "exit-survival"
    left, right, above, below = 56, 150, 12, 50
    compact_right = 106
    x_label = "step i of the epoch"

    def draw(self) -> None:  # noqa: D102
        plot, paint = self.figure, self.paint
        self.crowd = ColumnDataSource({key: [] for key in ("x", "stay", "low", "high", "free", *BOUNDS)})
        self.bounds = ColumnDataSource({key: [] for key in ("x", *BOUNDS)})
        paint(plot.varea("x", "low", "high", source=self.crowd, fill_alpha=0.17).glyph, fill_color="chain")
        for name, (dash, width) in BOUNDS.items():
            line = plot.line("x", name, source=self.bounds, line_dash=dash, line_width=width)
            paint(line.glyph, line_color="bound")
        paint(plot.line("x", "free", source=self.crowd, line_width=1.8).glyph, line_color="ref")
        stay = plot.line("x", "stay", source=self.crowd, line_width=2.6)
        paint(stay.glyph, line_color="chain")
        self.batch = ColumnDataSource({"x": [], "y": []})
        mark = plot.scatter("x", "y", source=self.batch, marker="diamond", size=11, level="overlay")
        paint(mark.glyph, fill_color="bound", line_color="card")
        self.hover(stay, (
            ("step", "@x{0,0}"), ("chains still inside", "@stay{0.0000}"), ("99.9 % band", "@low{0.0000} to "
             "@high{0.0000}"), ("free walk", "@free{0.0000}"), ("ours, curved", "@local{0.0000}"),
            ("ours, convex", "@sharp{0.0000}"), ("corrected Azuma", "@corrected{0.0000}"),
            ("as printed", "@printed{0.000000}")))

    def show(self, picture: ExitResult) -> None:
        """Draw what the picture has; what is not known yet is left out."""
        crowd, promises, n = picture.crowd, picture.bounds, picture.config.steps
        curves = {}
        if promises is not None:
            unknown = np.full(promises.steps.size, np.nan)
            curves = {name: unknown if promises.stays(name) is None else promises.stays(name) for name in BOUNDS}
            self.bounds.data = {"x": promises.steps, **curves}
            known = promises.batch is not None
            self.batch.data = {"x": [n] if known else [], "y": [1.0 - promises.batch] if known else []}
        if crowd is not None:
            free = np.full(crowd.stay.size, np.nan) if crowd.free is None else crowd.free
            at = {name: np.interp(crowd.steps, promises.steps, values) for name, values in curves.items()}
            at = at or {name: np.full(crowd.stay.size, np.nan) for name in BOUNDS}
            self.crowd.data = {"x": crowd.steps, "stay": crowd.stay, "low": crowd.low, "high": crowd.high,
                               "free": free, **at}
        self._fit(picture)
        ticks = steps(n, 4 if self.compact else 5)
        self.set_x(0.0, float(n), ticks)
        self.name_ends(self._ends(picture), n)

    def _fit(self, picture: ExitResult) -> None:
        """Begin the y axis as high as the chains and our best bound allow."""
        lowest = 1.0
        if picture.crowd is not None:
            lowest = min(lowest, picture.crowd.low[-1])
            if picture.crowd.free is not None and picture.crowd.free[-1] > 0.5:
                lowest = min(lowest, picture.crowd.free[-1])
        best = None if picture.bounds is None else picture.bounds.stays("local")
        if best is not None and best[-1] > 0.5 * lowest:
            lowest = min(lowest, best[-1])
        if picture.bounds is not None and picture.bounds.batch is not None and picture.bounds.batch < 0.99:
            lowest = min(lowest, 1.0 - picture.bounds.batch)
        low = max(zoom for zoom in ZOOMS if zoom <= max(0.0, lowest - 0.04 * (1 - lowest)))
        ticks = round_ticks(low, 1.0, 5)
        self.set_y(low, 1.0 + 0.03 * (1.0 - low), ticks)

    def _ends(self, picture: ExitResult) -> list[EndLabel]:
        crowd, promises, short = picture.crowd, picture.bounds, self.compact
        labels = []
        if crowd is not None:
            labels.append(EndLabel(crowd.stay[-1], f"chains {share(crowd.stay[-1])}", "chain", bold=True))
            if crowd.free is not None:
                words = "the free walk itself" if crowd.same else f"free walk {share(crowd.free[-1])}"
                if not (crowd.same and short):
                    labels.append(EndLabel(crowd.free[-1], words, "ink2", shift=-12 if crowd.same else 0))
        if promises is None:
            return labels
        return labels + self._promised(picture)

    def _promised(self, picture: ExitResult) -> list[EndLabel]:
        promises, short, curved = picture.bounds, self.compact, picture.config.curvature > 0.0
        names = {"printed": "as printed", "corrected": "Azuma" if short else "corrected Azuma",
                 "sharp": "ours, convex" if curved else "ours", "local": "ours, curved"}
        last = {name: float(promises.stays(name)[-1]) for name in names if promises.stays(name) is not None}
        if not curved:
            last.pop("local", None)
        best = "local" if curved else "sharp"
        labels, nothing = [], []
        for name, value in last.items():
            if value < 0.0005:
                nothing.append(name)
            elif name == "printed" and printed_fails(picture):
                close = short and value >= 0.9995  # the number would not fit
                words = f"{'printed 0.999…' if close else f'as printed {share(value)}'}\nabove the truth"
                words += "" if short else ": no bound"
                labels.append(EndLabel(value, words, "bound", shift=8))
            else:
                text = f"{names[name]} {share(value)}" + (", unproved" if name == "printed" and not short else "")
                labels.append(EndLabel(value, text, "bound", bold=name == best))
        if promises.batch is not None and promises.batch < 0.9995:
            stays = 1.0 - promises.batch
            labels.append(EndLabel(stays, f"real batches {share(stays)}", "bound"))
        elif promises.batch is not None:
            nothing.append("batch")
            names["batch"] = "◆"
        if nothing:
            labels.append(EndLabel(0.0, self._nothing([names[name] for name in nothing], short), "bound"))
        return labels

    def _nothing(self, names: list[str], short: bool) -> str:
        """Name the curves that end at 0, in lines that fit."""
        arrow = " ↓" if self.y_range.start > 0 else ""
        if len(names) == 1:
            return f"{names[0]} 0{arrow}\n{'says nothing' if short or 'printed' in names[0] else 'true, says nothing'}"
        lines, room = [""], 15 if short else 24
        for name in names:
            if lines[-1] and len(lines[-1]) + len(name) > room:
                lines.append("")
            lines[-1] += f"{name}, "
        return "\n".join([*(line.strip() for line in lines), f"all 0{arrow}{'' if short else ', say nothing'}"])
