"""Is the preconditioned sampler's default timid? Its cost at equal accuracy against the best tuned setting, ten streams."""

import math
from types import SimpleNamespace

from scipy.stats import chi2

from sampler import PreconditionedSagaLD, Settings, advise
from sampler.tuning import CellResult, Forecast, forecast_of, verdict_of, with_algorithm
from sampler.tuning.sweep_cell import SweepJob, run_cell
from sampler.tuning.sweep_reference import make_reference
from tests.sampler.algorithms.ill_conditioned import whitened_distances
from tests.sampler.tuning.ten_streams import ROWS, STREAMS, stream

# model, dimension, condition number; Poisson streams, which it does not take, are replaced
TEN = tuple(each for each in STREAMS if each[0] != "poisson") + (("logistic", 22, 30), ("linear", 50, 1000))
INFLATIONS = (0.08, 0.12, 0.18, 0.05)
"""Growth of the variance that the tuned settings allow their gradient noise and step; the first two in 50 dimensions and
more, where a cell takes half a minute."""
MIXING = (1.7, 2.5)
"""i_max eta0: an epoch leaves 48 % or 37 % of its start."""
LOST = 1e-8
"""Probability that a draw of the posterior's normal law is as far from the mode as a chain that counts as lost."""


def compare(model: str, dim: int, condition: float) -> SimpleNamespace:
    """Measure the default, the advised and up to sixteen tuned settings on one stream of 400 rows.

    All with the same random numbers and truth, and so many chains that accuracy, a mean over coordinates, is as exact in few
    dimensions as in many. The best is the cheapest that is judged safe and as accurate as the default, to one standard
    deviation; ``ratio`` is the default's cost over its, ``missing`` what the default's accuracy is below exact draws,
    ``error`` the mean absolute difference of accuracy foretold and measured, ``lost`` the default's lost chains.
    """
    chains = max(32, 1280 // dim)
    problem, features, labels = stream(model, dim, condition)
    job = SweepJob(problem, features, labels, chains, 0, (ROWS,), make_reference(problem, features, labels, [ROWS]))
    forecast = forecast_of("preconditioned", Forecast(problem, features, labels))
    default = PreconditionedSagaLD.default_settings(dim)

    def run(settings: Settings) -> CellResult:
        return run_cell(job, with_algorithm(settings, "preconditioned"), 0)

    tried = []
    for batch in sorted({9, default.batch_size if default.batch_size > 9 else 18}):
        for inflation in INFLATIONS if dim < 50 else INFLATIONS[:2]:
            eta0 = inflation / (0.5 + (dim + 1.5) / batch)
            tried += [default.replace(eta0=eta0, batch_size=batch, i_max=math.ceil(k / eta0)) for k in MIXING]
    tried.append(advise(forecast).settings)
    tried.append(default)
    cells = [run(settings) for settings in tried]
    said = forecast.many(tried, 16 * chains)
    saga = PreconditionedSagaLD(problem, default, chains, seed=1)
    saga.observe(features, labels)
    lost = int((dim * whitened_distances(saga) ** 2 > chi2.isf(LOST, dim)).sum()) + int(saga.diverged.sum())
    enough = cells[-1].accuracy - cells[-1].ceiling_sd
    kinds = [verdict_of(cell, default, chains, reference_draws=job.references.ess, dim=dim).kind for cell in cells]
    good = [cell for cell, kind in zip(cells, kinds, strict=True) if kind == "safe" and cell.accuracy >= enough]
    best = min(good, key=lambda cell: cell.cost, default=cells[-1])
    return SimpleNamespace(
        default=cells[-1], advised=cells[-2], verdict=kinds[-1], lost=lost, ratio=cells[-1].cost / best.cost,
        missing=cells[-1].ceiling - cells[-1].accuracy,
        error=sum(abs(each.accuracy - cell.accuracy) for each, cell in zip(said, cells, strict=True)) / len(cells))
