"""Copies of a chain about to open the same epoch, as LMV-n section 5 re-runs its last epoch a thousand times."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.state_file import SamplerSnapshot
from sampler.algorithms.stream_sampler import StreamSampler
from sampler.arguments import whole_number
from sampler.kernels.chains import new_chains
from sampler.problems.base import Problem
from sampler.settings import Settings

OWN = ("rng", "noise", "noise_at")  # what copies of a chain must not share


def copies_of(sampler: OnlineSagaLD, chains: int, seed: int, position: np.ndarray | None = None,
              **changes: Any) -> OnlineSagaLD:
    """``chains`` copies of a sampler's first chain, cache and all, each with random numbers of its own.

    Parameters
    ----------
    sampler : OnlineSagaLD or PreconditionedSagaLD
        Between two epochs.
    chains : int
        K; memory is K times that of one chain, 16 bytes a datum for one-score models.
    seed : int
    position : (dim,) array, optional
        Where all copies stand; None leaves them where the chain stood.
    **changes
        Of the settings.

    Returns
    -------
    Sampler of the same class, its gradient evaluations counted from zero, on as many threads.
    """
    if not isinstance(sampler, OnlineSagaLD) or not sampler.done:
        raise ValueError(f"sampler must be an OnlineSagaLD between two epochs, got {sampler!r}; use standing_at for a "
                         "sampler without memory, advance one in mid-epoch")
    chains = whole_number("chains", chains, 1, 1_000_000)
    kept, fresh = sampler.snapshot(), new_chains(np.zeros((chains, sampler.dim)), seed)
    arrays = {name: a if name.startswith("rows_") or name == "center" else np.repeat(a[:1], chains, axis=0)
              for name, a in kept.arrays.items()}
    arrays |= {f"chains_{name}": getattr(fresh, name) for name in OWN}
    if position is not None:
        arrays["chains_position"][:, :sampler.dim] = position
    meta = {**kept.meta, "chains": chains, "seed": seed, "gradient_evaluations": 0, "epoch_counts": [0] * 4,
            "settings": sampler.settings.replace(**changes).to_dict()}
    copies = type(sampler).from_snapshot(SamplerSnapshot(meta, arrays), _functions(sampler.problem),
                                         threads=sampler.threads)
    copies.reserve(sampler.t + 64)
    copies._prepare()  # room for the next datum: growing it later would be counted as the epoch's cost
    return copies


def standing_at(kind: type[StreamSampler], problem: Problem, data: tuple[Any, ...], settings: Settings, chains: int,
                seed: int,
                start: ArrayLike | None, threads: int | None = None) -> StreamSampler:
    """A sampler without memory of gradients that holds the data of epochs 1..t and stands at ``start``.

    None of those epochs is run: the next datum opens epoch t + 1.

    Parameters
    ----------
    kind : class
        ULA, SGLD, MALA, RandomWalkMetropolis, PolyaGamma, Laplace or OnlineLaplace.
    data : tuple
        Arguments of ``observe`` for t rows; for a GradientOracle the number t alone.
    start : (dim,) or (chains, dim) array
    threads : int, optional
        As for every StreamSampler.
    """
    if issubclass(kind, OnlineSagaLD):
        raise ValueError(f"kind must be a sampler without memory of gradients, got {kind.__name__}; use copies_of")
    sampler: Any = kind(problem, settings, chains, seed, start, threads)  # each has StateFile's hold_rows too
    if problem.kind == "oracle":
        for _ in range(*data):
            sampler.hold_rows()
    elif len(data[0]):
        sampler.hold_rows(*data)
    sampler.t = sampler._rows.t
    return sampler


def _functions(problem: Problem) -> Problem | None:
    return problem if problem.kind == "oracle" else None
