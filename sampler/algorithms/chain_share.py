"""A share of the chains of a sampler as a sampler of its own: chains ``first`` to ``last`` - 1 of K, the same paths.

Chains share the rows and nothing else. Chain k's generators are words of one sequence that the seed and K give, and its
start is row k of one draw for all K, so a share takes its part of both: every chain goes its way bit for bit as it does
among all K.
"""

from typing import Any

from numpy.typing import ArrayLike

from sampler.algorithms.online_algorithms import online_algorithm
from sampler.algorithms.starting_points import starting_points
from sampler.arguments import whole_number
from sampler.kernels.rng import spawn_generators
from sampler.problems.base import Problem
from sampler.settings import Settings


def chain_share(algorithm: str, problem: Problem, settings: Settings, chains: int, seed: int, first: int, last: int,
                threads: int | None = None, start: ArrayLike | None = None) -> Any:
    """Sampler of chains ``first`` to ``last`` - 1 out of ``chains``.

    Parameters
    ----------
    algorithm : {"saga-ld", "preconditioned"}
    problem, settings, seed, threads
        As for OnlineSagaLD.
    chains : int in [1, 1000000]
        K, those of all shares together.
    first, last : int, 0 <= first < last <= chains
    start : (dim,) or (last - first, dim) array, optional
        X^0 of these chains; None draws from the prior.

    Raises
    ------
    ValueError
        For a share outside the K chains, or what the sampler refuses.
    """
    chains = whole_number("chains", chains, 1, 1_000_000)
    first = whole_number("first", first, 0, chains - 1)
    last = whole_number("last", last, first + 1, chains)
    start = starting_points(problem, chains, seed)[first:last] if start is None else start
    share = online_algorithm(algorithm)(problem, settings, last - first, seed, start, threads)
    share._state.rng[...] = spawn_generators(seed, chains, share._state.rng.shape[1])[first:last]
    return share
