"""Online SAGA-LD: Lee, Mangoubi, Vishnoi 2019, Algorithms 1 and 2 (LMV-n).

Epoch t, when f_t arrives:

1. t' = 2^floor(log2(t-1)); start at X^{t-1}, or at X^{t'} if ||X^{t-1} - X^{t'}|| > C'/sqrt(t+c)   (a reset)
2. G^t = grad f_t(X);  s += G^t;  recompute every G^k last updated at epoch exactly t/2               (the refresh)
3. i_t ~ Uniform{1..i_max};  i_t times, with eta_t = eta_0/(t+c):
     draw S, b indices with replacement from 1..t;   G_new^k = grad f_k(X) for k in S
     g = grad f_0(X) + s + (t/b) sum_{k in S} (G_new^k - G^k)
     X <- X - eta_t g + sqrt(2 eta_t) xi;   s += sum over DISTINCT k in S of (G_new^k - G^k);   G^k <- G_new^k
4. X^t = X

Cost: at most 2 + i_t b gradients per epoch on average, for every t.

``keep_last(n)``, our extension, between two epochs: data 1..t-n are removed from s and the cache, s is recomputed from the n
cached gradients that remain, and t becomes n in the step size, the batch's scale t/b, the radius and the refresh's t/2.
Gradients that are then older than n/2, at most n, are recomputed in the next epoch. The old checkpoint belongs to another
target: each chain's position becomes the new one, and again 1, 2, 4, ... epochs later, until the rule of line 1 applies;
this restarts whenever half of the data have been replaced. The cost does not depend on the number of dropped data.
"""

from typing import Any

import numpy as np

from sampler.algorithms.chain_states import ChainBlock
from sampler.algorithms.checkpoint_calendar import CheckpointCalendar
from sampler.algorithms.one_caller import one_at_a_time
from sampler.algorithms.saga_memory import GlmMemory, VectorMemory
from sampler.algorithms.saved_sampler import SavedSampler
from sampler.arguments import whole_number
from sampler.kernels.chains import Knobs
from sampler.kernels.refresh_calendar import MOST_DATA
from sampler.settings import Settings
from sampler.threads import STEP_WORK

EPOCH_WORK = 10  # work of opening an epoch, in gradients of one term


class OnlineSagaLD(SavedSampler):
    """Online SAGA-LD on K independent chains (see the module for the algorithm, `StreamSampler` for the interface).

    Each switch of ``settings`` is an ablation: without ``variance_reduction`` g is SGLD's, while fresh gradients still
    enter cache and sum; without ``reset`` chains never return to the checkpoint; without ``random_length`` every epoch has
    i_max steps; without ``refresh`` gradients may become stale, and turning it on again first recomputes all older than t/2.
    """

    algorithm = Settings.algorithm
    _metric: Any = None  # set by a preconditioned subclass

    def _allocate(self) -> None:
        named = self.settings.algorithm
        if named not in (self.algorithm, Settings.algorithm):
            raise ValueError(f"settings must be for {self.algorithm!r} ({type(self).__name__}), got those of {named!r}, "
                             f"where the numbers have another meaning; run them with online_algorithm({named!r})")
        self._memory: Any = (GlmMemory if self._rows.is_glm else VectorMemory)(self.problem, self.chains)
        self._refresh_lapsed, self._calendar = False, CheckpointCalendar()

    def _prepare(self) -> bool:
        """Allocate memory for every stored row; return True if the refresh calendar must be rebuilt."""
        for memory in filter(None, (self._memory, self._metric)):
            memory.reserve(self._rows.capacity if self._rows.t > 64 else 64, self.t)
        return self._refresh_lapsed and self.settings.refresh

    @one_at_a_time
    def keep_last(self, n: int) -> None:
        """Drop all data but the last ``n``, between two epochs: F is the sum of their terms, t becomes n and grows again.

        Chains keep their positions, which may be far from the new posterior. There is no effect if t <= n.

        Parameters
        ----------
        n : int in [1, 2**31 - 1]

        Raises
        ------
        ValueError
            For n out of range, in mid-epoch, and for a GradientOracle, which stores its own data.
        """
        n = whole_number("n", n, 1, MOST_DATA, "it is the number of data to keep")
        self._require_finished()
        if self.problem.kind == "oracle":
            raise ValueError(f"keep_last requires data stored in the sampler, got {self.problem!r}, which has its own; "
                             "start another sampler on the terms to keep")
        dropped, came = self.t - n, self.forgotten + self.t
        if dropped <= 0:
            return
        self._forget(dropped, n)
        if self._metric is None:
            self._calendar.forget(came, self.t, n)
        self.t, self.forgotten, self._refresh_lapsed = n, self.forgotten + dropped, True

    def _forget(self, dropped: int, n: int) -> None:
        """Drop the first ``dropped`` data from the rows and the cache; n data remain."""
        self._rows.forget(dropped)
        self._memory.keep_last(self._state, self._rows, dropped, n)

    @property
    def checkpoint_epoch(self) -> int:
        """T', the epoch that ended with the current checkpoint: 2^floor(log2(t-1)), or later after ``keep_last``."""
        return max(super().checkpoint_epoch, self._calendar.newest(self.forgotten + self.t - 1) - self.forgotten)

    def _renew_checkpoint(self, t: int) -> int:
        """Take the checkpoint before epoch t if ``keep_last`` made one due; return the last epoch before the next one."""
        came = self.forgotten + t - 1
        if self._calendar.is_due(came):
            self._state.checkpoint[:] = self._state.position
        coming = self._calendar.coming(came)
        return MOST_DATA if coming is None else coming - self.forgotten

    def _open(self, t: int, counts: np.ndarray) -> None:
        self._renew_checkpoint(t)
        rebuild, knobs = self._prepare(), self._knobs()
        self._in_blocks(lambda block: self._memory.open(block, self._rows, t, knobs, self._metric, rebuild, self._center),
                        self._opening(t, rebuild) if self._memory.opens_in_blocks else 0, counts)
        self._refresh_lapsed = not self.settings.refresh

    def _advance_block(self, block: ChainBlock, knobs: Knobs, n: int, traced: int, trace: np.ndarray) -> bool:
        return self._memory.advance(block, self._rows, self.t, knobs, self._metric, n, self._center, traced, trace)

    def _run(self, first: int, last: int, counts: np.ndarray) -> None:
        if not self._rows.is_glm:
            return super()._run(first, last, counts)
        while first <= last:
            end = min(last, self._renew_checkpoint(first))
            self._run_on(first, end, counts)
            first = end + 1

    def _run_on(self, first: int, last: int, counts: np.ndarray) -> None:
        """Run epochs first..last, which require nothing in between, in compiled calls."""
        rebuild, knobs = self._prepare(), self._knobs()
        steps = (last - first + 1) * self._steps_ahead(knobs.i_max)

        def run(block: ChainBlock) -> None:
            self._memory.run(block, self._rows, first, last, knobs, self._metric, rebuild, self._center)

        self._in_blocks(run, self._opening(first, rebuild) * (last - first + 1) + steps * self._step_work(), counts)
        self._refresh_lapsed = not self.settings.refresh
        self.t = last

    def _opening(self, t: int, rebuild: bool) -> float:
        """Return the work of opening epoch t in all chains, in gradients of one term."""
        return self.chains * (t if rebuild else EPOCH_WORK)

    def _step_work(self) -> float:
        return self.settings.batch_size + STEP_WORK

    def _memory_meta(self) -> dict[str, Any]:
        return {"refresh_lapsed": self._refresh_lapsed, "forgotten": self.forgotten, "since": self._calendar.since}

    def _memory_arrays(self) -> dict[str, Any]:
        return self._memory.arrays(self.t)

    def _restore_memory(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self._refresh_lapsed, self.forgotten = meta["refresh_lapsed"], meta.get("forgotten", 0)
        self._calendar = CheckpointCalendar(meta.get("since"))  # missing in files of release 0.6
        self._memory.restore(arrays, self.t)

    def _rebuild(self, chain: int) -> None:
        self._memory.rebuild(self._state, self._rows, chain, self.t)
        self.gradient_evaluations += self.t

    def cached_gradients(self, chain: int) -> np.ndarray:
        """Return the cached gradients G^1..G^t of one ``chain``, (t, dim)."""
        return self._memory.cached_gradients(self._rows, whole_number("chain", chain, 0, self.chains - 1), self.t)

    def cached_scores(self, chain: int) -> np.ndarray | None:
        """Return the scores of the data at the anchors of one ``chain``, (t,), for one-score models; None for others."""
        return self._memory.cached_scores(whole_number("chain", chain, 0, self.chains - 1), self.t)

    def cached_epochs(self, chain: int) -> np.ndarray:
        """Return the last update epoch of each cached gradient of one ``chain``, (t,) int; at least t/2 with refresh on."""
        return self._memory.touched(whole_number("chain", chain, 0, self.chains - 1), self.t)
