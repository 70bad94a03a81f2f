"""Ten streams that differ in model, dimension and condition number, to try advice on."""

from dataclasses import dataclass

import numpy as np

from sampler import LinearRegression, LogisticRegression, PoissonRegression, Settings, Sweep, advise
from sampler.tuning import Forecast, Grid, best_eta0

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


@dataclass(frozen=True)
class Trial:
    """What was advised and what a sweep along eta0 found best."""

    model: str
    dim: int
    condition: float
    advised: float
    best: float
    accuracy: float
    accuracy_at_advised: float
    ceiling: float
    error: float  # mean of |forecast - measured accuracy| over the row

    @property
    def ratio(self) -> float:
        """Of the two, at least 1."""
        return max(self.advised / self.best, self.best / self.advised)


def trial(model: str, dim: int, condition: float, chains: int = 64, most_steps: int = 500) -> Trial:
    """Advice for one stream, and a measured row of the sweep at the advised b and i_max."""
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
    fresh = [cell for cell in cells if abs(cell.memory) <= 0.5] or cells
    best = max(fresh, key=lambda cell: cell.accuracy)
    at = min(cells, key=lambda cell: abs(np.log(cell.eta0 / start)))
    said = forecast.many([settings.replace(eta0=cell.eta0) for cell in cells], draws=16 * chains)
    errors = [abs(f.accuracy - c.accuracy) for f, c in zip(said, cells, strict=True) if f.trusted]
    return Trial(model, dim, condition, start, best.eta0, best.accuracy, at.accuracy, best.ceiling,
                 float(np.mean(errors)))


if __name__ == "__main__":
    for each in STREAMS:
        t = trial(*each)
        print(f"{t.model:9s} d={t.dim:<4d} cond={t.condition:<4g} advised {t.advised:8.3g} best {t.best:8.3g} ratio "
              f"{t.ratio:.2f} accuracy {t.accuracy:.3f} (at advised {t.accuracy_at_advised:.3f}, ceiling {t.ceiling:.3f}) "
              f"forecast error {t.error:.4f}", flush=True)
