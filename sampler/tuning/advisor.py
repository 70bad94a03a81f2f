"""Advice where to start: a step from the measured curvature, then the model's forecast of every setting."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sampler.algorithms.newton import find_mode
from sampler.algorithms.online_algorithms import PLAIN, online_algorithm
from sampler.arguments import real_number, several, vector, whole_number
from sampler.problems.base import Posterior, Problem
from sampler.problems.data_check import check_data, check_problem, terms_of
from sampler.settings import Settings, checked_settings
from sampler.tuning.algorithm_settings import with_algorithm
from sampler.tuning.cell_truth import posterior_of
from sampler.tuning.forecast import CellForecast, Forecast, check_forecast, cost
from sampler.tuning.round_numbers import above, nearest
from sampler.tuning.verdicts.limits import MEMORY_LIMIT

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


def power_iteration(posterior: Posterior, at: np.ndarray, iterations: int = 100, tolerance: float = 1e-4) -> float:
    """Largest eigenvalue of the Hessian of F_t at a point, from gradients alone, 2 t evaluations an iteration.

    Parameters
    ----------
    posterior : Posterior
    at : (d,) array
    """
    direction = np.random.default_rng(0).standard_normal(posterior.dim)
    direction /= np.linalg.norm(direction)
    width, value = 1e-5 * (1.0 + np.abs(at).max()), 0.0
    for _ in range(iterations):
        ahead = (posterior.gradient(at + width * direction) - posterior.gradient(at - width * direction)) / (2 * width)
        new = float(direction @ ahead)
        size = np.linalg.norm(ahead)
        if size == 0 or abs(new - value) <= tolerance * abs(new):
            return new
        direction, value = ahead / size, new
    return value


def start_eta0(problem: Problem, features: np.ndarray | None = None, labels: np.ndarray | None = None, offset: float = 2.0,
               terms: int | None = None, mode: np.ndarray | None = None) -> float:
    """eta0 = a / L, L = largest curvature at the mode by power iteration, divided by T + c; a = 0.2. No model asked.

    Parameters
    ----------
    problem, features, labels
        The stream, (T, d) and (T,).
    offset : float >= 0
        c of eta0 / (t + c).
    terms : int, optional
        Number of terms of a GradientOracle, in place of the data.
    mode : (d,) array, optional
        None looks for it.

    Raises
    ------
    ValueError
        Without data or terms, and when the largest curvature is not above 0.
    """
    check_problem(problem)
    offset = real_number("offset", offset, "use settings.offset", least=0.0)
    t = terms_of(features, terms)
    if problem.kind != "oracle":
        check_data(problem, features, labels, t)
    posterior = posterior_of(problem, features, labels, t)
    mode = find_mode(posterior) if mode is None else vector("mode", mode, posterior.dim, "None looks for it")
    largest = power_iteration(posterior, mode)
    if not largest > 0:
        raise ValueError(f"problem must be convex at its mode, its largest curvature there is {largest:.3g}; check "
                         "the gradient with check_gradient")
    return STEP_TIMES_CURVATURE * (t + offset) / largest


def best_eta0(forecast: Forecast, settings: Settings, count: int = 49) -> float:
    """eta0 with the best true accuracy by the model, for the other knobs as they are.

    Among those whose epochs forget half of their start, where any does.

    Parameters
    ----------
    forecast : Forecast
    settings : Settings
        Gives the other knobs.
    count : int in [1, 100000]
        Values of eta0 looked at.
    """
    check_forecast(forecast)
    settings, count = checked_settings(settings), whole_number("count", count, 1, 100_000)
    values = _values(forecast, settings, count, 1e-4)
    found = forecast.many([settings.replace(eta0=float(v)) for v in values])
    scores = np.array([f.true_accuracy if f.memory <= MEMORY_LIMIT else f.true_accuracy - 1 for f in found])
    return float(values[scores.argmax()])


def advise(forecast: Forecast, settings: Settings | None = None, batches: tuple[int, ...] = BATCHES,
           lengths: tuple[int, ...] | None = None) -> Advice:
    """The cheapest setting that the model finds as accurate as the best to within ENOUGH, and that forgets its start.

    Parameters
    ----------
    forecast : Forecast
        Of the algorithm that is advised on (`forecast_of`).
    settings : Settings, optional
        Gives the knobs that are not advised.
    batches, lengths : tuples of int
        Values of batch_size and i_max to choose from; lengths None are those usual for the algorithm.
    """
    check_forecast(forecast)
    base = Settings() if settings is None else checked_settings(settings)
    batches = counts("batches", batches)
    lengths = None if lengths is None else counts("lengths", lengths)
    algorithm = forecast.algorithm
    low, high = TRAVEL if algorithm != PLAIN else (0.0, np.inf)
    etas = dict.fromkeys(nearest(value) for value in _values(forecast, base, 17, 2e-3))
    tried = [base.replace(eta0=eta0, i_max=length, batch_size=b) for b in batches for length in lengths or LENGTHS[algorithm]
             for eta0 in etas if lengths or low <= eta0 * length <= high]
    found = forecast.many(tried)
    best = max(f.true_accuracy for f in found)
    good = [(s, f) for s, f in zip(tried, found, strict=True)
            if f.true_accuracy >= best - ENOUGH[algorithm] and f.memory <= REMEMBERED[algorithm] and f.trusted]
    if not good:
        good = [max(zip(tried, found, strict=True), key=lambda pair: pair[1].true_accuracy - pair[1].memory)]
    chosen = min(good, key=lambda pair: (cost(pair[0]), -pair[1].true_accuracy))[0]
    chosen = with_algorithm(chosen.replace(acceptance_radius=advised_radius(forecast, chosen)), algorithm)
    curvature = forecast.largest_curvature / forecast.divisor(base)
    return Advice(chosen, forecast(chosen), curvature, STEP_TIMES_CURVATURE / curvature, assumptions(forecast))


def counts(name: str, values: tuple[int, ...]) -> tuple[int, ...]:
    """Checked whole numbers, one or more."""
    return tuple(whole_number(name, value) for value in several(name, values))


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


def _values(forecast: Forecast, settings: Settings, count: int, least: float) -> np.ndarray:
    """Step sizes from ``least`` times the longest stable one up to nearly that."""
    top = 1.6 * forecast.divisor(settings) / forecast.largest_curvature
    return np.geomspace(least * top, top, count)


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
