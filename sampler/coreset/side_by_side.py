"""Several runs of Coreset MCMC side by side: trials, optimizers, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from sampler.arguments import shown, whole_number
from sampler.chain_blocks import checked_threads, run_blocks
from sampler.coreset.coreset_mcmc import CoresetMCMC
from sampler.coreset.coreset_run import CoresetRun
from sampler.coreset.models.custom import CustomModel


def run_side_by_side(specifications: Sequence[CoresetMCMC], iterations: int, threads: int | None = None,
                     stop: Callable[[], bool] | None = None) -> list[CoresetRun]:
    """``specification.run(iterations)`` of each, several at a time; every run is what it would be alone.

    Parameters
    ----------
    specifications : sequence of CoresetMCMC
        Often one for each seed.
    iterations : int >= 1
        Of each run, warm-up included.
    threads : int in [1, 1024], optional
        Runs at a time; None takes the cores this process may use. One where a model is a `CustomModel`: its functions are
        the user's, and may not be made for several threads.
    stop : callable, optional
        True ends all runs early. Asked from several threads.

    Raises
    ------
    NotFiniteError
        (a ValueError) when a run fails; runs under way are finished first, later ones are not begun.
    """
    iterations = whole_number("iterations", iterations, 1, 10**9, "the paper's is 200000")
    if not isinstance(specifications, Iterable) or isinstance(specifications, np.ndarray) and not specifications.ndim:
        raise ValueError(f"specifications must be CoresetMCMC objects, got {shown(specifications)}; "
                         "[CoresetMCMC(model, 500, seed=s) for s in range(10)] makes ten trials")
    threads, specifications = checked_threads(threads), list(specifications)
    for specification in specifications:
        if not isinstance(specification, CoresetMCMC):
            raise ValueError(f"specifications must be CoresetMCMC objects, got {shown(specification)}; "
                             "[CoresetMCMC(model, 500, seed=s) for s in range(10)] makes ten trials")
    models = list({id(s.model): s.model for s in specifications}.values())
    if any(isinstance(model, CustomModel) for model in models):
        threads = 1
    for model in models:
        _ = model.truth  # found once, not by each thread
    return run_blocks(lambda specification: specification.run(iterations, stop=stop), specifications, threads)
