"""The cells of the map as columns: colour, digits, hatching, and what hovering tells."""

from __future__ import annotations

import math

from app.theme import tokens
from app.tune.charts.labels import accuracy_words
from app.tune.charts.ramp import colour, ink
from app.tune.picture import TunePicture

SAID = {"done": "click to look at it", "early": "given up after {rows:,} rows: half of the others were better",
        "diverged": "diverged at epoch {epoch:,}", "running": "at {rows:,} rows, goes on", "waiting": "not run yet"}


def cell_columns(picture: TunePicture, batch: int, dark: bool, compact: bool) -> dict[str, list]:
    """Return the map's columns for the cells of one b, a row of the grid after the other."""
    palette, config = tokens(dark), picture.config
    rows: list[dict] = []
    for j, length in enumerate(config.lengths):
        for i, eta0 in enumerate(config.etas):
            key = eta0, length, batch
            cell, said, state = picture.cell(key), picture.forecast(key), picture.state(key)
            row = {"x": i + 0.5, "y": j + 0.5, "i": i, "j": j, "state": state, "eta0": f"{eta0:g}",
                   "i_max": f"{length:,}", "b": f"{batch}",
                   "predicted": f"{said.accuracy:.3f}" if said.stable else "unstable",
                   "hatch": " ", "dash": "solid", "size": "9.5px" if compact else "12px", "remembered": 0.0}
            if state == "waiting":
                row |= {"fill": palette["card"], "edge": palette["line"], "dash": "dashed",
                        "text": accuracy_words(said.accuracy) if said.stable else "", "ink": palette["ink3"],
                        "size": "9px" if compact else "11px", "measured": "–", "ceiling": "–", "width": "–", "memory": "–",
                        "resets": "–", "cost": f"{said.cost:,.0f}", "said": SAID[state]}
            elif state == "diverged":
                row |= {"fill": palette["card"], "edge": palette["hot"], "text": "×", "ink": palette["hot"],
                        "measured": "–", "ceiling": f"{cell.ceiling:.3f}", "width": "–", "memory": "–", "resets": "–",
                        "cost": f"{cell.cost:,.0f}", "said": SAID[state].format(epoch=cell.diverged[1])}
            else:
                shade = colour(cell.accuracy, cell.ceiling, dark)
                row |= {"fill": shade, "edge": shade, "text": accuracy_words(cell.accuracy),
                        "ink": palette[ink(cell.accuracy, cell.ceiling, dark)],
                        "measured": f"{cell.accuracy:.3f}", "ceiling": f"{cell.ceiling:.3f}",
                        "width": f"{cell.width:.2f}" if math.isfinite(cell.width) else "–",
                        "memory": f"{100 * cell.memory:.0f} %", "remembered": abs(cell.memory),
                        "resets": f"{cell.reset_rate:.2g} an epoch a chain", "cost": f"{cell.cost:,.0f}",
                        "said": SAID[state].format(rows=cell.rows)}
                if state in ("early", "running"):
                    row |= {"hatch": "/" if state == "early" else ".", "size": "9px" if compact else "10.5px"}
            rows.append(row)
    return {name: [row[name] for row in rows] for name in rows[0]}
