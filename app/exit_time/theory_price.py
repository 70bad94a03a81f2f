"""`price`: Theorem 6.7's constants compared with settings tuned by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.glossary import marked
from app.live.run_handover import LiveHandover
from app.number_words import scientific
from sampler import Settings, theorem_constants
from sampler.theory import tail_rate, theorem_rates

EPSILON = 0.1
EXAMPLE = {"horizon": 1000, "epsilon": EPSILON, "dim": 21, "smoothness": 1.5, "concentration": 1.0, "drift": 1.0}
"""The problem size of the paper's experiment."""
TUNED = Settings(eta0=0.1, i_max=1000)
FAST = 1e7
"""Steps per second of one fast core."""
YEAR = 3.156e7


@dataclass(frozen=True)
class Price:
    """Rows and texts of the table."""

    source: str  #: description of the inputs
    rows: tuple[tuple[str, str, str, str, float], ...]  #: symbol (HTML), name, theory, by hand, log10 of the ratio
    verdict: str
    why: str  #: why the theorem's step size is not used, and by how much it is too conservative, HTML


def price(state: LiveHandover | None) -> Price:
    """Return the comparison for the paper's problem, or for the constants measured by Live."""
    if state is None:
        problem, tuned = EXAMPLE, TUNED
        source = "the paper’s size: T = 1,000, ε = 0.1, d = 21, L = 1.5, k = 1, D = 1"
    else:
        smoothness = state.smoothness
        if not math.isfinite(smoothness) or smoothness <= 0.0:
            raise ValueError("A Poisson term has no finite smoothness L, so the theorem does not apply.")
        rate = tail_rate(state.t, state.settings.offset, np.linalg.inv(state.hessian))
        first = float(state.prior_precision.max())
        problem = {"horizon": max(state.t, 2), "epsilon": EPSILON, "dim": state.dim, "smoothness": smoothness,
                 "concentration": rate, "amplitude": math.e, "drift": state.drift}
        tuned = state.settings
        source = (f"Live: T = t = {state.t:,}, ε = 0.1, d = {state.dim}; measured L = {smoothness:.2g}, L₀ = {first:.2g}"
                  f" (L₀/L = {first / smoothness:.2g}, c = {state.settings.offset:g}), k = {rate:.2g} with A = e (Laplace),"
                  f" D = {state.drift:.2g}, the largest so far")
        if state.preconditioned:
            source += "; Live ran preconditioned, so “by hand” are plain SAGA-LD’s defaults"
    theory = theorem_constants(**problem)
    rows = (
        _row("η<sub>0</sub>", "step size", theory.eta0, tuned.eta0),
        _row("i<sub>max</sub>", "steps per epoch", theory.i_max, tuned.i_max),
        _row("C′", "reset beyond", theory.acceptance_radius, tuned.acceptance_radius),
        _row("b", "batch per step", theory.batch_size, tuned.batch_size),
    )
    orders = round(math.log10(theory.i_max / tuned.i_max))
    years = theory.i_max / FAST / YEAR
    years = float(f"{years:.2g}")
    wait = f"{years:,.0f} years" if years < 1e7 else f"{scientific(years)} years"
    rates = theorem_rates(**problem)
    grows = (f" It grows like ε to the {_power(rates['epsilon'])} (LMV-n’s Theorem 2.1: −6) and T to the"
             f" {_power(rates['horizon'])} here, through logarithms.")
    return Price(source, rows, f"{orders} orders of magnitude more steps: at ten million steps per second"
                 f" one epoch would take {wait}.{grows} That is why η₀ is tuned by hand.", _why(theory, tuned))


_STEP = marked(r"Why not the [[theorem's step size|theorem's constants]]: $\eta_0 = \varepsilon_2^2/(2L^2R^2)$")


def _why(theory: Any, tuned: Settings) -> str:
    """Return the decomposition of the ratio of the step sizes into the parts of the theorem's error and its ball."""
    less, error = math.log10(tuned.eta0 / theory.eta0), -2 * math.log10(theory.eps2)
    return (
        f"{_STEP} is {less:.0f} orders of magnitude"
        f" below {tuned.eta0:g}. The error ε = {EPSILON:g} is divided among all doublings of T (ε<sub>2</sub> ="
        f" {theory.eps2:.2g}), which accounts for {error:.1f} of them; the ball must contain the worst path of the worst"
        f" problem of the class (R = {theory.escape_radius:,.0f}), which accounts for {less - error:.1f}. The proof is for"
        " the whole class; the page measures your problem.")


def _row(symbol: str, words: str, theory: float, tuned: float) -> tuple[str, str, str, str, float]:
    return symbol, words, _number(theory), _number(tuned), math.log10(theory / tuned)


def _power(value: float) -> str:
    return f"{value:.1f}".replace("-", "−")


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and value < 1e6 else scientific(float(value))
