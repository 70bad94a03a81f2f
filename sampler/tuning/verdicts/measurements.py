"""The measurements of a running setting that a verdict is made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, pdtrik

from sampler.algorithms.online_algorithms import PLAIN
from sampler.settings import Settings
from sampler.tuning.verdicts.limits import (
    CHANCE,
    LAG_LIMIT,
    LONG_STEP,
    MEMORY_LIMIT,
    NARROW_LIMIT,
    NOISE_LIMIT,
    RESETS_LIMIT,
    WIDTH_LIMIT,
)

JUDGED = ("accuracy", "ceiling", "ceiling_sd", "width_bias", "narrowness", "noise_share", "memory", "lag", "resets",
          "exits", "stale_share", "reference_draws")
"""Measurements that must be finite where there are any."""


@dataclass(frozen=True)
class Measurements:
    """Measurements that `judge` reads. None means not measured.

    Width, narrowness, lag and memory are those of the worst coordinate of ``dim``. Without ``draws``, ``pairs`` and
    ``dim`` their noise is unknown, and what is past a limit is not called a fault.
    """

    settings: Settings
    t: int
    chains: int
    epochs: int  #: epochs measured since the start or the last revival
    accuracy: float | None = None  #: marginal accuracy in [0, 1]
    ceiling: float | None = None  #: what an exact sampler would score
    ceiling_sd: float = 0.0
    predicted: float | None = None  #: accuracy that eta0 predicts
    width_bias: float | None = None  #: cloud's sd over target's sd, less 1; the widest coordinate
    narrowness: float | None = None  #: 1 less cloud's sd over target's sd; the narrowest coordinate
    dim: int | None = None  #: coordinates that width, narrowness, memory and lag are the largest of
    draws: float | None = None  #: pooled for accuracy, width and lag; inf: measured without noise; None: not known
    spacing: int = 1  #: epochs between those pooled
    pairs: float | None = None  #: of successive samples behind the memory; inf and None as of draws
    noise_share: float | None = None  #: gradient noise variance over the injected noise's
    memory: float | None = None  #: correlation of successive samples, highest coordinate
    lag: float | None = None  #: centre of the cloud to the target's, in target widths, largest coordinate
    resets: int = 0  #: in the last `resets_window` epochs, all chains
    exits: int | None = 0  #: in the last `window` epochs, all chains; None: not counted
    window: int = 480  #: epochs counted over: since the last change of a knob, at most a minute
    resets_window: int | None = None  #: epochs in which resets were counted; None: `window`
    own_checkpoint: bool = True  #: whether the checkpoint was taken with these settings; resets to another are not judged
    drifts: bool = False  #: whether the mode walks out of balls that shrink as 1/sqrt(t + c): LMV-n Assumption 3 fails
    checkpoint_epoch: int = 0
    stale_share: float = 0.0  #: cached gradients older than t/2, expected share
    reference_draws: float | None = None  #: effective draws; None: the target is known exactly or on a grid
    reference_epoch: int | None = None
    diverged: tuple[int, int, int] | None = None  #: chain, epoch, step
    diverged_chains: int = 0
    largest_curvature: float | None = None  #: largest eigenvalue of the Hessian of F_t at the mode, whitened where steps are
    largest_eta0: float | None = None  #: largest stable eta0 with a margin, measured
    advised: Settings | None = None  #: known good settings of this problem, if any
    algorithm: str = PLAIN  #: whose settings they are

    @property
    def reset_rate(self) -> float:
        """Share of a chain's epochs that threw it back, of the epochs in which resets were counted."""
        return self.resets / self.reset_epochs

    @property
    def not_finite(self) -> tuple[str, ...]:
        """Names of the measurements that are NaN or infinite, of which nothing can be said."""
        return tuple(name for name in JUDGED if (value := getattr(self, name)) is not None and not np.isfinite(value))

    def noise_known(self, name: str) -> bool:
        """Whether it was passed how many draws, of how many coordinates, a measurement is made from.

        Parameters
        ----------
        name : {"width", "narrowness", "lag", "memory"}
        """
        count = self.pairs if name == "memory" else self.draws
        return count is not None and not np.isnan(count) and (self.dim is not None or np.isinf(count))

    @property
    def limits(self) -> dict[str, float]:
        """What width, narrowness, lag, memory, noise and resets may reach: their limit and the noise of the measurement.

        The noise is as many standard errors as the largest of d coordinates exceeds with the chance `CHANCE`. Widths have
        1/sqrt(2n) of n effective draws, lag 1/sqrt(n), with the reference's own draws; atanh of the memory
        1/sqrt(pairs - 3) (Fisher); a number of resets is Poisson's, and one alone is chance.
        Chains that remember a share r between pooled draws
        have (1 - r^2)/(1 + r^2) of their draws for a width and (1 - r)/(1 + r) for a centre; r is taken a standard error
        above what was measured. Where the number of draws is not known, it is the limit alone.
        """
        reach = -ndtri(CHANCE / (self.dim or 1))
        step = 1.0 / np.sqrt(max(self.pairs - 3.0, 1.0)) if self.pairs is not None and self.noise_known("memory") else 0.0
        kept = min(float(np.tanh(np.arctanh(min(max(self.memory or 0.0, 0.0), 0.99)) + step)), 0.99)
        kept = kept**self.spacing if self.memory is not None else 0.0
        draws = self.draws if self.draws is not None and self.noise_known("width") else np.inf
        wide, centred = (self._effective(draws * (1 - r) / (1 + r)) for r in (kept**2, kept))
        return {
            "width": WIDTH_LIMIT + reach / np.sqrt(2.0 * wide),
            "narrowness": NARROW_LIMIT + reach / np.sqrt(2.0 * wide),
            "lag": LAG_LIMIT + reach / np.sqrt(centred),
            "memory": max(MEMORY_LIMIT, float(np.tanh(np.arctanh(MEMORY_LIMIT) + reach * step))),
            "noise": NOISE_LIMIT,
            "resets": max(RESETS_LIMIT, self._resets_allowed / self.reset_epochs),
        }

    def _effective(self, draws: float) -> float:
        reference, draws = self.reference_draws or np.inf, max(draws, 1e-9)  # none yet: any width may be noise
        return 1.0 / (1.0 / draws + 1.0 / reference) if np.isfinite(draws) else np.inf

    @property
    def reset_epochs(self) -> int:
        """Epochs times chains in which resets were counted, at least 1."""
        return self.chains * max(self.window if self.resets_window is None else self.resets_window, 1)

    @property
    def _resets_allowed(self) -> float:
        """Resets that a chain at the limit exceeds with the chance `CHANCE`: a quantile of Poisson's law, at least 1."""
        return max(1.0, float(np.ceil(pdtrik(1.0 - CHANCE, RESETS_LIMIT * self.reset_epochs))))

    @property
    def long_step(self) -> bool:
        """Whether the step is long for the largest curvature."""
        return self.largest_curvature is not None and self.step_size(self.t) * self.largest_curvature > LONG_STEP

    def step_size(self, t: int) -> float:
        """Step of epoch t, in the coordinates of ``largest_curvature``: eta0/(t + c), or eta0 where they are whitened."""
        return self.settings.step_size(t) if self.algorithm == PLAIN else self.settings.eta0
