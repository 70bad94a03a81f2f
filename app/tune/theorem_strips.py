"""Theorem 6.7's constants against the ones that work, as a small drawing."""

from __future__ import annotations

import math

from app.number_words import scientific
from sampler import theorem_constants

EPSILON = 0.1
WIDTH = 408
I_MAX = 'i<tspan dy="3" font-size="9">max</tspan>'
"""The symbol in an SVG text."""


def theorem_strips(horizon: int, dim: int, eta0: float, i_max: int, works: bool) -> str:
    """Return an SVG of two logarithmic strips: eta0 and i_max, theory and practice (LMV-a eq. 65, 66; k = D = L = 1)."""
    here = "works" if works else "here"
    theory = theorem_constants(max(2, horizon), EPSILON, dim, 1.0, 1.0, 1.0)
    strips = (_strip(12, "step size η₀", theory.eta0, eta0, f"theorem {scientific(theory.eta0)}", f"{here}: {eta0:g}"),
              _strip(72, f"steps an epoch {I_MAX}", float(theory.i_max), i_max, f"theorem {scientific(float(theory.i_max))}",
                     f"{here}: {i_max:,}"))
    said = (f"Theorem 6.7 asks for a step size of {theory.eta0:.1e} and {float(theory.i_max):.1e} steps an epoch; "
            f"this cell has {eta0:g} and {i_max}")
    return (f'<svg viewBox="0 0 {WIDTH} 116" width="100%" role="img" aria-label="{said}" '
            f'style="display:block;font-size:12px">{"".join(strips)}</svg>')


def _strip(y: int, label: str, theory: float, works: float, theory_words: str, works_words: str) -> str:
    low, high = min(theory, works) / 30, max(theory, works) * 30

    def x(value: float) -> float:
        return 6 + (WIDTH - 12) * math.log(value / low) / math.log(high / low)

    a, b = x(theory), x(works)
    left = a < b
    line = y + 15
    return (f'<text x="0" y="{y}" fill="var(--lab-ink2)">{label}</text>'
            f'<path d="M0 {line}H{WIDTH}" stroke="var(--lab-line)" stroke-width="2"/>'
            f'<path d="M{min(a, b):.1f} {line}H{max(a, b):.1f}" stroke="var(--lab-ref)" stroke-width="2"/>'
            f'<circle cx="{a:.1f}" cy="{line}" r="5" fill="var(--lab-card)" stroke="var(--lab-bound)" stroke-width="2"/>'
            f'<circle cx="{b:.1f}" cy="{line}" r="5.5" fill="var(--lab-chain)"/>'
            f'<text x="{a + (-5 if left else 5):.1f}" y="{line + 20}" text-anchor="{"start" if left else "end"}" '
            f'fill="var(--lab-bound)">{theory_words}</text>'
            f'<text x="{b + (5 if left else -5):.1f}" y="{line + 20}" text-anchor="{"end" if left else "start"}" '
            f'fill="var(--lab-chain)" font-weight="700">{works_words}</text>')
