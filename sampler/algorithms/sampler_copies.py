"""Copies of a sampler: of one chain before it opens an epoch, or of a subset of the chains.

Chains share only the rows. Chain k's generators are part of one sequence determined by the seed and K, and its start is row
k of one draw for all K. A subset takes its part of both, so the path of every chain is bit for bit the same as among all K.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sampler.algorithms.algorithm_names import online_algorithm
from sampler.algorithms.chain_states import starting_points
from sampler.algorithms.online_saga_ld import OnlineSagaLD
from sampler.algorithms.saved_sampler import SamplerSnapshot, SavedSampler
from sampler.arguments import whole_number
from sampler.kernels.chains import new_chains
from sampler.kernels.rng import spawn_generators
from sampler.problems.base import Problem
from sampler.settings import Settings


def chain_subset(algorithm: str, problem: Problem, settings: Settings, chains: int, seed: int, first: int, last: int,
                threads: int | None = None, start: ArrayLike | None = None) -> Any:
    """Return a sampler of chains ``first`` to ``last`` - 1 out of ``chains``.

    Parameters
    ----------
    algorithm : {"saga-ld", "preconditioned"}
    problem, settings, seed, threads
        As for OnlineSagaLD.
    chains : int in [1, 1000000]
        K, the total number over all subsets.
    first, last : int, 0 <= first < last <= chains
    start : (dim,) or (last - first, dim) array, optional
        X^0 of these chains; None draws from the prior.

    Raises
    ------
    ValueError
        For a subset outside the K chains, or an argument that the sampler does not accept.
    """
    chains = whole_number("chains", chains, 1, 1_000_000)
    first = whole_number("first", first, 0, chains - 1)
    last = whole_number("last", last, first + 1, chains)
    start = starting_points(problem, chains, seed)[first:last] if start is None else start
    share = online_algorithm(algorithm)(problem, settings, last - first, seed, start, threads)
    share._state.rng[...] = spawn_generators(seed, chains, share._state.rng.shape[1])[first:last]
    return share


OWN = ("rng", "noise", "noise_at")  # arrays that copies of a chain must not share


def copies_of(sampler: OnlineSagaLD, chains: int, seed: int, position: np.ndarray | None = None,
              **changes: Any) -> OnlineSagaLD:
    """Return a sampler of ``chains`` copies of a sampler's first chain and its cache, each with its own random numbers.

    Parameters
    ----------
    sampler : OnlineSagaLD or PreconditionedSagaLD
        Between two epochs.
    chains : int
        K; memory is K times that of one chain, 16 bytes per datum for one-score models.
    seed : int
    position : (dim,) array, optional
        Position of all copies; None keeps that of the chain.
    **changes
        Changes of the settings.

    Returns
    -------
    Sampler of the same class and number of threads, with gradient evaluations counted from zero.
    """
    if not isinstance(sampler, OnlineSagaLD) or not sampler.done:
        raise ValueError(f"sampler must be an OnlineSagaLD between two epochs, got {sampler!r}; use sampler_at for a "
                         "sampler without cached gradients, advance one in mid-epoch")
    chains = whole_number("chains", chains, 1, 1_000_000)
    state, fresh = sampler.snapshot(), new_chains(np.zeros((chains, sampler.dim)), seed)
    arrays = {name: a if name.startswith("rows_") or name == "center" else np.repeat(a[:1], chains, axis=0)
              for name, a in state.arrays.items()}
    arrays |= {f"chains_{name}": getattr(fresh, name) for name in OWN}
    if position is not None:
        arrays["chains_position"][:, :sampler.dim] = position
    meta = {**state.meta, "chains": chains, "seed": seed, "gradient_evaluations": 0, "epoch_counts": [0] * 4,
            "settings": sampler.settings.replace(**changes).to_dict()}
    problem = sampler.problem if sampler.problem.kind == "oracle" else None  # functions are not in a snapshot
    copies = type(sampler).from_snapshot(SamplerSnapshot(meta, arrays), problem, threads=sampler.threads)
    copies.reserve(sampler.t + 64)
    copies._prepare()  # allocates for the next datum: doing so later would be counted as the epoch's cost
    return copies


def sampler_at(kind: type[SavedSampler], problem: Problem, data: tuple[Any, ...], settings: Settings, chains: int,
               seed: int, start: ArrayLike | None, threads: int | None = None) -> SavedSampler:
    """Return a sampler without cached gradients that has the data of epochs 1..t, at position ``start``.

    Those epochs are not run: the next datum opens epoch t + 1.

    Parameters
    ----------
    kind : class
        Any but OnlineSagaLD, PreconditionedSagaLD and IBIS.
    data : tuple
        Arguments of ``observe`` for t rows; for a GradientOracle only the number t.
    start : (dim,) or (chains, dim) array
    threads : int, optional
        As for `StreamSampler`.
    """
    if issubclass(kind, OnlineSagaLD):
        raise ValueError(f"kind must be a sampler without cached gradients, got {kind.__name__}; use copies_of")
    sampler = kind(problem, settings, chains, seed, start, threads)
    if problem.kind == "oracle":
        for _ in range(*data):
            sampler.hold_rows()
    elif len(data[0]):
        sampler.hold_rows(*data)
    sampler.t = sampler._rows.t
    return sampler
