"""Figure 1 and the papers' tables as background jobs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.background_job import JobHandle
from app.compare.alike_pieces import AlikePieces
from app.compare.race_problems import problem_of, refusals, rows_of
from app.compare.results import FigureOneResult, TablesResult
from app.state.compare import CompareConfig
from sampler import figure_one
from sampler.racing import growth, over_seeds

SIZES = (250, 500, 1_000, 2_000, 4_000, 8_000)
"""T of the tables."""
DATA_SETS = 8
"""Of Figure 1."""
CHAINS = 300
SEEDS = 3
"""Streams and chains that each slope is measured on."""
WORK = 6e8
"""Gradient evaluations of all chains that a sampler may take at one T: some 3 s."""
IN_TABLES: dict[str, tuple[str, ...]] = {
    "online": ("saga", "sgld_quiet", "ula", "mala", "rwm", "saga_fixed", "cv_uld"),
    "fixed": ("ladder", "saga_fixed", "svrg", "svrg_plus", "cv_uld", "sgld_quiet", "ula", "rwm"),
}
"""Samplers of each table."""


def figure_one_job(steps: int) -> Callable[[JobHandle], FigureOneResult]:
    """Return the job that runs Figure 1."""
    def job(handle: JobHandle) -> FigureOneResult:
        alike = AlikePieces(handle, DATA_SETS)

        def show(figure: object, fraction: float) -> None:
            done = 0 if figure is None else figure.ceiling.size
            told = alike.tell(done, DATA_SETS * fraction - done)
            handle.publish(FigureOneResult(steps, figure), fraction, f"Figure 1: {done} of {DATA_SETS} data sets done",
                           foreseen=told is None, work=told)

        show(None, 0.0)
        return FigureOneResult(steps, figure_one(steps, DATA_SETS, publish=show, stop=lambda: handle.stopped))

    return job


def tables_job(config: CompareConfig) -> Callable[[JobHandle], TablesResult]:
    """Return the job that measures evaluations against T."""
    def job(handle: JobHandle) -> TablesResult:
        problem, blocked = problem_of(config), refusals(config)
        keys = tuple(key for key in IN_TABLES[config.table] if key not in blocked)
        result = TablesResult(config, SIZES, tried=keys)

        runs: list[dict] = []
        alike = AlikePieces(handle, SEEDS)

        def show(found: dict, fraction: float) -> None:
            nonlocal result
            result = replace(result, growth=over_seeds(runs) if runs else dict(found))
            told = alike.tell(len(runs), fraction)
            handle.publish(result, (len(runs) + fraction) / SEEDS,
                           f"Racing to one accuracy at each T, seed {len(runs) + 1} of {SEEDS}",
                           foreseen=told is None, work=told)

        show({}, 0.0)
        for seed in range(config.seed, config.seed + SEEDS):
            own = config.replace(seed=seed)
            found = growth(lambda t, own=own: (problem, rows_of(own, t)), SIZES, config.settings, keys,
                           config.table == "fixed", CHAINS, seed, WORK, publish=show, stop=lambda: handle.stopped)
            if handle.stopped:
                return result
            runs.append(found)
        return replace(result, growth=over_seeds(runs))

    return job
