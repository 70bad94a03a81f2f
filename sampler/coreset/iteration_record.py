"""Record of every iteration of a run, in arrays that grow."""

import numpy as np

FIRST_ROWS = 4096


class Record:
    """Arrays with one row an iteration (`sums` and `squares` one more), doubled when full.

    Attributes
    ----------
    sums, squares : (capacity + 1, D) running sums of draws and squared draws, in truth units
    norms, totals : (capacity,) gradient norms and sums of the weights
    potentials : (capacity, K) of sum_m w_m l_m at the draws
    """

    def __init__(self, dim: int, chains: int) -> None:
        self.sums, self.squares = np.zeros((FIRST_ROWS + 1, dim)), np.zeros((FIRST_ROWS + 1, dim))
        self.norms, self.totals = np.zeros(FIRST_ROWS), np.zeros(FIRST_ROWS)
        self.potentials = np.zeros((FIRST_ROWS, chains))

    def make_room(self, iterations: int) -> None:
        """Capacity for at least this many iterations."""
        capacity = self.norms.size
        while capacity < iterations:
            capacity *= 2
        if capacity == self.norms.size:
            return
        for name in ("sums", "squares", "norms", "totals", "potentials"):
            old = getattr(self, name)
            new = np.zeros((capacity + (name in ("sums", "squares")), *old.shape[1:]))
            new[:len(old)] = old
            setattr(self, name, new)
