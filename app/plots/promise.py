"""What a theorem promises of a sample and what its chains did: total variation against the length of the epoch."""

from __future__ import annotations

import numpy as np

from app.plots.lines import Line, Lines, lines

LENGTH, DISTANCE = "iₘₐₓ, steps of the epoch", "total variation from π"


def promise(found) -> Lines:
    """Draw the bound on the total variation, and the distance that was measured.

    Parameters
    ----------
    found : Promise
        Anything with ``steps``, ``promised`` and ``lemma``, (j,) arrays, ``measured``, (j,) or None, and ``floor``, what
        as many exact draws would measure.
    """
    n = np.asarray(found.steps, float)
    drawn = []
    if n.size:
        drawn = [_line("Lemma 6.4 as printed", n, found.lemma, "bound", "dots", 1.4),
                 _line("promised", n, found.promised, "bound", "dash", 2.0, True)]
    if n.size and found.measured is not None:
        floor = np.full(n.size, found.floor)
        label = f"exact draws {_two(found.floor)}"
        drawn.append(Line("exact draws", n, floor, "ceiling", "dots", label, "exact", width=1.4))
        drawn.append(_line("chains", n, found.measured, "ours", "line", 1.8, True))
    end = max(float(n[-1]) if n.size else 1.0, 1.0)
    return lines(drawn, LENGTH, DISTANCE, compared=True, ylim=(0.0, 1.04), xlim=(0.0, 1.008 * end))


def _line(name: str, n: np.ndarray, values: np.ndarray, role: str, mark: str, width: float, bold: bool = False) -> Line:
    y = np.asarray(values, float)
    note = "\nsays nothing" if role == "bound" and y[-1] > 0.9995 else ""
    return Line(name, n, y, role, mark, f"{name} {_two(y[-1])}{note}", name, bold, width=width,
                told=[_two(v) for v in y])


def _two(value: float) -> str:
    return f"{value:.2f}" if value >= 0.095 else f"{value:.3f}"
