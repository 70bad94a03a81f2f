"""The states of a sampler's K chains for the user to read: positions, checkpoints, lengths of the epoch."""

import numpy as np

from sampler.algorithms.one_caller import Turn, between_calls
from sampler.arguments import whole_number
from sampler.kernels.chains import Chains
from sampler.settings import Settings


class ChainStates:
    """Copies of what the chains hold now; a ``StreamSampler`` moves them."""

    chains: int
    dim: int
    t: int
    settings: Settings
    _state: Chains
    _done: bool
    _center: np.ndarray
    _turn = Turn()  # of a sampler pickled before it had one

    @property
    def done(self) -> bool:
        """Has every chain finished the epoch?"""
        return self._done

    @property
    @between_calls
    def positions(self) -> np.ndarray:
        """X of every chain now, a copy (chains, dim)."""
        return self._state.position[:, :self.dim].copy()

    @property
    def checkpoints(self) -> np.ndarray:
        """X^{t'} of every chain, a copy (chains, dim)."""
        return self._state.checkpoint[:, :self.dim].copy()

    @property
    def checkpoint_epoch(self) -> int:
        """T' = 2^floor(log2(t-1)), 0 in the first epoch."""
        return 1 << ((self.t - 1).bit_length() - 1) if self.t > 1 else 0

    @property
    def warm_starts(self) -> np.ndarray:
        """X^{t-1}: where each chain stood before this epoch (and before any reset), a copy (chains, dim)."""
        return self._state.warm_start[:, :self.dim].copy()

    @property
    def was_reset(self) -> np.ndarray:
        """Whether this epoch started at the checkpoint, (chains,) bool."""
        return self._state.was_reset.copy()

    @property
    def run_lengths(self) -> np.ndarray:
        """i_t of every chain under the settings as they are now, (chains,) int."""
        i_max = self.settings.i_max
        if not self.settings.random_length:
            return np.full(self.chains, i_max, np.int64)
        return np.minimum(1 + (self._state.length_draw * i_max).astype(np.int64), i_max)

    @property
    def steps_done(self) -> np.ndarray:
        """Steps made in this epoch, (chains,) int."""
        return self._state.steps_done.copy()

    def gradient_sum(self, chain: int) -> np.ndarray:
        """S of one chain: the sum of its cached gradients, (dim,)."""
        return self._state.gradient_sum[whole_number("chain", chain, 0, self.chains - 1), :self.dim].copy()

    @between_calls
    def watch(self, center: np.ndarray | None) -> None:
        """From now on keep ``farthest``, the largest ||X - center||^2 of each chain in the epoch; None stops it.

        Raises
        ------
        ValueError
            For anything but dim finite numbers.
        """
        if center is None:
            self._center = np.empty(0)
            return
        center = np.asarray(center, float)
        if center.shape != (self.dim,) or not np.all(np.isfinite(center)):
            raise ValueError(f"center must be {self.dim} finite numbers, got shape {center.shape}")
        self._center = np.zeros(self._state.position.shape[1])
        self._center[:self.dim] = center
        self._state.farthest[:] = ((self._state.position - self._center) ** 2).sum(axis=1)

    @property
    def farthest(self) -> np.ndarray:
        """Max over this epoch's steps, the start included, of ||X - center||^2 (see ``watch``), (chains,)."""
        return self._state.farthest.copy()
