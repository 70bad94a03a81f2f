"""Ten streams that differ in model, dimension and condition number, to try advice on."""

import numpy as np

from sampler import LinearRegression, LogisticRegression, PoissonRegression, Settings, Sweep, advise
from sampler.tuning import Forecast, Grid

# model, dimension, condition number of the features' covariance
STREAMS = (
    ("logistic", 2, 1), ("logistic", 5, 10), ("logistic", 21, 1), ("logistic", 50, 10), ("linear", 3, 100),
    ("linear", 20, 10), ("linear", 100, 3), ("poisson", 2, 10), ("poisson", 10, 3), ("logistic", 10, 100),
)
ROWS = 400


def stream(model: str, dim: int, condition: float, rows: int = ROWS, seed: int = 0):
    """``(problem, features, labels)``."""
    rng = np.random.default_rng([seed, dim, int(condition)])
    turn, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    features = rng.normal(size=(rows, dim)) * np.geomspace(1.0, condition**-0.5, dim) @ turn
    features *= {"logistic": 1.5, "linear": 1.0, "poisson": 0.5}[model]
    scores = features @ rng.normal(size=dim) / np.sqrt(max(1.0, dim / 5))
    if model == "linear":
        return LinearRegression(dim), features, scores + rng.normal(size=rows)
    if model == "poisson":
        return PoissonRegression(dim), features, rng.poisson(np.exp(np.minimum(scores, 4.0))).astype(float)
    return LogisticRegression(dim), features, (rng.random(rows) < 1 / (1 + np.exp(-scores))).astype(float)


def best_eta0(forecast: Forecast, settings: Settings) -> float:
    """eta0 that the forecast finds best for these other knobs, of those whose epochs forget half of their start."""
    top = 1.6 * forecast.divisor(settings) / forecast.largest_curvature
    values = np.geomspace(1e-4 * top, top, 49)
    said = forecast.many([settings.replace(eta0=float(value)) for value in values])
    return float(values[np.argmax([f.true_accuracy - (f.memory > 0.5) for f in said])])


def advised_over_best(model: str, dim: int, condition: float, chains: int = 64, most_steps: int = 500) -> float:
    """Ratio, at least 1, of the advised eta0 and the best of a measured row of the sweep at the advised b and i_max."""
    problem, features, labels = stream(model, dim, condition)
    forecast = Forecast(problem, features, labels)
    advice = advise(forecast)
    settings: Settings = advice.settings.replace(i_max=min(most_steps, advice.settings.i_max))
    start = best_eta0(forecast, settings)
    values = tuple(start * 1.7**k for k in range(-6, 7))
    sweep = Sweep(problem, features, labels, Grid(values, settings.i_max, settings.batch_size,
                                                  settings.acceptance_radius), settings, chains, workers=0, prune=False)
    sweep.rungs = sweep.rungs[-1:]
    cells = sweep.run().cells
    best = max([cell for cell in cells if abs(cell.memory) <= 0.5] or cells, key=lambda cell: cell.accuracy)
    return max(start / best.eta0, best.eta0 / start)
