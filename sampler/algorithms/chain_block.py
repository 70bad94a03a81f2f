"""One block of a sampler's chains: views of their arrays, and counts of its own."""

from dataclasses import dataclass

import numpy as np

from sampler.kernels.chains import Chains

A_CACHE_LINE = 8  # numbers: counts of two threads must not share one


@dataclass(slots=True, eq=False)
class ChainBlock:
    """Chains ``first`` to ``last`` - 1 of a sampler, as kernels take them.

    Attributes
    ----------
    first, last : int
    chains : Chains
        Their arrays alone: the sampler's own memory, so what a kernel writes is there.
    counts : (4,) int64
        Gradient evaluations, resets, refreshed, steps: the block's own.
    """

    first: int
    last: int
    chains: Chains
    counts: np.ndarray

    def own(self, array: np.ndarray) -> np.ndarray:
        """The block's part of an array whose first axis is the chains."""
        return array if self.last - self.first == len(array) else array[self.first:self.last]


def tallied_blocks(chains: Chains, parts: list[tuple[int, int]]) -> tuple[list[ChainBlock], np.ndarray]:
    """A block for each (first, last) of ``parts``, and all their counts, (blocks, 4)."""
    tallies = np.zeros((len(parts), 2 * A_CACHE_LINE), np.int64)[:, :4]
    return [ChainBlock(first, last, Chains(*(array[first:last] for array in chains)), tally)
            for (first, last), tally in zip(parts, tallies, strict=True)], tallies
