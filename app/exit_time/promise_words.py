"""What the page says about the promise of the epoch."""

from __future__ import annotations

import math

from app.exit_time.promise import Promise
from app.exit_time.result import ExitResult
from app.exit_time.result_words import tidy
from app.glossary import marked
from app.number_words import scientific

FLAT = ("F = 0 has no posterior that a sample could be close to. Give F a curvature m above 0, or choose Live’s"
        " posterior.")
READ = marked("<b>The other half of the proof.</b> A chain that stays where its gradients are good has a law near π: the"
              " bound on the [[total variation]] must lie <b>above</b> the blue curve.")
FORMULA = marked(
    r"<p class='f'>[[Promised|promise]]: $\mathrm{TV} \le P(\text{exit}) + \sqrt{\tfrac{1}{2} \left(\frac{W_2^2}{2\eta n} +"
    r" \eta L d + \frac{\eta\sigma^2 (1 + \eta L)}{2}\right)}$, LMV-a Lemmas 6.4 and 6.6; $n$ is $i_{\max}$, $W_2$ the"
    r" [[Wasserstein distance]] of the start, $L$ the largest [[curvature]], $\sigma^2$ the [[gradient variance]]. The"
    r" sample is taken at a random step of 1, …, $n$.</p>")


def promise_caption(result: ExitResult | None) -> str:
    """How to read the figure, its terms, and what they stand on, as HTML."""
    found = None if result is None else result.promise
    if found is None:
        return READ + FORMULA
    last, config = found.last, result.config
    if last.conditions:
        return f"{READ} {tidy(last.words)}{FORMULA}"
    terms = (f"After n = {config.steps:,} steps the promise is TV ≤ {_short(last.value)}: exit {_short(last.exit)},"
             f" and in KL start {_short(last.start)}, step size {_short(last.step)}, noise {_short(last.noise)}.")
    so = (" What is so is not measured here: a posterior of more than two coordinates has no exact marginals."
          if found.measured is None else
          f" Measured: {_short(found.measured[-1])} ({_short(found.floor)} of it can be the noise of"
          f" {result.crowd.chains:,} chains).")
    empty = f" {tidy(last.words)}" if last.words else ""
    certified = ["η and σ² = S² (these chains’ noise is that long)", "L"]
    certified += ["P(exit), our curved bound"] if result.bounds.last("local") is not None else []
    start = f"W₂ = {_short(found.wasserstein)}, {found.how_start}"
    measured = f" <b>Measured:</b> {start}." if "wasserstein" in last.measured else ""
    if not measured:
        certified.append(start)
    return f"{READ} {terms}{so}{empty} <b>Certified:</b> {', '.join(certified)}.{measured}{FORMULA}"


def promise_spoken(found: Promise) -> str:
    """Say what the figure shows, in one sentence, for a screen reader."""
    so = "" if found.measured is None else f"; measured {_short(found.measured[-1])}"
    return f"After {found.steps[-1]:,} steps the promise is a total variation of {_short(found.promised[-1])} or less{so}."


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    return "0" if value == 0 else f"{value:.3f}".rstrip("0").rstrip(".") if value >= 0.001 else scientific(value)
