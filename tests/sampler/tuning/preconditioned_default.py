"""Is the preconditioned sampler's default timid? Its cost at equal accuracy against the best tuned setting, ten streams.

``python -m tests.sampler.tuning.preconditioned_default`` prints the table; some streams by their numbers from 0.
"""

import math
import sys
from dataclasses import dataclass

from scipy.stats import chi2

from sampler import PreconditionedSagaLD, Settings, advise
from sampler.tuning import CellResult, Forecast, forecast_of, verdict_of, with_algorithm
from sampler.tuning.cell_truth import make_judges
from sampler.tuning.sweep_cell import SweepJob, run_cell
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


@dataclass(frozen=True)
class Comparison:
    """The default against the best of the tuned settings, both measured with the same random numbers and truth.

    The best is the cheapest that is judged safe and is as accurate as the default, to one standard deviation.
    """

    default: CellResult
    best: CellResult
    advised: CellResult
    foretold: list  # (CellForecast, CellResult) of every setting tried
    verdict: str  # on the default
    lost: int  # chains of the default

    @property
    def ratio(self) -> float:
        """Cost of the default over that of the best."""
        return self.default.cost / self.best.cost

    @property
    def missing(self) -> float:
        """Accuracy that the default is below exact draws."""
        return self.default.ceiling - self.default.accuracy

    @property
    def error(self) -> float:
        """Mean absolute difference of accuracy foretold and measured."""
        return sum(abs(said.accuracy - cell.accuracy) for said, cell in self.foretold) / len(self.foretold)


def compare(model: str, dim: int, condition: float) -> Comparison:
    """Measure the default, the advised and up to sixteen tuned settings on one stream of 400 rows.

    So many chains that accuracy, a mean over coordinates, is as exact in few dimensions as in many.
    """
    chains = max(32, 1280 // dim)
    problem, features, labels = stream(model, dim, condition)
    job = SweepJob(problem, features, labels, chains, 0, (ROWS,), make_judges(problem, features, labels, [ROWS]))
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
    foretold = list(zip(forecast.many(tried, 16 * chains), cells, strict=True))
    saga = PreconditionedSagaLD(problem, default, chains, seed=1)
    saga.observe(features, labels)
    lost = int((dim * whitened_distances(saga) ** 2 > chi2.isf(LOST, dim)).sum()) + int(saga.diverged.sum())
    enough = cells[-1].accuracy - cells[-1].ceiling_sd
    kinds = [verdict_of(cell, default, chains, reference_draws=job.judges.ess, dim=dim).kind for cell in cells]
    good = [cell for cell, kind in zip(cells, kinds, strict=True) if kind == "safe" and cell.accuracy >= enough]
    best = min(good, key=lambda cell: cell.cost, default=cells[-1])
    return Comparison(cells[-1], best, cells[-2], foretold, kinds[-1], lost)


def main(which: list[str]) -> None:
    """Print one line a stream."""
    for number in map(int, which) if which else range(len(TEN)):
        model, dim, condition = TEN[number]
        c = compare(model, dim, condition)
        d, b = c.default, c.best
        print(f"{number} {model:8s} d={dim:<3d} cond={condition:<4g} default {d.cost:6.0f} accuracy {d.accuracy:.3f}, best "
              f"{b.cost:6.0f} accuracy {b.accuracy:.3f} (b = {b.batch_size}, eta0 = {b.eta0:.3g}, i_max = {b.i_max}), ratio "
              f"{c.ratio:.2f} missing {c.missing:.3f} memory {d.memory:.2f} width {d.width:.2f} {c.verdict} lost {c.lost}; "
              f"advised {c.advised.cost:.0f} {c.advised.accuracy:.3f}; forecast error {c.error:.4f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
