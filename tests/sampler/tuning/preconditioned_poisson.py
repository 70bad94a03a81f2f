"""The preconditioned sampler on Poisson regression: chains lost, accuracy, and what the plain one costs.

``python -m tests.sampler.tuning.preconditioned_poisson`` prints the table; some streams by their names.
"""

import sys

import numpy as np
from scipy.stats import chi2

from sampler import DivergenceError, PreconditionedSagaLD, advise, find_mode
from sampler.tuning import Forecast, with_algorithm
from sampler.tuning.cell_truth import make_judges
from sampler.tuning.sweep_cell import SweepJob, run_cell
from tests.sampler.algorithms.poisson_streams import STREAMS, poisson_stream

LOST = 1e-8
"""Probability that a draw of the posterior's normal law is as far from the mode as a chain that counts as lost."""
TRIES = (0.5, 1.0, 2.0)
"""Times the advised eta0 of the plain sampler; the most accurate counts."""


def lost(kind: str, far: float, chains: int = 600) -> int:
    """Chains of the default that diverged or are lost after 300 rows, started ``far`` prior deviations from zero."""
    problem, features, counts = poisson_stream(kind)
    start = far * np.random.default_rng(5).standard_normal((chains, problem.dim))
    saga = PreconditionedSagaLD(problem, chains=chains, seed=1, start=start)
    try:
        saga.observe(features, counts)
    except DivergenceError:
        pass
    posterior = problem.posterior(features, counts)
    mode = find_mode(posterior)
    away = saga.positions - mode
    size = np.einsum("ki,ij,kj->k", away, posterior.hessian(mode), away)
    return int(((size > chi2.isf(LOST, problem.dim)) | saga.diverged).sum())


def compare(kind: str, chains: int = 128):
    """Cells of the default and of the plain sampler as advised, the best of ``TRIES``, on 300 rows."""
    problem, features, counts = poisson_stream(kind)
    rows = len(features)
    job = SweepJob(problem, features, counts, chains, 0, (rows,), make_judges(problem, features, counts, [rows]))
    default = PreconditionedSagaLD.default_settings(problem.dim, kind="poisson")
    advised = advise(Forecast(problem, features, counts)).settings
    plain = [run_cell(job, advised.replace(eta0=advised.eta0 * times), 0) for times in TRIES]
    return run_cell(job, with_algorithm(default, "preconditioned"), 0), max(plain, key=lambda cell: cell.accuracy)


def main(which: list[str]) -> None:
    """Print one line a stream."""
    for kind in which or STREAMS:
        ours, plain = compare(kind)
        away = ", ".join(str(lost(kind, far)) for far in (1.0, 3.0, 10.0))
        print(f"{kind:14s} lost {away} of 600 from 1, 3, 10 prior deviations; accuracy {ours.accuracy:.3f} of "
              f"{ours.ceiling:.3f} at {ours.cost:.0f} gradients an epoch; plain {plain.accuracy:.3f} at {plain.cost:.0f}",
              flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
