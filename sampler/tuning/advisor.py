"""Advice where to start: a step from the measured curvature, then the model's forecast of every setting."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.algorithm_names import PLAIN, online_algorithm
from sampler.settings import Settings, checked_settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast, cost
from sampler.tuning.settings_grid import above, nearest

STEP_TIMES_CURVATURE = 0.2
"""eta_t times the largest curvature of F_t at the start value: an exact gradient then widens the stiffest direction
by a twentieth."""
ENOUGH = {"saga-ld": 0.01, "preconditioned": 0.02}
"""Accuracy given up for a cheaper epoch. The preconditioned sampler's default gives up 0.02, 9 % of the variance: half of
that takes twice as many steps."""
REMEMBERED = {"saga-ld": 0.3, "preconditioned": 0.4}
"""Share of the start an epoch may leave; the preconditioned sampler's default leaves 0.4."""
BATCHES = (9, 16, 32, 64)
LENGTHS = {"saga-ld": (10, 20, 50, 100, 200, 500, 1000),
           "preconditioned": (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400)}
TRAVEL = (0.5, 6.0)
"""i_max times eta0 of a preconditioned epoch that is considered: where all curvatures are 1 it leaves 79 % to 17 %."""


@dataclass(frozen=True)
class Advice:
    """Settings to try first, with their reasons.

    Attributes
    ----------
    settings : Settings
        eta0, i_max, batch_size and acceptance_radius as advised; the rest as given. They know the forecast's algorithm.
    forecast : CellForecast
        Of these settings.
    curvature : float
        L, the largest curvature of F_T at its mode, divided by T + c; for the preconditioned sampler that of the whitened
        F_T, near 1.
    start : float
        a / L with a = 0.2: the rule of thumb, before the model is asked.
    assumptions : tuple of str
        What must hold for this to be true.
    """

    settings: Settings
    forecast: CellForecast
    curvature: float
    start: float
    assumptions: tuple[str, ...]


def advise(forecast: Forecast, settings: Settings | None = None) -> Advice:
    """The cheapest setting that the model finds as accurate as the best to within ENOUGH, and that forgets its start.

    Parameters
    ----------
    forecast : Forecast
        Of the algorithm that is advised on (`forecast_of`).
    settings : Settings, optional
        Gives the knobs that are not advised.
    """
    check_forecast(forecast)
    base = Settings() if settings is None else checked_settings(settings)
    algorithm = forecast.algorithm
    low, high = TRAVEL if algorithm != PLAIN else (0.0, np.inf)
    etas = dict.fromkeys(nearest(value) for value in _step_sizes(forecast, base))
    tried = [base.replace(eta0=eta0, i_max=length, batch_size=b) for b in BATCHES for length in LENGTHS[algorithm]
             for eta0 in etas if low <= eta0 * length <= high]
    forecasts = forecast.many(tried)
    best = max(f.true_accuracy for f in forecasts)
    good = [(s, f) for s, f in zip(tried, forecasts, strict=True)
            if f.true_accuracy >= best - ENOUGH[algorithm] and f.memory <= REMEMBERED[algorithm] and f.trusted]
    if not good:
        good = [max(zip(tried, forecasts, strict=True), key=lambda pair: pair[1].true_accuracy - pair[1].memory)]
    chosen = min(good, key=lambda pair: (cost(pair[0]), -pair[1].true_accuracy))[0]
    chosen = with_algorithm(chosen.replace(acceptance_radius=advised_radius(forecast, chosen)), algorithm)
    curvature = forecast.largest_curvature / forecast.divisor(base)
    return Advice(chosen, forecast(chosen), curvature, STEP_TIMES_CURVATURE / curvature, assumptions(forecast))


def advised_radius(forecast: Forecast, settings: Settings) -> float:
    """C' three times the distance two draws of pi_t and pi_{t/2} have, so that only strays are thrown back.

    More where the chains' way from their start to the mode asks for it. The preconditioned sampler's is its default's: in
    standard deviations it depends on the dimension alone, and a checkpoint on the way to the mode is never returned to.
    """
    if forecast.algorithm != PLAIN:
        kind: Any = online_algorithm(forecast.algorithm)  # all but the plain one have settings of their own
        return above(kind.default_settings(forecast.problem.dim).acceptance_radius)
    spread = np.sqrt(3.0 * (1.0 / forecast.noise.eigenvalues).sum() * (forecast.horizon + settings.offset))
    return above(max(3.0 * spread, spread + 1.5 * forecast.stride(settings)))


def _step_sizes(forecast: Forecast, settings: Settings) -> np.ndarray:
    """eta0 from 2e-3 times the longest stable one up to nearly that, (17,)."""
    top = 1.6 * forecast.divisor(settings) / forecast.largest_curvature
    return np.geomspace(2e-3 * top, top, 17)


def assumptions(forecast: Forecast) -> tuple[str, ...]:
    """Return the model's assumptions in words."""
    words = [f"Near row {forecast.horizon:,} the posterior is close to the Gaussian of its mode and curvature.",
             "Rows to come are like these: if the truth drifts, the mode moves more than the model knows.",
             "Chains are rarely reset."]
    if forecast.algorithm != PLAIN:
        return (*words, "The preconditioner is the one of the mode: chains far from it are not foreseen.")
    if forecast.problem.kind == "poisson":
        words.append("Poisson curvature has no bound: a chain far from the mode may need a shorter step than this.")
    if forecast.problem.kind == "oracle":
        words.append("All terms of the gradient have the same curvature; if not, the noise is larger than said.")
    if forecast.noise.eigenvalues[-1] > 1e4 * forecast.noise.eigenvalues[0]:
        words.append("Some direction is 10,000 times flatter than another: no single step suits both.")
    return tuple(words)
